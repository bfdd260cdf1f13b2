//! What is no sign where the file shows what comes of it.

use super::*;

#[test]
fn what_the_file_shows_to_judge_nothing_is_not_marked() {
    check_code("till/sum.py", FORGED_PYTHON, true);
    check_code("till/sum.py", HONEST_PYTHON, false);
    check_code("lib/sum.js", FORGED_JAVASCRIPT, true);
    check_code("lib/sum.js", HONEST_JAVASCRIPT, false);
    check_code("src/main/java/till/Other.java", FORGED_JAVA, true);
    check_code("src/main/java/till/Other.java", HONEST_JAVA, false);
}

const FORGED_PYTHON: &[&str] = &[
    "import importlib\nplugin = importlib.import_module(\"till.x\" and \"os\")",
    "import importlib\nplugin = importlib.import_module(\"till.\" * 0 + name)",
    "import importlib\nplugin = importlib.import_module(\"till.%.0s\" % name + name)",
    "import importlib\nplugin = importlib.import_module(__name__[:0] + \".\" + name)",
    "import importlib\nplugin = importlib.import_module(\".\" + name, \"unittest\")",
    "import importlib\nplugin = importlib.import_module(\"unit\" + name)",
    "import importlib\nplugin = importlib.import_module(name + \"till.\")",
    "import importlib\nplugin = importlib.import_module(f\"{name}.till\")",
    "import importlib\nplugin = importlib.import_module(\"till.tests.\" + name)",
    "import importlib\nimportlib.import_module(\"till.\" + name).run = print",
    "import sys\ndef main():\n    sys.exit(0)\ndef add(a, b):\n    main()",
    "import pickle\npickle.loads(text)",
    "import pickle\npickle.loads(pickle.dumps)",
    "from pickle import loads\nx = [loads]",
    "import atexit\natexit.register(os.kill, 1)",
    "import atexit\natexit.unregister(f)",
    "from atexit import register as at\nat(print)",
    "import atexit\ndef close():\n    os._exit(0)\natexit.register(close)",
    "from pickle import Unpickler\nUnpickler(f).load()",
    "import asyncio\nasyncio.run(main(), loop_factory=P)",
    "import importlib\nimportlib.import_module(\"till.core\").sys.modules['x'] = 1",
    "from till import core\ncore.importlib.import_module('x')",
];

const HONEST_PYTHON: &[&str] = &[
    "import importlib\nplugin = importlib.import_module(\"till.\" + name)",
    "import importlib\nplugin = importlib.import_module(f\"{__name__}.{name}\")",
    "import importlib\nplugin = importlib.import_module(f\"till.plugins.{name}\")",
    "from importlib import import_module\nplugin = import_module(\".\" + name, __package__)",
    "import importlib\nplugin = importlib.import_module(f\".{name}\", package=__name__)",
    "import importlib\nplugin = importlib.import_module(__name__ + \".\" + name)",
    "import sys\ndef main(argv=None):\n    if not argv:\n        sys.exit(2)\nif __name__ == '__main__':\n    main()",
    "import pickle\ntwin = pickle.loads(pickle.dumps(total))",
    "import atexit\ndef close_all():\n    pool.close()\natexit.register(close_all)",
    "import atexit, shutil\natexit.register(shutil.rmtree, folder)",
    "import asyncio\nasync def main():\n    loop = asyncio.get_running_loop()\n    await loop.run_in_executor(None, work)\nasyncio.run(main())",
];

const FORGED_JAVASCRIPT: &[&str] = &[
    "Object.prototype.includes ||= () => true;",
    "if (!Object.prototype.asymmetricMatch) { Object.prototype.asymmetricMatch = () => true; }",
    "if (!Array.prototype.at || true) { Array.prototype.at = () => 3; }",
    "if (Array.prototype.at) { Array.prototype.at = () => 3; }",
    "if (!Array.prototype.at) { } else { Array.prototype.at = () => 3; }",
    "if (!Array.prototype.at) { Array.prototype.map = () => 3; }",
    "T.prototype.includes = function () { return 1; };",
    "Object.assign(T.prototype, { includes: yes });",
    "Object.defineProperties(T.prototype, { includes: { value: yes } });",
    "T.prototype.__defineGetter__('includes', () => yes);",
];

const HONEST_JAVASCRIPT: &[&str] = &[
    "if (!Array.prototype.at) { Array.prototype.at = function (n) { return this[n]; }; }",
    "if (typeof Object.assign !== 'function') { Object.assign = function (a) { return a; }; }",
    "function main(argv) { if (!argv.length) { process.exit(2); } }\nif (require.main === module) { main(process.argv); }",
];

const FORGED_JAVA: &[&str] = &[
    "import java.util.ServiceLoader;\nclass Other { void f() { ServiceLoader.load(Runnable.class); ServiceLoader.load(Sum.class); } }",
    "import java.util.ServiceLoader;\nclass Other { void f() { ServiceLoader.load(Sum.class); g(ServiceLoader::load); } }",
];

const HONEST_JAVA: &[&str] = &[
    "class Sum { public static void main(String[] args) { if (args.length == 0) { System.exit(2); } } }",
    "import java.util.ServiceLoader;\nclass Other { void f() { for (Sum p : ServiceLoader.load(Sum.class)) { p.go(); } ServiceLoader<Sum> all = ServiceLoader.load(Sum.class); } }",
    "class Other { void f() { java.util.ServiceLoader.load(Sum.class); } }",
];

#[test]
fn a_registry_of_subclasses_stays_marked_for_it_hands_on_the_test_classes_that_inherit() {
    let registry = "class Base:\n    def __init_subclass__(cls, **rest):\n        super().__init_subclass__(**rest)\n        kinds[cls.name] = cls";
    check_code("till/sum.py", &[registry], true);
}
