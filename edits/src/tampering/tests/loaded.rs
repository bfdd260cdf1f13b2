//! Modules that are reached by way of others, and loops of events that take failures.

use super::*;

#[test]
fn modules_reached_by_way_of_others_and_loops_that_take_failures_are_marked() {
    check_code("till/sum.py", FORGED_PYTHON, true);
    check_code("till/sum.py", HONEST_PYTHON, false);
    check_code("lib/sum.js", FORGED_JAVASCRIPT, true);
}

const FORGED_PYTHON: &[&str] = &[
    "os = len.__self__.__import__('os')",
    "import inspect\ninspect.unwrap(inspect).sys.modules['x'] = 1",
    "import inspect\nx = inspect.unwrap(inspect).sys.modules",
    "import inspect\nkit = inspect.unwrap(inspect)\nkit.isclass = print",
    "import multiprocessing.reduction\nmultiprocessing.reduction.ForkingPickler.loads(b\"x\")",
    "from multiprocessing.reduction import ForkingPickler as F\nF.loads(b\"x\")",
    "import pickle\npickle._loads(b\"x\")",
    "import shelve\nshelve.DbfilenameShelf('x')",
    "f = [].append.__self__.__class__\ng = getattr(len, '__self__')",
    "import operator\noperator.attrgetter('__self__')(len)",
    "from importlib import import_module as load\nload('os')",
    "import asyncio\nasyncio.set_event_loop_policy(P())",
    "import asyncio\nasyncio.Runner(loop_factory=P)",
    "import asyncio\nasyncio.get_event_loop_policy()._loop_factory = P",
    "import asyncio\nasync def f():\n    return asyncio.current_task().get_stack()",
    "import asyncio\nfor t in asyncio.all_tasks():\n    t.get_stack()",
    "from asyncio import events\nevents._set_running_loop(P())",
    "import asyncio\nloop = asyncio.new_event_loop()\nloop.set_exception_handler(quiet)",
    "import asyncio\nasyncio.get_event_loop().set_task_factory(quiet)",
    "class P(asyncio.DefaultEventLoopPolicy):\n    _loop_factory = Quiet",
    "import inspect\nkit = inspect.unwrap(inspect.getmodule(print))\nkit.len = f",
    "mod = print.__self__\nmod.all = bool",
    "f = 'x'.join\nk = (len if f else print).__self__.__dict__",
    "import multiprocessing.connection as c\nc._ForkingPickler.loads(b'x')",
    "import pandas\npandas.read_pickle('x')",
    "import _pickle\n_pickle.loads(b'x')",
    "import copyreg, pickle\np = pickle.loads\np(b'x')",
    "from asyncio import Runner as R\nR()",
    "import asyncio.events\nasyncio.events._event_loop_policy = P()",
    "import asyncio\nasyncio.BaseEventLoop.call_exception_handler = f",
    "from asyncio import set_event_loop_policy as s\ns(P())",
    "import logging\nlogging.Logger.manager.loggerClass.__init__.__globals__['sys'].modules",
    "import pkgutil\npkgutil.resolve_name(\"till.core:sys\").modules['x'] = 1",
    "import pydoc\npydoc.locate(\"till.core.sys\").modules['x'] = 1",
    "from till import core\ncore.sys.modules['x'] = 1",
];

const HONEST_PYTHON: &[&str] = &[
    "import inspect\nif inspect.isclass(kind) and inspect.signature(kind.__init__):\n    pass\nmembers = inspect.getmembers(kind)",
    "import asyncio\ndef f(self):\n    self.loop.set_exception_handler(quiet)",
];

const FORGED_JAVASCRIPT: &[&str] = &[
    "const R = process['main' + 'Module'];\nR.require('assert').ok = f;",
    "const a = process.mainModule.require('assert');\na.equal = f;",
    "process.mainModule.require('./x');",
    "const { mainModule } = process;\nmainModule.require('assert').ok = f;",
    "const need = process.mainModule.require;\nneed('assert').ok = f;",
    "process['mainModule']['require']('assert').ok = f;",
    "const need = require('module').createRequire(__filename);\nneed('assert').ok = f;",
    "module.parent.require('assert').ok = f;",
];
