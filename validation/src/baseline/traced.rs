//! The tests that say most about where a bug is, where all of them take too long to be recorded before anything is tried.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use patchwright_protocol::TestId;

use super::Baseline;

/// Suites whose tests took no longer than this are recorded whole. Recording can make tests ten times as slow.
const WHOLE: f64 = 0.6;
/// The same for suites of few tests, which say little when some are missing.
const WHOLE_OF_FEW: f64 = 1.2;
const FEW: usize = 80;
/// The seconds of the passing tests that are recorded of others, and of the failing ones.
const PART: f64 = 0.3;
/// The seconds that each test takes at least, besides itself: a recording has so many lines to write.
const EACH: f64 = 0.001;

/// The tests whose coverage is recorded; `None` for all of them.
///
/// One failing test shows where a bug may be, the quickest as well as another. Passing tests that stand beside it execute the same code:
/// what they execute too is less suspicious, and that is what most of the ranking rests on.
pub(super) fn tests_to_trace(baseline: &Baseline) -> Option<BTreeSet<TestId>> {
    let took = &baseline.report.test_seconds;
    let unknown = baseline.passing.iter().filter(|test| !took.contains_key(*test)).count();
    let known: f64 = took.values().sum();
    // The rest is the build and the start of the tools, where the time of each test is known.
    let rest = if unknown == 0 { 0.0 } else { (baseline.report.seconds - known).max(0.0) };
    let count = baseline.passing.len();
    let whole = if count <= FEW { WHOLE_OF_FEW } else { WHOLE };
    if known + rest + EACH * count as f64 <= whole {
        return None;
    }
    let average = rest / unknown.max(1) as f64;
    let seconds = |test: &TestId| took.get(test).copied().unwrap_or(average) + EACH;
    let mut failing: Vec<&TestId> = baseline.failing.iter().collect();
    failing.sort_by(|one, other| seconds(one).total_cmp(&seconds(other)));
    let quickest = failing.first().map_or(0.0, |test| seconds(test));
    let failing = affordable(failing, quickest.max(PART), seconds);
    let shown: Vec<(Vec<&str>, usize)> =
        failing.iter().take(MOST_FAILING).map(|test| (test.parts(), place(baseline, test))).collect();
    let mut passing: Vec<(Reverse<usize>, usize, &TestId)> = baseline
        .passing
        .iter()
        .map(|test| {
            let (own, at) = (test.parts(), place(baseline, test));
            let near = |(other, place): &(Vec<&str>, usize)| {
                let shared = own.iter().zip(other).take_while(|(own, other)| own == other).count();
                (Reverse(shared), at.abs_diff(*place))
            };
            let (shared, apart) = shown.iter().map(near).min().unwrap_or((Reverse(0), 0));
            (shared, apart, test)
        })
        .collect();
    passing.sort();
    let passing = affordable(passing.into_iter().map(|(_, _, test)| test), PART, seconds);
    Some(failing.into_iter().chain(passing).cloned().collect())
}

/// Those that take no more seconds together, the first ones first.
fn affordable<'a>(
    tests: impl IntoIterator<Item = &'a TestId>,
    mut left: f64,
    seconds: impl Fn(&TestId) -> f64,
) -> Vec<&'a TestId> {
    let mut chosen = Vec::new();
    for test in tests {
        let takes = seconds(test);
        if takes <= left {
            left -= takes;
            chosen.push(test);
        }
    }
    chosen
}

/// Failing tests that are compared with; where hundreds fail they stand everywhere.
const MOST_FAILING: usize = 50;

/// Where a test stands among all.
fn place(baseline: &Baseline, test: &TestId) -> usize {
    baseline.report.outcomes.partition_point(|outcome| outcome.id < *test)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::baseline::testing::baseline_of;

    #[test]
    fn quick_suites_are_recorded_whole() {
        let check = |seconds: &[f64], count: usize, whole: bool| {
            let names: Vec<String> = (0..count).map(|number| format!("t.py::test_{number:03}")).collect();
            let times = seconds.iter().copied().chain(std::iter::repeat(0.0));
            let passing: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(times).collect();
            let found = tests_to_trace(&baseline_of(&["t.py::bug"], &passing));
            assert_eq!(found.is_none(), whole, "{seconds:?} of {count}");
        };
        check(&[0.3, 0.8], 2, true);
        check(&[0.3, 1.0], 2, false);
        check(&[0.2, 0.2], 100, true);
        check(&[0.2, 0.4], 100, false);
        check(&[], 700, false);
    }

    #[test]
    fn of_others_those_beside_the_failing_ones_are_as_long_as_it_pays() {
        let baseline = baseline_of(
            &["t/a.py::One::bug"],
            &[
                ("t/a.py::One::near", 0.05),
                ("t/a.py::One::slow", 30.0),
                ("t/a.py::Two::next", 0.15),
                ("t/b.py::far", 0.05),
                ("u/c.py::farther", 0.1),
            ],
        );
        let names: Vec<String> = tests_to_trace(&baseline).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(names, ["t/a.py::One::bug", "t/a.py::One::near", "t/a.py::Two::next", "t/b.py::far"]);
    }

    #[test]
    fn of_failing_tests_the_quickest_are_recorded() {
        let check = |seconds: &[f64], wanted: &[usize]| {
            let names: Vec<String> =
                (0..seconds.len()).map(|number| format!("t.py::test_{number}")).collect();
            let failing: Vec<&str> = names.iter().map(String::as_str).collect();
            let mut baseline = baseline_of(&failing, &[("t.py::slow", 30.0)]);
            let took = baseline.failing.iter().cloned().zip(seconds.iter().copied());
            baseline.report.test_seconds.extend(took);
            let chosen: Vec<TestId> = tests_to_trace(&baseline).unwrap().into_iter().collect();
            let wanted: Vec<TestId> = wanted.iter().map(|number| baseline.failing[*number].clone()).collect();
            assert_eq!(chosen, wanted, "{seconds:?}");
        };
        check(&[5.0, 0.1, 0.1, 0.2], &[1, 2]);
        check(&[5.0, 4.0], &[1]);
    }
}
