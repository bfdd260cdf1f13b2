"""Python projects: the environment in `.venv`, the tests by pytest, executed lines by coverage.py."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

import python_mutations
from processes import Finished, StepError, run
from suite import SUITE_SECONDS, Executed, Mutation, SuiteResult
from table import Project

VENV = ".venv"
COVERAGE = "coverage==7.6.12"
INSTALL_SECONDS = 900
# Names of folders that hold no production code.
ASIDE = frozenset("test tests testing unittests docs doc examples example benchmarks bench tools scripts".split())
ROOT_SCRIPTS = frozenset({"setup.py", "conftest.py", "noxfile.py", "fabfile.py", "tasks.py"})
# pytest's exit codes with which it has run: all passed, some failed, interrupted (by errors of collection).
HAS_RUN = (0, 1, 2)


class Python:
    """Python projects whose tests pytest can run."""

    def set_up(self, project: Project, root: Path, work: Path) -> None:
        """Makes `.venv` as the project's developers would: what the tests need, and the project where they need it."""
        python = root / VENV / "bin" / "python"
        if not python.exists():
            _check(run([sys.executable, "-m", "venv", "--without-pip", VENV], root, INSTALL_SECONDS), "making .venv")
        pip = [sys.executable, "-m", "pip", "-q", "--python", python, "install"]
        if project.needs:
            _check(run([*pip, *project.needs], root, INSTALL_SECONDS), "installing what the tests need")
        if project.install:
            _check(run([*pip, "--no-deps", "-e", "."], root, INSTALL_SECONDS), "installing the project itself")
        _coverage(work)

    def run_tests(
        self, root: Path, seconds: float, only: list[str] | None = None, stop_after: int = 0
    ) -> SuiteResult:
        """Runs pytest in the project's root, without options of ours that change what is tested."""
        options = [f"--maxfail={stop_after}"]
        if only:
            options += ["-k", " or ".join(only)]
        return _pytest(root, seconds, ["-m", "pytest", *options], {})

    def executed(self, root: Path, work: Path) -> Executed:
        """Runs the tests once more under coverage.py, which is not left in the project's environment."""
        library = _coverage(work)
        with tempfile.TemporaryDirectory() as temporary:
            data, out = Path(temporary, "coverage.data"), Path(temporary, "lines.json")
            settings = Path(temporary, "coverage.ini")
            settings.write_text("[run]\ndynamic_context = test_function\ndisable_warnings = dynamic-conflict\n")
            coverage = ["-m", "coverage", "run", f"--rcfile={settings}", f"--data-file={data}", f"--source={root}"]
            variables = {"PYTHONPATH": _python_path(root, library)}
            # A project's own measurement of coverage would take the place of ours.
            own = ["--no-cov"] if list((root / VENV).glob("lib/*/site-packages/pytest_cov")) else []
            result = _pytest(root, SUITE_SECONDS, [*coverage, "-m", "pytest", *own], variables)
            if not data.exists():
                raise StepError(f"coverage.py recorded nothing: {result.trouble}", "does the suite end the process?")
            recorder = Path(__file__).with_name("record_lines.py")
            command = [root / VENV / "bin" / "python", recorder, data, root, out]
            _check(run(command, root, INSTALL_SECONDS, {"PYTHONPATH": str(library)}), "reading the executed lines")
            lines = Executed.from_json(json.loads(out.read_text()))
        return Executed({path: found for path, found in lines.lines.items() if is_production(path)})

    def mutations(self, source: bytes, lines: set[int]) -> list[Mutation]:
        """All changes that the operators propose on these lines."""
        return python_mutations.mutations(source, lines)

    def valid(self, source: bytes) -> bool:
        """Whether it is Python."""
        try:
            compile(source, "mutant", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
        return True

    def relocate(self, root: Path, former: Path) -> None:
        """An editable installation names the project's folder in a few files of the environment."""
        patterns = ("*.pth", "__editable__*.py", "*.dist-info/direct_url.json", "*.egg-link")
        packages = list((root / VENV / "lib").glob("python3*/site-packages"))
        for path in (path for folder in packages for pattern in patterns for path in folder.glob(pattern)):
            text = path.read_bytes()
            moved = text.replace(bytes(former), bytes(root))
            if moved != text:
                # The file may be a link to that of the prepared project, which must stay as it is.
                path.unlink()
                path.write_bytes(moved)


def is_production(path: str) -> bool:
    """Whether a path of a project is neither test nor build script."""
    place = PurePosixPath(path)
    if path.startswith(("..", VENV)) or place.suffix != ".py" or path in ROOT_SCRIPTS:
        return False
    names_test = place.name.startswith(("test_", "conftest")) or place.stem.endswith(("_test", "_tests"))
    return not names_test and place.stem not in ("test", "tests") and not ASIDE & set(place.parts[:-1])


def _check(finished: Finished, what: str) -> None:
    if finished.code or finished.timed_out:
        raise StepError(f"{what}: {finished.tail()}", "correct `needs` or `install` in the table")


def _coverage(work: Path) -> Path:
    """The folder with coverage.py: beside all projects, since its presence would change what is measured."""
    folder = work / "tools" / f"{COVERAGE}-{sys.version_info.major}.{sys.version_info.minor}"
    if not folder.is_dir():
        partial = folder.with_name(folder.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", partial, COVERAGE]
        partial.parent.mkdir(parents=True, exist_ok=True)
        _check(run(command, partial.parent, INSTALL_SECONDS), f"installing {COVERAGE}")
        partial.rename(folder)
    return folder


def _python_path(root: Path, *more: Path) -> str:
    """The project's own files come before anything installed."""
    source = root / "src"
    return ":".join(map(str, [root, *([source] if source.is_dir() else []), *more]))


def _pytest(root: Path, seconds: float, command: list[str], variables: dict[str, str]) -> SuiteResult:
    environment = {
        "PYTHONPATH": _python_path(root),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        **variables,
    }
    with tempfile.TemporaryDirectory() as temporary:
        report = Path(temporary, "report.xml")
        quiet = ["-q", "-p", "no:cacheprovider", "--tb=no", "--color=no", "--continue-on-collection-errors"]
        python = root / VENV / "bin" / "python"
        start = time.monotonic()
        finished = run([python, *command, *quiet, f"--junit-xml={report}"], root, seconds, environment)
        taken = time.monotonic() - start
        if finished.timed_out:
            return SuiteResult(0, (), taken, f"the tests take longer than {seconds:.0f} s")
        if finished.code not in HAS_RUN or not report.exists():
            return SuiteResult(0, (), taken, f"pytest ended with {finished.code}: {finished.tail()}")
        return _read_report(report, taken)


def _read_report(report: Path, seconds: float) -> SuiteResult:
    """Reads JUnit's XML: a test, or a file that cannot be collected, fails by `failure` or `error`."""
    try:
        cases = list(ElementTree.parse(report).iter("testcase"))
    except ElementTree.ParseError as error:
        return SuiteResult(0, (), seconds, f"pytest's report cannot be read: {error}")
    failing: dict[str, str] = {}
    for case in cases:
        for problem in (*case.iter("failure"), *case.iter("error")):
            # A file that cannot be collected has its reason in the last lines of the text alone.
            message = f"{problem.get('message') or ''} {(problem.text or '')[-200:]}"
            failing[f"{case.get('classname')}::{case.get('name')}"] = " ".join(message.split())[:300]
    return SuiteResult(len(cases), tuple(failing), seconds, message=next(iter(failing.values()), ""))
