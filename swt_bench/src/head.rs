//! What a log says before its tests begin: which patches git was given, which of them it refused, and so which run the log is of.

use std::fmt;

use memchr::memmem;
use patchwright_edits::diff::{FilePatch, Mark, Patch, hunk_lengths};
use patchwright_swe_bench::Row;

use crate::grade::RunKind;

/// The part of the test command with which the head ends.
const TRACED: &str = "trace.py --count -C coverage.cover";
/// The line by which scripts show that git is given a patch.
const APPLY: &str = "+ git apply -v -";
/// Lines of git's reason that are told.
const REASONS: usize = 2;

/// A patch that git was given in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenPatch {
    /// The prediction.
    Prediction,
    /// The golden tests.
    GoldenTests,
    /// The golden patch.
    GoldenPatch,
}

impl GivenPatch {
    /// The field that holds it: of a prediction, or of a row.
    pub fn field(self) -> &'static str {
        match self {
            Self::Prediction => "model_patch",
            Self::GoldenTests => "test_patch",
            Self::GoldenPatch => "patch",
        }
    }

    /// What a predicted patch is: golden tests may be predictions.
    pub(crate) fn predicted(patch: &str, row: &Row) -> Self {
        if patch == row.test_patch { Self::GoldenTests } else { Self::Prediction }
    }

    /// The same where golden tests are the predictions.
    pub(crate) fn of_row(self) -> Self {
        match self {
            Self::Prediction | Self::GoldenTests => Self::GoldenTests,
            Self::GoldenPatch => Self::GoldenPatch,
        }
    }

    /// What is told where git refuses it, with what git says.
    pub(crate) fn refused(self, reason: &str) -> String {
        format!("{self} does not apply: {reason}; {}", self.cure())
    }

    /// What to do where it does not apply.
    pub fn cure(self) -> &'static str {
        match self {
            Self::Prediction => {
                "make the diff anew with `git diff` against the case's `base_commit`, of the tests alone: a fix in it meets the golden patch, which is \
                 applied before; --tests-only leaves it out, and works out hunks that do not fit"
            }
            Self::GoldenTests | Self::GoldenPatch => {
                "`patch`, `test_patch` and `base_commit` of a row belong together: take the row as the dataset has been published"
            }
        }
    }

    /// The patches of a run, in the order in which they are applied.
    ///
    /// Official place: `make_eval_script_list` in `src/exec_spec.py`; runs without new tests are given the word `None` there.
    fn of_run(kind: RunKind) -> &'static [Self] {
        match kind {
            RunKind::PredPre => &[Self::Prediction],
            RunKind::PredPost => &[Self::GoldenPatch, Self::Prediction],
            RunKind::GoldPre => &[Self::GoldenTests],
            RunKind::GoldPost => &[Self::GoldenPatch, Self::GoldenTests],
            RunKind::BasePre => &[],
            RunKind::BasePost => &[Self::GoldenPatch],
        }
    }
}

impl fmt::Display for GivenPatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            Self::Prediction => "the prediction",
            Self::GoldenTests => "the golden tests",
            Self::GoldenPatch => "the golden patch",
        };
        write!(formatter, "{what} (field `{}`)", self.field())
    }
}

/// A patch that git refused in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedPatch {
    /// The run.
    pub run: RunKind,
    /// The patch.
    pub patch: GivenPatch,
    /// The first of what git says.
    pub reason: String,
}

impl fmt::Display for RefusedPatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.run.name(), self.patch.refused(&self.reason))
    }
}

/// The first lines of what git says against a patch; none where it says nothing.
pub(crate) fn reason(said: &str) -> Option<String> {
    let errors = said.lines().filter_map(|line| line.strip_prefix("error: "));
    let told: Vec<&str> = errors.filter(|line| *line != "while searching for:").take(REASONS).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// The head of a log.
#[derive(Clone, Debug)]
pub(crate) struct LogHead<'a> {
    text: &'a str,
    /// What git says of each patch that it was given.
    said: Vec<&'a str>,
}

impl<'a> LogHead<'a> {
    /// That of a log of SWT-Bench.
    pub(crate) fn of(log: &'a str) -> Self {
        let text = memmem::find(log.as_bytes(), TRACED.as_bytes()).map_or(log, |at| &log[..at]);
        Self { text, said: sections(text, APPLY) }
    }

    /// What git says against the first patch.
    pub(crate) fn first_refusal(&self) -> Option<String> {
        self.said.first().and_then(|said| reason(said))
    }

    /// The patches that git refused in it, as that of a run.
    pub(crate) fn refused(&self, run: RunKind) -> Vec<RefusedPatch> {
        let given = GivenPatch::of_run(run).iter().zip(&self.said);
        given
            .filter_map(|(patch, said)| Some(RefusedPatch { run, patch: *patch, reason: reason(said)? }))
            .collect()
    }

    /// Is true if it shows that the golden patch was applied, and false if it shows that it was not. `tests` are applied in the run.
    fn has_fix(&self, row: &Row, tests: Option<&str>) -> Option<bool> {
        let of_tests = tests.map(paths).unwrap_or_default();
        let own: Vec<String> =
            paths(&row.patch).into_iter().filter(|path| !of_tests.contains(path)).collect();
        if own.is_empty() {
            return None;
        }
        let names = |path: &String| {
            let looked = [format!("Checking patch {path}..."), format!("Applied patch {path} ")];
            self.said.iter().any(|said| looked.iter().any(|line| said.contains(line.as_str())))
        };
        if own.iter().any(names) {
            return Some(true);
        }
        match (self.said.as_slice(), tests) {
            ([], None) => self.text.contains("\n+ git status\n").then_some(false),
            ([said], Some(_)) => said.contains("Checking patch ").then_some(false),
            ([said], None) => said.contains("o valid patches in input").then_some(false),
            _ => None,
        }
    }

    /// What is told where it is of a run with the golden patch and should be of one without, or the other way round.
    pub(crate) fn of_another_run(&self, run: RunKind, row: &Row, predicted: &str) -> Option<String> {
        let tests = match run {
            RunKind::PredPre | RunKind::PredPost => Some(predicted),
            RunKind::GoldPre | RunKind::GoldPost => Some(row.test_patch.as_str()),
            RunKind::BasePre | RunKind::BasePost => None,
        };
        exchanged(self.has_fix(row, tests), run.has_fix())
    }
}

/// What is told of a log whose head shows whether the golden patch was applied, and should show the contrary.
fn exchanged(shown: Option<bool>, wanted: bool) -> Option<String> {
    let words = |with: bool| if with { "with" } else { "without" };
    shown.filter(|shown| *shown != wanted).map(|shown| {
        format!(
            "the log is of a run {} the golden patch, and that of the run {} it belongs here: the two are exchanged",
            words(shown),
            words(wanted)
        )
    })
}

/// The same for a log of TDD-Bench, where the golden patch is applied before the script begins, which then shows it as a difference
/// from the base commit.
pub(crate) fn of_another_tdd_run(log: &str, row: &Row, after: bool) -> Option<String> {
    let shown = sections(log, &format!("+ git diff {}", row.base_commit));
    exchanged(shown.first().and_then(|said| shows_fix(said, &row.patch)), after)
}

/// Is true if all lines that a patch changes in files that are there stand in a diff, and false if none does.
fn shows_fix(shown: &str, patch: &str) -> Option<bool> {
    let files = Patch::readable(patch.as_bytes()).files;
    let there = files.iter().filter(|file| file.old_path().is_some());
    let lines = there.flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.lines);
    let changed: Vec<String> = lines
        .filter_map(|line| {
            let sign = match line.mark {
                Mark::Same => return None,
                Mark::Removed => '-',
                Mark::Added => '+',
            };
            Some(format!("{sign}{}", String::from_utf8_lossy(&line.bytes).trim_end()))
        })
        .filter(|line| line.trim().len() > 1)
        .collect();
    let shown: Vec<&str> = shown.lines().map(str::trim_end).collect();
    let found = changed.iter().filter(|line| shown.contains(&line.as_str())).count();
    match found {
        _ if changed.is_empty() => None,
        0 => Some(false),
        _ if found == changed.len() => Some(true),
        _ => None,
    }
}

/// What a script prints after each of its lines that reads so, up to the next line that it shows.
fn sections<'a>(text: &'a str, command: &str) -> Vec<&'a str> {
    let line = format!("{command}\n");
    let starts = memmem::find_iter(text.as_bytes(), line.as_bytes())
        .filter(|at| *at == 0 || text.as_bytes()[at - 1] == b'\n')
        .map(|at| at + line.len());
    starts.map(|start| before_next_command(&text[start..])).collect()
}

/// What stands before the next line that a script shows. A line that a diff adds may begin as one, and is none.
fn before_next_command(text: &str) -> &str {
    let (mut end, mut old, mut new) = (0, 0_u32, 0_u32);
    for line in text.split_inclusive('\n') {
        if old + new > 0 {
            let sign = line.as_bytes().first();
            old = old.saturating_sub(u32::from(!matches!(sign, Some(b'+' | b'\\'))));
            new = new.saturating_sub(u32::from(!matches!(sign, Some(b'-' | b'\\'))));
        } else if line.starts_with("+ ") {
            break;
        } else if let Some(lengths) = hunk_lengths(line.as_bytes()) {
            (old, new) = lengths;
        }
        end += line.len();
    }
    &text[..end]
}

fn paths(patch: &str) -> Vec<String> {
    let path = |file: &FilePatch| file.new_path().or_else(|| file.old_path()).map(str::to_owned);
    Patch::readable(patch.as_bytes()).files.iter().filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIX: &str = "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-a\n+b\n";
    const TESTS: &str = "diff --git a/tests/test_m.py b/tests/test_m.py\n--- a/tests/test_m.py\n+++ b/tests/test_m.py\n@@ -1 +1 @@\n-a\n+b\n";

    fn row() -> Row {
        Row {
            patch: FIX.to_owned(),
            test_patch: TESTS.to_owned(),
            base_commit: "abc".to_owned(),
            ..Row::default()
        }
    }

    /// What git says of a patch of this file.
    fn applied(path: &str) -> String {
        format!("+ git apply -v -\nChecking patch {path}...\nApplied patch {path} cleanly.\n")
    }

    const END: &str = "+ python3 /root/trace.py --count -C coverage.cover -m pytest\n";

    #[test]
    fn a_log_of_the_run_with_the_fix_is_told_from_that_without() {
        let (fix, tests) = (applied("m.py"), applied("tests/test_m.py"));
        let check = |log: &str, run: RunKind, expect: Option<&str>| {
            let told = LogHead::of(log).of_another_run(run, &row(), TESTS);
            assert_eq!(told.is_some(), expect.is_some(), "{run:?} {log}: {told:?}");
            assert!(told.unwrap_or_default().contains(expect.unwrap_or_default()), "{run:?} {log}");
        };
        let (before, after) = (format!("{tests}{END}"), format!("{fix}{tests}{END}"));
        for (pre, post) in [(RunKind::PredPre, RunKind::PredPost), (RunKind::GoldPre, RunKind::GoldPost)] {
            check(&before, pre, None);
            check(&after, post, None);
            check(&after, pre, Some("of a run with the golden patch"));
            check(&before, post, Some("of a run without the golden patch"));
        }
        let none = "+ git apply -v -\nerror: No valid patches in input (allow with \"--allow-empty\")\n";
        let own = format!("+ cd /testbed\n+ git status\n{END}");
        for (without, with) in
            [(own.clone(), format!("{own}{fix}")), (none.to_owned(), format!("{fix}{none}"))]
        {
            // Behind the test command nothing counts.
            let with = with.replace(END, "") + END;
            check(&without, RunKind::BasePre, None);
            check(&with, RunKind::BasePost, None);
            check(&with, RunKind::BasePre, Some("with the golden patch"));
            check(&without, RunKind::BasePost, Some("without the golden patch"));
        }
        // A log that does not show its commands says nothing.
        check("PASSED a\n", RunKind::PredPost, None);
        check("+ git apply -v -\nerror: corrupt patch at line 7\n", RunKind::PredPost, None);
    }

    #[test]
    fn a_log_of_tdd_bench_shows_the_fix_as_a_difference() {
        let check = |diff: &str, after: bool, expect: bool| {
            let log = format!("+ git status\n+ git diff abc\n{diff}+ source activate\nPASSED a\n");
            assert_eq!(of_another_tdd_run(&log, &row(), after).is_some(), expect, "{log} {after}");
        };
        check("", false, false);
        check(FIX, true, false);
        check(FIX, false, true);
        check("", true, true);
        assert_eq!(of_another_tdd_run("PASSED a\n", &row(), true), None);
        let head = "diff --git a/m.py b/m.py\n--- a/m.py\n+++ b/m.py\n";
        for hunk in [
            // A line that the fix adds looks like one that the script shows.
            "@@ -1,2 +1,4 @@\n def f():\n+    if x:\n+        return 1\n     return 2\n",
            "@@ -1,2 +1 @@\n- a = 1\n b = 2\n",
            "@@ -1,3 +1 @@\n-- a\n-+ a\n b = 2\n",
            "@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n b = 2\n",
        ] {
            let patch = format!("{head}{hunk}");
            let log = format!("+ git diff abc\n{patch}+ source activate\n");
            let row = Row { patch, ..row() };
            let told = [true, false].map(|after| of_another_tdd_run(&log, &row, after).is_some());
            assert_eq!(told, [false, true], "{hunk}");
        }
    }

    #[test]
    fn a_refused_patch_is_named_with_gits_reason() {
        let refused = "+ git apply -v -\nChecking patch m.py...\nerror: while searching for:\na\n\nerror: patch failed: m.py:1\nerror: m.py: patch does not apply\n";
        let check = |log: &str, run: RunKind, expect: &[&str]| {
            let told: Vec<String> = LogHead::of(log).refused(run).iter().map(ToString::to_string).collect();
            assert_eq!(told.len(), expect.len(), "{run:?}: {told:?}");
            for (told, expect) in told.iter().zip(expect) {
                assert!(told.starts_with(expect), "{told}");
            }
        };
        let why = "does not apply: patch failed: m.py:1; m.py: patch does not apply; ";
        check(
            refused,
            RunKind::PredPre,
            &[&format!("pred_pre: the prediction (field `model_patch`) {why}make")],
        );
        check(
            refused,
            RunKind::GoldPre,
            &[&format!("gold_pre: the golden tests (field `test_patch`) {why}`patch`")],
        );
        check(refused, RunKind::PredPost, &[&format!("pred_post: the golden patch (field `patch`) {why}")]);
        check(&format!("{}{refused}", applied("a.py")), RunKind::PredPost, &["pred_post: the prediction"]);
        check(refused, RunKind::BasePre, &[]);
        check(&applied("m.py"), RunKind::PredPre, &[]);
    }
}
