//! Texts: what they spell with all that they are joined to, and whether they speak of tests.

use patchwright_syntax::pattern::{Pattern, pattern};
use patchwright_syntax::{NodeShape, visit};
use tree_sitter::Node;

use super::defined::COMPARES;
use super::reader::Reader;

/// The act of code that asks whether tests run it.
pub(super) const LOOKS: &str = "looks for a test tool";

/// How far around a mention of a circumstance a text is searched: about one condition.
const CONDITION_DEPTH: usize = 6;

/// The words by which code tells test tools from others.
static TESTING: Pattern = pattern!(r"(?i)test|spec\b|junit|surefire|jest|mocha|runner");

impl<'t> Reader<'_, 't> {
    /// A text, with all that the code joins it to. What stands between the pieces is read as nothing.
    pub(super) fn text(&mut self, node: Node<'t>) {
        if self.names.above(node).is_some_and(|above| self.names.shape(above) == Some(NodeShape::Join)) {
            return;
        }
        let text = self.joined(node);
        if text == "\"__main__" && !self.asks_whether_it_is_run(node) {
            self.add(node, LOOKS);
        }
        if self.names.shape(node) == Some(NodeShape::Join) && self.rules.compares.is_match(&text[1..]) {
            self.add(node, COMPARES);
        }
        if text.len() > 1 {
            self.word(node, &text);
        }
    }

    pub(super) fn joined(&self, node: Node<'t>) -> String {
        let mut text = String::from("\"");
        visit(node, |part| match self.names.shape(part) {
            Some(NodeShape::Text) => {
                text.push_str(self.names.literal(part).unwrap_or_default());
                false
            }
            Some(NodeShape::Join | NodeShape::Holder | NodeShape::Through) => true,
            Some(_) | None => part == node || !part.is_named(),
        });
        text
    }

    /// `__name__ == "__main__"` is how a module asks whether it is the program.
    fn asks_whether_it_is_run(&self, node: Node<'t>) -> bool {
        self.names.above(node).is_some_and(|above| {
            self.names.shape(above) == Some(NodeShape::Comparison)
                && self.names.text(above).contains("__name__")
        })
    }

    /// Whether a text near a node, in the same condition, speaks of tests.
    pub(super) fn is_asked_about_tests(&self, node: Node<'t>) -> bool {
        let statements = &self.names.language.entry().statements;
        let (mut top, mut depth) = (node, 0);
        while let Some(above) = self.names.above(top).filter(|_| depth < CONDITION_DEPTH) {
            let is_function = self.names.shape(above) == Some(NodeShape::Function);
            if statements.contains_key(above.kind())
                || is_function
                || above.named_child_count() > CONDITION_DEPTH
            {
                break;
            }
            (top, depth) = (above, depth + 1);
        }
        let mut asks = false;
        visit(top, |part| {
            let is_text = self.names.shape(part) == Some(NodeShape::Text);
            asks |= is_text && TESTING.is_match(self.names.text(part));
            !asks && !is_text
        });
        asks
    }
}

/// Whether the path of a module leads to tests, by the names of its parts.
pub(super) fn names_tests(path: &str) -> bool {
    path.split(['.', '/']).any(|part| {
        matches!(part, "test" | "tests" | "__tests__" | "spec" | "specs" | "conftest")
            || part.starts_with("test_")
            || part.ends_with("_test")
    })
}
