//! Tests by how they came out without and with the golden patch.

use std::collections::HashSet;

use patchwright_swe_bench::StatusMap;

use crate::parsers::counted;

/// The names of tests by their change from the run before the golden patch to the run after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transitions {
    /// Failed or missing before, passed after (F→P, ×→P).
    pub fail_to_pass: Vec<String>,
    /// Passed both times (P→P).
    pub pass_to_pass: Vec<String>,
    /// Failed or missing before, failed after (F→F, ×→F).
    pub fail_to_fail: Vec<String>,
    /// Passed before, failed or missing after (P→F, P→×).
    pub pass_to_fail: Vec<String>,
    /// Failed or missing before, missing after (F→×, ×→×).
    pub unmatched: Vec<String>,
}

impl Transitions {
    /// Is true if no test was seen in either run.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Compares the statuses of two runs. Passed and failed count; a test that is skipped, or that breaks off with an error, is missing.
    ///
    /// So an error before and a pass after is a change from failing to passing, an error both times is nothing, and a pass before and an
    /// error after is a change from passing to failing.
    ///
    /// Official place: `get_eval_report` in `src/grading.py`, after the correction of September 2025 (pull request 33).
    pub fn between(before: &StatusMap, after: &StatusMap) -> Self {
        let mut transitions = Self::default();
        let new = after.keys().filter(|test| !before.contains_key(*test));
        for test in before.keys().chain(new) {
            let list = match (counted(before.get(test)), counted(after.get(test))) {
                (Some(false) | None, Some(true)) => &mut transitions.fail_to_pass,
                (Some(true), Some(true)) => &mut transitions.pass_to_pass,
                (Some(false) | None, Some(false)) => &mut transitions.fail_to_fail,
                (Some(true), Some(false) | None) => &mut transitions.pass_to_fail,
                (Some(false) | None, None) => &mut transitions.unmatched,
            };
            list.push(test.clone());
        }
        transitions
    }

    /// The number of all tests.
    pub fn count(&self) -> usize {
        let Self { fail_to_pass, pass_to_pass, fail_to_fail, pass_to_fail, unmatched } = self;
        [fail_to_pass, pass_to_pass, fail_to_fail, pass_to_fail, unmatched]
            .iter()
            .map(|list| list.len())
            .sum()
    }
}

/// The names of one list that another does not have.
pub(crate) fn new_names<'a>(list: &'a [String], base: &[String]) -> Vec<&'a str> {
    let base: HashSet<&str> = base.iter().map(String::as_str).collect();
    list.iter().map(String::as_str).filter(|test| !base.contains(test)).collect()
}

/// What the predicted tests add to those that were there: the base of all measures of a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// The number of new changes from failing to passing (`added_f2p`).
    pub fail_to_pass: usize,
    /// S: some are new, none of the old ones is lost, and no test fails after that did not before.
    pub resolved: bool,
    /// F→×: some test fails before, whatever it does after.
    pub fails_before: bool,
    /// P→P: some test passes both times.
    pub pass_to_pass: bool,
}

impl Added {
    /// Compares the runs with the predicted tests with those without.
    ///
    /// Official places: `get_resolution_success` in `src/grading.py` for S; `get_actual_ftp`, `get_ftx` and `get_ptp` in
    /// `figures/util.py` for the others. Section 4 of the paper (arXiv 2406.12952) defines them.
    pub fn of(predicted: &Transitions, base: &Transitions) -> Self {
        let new = |of: fn(&Transitions) -> &Vec<String>| new_names(of(predicted), of(base)).len();
        let fail_to_pass = new(|all| &all.fail_to_pass);
        let fail_to_fail = new(|all| &all.fail_to_fail);
        let pass_to_fail = new(|all| &all.pass_to_fail);
        let keeps_base = new_names(&base.fail_to_pass, &predicted.fail_to_pass).is_empty();
        Self {
            fail_to_pass,
            resolved: keeps_base && fail_to_pass > 0 && fail_to_fail == 0 && pass_to_fail == 0,
            fails_before: fail_to_pass + fail_to_fail > 0,
            pass_to_pass: new(|all| &all.pass_to_pass) > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use patchwright_swe_bench::LoggedStatus;

    /// `a:P b:F c:E d:S`.
    fn statuses(text: &str) -> StatusMap {
        let status = |word: &str| match word {
            "P" => LoggedStatus::Passed,
            "F" => LoggedStatus::Failed,
            "E" => LoggedStatus::Error,
            _ => LoggedStatus::Skipped,
        };
        let named = text.split_whitespace().filter_map(|word| word.split_once(':'));
        named.map(|(name, word)| (name.to_owned(), status(word))).collect()
    }

    #[test]
    fn errors_and_skips_are_missing() {
        let check = |before: &str, after: &str, expect: &str| {
            let found = Transitions::between(&statuses(before), &statuses(after));
            let lists = [
                ("f2p", &found.fail_to_pass),
                ("p2p", &found.pass_to_pass),
                ("f2f", &found.fail_to_fail),
                ("p2f", &found.pass_to_fail),
                ("x", &found.unmatched),
            ];
            let told: Vec<String> = lists
                .iter()
                .filter(|(_, list)| !list.is_empty())
                .map(|(name, list)| format!("{name}={}", list.join(",")))
                .collect();
            assert_eq!(told.join(" "), expect, "{before} / {after}");
        };
        check("a:F b:P", "a:P b:P", "f2p=a p2p=b");
        check("a:E b:S", "a:P b:P c:P", "f2p=a,b,c");
        check("a:E b:F", "a:E b:E", "x=a,b");
        check("a:P b:P c:P", "a:E b:F", "p2f=a,b,c");
        check("a:F", "a:F b:F", "f2f=a,b");
    }

    #[test]
    fn tests_that_add_a_change_and_no_failure_resolve() {
        let check = |predicted: (&str, &str), base: (&str, &str), expect: (usize, bool, bool, bool)| {
            let between = |(before, after)| Transitions::between(&statuses(before), &statuses(after));
            let added = Added::of(&between(predicted), &between(base));
            let found = (added.fail_to_pass, added.resolved, added.fails_before, added.pass_to_pass);
            assert_eq!(found, expect, "{predicted:?} {base:?}");
        };
        check(("new:F", "new:P"), ("", ""), (1, true, true, false));
        check(("new:E", "new:P"), ("", ""), (1, true, true, false));
        check(("new:F old:P", "new:P old:P"), ("old:P", "old:P"), (1, true, true, false));
        check(("new:F two:F", "new:P two:F"), ("", ""), (1, false, true, false));
        check(("new:F two:P", "new:P two:P"), ("", ""), (1, true, true, true));
        // A test that passed before and is broken by the prediction.
        check(("new:F old:P", "new:P old:F"), ("old:P", "old:P"), (1, false, true, false));
        // One that the golden patch repairs anyway is lost.
        check(("new:F", "new:P"), ("old:F", "old:P"), (1, false, true, false));
        // Deleting tests that pass costs nothing.
        check(("new:F", "new:P"), ("old:P", "old:P"), (1, true, true, false));
        check(("old:F", "old:P"), ("old:F", "old:P"), (0, false, false, false));
    }
}
