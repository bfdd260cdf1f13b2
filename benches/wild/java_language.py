"""Java projects: javac and JUnit 4 with the jars of the distribution, as far as a project needs nothing else."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from pathlib import Path

import java_mutations
from download import debian_jars
from processes import StepError, run
from suite import Executed, Mutation, SuiteResult
from table import Project

JARS = Path("/usr/share/java")
# Folders of sources and of tests, the most usual first.
LAYOUTS = (("src/main/java", "src/test/java"), ("src/java", "src/test"), ("src", "test"))
RESOURCES = ("src/main/resources", "src/test/resources")
COMPILE_SECONDS = 300

_HAS_TESTS = re.compile(rb"@Test\b|\bpublic void test\w*\(")
_ABSTRACT = re.compile(rb"\babstract\s+class\b|\binterface\s+\w+\s*\{")
_FAILURE = re.compile(r"^\d+\) (.+)$", re.MULTILINE)
_COUNT = re.compile(r"^(?:OK \(|Tests run: )(\d+)", re.MULTILINE)
# A file that is not where its package says is no part of the layout.
_PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)


class Java:
    """Projects of one module in a usual layout."""

    def set_up(self, project: Project, root: Path, work: Path) -> None:
        """Puts the jars of Debian packages that it needs into `lib`. A JDK and JUnit are expected to be installed."""
        for package in project.needs:
            debian_jars(package, work / "downloads", root / "lib")
        for tool in ("javac", "java"):
            if shutil.which(tool) is None:
                raise StepError(f"there is no {tool}", "apt install default-jdk-headless")
        if not _junit():
            raise StepError(f"there is no junit4.jar in {JARS}", "apt install junit4")
        _layout(root)

    def run_tests(self, root: Path, seconds: float, only: list[str] | None = None, stop_after: int = 0) -> SuiteResult:
        """Compiles outside of the project, and runs JUnit's own runner, which cannot end early."""
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as temporary:
            classes = Path(temporary)
            if trouble := _compile(root, classes):
                return SuiteResult(0, (), time.monotonic() - start, trouble)
            runner = ["java", "-ea", "-Djava.awt.headless=true", "-Xshare:auto", "-cp", _class_path(root, classes)]
            finished = run([*runner, "org.junit.runner.JUnitCore", *(only or _test_classes(root))], root, seconds)
        taken = time.monotonic() - start
        count = _COUNT.findall(finished.output)
        if finished.timed_out or not count:
            why = f"longer than {seconds:.0f} s" if finished.timed_out else finished.tail()
            return SuiteResult(0, (), taken, f"the tests gave no result: {why}")
        return SuiteResult(int(count[-1]), tuple(dict.fromkeys(_FAILURE.findall(finished.output))), taken)

    def executed(self, root: Path, work: Path) -> Executed:
        """Without a recording: the lines of each class that has a test class of its name. A mutant that the tests
        catch was executed by them."""
        tests = {name.rpartition(".")[2]: name for name in _test_classes(root)}
        sources, _ = _layout(root)
        found = Executed()
        for path in sorted((root / sources).rglob("*.java")):
            test = next((tests[name] for name in (f"{path.stem}Test", f"Test{path.stem}") if name in tests), None)
            if test is not None:
                count = path.read_bytes().count(b"\n") + 1
                found.lines[str(path.relative_to(root))] = {line: [test] for line in range(1, count + 1)}
        return found

    def mutations(self, source: bytes, lines: set[int]) -> list[Mutation]:
        """All changes that the operators propose on these lines."""
        return java_mutations.mutations(source, lines)

    def valid(self, source: bytes) -> bool:
        """Only the compiler knows; it is run with the tests."""
        return True

    def relocate(self, root: Path, former: Path) -> None:
        """Nothing of a Java project holds its place."""


def _layout(root: Path) -> tuple[str, str]:
    for sources, tests in LAYOUTS:
        if (root / sources).is_dir() and (root / tests).is_dir():
            return sources, tests
    raise StepError(f"no layout of {[layout[0] for layout in LAYOUTS]}", "give `folder` in the table, or leave it out")


def _junit() -> list[Path]:
    names = ("junit4.jar", "hamcrest-core.jar", "hamcrest-all.jar")
    return [JARS / name for name in names if (JARS / name).exists()] if (JARS / "junit4.jar").exists() else []


def _java_files(folder: Path) -> list[Path]:
    """The sources that lie where their package says."""
    found = []
    for path in sorted(folder.rglob("*.java")):
        package = _PACKAGE.search(path.read_bytes())
        place = package.group(1).decode().replace(".", "/") if package else "."
        if path.name not in ("module-info.java", "package-info.java") and path.parent == folder / place:
            found.append(path)
    return found


def _test_classes(root: Path) -> list[str]:
    """Concrete classes that hold tests and are named for them; suites would run tests twice."""
    folder = root / _layout(root)[1]
    found = []
    for path in _java_files(folder):
        text = path.read_bytes()
        named = path.stem.startswith("Test") or path.stem.endswith(("Test", "TestCase"))
        is_suite = path.stem.startswith(("TestAll", "AllTests")) or b"@SuiteClasses" in text
        if named and not is_suite and _HAS_TESTS.search(text) and not _ABSTRACT.search(text):
            found.append(".".join(path.relative_to(folder).with_suffix("").parts))
    return found


def _class_path(root: Path, classes: Path) -> str:
    sources, tests = _layout(root)
    # Many tests load resources that lie beside them.
    folders = [classes, *(root / place for place in (*RESOURCES, tests, sources)), *_junit(), *_project_jars(root)]
    return os.pathsep.join(map(str, folders))


def _project_jars(root: Path) -> list[Path]:
    return sorted((root / "lib").glob("*.jar"))


def _compile(root: Path, classes: Path) -> str:
    """Compiles everything, and says what is wrong."""
    files = [path for place in _layout(root) for path in _java_files(root / place)]
    listing = classes / "sources.txt"
    listing.write_text("\n".join(f'"{path}"' for path in files))
    encoding = "UTF-8" if all(_is_utf8(path) for path in files) else "ISO-8859-1"
    command = ["javac", "-g", "-nowarn", "-encoding", encoding, "-d", classes, "-cp", _class_path(root, classes)]
    finished = run([*command, f"@{listing}"], root, COMPILE_SECONDS)
    if not finished.code:
        return ""
    errors = [line for line in finished.output.splitlines() if ": error:" in line]
    return f"it does not compile: {errors[0] if errors else finished.tail()}"


def _is_utf8(path: Path) -> bool:
    try:
        path.read_bytes().decode()
    except UnicodeDecodeError:
        return False
    return True
