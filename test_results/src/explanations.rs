//! The explanations of failing tests: what several of them say alike stands once.

use std::collections::BTreeMap;

use crate::outcome::{TestOutcome, TestStatus};

/// Lines that an explanation has in common with an earlier one before they are left out.
const LEAST_ALIKE: usize = 4;
/// Earlier explanations that are compared line by line.
const COMPARED: usize = 20;
/// Tests that are named beside the one that fails in the same way.
const NAMED: usize = 20;

/// An explanation and the tests that it holds for, the first of which it is shown with.
pub(crate) struct Explanation<'a> {
    pub tests: Vec<&'a TestOutcome>,
    text: String,
}

/// The explanations of some failing tests, in the order of these.
pub(crate) fn explanations<'a>(failing: &[&'a TestOutcome]) -> Vec<Explanation<'a>> {
    let mut places: BTreeMap<(bool, String), usize> = BTreeMap::new();
    let mut all: Vec<Explanation> = Vec::new();
    for test in failing {
        let text = text_of(test);
        let next = all.len();
        let is_silent = text.is_empty();
        let place = *places.entry((test.status == TestStatus::Failed, text.clone())).or_insert(next);
        match all.get_mut(place).filter(|_| !is_silent) {
            Some(known) => known.tests.push(test),
            None => all.push(Explanation { tests: vec![test], text }),
        }
    }
    all
}

/// The message and the trace of a test.
fn text_of(test: &TestOutcome) -> String {
    let trace = test.trace.as_deref().unwrap_or_default();
    // A trace tells its message itself.
    let message = test.message.as_deref().unwrap_or_default();
    let is_told = message.lines().all(|line| trace.contains(line.trim()));
    let text = if is_told { trace.to_owned() } else { format!("{message}\n{trace}") };
    text.trim_end().to_owned()
}

/// Explanations as text, one block each. What stands in an earlier block is not repeated.
pub(crate) fn blocks(all: &[Explanation]) -> Vec<String> {
    all.iter().enumerate().map(|(index, one)| one.block(&all[..index.min(COMPARED)])).collect()
}

impl Explanation<'_> {
    fn block(&self, earlier: &[Self]) -> String {
        let Some((first, others)) = self.tests.split_first() else { return String::new() };
        let word = if first.status == TestStatus::Failed { "FAILED" } else { "ERROR" };
        let mut block = format!("\n\n{word} {}\n", first.id);
        if !others.is_empty() {
            let names: Vec<&str> = others.iter().take(NAMED).map(|test| test.id.as_str()).collect();
            let more = match others.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            block.push_str(&format!("(and in the same way: {}{more})\n", names.join(", ")));
        }
        block.push_str(&self.without(earlier));
        block.truncate(block.trim_end().len());
        block
    }

    /// The text without the lines at its beginning and end that it has in common with the most similar of some others.
    fn without(&self, earlier: &[Self]) -> String {
        let lines: Vec<&str> = self.text.lines().collect();
        let alike = |other: &Self| {
            let others: Vec<&str> = other.text.lines().collect();
            let head = lines.iter().zip(&others).take_while(|(own, other)| own == other).count();
            let rest = lines.len().min(others.len()) - head;
            let ends = lines.iter().rev().zip(others.iter().rev()).take(rest);
            (head, ends.take_while(|(own, other)| own == other).count())
        };
        let found = earlier.iter().map(|other| (alike(other), other));
        let most = found.rev().max_by_key(|((head, tail), _)| head + tail);
        let Some(((head, tail), other)) = most else { return self.text.clone() };
        let mark = format!("[… as for {} …]", other.tests[0].id);
        // A mark takes a line itself.
        let parts = [(head, &lines[..head]), (tail, &lines[lines.len() - tail..])]
            .map(|(count, part)| if count >= LEAST_ALIKE { vec![mark.as_str()] } else { part.to_vec() });
        let [first, last] = parts;
        [first.as_slice(), &lines[head..lines.len() - tail], &last].concat().join("\n")
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn failed(id: &str, trace: &str) -> TestOutcome {
        TestOutcome::new(id, TestStatus::Failed).with_trace(trace)
    }

    fn shown(tests: &[TestOutcome]) -> String {
        let failing: Vec<&TestOutcome> = tests.iter().collect();
        blocks(&explanations(&failing)).concat()
    }

    #[test]
    fn a_failure_of_several_tests_is_shown_once() {
        let trace = "shop/cart.py:3: in total\nE   KeyError: 'tax'";
        let text = shown(&[failed("a", trace), failed("b", "E   other"), failed("c", trace)]);
        assert_eq!(text, format!("\n\nFAILED a\n(and in the same way: c)\n{trace}\n\nFAILED b\nE   other"));
        let many: Vec<TestOutcome> = (0..30).map(|number| failed(&format!("t{number}"), trace)).collect();
        insta::assert_snapshot!(shown(&many));
        let silent = |id| TestOutcome::new(id, TestStatus::Error);
        assert_eq!(shown(&[silent("a"), silent("b")]), "\n\nERROR a\n\nERROR b");
    }

    #[test]
    fn of_a_similar_failure_only_the_difference_is_shown() {
        let trace = |line: u32, value: u32| {
            let frames: Vec<String> =
                (1..=5).map(|depth| format!("shop/cart.py:{depth}: in step_{depth}")).collect();
            format!(
                "tests/test_cart.py:{line}: in test\n    total({value})\n{}\nE   KeyError: {value}",
                frames.join("\n")
            )
        };
        let check = |first: &str, second: &str, expect: &str| {
            let text = shown(&[failed("a", first), failed("b", second)]);
            assert_eq!(text, format!("\n\nFAILED a\n{first}\n\nFAILED b\n{expect}"));
        };
        let same_end = trace(9, 1).replace("total(1)", "total(one)");
        check(&trace(3, 1), &same_end, "tests/test_cart.py:9: in test\n    total(one)\n[… as for a …]");
        let same_begin = trace(3, 1).replace("KeyError: 1", "KeyError: 2");
        check(&trace(3, 1), &same_begin, "[… as for a …]\nE   KeyError: 2");
        check("a\nb\nc", "a\nb\nd", "a\nb\nd");
    }
}
