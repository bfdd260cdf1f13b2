//! Ant with its junit task.

use super::Adapter;

pub(super) struct Ant;

impl Adapter for Ant {
    fn test_builds(&self) -> bool {
        true
    }
}
