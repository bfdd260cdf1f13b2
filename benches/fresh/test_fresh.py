"""Tests of what can be wrong without being noticed: `python3 -m unittest discover benches/fresh`."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path
from unittest.mock import patch

HERE = Path(__file__).resolve().parent
for shared in (".", "../wild", "../shared"):
    sys.path.append(str((HERE / shared).resolve()))

from collections import Counter

from edits import as_edits, only_tests
from fix_commits import fixes, is_test
from fresh_cases import _shares, read_cases, make_cases
from functions import changed, functions
from git import GitError, Repository, git
from endpoint import serve
from issue_text import from_fragment, from_message, holds_code, is_aside, is_telling
from readers import Reader, in_folder, without_files
from repositories import Row, TableError, repository_name, row_for, rows
from shown_code import changed_lines, shown
from test_runs import is_of

SOURCE = '''class A:
    """Doc."""

    @property
    def size(self) -> int:
        """Says the size."""
        return 1

    @size.setter
    def size(self, value):
        self.value = value


def f(a: int):
    # A comment.
    def g():
        return a
    return g
'''


class Readers(unittest.TestCase):
    """Sessions whose answers are files."""

    def test_paths_of_a_folder(self) -> None:
        """The paths of a session in a folder of the repository begin at the repository."""
        patch = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"
        self.assertEqual(in_folder(patch, "."), patch)
        self.assertEqual(in_folder(patch, "y/z"), patch.replace("x.py", "y/z/x.py"))

    def test_question_and_answer(self) -> None:
        """What is new is written down; a fenced block is the call of the only tool."""
        tools = [{"type": "function", "function": {"name": "bash", "parameters": {}}}]
        with tempfile.TemporaryDirectory() as folder, serve(Reader(Path(folder))) as url:

            def ask(messages: list[dict], answer: str, number: int) -> dict:
                Path(folder, f"answer-{number}.md").write_text(answer)
                body = json.dumps({"model": "reader", "messages": messages, "tools": tools}).encode()
                with urllib.request.urlopen(f"{url}/chat/completions", body) as reply:
                    return json.load(reply)["choices"][0]["message"]

            first = [{"role": "user", "content": "Repair it."}]
            said = ask(first, "I look.\n```bash\nls\npwd\n```\n", 1)
            self.assertEqual(said["content"], "I look.")
            self.assertEqual(json.loads(said["tool_calls"][0]["function"]["arguments"]), {"command": "ls\npwd"})
            said = ask([*first, said, {"role": "tool", "content": "a.py"}], "Done.", 2)
            self.assertEqual(said, {"role": "assistant", "content": "Done."})
            second = Path(folder, "question-2.md").read_text()
            self.assertIn("a.py", second)
            self.assertNotIn("Repair it.", second)

    def test_files_are_left_out(self) -> None:
        """New files, too."""
        parts = [
            f"diff --git a/{path} b/{path}\n--- {old}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n"
            for path, old in [("shop/a.py", "a/shop/a.py"), ("tests/test_a.py", "/dev/null")]
        ]
        self.assertEqual(without_files("".join(parts), lambda path: path.startswith("tests/")), parts[0])


class Functions(unittest.TestCase):
    """Functions of a source."""

    def test_names_and_lines(self) -> None:
        """Methods, properties, nested functions."""
        found = functions(SOURCE)
        self.assertEqual({name: len(those) for name, those in found.items()}, {"A.size": 2, "f": 1})
        self.assertEqual([(one.first, one.body, one.last) for one in found["A.size"]], [(4, 7, 7), (9, 11, 11)])

    def test_only_code_counts(self) -> None:
        """Comments, docstrings and annotations do not change a function."""
        other = SOURCE.replace("a: int", "a: str").replace("# A comment.", "# Another.").replace("Says", "Tells")
        self.assertEqual(changed(functions(SOURCE), functions(other)), [])
        other = SOURCE.replace("return 1", "return 2")
        self.assertEqual([one.first for one in changed(functions(SOURCE), functions(other))], [4])


class Issues(unittest.TestCase):
    """Issues made of what commits say."""

    def test_fragments(self) -> None:
        """What only a changelog has goes."""
        head = ".. change::\n    :tags: bug, orm\n    :tickets: 1\n\n"
        fragment = f"{head}    Fixed :meth:`~a.B.c` which ``raised``.\n    Courtesy Me.\n"
        self.assertEqual(from_fragment(fragment), "Fixed `a.B.c` which `raised`.\n")
        fragment = "RELEASE_TYPE: patch\n\nThis patch fixes :func:`x.y` (:issue:`12`).\n"
        self.assertEqual(from_fragment(fragment), "This patch fixes `x.y`.\n")
        self.assertEqual(from_fragment("Fixed a thing -- by :user:`me`.\n"), "Fixed a thing.\n")

    def test_messages(self) -> None:
        """Trailers, numbers and the list of a squash go."""
        message = "fix: crash of f (#12)\n\n* fix f\n\nIt crashed.\n\n---------\n\nCo-authored-by: A <a@b>\n"
        self.assertEqual(from_message(message), "Crash of f\n\nIt crashed.\n")
        message = "Fix a crash\n\nPR #3 left g alone.\nSee the table of codes.\n\nFixes #4, #5\nSee https://x.org/issues/6\n"
        self.assertEqual(from_message(message), "Fix a crash\n\nPR #3 left g alone.\nSee the table of codes.\n")

    def test_judged(self) -> None:
        """Titles, length, and code of the fix."""
        for title in ("Fix typo in f", "docs: fix", "CI: fix", "Fix flaky test", "Bump x"):
            self.assertTrue(is_aside(title), title)
        self.assertFalse(is_aside("Fix wrong result of f"))
        self.assertFalse(is_telling("Fix f"))
        self.assertTrue(holds_code("use `value = compute(a, b)` there", "+    value = compute(a, b)\n"))
        self.assertFalse(holds_code("the value is wrong", "+    value = compute(a, b)\n"))


class Edits(unittest.TestCase):
    """A patch as edits."""

    def test_runs_of_changes(self) -> None:
        """Two runs in one hunk: insertions stand where their run begins."""
        text = "--- a/x.py\n+++ b/x.py\n@@ -3,5 +3,6 @@\n-a\n-b\n+c\n d\n-e\n+f\n+g\n h\n"
        edit = {"file_path": "x.py", "deletions": [3, 4, 6], "insertions": [
            {"line_number": 3, "new_lines": ["c"]}, {"line_number": 6, "new_lines": ["f", "g"]}]}
        self.assertEqual(as_edits(text), [edit])
        self.assertEqual(changed_lines(text), {"x.py": {3, 4, 5, 6, 7}})

    def test_only_some_tests(self) -> None:
        """What tests share stays, and classes keep a body."""
        one, two = "def common():\n    pass\n\n", "def test_a():\n    pass\n\n"
        source = f"{one}{two}class TestB:\n    def test_b(self):\n        pass\n"
        text = only_tests(source, {"test_a"})
        compile(text, "x", "exec")
        self.assertIn("def common", text)
        self.assertIn("def test_a", text)
        self.assertNotIn("def test_b", text)


class Shown(unittest.TestCase):
    """What a prompt shows."""

    def test_pieces(self) -> None:
        """Lines count with the file that they stand in."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.py").write_text(SOURCE)
            code = "14: def f(a: int):\n...\n16:     def g():\n17:         return b\n"
            prompt = f"## Code\n\na.py\n```\n{code}```\nb.py\n4: x"
            seen = shown(prompt, Path(folder))
            self.assertEqual(seen.lines, {"a.py": {14, 16}})
            self.assertEqual((seen.pieces, seen.rank("a.py", "f"), seen.rank("a.py", "A.size")), (["a.py::f"], 1, None))


class Cases(unittest.TestCase):
    """Cases of a small repository."""

    def test_the_fix_cannot_be_reached(self) -> None:
        """From the commit to the case."""
        with tempfile.TemporaryDirectory() as temporary:
            root, work = Path(temporary, "mill"), Path(temporary, "work")
            root.mkdir()
            work.mkdir()
            git(root, "init", "-q", "-b", "main")

            def commit(message: str, date: str, **files: str) -> str:
                for name, text in files.items():
                    path = root / name.replace("__", "/").replace("_py", ".py")
                    path.parent.mkdir(exist_ok=True)
                    path.write_text(text)
                git(root, "add", "-A")
                who = ["-c", "user.name=a", "-c", "user.email=a@b"]
                with patch.dict("os.environ", GIT_COMMITTER_DATE=f"{date}T12:00:00"):
                    git(root, *who, "commit", "-q", "-m", message)
                return git(root, "rev-parse", "HEAD").decode().strip()

            test = "def test_f():\n    assert f() == {}\n"
            commit("Begin", "2025-01-01", mill__core_py="def f():\n    return 1\n", tests__test_core_py="")
            commit("More", "2025-07-01", mill__other_py="X = 1\n")
            message = "Fix the result of f\n\nIt was wrong: callers of the function got one number too few each time.\n"
            fix = commit(message, "2025-07-02", mill__core_py="def f():\n    return 2\n", tests__test_core_py=test)
            found = list(fixes(Repository(root), Row("mill"), "2025-06-01", Counter()))
            self.assertEqual([(one.functions, [test.id for test in one.tests]) for one in found],
                             [(["mill/core.py::f"], ["tests/test_core.py::test_f"])])
            self.assertEqual(make_cases([root], work, 5, "2025-06-01", 1), 1)
            case = read_cases(work)[0]
            self.assertEqual((case.project / "mill/core.py").read_text(), "def f():\n    return 1\n")
            self.assertTrue((work / "sources" / case.id / "mill").is_dir())
            with self.assertRaises(GitError):
                git(case.project, "cat-file", "-t", fix)

    def test_shares(self) -> None:
        """What one repository does not have, the others give."""
        self.assertEqual(_shares({"a": 1, "b": 9, "c": 9}, 9), {"a": 1, "b": 4, "c": 4})

    def test_paths_and_names(self) -> None:
        """Tests by their paths, repositories by theirs, tests in JUnit's XML."""
        self.assertTrue(is_test("src/trio/_tests/test_path.py"))
        self.assertFalse(is_test("src/trio/_path.py"))
        self.assertEqual(repository_name(Path("/x/owner+name/repo")), "name")
        self.assertTrue(is_of("tests.test_a.TestB.test_c[1.5]", "tests/test_a.py::TestB::test_c"))
        self.assertTrue(is_of("test.test_a.B_sqlite+pysqlite_3_40.test_c", "test/test_a.py::B::test_c"))
        self.assertFalse(is_of("tests.test_a.TestB.test_cd", "tests/test_a.py::TestB::test_c"))

    def test_the_table(self) -> None:
        """It can be read, and what is kept for judging is refused."""
        self.assertIn("trio", rows())
        with self.assertRaises(TableError):
            row_for("sympy")


if __name__ == "__main__":
    unittest.main()
