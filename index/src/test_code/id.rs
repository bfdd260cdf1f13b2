//! Reading test ids in the ways that test runners write them.

use std::path::Path;

use patchwright_syntax::Language;

/// A test id in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TestNameParts {
    /// The file, if the id names one.
    pub file: Option<String>,
    /// Package, module and class names, outermost first; which is which only the project can tell.
    pub names: Vec<String>,
    /// The names that are certain to be classes inside of what `names` ends with, outermost first.
    pub classes: Vec<String>,
    /// The method or function, without parameters.
    pub method: String,
}

/// Reads an id; `None` if it names no test.
pub(crate) fn parse(asked: &str) -> Option<TestNameParts> {
    if let Some(id) = by_title(asked.trim()) {
        return Some(id);
    }
    let text = asked.trim().trim_matches(['`', '"', '\'']).trim();
    let id = behind_brackets(text)
        .or_else(|| by_colons(text))
        .or_else(|| by_mark(text, '#'))
        .or_else(|| by_mark(text, '>'))
        .or_else(|| by_dots(text))?;
    let named = |name: &String| !name.is_empty() && name.chars().all(is_name);
    let placed = id.file.is_some() || !id.names.is_empty();
    (placed && named(&id.method) && id.names.iter().chain(&id.classes).all(named)).then_some(id)
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// `test_x (pkg.mod.Class)` of unittest, also with the method at the end and with a sub-test behind, and
/// `testX(org.x.FooTest)`, `testX[0](org.x.FooTest)` of JUnit.
fn behind_brackets(text: &str) -> Option<TestNameParts> {
    let end = text.find(|letter| !is_name(letter))?;
    let (method, rest) = text.split_at(end);
    let rest = match rest.strip_prefix('[') {
        Some(parameters) => parameters.split_once(']')?.1,
        None => rest,
    };
    let apart = rest.starts_with(' ');
    let container = rest.trim_start().strip_prefix('(')?.split_once(')')?.0;
    let dotted = container.contains('.') || container.starts_with(char::is_uppercase);
    if !(apart || dotted) || container.contains([',', ' ']) {
        return None;
    }
    let (mut names, classes) = split_names(container);
    if classes.is_empty() && names.len() > 1 && names.last().is_some_and(|last| last == method) {
        names.pop();
    }
    Some(TestNameParts { file: None, names, classes, method: method.to_owned() })
}

/// `path/x.test.js::group::title` in a language whose tests have titles, which may be any text.
fn by_title(text: &str) -> Option<TestNameParts> {
    let (head, rest) = text.split_once("::")?;
    let rules = &Language::of_path(Path::new(head))?.entry().tests.titled;
    if rules.tests.is_empty() {
        return None;
    }
    let mut classes: Vec<String> = rest.split("::").map(str::to_owned).collect();
    let method = classes.pop().filter(|title| !title.is_empty())?;
    Some(TestNameParts { file: Some(head.to_owned()), names: Vec::new(), classes, method })
}

/// `path/test_x.py::Class::test[param]` of pytest and `pkg.Outer$Inner::method`.
fn by_colons(text: &str) -> Option<TestNameParts> {
    let (head, rest) = text.split_once("::")?;
    let rest = without_parameters(rest);
    let mut parts: Vec<String> = rest.split("::").map(|part| part.trim().to_owned()).collect();
    let method = parts.pop()?;
    if Language::of_path(Path::new(head)).is_some() {
        return Some(TestNameParts {
            file: Some(head.to_owned()),
            names: Vec::new(),
            classes: parts,
            method,
        });
    }
    let (names, mut classes) = split_names(head);
    classes.extend(parts);
    Some(TestNameParts { file: None, names, classes, method })
}

/// `pkg.Class#method` and `Class > method`.
fn by_mark(text: &str, mark: char) -> Option<TestNameParts> {
    let (head, method) = text.split_once(mark)?;
    let (names, classes) = split_names(head.trim());
    Some(TestNameParts { file: None, names, classes, method: without_parameters(method).trim().to_owned() })
}

/// `pkg.module.Class.test_x` and `org.x.FooTest.testX`.
fn by_dots(text: &str) -> Option<TestNameParts> {
    let text = without_parameters(text);
    let (head, method) = text.rsplit_once('.')?;
    let (names, classes) = split_names(head);
    Some(TestNameParts { file: None, names, classes, method: method.to_owned() })
}

fn without_parameters(text: &str) -> &str {
    text.split(['[', '(']).next().unwrap_or(text)
}

/// Names joined by dots, and the classes behind the first `$`.
fn split_names(text: &str) -> (Vec<String>, Vec<String>) {
    let (outer, inner) = text.split_once('$').map_or((text, None), |(outer, inner)| (outer, Some(inner)));
    let list = |text: &str, mark: char| text.split(mark).map(|part| part.trim().to_owned()).collect();
    (list(outer, '.'), inner.map_or_else(Vec::new, |inner| list(inner, '$')))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_runners_write_them() {
        let check = |text: &str, file: &str, names: &str, classes: &str, method: &str| {
            let id = parse(text).unwrap_or_else(|| panic!("{text}"));
            let found = (id.file.unwrap_or_default(), id.names.join("."), id.classes.join("."), id.method);
            assert_eq!(
                found,
                (file.to_owned(), names.to_owned(), classes.to_owned(), method.to_owned()),
                "{text}"
            );
        };
        // Java
        check("org.x.FooTest::testBar", "", "org.x.FooTest", "", "testBar");
        check("org.x.FooTest$Inner$Deep::testBar", "", "org.x.FooTest", "Inner.Deep", "testBar");
        check("org.x.FooTest#testBar", "", "org.x.FooTest", "", "testBar");
        check("org.x.FooTest.testBar", "", "org.x.FooTest", "", "testBar");
        check("org.x.FooTest::testBar[2: a, b]", "", "org.x.FooTest", "", "testBar");
        check("org.x.FooTest::testBar(int, String)[1]", "", "org.x.FooTest", "", "testBar");
        check("testBar(org.x.FooTest)", "", "org.x.FooTest", "", "testBar");
        check("testBar[0](org.x.FooTest)", "", "org.x.FooTest", "", "testBar");
        check("testBar(FooTest)", "", "FooTest", "", "testBar");
        check("FooTest > testBar()", "", "FooTest", "", "testBar");
        // pytest
        check("tests/test_a.py::test_x", "tests/test_a.py", "", "", "test_x");
        check("tests/test_a.py::TestA::TestB::test_x", "tests/test_a.py", "", "TestA.TestB", "test_x");
        check("tests/test_a.py::test_x[a::b-[1]-c d.py]", "tests/test_a.py", "", "", "test_x");
        // node's runner, mocha
        check("test/a.test.js::f(x)::adds 1.5 [twice]", "test/a.test.js", "", "f(x)", "adds 1.5 [twice]");
        // unittest
        check("pkg.test_mod.TestA.test_x", "", "pkg.test_mod.TestA", "", "test_x");
        check("test_x (pkg.test_mod.TestA)", "", "pkg.test_mod.TestA", "", "test_x");
        check("test_x (pkg.test_mod.TestA.test_x)", "", "pkg.test_mod.TestA", "", "test_x");
        check("test_x (pkg.test_mod.TestA.test_x) (i=3, name='a')", "", "pkg.test_mod.TestA", "", "test_x");
        check("test_x (__main__.TestA)", "", "__main__.TestA", "", "test_x");
        check("`pkg.test_mod.TestA.test_x`", "", "pkg.test_mod.TestA", "", "test_x");
    }

    #[test]
    fn what_names_no_test_is_no_id() {
        for text in
            ["", "test", "tests/test_a.py", "org.x.FooTest::", "a b c", "tests/test_a.py::", "::", "..x"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
