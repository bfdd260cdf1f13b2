//! pytest and unittest: a plugin and a runner of ours write exact results.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Adapter, python_environment, shell_words};
use crate::lane::{Lane, Tools};
use crate::outcome::TestId;
use crate::spec::ProjectSpec;

/// A Python test tool that is watched by code of ours.
pub(super) struct WatchedPython {
    file: &'static str,
    code: &'static [u8],
}

/// pytest, watched by a plugin.
pub(super) const PYTEST: WatchedPython = WatchedPython {
    file: "patchwright_pytest.py",
    code: include_bytes!("../../runners/patchwright_pytest.py"),
};

/// unittest, run by a runner.
pub(super) const UNITTEST: WatchedPython = WatchedPython {
    file: "patchwright_unittest.py",
    code: include_bytes!("../../runners/patchwright_unittest.py"),
};

impl Adapter for WatchedPython {
    fn tools(&self) -> Tools {
        Tools::from([(self.file.to_owned(), self.code.to_vec())])
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
