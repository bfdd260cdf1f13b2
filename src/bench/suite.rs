//! Where cases come from: the word that `--suite` gives.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use patchwright_protocol::{Failure, Goal};
use patchwright_suites::{
    Bug, Case, Defects4j, Defects4jOptions, GitBugJava, GitBugJavaOptions, LoadError, Manifest, Ready, Suite,
    placed,
};
use patchwright_swe_bench::SweBench;
use patchwright_swt_bench::{Benchmark, dataset};

use crate::bench::issues::IssuesOnly;
use crate::bench::swe_bench;

const KINDS: &str =
    "give manifest:FILE, swe-bench:FILE, swt-bench:FILE, tdd-bench:FILE, defects4j:DIR or gitbug-java:DIR";

/// Warnings that are told one by one.
const TOLD: usize = 20;

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
    let wrong = |message: &str| Failure::user(format!("--suite {word}: {message}")).hint(KINDS);
    let (kind, path) = word.split_once(':').ok_or_else(|| wrong("which kind of suite is it?"))?;
    let path = Path::new(path);
    let suite: Result<Arc<dyn Suite>, LoadError> = match kind {
        "manifest" => Manifest::load(path).map(shared),
        "defects4j" => Defects4j::load(path, Defects4jOptions::from_environment()).map(shared),
        "gitbug-java" => GitBugJava::load(path, GitBugJavaOptions::from_environment()).map(shared),
        "swe-bench" => {
            let options = swe_bench::options(how.images_gib)?;
            Ok(shared(SweBench::new(swe_bench::dataset(path, None)?, options)))
        }
        "swt-bench" | "tdd-bench" => {
            let options = swe_bench::options(how.images_gib)?;
            let benchmark = Benchmark::named(kind).unwrap_or(Benchmark::Swt);
            let (dataset, warnings) = dataset::load(path, None, benchmark).map_err(Failure::user)?;
            warn(&warnings);
            Ok(shared(SweBench::new(dataset, options)))
        }
        _ => return Err(wrong("not known")),
    };
    let suite = suite.map_err(Failure::user)?;
    warn(suite.warnings());
    let suite = if how.perfect { Arc::new(PerfectLocalization(suite)) } else { suite };
    Ok(match how.goal {
        Goal::Fix => suite,
        Goal::Test => Arc::new(IssuesOnly::of(suite)),
    })
}

/// Tells what was odd about the data: the first warnings, and how many more there are.
pub fn warn(warnings: &[String]) {
    for text in warnings.iter().take(TOLD) {
        crate::say(&format!("warning: {text}"));
    }
    if warnings.len() > TOLD {
        crate::say(&format!("warning: and {} more like these", warnings.len() - TOLD));
    }
}

fn shared(suite: impl Suite + 'static) -> Arc<dyn Suite> {
    Arc::new(suite)
}

/// The word with an absolute path: a run may be resumed from elsewhere.
pub fn absolute(word: &str) -> Result<String, Failure> {
    let wrong = |message: &str| Failure::user(format!("--suite {word}: {message}")).hint(KINDS);
    let (kind, path) = word.split_once(':').ok_or_else(|| wrong("which kind of suite is it?"))?;
    if !["manifest", "defects4j", "gitbug-java", "swe-bench", "swt-bench", "tdd-bench"].contains(&kind) {
        return Err(wrong(&format!("`{kind}` is not known")));
    }
    let absolute = PathBuf::from(path)
        .canonicalize()
        .map_err(|error| Failure::user(format!("--suite {word}: {error}")).hint(KINDS))?;
    Ok(format!("{kind}:{}", absolute.display()))
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

    async fn ready(&self) -> Result<Ready, Failure> {
        self.0.ready().await
    }

    async fn release(&self, case: &Case) {
        self.0.release(case).await;
    }
}
