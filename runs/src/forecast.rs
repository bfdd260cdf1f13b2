//! What a run will need, by what earlier ones needed.

use std::collections::BTreeMap;

use patchwright_suites::Case;
use serde::Serialize;

use super::budget::SpendingCap;
use super::files;
use super::folder::RunRecord;
use super::memory::PeakMemory;

/// Cases of a project from which its own mean is better than that of all.
const ENOUGH: usize = 3;

/// What a run is to do.
#[derive(Clone, Debug, Default)]
pub struct Planned {
    /// Its cases.
    pub cases: Vec<Case>,
    /// Cases worked on at once on each machine.
    pub workers: usize,
    /// Builds and tests at once on each machine.
    pub tests: usize,
    /// Machines.
    pub nodes: usize,
    /// What each session may spend.
    pub session: SpendingCap,
    /// What the run may spend.
    pub run: SpendingCap,
    /// The most that a command may take of memory, in bytes.
    pub command_memory: u64,
}

/// What a run will need.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// Sessions, one for each case.
    pub sessions: usize,
    /// Attempts of earlier runs that it is made of.
    pub known: usize,
    /// Cases of which an earlier run knows the very same.
    pub same: usize,
    /// Seconds of all sessions one after the other.
    pub session_seconds: Option<Estimate>,
    /// Seconds until the last has ended.
    pub seconds: Option<Estimate>,
    /// Tokens in and out.
    pub tokens: Option<Estimate>,
    /// US dollars.
    pub usd: Option<Estimate>,
    /// Bytes of what sessions write.
    pub bytes: Option<Estimate>,
    /// Bytes of memory that a machine needs, and all together.
    pub memory: MemoryForecast,
}

/// An expected value, with what it is in 19 of 20 runs where sessions are like those of earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The expected value; none where no earlier run tells.
    pub expected: Option<f64>,
    /// The lower bound.
    pub from: f64,
    /// The upper bound; infinite is none.
    pub to: Option<f64>,
    /// The most that limits allow, where there are some.
    pub at_most: Option<f64>,
}

/// Memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MemoryForecast {
    /// Of a machine, where every command takes as much as the largest of earlier runs; none where none tells.
    pub node: Option<u64>,
    /// The most that a machine's commands may take before they are ended.
    pub node_at_most: u64,
    /// Machines.
    pub nodes: usize,
}

/// The figures of an attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Needed {
    seconds: Option<f64>,
    tokens: f64,
    usd: Option<f64>,
    bytes: f64,
}

impl Forecast {
    /// Of a planned run, by attempts of earlier ones that ended with an answer. It reads the folders of these.
    pub fn of(planned: &Planned, earlier: &[RunRecord], projects: &BTreeMap<String, String>) -> Self {
        let mut by_case: BTreeMap<&str, Vec<Needed>> = BTreeMap::new();
        for run in earlier {
            for case in &run.file.cases {
                let known = by_case.entry(case).or_default();
                for needed in needed(run, case) {
                    // A run may be named twice, or beside one that it was put together in.
                    if !known.contains(&needed) {
                        known.push(needed);
                    }
                }
            }
        }
        let mut by_project: BTreeMap<&str, Vec<Needed>> = BTreeMap::new();
        for (case, needed) in &by_case {
            if let Some(project) = projects.get(*case) {
                by_project.entry(project).or_default().extend(needed);
            }
        }
        let all: Vec<Needed> = by_case.values().flatten().copied().collect();
        let samples = |case: &Case| {
            let same = by_case.get(case.id.as_str()).filter(|known| !known.is_empty());
            let project = || by_project.get(case.project.as_str()).filter(|known| known.len() >= ENOUGH);
            same.or_else(project).unwrap_or(&all)
        };
        let count = planned.cases.len();
        let sum = |value: fn(&Needed) -> Option<f64>, of_session: Option<f64>, of_run: Option<f64>| {
            let groups =
                planned.cases.iter().map(|case| samples(case).iter().filter_map(value).collect::<Vec<f64>>());
            let of_sessions = of_session.map(|most| most * count as f64);
            let at_most = [of_sessions, of_run].into_iter().flatten().min_by(f64::total_cmp);
            Estimate::of_sum(groups, at_most)
        };
        let session_seconds = sum(|needed| needed.seconds, planned.session.seconds, None);
        let at_once = (planned.workers.max(1) * planned.nodes.max(1)).min(count.max(1));
        let mean = |case| {
            let known: Vec<f64> = samples(case).iter().filter_map(|needed| needed.seconds).collect();
            known.iter().sum::<f64>() / known.len().max(1) as f64
        };
        let longest = planned.cases.iter().map(mean).max_by(f64::total_cmp);
        let peak = earlier.iter().filter_map(|run| run.ledger.memory).reduce(PeakMemory::most);
        let at_once_here = planned.tests.max(1) as u64;
        Self {
            sessions: count,
            known: all.len(),
            same: planned
                .cases
                .iter()
                .filter(|case| by_case.get(case.id.as_str()).is_some_and(|it| !it.is_empty()))
                .count(),
            seconds: session_seconds.map(|all| all.shared(at_once, longest, planned.run.seconds)),
            session_seconds,
            tokens: sum(
                |needed| Some(needed.tokens),
                planned.session.tokens.map(|tokens| tokens as f64),
                planned.run.tokens.map(|tokens| tokens as f64),
            ),
            usd: sum(|needed| needed.usd, planned.session.usd, planned.run.usd),
            bytes: sum(|needed| Some(needed.bytes), None, None),
            memory: MemoryForecast {
                node: peak.map(|peak| peak.program.saturating_add(peak.command.saturating_mul(at_once_here))),
                node_at_most: planned.command_memory.saturating_mul(at_once_here),
                nodes: planned.nodes.max(1),
            },
        }
    }
}

/// The figures of the attempts at a case that ended with an answer.
fn needed(run: &RunRecord, case: &str) -> Vec<Needed> {
    let mut all = Vec::new();
    for tried in run.ledger.attempts(case) {
        let Some(outcome) = tried.outcome.as_ref().filter(|outcome| outcome.status.is_answer()) else {
            continue;
        };
        all.push(Needed {
            seconds: tried.seconds.or(Some(outcome.seconds.total)),
            tokens: outcome.tokens.total() as f64,
            usd: outcome.cost_usd,
            bytes: files::bytes_in(&run.places.attempt(case, tried.number)) as f64,
        });
    }
    all
}

impl Estimate {
    /// The sum over cases, each drawn from a sample of earlier values; none where nothing is known, not even a limit.
    fn of_sum(groups: impl Iterator<Item = Vec<f64>>, at_most: Option<f64>) -> Option<Self> {
        // Cases that are drawn from the same sample share the error of its mean.
        let (mut expected, mut own, mut shared, mut is_known) = (0.0, 0.0, 0.0, true);
        for values in groups {
            let count = values.len() as f64;
            if values.is_empty() {
                is_known = false;
                break;
            }
            let mean = values.iter().sum::<f64>() / count;
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            // Of one value nobody knows how much others differ: as much as it is.
            let variance = if values.len() > 1 { squares / (count - 1.0) } else { mean * mean };
            expected += mean;
            own += variance;
            shared += (variance / count).sqrt();
        }
        if !is_known {
            return at_most.map(|most| Self { expected: None, from: 0.0, to: None, at_most: Some(most) });
        }
        let deviation = 1.96 * (own + shared * shared).sqrt();
        let capped = |value: f64| at_most.map_or(value, |most| value.min(most));
        Some(Self {
            expected: Some(capped(expected)),
            from: capped((expected - deviation).max(0.0)),
            to: Some(capped(expected + deviation)),
            at_most,
        })
    }

    /// The same where so many go on at once; no sooner than the longest one, and no later than the run may take.
    fn shared(self, at_once: usize, longest: Option<f64>, most: Option<f64>) -> Self {
        let at_least = longest.filter(|_| at_once > 1).unwrap_or_default();
        let capped = |value: f64| most.map_or(value, |most| value.min(most));
        let share = |value: f64| capped((value / at_once as f64).max(at_least));
        let of_sessions = self.at_most.map(|all| all / at_once as f64);
        Self {
            expected: self.expected.map(share),
            from: capped(self.from / at_once as f64),
            to: self.to.map(share),
            at_most: [of_sessions, most].into_iter().flatten().min_by(f64::total_cmp),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_protocol::{SessionResult, Status};
    use patchwright_suites::Truth;

    use super::*;
    use crate::{Ledger, Places, RunFile};

    fn case(id: &str, project: &str) -> Case {
        Case { id: id.to_owned(), project: project.to_owned(), truth: Truth::default() }
    }

    fn earlier(seconds: &[(&str, f64)]) -> RunRecord {
        let mut ledger = Ledger::default();
        for (case, seconds) in seconds {
            let result =
                SessionResult { cost_usd: Some(seconds / 100.0), ..SessionResult::early(Status::NoFix, "") };
            ledger.end(case, 1, result, Some(*seconds));
        }
        ledger.end("broken", 1, SessionResult::early(Status::Environment, ""), Some(1e6));
        let mut ids: Vec<String> = seconds.iter().map(|(case, _)| (*case).to_owned()).collect();
        ids.push("broken".to_owned());
        RunRecord { places: Places::new("nowhere"), file: RunFile::new("r", "s", ids), ledger, parts: None }
    }

    #[test]
    fn the_same_case_counts_before_its_project_and_that_before_all() {
        let run = earlier(&[("a1", 10.0), ("a2", 20.0), ("a3", 30.0), ("b1", 100.0)]);
        let projects = ["a1", "a2", "a3", "a4"].map(|case| (case.to_owned(), "a".to_owned())).into();
        let check = |cases: &[Case], nodes: usize, expect: [f64; 2]| {
            let planned =
                Planned { cases: cases.to_vec(), workers: 1, tests: 1, nodes, ..Planned::default() };
            let forecast = Forecast::of(&planned, std::slice::from_ref(&run), &projects);
            for (found, expect) in [forecast.session_seconds, forecast.seconds].into_iter().zip(expect) {
                let found = found.unwrap().expected.unwrap();
                assert!((found - expect).abs() < 1e-9, "{cases:?}: {found} instead of {expect}");
            }
        };
        check(&[case("a1", "a")], 1, [10.0, 10.0]);
        check(&[case("a4", "a")], 1, [20.0, 20.0]);
        check(&[case("c", "c")], 1, [40.0, 40.0]);
        // No sooner than the longest.
        check(&[case("a1", "a"), case("b1", "b")], 2, [110.0, 100.0]);
        let four = || ["a1"; 4].map(|id| case(id, "a"));
        check(&four(), 2, [40.0, 20.0]);
    }

    #[test]
    fn limits_bound_what_is_expected_and_are_all_that_is_known_without_earlier_runs() {
        let session = SpendingCap { usd: Some(2.0), seconds: Some(60.0), tokens: None };
        let run = SpendingCap { usd: Some(3.0), ..SpendingCap::default() };
        let cases = vec![case("a", "p"), case("b", "p")];
        let planned = Planned { cases, workers: 1, tests: 2, nodes: 1, session, run, command_memory: 10 };
        let none = Forecast::of(&planned, &[], &BTreeMap::new());
        assert_eq!(none.usd.unwrap(), Estimate { expected: None, from: 0.0, to: None, at_most: Some(3.0) });
        assert_eq!((none.session_seconds.unwrap().at_most, none.tokens), (Some(120.0), None));
        assert_eq!(none.memory, MemoryForecast { node: None, node_at_most: 20, nodes: 1 });
        let mut dear = earlier(&[("x", 1_000.0), ("y", 1_000.0)]);
        dear.ledger.memory = Some(PeakMemory { program: 5, command: 7 });
        let some = Forecast::of(&planned, &[dear], &BTreeMap::new());
        assert_eq!(some.usd.unwrap().expected, Some(3.0));
        assert_eq!(some.memory.node, Some(19));
    }
}
