//! Syntax errors: where a file cannot be parsed, or is indented, or leaves a function or loop, so that its language refuses it.

use std::collections::BTreeSet;

use serde::Serialize;
use tree_sitter::Node;

use crate::changed_lines::changed_lines;
use crate::language::{Language, PlacementRule};
use crate::recent::tree_of;
use crate::text::line_number;
use crate::tree::{Step, walk};

/// One place that breaks the syntax of a language.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: u32,
    /// The text of that line without the white space around it.
    pub text: String,
    /// The problem, as half a sentence: "`;` is missing".
    pub problem: String,
}

/// The syntax errors of a text in the order of its lines, at most one of a kind per line.
///
/// The parser recovers from errors and is more lenient than compilers are: no error found does not mean that the text
/// compiles, but an error found means that it does not.
pub fn syntax_errors(language: Language, text: &str) -> Vec<SyntaxError> {
    let Some(tree) = tree_of(language, text) else { return Vec::new() };
    let lines: Vec<Line> = text.lines().map(Line::new).collect();
    let mut places: BTreeSet<(usize, String)> = BTreeSet::new();
    if tree.root_node().has_error() {
        // For each error that is open: whether an error was found inside of it, which is then the better place.
        let mut open: Vec<bool> = Vec::new();
        walk(&tree, |step| match step {
            Step::Enter(node) if node.is_error() => {
                open.push(false);
                true
            }
            Step::Enter(node) if node.is_missing() => {
                mark_last(&mut open);
                places.insert((end_of_code(node, text), format!("`{}` is missing", node.kind())));
                true
            }
            // Most of a tree is sound.
            Step::Enter(node) => node.has_error(),
            Step::Leave(node) if node.is_error() => {
                if open.pop() == Some(false) {
                    places.insert((row_of(node), "this cannot be parsed".to_owned()));
                }
                mark_last(&mut open);
                true
            }
            Step::Leave(_) => true,
        });
    } else {
        let root = tree.root_node();
        let indented = language.entry().indented;
        let mut placements = Placements::new(language);
        walk(&tree, |step| match step {
            Step::Enter(node) => {
                if indented {
                    places.extend(misindented(node, node == root, &lines));
                }
                places.extend(placements.fault(node));
                // Where brackets form the blocks, the grammar takes too much only outside of all of them.
                let descends = indented || node == root;
                if descends {
                    placements.enter(node.kind());
                }
                descends
            }
            Step::Leave(node) => {
                placements.leave(node.kind());
                true
            }
        });
    }
    let error = |(row, problem): (usize, String)| SyntaxError {
        line: line_number(row),
        text: lines.get(row).map_or("", |line| line.text.trim()).to_owned(),
        problem,
    };
    places.into_iter().map(error).collect()
}

/// A syntax error that a change brought in: one that the text did not have, in a text that has more of them now. A file that the
/// parser never understood is thus not a file that can never be edited.
pub fn new_syntax_error(language: Language, before: &str, after: &str) -> Option<SyntaxError> {
    let errors = syntax_errors(language, after);
    if errors.is_empty() {
        return None;
    }
    let known = syntax_errors(language, before);
    if errors.len() <= known.len() {
        return None;
    }
    // Lines move, so errors are told apart by their text.
    let known: BTreeSet<(&str, &str)> =
        known.iter().map(|error| (error.text.as_str(), error.problem.as_str())).collect();
    let mut new =
        errors.iter().filter(|error| !known.contains(&(error.text.as_str(), error.problem.as_str())));
    let first = new.clone().next();
    // An error may surface far from its cause; one on a line that was edited says most.
    let touched = changed_lines(after, before);
    new.find(|error| touched.contains(&error.line)).or(first).or(errors.first()).cloned()
}

fn mark_last(open: &mut [bool]) {
    if let Some(last) = open.last_mut() {
        *last = true;
    }
}

/// The row of an error. One that swallowed the whole file says only that its end came too early.
fn row_of(node: Node) -> usize {
    match node.parent() {
        Some(_) => node.start_position().row,
        None => node.child(node.child_count().saturating_sub(1)).map_or(0, |last| last.end_position().row),
    }
}

/// The row of the last code before a node that is missing; the parser puts such nodes behind white space.
fn end_of_code(node: Node, text: &str) -> usize {
    let before = text.get(..node.start_byte()).unwrap_or_default();
    let blank = &before[before.trim_end().len()..];
    node.start_position().row.saturating_sub(blank.matches('\n').count())
}

/// The faults in the indentation of a node's own statements and clauses. The parser takes any indentation that
/// opens or closes a block for what it looks like; the language does not.
fn misindented(node: Node, is_root: bool, lines: &[Line]) -> Vec<(usize, String)> {
    let mut wrong = Vec::new();
    if node.child_count() == 0 && node.kind() != "block" {
        return wrong;
    }
    if node.kind() == "block" && node.named_child_count() == 0 {
        wrong.push((node.start_position().row, "an indented block must follow".to_owned()));
    }
    let mut cursor = node.walk();
    if node.kind() == "block" || is_root {
        let mut expected = is_root.then_some("");
        for statement in node.children(&mut cursor).filter(|child| child.is_named() && !child.is_extra()) {
            let Some(indentation) = own_indentation(statement, lines) else { continue };
            if indentation != *expected.get_or_insert(indentation) {
                let problem = "its indentation differs from that of the statements before it";
                wrong.push((statement.start_position().row, problem.to_owned()));
            }
        }
    } else if let Some(expected) = own_indentation(node, lines) {
        for clause in node.children(&mut cursor).filter(|child| has_block(*child)) {
            if own_indentation(clause, lines).is_some_and(|indentation| indentation != expected) {
                let problem = "its indentation differs from that of the statement it belongs to";
                wrong.push((clause.start_position().row, problem.to_owned()));
            }
        }
    }
    wrong
}

/// Is true if a node is a clause or definition with a block of its own.
fn has_block(node: Node) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == "block")
}

/// What of a walk decides where statements may stand.
struct Placements {
    /// Each rule with what its statements stand in, the innermost last: true for what one of them must be in, false for what ends that.
    rules: Vec<(&'static PlacementRule, Vec<bool>)>,
}

impl Placements {
    fn new(language: Language) -> Self {
        Self { rules: language.entry().placements.iter().map(|rule| (rule, Vec::new())).collect() }
    }

    fn enter(&mut self, kind: &str) {
        for (rule, around) in &mut self.rules {
            around.extend(bounds(rule, kind));
        }
    }

    fn leave(&mut self, kind: &str) {
        for (rule, around) in &mut self.rules {
            if bounds(rule, kind).is_some() {
                around.pop();
            }
        }
    }

    /// The fault of a statement that the grammar takes anywhere and the language does not.
    fn fault(&self, node: Node) -> Option<(usize, String)> {
        let (rule, around) = self.rules.iter().find(|(rule, _)| rule.statements.contains(&node.kind()))?;
        (around.last() != Some(&true)).then(|| (node.start_position().row, rule.problem.to_owned()))
    }
}

/// Whether a rule's statements may stand in a node of this kind; none if it does not matter.
fn bounds(rule: &PlacementRule, kind: &str) -> Option<bool> {
    let allows = rule.inside.contains(&kind);
    (allows || rule.ends.contains(&kind)).then_some(allows)
}

/// A line and the white space that it begins with.
struct Line<'t> {
    text: &'t str,
    /// Where its indentation begins: a form feed starts the count afresh.
    from: usize,
    /// Where its first letter stands.
    to: usize,
}

impl<'t> Line<'t> {
    fn new(text: &'t str) -> Self {
        let to = text.len() - text.trim_start().len();
        Self { text, from: text[..to].rfind('\u{c}').map_or(0, |feed| feed + 1), to }
    }
}

/// The white space before a node that is the first on its line.
fn own_indentation<'t>(node: Node, lines: &[Line<'t>]) -> Option<&'t str> {
    let start = node.start_position();
    let line = lines.get(start.row)?;
    (start.column <= line.to).then(|| line.text.get(line.from.min(start.column)..start.column))?
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    /// Errors as `line: text: problem`.
    fn found(language: &str, text: &str) -> Vec<String> {
        let errors = syntax_errors(Language::by_name(language).unwrap(), text);
        errors.into_iter().map(|error| format!("{}: {}: {}", error.line, error.text, error.problem)).collect()
    }

    #[test]
    fn a_long_text_takes_as_long_as_its_parts() {
        // Each of them would take hours, were it walked upwards, backwards or from its beginning for each node.
        let deep = |times: usize| {
            format!(
                "x = {}{}{}\n",
                "[".repeat(4_000 * times),
                "(yield), ".repeat(40_000 * times),
                "]".repeat(4_000 * times)
            )
        };
        let wide = |times: usize| format!("{}\n", "x; ".repeat(40_000 * times));
        let broken =
            |times: usize| format!("class A {{\n{}}}\n", "  int a = 1\n  int b;\n".repeat(1_000 * times));
        for times in [1, 10] {
            let yields = found("python", &deep(times));
            assert!(yields.len() == 1 && yields[0].ends_with("outside of a function"), "{}", yields.len());
            assert!(found("python", &wide(times)).is_empty());
            assert_eq!(found("java", &broken(times)).len(), 1_000 * times);
        }
    }

    #[test]
    fn java_errors_are_found_with_line_and_text() {
        fn check(text: &str, expect: &[&str]) {
            assert_eq!(found("java", text), expect, "{text}");
        }
        check("class A {\n  int f() {\n    return 1;\n  }\n}\n", &[]);
        check("class A {\n  int f() {\n    return 1\n  }\n}\n", &["3: return 1: `;` is missing"]);
        check(
            "class A {\n  void f() {\n    int x = = 3;\n  }\n}\n",
            &["3: int x = = 3;: this cannot be parsed"],
        );
        check("class A {\n  void f() {\n    x();\n  }\n  }\n}\n", &["6: }: this cannot be parsed"]);
        check(
            "class A {\r\n  void f() {\r\n    foo(a b);\r\n  }\r\n}\r\n",
            &["3: foo(a b);: this cannot be parsed"],
        );
        check("class A {\n  void f() {\n    x();\n", &["3: x();: `}` is missing"]);
        check(
            "class A {\n}\nint x = 1;\nf();\n",
            &["3: int x = 1;: it stands outside of a class", "4: f();: it stands outside of a class"],
        );
    }

    #[test]
    fn python_errors_are_found_with_line_and_text() {
        fn check(text: &str, expect: &[&str]) {
            assert_eq!(found("python", text), expect, "{text}");
        }
        check("def f():\n    return 1\n", &[]);
        check("print 'python 2'\nexec 'x'\n", &[]);
        check("def f(:\n    pass\n", &["1: def f(:: `)` is missing"]);
        check("for x in y\n    print(x)\n", &["1: for x in y: this cannot be parsed"]);
        check("x = (1,\n     2\n", &["1: x = (1,: this cannot be parsed"]);
    }

    #[test]
    fn python_indentation_is_checked() {
        fn check(text: &str, expect: &[&str]) {
            assert_eq!(found("python", text), expect, "{text}");
        }
        let differs = "its indentation differs from that of the statements before it";
        check("def f():\nx = 1\n", &["1: def f():: an indented block must follow"]);
        check("class A:\n    # nothing\n\nx = 1\n", &["1: class A:: an indented block must follow"]);
        check("x = 1\n    y = 2\n", &[&format!("2: y = 2: {differs}")]);
        check("if x:\n    a = 1\n      b = 2\n    c = 3\n", &[&format!("3: b = 2: {differs}")]);
        check("def f():\n    x = 1\n  y = 2\n", &[&format!("3: y = 2: {differs}")]);
        check("def f():\n        x = 1\n\ty = 2\n", &[&format!("3: y = 2: {differs}")]);
        check(
            "def f():\n    if x:\n        a()\n      else:\n        b()\n",
            &["4: else:: its indentation differs from that of the statement it belongs to"],
        );
        check(
            "class A:\n    @staticmethod\n      def f():\n        pass\n",
            &["3: def f():: its indentation differs from that of the statement it belongs to"],
        );
    }

    #[test]
    fn python_statements_that_leave_nothing_are_errors() {
        fn check(text: &str, expect: &[&str]) {
            assert_eq!(found("python", text), expect, "{text}");
        }
        check("x = 1\nreturn x\n", &["2: return x: it stands outside of a function"]);
        check("class A:\n    return 1\n", &["2: return 1: it stands outside of a function"]);
        check("def f():\n    class A:\n        yield\n", &["3: yield: it stands outside of a function"]);
        check("if x:\n    break\n", &["2: break: it stands outside of a loop"]);
        check("for x in y:\n    def f():\n        continue\n", &["3: continue: it stands outside of a loop"]);
        check(
            "def f():\n    while x:\n        if y:\n            break\n        yield x\n    return lambda: (yield)\n",
            &[],
        );
        check("for x in y:\n    try:\n        continue\n    finally:\n        break\n", &[]);
    }

    #[test]
    fn sound_python_in_unusual_forms_has_no_errors() {
        for text in [
            "if x: y = 1; z = 2\nelse: pass\n",
            "class A: x = 1\n",
            "def f(): return 1\n",
            "\u{c}\ndef f():\n    pass\n\u{c}def g():\n    pass\n",
            "try:\n    a()\nexcept (B, C) as e:\n    d()\nelse:\n    e()\nfinally:\n    f()\n",
            "match x:\n    case 1:\n        a()\n    case [b, *_] if b:\n        c()\n    case _:\n        pass\n",
            "x = [a\n  for a in b\n       if a]\nwith a as b, \\\n     c as d:\n    e()\n",
            "def f():\n    # comment\n        # another\n    return {\n'a': 1,\n    }\n  # odd\n",
            "async def f():\n\tasync with a:\n\t\tawait b\n\tasync for c in d:\n\t\tpass\n",
            "@a\n@b(1)\nclass C:\n    @d\n    async def e(self): ...\n",
            "if a:\n    pass\n\n\n# c\nelif b:\n  pass\nelse:\n   pass\n",
            "x = '''\n  a\nb\n'''\ny = 1 if x else \\\n  2\n",
        ] {
            assert_eq!(found("python", text), [""; 0], "{text}");
        }
    }

    #[test]
    fn byte_order_mark_and_line_ends_are_no_errors() {
        for text in ["", "\n", "\r\n", "x = 1\r\nif x:\r\n    y = 2\r\n", "x = 1"] {
            assert_eq!(found("python", text), [""; 0], "{text:?}");
        }
    }
}
