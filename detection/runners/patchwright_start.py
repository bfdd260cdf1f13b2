"""Runs a test tool as `python -m` does, but for what can stand in its way.

Usage: python patchwright_start.py MODULE ARGUMENT...

The tool, and all that it and our runners need, is found before the project's folders are searched, but for modules that were the
project's before it was changed: their names stand in the variable PATCHWRIGHT_OWN. The folders stand in PATCHWRIGHT_PATH and take
their usual place, as PYTHONPATH, when a runner of ours has been loaded.
"""

import importlib.util
import os
import sys
import types
from importlib.machinery import PathFinder

# How the names of our modules begin.
OURS = "patchwright_"


class Own(object):
    """Finds the project's own modules."""

    def __init__(self, names, folders):
        self.names = names
        self.folders = folders

    def find_spec(self, name, path=None, target=None):
        if path is not None or name not in self.names:
            return None
        found = PathFinder.find_spec(name, self.folders, target)
        # A folder alone is a module where there is no other.
        is_bare = found is not None and found.loader is None
        return None if is_bare and PathFinder.find_spec(name) else found


def folders():
    given = os.environ.get("PATCHWRIGHT_PATH", "")
    return [os.getcwd()] + [os.path.abspath(folder) for folder in given.split(os.pathsep) if folder]


# Where the project's own modules are that it has without a change, by name: a folder alone is found anywhere. And the project's folders.
origins = {}
roots = []


def shut():
    """Leaves the project's folders out until they are opened."""
    names = set(os.environ.pop("PATCHWRIGHT_OWN", "").split())
    sys.meta_path.insert(0, Own(names, folders()))


def open_up():
    """Searches the project's folders first, as `python -m` does; once."""
    if "PATCHWRIGHT_PATH" not in os.environ:
        return
    found = folders()
    own = next((finder for finder in sys.meta_path if type(finder).__name__ == Own.__name__), None)
    if own is not None:
        note(own.names, found)
    os.environ["PYTHONPATH"] = os.environ.pop("PATCHWRIGHT_PATH")
    sys.meta_path[:] = [finder for finder in sys.meta_path if type(finder).__name__ != Own.__name__]
    # In place of the folder of this file: what a tool has put before it (`pythonpath` of pytest) stays there.
    ours = os.path.dirname(os.path.abspath(__file__))
    place = next((place for place, entry in enumerate(sys.path) if os.path.abspath(entry) == ours), None)
    start, end = (0, 0) if place is None else (place, place + 1)
    sys.path[start:end] = found


def note(names, found):
    """Notes where the project's own modules are."""
    for name in names - set(getattr(sys, "stdlib_module_names", sys.builtin_module_names)):
        spec = PathFinder.find_spec(name, found)
        if spec is not None and spec.origin and spec.loader is not None:
            origins[name] = spec.origin
    roots.extend(os.path.join(os.path.realpath(folder), "") for folder in found)


def elsewhere():
    """One of the project's own modules that is imported from another place than the project, with that place, if there is one."""
    for name in sorted(origins):
        try:
            spec = sys.modules[name].__spec__ if name in sys.modules else importlib.util.find_spec(name)
            place = spec.origin
            is_same = os.path.samefile(place, origins[name])
        except (AttributeError, ImportError, OSError, TypeError, ValueError):
            continue
        if not is_same and not os.path.realpath(place).startswith(tuple(roots)):
            return name, place
    return None


def tell_elsewhere(write):
    """Ends the process where what is tested would not be the project, and writes why."""
    found = elsewhere()
    if found:
        write(event="elsewhere", module=found[0], path=found[1])
        os._exit(3)


def hide():
    """Takes our modules out of those that an import finds: what is tested gets others by their names."""
    for name in [name for name in sys.modules if name.startswith(OURS)]:
        del sys.modules[name]


def load(module, arguments):
    """The code that `python -m` would run, and the names that it runs with: those of a new main module, but for a runner of ours, whose
    names are not to be reached by `__main__`."""
    spec = importlib.util.find_spec(module)
    if spec is None:
        # In the words of `python -m`.
        sys.exit(f"{sys.executable}: No module named {module}")
    if spec.submodule_search_locations is not None:
        module += ".__main__"
        spec = importlib.util.find_spec(module)
    main = types.ModuleType("__main__")
    main.__spec__ = spec
    main.__file__ = spec.origin
    main.__loader__ = spec.loader
    main.__package__ = spec.parent
    main.__cached__ = spec.cached
    sys.modules["__main__"] = main
    sys.argv[:] = [spec.origin] + arguments
    names = dict(main.__dict__) if module.startswith(OURS) else main.__dict__
    return spec.loader.get_code(module), names


def begin(code, names):
    exec(code, names)


if __name__ == "__main__":
    shut()
    # From here it is as deep in calls as `python -m` is.
    begin(*load(sys.argv[1], sys.argv[2:]))
