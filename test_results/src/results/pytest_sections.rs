//! The sections ERRORS and FAILURES of pytest's text, cut into one traceback for each test.

use patchwright_protocol::TestId;
use patchwright_syntax::pattern::{Pattern, pattern};

static SECTION: Pattern = pattern!(r"^=+ (ERRORS|FAILURES) =+\s*$");
static OTHER_SECTION: Pattern = pattern!(r"^=+ (?:PASSES|XFAILURES|XPASSES|warnings summary.*) =+\s*$");
static TITLE: Pattern = pattern!(r"^_+ (.+?) _+\s*$");
static EXPLAINED: Pattern = pattern!(r"^E {3,7}(.*)$");
static SYNTAX: Pattern = pattern!(r"^E {3}(\w*(?:Syntax|Indentation|Tab)Error: .*)$");

/// The tracebacks with the tests they belong to. `failing` holds the failing tests in the order of the summary, which
/// is the order of the sections too; a line that looks like a title and fits none of them is text like any other.
pub(super) fn traces(lines: &[&str], failing: &[&TestId]) -> Vec<(TestId, String)> {
    let mut taken = vec![false; failing.len()];
    let mut found: Vec<(TestId, Vec<&str>)> = Vec::new();
    let mut open = false;
    let mut inside = false;
    for line in lines {
        if SECTION.is_match(line) {
            (open, inside) = (true, false);
        } else if OTHER_SECTION.is_match(line) {
            (open, inside) = (false, false);
        } else if let Some(index) = TITLE.captures(line).filter(|_| open).and_then(|title| {
            (0..failing.len()).find(|index| !taken[*index] && fits(&title[1], failing[*index]))
        }) {
            taken[index] = true;
            inside = true;
            found.push((failing[index].clone(), Vec::new()));
        } else if inside {
            found.last_mut().into_iter().for_each(|(_, trace)| trace.push(line));
        }
    }
    found.into_iter().map(|(id, trace)| (id, trace.join("\n").trim_end().to_owned())).collect()
}

/// Is true if a title is that of a test: its name without the file, `.` between class and function.
fn fits(title: &str, id: &TestId) -> bool {
    if let Some(path) = title.strip_prefix("ERROR collecting ") {
        return path == id.as_str();
    }
    let title = ["setup", "teardown"]
        .iter()
        .find_map(|phase| title.strip_prefix("ERROR at ")?.strip_prefix(phase)?.strip_prefix(" of "))
        .unwrap_or(title);
    let Some((_, name)) = id.as_str().split_once("::") else { return false };
    // Parameters may hold `::`; only what stands before them is joined by dots.
    let start = name.find('[').unwrap_or(name.len());
    let name = format!("{}{}", name[..start].replace("::", "."), &name[start..]);
    // A subtest adds its own parameters.
    title.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// The first line of the explanation in a traceback. Of a syntax error the source comes first, then the error.
pub(crate) fn message(trace: &str) -> Option<String> {
    let lines = || trace.lines();
    let found = lines()
        .find_map(|line| SYNTAX.captures(line))
        .or_else(|| lines().find_map(|line| EXPLAINED.captures(line)))?;
    Some(found[1].trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn titles_name_tests() {
        let check = |title: &str, id: &str, expect: bool| {
            assert_eq!(fits(title, &TestId::new(id)), expect, "{title}");
        };
        check("test_a", "t.py::test_a", true);
        check("test_a[x]", "t.py::test_a", false);
        check("TestA.TestB.test_c[a::b]", "t.py::TestA::TestB::test_c[a::b]", true);
        check("ERROR at setup of TestA.test_b", "t.py::TestA::test_b", true);
        check("ERROR collecting tests/test_a.py", "tests/test_a.py", true);
        check("TestA.test_sub (i=0)", "t.py::TestA::test_sub", true);
        check("ERROR collecting tests/test_a.py", "t.py::test_a", false);
    }

    #[test]
    fn same_names_in_two_files_go_by_order() {
        let (one, two) = (TestId::new("a.py::test_x"), TestId::new("b.py::test_x"));
        let lines = [
            "=== FAILURES ===",
            "__ test_x __",
            "first",
            "__ other __",
            "___ test_x ___",
            "second",
            "=== PASSES ===",
            "x",
        ];
        assert_eq!(
            traces(&lines, &[&one, &two]),
            [(one.clone(), "first\n__ other __".to_owned()), (two.clone(), "second".to_owned())]
        );
    }
}
