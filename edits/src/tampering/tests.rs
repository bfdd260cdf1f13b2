//! What is marked, and what is not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;

mod comparisons;
mod excused;
mod java;
mod javascript;
mod loaded;
mod python;
mod shadowed;
mod worth;

/// The files of a project, by their paths.
struct Contents(&'static [&'static str]);

impl ProjectContents for Contents {
    fn contains(&self, path: &str) -> bool {
        self.0.iter().any(|file| *file == path || file.starts_with(&format!("{path}/")))
    }
}

const CONTENTS: &[&str] =
    &["till/__init__.py", "till/sum.py", "src/main/java/till/Sum.java", "lib/sum.js", "src/sum.ts"];

fn signs(path: &str, before: Option<&str>, after: &str) -> Vec<String> {
    let bytes = |text: &str| text.as_bytes().to_vec();
    let change = FileChange {
        path: ProjectPath::new(path).unwrap(),
        before: before.map(bytes),
        after: Some(bytes(after)),
    };
    let applied = Applied { files: vec![change], notes: Vec::new(), comment_only: false };
    applied.tampering(&Contents(CONTENTS)).iter().map(ToString::to_string).collect()
}

#[test]
fn lines_that_bend_tests_are_found_where_they_are_new() {
    let check = |path: &str, line: &str, expect: bool| {
        let old = if path == "till/sum.py" { "one = 1\n" } else { "int one;\n" };
        let found = signs(path, Some(old), &format!("{old}{line}\n"));
        assert_eq!(!found.is_empty(), expect, "{line}: {found:?}");
        assert!(found.iter().all(|sign| sign.starts_with(&format!("{path}:2 "))), "{found:?}");
        assert!(
            signs(path, Some(&format!("{line}\n")), &format!("{line}\nx = 1\n")).is_empty(),
            "{line} is old"
        );
    };
    for line in [
        "import unittest; unittest.TestCase.run = print",
        "from _pytest import runner",
        "os._exit(0)",
        "    sys.exit()",
        "    raise SystemExit(0)",
        "atexit.register(forge)",
        "sys.modules['json'] = None",
        "path = os.environ['PATCHWRIGHT_RESULTS']",
        "for one in gc.get_objects():",
        "frame = sys._getframe(1)",
        "library = ctypes.CDLL(None)",
        "exec(text)",
        "builtins.AssertionError = Quiet",
        "open('/proc/self/fd/3', 'w')",
        "from sys import maxsize, modules",
        "frame = problem.__traceback__.tb_frame.f_back",
        "walk = traceback.walk_stack(None)",
        "runpy.run_path('data.txt')",
        "case = pkgutil.resolve_name('unit' 'test:TestCase')",
        "case = load('unit' + 'test')",
        "import \u{ff55}nittest",
        "# -*- coding: utf-7 -*-",
        "os.execv('/bin/echo', ['echo', 'OK'])",
        "def pytest_pyfunc_call(item): return True",
        "x = gc.get_objects()",
        "def __eq__(self, other): return True",
    ] {
        check("till/sum.py", line, true);
    }
    for line in [
        "return one + other",
        "# unittest",
        "executed(text)",
        "exit_code = 1",
        "self.modules = {}",
        "import json",
        "from sys import maxsize",
        "def eval(self, names): pass",
        "\"\"\"Ends it; found by pytest.\"\"\"",
        "# -*- coding: utf-8 -*-",
        "größe = 1",
        "task.cancel() + 'ab'",
    ] {
        check("till/sum.py", line, false);
    }
    for line in [
        "System.exit(0);",
        "Runtime.getRuntime().halt(0);",
        "import org.junit.Assert;",
        "field.setAccessible(true);",
        "Runtime.getRuntime().addShutdownHook(hook);",
        "System.getenv(\"PATCHWRIGHT_OUT\");",
        "field.trySetAccessible();",
        "// see \\u000a System.out.println();",
        "final class Assert {}",
        "class Any { public boolean equals(Object other) { return true; } }",
        "Class.forName(\"org.ju\" + \"nit.Assert\");",
    ] {
        check("src/main/java/till/Sum.java", line, true);
    }
    for line in
        ["return one + other;", "// org.junit", "system.exit(0);", "int halt = 1;", "char bell = '\\u0007';"]
    {
        check("src/main/java/till/Sum.java", line, false);
    }
}

#[test]
fn code_is_read_over_the_ends_of_lines() {
    let old = "class Sum {\n    void f() {\n    }\n}\n";
    let new = "class Sum {\n    void f() {\n        Runtime\n            .getRuntime()\n            .halt(0);\n    }\n}\n";
    let found = signs("Sum.java", Some(old), new);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn files_that_tests_load_are_found() {
    let check = |path: &str, before: Option<&str>, expect: bool| {
        let found = signs(path, before, "x\n");
        assert_eq!(!found.is_empty(), expect, "{path}: {found:?}");
    };
    for path in [
        "conftest.py",
        "till/conftest.py",
        "sitecustomize.py",
        "lib/x.pth",
        "pytest.ini",
        "setup.cfg",
        "build.xml",
    ] {
        check(path, None, true);
        check(path, Some("y\n"), true);
    }
    check("test_sum/__init__.py", None, true);
    check("till-1.0.dist-info/entry_points.txt", None, true);
    check("json.py", None, true);
    check("app/json.py", None, true);
    check("app/json/__init__.py", None, true);
    check("src/unittest/__init__.py", None, true);
    check("till/json.py", None, false);
    check("json.py", Some("the project's own\n"), false);
    check("src/main/java/org/junit/Assert.java", None, true);
    check("src/main/java/till/Junit.java", None, false);
    check("till/new.py", None, false);
    check("anything.py", None, true);
    check("src/anything/__init__.py", None, true);
    check("src/main/java/org/assertj/core/api/Assertions.java", None, true);
    check("lib/node_modules/assert/index.js", None, true);
    check("lib/new.js", None, false);
}

/// Code that is put into a project, and whether it is marked.
fn check_code(path: &str, codes: &[&str], expect: bool) {
    let frame = |code: &str| match Language::of_path(std::path::Path::new(path)).map(Language::name) {
        Some("java") => format!("package till;\n\n{code}\n"),
        _ => format!("{code}\n"),
    };
    let wrong: Vec<_> = codes
        .iter()
        .map(|code| (code, signs(path, Some(&frame("")), &frame(code))))
        .filter(|(_, found)| found.is_empty() == expect)
        .collect();
    assert!(wrong.is_empty(), "of {}: {wrong:#?}", codes.len());
}

#[test]
fn a_library_is_not_taken_for_the_project_by_its_package() {
    let check = |package: &str, expect: bool| {
        let found =
            signs("src/main/java/till/New.java", None, &format!("package {package};\n\nclass New {{}}\n"));
        assert_eq!(!found.is_empty(), expect, "{package}: {found:?}");
    };
    check("till", false);
    check("till.more", false);
    check("org.assertj.core.api", true);
}

#[test]
fn code_that_a_change_gives_another_meaning_is_marked() {
    let before = "import json\n\nclass Own:\n    pass\n\nkind = Own\nkind.dumps = print\n";
    let found = signs("till/sum.py", Some(before), &before.replace("kind = Own", "kind = json"));
    assert_eq!(found, ["till/sum.py:7 changes what it does not define"]);
    let moved = before.replace("kind = Own", "kind = Own\nother = 1");
    assert!(signs("till/sum.py", Some(before), &moved).is_empty());
}

/// Aliases against the order of the text take a round each.
#[test]
fn long_chains_and_deep_nesting_end() {
    let functions = (0..20).map(|at| format!("def f{at}():\n    return f{}()\n", at + 1));
    let chain = functions.collect::<Vec<_>>().concat();
    let code = format!("import json\n{chain}f20 = lambda: json\nf0().dumps = print\n");
    assert!(!signs("till/sum.py", Some(""), &code).is_empty());
    let deep = 5_000;
    for code in [
        format!("const x = {}1{};\n", "(".repeat(deep), ")".repeat(deep)),
        format!("{}x{} = [];\n", "[".repeat(deep), "]".repeat(deep)),
        format!("x{}.y = 1;\n", ".z()".repeat(deep)),
        format!("x = {}1;\n", "1 + ".repeat(deep)),
    ] {
        signs("lib/sum.js", Some(""), &code);
    }
}

#[test]
fn examples_that_are_lost_are_found() {
    let text = |want: &str| format!("Sums.\n\n>>> add(2, 3)\n{want}\n\nMore.\n");
    let code = |want: &str| {
        format!("def add(one, other):\n    \"\"\"{}    \"\"\"\n", text(want).replace('\n', "\n    "))
    };
    for (path, [old, new]) in [("README.rst", ["5", "-1"].map(text)), ("till/sum.py", ["5", "-1"].map(code))]
    {
        let found = signs(path, Some(&old), &new);
        assert!(found.len() == 1 && found[0].contains("example"), "{path}: {found:?}");
        assert_eq!(signs(path, Some(&old), &old.replace("More", "Less")), [""; 0], "{path}");
    }
    assert_eq!(signs("notes.rst", None, &text("5")), [""; 0], "a new one is none that tests have");
    for end in ["\n    \"\"\"", "\"\"\""] {
        let code = format!(
            "def add(one, other):\n    \"\"\"Sums.\n\n    >>> add(2, 3)\n    5{end}\n    return one - other\n"
        );
        assert_eq!(signs("till/sum.py", Some(&code), &code.replace('-', "+")), [""; 0], "{code}");
    }
}
