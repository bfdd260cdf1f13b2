"""Running a case's test files, with the hidden tests and a patch applied, and taking all of it back."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from environment import TEST_VARIABLES
from fresh_cases import FreshCase
from git import git
from processes import run
from python_language import VENV

TEST_SECONDS = 400
# pytest's exit codes with which it has run: all passed, some failed, interrupted (by errors of collection).
_HAS_RUN = (0, 1, 2)


@dataclass
class Outcomes:
    """What became of each test: `path::Class::name[parameters]` as far as JUnit's XML tells it, with dots."""

    passed: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    trouble: str = ""

    def of(self, test: str) -> str:
        """`passed`, `failed` or `missing`: of a test function with all its parameters."""
        if any(is_of(name, test) for name in self.failed):
            return "failed"
        return "passed" if any(is_of(name, test) for name in self.passed) else "missing"


def is_of(name: str, test: str) -> bool:
    """Whether a name in JUnit's XML is that of the test `path::Class::name`, whatever its parameters."""
    path, *rest = test.split("::")
    dotted = [*path.removesuffix(".py").split("/"), *rest]
    parts = name.split("[")[0].split(".")
    if len(parts) < len(dotted):
        # A database in a class's name has dots of its own; nothing else has.
        return False
    # SQLAlchemy names the database behind a class or function: `ReflectionTest_sqlite+pysqlite_3_40`.
    plain = re.sub(r"_[a-z]+\+\w+", "", ".".join(parts)).split(".")
    return plain == dotted


@contextmanager
def patched(case: FreshCase, *patches: str) -> Iterator[None]:
    """The case's project with some patches applied."""
    put_back(case)
    try:
        for patch in patches:
            if patch.strip():
                folder = [f"--directory={case.known['folder']}"] if case.known["folder"] else []
                git(case.folder / "project", "apply", "--whitespace=nowarn", *folder, "-", data=patch.encode())
        yield
    finally:
        put_back(case)


def put_back(case: FreshCase) -> None:
    """Takes back what tests or an interrupted run have left in the work tree; ignored files stay."""
    root = case.folder / "project"
    git(root, "checkout", "-q", "--", ".")
    git(root, "clean", "-fdq", "-e", VENV)


def run_tests(case: FreshCase, files: list[str], variables: dict[str, str], seconds: float = TEST_SECONDS) -> Outcomes:
    """Runs test files in the case's own environment."""
    with tempfile.TemporaryDirectory() as temporary:
        report = Path(temporary, "report.xml")
        python = case.project / VENV / "bin" / "python"
        options = ["-q", "-p", "no:cacheprovider", "--tb=line", "--color=no", "--continue-on-collection-errors"]
        command = [python, "-m", "pytest", *options, f"--rootdir={case.project}", f"--junit-xml={report}", *files]
        finished = run(command, case.project, seconds, {**TEST_VARIABLES, **variables})
        if finished.timed_out:
            return Outcomes(trouble=f"the tests take longer than {seconds:.0f} s")
        if finished.code not in _HAS_RUN or not report.exists():
            return Outcomes(trouble=f"pytest ended with {finished.code}: {finished.tail()}")
        return _read(report)


def _read(report: Path) -> Outcomes:
    found = Outcomes()
    for case in ElementTree.parse(report).iter("testcase"):
        name = ".".join(filter(None, [case.get("classname"), case.get("name")]))
        problem = next((one for kind in ("failure", "error") for one in case.iter(kind)), None)
        if problem is not None:
            message = f"{problem.get('message') or ''} {(problem.text or '')[-200:]}"
            found.failed[name] = " ".join(message.split())[:300]
        elif case.find("skipped") is None:
            found.passed.add(name)
    return found
