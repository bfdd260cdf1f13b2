//! Ant with its junit task.

use super::{Adapter, shell_words};
use crate::outcome::TestId;
use crate::spec::ProjectSpec;

pub(super) struct Ant;

impl Adapter for Ant {
    fn names(&self, _spec: &ProjectSpec, tests: &[TestId]) -> String {
        shell_words(tests.iter().map(TestId::as_str))
    }

    fn test_builds(&self) -> bool {
        true
    }
}
