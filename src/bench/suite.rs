//! Where cases come from: what the word of `--suite` names, loaded.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use patchwright_command_line::suite::kind_and_path;
use patchwright_protocol::{Bug, Failure, Goal};
use patchwright_suites::{Case, Ready, SUITES, Suite, placed};
use patchwright_swe_bench::SweBench;
use patchwright_swt_bench::{Benchmark, dataset};

use crate::bench::issues::IssuesOnly;
use crate::bench::swe_bench;
use crate::output::warn;

/// The use that is made of a suite.
#[derive(Clone, Copy, Debug, Default)]
pub struct Use {
    /// Sessions are told where the bug is.
    pub perfect: bool,
    /// What sessions look for. Where it is a test, the cases are without their truth.
    pub goal: Goal,
    /// GiB that pulled images may take.
    pub images_gib: Option<u64>,
}

/// Loads a suite.
pub fn load(word: &str, how: Use) -> Result<Arc<dyn Suite>, Failure> {
    let (kind, path) = kind_and_path(word)?;
    let suite: Arc<dyn Suite> = if let Some(known) = SUITES.iter().find(|known| known.word == kind) {
        (known.load)(path).map_err(Failure::user)?
    } else {
        let dataset = match Benchmark::named(kind) {
            None => swe_bench::dataset(path, None)?,
            Some(benchmark) => {
                let (dataset, warnings) = dataset::load(path, None, benchmark).map_err(Failure::user)?;
                warn(&warnings);
                dataset
            }
        };
        Arc::new(SweBench::new(dataset, swe_bench::options(how.images_gib)?))
    };
    warn(suite.warnings());
    let suite = if how.perfect { Arc::new(PerfectLocalization(suite)) } else { suite };
    Ok(match how.goal {
        Goal::Fix => suite,
        Goal::Test => Arc::new(IssuesOnly::of(suite)),
    })
}

/// A suite whose bugs come with the lines that are known to be buggy.
struct PerfectLocalization(Arc<dyn Suite>);

#[async_trait]
impl Suite for PerfectLocalization {
    fn cases(&self) -> &[Case] {
        self.0.cases()
    }

    fn is_withdrawn(&self, id: &str) -> bool {
        self.0.is_withdrawn(id)
    }

    fn warnings(&self) -> &[String] {
        self.0.warnings()
    }

    async fn prepare(&self, case: &Case, folder: &Path) -> Result<Bug, Failure> {
        if case.truth.lines.is_empty() {
            let missing = "no buggy line of it is known, so --localization perfect has nothing to tell";
            return Err(Failure::case(missing.to_owned()));
        }
        let mut bug = self.0.prepare(case, folder).await?;
        let lines = placed(&case.truth.lines, &bug.dir).map_err(Failure::case);
        if lines.is_err() {
            self.0.release(case).await;
        }
        (bug.input.lines, bug.input.perfect_localization) = (lines?, true);
        Ok(bug)
    }

    fn image(&self, case: &Case) -> Option<String> {
        self.0.image(case)
    }

    async fn ready(&self) -> Result<Ready, Failure> {
        self.0.ready().await
    }

    async fn release(&self, case: &Case) {
        self.0.release(case).await;
    }
}
