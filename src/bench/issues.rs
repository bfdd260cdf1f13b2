//! Suites for runs that write tests: issues without the truth about them.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use patchwright_command_line::options::WritingOptions;
use patchwright_command_line::suite::kind_and_path;
use patchwright_protocol::{Bug, Failure, Goal};
use patchwright_suites::{Case, Ready, SUITES, Suite, Truth};
use patchwright_swt_bench::Benchmark;

/// What sessions on a kind of suite look for, with these options.
pub fn goal(word: &str, writing: &WritingOptions) -> Result<Goal, Failure> {
    let (kind, _) = kind_and_path(word)?;
    if Benchmark::named(kind).is_some() {
        return Ok(Goal::Test);
    }
    let Some(option) = writing.given() else { return Ok(Goal::Fix) };
    let has_issues = SUITES.iter().find(|known| known.word == kind).is_none_or(|known| known.has_issues);
    if !has_issues {
        return Err(Failure::user(format!(
            "--{option}: tests are written for issues, and the bugs of {kind} come without any"
        ))
        .hint("leave it out, or give swt-bench:FILE, tdd-bench:FILE, swe-bench:FILE or manifest:FILE"));
    }
    if writing.method.is_none() {
        return Err(Failure::user(format!(
            "--{option} is about how tests are written, and {kind} is about fixes"
        ))
        .hint("give --method to write tests for its issues, or leave it out"));
    }
    Ok(Goal::Test)
}

/// A suite of whose cases nothing but the issue is told: no fix, no test that shows the bug. Without a fix nothing is compared with it
/// either.
pub struct IssuesOnly {
    suite: Arc<dyn Suite>,
    cases: Vec<Case>,
}

impl IssuesOnly {
    /// The suite without its truth.
    pub fn of(suite: Arc<dyn Suite>) -> Self {
        let without = |case: &Case| Case { truth: Truth::default(), ..case.clone() };
        Self { cases: suite.cases().iter().map(without).collect(), suite }
    }

    /// The case as the suite has it.
    fn whole(&self, case: &Case) -> Case {
        let known = self.suite.cases().iter().find(|known| known.id == case.id);
        known.cloned().unwrap_or_else(|| case.clone())
    }
}

#[async_trait]
impl Suite for IssuesOnly {
    fn cases(&self) -> &[Case] {
        &self.cases
    }

    fn is_withdrawn(&self, id: &str) -> bool {
        self.suite.is_withdrawn(id)
    }

    fn warnings(&self) -> &[String] {
        self.suite.warnings()
    }

    async fn prepare(&self, case: &Case, folder: &Path) -> Result<Bug, Failure> {
        let whole = self.whole(case);
        let mut bug = self.suite.prepare(&whole, folder).await?;
        if bug.input.issue.as_deref().is_none_or(|issue| issue.trim().is_empty()) {
            self.suite.release(&whole).await;
            return Err(Failure::case("it has no issue, for which a test could be written")
                .hint("name the file with its text in the manifest (issue), or leave the case out"));
        }
        bug.input.failing.clear();
        bug.input.issue_only = true;
        Ok(bug)
    }

    fn image(&self, case: &Case) -> Option<String> {
        self.suite.image(&self.whole(case))
    }

    async fn ready(&self) -> Result<Ready, Failure> {
        self.suite.ready().await
    }

    async fn release(&self, case: &Case) {
        self.suite.release(&self.whole(case)).await;
    }
}

#[cfg(test)]
mod tests {
    use patchwright_protocol::TestMethod;

    use super::*;
    use crate::failure::told;

    #[test]
    fn the_suite_and_the_method_say_what_is_looked_for() {
        let check = |kind: &str, writing: &WritingOptions, expect: Result<Goal, &str>| match (
            goal(&format!("{kind}:file"), writing),
            expect,
        ) {
            (Ok(found), Ok(expect)) => assert_eq!(found, expect, "{kind}"),
            (Err(failure), Err(expect)) => assert!(told(&failure).contains(expect), "{}", told(&failure)),
            (found, expect) => assert_eq!(format!("{found:?}"), format!("{expect:?}"), "{kind}"),
        };
        let (none, direct) = (
            WritingOptions::default(),
            WritingOptions { method: Some(TestMethod::Direct), ..WritingOptions::default() },
        );
        let samples = WritingOptions { samples: Some(3), ..WritingOptions::default() };
        check("swt-bench", &none, Ok(Goal::Test));
        check("tdd-bench", &direct, Ok(Goal::Test));
        check("swe-bench", &none, Ok(Goal::Fix));
        check("swe-bench", &direct, Ok(Goal::Test));
        check("manifest", &direct, Ok(Goal::Test));
        check("manifest", &samples, Err("--samples is about how tests are written"));
        check("defects4j", &direct, Err("come without any"));
    }
}
