//! A driver that keeps to the rate of requests of a whole run.

use async_trait::async_trait;
use patchwright_edits::{Edit, EditRules};
use patchwright_protocol::Remark;
use patchwright_runs::Shared;
use patchwright_session::{Answer, Driver, DriverError, DriverProfile, Question};
use patchwright_syntax::Project;

/// Forwards to another driver, and asks it no faster than the run may.
pub(super) struct RateLimitedDriver {
    driver: Box<dyn Driver>,
    shared: Shared,
}

impl RateLimitedDriver {
    pub(super) fn new(driver: Box<dyn Driver>, shared: Shared) -> Self {
        Self { driver, shared }
    }
}

#[async_trait]
impl Driver for RateLimitedDriver {
    fn profile(&self) -> &DriverProfile {
        self.driver.profile()
    }

    fn begin(&mut self, project: &Project, rules: &EditRules) {
        self.driver.begin(project, rules);
    }

    async fn answer(&mut self, question: &Question<'_>) -> Result<Vec<Answer>, DriverError> {
        self.shared.request().await;
        self.driver.answer(question).await
    }

    fn notices(&mut self) -> Vec<String> {
        self.driver.notices()
    }

    fn remark(&self, edits: &[Edit]) -> Option<Remark> {
        self.driver.remark(edits)
    }
}

#[cfg(test)]
mod tests {
    use patchwright_agent::PatternDriver;
    use patchwright_protocol::{BY_PATTERNS, Usage};
    use patchwright_runs::Concurrency;
    use patchwright_session::WaitCategory;

    use super::*;

    #[test]
    fn a_limited_driver_has_the_profile_of_the_driver_that_it_limits() {
        let shared = Shared::new(&Concurrency::of_workers(1));
        let driver = RateLimitedDriver::new(Box::new(PatternDriver::new(1)), shared);
        let profile = driver.profile();
        assert_eq!(profile.name, BY_PATTERNS);
        assert_eq!(profile.wait_category, WaitCategory::Planning);
        assert_eq!(profile.cost(&Usage::default()), Some(0.0));
    }
}
