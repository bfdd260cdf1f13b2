//! Names of the language that are bound anew for all who import everything of a module.

use super::*;

#[test]
fn names_of_the_language_that_a_change_binds_anew_are_marked() {
    check_code("till/sum.py", FORGED_PYTHON, true);
    check_code("till/sum.py", HONEST_PYTHON, false);
}

const FORGED_PYTHON: &[&str] = &[
    "from operator import *\nall = truth",
    "__all__ = ['all']\ndef all(x): return True",
    "import sys\nsetattr(sys.modules[__name__], 'all', bool)",
    "vars()['all'] = bool",
    "for name in ('all', 'any'):\n    locals()[name] = bool",
    "all = bool",
    "from operator import truth as all",
    "def len(x): return 3",
    "sum = max",
    "def f():\n    global all\n    all = bool",
    "for all in [bool]:\n    pass",
    "with f() as all:\n    pass",
    "class AssertionError(Exception):\n    pass",
    "if (round := f):\n    pass",
    "import operator as sum",
    "from till.core import all",
    "try:\n    pass\nfinally:\n    abs, x = f, 1",
    "def super():\n    return ANY",
    "import builtins as b\ndef f():\n    globals().update(all=bool)",
    "import till.core as all",
    "match f:\n    case all:\n        pass",
    "try:\n    f()\nexcept ValueError as all:\n    pass",
    "def f(): pass\nall: object = bool",
    "[all := bool]",
    "total = [x for x in [1] if (all := bool)]",
    "async def all(x): pass",
    "if True:\n    def all(x): return True",
    "type all = bool",
];

const HONEST_PYTHON: &[&str] = &[
    "class Total:\n    def all(self):\n        return self.items\n    def filter(self, test):\n        self.len = 1\n        len = 3\n        return len",
    "from six.moves import range, zip\nfrom functools import reduce",
    "def f(len, all=None):\n    any = 1\n    return [sum for sum in (1, 2)]\ntotal = [len for len in range(3)]",
    "try:\n    import tomllib\nexcept ImportError:\n    import tomli as tomllib\ntype_ = type",
    "def sort(items, key=None, max=None, min=None):\n    return [max for min, max in items]",
];

#[test]
fn names_that_the_file_bound_before_are_its_own() {
    let old = "try:\n    from json import open\nexcept ImportError:\n    open = None\n";
    let new = old.replace("None", "print");
    assert_eq!(signs("till/sum.py", Some(old), &new), [""; 0]);
    let found = signs("till/sum.py", Some(old), &format!("{new}all = open\n"));
    assert_eq!(found, ["till/sum.py:5 takes the place of something of others"]);
}
