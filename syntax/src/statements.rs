//! The statements of a file: which lines hold code that runs, and which lines belong together.

use serde::Serialize;

use crate::language::{Language, StatementRole};
use crate::outline::Span;
use crate::source::Source;
use crate::tree::{Step, walk};

/// The kind of a statement, as far as a table of node kinds can tell.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementKind {
    /// Only introduces others or names something: a declaration, an import, `try`, a docstring.
    Header,
    /// Anything else, such as an assignment.
    Plain,
    /// The same with a call in it.
    Call,
    /// Leaves what is around it: returns, throws, breaks.
    Return,
    /// Decides what runs next.
    Branch,
}

/// A statement; of one that holds others, all of its lines.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// Its lines.
    pub lines: Span,
    /// Its kind.
    pub kind: StatementKind,
}

/// The statements of a file. Several that begin in one line count as one, of the most telling kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statements {
    list: Vec<Statement>,
    /// For each line, from 1, the innermost statement there.
    by_line: Vec<Option<usize>>,
}

/// Reads the statements of a file. Never fails: of a damaged file, what could be read.
pub fn statements(language: Language, source: &Source) -> Statements {
    let Some(tree) = language.parse(source.text()) else { return Statements::default() };
    let (entry, kinds) = (language.entry(), language.kinds());
    let mut found = Statements { list: Vec::new(), by_line: vec![None; source.line_count() + 1] };
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut places = Vec::new();
    walk(&tree, |step| {
        match step {
            Step::Enter(node) => {
                let role = entry.statements.get(node.kind()).filter(|_| node.is_named());
                if let Some(role) = role {
                    let lines = Span {
                        first: node.start_position().row as u32 + 1,
                        // Python's blocks end where the next line begins.
                        last: node.end_position().row as u32 + u32::from(node.end_position().column > 0),
                    };
                    let only = node.named_child(0).filter(|_| node.named_child_count() == 1);
                    let text = only.is_some_and(|only| kinds.role(only) == crate::language::SyntaxRole::Text);
                    let kind = match role {
                        StatementRole::Plain if entry.docstrings && text => StatementKind::Header,
                        StatementRole::IfValued if !has_value(node) => StatementKind::Header,
                        StatementRole::Plain | StatementRole::IfValued => StatementKind::Plain,
                        StatementRole::Header => StatementKind::Header,
                        StatementRole::Branch => StatementKind::Branch,
                        StatementRole::Return => StatementKind::Return,
                    };
                    let index = found.add(Statement { lines, kind });
                    places.push((lines, index));
                    open.push((node.id(), index));
                } else if kinds.call(node).is_some()
                    && let Some((_, index)) = open.last()
                    && found.list[*index].kind == StatementKind::Plain
                {
                    found.list[*index].kind = StatementKind::Call;
                }
            }
            Step::Leave(node) => {
                if open.last().is_some_and(|(id, _)| *id == node.id()) {
                    open.pop();
                }
            }
        }
        true
    });
    found.place(&places);
    found
}

/// Is true if a declaration of variables gives one of them a value.
fn has_value(node: tree_sitter::Node) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.child_by_field_name("value").is_some())
}

impl Statements {
    /// The innermost statement that a line belongs to.
    pub fn at(&self, line: u32) -> Option<&Statement> {
        let index = self.by_line.get(line as usize).copied().flatten()?;
        self.list.get(index)
    }

    /// The statements that run, in the order of the file.
    pub fn running(&self) -> impl Iterator<Item = &Statement> {
        self.list.iter().filter(|statement| statement.kind != StatementKind::Header)
    }

    /// Adds a statement, which begins at the last one or behind it, and gives its index.
    fn add(&mut self, statement: Statement) -> usize {
        match self.list.last_mut() {
            Some(last) if last.lines.first == statement.lines.first => {
                last.lines.last = last.lines.last.max(statement.lines.last);
                last.kind = last.kind.max(statement.kind);
            }
            Some(_) | None => self.list.push(statement),
        }
        self.list.len() - 1
    }

    /// Says for each line which statement is the innermost there: the last one that was added. Each line is written once, however
    /// many statements stand around it.
    fn place(&mut self, places: &[(Span, usize)]) {
        // For each line the next one, it itself included, that has no statement yet, as far as that is known.
        let mut free: Vec<usize> = (0..=self.by_line.len()).collect();
        for (lines, index) in places.iter().rev() {
            let end = (lines.last as usize + 1).min(self.by_line.len());
            let mut line = next_free(&mut free, (lines.first as usize).min(end));
            while line < end {
                self.by_line[line] = Some(*index);
                free[line] = line + 1;
                line = next_free(&mut free, line + 1);
            }
        }
    }
}

/// The first line from `line` on that is free; what was passed on the way is remembered.
fn next_free(free: &mut [usize], line: usize) -> usize {
    let mut found = line;
    while free[found] != found {
        found = free[found];
    }
    let mut passed = line;
    while free[passed] != found {
        passed = std::mem::replace(&mut free[passed], found);
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    /// For each line the line of its statement and the first letter of the kind; `.` where nothing runs.
    fn check(language: &str, text: &str, expect: &[&str]) {
        let language = Language::by_name(language).unwrap();
        let source = Source::decode(text.as_bytes().to_vec()).unwrap();
        let found = statements(language, &source);
        let shown: Vec<String> = (1..=source.line_count() as u32)
            .map(|line| match found.at(line) {
                Some(statement) if statement.kind != StatementKind::Header => {
                    let letter = format!("{:?}", statement.kind).remove(0);
                    format!("{}{letter}", statement.lines.first)
                }
                Some(_) | None => ".".to_owned(),
            })
            .collect();
        assert_eq!(shown, expect, "{text}");
    }

    #[test]
    fn python() {
        check(
            "python",
            "import os\n\n@cached\ndef f(a,\n      b=1):\n    \"\"\"Text.\n\n    More.\"\"\"\n    if (a and\n            b):\n        # why\n        return g(\n            1)\n    elif b: x = 1\n    else:\n        x = [\n            1]\n    try:\n        h()\n    except E:\n        raise\n",
            &[
                ".", ".", ".", ".", ".", ".", ".", ".", "9B", "9B", "9B", "12R", "12R", "14B", "9B", "16P",
                "16P", ".", "19C", "20B", "21R",
            ],
        );
    }

    #[test]
    fn java() {
        check(
            "java",
            "package a;\n\nclass B {\n    int x;\n    int y = f(1,\n        2);\n\n    int get(int z) {\n        int sum;\n        for (int i = 0; i < z; i++) {\n            sum += i;\n        }\n        list.forEach(one -> {\n            use(one);\n        });\n        if (z > 1) return 2;\n        try (R r = open()) {\n            throw new E();\n        } catch (E e) {\n        }\n        switch (z) {\n            case 1:\n                break;\n        }\n    }\n}\n",
            &[
                ".", ".", ".", ".", "5C", "5C", ".", ".", ".", "10B", "11P", "10B", "13C", "14C", "13C",
                "16B", "17C", "18R", "19B", "19B", "21B", "22B", "23R", "21B", ".", ".",
            ],
        );
    }
}
