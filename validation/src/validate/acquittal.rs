//! What tests bend of that by which they are judged, though no change makes them.

use patchwright_blocking::lock;
use patchwright_test_results::TestReport;

use crate::baseline::Baseline;
use crate::error::TestHarnessError;
use crate::harness::TestHarness;

impl TestHarness {
    /// A report without what its tests are said to bend, as far as they do the same without the change, of which `without` is a run: that is
    /// only run where there is something to ask it, and believed from then on.
    pub(crate) async fn acquitted(
        &self,
        baseline: &Baseline,
        mut report: TestReport,
        without: impl Future<Output = Result<TestReport, TestHarnessError>>,
    ) -> Result<TestReport, TestHarnessError> {
        report
            .bent
            .retain(|what| !baseline.report.bent.contains(what) && !lock(&self.bent_before).contains(what));
        if !report.bent.is_empty() {
            let without = without.await?;
            report.bent.retain(|what| !without.bent.contains(what));
            lock(&self.bent_before).extend(without.bent);
        }
        Ok(report)
    }
}
