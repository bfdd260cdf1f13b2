"""The environment of a repository's tests: made once, shared with each case's project, which is installed in place."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

from fresh_cases import FreshCase
from processes import StepError, run
from python_language import VENV
from repositories import Row
from workplace import new_folder

INSTALL_SECONDS = 900
# Tests that reach for the display or the network of the machine would differ from one to the next.
TEST_VARIABLES = {"PYTHONDONTWRITEBYTECODE": "1", "MPLBACKEND": "agg"}


def environment(row: Row, work: Path, newest: FreshCase) -> Path:
    """The environment of a repository; made of what the newest case's project needs."""
    folder = work / "environments" / row.name
    if not folder.is_dir():
        with new_folder(folder) as partial:
            make = [_interpreter(row.python), "-m", "venv", "--without-pip", partial]
            _check(run(make, work, INSTALL_SECONDS), "making the environment")
            pip = _pip(partial)
            _check(run([*pip, *row.needs], work, INSTALL_SECONDS), "installing what the tests need")
            _install([*pip, "-e", "."], newest, row)
    return folder


def install(case: FreshCase, row: Row, shared: Path) -> None:
    """Puts `.venv` into the case's project, with the project itself installed in place."""
    place = case.project / VENV
    if place.is_dir():
        return
    with new_folder(place) as partial:
        partial.rmdir()
        shutil.copytree(shared, partial, symlinks=True, copy_function=_link)
        for script in (partial / "bin").iterdir():
            _relocate(script, place)
    exclude = case.folder / "project" / ".git" / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    with exclude.open("a") as file:
        file.write(f"{VENV}\n*.egg-info\n")
    try:
        _install([*_pip(place), "--no-deps", "-e", "."], case, row)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise


def _interpreter(version: str) -> str:
    """A Python of a version, on the path or of pyenv."""
    if not version:
        return sys.executable
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    kept = sorted(root.glob(f"versions/{version}*/bin/python{version}"))
    found = str(kept[-1]) if kept else shutil.which(f"python{version}")
    if found is None:
        raise StepError(f"there is no Python {version}", "install it, for instance with pyenv")
    return found


def _install(command: list[object], case: FreshCase, row: Row) -> None:
    for path in row.files:
        (case.project / path).parent.mkdir(parents=True, exist_ok=True)
        (case.project / path).touch()
    _check(run(command, case.project, INSTALL_SECONDS, row.environment), "installing the project")


def _pip(environment: Path) -> list[object]:
    return [sys.executable, "-m", "pip", "-q", "--python", environment / "bin" / "python", "install"]


def _check(finished, what: str) -> None:
    if finished.code or finished.timed_out:
        raise StepError(f"{what}: {finished.tail()}", "correct repositories.toml")


def _relocate(script: Path, place: Path) -> None:
    """A script names its interpreter by its full path."""
    if script.is_symlink() or not script.is_file():
        return
    text = script.read_bytes()
    moved = re.sub(rb"\A#!.*?/bin/python", b"#!" + os.fsencode(place / "bin" / "python"), text, count=1)
    if moved != text:
        mode = script.stat().st_mode
        script.unlink()
        script.write_bytes(moved)
        script.chmod(mode)


def _link(source: str, destination: str, *, follow_symlinks: bool = True) -> None:
    if os.path.islink(source):
        os.symlink(os.readlink(source), destination)
    else:
        os.link(source, destination)
