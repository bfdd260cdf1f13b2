"""Getting the sources of a project: an sdist from PyPI, the upstream tarball of a Debian source package, or a clone."""

from __future__ import annotations

import shutil
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from processes import StepError, run
from table import Project

DOWNLOAD_SECONDS = 600
ARCHIVES = (".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".zip")
DEBIAN = "http://deb.debian.org/debian bookworm main"


def sources(project: Project, downloads: Path, destination: Path) -> None:
    """Puts the project's sources into the new folder `destination`."""
    if project.clone is not None:
        ignore = shutil.ignore_patterns(".patchwright", "__pycache__", ".tox", "target")
        shutil.copytree(project.clone, destination, symlinks=True, ignore=ignore)
    else:
        _unpack(_archive(project, downloads / project.key), project.folder, destination)
    for path in project.without:
        place = destination / path
        if not place.exists():
            raise StepError(f"`without` names {path}, which is not there", "correct the table")
        shutil.rmtree(place) if place.is_dir() else place.unlink()


def _archive(project: Project, folder: Path) -> Path:
    """The downloaded archive, from the cache if it is there already."""
    if not (archives := _archives(folder)):
        folder.mkdir(parents=True, exist_ok=True)
        fetch = _fetch_sdist if project.language == "python" else _fetch_debian
        fetch(project, folder)
        archives = _archives(folder)
    if not archives:
        raise StepError(f"the download left no source archive in {folder}", "look whether there is an sdist")
    return archives[0]


def _archives(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.name.endswith(ARCHIVES))


def _fetch_sdist(project: Project, folder: Path) -> None:
    # `--no-binary :all:` would build the build backends themselves from source as well.
    requirement = f"{project.name}=={project.version}"
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", project.name]
    finished = run([*pip, "-d", folder, requirement], folder, DOWNLOAD_SECONDS)
    if finished.code:
        raise StepError(f"pip download {requirement}: {finished.tail()}", "try it by hand; is PyPI reached?")


def _fetch_debian(project: Project, folder: Path) -> None:
    """Takes the upstream tarball alone: it is what a clone would hold. apt's own configuration is not touched."""
    _apt(folder, "source", "--download-only", "--tar-only", project.name)
    found = [path.name for path in _archives(folder)]
    if not any(f"_{project.version}" in name for name in found):
        raise StepError(f"Debian has {found} now", "write that version into the table")


def debian_jars(package: str, downloads: Path, destination: Path) -> None:
    """Copies the jars of a binary package into a folder, without installing it."""
    folder = downloads / package
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("*.deb")):
        _apt(folder, "download", package)
    with tempfile.TemporaryDirectory() as temporary:
        for archive in folder.glob("*.deb"):
            finished = run(["dpkg-deb", "-x", archive, temporary], folder, DOWNLOAD_SECONDS)
            if finished.code:
                raise StepError(f"dpkg-deb -x {archive}: {finished.tail()}", f"remove {folder}")
        jars = [jar for jar in Path(temporary, "usr/share/java").glob("*.jar") if not jar.is_symlink()]
        destination.mkdir(exist_ok=True)
        for jar in jars:
            shutil.copy(jar, destination)


def _apt(folder: Path, *words: str) -> None:
    """Runs apt-get in a folder below the downloads, with lists of its own."""
    apt = folder.parent / "apt"
    for needed in ("lists/partial", "cache/archives/partial"):
        (apt / needed).mkdir(parents=True, exist_ok=True)
    listing = apt / "sources.list"
    options = {
        "Dir::Etc::sourcelist": listing,
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": apt / "lists",
        "Dir::Cache": apt / "cache",
        "APT::Sandbox::User": "root",
    }
    command = ["apt-get", "-qq", *(word for key, value in options.items() for word in ("-o", f"{key}={value}"))]
    if not listing.exists():
        listing.write_text(f"deb {DEBIAN}\ndeb-src {DEBIAN}\n")
        finished = run([*command, "update"], folder, DOWNLOAD_SECONDS)
        if finished.code:
            listing.unlink()
            raise StepError(f"apt-get update: {finished.tail()}", "is Debian's archive reached?")
    finished = run([*command, *words], folder, DOWNLOAD_SECONDS)
    if finished.code:
        raise StepError(f"apt-get {' '.join(words)}: {finished.tail()}", f"remove {apt} to ask for new lists")


def _unpack(archive: Path, inside: str, destination: Path) -> None:
    """Unpacks `inside` of the archive, without the one folder that usually holds everything."""
    with tempfile.TemporaryDirectory(dir=destination.parent) as temporary:
        if archive.suffix == ".zip":
            with zipfile.ZipFile(archive) as file:
                file.extractall(temporary)
        else:
            with tarfile.open(archive) as file:
                file.extractall(temporary, filter="data")
        top = Path(temporary)
        entries = list(top.iterdir())
        if len(entries) == 1 and entries[0].is_dir():
            top = entries[0]
        top = top / inside
        if not top.is_dir():
            raise StepError(f"{archive.name} has no folder {inside}", "correct `folder` in the table")
        shutil.move(top, destination)
