//! Hints of the failing tests beside the lines that they execute: where they fail, what they call, what they name.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_index::test_code;
use patchwright_protocol::TestId;
use patchwright_syntax::{Call, Language, MethodKind, Project, ProjectPath, Span, calls_in};
use patchwright_test_results::frames;
use patchwright_validation::Baseline;

use crate::production::Production;
use crate::ranking::Reason;

/// A name that stands for more methods than this tells nothing.
const MOST_METHODS: usize = 8;
/// Names shorter than this are words of messages by chance.
const SHORTEST_NAME: usize = 3;
/// Failing tests that are looked at: where hundreds fail they say the same.
const MOST_TESTS: usize = 50;

/// The strength with which a line is hinted at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hint {
    /// From 0 to 1: 1 where every failing test fails in this line, half of it for each frame between.
    pub(crate) trace: f64,
    /// From 0 to 1: 1 where every failing test calls or names the method.
    pub(crate) called: f64,
    /// The same in words; of each kind the strongest.
    pub(crate) why: Vec<Reason>,
}

/// The hints of all failing tests.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    /// By path and the line at which a statement begins.
    lines: BTreeMap<(String, u32), Hint>,
    /// The tests in whose traces the line is: they execute it, also where what records coverage does not see a line
    /// that throws.
    traced: BTreeMap<(String, u32), BTreeSet<TestId>>,
}

impl Hints {
    /// Collects the hints.
    pub(crate) fn of(project: &Project, baseline: &Baseline, production: &Production) -> Self {
        let mut hints = Self::default();
        let tests: Vec<&TestId> = baseline.failing.iter().take(MOST_TESTS).collect();
        if tests.is_empty() {
            return hints;
        }
        let share = 1.0 / tests.len() as f64;
        let mut calls = Calls::default();
        for test in tests {
            let outcome = baseline.report.outcome(test);
            if let Some(trace) = outcome.and_then(|outcome| outcome.trace.as_deref()) {
                hints.add_trace(test, trace, production, share);
            }
            let message = outcome.and_then(|outcome| outcome.message.as_deref()).unwrap_or_default();
            let called = calls.of_test(project, test);
            let named = words(message);
            hints.add_methods(&called, production, share, &Reason::Called { test: test.clone() });
            let only_named: BTreeSet<String> = named.difference(&called).cloned().collect();
            hints.add_methods(&only_named, production, share, &Reason::Named { test: test.clone() });
        }
        hints
    }

    /// The hint at a line.
    pub(crate) fn at(&self, path: &str, line: u32) -> Option<&Hint> {
        self.lines.get(&(path.to_owned(), line))
    }

    /// The lines of a file that are in traces of failing tests, with these tests.
    pub(crate) fn traced(&self, path: &str) -> impl Iterator<Item = (u32, &BTreeSet<TestId>)> {
        let file = self.traced.range((path.to_owned(), 0)..=(path.to_owned(), u32::MAX));
        file.map(|((_, line), tests)| (*line, tests))
    }

    /// Is true if a test has a trace that leads to a line.
    pub(crate) fn has_trace(&self, test: &TestId) -> bool {
        self.traced.values().any(|tests| tests.contains(test))
    }

    /// All lines that are hinted at, by file and line.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&str, u32, &Hint)> {
        self.lines.iter().map(|((path, line), hint)| (path.as_str(), *line, hint))
    }

    fn add_trace(&mut self, test: &TestId, trace: &str, production: &Production, share: f64) {
        let statement = |(path, line): (String, u32)| {
            let line = production.get(&path)?.statement_line(line)?;
            Some((path, line))
        };
        let mut seen = BTreeSet::new();
        let own = frames(trace).into_iter().filter_map(statement).filter(|place| seen.insert(place.clone()));
        for (depth, place) in own.enumerate() {
            self.traced.entry(place.clone()).or_default().insert(test.clone());
            let hint = self.lines.entry(place).or_default();
            hint.trace += share / (depth + 1) as f64;
            let reason = Reason::Trace { test: test.clone(), depth };
            match hint.why.iter_mut().find(|why| matches!(why, Reason::Trace { .. })) {
                Some(Reason::Trace { depth: known, .. }) if *known <= depth => {}
                Some(why) => *why = reason,
                None => hint.why.insert(0, reason),
            }
        }
    }

    fn add_methods(
        &mut self,
        names: &BTreeSet<String>,
        production: &Production,
        share: f64,
        reason: &Reason,
    ) {
        for name in names.iter().filter(|name| name.len() >= SHORTEST_NAME) {
            let methods = methods_of(name, production);
            if methods.len() > MOST_METHODS {
                continue;
            }
            for (path, span) in methods {
                let Some(file) = production.get(path) else { continue };
                let inside =
                    file.statements.running().filter(|statement| span.contains(statement.lines.first));
                for statement in inside {
                    let hint = self.lines.entry((path.to_owned(), statement.lines.first)).or_default();
                    hint.called = (hint.called + share).min(1.0);
                    if !hint.why.iter().any(|why| matches!(why, Reason::Called { .. } | Reason::Named { .. }))
                    {
                        hint.why.push(reason.clone());
                    }
                }
            }
        }
    }
}

/// The calls in files with tests, each read once.
#[derive(Default)]
struct Calls(BTreeMap<ProjectPath, Vec<Call>>);

impl Calls {
    /// The names of what the code of a test calls itself, without its set-up.
    fn of_test(&mut self, project: &Project, test: &TestId) -> BTreeSet<String> {
        // A test whose code cannot be found gives no hint.
        let Ok(code) = test_code(project, test.as_str()) else { return BTreeSet::new() };
        let span = code.body.method.lines;
        let calls = self.0.entry(code.path).or_insert_with_key(|path| {
            let language = Language::of_path(path.as_path());
            let read = language.zip(project.read(path).ok());
            read.map(|(language, source)| calls_in(language, &source)).unwrap_or_default()
        });
        let own = calls.iter().filter(|call| span.contains(call.line));
        own.map(|call| last_part(&call.callee).to_owned()).collect()
    }
}

fn last_part(name: &str) -> &str {
    let name = name.split('<').next().unwrap_or(name);
    name.rsplit('.').next().unwrap_or(name)
}

/// The names in a message.
fn words(message: &str) -> BTreeSet<String> {
    let name = |character: char| character.is_alphanumeric() || character == '_';
    message.split(|character| !name(character)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The methods of a name; for the name of a class its constructors.
fn methods_of<'p>(name: &str, production: &'p Production) -> Vec<(&'p str, Span)> {
    let mut found = Vec::new();
    // Most files do not hold the name at all, and need not be outlined.
    for (path, file) in production.iter().filter(|(_, file)| file.source.text().contains(name)) {
        for (class, method) in file.outline().all_methods() {
            let made =
                method.kind == MethodKind::Constructor && class.is_some_and(|class| class.name == name);
            if made || method.name == name {
                found.push((path.as_str(), method.lines));
            }
        }
    }
    found
}
