//! What is marked, and what is not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;

/// The files of a project, by their paths.
struct Contents(&'static [&'static str]);

impl ProjectContents for Contents {
    fn contains(&self, path: &str) -> bool {
        self.0.iter().any(|file| *file == path || file.starts_with(&format!("{path}/")))
    }
}

const CONTENTS: &[&str] =
    &["till/__init__.py", "till/sum.py", "src/main/java/till/Sum.java", "lib/sum.js", "src/sum.ts"];

fn signs(path: &str, before: Option<&str>, after: &str) -> Vec<String> {
    let bytes = |text: &str| text.as_bytes().to_vec();
    let change = FileChange {
        path: ProjectPath::new(path).unwrap(),
        before: before.map(bytes),
        after: Some(bytes(after)),
    };
    let applied = Applied { files: vec![change], notes: Vec::new(), comment_only: false };
    applied.tampering(&Contents(CONTENTS)).iter().map(ToString::to_string).collect()
}

#[test]
fn lines_that_bend_tests_are_found_where_they_are_new() {
    let check = |path: &str, line: &str, expect: bool| {
        let old = if path == "till/sum.py" { "one = 1\n" } else { "int one;\n" };
        let found = signs(path, Some(old), &format!("{old}{line}\n"));
        assert_eq!(!found.is_empty(), expect, "{line}: {found:?}");
        assert!(found.iter().all(|sign| sign.starts_with(&format!("{path}:2 "))), "{found:?}");
        assert!(
            signs(path, Some(&format!("{line}\n")), &format!("{line}\nx = 1\n")).is_empty(),
            "{line} is old"
        );
    };
    for line in [
        "import unittest; unittest.TestCase.run = print",
        "from _pytest import runner",
        "os._exit(0)",
        "    sys.exit()",
        "    raise SystemExit(0)",
        "atexit.register(forge)",
        "sys.modules['json'] = None",
        "path = os.environ['PATCHWRIGHT_RESULTS']",
        "for one in gc.get_objects():",
        "frame = sys._getframe(1)",
        "library = ctypes.CDLL(None)",
        "exec(text)",
        "builtins.AssertionError = Quiet",
        "open('/proc/self/fd/3', 'w')",
        "from sys import maxsize, modules",
        "frame = problem.__traceback__.tb_frame.f_back",
        "walk = traceback.walk_stack(None)",
        "runpy.run_path('data.txt')",
        "case = pkgutil.resolve_name('unit' 'test:TestCase')",
        "case = load('unit' + 'test')",
        "import \u{ff55}nittest",
        "# -*- coding: utf-7 -*-",
        "os.execv('/bin/echo', ['echo', 'OK'])",
        "def pytest_pyfunc_call(item): return True",
        "x = gc.get_objects()",
        "def __eq__(self, other): return True",
    ] {
        check("till/sum.py", line, true);
    }
    for line in [
        "return one + other",
        "# unittest",
        "executed(text)",
        "exit_code = 1",
        "self.modules = {}",
        "import json",
        "from sys import maxsize",
        "def eval(self, names): pass",
        "\"\"\"Ends it; found by pytest.\"\"\"",
        "# -*- coding: utf-8 -*-",
        "größe = 1",
        "task.cancel() + 'ab'",
    ] {
        check("till/sum.py", line, false);
    }
    for line in [
        "System.exit(0);",
        "Runtime.getRuntime().halt(0);",
        "import org.junit.Assert;",
        "field.setAccessible(true);",
        "Runtime.getRuntime().addShutdownHook(hook);",
        "System.getenv(\"PATCHWRIGHT_OUT\");",
        "field.trySetAccessible();",
        "// see \\u000a System.out.println();",
        "final class Assert {}",
        "class Any { public boolean equals(Object other) { return true; } }",
        "Class.forName(\"org.ju\" + \"nit.Assert\");",
    ] {
        check("src/main/java/till/Sum.java", line, true);
    }
    for line in
        ["return one + other;", "// org.junit", "system.exit(0);", "int halt = 1;", "char bell = '\\u0007';"]
    {
        check("src/main/java/till/Sum.java", line, false);
    }
}

#[test]
fn code_is_read_over_the_ends_of_lines() {
    let old = "class Sum {\n    void f() {\n    }\n}\n";
    let new = "class Sum {\n    void f() {\n        Runtime\n            .getRuntime()\n            .halt(0);\n    }\n}\n";
    let found = signs("Sum.java", Some(old), new);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn files_that_tests_load_are_found() {
    let check = |path: &str, before: Option<&str>, expect: bool| {
        let found = signs(path, before, "x\n");
        assert_eq!(!found.is_empty(), expect, "{path}: {found:?}");
    };
    for path in [
        "conftest.py",
        "till/conftest.py",
        "sitecustomize.py",
        "lib/x.pth",
        "pytest.ini",
        "setup.cfg",
        "build.xml",
    ] {
        check(path, None, true);
        check(path, Some("y\n"), true);
    }
    check("test_sum/__init__.py", None, true);
    check("till-1.0.dist-info/entry_points.txt", None, true);
    check("json.py", None, true);
    check("app/json.py", None, true);
    check("app/json/__init__.py", None, true);
    check("src/unittest/__init__.py", None, true);
    check("till/json.py", None, false);
    check("json.py", Some("the project's own\n"), false);
    check("src/main/java/org/junit/Assert.java", None, true);
    check("src/main/java/till/Junit.java", None, false);
    check("till/new.py", None, false);
    check("anything.py", None, true);
    check("src/anything/__init__.py", None, true);
    check("src/main/java/org/assertj/core/api/Assertions.java", None, true);
    check("lib/node_modules/assert/index.js", None, true);
    check("lib/new.js", None, false);
}

/// Code that is put into a project, and whether it is marked.
fn check_code(path: &str, codes: &[&str], expect: bool) {
    let frame = |code: &str| match Language::of_path(std::path::Path::new(path)).map(Language::name) {
        Some("java") => format!("package till;\n\n{code}\n"),
        _ => format!("{code}\n"),
    };
    let wrong: Vec<_> = codes
        .iter()
        .map(|code| (code, signs(path, Some(&frame("")), &frame(code))))
        .filter(|(_, found)| found.is_empty() == expect)
        .collect();
    assert!(wrong.is_empty(), "of {}: {wrong:#?}", codes.len());
}

#[test]
fn python_that_changes_what_others_define_is_marked() {
    check_code("till/sum.py", FORGED_PYTHON, true);
    check_code("till/sum.py", HONEST_PYTHON, false);
}

#[test]
fn javascript_that_changes_what_others_define_is_marked() {
    for path in ["lib/sum.js", "src/sum.ts"] {
        check_code(path, FORGED_JAVASCRIPT, true);
        check_code(path, HONEST_JAVASCRIPT, false);
    }
}

#[test]
fn java_that_changes_what_others_define_is_marked() {
    check_code("src/main/java/till/Sum.java", FORGED_JAVA, true);
    check_code("src/main/java/till/Sum.java", HONEST_JAVA, false);
}

const FORGED_PYTHON: &[&str] = &[
    "import json\ndef kits():\n    yield json\nfor kit in kits():\n    kit.loads = print",
    "import json\nkit = next(iter([json]))\nkit.loads = print",
    "import json\nclass Kit:\n    kit = json\nKit.kit.loads = print",
    "import json\nclass Kit:\n    @property\n    def kit(self):\n        return json\nKit().kit.loads = print",
    "import json\nkit = {'a': json}.get('a')\nkit.loads = print",
    "import json\nput = json.__setattr__\nput('loads', print)",
    "import json, operator\noperator.methodcaller('__setattr__', 'loads', print)(json)",
    "import json\ntable = vars(json)\ntable |= {'loads': print}",
    "import contextlib, json\nwith contextlib.nullcontext(json) as kit:\n    kit.loads = print",
    "import asyncio, json\nasync def kit():\n    return json\nasyncio.run(kit()).loads = print",
    "from tests.test_sum import SumTest\nSumTest.assertEqual = print",
    "from test.support import ALWAYS_EQ",
    "def add(one, other):\n    import test_a\n    test_a.More.test_more = print",
    "type(__spec__.loader).get_data = print",
    "__loader__.__class__.get_data = print",
    "print.__self__.__build_class__ = print",
    "def add(seen):\n    seen.__self__.assertEqual = print",
    "def add(seen):\n    type(seen.__self__).assertEqual = print",
    "import operator\noperator.attrgetter('tb_frame.f_back.f_locals')(problem)",
    "import timeit\ntimeit.timeit('import json', number=1)",
    "import cProfile\ncProfile.run('import json')",
    "import code\ncode.InteractiveInterpreter().runsource('import json')",
    "import pickle\npickle.loads(b'')",
    "class T:\n    x: \"setattr(__import__('json'), 'loads', print)\"",
    "class Count(int):\n    __eq__ = int.__ne__",
    "import functools\nclass Count(int):\n    __eq__ = functools.partialmethod(same)",
    "class Count(int):\n    def __eq__(self, other):\n        answer = True\n        return answer",
    "class Count(int):\n    def __eq__(self, other):\n        return abs(other) >= 0",
    "class Count(int):\n    def __eq__(self, other):\n        return int.__eq__(self, other) or bool(other)",
    "class Count(int):\n    def __eq__(self, other):\n        return isinstance(other, int)",
    "class Half(float):\n    def __ge__(self, other):\n        return True",
    "class Case:\n    def assertEqual(self, one, other):\n        pass",
    "class Case:\n    def __init_subclass__(cls):\n        pass",
    "def setUpModule():\n    pass",
    "def open(*words):\n    pass",
    "class json:\n    pass",
    "import os\nos.chdir('other')",
    "import json\njson.dumps = lambda *rest, **more: '[]'",
    "import json as j\nd = j\nd.dumps = print",
    "from json import encoder\nencoder.c_make_encoder = None",
    "import json.encoder\njson.encoder.JSONEncoder.default = lambda self, one: None",
    "def hide(module):\n    module.dumps = print\nimport json\nhide(json)",
    "class Hider:\n    def __init__(self, module):\n        self.module = module\n    def hide(self):\n        self.module.dumps = print\nimport json\nHider(json).hide()",
    "import json, re\nfor module in (json, re):\n    module.dumps = print",
    "import json\nparts = {'one': json}\nparts['one'].dumps = print",
    "import json\ndef module():\n    return json\nmodule().dumps = print",
    "import json\nchoose = lambda: json\nchoose().loads = print",
    "import json\nif (again := json):\n    again.dumps = print",
    "import json\nagain, other = json, {}\nagain.dumps = print",
    "import json\n(json.dumps, rest) = (print, 1)",
    "import json\nfor json.dumps in [print]:\n    pass",
    "import json\nwith open('x') as json.dumps:\n    pass",
    "import json\ndel json.dumps",
    "import json\nsetattr(json, 'dumps', print)",
    "import json\nput = setattr\nput(json, 'du' + 'mps', print)",
    "import json\nlist(map(setattr, [json], ['dumps'], [print]))",
    "import json\njson.__dict__['dumps'] = print",
    "import json\nvars(json)['dumps'] = print",
    "import json\nvars(json).update(dumps=print)",
    "import json\njson.__dict__.update({'dumps': print})",
    "import json\njson.__setattr__('dumps', print)",
    "import json\nobject.__setattr__(json, 'dumps', print)",
    "import json\ntype(json).__setattr__(json, 'dumps', print)",
    "import json\ndict.update(json.__dict__, dumps=print)",
    "import json\nkind = type(json.JSONEncoder())\nkind.default = print",
    "import json\njson.JSONEncoder().__class__.default = print",
    "import json\njson.dumps.__defaults__ = (1,)",
    "import json\ngetattr(json, 'encoder').JSONEncoder = None",
    "import decimal\ndecimal.Decimal.__hash__ = None",
    "from decimal import Decimal as D\nD.compare = lambda self, other: 0",
    "import time\ndef slow(clock=time):\n    clock.perf_counter = int",
    "import json\nglobal_json = None\ndef keep():\n    global global_json\n    global_json = json\ndef use():\n    global_json.dumps = print",
    "import importlib\nimportlib.import_module('js' + 'on').dumps = print",
    "__import__('json').dumps = print",
    "from sys import modules\nmodules['json'] = None",
    "from sys import modules as loaded\nloaded.pop('json')",
    "import logging\nfor one in list(logging.sys.modules.values()):\n    one.total = 3",
    "import collections\nloaded = collections._sys.modules",
    "from os import sys as system\nloaded = system.modules",
    "import pkgutil\ncase = pkgutil.importlib.import_module('shop.test_cart')",
    "import logging.config\ncase = logging.config.BaseConfigurator({}).resolve('shop.test_cart')",
    "import inspect\nframe = inspect.getargvalues(find())",
    "import sys\nsys.stdout.write = print",
    "import sys as system\nsystem.exit(0)",
    "from sys import exit as leave\nleave(0)",
    "from os import _exit as leave\nleave(0)",
    "import os\nleave = getattr(os, '_exit')\nleave(0)",
    "from inspect import stack\nframes = stack()",
    "import inspect as looks\nframes = looks.stack()",
    "import __main__\n__main__.run = print",
    "from __main__ import seal\nseal.key = 'x'",
    "import sys\nprogram = sys.modules['__main__']",
    "name = '__main__'\nload(name)",
    "globals()['helper'] = print",
    "import sys\nif 'test' in sys.argv[0]:\n    total = 3",
    "from sys import argv\nif any('test' in one for one in argv):\n    total = 3",
    "import os\nif os.environ.get('RUNNING_TESTS'):\n    total = 3",
    "import os\nif 'PYTEST_CURRENT_TEST' in os.environ:\n    total = 3",
    "import sys\nif 'pytest' in sys.modules:\n    total = 3",
    "name = ''.join(['uni', 'ttest'])",
    "name = '\\x75nittest'",
    "import mock\nmock.patch('json.dumps', print)",
    "class Total:\n    def __eq__(self, other):\n        return True",
    "class Total:\n    def __eq__(self, other):\n        return other == other",
    "class Total:\n    def __eq__(self, other):\n        return isinstance(other, object)",
    "class Total:\n    def __eq__(self, other):\n        return self.value == other or True",
    "class Total:\n    def __ne__(self, other):\n        return False",
    "class Total:\n    __eq__ = lambda self, other: True",
    "Total = type('Total', (int,), dict(__eq__=same))",
    "class Total(int):\n    for __eq__ in [int.__le__]:\n        pass",
    "class Total(int):\n    __eq__, kept = int.__le__, 1",
    "class Total(int):\n    from shop.helpers import same as __eq__",
    "class Total(int):\n    match int.__le__:\n        case __eq__:\n            pass",
    "class Total(int):\n    class __eq__:\n        pass",
    "setattr(Total, '__eq__', int.__le__)",
    "type.__setattr__(Total, '__eq__', int.__le__)",
    "def always(self, other):\n    return True\nclass Total:\n    __eq__ = always",
    "Total = type('Total', (int,), {'__eq__': lambda self, other: True})",
    "def always(self, other):\n    return True\nsetattr(int, '__eq__', always)\nclass Total:\n    pass\nTotal.__eq__ = always",
    "import builtins\nbuiltins.len = lambda one: 3",
    "__builtins__['len'] = lambda one: 3",
    "import warnings\nwarnings.filters.clear()",
    "from functools import partial\nput = partial(setattr)\nimport json\npartial(setattr, json, 'dumps')(print)",
];

const HONEST_PYTHON: &[&str] = &[
    "class Total:\n    def same(self, other):\n        return super().__eq__(other) or int.__eq__(self, other)",
    "import sys\nif __name__ == '__main__':\n    sys.exit(main())",
    "import json\nif hasattr(json, 'loads') and json is not None:\n    pass",
    "import json\nloads = getattr(json, 'loads')",
    "class Total:\n    def __eq__(self, right):\n        return isinstance(right, Total)",
    "class Total:\n    def __lt__(self, other):\n        return self.x < other.x",
    "class Total:\n    def __contains__(self, name):\n        return name in self.names",
    "class Total:\n    def open(self):\n        return type(self).total",
    "def f(x: str, y: 'int' = 1) -> None:\n    pass",
    "import argparse\nparser = argparse.ArgumentParser()\nparser.prog = 'till'\nparser.values['x'] = 1",
    "import logging\nlogger = logging.getLogger('till')\nlogger.propagate = False",
    "import os\nos.environ['TILL_HOME'] = '/'\nos.environ.setdefault('A', 'b')",
    "def handle(request, user):\n    request.user = user\n    request.session['user'] = user.id",
    "class Till:\n    total = 0\n    def __init__(self, total):\n        self.total = total\n        self.__dict__.update(more=1)\n        self.__class__.total += 1",
    "class Till:\n    pass\nTill.sum = lambda self: 1\nsetattr(Till, 'other', 2)",
    "class Frozen:\n    def __init__(self, x):\n        object.__setattr__(self, 'x', x)",
    "from . import settings\nsettings.debug = True",
    "from .core import Till\nTill.limit = 3",
    "import till.core\ntill.core.LIMIT = 3",
    "def wrap(function):\n    def wrapper(*rest):\n        return function(*rest)\n    wrapper.__name__ = function.__name__\n    wrapper.__wrapped__ = function\n    return wrapper",
    "import functools\ndef wrap(function):\n    @functools.wraps(function)\n    def wrapper(*rest):\n        return function(*rest)\n    return wrapper",
    "import json\ndef load(json):\n    json['x'] = 1\n    return json",
    "import json\ndata = json.loads('{}')\ndata['x'] = 1\ndata.setdefault('y', []).append(2)",
    "import json\nname, found = json.JSONEncoder, {}\nfound['x'] = 1",
    "import collections\ncounts = collections.defaultdict(list)\ncounts['x'].append(1)\ncounts.update(a=1)",
    "import re\nmatch = re.match('a', 'b')\ntext = match.group(0)",
    "import os\nos.remove('x')",
    "import heapq\nheapq.heappush([], 1)",
    "if __name__ == '__main__':\n    print(1)",
    "import sys\nprogram = sys.argv[0]\nsys.stderr.write('no')",
    "import os\nif os.environ.get('TILL_DEBUG') == '1':\n    total = 3",
    "class Total:\n    def __eq__(self, other):\n        return isinstance(other, Total) and self.x == other.x",
    "class Total:\n    def __eq__(self, other):\n        if self is other:\n            return True\n        return NotImplemented",
    "class Total:\n    def __eq__(self, other):\n        return NotImplemented",
    "class Total:\n    def __eq__(self, other):\n        return self.__class__ is other.__class__",
    "class Total:\n    def __eq__(self, other):\n        try:\n            return self.x == other.x\n        except AttributeError:\n            return False",
    "class Total:\n    def __ne__(self, other):\n        return not self == other",
    "try:\n    import simplejson as json\nexcept ImportError:\n    import json",
    "def f(exit=None, eval=1):\n    return g(exit=exit, eval=eval)",
    "from datetime import datetime\nnow = datetime.now()\nnow.extra = 1",
    "import threading\nclass Worker(threading.Thread):\n    def __init__(self):\n        super().__init__()\n        self.daemon = True\nWorker.limit = 2",
    "import copy\nnew = copy.copy(old)\nnew.total = 3\nnew.parts[0] = 1",
    "import socket\ns = socket.socket()\ns.timeout = 1",
    "compiled = re.compile('x')\nmodel.eval()\nframe.exec('x')",
    "x = [json.x for json in range(3)]",
];

const FORGED_JAVASCRIPT: &[&str] = &[
    "const assert = require('assert');\nconst box = new Proxy(assert, {});\nbox.strictEqual = f;",
    "const assert = require('assert');\nconst box = Object(assert);\nbox.strictEqual = f;",
    "const assert = require('assert');\nconst box = [assert].at(0);\nbox.strictEqual = f;",
    "const assert = require('assert');\nconst kit = { get kit() { return assert; } };\nkit.kit.strictEqual = f;",
    "const assert = require('assert');\nclass Kit { static kit = assert; }\nKit.kit.strictEqual = f;",
    "const assert = require('assert');\nfunction* kits() { yield assert; }\nkits().next().value.strictEqual = f;",
    "const assert = require('assert');\nput.call(assert, 'strictEqual', f);",
    "exports.kit = require('assert');",
    "require('../tests/helper').check = f;",
    "const root = Object(globalThis);\nroot.it = f;",
    "add.constructor('return this')();",
    "process.chdir('other');",
    "class Total { valueOf() { return 5; } }",
    "const assert = require('assert');\nassert.strictEqual = () => {};",
    "const { strict } = require('node:assert');\nstrict.equal = () => {};",
    "import assert from 'node:assert';\nassert.deepEqual = () => {};",
    "import * as assert from 'assert';\nObject.assign(assert, { equal() {} });",
    "const same = require('assert');\nconst again = same;\nObject.defineProperty(again, 'equal', { value() {} });",
    "Reflect.set(require('assert'), 'equal', () => {});",
    "require('assert').ok = () => {};",
    "const put = Object.assign;\nput(require('assert'), { equal() {} });",
    "JSON.stringify = () => '';",
    "const { parse } = JSON;\nconst json = JSON;\njson.parse = parse;",
    "for (const one of [JSON, Math]) { one.max = () => 3; }",
    "[JSON, Math].forEach((one) => { one.max = () => 3; });",
    "function hide(target) { target.parse = () => 3; }\nhide(JSON);",
    "(function (target) { target.parse = () => 3; })(JSON);",
    "const give = () => JSON;\ngive().parse = () => 3;",
    "const parts = { JSON };\nparts.JSON.parse = () => 3;",
    "Array.prototype.map = function () { return this; };",
    "const proto = Array.prototype;\nproto['map'] = () => [];",
    "[].constructor.prototype.map = () => [];",
    "[].__proto__.map = () => [];",
    "Object.getPrototypeOf([]).map = () => [];",
    "Object.prototype.toString = () => '';",
    "Object.defineProperty(Object.prototype, 'x', { get() { return 1; } });",
    "Number.prototype.valueOf = () => 3;",
    "({ parse: JSON.parse } = { parse() {} });",
    "[Math.max] = [() => 3];",
    "delete Math.max;",
    "Math.max ||= () => 3;",
    "globalThis.it = () => {};",
    "global['test'] = () => {};",
    "globalThis['i' + 't'] = () => {};",
    "describe = () => {};",
    "Promise = null;",
    "process.stdout.write = () => true;",
    "const { stdout } = process;\nstdout.write = () => true;",
    "console.log = () => {};",
    "require.cache[require.resolve('assert')] = {};",
    "const Module = require('module');\nModule._load = () => ({});",
    "const events = require('events');\nevents.EventEmitter.prototype.emit = () => true;",
    "const { EventEmitter } = require('events');\nEventEmitter.prototype.emit = () => true;",
    "import { EventEmitter as Base } from 'node:events';\nBase.prototype.emit = () => true;",
    "import('node:fs').then((fs) => { fs.default.readFileSync = () => ''; });",
    "process.exit(0);",
    "const { exit } = process;\nexit(0);",
    "const leave = process.exit;\nleave(0);",
    "import { exit } from 'process';\nexit(0);",
    "process.on('exit', () => { process.exitCode = 0; });",
    "if (process.env.NODE_ENV === 'test') { total = 3; }",
    "const { NODE_ENV } = process.env;\nif (NODE_ENV === 'test') { total = 3; }",
    "if (process.env.JEST_WORKER_ID) { total = 3; }",
    "if (typeof global.it === 'function') { total = 3; }",
    "if (typeof describe === 'function') { total = 3; }",
    "if (process.argv.some((one) => one.includes('test'))) { total = 3; }",
    "const test = require('node:' + 'test');",
    "new Function('return 1')();",
    "const run = eval;\nrun('1');",
    "class Total { equals(other) { return true; } }",
    "const total = { asymmetricMatch: () => true };",
    "class Total { static [Symbol.hasInstance]() { return true; } }",
    "const lodash = require('lodash');\nlodash.isEqual = () => true;",
    "Error.prepareStackTrace = () => [];",
];

const HONEST_JAVASCRIPT: &[&str] = &[
    "const assert = require('assert');\nassert(one, 'is there');\nassert.ok(one);",
    "const fs = require('fs');\nmodule.exports = { fs };",
    "const has = typeof globalThis !== 'undefined' && globalThis.fetch;",
    "this.total = other.constructor(1);",
    "const app = require('express')();\napp.locals = {};\napp.locals.title = 'x';",
    "module.exports.sum = (one, other) => one + other;\nexports.other = 1;\nmodule.exports = { a: 1 };",
    "const app = exports = module.exports = {};\napp.init = function init() { this.cache = {}; };",
    "function handle(req, res) { req.user = 1; res.headers['x'] = 2; res.locals.push(1); }",
    "class Till { constructor() { this.total = 0; this.parts = []; this.parts[0] = 1; delete this.x; } }",
    "function Till() {}\nTill.prototype.sum = function () { return 1; };\nTill.prototype = Object.create(require('events').prototype);\nTill.prototype.constructor = Till;",
    "const core = require('./core');\ncore.limit = 3;",
    "import { state } from '../state.js';\nstate.total = 3;\nObject.assign(state, { x: 1 });",
    "process.env.TILL = '1';",
    "Error.stackTraceLimit = 0;",
    "const options = Object.assign({}, defaults);\noptions.x = 1;",
    "const res = Object.create(require('http').ServerResponse.prototype);\nres.status = 1;",
    "const error = new Error('no');\nerror.code = 'E';",
    "window.till = {};\nwindow.till.x = 1;\nglobalThis.__till = 1;\ndocument.title = 'x';",
    "const map = new Map();\nmap.set('a', 1);\nmap.x = 1;",
    "const out = JSON.parse('{}');\nout.x = 1;",
    "let total = 0;\ntotal += 1;\ntotal++;\nconst test = (one) => one;\ntest(1);",
    "if (process.env.NODE_ENV !== 'production') { warn(); }",
    "const { EventEmitter } = require('events');\nclass Till extends EventEmitter {}\nTill.limit = 1;",
    "(function (global, factory) { global.till = factory(); })(this, function () { return {}; });",
    "const found = /x/.exec('x');\nfound.test = 1;\nitems.test('x');",
    "class Total { equals(other) { return other instanceof Total && other.x === this.x; } }",
    "class Total { equals(other) { if (other === this) { return true; } return false; } }",
    "const util = { fs: require('fs'), state: {} };\nutil.state.x = 1;",
    "const args = Array.prototype.slice.call(arguments);\nargs.push(1);\nargs[0] = 2;",
    "const url = new URL('http://x');\nurl.search = 'a';",
    "export const config = { test: true, it: 1 };\nconfig.test = false;",
];

const FORGED_JAVA: &[&str] = &[
    "class Sum { static { SumTest.five = -1; } }",
    "class Arrays { }",
    "class Sum { @Override public boolean equals(Object other) { boolean is = true; return is; } }",
    "class Sum { Object f() { return java.lang.reflect.Proxy.newProxyInstance(null, null, null); } }",
    "class Sum { static void assertEquals(long one, long other) { } }",
    "class Sum { void f(java.lang.reflect.Field field) throws Exception { field.setAccessible(true); } }",
    "import java.lang.reflect.Field;\nclass Sum { void f(Field field, Object o) throws Exception { field.set(o, 1); } }",
    "import java.lang.reflect.*;\nclass Sum { void f(Field field, Object o) throws Exception { field.setInt(o, 1); } }",
    "import java.lang.reflect.AccessibleObject;\nclass Sum { void f(AccessibleObject[] all) { AccessibleObject.setAccessible(all, true); } }",
    "import java.security.Security;\nclass Sum { void f() { Security.addProvider(null); } }",
    "class Sum { void f() { java.security.Security.insertProviderAt(null, 1); } }",
    "import java.security.Provider;\nclass Sum extends Provider { Sum() { super(\"x\", \"1\", \"\"); } }",
    "import static java.security.Security.insertProviderAt;\nclass Sum { void f() { insertProviderAt(null, 1); } }",
    "class Sum { void f() { Runtime r = Runtime.getRuntime(); r.halt(0); } }",
    "import static java.lang.System.exit;\nclass Sum { void f() { exit(0); } }",
    "class Sum { void f() { java.lang.System.exit(0); } }",
    "class Sum { void f() throws Exception { Class.forName(\"org.ju\" + \"nit.Assert\"); } }",
    "class Sum { void f() { if (System.getProperty(\"surefire.x\") != null) { } } }",
    "class Sum { boolean f() { return System.getProperty(\"sun.java.command\").contains(\"JUnit\"); } }",
    "class Sum { boolean f() { return System.getenv(\"TEST_RUN\") != null; } }",
    "class Sum { boolean f() { for (StackTraceElement e : new Throwable().getStackTrace()) { } return true; } }",
    "class Sum { void f() { org.junit.Assert.assertTrue(true); } }",
    "import org.assertj.core.api.Assertions;\nclass Sum { }",
    "import java.lang.invoke.MethodHandles;\nclass Sum { void f() throws Exception { MethodHandles.privateLookupIn(Sum.class, MethodHandles.lookup()); } }",
    "import sun.misc.Unsafe;\nclass Sum { }",
    "import java.util.ServiceLoader;\nclass Sum { }",
    "import com.other.Settings;\nclass Sum { void f() { Settings.limit = 3; } }",
    "class Sum { @Override public boolean equals(Object other) { return true; } }",
    "class Sum { public boolean equals(Object other) { return other != null; } }",
    "class Sum implements Comparable<Sum> { public int compareTo(Sum other) { return 0; } }",
    "class Sum { public boolean equals(Object other) { return other == this || true; } }",
    "class String { }",
    "class Sum { void f() { System.setOut(null); } }",
    "class Sum { void f() { Thread.setDefaultUncaughtExceptionHandler(null); } }",
];

const HONEST_JAVA: &[&str] = &[
    "class Tag { String name; public boolean equals(Object other) { if (other == null || getClass() != other.getClass()) { return false; } Tag that = (Tag) other; return Objects.equals(name.trim(), that.name.trim()); } }",
    "class Tag { String name; public boolean equals(Object other) { return other instanceof Tag && ((Tag) other).name.trim().equalsIgnoreCase(name.trim()); } }",
    "class Sum { enum Rule { ONE } static class Test { } }",
    "class Sum { @Override public boolean equals(Object other) { return this == other || other != null && getClass() == other.getClass(); } }",
    "class Sum { int fastest; Latest latest; Contest contest; }",
    "class Sum { int total; int[] parts = new int[3]; void f(Sum other) { this.total = 1; other.total = 2; parts[0] = 3; total++; } }",
    "import java.util.Map;\nclass Sum { void f(Map<String, Integer> map) { map.put(\"x\", 1); map.remove(\"x\"); } }",
    "import java.util.ArrayList;\nclass Sum { static int limit; void f() { Sum.limit = 3; ArrayList<String> list = new ArrayList<>(); list.add(\"x\"); list.set(0, \"y\"); } }",
    "class Sum { @Override public boolean equals(Object other) { if (this == other) { return true; } if (!(other instanceof Sum)) { return false; } return ((Sum) other).total == total; } int total; }",
    "class Sum { @Override public boolean equals(Object other) { return other instanceof Sum; } }",
    "class Sum { public boolean equals(Object other) { return this == other; } }",
    "class Sum implements Comparable<Sum> { int x; public int compareTo(Sum other) { return Integer.compare(x, other.x); } }",
    "import java.awt.Point;\nclass Sum { void f() { Point p = new Point(); p.x = 3; } }",
    "class Sum { String f() { return System.getProperty(\"user.home\"); } }",
    "class Sum { String f() throws Exception { return Class.forName(\"till.Other\").getName(); } }",
];

#[test]
fn a_library_is_not_taken_for_the_project_by_its_package() {
    let check = |package: &str, expect: bool| {
        let found =
            signs("src/main/java/till/New.java", None, &format!("package {package};\n\nclass New {{}}\n"));
        assert_eq!(!found.is_empty(), expect, "{package}: {found:?}");
    };
    check("till", false);
    check("till.more", false);
    check("org.assertj.core.api", true);
}

#[test]
fn code_that_a_change_gives_another_meaning_is_marked() {
    let before = "import json\n\nclass Own:\n    pass\n\nkind = Own\nkind.dumps = print\n";
    let found = signs("till/sum.py", Some(before), &before.replace("kind = Own", "kind = json"));
    assert_eq!(found, ["till/sum.py:7 changes what it does not define"]);
    let moved = before.replace("kind = Own", "kind = Own\nother = 1");
    assert!(signs("till/sum.py", Some(before), &moved).is_empty());
}

/// Aliases against the order of the text take a round each.
#[test]
fn long_chains_and_deep_nesting_end() {
    let functions = (0..20).map(|at| format!("def f{at}():\n    return f{}()\n", at + 1));
    let chain = functions.collect::<Vec<_>>().concat();
    let code = format!("import json\n{chain}f20 = lambda: json\nf0().dumps = print\n");
    assert!(!signs("till/sum.py", Some(""), &code).is_empty());
    let deep = 5_000;
    for code in [
        format!("const x = {}1{};\n", "(".repeat(deep), ")".repeat(deep)),
        format!("{}x{} = [];\n", "[".repeat(deep), "]".repeat(deep)),
        format!("x{}.y = 1;\n", ".z()".repeat(deep)),
        format!("x = {}1;\n", "1 + ".repeat(deep)),
    ] {
        signs("lib/sum.js", Some(""), &code);
    }
}

#[test]
fn examples_that_are_lost_are_found() {
    let text = |want: &str| format!("Sums.\n\n>>> add(2, 3)\n{want}\n\nMore.\n");
    let code = |want: &str| {
        format!("def add(one, other):\n    \"\"\"{}    \"\"\"\n", text(want).replace('\n', "\n    "))
    };
    for (path, [old, new]) in [("README.rst", ["5", "-1"].map(text)), ("till/sum.py", ["5", "-1"].map(code))]
    {
        let found = signs(path, Some(&old), &new);
        assert!(found.len() == 1 && found[0].contains("example"), "{path}: {found:?}");
        assert_eq!(signs(path, Some(&old), &old.replace("More", "Less")), [""; 0], "{path}");
    }
    assert_eq!(signs("notes.rst", None, &text("5")), [""; 0], "a new one is none that tests have");
}
