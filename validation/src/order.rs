//! The tests that passed before and are likeliest to show that a candidate breaks something.

use std::collections::BTreeSet;

use patchwright_edits::Applied;
use patchwright_protocol::TestId;
use patchwright_syntax::has_extension;

use crate::baseline::Baseline;
use crate::coverage::Coverage;
use crate::harness::TestHarness;

impl TestHarness {
    /// The passing tests to run for a change once those pass that show the bug, the likeliest to fail first: those that execute what the
    /// change touches, where coverage was recorded; else those of files or classes that are named like a changed file.
    pub fn arranged(&self, baseline: &Baseline, applied: &Applied) -> Vec<TestId> {
        let recorded = self.coverage().known();
        arranged(baseline, recorded.as_ref().and_then(|recorded| recorded.coverage()), applied)
    }
}

fn arranged(baseline: &Baseline, coverage: Option<&Coverage>, applied: &Applied) -> Vec<TestId> {
    let Some(coverage) = coverage else { return named_alike(baseline, applied) };
    let mut left: BTreeSet<&TestId> = baseline.passing.iter().collect();
    let executing = applied.files.iter().flat_map(|file| {
        let lines: Vec<u32> = file.touched().into_iter().collect();
        coverage.tests_covering(file.path.as_str(), &lines)
    });
    executing.filter(|test| left.remove(test)).cloned().collect()
}

fn named_alike(baseline: &Baseline, applied: &Applied) -> Vec<TestId> {
    let changed: Vec<String> = applied.files.iter().map(|file| subject(file.path.as_str())).collect();
    let near = |test: &&TestId| place(test).is_some_and(|name| changed.contains(&name));
    baseline.passing.iter().filter(near).cloned().collect()
}

/// The subject of a file: its name without folder and ending, and without what marks a test.
fn subject(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    let stem = ["test_", "test"].iter().find_map(|mark| stem.strip_prefix(mark)).unwrap_or(&stem);
    let stem =
        ["_tests", "_test", "tests", "test"].iter().find_map(|mark| stem.strip_suffix(mark)).unwrap_or(stem);
    stem.to_owned()
}

/// The subject of the file or class of a test.
fn place(test: &TestId) -> Option<String> {
    let name = test.without_parameters();
    let file = match name.split_once("::") {
        Some((file, _)) if file.contains('/') || has_extension(file, "py") => file,
        // A Java class.
        Some((class, _)) => class.rsplit('.').next()?.split('$').next()?,
        // A dotted name of unittest: module, class and method.
        None => name.rsplit('.').nth(2)?,
    };
    Some(subject(file)).filter(|subject| !subject.is_empty())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_about_what_they_are_named_for() {
        let check = |test: &str, file: &str| {
            assert_eq!(place(&TestId::new(test)), Some(subject(file)), "{test} {file}");
        };
        check("tests/test_basket.py::TestTotal::test_a[x/y.z]", "src/shop/basket.py");
        check("basket_test.py::test_a", "basket.py");
        check("tests.test_basket.BasketTest.test_total", "shop/basket.py");
        check("shop.BasketTest::total", "src/main/java/shop/Basket.java");
        check("shop.TestBasket$Inner::total", "src/main/java/shop/Basket.java");
        assert_ne!(place(&TestId::new("tests/test_basket.py::test_a")), Some(subject("shop/money.py")));
        assert_eq!(place(&TestId::new("test")), None);
    }
}
