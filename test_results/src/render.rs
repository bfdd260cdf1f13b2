//! A report as text for a model or a person: the same result gives the same bytes, within a bound.

use patchwright_protocol::TestId;

use crate::explanations::{blocks, explanations};
use crate::normalize::head_and_tail;
use crate::outcome::TestOutcome;
use crate::report::{Build, CompilerError, TestReport};

/// Bytes that an explanation of a failing test gets at least, before others are only named.
const LEAST_SHARE: usize = 600;
/// Compiler errors that are shown; further ones mostly follow from them.
const SHOWN_ERRORS: usize = 20;

impl CompilerError {
    /// The error with its place, its line of source and a mark below the column.
    pub fn render(&self) -> String {
        let mut message = self.message.lines();
        let mut lines = vec![format!("{}:{}: {}", self.file, self.line, message.next().unwrap_or_default())];
        if let Some(source) = &self.source_line {
            // An indentation makes it stand out where the source has none.
            let shift = if source.starts_with([' ', '\t']) { "" } else { "    " };
            lines.push(format!("{shift}{}", source.trim_end()));
            if let Some(column) = self.column {
                let before = source.chars().take(column.saturating_sub(1) as usize);
                let blank: String =
                    before.map(|character| if character == '\t' { '\t' } else { ' ' }).collect();
                lines.push(format!("{shift}{blank}^"));
            }
        }
        lines.extend(message.map(str::to_owned));
        lines.join("\n")
    }
}

impl TestReport {
    /// The report within `max_bytes`: a line that counts, then each failing test with its explanation. Where there is
    /// no room for all, every explanation keeps its head and tail, and the last tests are only named or counted.
    pub fn render(&self, max_bytes: usize) -> String {
        let text = match &self.build {
            Build::Failed { errors, log } => self.render_build(errors, log),
            Build::NotNeeded | Build::Ok => {
                let summary = self.summary();
                let room = max_bytes.saturating_sub(summary.len());
                summary + &self.render_tests(room)
            }
        };
        head_and_tail(&text, max_bytes).into_owned()
    }

    /// The report within `max_bytes` where only some of the failing tests matter: the others are counted.
    pub fn render_those(&self, matters: impl Fn(&TestId) -> bool, max_bytes: usize) -> String {
        let is_other = |outcome: &TestOutcome| outcome.status.is_failing() && !matters(&outcome.id);
        let others = self.outcomes.iter().filter(|outcome| is_other(outcome)).count();
        if others == 0 {
            return self.render(max_bytes);
        }
        let outcomes = self.outcomes.iter().filter(|outcome| !is_other(outcome)).cloned().collect();
        let text = Self { outcomes, ..self.clone() }.render(max_bytes);
        format!("{}\n\nTests that fail too, for reasons of their own: {others}.", text.trim_end())
    }

    fn render_tests(&self, room: usize) -> String {
        let failing: Vec<&TestOutcome> =
            self.outcomes.iter().filter(|test| test.status.is_failing()).collect();
        if !failing.is_empty() {
            return render_failing(&failing, room);
        }
        let is_silent = self.outcomes.is_empty() && self.unlisted_passed == 0 && !self.log.is_empty();
        if is_silent {
            format!("\n{}", head_and_tail(&self.log, room.saturating_sub(1)))
        } else {
            String::new()
        }
    }

    /// One or two sentences: how many tests passed and failed, and whether the run went through.
    pub fn summary(&self) -> String {
        let failing = self.outcomes.iter().filter(|test| test.status.is_failing()).count();
        let mut text = match (self.passed(), failing, self.skipped()) {
            (0, 0, _) => "No test reported a result.".to_owned(),
            (passed, _, 0) => format!("Tests: {passed} passed, {failing} failed."),
            (passed, _, skipped) => {
                format!("Tests: {passed} passed, {failing} failed, {skipped} skipped.")
            }
        };
        let running = self
            .interrupted_in
            .as_ref()
            .map_or_else(String::new, |test| format!(" while `{test}` was running"));
        if self.timed_out {
            text.push_str(&format!(" The run was ended at its time limit{running}."));
        } else if !self.complete {
            text.push_str(&format!(" The run broke off before its end{running}."));
        }
        text
    }

    fn render_build(&self, errors: &[CompilerError], log: &str) -> String {
        if self.timed_out {
            return format!("The build was ended at its time limit.\n{log}");
        }
        let count = errors.len();
        if count == 0 {
            return format!("The build failed.\n{log}");
        }
        let plural = if count == 1 { "" } else { "s" };
        let shown = errors.iter().take(SHOWN_ERRORS).map(|error| format!("\n{}\n", error.render()));
        let mut text = format!("The build failed with {count} error{plural}.\n") + &shown.collect::<String>();
        if count > SHOWN_ERRORS {
            text.push_str(&format!("\n[… {} more errors left out …]\n", count - SHOWN_ERRORS));
        }
        text
    }
}

fn render_failing(failing: &[&TestOutcome], room: usize) -> String {
    let explanations = explanations(failing);
    let blocks = blocks(&explanations);
    if blocks.iter().map(String::len).sum::<usize>() <= room {
        return blocks.concat();
    }
    // Names of the others need room too.
    let room = room - room / 8;
    let shown = (room / LEAST_SHARE).clamp(1, blocks.len());
    let mut text = String::new();
    let mut left = room;
    for (index, block) in blocks.iter().take(shown).enumerate() {
        // What short explanations leave is for the longer ones behind them.
        let share = left / (shown - index);
        let cut = head_and_tail(block, share);
        left = left.saturating_sub(cut.len());
        text.push_str(&cut);
    }
    let others: Vec<&TestOutcome> =
        explanations[shown..].iter().flat_map(|explanation| &explanation.tests).copied().collect();
    if !others.is_empty() {
        text.push_str(&format!("\nAlso failing, not explained here ({}):\n", others.len()));
        let mut named = 0;
        for test in others {
            if named + test.id.as_str().len() > room / 8 {
                break;
            }
            named += test.id.as_str().len() + 1;
            text.push_str(test.id.as_str());
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::outcome::TestStatus;

    fn report(outcomes: Vec<TestOutcome>) -> TestReport {
        TestReport {
            build: Build::NotNeeded,
            outcomes,
            unlisted_passed: 0,
            timed_out: false,
            interrupted_in: None,
            ended_last: None,
            collected: None,
            collected_in: std::collections::BTreeMap::new(),
            elsewhere: None,
            complete: true,
            ending: "status 0".to_owned(),
            log: "the log".to_owned(),
            seconds: 1.25,
            test_seconds: std::collections::BTreeMap::new(),
            bent: std::collections::BTreeSet::new(),
            unread: std::collections::BTreeSet::new(),
        }
    }

    fn failed(id: &str, trace: &str) -> TestOutcome {
        TestOutcome::new(id, TestStatus::Failed).with_message("1 != 2").with_trace(trace)
    }

    #[test]
    fn counts_and_explanations() {
        let text = report(vec![
            failed("a", "t.py:3: in a\nE   1 != 2"),
            TestOutcome::new("b", TestStatus::Passed),
            TestOutcome::new("c", TestStatus::Error).with_message("no database"),
        ])
        .render(4000);
        assert_eq!(
            text,
            "Tests: 1 passed, 2 failed.\n\nFAILED a\nt.py:3: in a\nE   1 != 2\n\nERROR c\nno database"
        );
        assert_eq!(
            report(vec![TestOutcome::new("b", TestStatus::Passed)]).render(4000),
            "Tests: 1 passed, 0 failed."
        );
        assert_eq!(report(Vec::new()).render(4000), "No test reported a result.\nthe log");
    }

    #[test]
    fn many_failures_stay_within_the_bound() {
        let failing: Vec<_> = (0..200)
            .map(|number| failed(&format!("test_{number:03}"), &format!("line {number}\n").repeat(300)))
            .collect();
        for max in [1_000, 4_000, 20_000] {
            let text = report(failing.clone()).render(max);
            assert!(text.len() <= max + 64, "{} of {max}", text.len());
            let rest: Vec<&str> = text.lines().filter(|line| !line.starts_with("line ")).collect();
            insta::assert_snapshot!(format!("many_failures_within_{max}"), rest.join("\n"));
        }
    }

    #[test]
    fn interrupted_runs_and_builds() {
        let mut cut = report(vec![TestOutcome::new("b", TestStatus::Passed)]);
        cut.complete = false;
        assert_eq!(cut.render(4000), "Tests: 1 passed, 0 failed. The run broke off before its end.");
        cut.timed_out = true;
        cut.interrupted_in = Some("c".into());
        assert_eq!(
            cut.render(4000),
            "Tests: 1 passed, 0 failed. The run was ended at its time limit while `c` was running."
        );
        let error = CompilerError {
            file: "src/A.java".to_owned(),
            line: 3,
            column: Some(9),
            message: "cannot find symbol\n  symbol:   variable x".to_owned(),
            source_line: Some("        x();".to_owned()),
        };
        cut.timed_out = false;
        cut.build = Build::Failed { errors: vec![error], log: String::new() };
        assert_eq!(
            cut.render(4000),
            "The build failed with 1 error.\n\nsrc/A.java:3: cannot find symbol\n        x();\n        ^\n  symbol:   variable x\n"
        );
    }
}
