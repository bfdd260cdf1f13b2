//! unittest, run by a runner of ours which writes exact results.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Adapter, python_environment, shell_words};
use crate::lane::{Lane, Tools};
use crate::outcome::TestId;
use crate::spec::ProjectSpec;

pub(super) struct Unittest;

impl Adapter for Unittest {
    fn tools(&self) -> Tools {
        let runner = include_bytes!("../../runners/patchwright_unittest.py");
        Tools::from([("patchwright_unittest.py".to_owned(), runner.to_vec())])
    }

    fn environment(&self, spec: &ProjectSpec, lane: &Lane, project: &Path) -> BTreeMap<String, String> {
        python_environment(spec, lane, project)
    }

    fn names(&self, _spec: &ProjectSpec, tests: &[TestId]) -> String {
        shell_words(tests.iter().map(TestId::as_str))
    }

    fn can_skip(&self) -> bool {
        true
    }
}
