"""Tests of what can be wrong without being noticed: `python3 -m unittest discover benches/wild`."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "shared")]

import java_mutations
import python_mutations
from python_language import is_production
from session import Trajectory, changed_lines
from suite import apply
from summary import percentile
from table import TableError, read_table


class Mutations(unittest.TestCase):
    """What the operators make of small sources."""

    def proposed(self, mutations, source: str, operator: str) -> set[str]:
        """The mutants of an operator, when all lines are executed."""
        data = source.encode()
        found = mutations(data, set(range(1, source.count("\n") + 2)))
        return {apply(data, [one]).decode() for one in found if one.operator == operator}

    def test_python(self) -> None:
        """A mutant differs in the touched place alone, behind characters of several bytes too."""

        def check(body: str, operator: str, *expect: str) -> None:
            head = "def f(a, b):\n    "
            found = self.proposed(python_mutations.mutations, head + body, operator)
            self.assertEqual(found, {head + mutant for mutant in expect}, operator)

        check("return (a) <= b\n", "wrong comparison", "return (a) < b\n")
        check("return 'äöü', a is not b\n", "wrong comparison", "return 'äöü', a is b\n")
        check("return a - b\n", "wrong operator", "return a + b\n")
        check("return 'a' + b\n", "wrong operator")
        check("return g(a, b)\n", "swapped arguments", "return g(b, a)\n")
        check("return g(a, *b)\n", "swapped arguments")
        check("return not a\n", "dropped not", "return a\n")
        check("g(a)\n    return b\n", "dropped statement", "return b\n")
        check("g(a)\n", "dropped statement")
        check("return b.strip()\n", "missing call", "return b\n")
        loop = "for c in g():\n        g(c)\n"
        check(loop + "    return b\n", "early return", loop + "        return b\n")
        choice = "if a:\n        {}()\n    else:\n        {}()\n"
        check(choice.format("g", "b"), "exchanged bodies", choice.format("b", "g"))
        check("return a[1:b]\n", "changed slice", "return a[:b]\n", "return a[1:b + 1]\n", "return a[1:b - 1]\n")
        handler = "try:\n        g()\n    except {}:\n        pass\n"
        check(handler.format("(A, B)"), "wrong exception", handler.format("A"), handler.format("B"))

    def test_python_needs_an_executed_body(self) -> None:
        """The import executes the line of a signature."""
        source = b"def f(a=1):\n    return a + 1\n"
        self.assertEqual(python_mutations.mutations(source, {1}), [])
        self.assertEqual({one.line for one in python_mutations.mutations(source, {1, 2})}, {1, 2})

    def test_java(self) -> None:
        """Comments and literals are left alone."""

        def check(body: str, operator: str, *expect: str) -> None:
            head = "class C {\n  int f(int a, int b) {\n    "
            found = self.proposed(java_mutations.mutations, head + body + "\n  }\n}\n", operator)
            self.assertEqual(found, {head + mutant + "\n  }\n}\n" for mutant in expect}, operator)

        check("return a < b; // a < b", "wrong comparison", "return a <= b; // a < b")
        check('return g(" < ");', "wrong comparison")
        check("return g(a, b);", "swapped arguments", "return g(b, a);")
        check("return a;", "wrong variable", "return b;")
        check("return Math.min(a, b);", "wrong choice", "return Math.max(a, b);")


class Figures(unittest.TestCase):
    """What is read from a session."""

    def test_percentile(self) -> None:
        """The nearest rank."""
        values = [float(value) for value in range(1, 21)]
        self.assertEqual([percentile(values, share) for share in (0.5, 0.95, 1.0)], [10.0, 19.0, 20.0])
        self.assertEqual(percentile([7.0], 0.5), 7.0)

    def test_changed_lines(self) -> None:
        """Headers, context and white space at line ends do not count."""
        one = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n c\n-a\n+b  \n"
        self.assertEqual(changed_lines(one), changed_lines("-a\n+b\n"))
        self.assertNotEqual(changed_lines(one), changed_lines("+a\n-b\n"))

    def test_trajectory_waits_for_the_end_of_a_line(self) -> None:
        """A record is read when all of it is written."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "trajectory.jsonl")
            trajectory = Trajectory(path)
            self.assertEqual(trajectory.new_events(), [])
            path.write_text('{"ms": 1}\n{"ms"')
            self.assertEqual(trajectory.new_events(), [{"ms": 1}])
            path.write_text('{"ms": 1}\n{"ms": 2}\n')
            self.assertEqual(trajectory.new_events(), [{"ms": 2}])


class Table(unittest.TestCase):
    """The table of projects."""

    def test_the_table_can_be_read(self) -> None:
        """Each project once."""
        keys = [project.key for project in read_table(Path(__file__).with_name("projects.toml"))]
        self.assertEqual(len(keys), len(set(keys)))

    def test_what_is_kept_for_judging_is_refused(self) -> None:
        """Under Debian's names too."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "projects.toml")
            for language, name in (("python", "sympy"), ("java", "libcommons-cli-java"), ("java", "commons-csv")):
                path.write_text(f'[[{language}]]\nname = "{name}"\nversion = "1"\n')
                with self.assertRaises(TableError):
                    read_table(path)

    def test_production_code(self) -> None:
        """Tests, documentation and build scripts are none."""
        for path, expect in {
            "src/a/b.py": True,
            "a/testing_tools.py": True,
            "tests/helper.py": False,
            "a/test_b.py": False,
            "a/b_test.py": False,
            "setup.py": False,
            ".venv/lib/x.py": False,
            "docs/conf.py": False,
        }.items():
            self.assertEqual(is_production(path), expect, path)


if __name__ == "__main__":
    unittest.main()
