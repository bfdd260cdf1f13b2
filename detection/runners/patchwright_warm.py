"""Keeps an interpreter in which the test tool and the modules of others are loaded, and forks it for each candidate.

Usage: python patchwright_warm.py [--bare] MODULE [ARGUMENT...]

MODULE is what `python -m` would run, `pytest` or `patchwright_unittest`, with its first arguments. Requests come from the
pipe `requests` and replies go to the pipe `replies`, both in the folder PATCHWRIGHT_OUT, one JSON object a line. A request
names the file to which the tool writes its results, as in a run without this program, and the key of their seals.

Nothing of the project is ever loaded here: only children do that, which end with their request. `--bare`: nothing but the
test tool is loaded beforehand. PATCHWRIGHT_EMPTIED lists folders which each run is to find as the first one found them.
"""

import ctypes
import gc
import importlib
import json
import marshal
import os
import select
import shutil
import signal
import stat
import sys
import time

from patchwright_start import begin, load

# Keeps the first and the last part of what a child prints.
KEPT_OUTPUT = 64 << 10
# How often the results are looked at for a test that takes too long, in seconds.
LOOK_EVERY = 0.05
# How long the end of killed processes may take, in seconds.
END_WITHIN = 5.0
# The status of a worker that cannot go on and is to be replaced.
REPLACE_ME = 75
SET_CHILD_SUBREAPER = 36

TOOLS = os.path.realpath(os.path.dirname(os.path.abspath(__file__)))
# The tests may be run in a folder of it.
PROJECT = os.path.join(os.path.dirname(TOOLS), "project")
START = os.getcwd()
# That folder from the project on, where it is another: names of pytest's tests begin at the project.
FOLDER = os.environ.get("PATCHWRIGHT_FOLDER", "")
INSIDE = FOLDER and FOLDER + "/"

# What a loader makes of a source of the project: by kind and path the source and the code. A loader that meets the same
# source again need not compile it; another source at the same path is compiled as ever.
codes = {}
# Set in the child that learns: what was compiled there.
compiled = None


def below(path, folder, separator=os.sep):
    return path == folder or path.startswith(folder + separator)


def is_rewritten(module):
    """Whether pytest loaded a module with its assertions rewritten, such as those of plugins."""
    return type(getattr(module, "__loader__", None)).__name__ == "AssertionRewritingHook"


def is_foreign(module):
    """Whether a module is known to come from a file outside of the project and of our own tools."""
    spec = getattr(module, "__spec__", None)
    origin = getattr(spec, "origin", None)
    if not getattr(spec, "has_location", False) or not isinstance(origin, str):
        return False
    if is_rewritten(module):
        return False
    return not any(below(os.path.realpath(origin), folder) for folder in (PROJECT, TOOLS))


def own_modules():
    """The modules of the project that are loaded here; there must be none."""
    found = []
    for name, module in list(sys.modules.items()):
        places = [getattr(module, "__file__", None)]
        try:
            places.extend(getattr(module, "__path__", ()))
        except Exception:
            continue
        if any(isinstance(place, str) and below(os.path.realpath(place), PROJECT) for place in places):
            found.append(name)
    return found


def remember(key, source, code):
    if compiled is not None:
        compiled[key] = (bytes(source), marshal.dumps(code))


def known(key, source):
    """The code made of this source before, if that was the same to the byte."""
    found = codes.get(key)
    return found[1] if found is not None and found[0] == source else None


# Python takes the frames of its own loaders out of tracebacks, by the name of their file.
HOOK = """
def source_to_code(self, data, path, *rest, **options):
    if rest or options or not isinstance(data, bytes):
        return original(self, data, path, *rest, **options)
    code = known(("module", path), data)
    if code is None:
        code = original(self, data, path)
        remember(("module", path), data, code)
    return code
"""


def hook_loaders():
    from importlib._bootstrap_external import SourceLoader

    names = {"original": SourceLoader.source_to_code, "known": known, "remember": remember}
    exec(compile(HOOK, "<frozen importlib._bootstrap_external>", "exec"), names)
    SourceLoader.source_to_code = names["source_to_code"]
    rewriting = sys.modules.get("_pytest.assertion.rewrite")
    original = getattr(rewriting, "_rewrite_test", None)
    if original is None:
        return

    def rewrite(path, config):
        code = known(("rewritten", str(path)), path.read_bytes())
        if code is not None:
            return os.stat(path), code
        source = path.read_bytes()
        found, code = original(path, config)
        remember(("rewritten", str(path)), source, code)
        return found, code

    rewriting._rewrite_test = rewrite


class Folders(object):
    """Folders that each run is to find as the first one found them."""

    def __init__(self, paths):
        self.paths = [path for path in paths if os.path.isdir(path)]
        self.known = set()
        for path in self.paths:
            self.walk(path, self.known.add)

    def walk(self, folder, visit):
        device = os.stat(folder).st_dev
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            visit(path)
            try:
                found = os.lstat(path)
            except OSError:
                continue
            # What is mounted there is not ours.
            if stat.S_ISDIR(found.st_mode) and found.st_dev == device:
                self.walk(path, visit)

    def restore(self):
        def visit(path):
            if path in self.known:
                return
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)

        for path in self.paths:
            self.walk(path, visit)


class Output(object):
    """What a child prints, from one pipe, within a bound."""

    def __init__(self):
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        self.head = b""
        self.tail = b""
        self.omitted = 0

    def read(self):
        """Takes what is there; says whether there may be more."""
        try:
            data = os.read(self.reader, 1 << 16)
        except BlockingIOError:
            return False
        room = KEPT_OUTPUT - len(self.head)
        self.head += data[:room]
        self.tail += data[room:]
        surplus = max(0, len(self.tail) - KEPT_OUTPUT)
        self.tail = self.tail[surplus:]
        self.omitted += surplus
        return bool(data)

    def finish(self):
        while self.read():
            pass
        os.close(self.reader)
        note = b"\n[... %d bytes left out ...]\n" % self.omitted if self.omitted else b""
        return (self.head + note + self.tail).decode("utf-8", "replace")


class Progress(object):
    """Which test runs, and since when, as the results tell."""

    def __init__(self, path):
        self.path = path
        self.offset = 0
        self.rest = b""
        self.running = {}

    def look(self):
        try:
            with open(self.path, "rb") as lines:
                lines.seek(self.offset)
                data = lines.read()
        except OSError:
            return
        self.offset += len(data)
        whole = (self.rest + data).split(b"\n")
        self.rest = whole.pop()
        for line in whole:
            try:
                event = json.loads(line.decode("utf-8"))
                if event["event"] == "started":
                    self.running[event["id"]] = time.monotonic()
                elif event["event"] == "finished":
                    self.running.pop(event["id"], None)
            except (ValueError, KeyError, TypeError):
                continue

    def overdue(self, limits, otherwise):
        now = time.monotonic()
        for name, since in self.running.items():
            if now - since > limits.get(name, otherwise):
                return name
        return None


class Task(object):
    """What a child is to run."""

    def __init__(self, module, arguments, environment, stdout, stderr):
        self.module = module
        self.arguments = arguments
        self.environment = environment
        self.stdout = stdout
        self.stderr = stderr

    def enter(self, closed):
        """Makes this process, which was just forked, what a new one would be."""
        os.setpgid(0, 0)
        os.dup2(self.stdout.writer, 1)
        os.dup2(self.stderr.writer, 2)
        for output in (self.stdout, self.stderr):
            os.close(output.reader)
            os.close(output.writer)
        for descriptor in closed:
            os.close(descriptor)
        for name in ("PATCHWRIGHT_RESULTS", "PATCHWRIGHT_KEY", "PATCHWRIGHT_EMPTIED"):
            os.environ.pop(name, None)
        os.environ.update(self.environment)
        # The key is there: what is tested is not to find it once more.
        self.environment.clear()
        os.chdir(START)
        numbers = sys.modules.get("numpy.random")
        if numbers is not None:
            numbers.seed()


class Worker(object):
    def __init__(self, module, arguments):
        self.module = module
        self.arguments = arguments
        out = os.environ["PATCHWRIGHT_OUT"]
        self.requests = os.open(os.path.join(out, "requests"), os.O_RDONLY)
        self.replies = os.open(os.path.join(out, "replies"), os.O_WRONLY)
        self.folders = Folders([path for path in os.environ.get("PATCHWRIGHT_EMPTIED", "").split(":") if path])
        # Orphans of a child come to us.
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def send(self, **reply):
        data = (json.dumps(reply) + "\n").encode("ascii")
        while data:
            data = data[os.write(self.replies, data):]

    def lines(self):
        rest = b""
        while True:
            data = os.read(self.requests, 1 << 16)
            if not data:
                # Nobody asks any more.
                return
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                yield line

    def learn(self):
        """Lets a child look for the tests and tell what it loaded for that. Returns the child's task in the child."""
        global compiled
        reader, writer = os.pipe()
        stdout, stderr = Output(), Output()
        collect = ["--collect-only"] if self.module == "pytest" else []
        task = Task(self.module, self.arguments + collect, {}, stdout, stderr)
        child = os.fork()
        if child == 0:
            try:
                os.close(reader)
                compiled = {}
                task.enter([self.requests, self.replies])
                task.tell = os.fdopen(writer, "wb")
                return task
            except BaseException:
                os._exit(1)
        os.close(writer)
        for output in (stdout, stderr):
            os.close(output.writer)
        told = b""
        with os.fdopen(reader, "rb", buffering=0) as pipe:
            poller = select.poll()
            for descriptor in (pipe.fileno(), stdout.reader, stderr.reader):
                poller.register(descriptor, select.POLLIN)
            more = True
            while more:
                for descriptor, _ in poller.poll():
                    if descriptor == pipe.fileno():
                        data = pipe.read(1 << 16)
                        told += data
                        more = bool(data)
                    elif not (stdout if descriptor == stdout.reader else stderr).read():
                        poller.unregister(descriptor)
        end_all(child)
        stdout.finish()
        stderr.finish()
        self.folders.restore()
        self.load(told)
        return None

    def load(self, told):
        """Loads the modules that are not the project's, and keeps what was made of its sources."""
        try:
            names, rewritten, sources = marshal.loads(told)
        except (EOFError, ValueError, TypeError):
            return
        for key, (source, code) in sources.items():
            codes[key] = (source, marshal.loads(code))
        for name in names:
            # Importing a module imports its packages.
            if not any(below(name, package, ".") for package in rewritten):
                importlib.import_module(name)
        # pytest warns of a module that it cannot rewrite any more, and fails where warnings are errors.
        if any(name in sys.modules for name in rewritten):
            again_bare()

    def answer(self, request):
        """Runs one request. Returns the child's task in the child."""
        stdout, stderr = Output(), Output()
        environment = {"PATCHWRIGHT_RESULTS": request["results"], "PATCHWRIGHT_KEY": request["key"]}
        if request.get("skip"):
            environment["PATCHWRIGHT_SKIP"] = "\n".join(request["skip"])
        if request.get("stop_at_failure"):
            environment["PATCHWRIGHT_STOP"] = "1"
        names = request.get("tests") or []
        if self.module == "pytest":
            names = [name[len(INSIDE):] if name.startswith(INSIDE) else name for name in names]
        elif names:
            names = ["--"] + names
        task = Task(self.module, self.arguments + names, environment, stdout, stderr)
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            task.enter([self.requests, self.replies])
            return task
        for output in (stdout, stderr):
            os.close(output.writer)
        overdue = watch(child, request, stdout, stderr)
        end_all(child)
        log = stdout.finish() + "\n" + stderr.finish()
        self.folders.restore()
        status = "done" if overdue is None else "timed_out"
        self.send(id=request["id"], status=status, log=log, classes=None, seconds=time.monotonic() - began)
        return None

    def serve(self, bare):
        """Answers until nobody asks any more. Returns only in a child, with what it is to run."""
        began = time.monotonic()
        importlib.import_module(self.module)
        hook_loaders()
        if not bare:
            try:
                task = self.learn()
            except BaseException:
                again_bare()
            if task is not None:
                return task
            # A fork takes along the thread that forks alone: what others hold locked stays so for ever.
            if own_modules() or len(os.listdir("/proc/self/task")) > 1:
                again_bare()
        own = own_modules()
        if own or len(os.listdir("/proc/self/task")) > 1:
            said = "the test tool itself loads modules of the project: " + ", ".join(own) if own else "there are threads"
            self.send(id=0, status="cannot", log=said, classes=None, seconds=time.monotonic() - began)
            sys.exit(REPLACE_ME)
        if "inspect" in sys.modules:
            # It notes where each module comes from, once.
            sys.modules["inspect"].getmodule(begin.__code__)
        gc.collect()
        gc.freeze()
        self.send(id=0, status="ready", log="", classes=None, seconds=time.monotonic() - began)
        for line in self.lines():
            task = self.answer(json.loads(line.decode("utf-8")))
            if task is not None:
                return task
        sys.exit(0)


def again_bare():
    """Starts anew, without loading anything but the test tool."""
    os.execv(sys.executable, [sys.executable, os.path.abspath(__file__), "--bare"] + sys.argv[1:])


def watch(child, request, stdout, stderr):
    """Waits for the end of a child; the test that took too long, or an empty name for all of them, or None."""
    deadline = time.monotonic() + request["seconds"]
    limits = request.get("test_seconds") or {}
    otherwise = request.get("default_test_seconds") or request["seconds"]
    progress = Progress(request["results"])
    handle = os.pidfd_open(child) if hasattr(os, "pidfd_open") else None
    outputs = {output.reader: output for output in (stdout, stderr)}
    poller = select.poll()
    for descriptor in list(outputs) + ([] if handle is None else [handle]):
        poller.register(descriptor, select.POLLIN)
    patience = LOOK_EVERY if handle is not None else 0.005
    next_look = time.monotonic() + LOOK_EVERY
    try:
        while True:
            for descriptor, _ in poller.poll(1000 * max(0.0, min(patience, deadline - time.monotonic()))):
                if descriptor in outputs and not outputs[descriptor].read():
                    poller.unregister(descriptor)
            # Not collected yet, so that its number stays its own.
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return None
            now = time.monotonic()
            if now >= next_look:
                progress.look()
                name = progress.overdue(limits, otherwise)
                if name is not None:
                    return name
                next_look = now + LOOK_EVERY
            if now >= deadline:
                return ""
    finally:
        if handle is not None:
            os.close(handle)


def end_all(child):
    """Ends all that came of a child."""
    deadline = time.monotonic() + END_WITHIN
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if ended == 0:
            if time.monotonic() > deadline:
                sys.exit(REPLACE_ME)
            for orphan in children():
                try:
                    os.kill(orphan, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.0005)


def children():
    """The processes whose parent this is."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open("/proc/%s/stat" % name) as line:
                parent = int(line.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if parent == os.getpid():
            found.append(int(name))
    return found


def tell(pipe):
    """Tells what was loaded, in the child that learns."""
    modules = list(sys.modules.items())
    names = [name for name, module in modules if name != "__main__" and is_foreign(module)]
    rewritten = [name for name, module in modules if is_rewritten(module)]
    pipe.write(marshal.dumps((names, rewritten, compiled)))
    pipe.flush()
    os._exit(0)


def main():
    # As `python -m` has it.
    sys.path[0] = os.getcwd()
    bare = sys.argv[1] == "--bare"
    if bare:
        del sys.argv[1]
    return Worker(sys.argv[1], sys.argv[2:]).serve(bare)


if __name__ == "__main__":
    task = main()
    if hasattr(task, "tell"):
        import unittest

        unittest.TextTestRunner.run = lambda *_: sys.exit()
        try:
            begin(*load(task.module, task.arguments))
        except SystemExit:
            pass
        tell(task.tell)
    # From here a child is as deep in calls as `python -m` is.
    begin(*load(task.module, task.arguments))
