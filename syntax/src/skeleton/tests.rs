#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::language::Language;
use crate::reading::outline;
use crate::source::Source;

fn shown(language: &str, text: &str) -> String {
    let language = Language::by_name(language).unwrap();
    let tree = language.parse(text).unwrap();
    of_tree(language, text, &tree, &outline(language, &Source::from_text(text))).render()
}

fn check(language: &str, text: &str, expect: &[&str]) {
    let found = shown(language, text);
    let found: Vec<&str> = found.lines().collect();
    assert_eq!(found, expect, "{text}");
}

#[test]
fn python_keeps_what_declares() {
    check(
        "python",
        r#""""Queries.

More of it.
"""
import os
from a import (
    b,
)

LIMIT: int = 3
NAMES = [
    "a",
]
print(LIMIT)
LIMIT.x()

try:
    import fast
except ImportError:
    fast = None

    def slow(x):
        return x


class Query(Base,
            metaclass=Meta):
    """A query.

    Long.
    """

    field: str = "a"

    class Meta:
        ordering = ()

    @property
    @cached(1)
    async def name(self) -> str:
        """The name."""
        return self._name

    # The size,
    # in bytes.
    def size(self, a,
             b=2):  # here
        # Why.
        x = 1

        def inner():
            return x
        return inner


if __name__ == "__main__":
    main()
"#,
        &[
            r#"1|"""Queries.""""#,
            "5|import os",
            "6|from a import (",
            "7|    b,",
            "8|)",
            "10|LIMIT: int = 3",
            "11|NAMES = [",
            "12|    \"a\",",
            "13|]",
            "14|...",
            "17|try:",
            "18|    import fast",
            "19|except ImportError:",
            "20|    fast = None",
            "22|    def slow(x):",
            "23|        ...",
            "26|class Query(Base,",
            "27|            metaclass=Meta):",
            "28|    \"\"\"A query.\"\"\"",
            "33|    field: str = \"a\"",
            "35|    class Meta:",
            "36|        ordering = ()",
            "38|    @property",
            "39|    @cached(1)",
            "40|    async def name(self) -> str:",
            "41|        \"\"\"The name.\"\"\"",
            "42|        ...",
            "44|    # The size,",
            "46|    def size(self, a,",
            "47|             b=2):",
            "49|        ...",
            "51|        def inner():",
            "52|            ...",
            "53|        ...",
            "56|...",
        ],
    );
}

#[test]
fn java_keeps_what_declares() {
    check(
        "java",
        r"package a.b;

import java.util.List;

/**
 * Holds things.
 * @author me
 */
@Deprecated
public class Box<T> extends Base {
    private static final int LIMIT = 3;
    @Inject
    private List<T> things;
    static {
        load();
    }
    {
        more();
    }

    /** Makes one. */
    public Box(int size,
               List<T> things)
    {
        this.things = things;
    }

    @Override
    public T get(int index) throws IOException { // here
        Runnable run = new Runnable() {
            public void run() { }
        };
        class Local {
            int x;
        }
        return things.get(index);
    }

    abstract void open();

    int one() { return 1; }

    enum Color { RED, GREEN; }

    interface Inner {
        void f();
        default int g() {
            return 1;
        }
    }
}
",
        &[
            "1|package a.b;",
            "3|import java.util.List;",
            "6|/** Holds things. */",
            "9|@Deprecated",
            "10|public class Box<T> extends Base {",
            "11|    private static final int LIMIT = 3;",
            "12|    @Inject",
            "13|    private List<T> things;",
            "14|    static { … }",
            "17|    { … }",
            "21|    /** Makes one. */",
            "22|    public Box(int size,",
            "23|               List<T> things) { … }",
            "28|    @Override",
            "29|    public T get(int index) throws IOException {",
            "30|        ...",
            "33|        class Local {",
            "34|            int x;",
            "35|        }",
            "36|        ...",
            "37|    }",
            "39|    abstract void open();",
            "41|    int one() { return 1; }",
            "43|    enum Color { RED, GREEN; }",
            "45|    interface Inner {",
            "46|        void f();",
            "47|        default int g() { … }",
            "50|    }",
            "51|}",
        ],
    );
}

#[test]
fn bodies_that_are_only_documentation_or_nothing_stay_readable() {
    check("python", "class A:\n    '''Doc.'''\n", &["1|class A:", "2|    '''Doc.'''"]);
    check("python", "class A:\n    pass\n", &["1|class A:", "2|    ..."]);
    check(
        "python",
        "def f():\n    r\"\"\"\n    Doc.\n    \"\"\"\n",
        &["1|def f():", "3|    r\"\"\"Doc.\"\"\""],
    );
    check("python", "def f(): return 1\n", &["1|def f(): return 1"]);
    check("python", "", &[]);
    check("java", "class A {\n}\n", &["1|class A {", "2|}"]);
}

#[test]
fn long_values_are_shown_by_their_ends() {
    let values: String = (0..100).map(|number| format!("    {number},\n")).collect::<Vec<_>>().concat();
    let found = shown("python", &format!("TABLE = [\n{values}]\n\ndef f():\n    return 1\n"));
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines.len(), 23, "{found}");
    assert_eq!((lines[0], lines[9], lines[10]), ("1|TABLE = [", "10|    8,", "11|    ..."));
    assert_eq!((lines[11], lines[20], lines[21]), ("93|    91,", "102|]", "104|def f():"));
}

#[test]
fn damaged_old_and_new_code_has_a_skeleton() {
    fn holds(language: &str, text: &str, expect: &[&str]) {
        let found = shown(language, text);
        for line in expect {
            assert!(found.lines().any(|own| own == *line), "{line} in\n{found}");
        }
    }
    holds(
        "python",
        "class A:\n    def f(self):\n        print 'x' % 1\n        raise E, 'b'\n\n    def g(self, (a, b)):\n        try:\n            exec code in d\n        except E, e:\n            print >>f, `x`\n\ndef h():\n    return 0777L <> 1\n",
        &["1|class A:", "2|    def f(self):", "6|    def g(self, (a, b)):", "12|def h():"],
    );
    holds(
        "python",
        "def f(:\n    x = (1,\n\nclass B:\n    def g(self):\n        return 1\n",
        &["4|class B:", "5|    def g(self):"],
    );
    holds(
        "java",
        "sealed interface Shape permits Circle, Box {\n    record Circle(double r) implements Shape {\n        Circle {\n            check(r);\n        }\n    }\n}\nclass B {\n    String f(Object o) {\n        return switch (o) {\n            case Circle(double r) when r > 1 -> \"\"\"\n                big\n                \"\"\";\n            default -> \"x\";\n        };\n    }\n}\n",
        &[
            "1|sealed interface Shape permits Circle, Box {",
            "2|    record Circle(double r) implements Shape {",
            "3|        Circle { … }",
            "9|    String f(Object o) { … }",
        ],
    );
    holds(
        "java",
        "class A {\n    void f() {\n        if (x {\n    }\n\n    int g() {\n        return 1;\n    }\n}\n",
        &["1|class A {"],
    );
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    let deep: String =
        (0..3000).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect::<Vec<_>>().concat();
    shown("python", &deep);
    shown("java", &format!("class A {{ void f() {{ {} }} }}", "{".repeat(5000)));
    shown("python", &"(".repeat(50_000));
}
