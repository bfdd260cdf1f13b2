//! Comparing a run with what was before.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_protocol::{StandIn, TestId};
use patchwright_syntax::pattern::{Pattern, pattern};
use patchwright_test_results::{OUTSIDE, TestOutcome, TestReport, TestStatus, is_member};

use crate::baseline::Baseline;

/// The file that stands there for the whole run.
const WHOLE_RUN: &str = "package.json";

/// The state of a test after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestState {
    Passes,
    Fails,
    /// It did not run, or was skipped.
    Missing,
}

/// The state of a test after a run. A module or class that failed as a whole passes when its tests do.
pub(crate) fn state_of(report: &TestReport, test: &TestId) -> TestState {
    if let Some(outcome) = report.outcome(test) {
        return match outcome.status {
            TestStatus::Passed => TestState::Passes,
            TestStatus::Failed | TestStatus::Error => TestState::Fails,
            TestStatus::Skipped => TestState::Missing,
        };
    }
    let members = report.outcomes.iter().filter(|outcome| is_member(&outcome.id, test));
    let members: Vec<TestStatus> = members.map(|outcome| outcome.status).collect();
    if members.iter().any(|status| status.is_failing()) {
        return TestState::Fails;
    }
    let nothing_outside = || {
        test.as_str().strip_suffix(OUTSIDE).map(TestId::new).is_some_and(|file| {
            let is_run = file.as_str() == WHOLE_RUN && report.complete;
            report.outcomes.iter().any(|outcome| is_run || is_member(&outcome.id, &file))
        })
    };
    if members.contains(&TestStatus::Passed) || passes_unnamed(report) || nothing_outside() {
        return TestState::Passes;
    }
    TestState::Missing
}

/// Is true if a test that a run does not name has passed: the tool only names those that fail.
fn passes_unnamed(report: &TestReport) -> bool {
    report.complete && report.unlisted_passed > 0
}

/// A run beside the baseline.
struct Comparison<'a> {
    report: &'a TestReport,
    /// The tests that a candidate need not bring to pass, or that were failing before.
    excluded: BTreeSet<&'a TestId>,
    /// Tests whose names are made of what differs from run to run, such as the time: the name in the report, and the one
    /// before. Without this such a test would be missing and another be new in every run.
    renamed: BTreeMap<&'a TestId, &'a TestId>,
}

impl<'a> Comparison<'a> {
    fn of(baseline: &'a Baseline, report: &'a TestReport) -> Self {
        let Baseline { failing, known_failing, flaky, set_aside, left_out, .. } = baseline;
        let uncounted = known_failing.iter().chain(flaky).chain(set_aside).chain(left_out);
        let excluded = failing.iter().chain(uncounted).collect();
        Self { report, excluded, renamed: renamed(&baseline.report, report) }
    }

    fn is_excluded(&self, test: &TestId) -> bool {
        self.excluded.contains(test) || self.excluded.iter().any(|group| is_member(test, group))
    }

    /// The tests that fail and did not before.
    fn failing(&self) -> impl Iterator<Item = TestId> {
        let is_new = |test: &TestId| !self.is_excluded(self.renamed.get(test).copied().unwrap_or(test));
        // One that is marked to fail and passes breaks nothing: its mark is what is outdated.
        let breaks =
            |test: &TestId| !self.report.outcome(test).is_some_and(TestOutcome::is_unexpected_success);
        self.report.failing().into_iter().filter(is_new).filter(breaks)
    }

    /// Is true if a test did not run that passed before, by that name or another.
    fn misses(&self, test: &TestId) -> bool {
        state_of(self.report, test) == TestState::Missing
            && !self.is_excluded(test)
            && !self.renamed.values().any(|name| *name == test)
    }
}

/// The tests of a report that had another name before, with that name.
fn renamed<'a>(before: &'a TestReport, report: &'a TestReport) -> BTreeMap<&'a TestId, &'a TestId> {
    let ids = |report: &'a TestReport| report.outcomes.iter().map(|outcome| &outcome.id);
    let fresh: Vec<&TestId> = ids(report).filter(|id| before.outcome(id).is_none()).collect();
    // As nearly always; and most runs are of a few tests, to which all others are missing.
    if fresh.is_empty() {
        return BTreeMap::new();
    }
    let mut gone: BTreeMap<String, Vec<&TestId>> = BTreeMap::new();
    for id in ids(before).rev().filter(|id| report.outcome(id).is_none()) {
        gone.entry(unnumbered(id)).or_default().push(id);
    }
    let pair = |id: &'a TestId| Some((id, gone.get_mut(&unnumbered(id))?.pop()?));
    fresh.into_iter().filter_map(pair).collect()
}

/// A name with its numbers, addresses and random words left out.
fn unnumbered(test: &TestId) -> String {
    static NUMBER: Pattern = pattern!(
        r"(?x)
        0x[0-9a-fA-F]+                                              # an address
        | [0-9a-fA-F]{8} (?:-?[0-9a-fA-F]{4}){3} -?[0-9a-fA-F]{12}  # a UUID
        | -?\d+(?:\.\d+)?e[-+]?\d+
        | \b0\.[0-9a-z]{5,}                                         # a fraction by all digits and letters
        | \b[a-z]*\d+[a-z]+\d[0-9a-z]*                             # its digits alone
        | -?\d+(?:\.\d+)?
        "
    );
    NUMBER.replace_all(test.as_str(), "#").into_owned()
}

/// The names in a report of those of some tests that had another one before, by that.
pub(crate) fn names_now<'a>(
    before: &'a TestReport,
    tests: &[TestId],
    report: &'a TestReport,
) -> BTreeMap<&'a TestId, &'a TestId> {
    if tests.is_empty() {
        return BTreeMap::new();
    }
    let pairs = renamed(before, report).into_iter().map(|(now, before)| (before, now));
    pairs.filter(|(before, _)| tests.contains(before)).collect()
}

/// The tests that show the bug and do not pass in a report. The names of some differ from run to run.
pub(crate) fn still_failing(baseline: &Baseline, report: &TestReport) -> Vec<TestId> {
    let now = names_now(&baseline.report, &baseline.unrepeatable, report);
    let fails =
        |test: &&TestId| state_of(report, now.get(*test).copied().unwrap_or(test)) != TestState::Passes;
    baseline.failing.iter().filter(fails).cloned().collect()
}

/// The tests whose names differ from run to run, if each has the same name in both of these runs: a change has put others in their place.
pub(crate) fn replaced(baseline: &Baseline, one: &TestReport, other: &TestReport) -> Vec<TestId> {
    let names = |report| names_now(&baseline.report, &baseline.unrepeatable, report);
    let (one, other) = (names(one), names(other));
    if one == other { one.into_keys().cloned().collect() } else { Vec::new() }
}

/// The tests that fail in a report, which need not be of a whole run, and did not before.
pub(crate) fn failing_newly(baseline: &Baseline, report: &TestReport) -> Vec<TestId> {
    Comparison::of(baseline, report).failing().collect()
}

/// The tests that should pass and do not: failing now and not before, or passing before and missing now.
pub(crate) fn newly_failing(baseline: &Baseline, report: &TestReport) -> Vec<TestId> {
    let comparison = Comparison::of(baseline, report);
    let mut found: BTreeSet<TestId> = comparison.failing().collect();
    found.extend(baseline.passing.iter().filter(|test| comparison.misses(test)).cloned());
    let ran = |report: &TestReport| report.passed() + report.failing().len();
    if baseline.report.unlisted_passed > 0 && ran(report) < ran(&baseline.report) {
        found.insert(StandIn::MissingTests.into());
    }
    found.into_iter().collect()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::baseline::testing::baseline_of;
    use patchwright_test_results::Build;
    use patchwright_test_results::{SURPRISE, TestOutcome};

    const P: TestStatus = TestStatus::Passed;
    const F: TestStatus = TestStatus::Failed;
    const E: TestStatus = TestStatus::Error;
    const S: TestStatus = TestStatus::Skipped;

    fn report(outcomes: &[(&str, TestStatus)], unlisted_passed: usize) -> TestReport {
        let mut outcomes: Vec<_> =
            outcomes.iter().map(|(id, status)| TestOutcome::new(*id, *status)).collect();
        outcomes.sort_by(|one, other| one.id.cmp(&other.id));
        TestReport {
            build: Build::NotNeeded,
            outcomes,
            unlisted_passed,
            timed_out: false,
            interrupted_in: None,
            ended_last: None,
            collected: None,
            collected_in: std::collections::BTreeMap::new(),
            elsewhere: None,
            complete: true,
            ending: "status 0".to_owned(),
            log: String::new(),
            seconds: 0.0,
            test_seconds: std::collections::BTreeMap::new(),
            bent: std::collections::BTreeSet::new(),
            unread: std::collections::BTreeSet::new(),
        }
    }

    fn baseline(failing: &[&str], known: &[&str], before: TestReport) -> Baseline {
        let ids = |names: &[&str]| names.iter().map(|name| TestId::new(*name)).collect();
        Baseline {
            passing: before.passing(),
            report: before,
            known_failing: ids(known),
            ..baseline_of(failing, &[])
        }
    }

    #[test]
    fn what_became_of_a_test() {
        let check = |outcomes: &[(&str, TestStatus)], unlisted: usize, test: &str, expect: TestState| {
            assert_eq!(
                state_of(&report(outcomes, unlisted), &TestId::new(test)),
                expect,
                "{outcomes:?} {test}"
            );
        };
        check(&[("a", P)], 0, "a", TestState::Passes);
        check(&[("a", E)], 0, "a", TestState::Fails);
        check(&[("a", S)], 0, "a", TestState::Missing);
        check(&[], 0, "a", TestState::Missing);
        check(&[], 3, "a", TestState::Passes);
        check(&[("t.py::a", P), ("t.py::b", P)], 0, "t.py", TestState::Passes);
        check(&[("t.py::a", P), ("t.py::b", F)], 0, "t.py", TestState::Fails);
        check(&[("t.py::a", S)], 0, "t.py", TestState::Missing);
        check(&[("t.js::a", P)], 0, "t.js::outside of its tests", TestState::Passes);
        check(&[("t.js::outside of its tests", E)], 0, "t.js::outside of its tests", TestState::Fails);
        check(&[("s.js::a", P)], 0, "t.js::outside of its tests", TestState::Missing);
    }

    #[test]
    fn a_test_that_is_marked_to_fail_and_passes_breaks_nothing() {
        let before = baseline(&[], &[], report(&[("ok", P), ("marked", S)], 0));
        for message in ["[XPASS(strict)] a known bug", "Failed: [XPASS(strict)]", SURPRISE] {
            let mut after = report(&[("ok", P), ("marked", F)], 0);
            assert_eq!(newly_failing(&before, &after), [TestId::new("marked")]);
            for outcome in &mut after.outcomes {
                outcome.message = (outcome.status == F).then(|| message.to_owned());
            }
            assert_eq!(newly_failing(&before, &after), []);
        }
    }

    #[test]
    fn tests_that_are_called_outdated_need_not_have_passed() {
        let before = baseline(&[], &[], report(&[("ok", P), ("old", P)], 0));
        let after = report(&[("ok", P), ("old", F), ("new[hk]", F)], 0);
        let outdated = [TestId::new("old"), TestId::new("new[hk]")];
        assert_eq!(newly_failing(&before.without(&outdated), &after), []);
        assert_eq!(newly_failing(&before.without(&outdated[..1]), &after), outdated[1..]);
    }

    #[test]
    fn a_test_whose_name_differs_from_run_to_run_passes_by_its_new_name() {
        let before = report(&[("t::now[12:30]", F), ("t::size[1]", F), ("ok", P)], 0);
        let ids = |names: &[&str]| names.iter().map(|name| TestId::new(*name)).collect();
        let before = Baseline {
            unrepeatable: ids(&["t::now[12:30]"]),
            ..baseline(&["t::now[12:30]", "t::size[1]"], &[], before)
        };
        let check = |outcomes: &[(&str, TestStatus)], expect: &[&str]| {
            let found = still_failing(&before, &report(outcomes, 0));
            assert_eq!(found, ids(expect), "{outcomes:?}");
        };
        check(&[("t::now[12:31]", P), ("t::size[1]", P), ("ok", P)], &[]);
        check(&[("t::now[12:31]", F), ("t::size[1]", P), ("ok", P)], &["t::now[12:30]"]);
        check(&[("t::size[1]", P), ("ok", P)], &["t::now[12:30]"]);
        // That one was there by its name, so what has another is another test.
        check(&[("t::now[12:31]", P), ("t::size[2]", P), ("ok", P)], &["t::size[1]"]);
        let named = |name: &str| report(&[(name, P), ("t::size[1]", P), ("ok", P)], 0);
        let replaced = |one: &str, other: &str| replaced(&before, &named(one), &named(other)).len();
        assert_eq!(replaced("t::now[12:31]", "t::now[12:32]"), 0);
        assert_eq!(replaced("t::now[12:31]", "t::now[12:31]"), 1);
    }

    #[test]
    fn what_differs_from_run_to_run_is_no_part_of_a_name() {
        let check = |one: &str, other: &str, is_same: bool| {
            let [left, right] = [one, other].map(|name| unnumbered(&TestId::new(name)));
            assert_eq!(left == right, is_same, "{left} {right}");
        };
        check("t[-5]", "t[17]", true);
        check("t[1e-05]", "t[0.5]", true);
        check("t[0x7fa0]", "t[0x5fb1]", true);
        check("t[6fa459ea-ee8a-4ca4-894e-db77e160355e]", "t[16fd2706-8baf-433b-82eb-8c7fada847da]", true);
        check("t[6fa459eaee8a4ca4894edb77e160355e]", "t[16fd27068baf433b82eb8c7fada847da]", true);
        check("t.js::is 0.k3j5x9z", "t.js::is 0.9ab2czq", true);
        check("t.js::is 544zb226e95", "t.js::is q9k1x0", true);
        check("t[2026-01-02]", "t[2026-11-30]", true);
        check("t::adds[1]", "t::takes[1]", false);
        check("t[decade]", "t[facade]", false);
    }

    #[test]
    fn what_fails_newly() {
        let check = |before: &Baseline, after: TestReport, expect: &[&str]| {
            let found = newly_failing(before, &after);
            let found: Vec<_> = found.iter().map(TestId::as_str).collect();
            assert_eq!(found, expect);
        };
        let before =
            baseline(&["bug"], &["old"], report(&[("bug", F), ("old", F), ("ok", P), ("skip", S)], 0));
        check(&before, report(&[("bug", P), ("old", F), ("ok", P), ("skip", S)], 0), &[]);
        check(&before, report(&[("bug", P), ("old", P), ("ok", F), ("new", P)], 0), &["ok"]);
        check(&before, report(&[("bug", P)], 0), &["ok"]);
        check(&before, report(&[("bug", P), ("ok", S)], 0), &["ok"]);
        check(&before, report(&[("bug", P), ("ok", P), ("new", E)], 0), &["new"]);
        // A module that could be imported again: its tests are those that show the bug.
        let before = baseline(&["t.py"], &[], report(&[("t.py", E), ("ok", P)], 0));
        check(&before, report(&[("t.py::a", F), ("ok", P)], 0), &[]);
        // Names that are made of the time: one passes, one failed before too, one is really gone.
        let before = baseline(
            &[],
            &["t::b[at 12:30]"],
            report(
                &[
                    ("t::a[2026-01-02 12:30]", P),
                    ("t::b[at 12:30]", F),
                    ("t::c[0x7fa0]", P),
                    ("t::c[0x7fb0]", P),
                ],
                0,
            ),
        );
        let now = [("t::a[2026-01-03 00:00]", P), ("t::b[at 12:31]", F), ("t::c[0x5fa0]", P)];
        check(&before, report(&now, 0), &["t::c[0x7fb0]"]);
        let now = [("t::a[2026-01-03 00:00]", F), ("t::b[at 12:31]", F), ("t::c[0x1]", P), ("t::c[0x2]", P)];
        check(&before, report(&now, 0), &["t::a[2026-01-03 00:00]"]);
        // Where passing tests have no names, their number counts.
        let before = baseline(&["bug"], &[], report(&[("bug", F)], 10));
        check(&before, report(&[], 11), &[]);
        check(&before, report(&[], 4), &[StandIn::MissingTests.word()]);
    }
}
