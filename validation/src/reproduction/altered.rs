//! What a test's change does to the tests that were there: a test for an issue is added, and weakens none.

use patchwright_edits::{Applied, FileChange};
use patchwright_syntax::{Language, Method, outline};

use super::test_text::{source_of, telling_lines, text_of};

/// The functions that were there and that a change of tests alters, each as `path: Class.function`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlteredTests {
    /// Tests that are not there any more.
    pub removed: Vec<String>,
    /// Tests, and functions beside them, of which a line is changed or taken away. What only gets more lines is none.
    pub changed: Vec<String>,
}

impl AlteredTests {
    /// Looks at what a change makes of the files that were there.
    pub fn of(added: &Applied) -> Self {
        let mut altered = Self::default();
        for file in &added.files {
            altered.look_at(file);
        }
        altered
    }

    fn look_at(&mut self, file: &FileChange) {
        let Some(language) = Language::of_path(file.path.as_path()) else { return };
        let (before, after) =
            (bodies(language, file.before.as_deref()), bodies(language, file.after.as_deref()));
        for (name, is_test, lines) in before {
            let now: Vec<_> = after.iter().filter(|(other, ..)| *other == name).collect();
            let list = if now.is_empty() && is_test {
                &mut self.removed
            } else if now.is_empty() || now.iter().any(|(_, _, now)| holds(now, &lines)) {
                continue;
            } else {
                &mut self.changed
            };
            list.push(format!("{}: {name}", file.path));
        }
    }
}

/// The functions of a file: name, whether it is a test, lines. Several may have one name.
fn bodies(language: Language, bytes: Option<&[u8]>) -> Vec<(String, bool, Vec<String>)> {
    let source = source_of(bytes);
    let rules = &language.entry().tests;
    let body = |method: &Method| {
        let (name, text) = text_of(method, &source);
        (name, rules.is_test(method), telling_lines(&text))
    };
    outline(language, &source).all_methods().into_iter().map(|(_, method)| body(method)).collect()
}

/// Is true if all lines are there in their order, whatever stands between them.
fn holds(now: &[String], lines: &[String]) -> bool {
    let mut now = now.iter();
    lines.iter().all(|line| now.any(|other| other == line))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use patchwright_syntax::ProjectPath;

    #[test]
    fn what_was_there_is_told_where_it_loses_lines() {
        let check = |path: &str, before: &str, after: &str, removed: &[&str], changed: &[&str]| {
            let file = FileChange {
                path: ProjectPath::new(path).unwrap(),
                before: Some(before.as_bytes().to_vec()),
                after: Some(after.as_bytes().to_vec()),
            };
            let altered =
                AlteredTests::of(&Applied { files: vec![file], notes: Vec::new(), comment_only: false });
            assert_eq!(altered.removed, removed, "{after}");
            assert_eq!(altered.changed, changed, "{after}");
        };
        let python = "import a\n\ndef rate():\n    return 1\n\nclass T:\n    def test_a(self):\n        assert a.f(1) == 2\n";
        let of_python = |after: &str, removed: &[&str], changed: &[&str]| {
            check("tests/test_a.py", python, after, removed, changed);
        };
        of_python(&format!("{python}\n    def test_b(self):\n        assert a.f(2) == 2\n"), &[], &[]);
        of_python(&python.replace("== 2\n", "== 2\n        assert a.f(0) == 0\n"), &[], &[]);
        of_python(&python.replace("== 2", "== 3"), &[], &["tests/test_a.py: T.test_a"]);
        of_python(&python.replace("return 1", "return 2"), &[], &["tests/test_a.py: rate"]);
        of_python(&python.replace("test_a", "test_c"), &["tests/test_a.py: T.test_a"], &[]);
        of_python("import a\n", &["tests/test_a.py: T.test_a"], &[]);
        let javascript = "test('adds', () => {\n    assert.equal(f(1), 2);\n});\n\nfunction helper() {\n    return 1;\n}\n";
        let of_javascript = |after: &str, removed: &[&str], changed: &[&str]| {
            check("test/a.test.js", javascript, after, removed, changed);
        };
        of_javascript(&format!("{javascript}\ntest('more', () => {{\n    f(2);\n}});\n"), &[], &[]);
        of_javascript(&javascript.replace("'adds'", "'sums'"), &["test/a.test.js: adds"], &[]);
        of_javascript(&javascript.replace(", 2", ", 3"), &[], &["test/a.test.js: adds"]);
        of_javascript(&javascript.replace("return 1", "return 2"), &[], &["test/a.test.js: helper"]);
        let java =
            "class ATest {\n    @Test\n    public void one() {\n        assertEquals(1, A.f());\n    }\n}\n";
        check(
            "src/test/java/ATest.java",
            java,
            &java.replace("one", "two"),
            &["src/test/java/ATest.java: ATest.one"],
            &[],
        );
        check(
            "src/test/java/ATest.java",
            java,
            &java.replace("(1,", "(2,"),
            &[],
            &["src/test/java/ATest.java: ATest.one"],
        );
    }
}
