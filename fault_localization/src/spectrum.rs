//! Fault localisation by spectrum: lines that failing tests execute and passing tests do not are suspicious.
//!
//! Tests are run once more, in a lane, while it is recorded which lines each of them executes ([`Coverage`]): the failing ones,
//! and passing ones, the nearest to them first, as long as that pays. A
//! [`Formula`] makes suspiciousness of the counts; stack traces and what the failing tests call move lines a little
//! up. Where nothing can be recorded, these hints alone make the ranking, so that there always is one.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use patchwright_edits::EditRules;
use patchwright_syntax::Project;
use patchwright_test_results::frames;
use patchwright_validation::{
    Baseline, Coverage, CoverageScope, RecordedCoverage, TestHarness, TestHarnessError,
};

use crate::formula::Formula;
use crate::hints::Hints;
use crate::production::{self, Production};
use crate::ranking::{Basis, RankedLine, RankedMethod, Ranking, Reason};
use crate::recording::record_coverage;
use crate::{neighbours, rank};

/// Why what was recorded is of no use.
const NO_LINES: &str = "the recorded coverage names no line of a source that may be changed; are the classes compiled with \
                        `-g` (Ant: debug=\"true\"), and does each source lie in the folder of its package?";

/// Ranks lines, methods and files by how likely they hold the bug that the failing tests show. Tests are run
/// with coverage the first time only; tests that are flaky or known to fail do not count.
///
/// # Errors
/// The sandbox or the disk.
pub async fn spectrum(
    harness: &TestHarness,
    baseline: &Baseline,
    formula: Formula,
    scope: CoverageScope,
) -> Result<Ranking, TestHarnessError> {
    let recorded = recorded_coverage(harness, baseline, scope).await?;
    let found = ranking(harness, baseline, Arc::clone(&recorded), formula).await?;
    if !found.lines.is_empty() || found.coverage.is_none() {
        return Ok(found);
    }
    // Classes may be compiled without the numbers of their lines, or lie where nobody looks for them.
    let without = RecordedCoverage { coverage: Err(NO_LINES.to_owned()), ..recorded.as_ref().clone() };
    ranking(harness, baseline, Arc::new(without), formula).await
}

/// Ranks by the stack traces of the failing tests and what these tests call, without running anything.
///
/// # Errors
/// The disk.
pub async fn by_stack_traces(
    harness: &TestHarness,
    baseline: &Baseline,
) -> Result<Ranking, TestHarnessError> {
    let nothing = RecordedCoverage::without("nothing else was asked for".to_owned());
    ranking(harness, baseline, Arc::new(nothing), Formula::default()).await
}

/// The methods that a reader of the failures looks at first, each with the line to look at: those of the innermost frames of production
/// code in the stack traces, at most `count`, and behind them as many that lead there, the nearest first. Where no trace leads to
/// production code, `count` of those that the failing tests call.
///
/// # Errors
/// The disk.
pub async fn methods_of_failures(
    harness: &TestHarness,
    baseline: &Baseline,
    count: usize,
) -> Result<Vec<(RankedMethod, u32)>, TestHarnessError> {
    let Ranking { lines, methods, .. } = by_stack_traces(harness, baseline).await?;
    let depth = |line: &RankedLine| {
        let depths = line.why.iter().filter_map(|why| match why {
            Reason::Trace { depth, .. } => Some(*depth),
            Reason::Executed { .. } | Reason::Called { .. } | Reason::Named { .. } => None,
        });
        depths.min()
    };
    let traced: Vec<(usize, &RankedLine)> =
        lines.iter().filter_map(|line| Some((depth(line)?, line))).collect();
    let nearest = |method: &RankedMethod| {
        let inside = |line: &RankedLine| line.path == method.path && method.lines.contains(line.line);
        let own = traced.iter().filter(|(_, line)| inside(line));
        own.map(|(depth, line)| (*depth, line.line)).min_by_key(|(depth, _)| *depth)
    };
    let (mut innermost, mut callers, mut called) = (Vec::new(), Vec::new(), Vec::new());
    for method in methods {
        match nearest(&method) {
            Some((0..=1, line)) => innermost.push((method, line)),
            Some((depth, line)) => callers.push((depth, (method, line))),
            None => {
                let line = method.lines.first;
                called.push((method, line));
            }
        }
    }
    if innermost.is_empty() && callers.is_empty() {
        called.truncate(count);
        return Ok(called);
    }
    callers.sort_by_key(|(depth, _)| *depth);
    innermost.truncate(count);
    innermost.extend(callers.into_iter().map(|(_, caller)| caller).take(count));
    Ok(innermost)
}

/// The number of lines that begin a statement and that a candidate may change, ranked or not.
///
/// # Errors
/// The disk.
pub async fn executable_lines(harness: &TestHarness) -> Result<usize, TestHarnessError> {
    let (project, rules) = (harness.project().clone(), harness.rules());
    let count = move |cancelled: &AtomicBool| {
        let files = production::production(&project, &rules, None, cancelled)?;
        Ok(files.values().map(|file| file.statements.running().count()).sum())
    };
    patchwright_blocking::spawn(count).await?
}

/// The coverage of the tests; they are run the first time only.
pub(crate) async fn recorded_coverage(
    harness: &TestHarness,
    baseline: &Baseline,
    scope: CoverageScope,
) -> Result<Arc<RecordedCoverage>, TestHarnessError> {
    let nearest = match scope {
        CoverageScope::Nearest => baseline.tests_to_trace(),
        CoverageScope::All => None,
    };
    let (near, all) = harness.coverage().cells();
    match nearest {
        Some(nearest) if !all.initialized() => {
            near.get_or_try_init(|| record_coverage(harness, baseline, Some(nearest))).await.cloned()
        }
        Some(_) | None => all.get_or_try_init(|| record_coverage(harness, baseline, None)).await.cloned(),
    }
}

async fn ranking(
    harness: &TestHarness,
    baseline: &Baseline,
    recorded_coverage: Arc<RecordedCoverage>,
    formula: Formula,
) -> Result<Ranking, TestHarnessError> {
    let _step = harness.activity().begin("ranking suspicious lines");
    let (project, rules, mut baseline) = (harness.project().clone(), harness.rules(), baseline.clone());
    if let Some(passing) = &recorded_coverage.passing {
        baseline.passing.clone_from(passing);
    }
    for tests in [&mut baseline.failing, &mut baseline.passing] {
        tests.retain(|test| !recorded_coverage.left_out.contains(test));
    }
    let rank = move |cancelled: &AtomicBool| {
        rank_all(&project, &rules, baseline, &recorded_coverage, formula, cancelled)
    };
    patchwright_blocking::spawn(rank).await?
}

fn rank_all(
    project: &Project,
    rules: &EditRules,
    mut baseline: Baseline,
    recorded_coverage: &RecordedCoverage,
    formula: Formula,
    cancelled: &AtomicBool,
) -> Result<Ranking, TestHarnessError> {
    let (coverage, basis) = match &recorded_coverage.coverage {
        Ok((coverage, tool)) => (Some(coverage), Basis::Coverage { tool: tool.clone() }),
        Err(why) => (None, Basis::StackTraces { why: why.clone() }),
    };
    let mut production = production_of(project, rules, &baseline, coverage, cancelled)?;
    if production.is_empty() && coverage.is_some() {
        // What they show was left behind by others.
        neighbours::count_neighbours(&mut baseline);
        production = production_of(project, rules, &baseline, coverage, cancelled)?;
    }
    let coverage = coverage.map(|coverage| coverage.clone().of_files(|path| production.contains_key(path)));
    let hints = Hints::of(project, &baseline, &production);
    let lines = rank::lines(&production, coverage.as_ref(), &baseline, &hints, formula);
    Ok(Ranking {
        methods: rank::methods(&production, &lines),
        files: rank::files(&lines),
        lines,
        basis,
        notes: recorded_coverage.notes.clone(),
        left_out: recorded_coverage.left_out.len(),
        coverage,
    })
}

/// The files that failing tests execute or that stand in their traces: of others nothing is suspicious. All where that is not known.
fn production_of(
    project: &Project,
    rules: &EditRules,
    baseline: &Baseline,
    coverage: Option<&Coverage>,
    cancelled: &AtomicBool,
) -> Result<Production, TestHarnessError> {
    let failing = coverage.map(|coverage| coverage.files_of(&baseline.failing));
    let traced = baseline.failing.iter().filter_map(|test| baseline.report.outcome(test)?.trace.as_deref());
    let traced = traced.flat_map(frames).map(|(path, _)| path);
    let files: Option<BTreeSet<String>> = failing.map(|failing| failing.into_iter().chain(traced).collect());
    production::production(project, rules, files.as_ref(), cancelled)
}
