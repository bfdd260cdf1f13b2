//! The passing tests nearest to the located code, and their source.

use std::collections::BTreeSet;
use std::sync::Arc;

use patchwright_index::{Index, NearTest, TestSubject, excerpt, near_tests, test_code, windows};
use patchwright_protocol::{Excerpt, Failure, TestId};
use patchwright_syntax::{ProjectPath, Span};

/// The nearest tests, of which those are shown that there is room for.
const TRIED: usize = 40;
/// A test is near if it is so by this share of the nearest.
const LEAST_SHARE: f64 = 0.25;

/// The passing tests by their nearness to the located code.
#[derive(Clone)]
pub struct NearTests {
    index: Arc<Index>,
    /// Those whose functions were found, the nearest first.
    near: Arc<Vec<NearTest>>,
}

impl NearTests {
    /// The tests near some subjects; the words of `text` count too. Blocking work: test code is large.
    pub async fn of(
        index: &Arc<Index>,
        passing: &[TestId],
        subjects: BTreeSet<TestSubject>,
        text: &str,
    ) -> Result<Self, Failure> {
        let passing: Vec<String> = passing.iter().map(ToString::to_string).collect();
        let (searched, text) = (Arc::clone(index), text.to_owned());
        let subjects: Vec<TestSubject> = subjects.into_iter().collect();
        let near =
            patchwright_blocking::spawn(move |_| near_tests(&searched, &passing, &subjects, &text)).await?;
        Ok(Self { index: Arc::clone(index), near: Arc::new(near) })
    }

    /// The names of the passing tests that are near, the nearest first; of all where none is.
    pub fn names(&self, passing: &[TestId]) -> Vec<String> {
        let near: Vec<String> = self.near.iter().flat_map(|function| &function.tests).cloned().collect();
        if near.is_empty() { passing.iter().map(ToString::to_string).collect() } else { near }
    }

    /// The source of the nearest, as many as go into so many bytes, with what runs around them in their files.
    pub async fn code(&self, bytes: usize) -> Result<TestCode, Failure> {
        let (index, near) = (Arc::clone(&self.index), Arc::clone(&self.near));
        patchwright_blocking::spawn(move |_| code(&index, &near, bytes)).await
    }
}

/// The source of tests.
pub struct TestCode {
    /// The files with what is shown of each.
    pub excerpts: Vec<Excerpt>,
    /// How many functions that are near tests are not shown.
    pub left_out: usize,
}

/// See [`NearTests::code`].
fn code(index: &Index, near: &[NearTest], bytes: usize) -> TestCode {
    let (mut shown, mut left_out) = (Shown::default(), near.len());
    let nearest = near.first().map_or(0.0, |test| test.nearness);
    let candidates = near.iter().take(TRIED).take_while(|test| test.nearness > nearest * LEAST_SHARE);
    for test in candidates {
        let mut more = shown.clone();
        more.add(test, lines_of(index, test));
        if more.text(index).iter().map(|file| file.text.len()).sum::<usize>() <= bytes {
            shown = more;
            left_out -= 1;
        }
    }
    TestCode { excerpts: shown.text(index), left_out }
}

/// Lines of test files, in the order of their nearest tests.
#[derive(Clone, Default)]
struct Shown(Vec<(ProjectPath, Vec<Span>)>);

impl Shown {
    fn add(&mut self, test: &NearTest, lines: Vec<Span>) {
        match self.0.iter_mut().find(|(path, _)| *path == test.path) {
            Some((_, shown)) => shown.extend(lines),
            None => self.0.push((test.path.clone(), lines)),
        }
    }

    fn text(&self, index: &Index) -> Vec<Excerpt> {
        let excerpt = |(path, spans): &(ProjectPath, Vec<Span>)| {
            let source = index.file(path.as_str())?.source()?;
            let count = u32::try_from(source.line_count()).unwrap_or(u32::MAX);
            let text = excerpt(&source, &windows(spans, 0, count), false);
            Some(Excerpt { path: path.to_string(), text })
        };
        self.0.iter().filter_map(excerpt).collect()
    }
}

/// The lines of a test, and what it uses of its own file.
fn lines_of(index: &Index, test: &NearTest) -> Vec<Span> {
    let mut spans = vec![test.lines];
    let line = |number: u32| Span { first: number, last: number };
    let found = test.tests.first().and_then(|id| test_code(index.project(), id).ok());
    if let Some(found) = found.filter(|found| found.path == test.path) {
        let around = found.setup.iter().flat_map(|method| &method.lines);
        let lines = around.chain(&found.fields).chain(&found.imports).map(|(number, _)| line(*number));
        spans.extend(lines);
        let classes = index.elements(test.path.as_str()).iter();
        let own = classes.filter(|class| found.class.as_ref() == Some(&class.qualified));
        spans.extend(own.map(|class| line(class.declaration_line)));
    }
    spans
}
