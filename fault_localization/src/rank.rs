//! From coverage and hints to an order.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use patchwright_protocol::TestId;
use patchwright_syntax::StatementKind;
use patchwright_validation::Baseline;
use patchwright_validation::Coverage;

use crate::formula::{Counts, Formula};
use crate::hints::{Hint, Hints};
use crate::production::{Production, ProductionFile};
use crate::ranking::{RankedFile, RankedLine, RankedMethod, Reason};

/// A hint takes a line this part of the way from its suspiciousness to 1, at most: a line in the trace of all failing
/// tests overtakes lines that are a little more suspicious, and no line that only failing tests execute. Where a test
/// fails is often near the bug; what it calls is only the way there, and holds more lines.
const TRACE: f64 = 0.25;
const CALLED: f64 = 0.1;
/// Without coverage: how suspicious the lines of a called method are, beside 1 for the place of the failure.
const CALLED_ALONE: f64 = 0.2;

/// A line before it has its place.
struct Candidate<'a> {
    path: &'a str,
    line: u32,
    suspiciousness: f64,
    hint: f64,
    counts: Counts,
    /// Is true if it is part of a method: what stands outside is executed once for many tests.
    in_method: bool,
    kind: StatementKind,
    why: Vec<Reason>,
}

/// The lines of the production code, most suspicious first.
pub(crate) fn lines(
    production: &Production,
    coverage: Option<&Coverage>,
    baseline: &Baseline,
    hints: &Hints,
    formula: Formula,
) -> Vec<RankedLine> {
    let mut candidates = match coverage {
        Some(coverage) => covered(production, coverage, baseline, hints, formula),
        None => hinted(production, hints),
    };
    candidates.sort_by(order);
    let ranked = candidates.into_iter().map(|candidate| RankedLine {
        path: candidate.path.to_owned(),
        line: candidate.line,
        suspiciousness: candidate.suspiciousness,
        why: candidate.why,
    });
    ranked.collect()
}

/// The more suspicious line first. Among equals: the one with stronger hints, fewer passing tests, in a method, a
/// statement that decides or leaves or calls, and then as in the project.
fn order(one: &Candidate, other: &Candidate) -> Ordering {
    let key = |line: &Candidate| (line.in_method, line.kind);
    other
        .suspiciousness
        .total_cmp(&one.suspiciousness)
        .then_with(|| other.hint.total_cmp(&one.hint))
        .then_with(|| one.counts.passing.cmp(&other.counts.passing))
        .then_with(|| key(other).cmp(&key(one)))
        .then_with(|| (one.path, one.line).cmp(&(other.path, other.line)))
}

fn covered<'a>(
    production: &'a Production,
    coverage: &Coverage,
    baseline: &Baseline,
    hints: &Hints,
    formula: Formula,
) -> Vec<Candidate<'a>> {
    let failing: BTreeSet<&TestId> = baseline.failing.iter().collect();
    let passing: BTreeSet<&TestId> = baseline.passing.iter().collect();
    // A failing test that could not tell what it executed says nothing for or against a line.
    let tells = |test: &&&TestId| coverage.tests().binary_search(test).is_ok() || hints.has_trace(test);
    let told = failing.iter().filter(tells).count();
    let all = Counts { failing: told, passing: passing.len() };
    let counts = |tests: &BTreeSet<&TestId>| Counts {
        failing: tests.iter().filter(|test| failing.contains(*test)).count(),
        passing: tests.iter().filter(|test| passing.contains(*test)).count(),
    };
    let mut candidates = Vec::new();
    for (path, file) in production {
        let executed = statements_executed(file, coverage, hints, path);
        // Most files of a project have nothing to do with the bug.
        if executed.is_empty() {
            continue;
        }
        let around: BTreeSet<&TestId> = executed.values().flatten().copied().collect();
        let around = counts(&around);
        for statement in file.statements.running() {
            let line = statement.lines.first;
            let in_method = file.in_method(line);
            // What stands outside of methods is executed when the file is loaded: all tests that use the file share it.
            let here = match executed.get(&line) {
                _ if !in_method => around,
                Some(tests) => counts(tests),
                None => Counts::default(),
            };
            let hint = hints.at(path, line);
            let suspiciousness = formula.suspiciousness(here, all);
            let weight = hint.map_or(0.0, |hint| TRACE * hint.trace + CALLED * hint.called);
            // A method that is called but not executed by a failing test is another one of the same name.
            if here.failing == 0 {
                continue;
            }
            let mut why = vec![Reason::Executed { tests: here }];
            why.extend(hint.into_iter().flat_map(|hint| hint.why.iter().cloned()));
            candidates.push(Candidate {
                path,
                line,
                suspiciousness: suspiciousness + (1.0 - suspiciousness) * weight,
                hint: weight,
                counts: here,
                in_method,
                kind: statement.kind,
                why,
            });
        }
    }
    candidates
}

/// The tests that execute each statement in a method, by the line at which it begins.
fn statements_executed<'c>(
    file: &ProductionFile,
    coverage: &'c Coverage,
    hints: &'c Hints,
    path: &str,
) -> BTreeMap<u32, BTreeSet<&'c TestId>> {
    let mut executed: BTreeMap<u32, BTreeSet<&TestId>> = BTreeMap::new();
    for (line, tests) in coverage.lines(path) {
        if let Some(first) = file.statement_line(line)
            && file.in_method(first)
        {
            executed.entry(first).or_default().extend(tests);
        }
    }
    for (line, tests) in hints.traced(path).filter(|(line, _)| file.in_method(*line)) {
        executed.entry(line).or_default().extend(tests);
    }
    executed
}

/// The lines that the hints alone tell of.
fn hinted<'a>(production: &'a Production, hints: &'a Hints) -> Vec<Candidate<'a>> {
    let candidate = |(path, line, hint): (&'a str, u32, &'a Hint)| {
        let file = production.get(path)?;
        Some(Candidate {
            path,
            line,
            suspiciousness: hint.trace.max(CALLED_ALONE * hint.called).min(1.0),
            hint: hint.called,
            counts: Counts::default(),
            in_method: file.in_method(line),
            kind: file.statements.at(line)?.kind,
            why: hint.why.clone(),
        })
    };
    hints.lines().filter_map(candidate).collect()
}

/// The methods of ranked lines, in the order of their most suspicious line.
pub(crate) fn methods(production: &Production, lines: &[RankedLine]) -> Vec<RankedMethod> {
    let mut seen = BTreeSet::new();
    let mut methods = Vec::new();
    for line in lines {
        let method = production.get(&line.path).and_then(|file| file.outline().method_at(line.line));
        if let Some(method) = method
            && seen.insert((line.path.as_str(), method.lines))
        {
            methods.push(RankedMethod {
                path: line.path.clone(),
                name: method.qualified.clone(),
                lines: method.lines,
                suspiciousness: line.suspiciousness,
            });
        }
    }
    methods
}

/// The files of ranked lines, in the order of their most suspicious line.
pub(crate) fn files(lines: &[RankedLine]) -> Vec<RankedFile> {
    let mut seen = BTreeSet::new();
    let first = lines.iter().filter(|line| seen.insert(line.path.as_str()));
    first.map(|line| RankedFile { path: line.path.clone(), suspiciousness: line.suspiciousness }).collect()
}
