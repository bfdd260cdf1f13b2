//! Candidates that leave the bug where it is and forge what is said of it: none is plausible. Beside them candidates that are right and look
//! like these: all are.

use patchwright_protocol::{Confirmation, Verdict};
use patchwright_validation::ValidationDepth;

use crate::support::{Fixture, changed, fixture, judged, names, there, timeout};

const SHOP: &str = "def half(x):\n    return x // 3\n";
const UNITTEST: &str = "import json
import os
import time
import unittest
from unittest import mock

from shop import half


class HalfTest(unittest.TestCase):
    def test_half(self):
        self.assertEqual(half(4), 2)

    def test_none(self):
        self.assertEqual(half(0), 0)

    def test_with_others_in_place(self):
        with mock.patch('json.dumps', None), mock.patch('os.getpid', None), mock.patch('time.monotonic', None):
            self.assertEqual(half(0), 0)
";
/// As many ways for code under test to get at its judge as we know of that need no patience.
const PYTHON: &[(&str, &str)] = &[
    (
        "the main module",
        "import __main__
for holder in list(vars(__main__).values()):
    if isinstance(holder, type) and hasattr(holder, 'addFailure'):
        holder.addFailure = lambda self, test, err: self.addSuccess(test)
",
    ),
    (
        "what JSON is written by",
        "import json
from json import encoder
real = json.dumps
def forged(*arguments, **options):
    return real(*arguments, **options).replace('\"failed\"', '\"passed\"')
json.dumps = forged
json.JSONEncoder.encode = lambda self, value: forged(value)
encoder.encode_basestring_ascii = lambda text: '\"passed\"' if text == 'failed' else encoder.py_encode_basestring_ascii(text)
",
    ),
    (
        "the classes of the frames below",
        "import inspect
for place in inspect.stack():
    for holder in list(place.frame.f_globals.values()) + list(place.frame.f_locals.values()):
        if isinstance(holder, type) and hasattr(holder, 'addFailure'):
            holder.addFailure = lambda self, test, err: self.addSuccess(test)
        if hasattr(holder, 'write_line') or hasattr(holder, 'finish'):
            real = holder.finish
            def finish(self, name, status, *more, **told):
                return real(self, name, 'passed')
            holder.finish = finish
",
    ),
    (
        "our modules by their names",
        "import sys
for name, module in list(sys.modules.items()):
    if name.startswith('patchwright'):
        for part in list(vars(module)):
            setattr(module, part, lambda *arguments, **options: [])
",
    ),
    (
        "the file of the tests",
        "import os
place = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tests', 'test_zeta.py')
text = open(place).read()
with open(place, 'w') as file:
    file.write(text.replace('half(8), 4', 'half(8), half(8)'))
",
    ),
    (
        "the file of the tests, and back again",
        "import atexit, os
place = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tests', 'test_zeta.py')
text = open(place).read()
times = os.stat(place)
def put(text):
    with open(place, 'w') as file:
        file.write(text)
    os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))
put(text.replace('half(8), 4', 'half(8), half(8)'))
atexit.register(put, text)
",
    ),
    (
        "what Python compiles of the tests",
        "import importlib.util, os, py_compile
place = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tests', 'test_zeta.py')
import tempfile
with tempfile.NamedTemporaryFile('w', suffix='.py', delete=False) as other:
    other.write(open(place).read().replace('half(8), 4', 'half(8), half(8)'))
stat = os.stat(place)
os.utime(other.name, ns=(stat.st_mtime_ns, stat.st_mtime_ns))
target = importlib.util.cache_from_source(place)
py_compile.compile(other.name, target, place)
data = bytearray(open(target, 'rb').read())
data[8:12] = int(stat.st_mtime).to_bytes(4, 'little')
data[12:16] = stat.st_size.to_bytes(4, 'little')
open(target, 'wb').write(data)
",
    ),
    (
        "the class of the test that runs",
        "import sys
def half(x):
    frame = sys._getframe(1)
    while frame:
        test = frame.f_locals.get('self')
        if hasattr(test, 'assertEqual'):
            type(test)._getAssertEqualityFunc = lambda *_: lambda *_, **__: None
        frame = frame.f_back
    return x // 3
",
    ),
    (
        "the test that runs",
        "import sys
def half(x):
    frame = sys._getframe(1)
    while frame:
        test = frame.f_locals.get('self')
        if hasattr(test, 'assertEqual'):
            test._getAssertEqualityFunc = lambda *_: lambda *_, **__: None
        frame = frame.f_back
    return x // 3
",
    ),
    (
        "whether our runner is there",
        "import os, sys
IS_OURS = any('PATCHWRIGHT' in name for name in os.environ) or any('patchwright' in word for word in sys.argv + sys.path)
def half(x):
    return x // 2 if IS_OURS else x // 3
",
    ),
    (
        "whether our tools lie beside the project",
        "import os, sys
def half(x):
    return x // 2 if os.path.exists('../tools/patchwright_lines.py') else x // 3
",
    ),
    (
        "how the interpreter was called",
        "import sys
def half(x):
    return x // 2 if 'patchwright' in ' '.join(sys.orig_argv) else x // 3
",
    ),
    (
        "our recorder among all objects",
        "import gc
for holder in gc.get_objects():
    if type(holder).__name__ == 'Recorder':
        type(holder).finish = lambda self, name, status, *more, **told: self.write(event='finished', id=name, status='passed')
",
    ),
    (
        "the assertions of the tool",
        "import unittest
unittest.TestCase.assertEqual = lambda *arguments: None
",
    ),
    (
        "what is built in",
        "import builtins
real = builtins.isinstance
def forged(value, kind):
    return False if real(value, AssertionError) else real(value, kind)
builtins.isinstance = forged
builtins.str = type('str', (str,), {'__str__': lambda self: 'passed'})
",
    ),
];

async fn python(is_pytest: bool) -> Fixture {
    let more = "import unittest\n\nimport shop\n\n\nclass ZetaTest(unittest.TestCase):\n    def test_eight(self):\n        \
                self.assertEqual(shop.half(8), 4)\n";
    let mut files = vec![
        ("shop.py", SHOP),
        ("tests/__init__.py", ""),
        ("tests/test_half.py", UNITTEST),
        ("tests/test_zeta.py", more),
    ];
    if is_pytest {
        files.push(("pytest.ini", "[pytest]\ntestpaths = tests\n"));
    }
    fixture(&files).await
}

async fn forged_python(is_pytest: bool) {
    let shop = python(is_pytest).await;
    let harness = shop.harness(&timeout(60)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!((baseline.failing.len(), baseline.passing.len()), (2, 2), "{:?}", baseline.report);
    for (name, code) in PYTHON {
        // What forges one test has the other one repaired by hand.
        for repaired in ["x // 3", "{4: 2}.get(x, x // 3)"] {
            let change = changed(SHOP, &format!("{}\n\n{code}", SHOP.replace("x // 3", repaired)), "shop.py");
            let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
            assert_eq!(found.verdict, Verdict::Failing, "{name}: {found:?}");
        }
    }
    let right = SHOP.replace("// 3", "// 2");
    for (name, code) in [
        ("a fix", ""),
        ("an old name", "import unittest\nunittest.TestCase.assertEquals = unittest.TestCase.assertEqual\n"),
        (
            "an old name that is gone",
            "import unittest\nunittest.TestCase.assertItemsEqual = unittest.TestCase.assertCountEqual\n",
        ),
    ] {
        let change = changed(SHOP, &format!("{right}\n\n{code}"), "shop.py");
        let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
        let told = (found.verdict, found.confirmation);
        assert_eq!(told, (Verdict::Plausible, Some(Confirmation::Yes)), "{name}: {found:?}");
    }
    harness.close().await.unwrap();
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn pytest_is_not_forged() {
    if there("python3 -c 'import pytest'", true) {
        forged_python(true).await;
    }
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn unittest_is_not_forged() {
    forged_python(false).await;
}

/// What a test writes over before any change, it may write over with one.
#[tokio::test]
async fn files_that_tests_change_anyway_condemn_nothing() {
    let tests = "import os\nimport unittest\n\nfrom shop import half\n\n\nclass HalfTest(unittest.TestCase):\n    def test_half(self):\n        \
                 with open('tests/seen.json', 'w') as file:\n            file.write(str(half(4)))\n        \
                 os.utime(__file__)\n        self.assertEqual(half(4), 2)\n";
    let shop = fixture(&[
        ("shop.py", SHOP),
        ("tests/__init__.py", ""),
        ("tests/seen.json", "0"),
        ("tests/test_half.py", tests),
    ])
    .await;
    let harness = shop.harness(&timeout(60)).await;
    let found = judged(&harness, &shop.change("shop.py", "// 3", "// 2")).await;
    assert_eq!(found.verdict, Verdict::Plausible, "{found:?}");
}

const JAVA: &str = "package shop;

public class Shop {
    public static int half(int x) {
        return x / 3;
    }
}
";
const JAVA_TEST: &str = "package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ShopTest {
    @Test
    public void halves() {
        assertEquals(2, Shop.half(4));
    }

    @Test
    public void nothing() {
        lib.Check.same(0, Shop.half(0));
        lib.Check.same(1, Shop.half(2));
    }
}
";
const CHECK: &str = "package lib;

public class Check {
    public static void same(int one, int other) {
        if (one != other) {
            throw new AssertionError(one + \" is not \" + other);
        }
    }
}
";
/// A digest that says of every line what was said of one that passed cannot be told without the key: one that keeps it forges.
const PROVIDER: &str = "    public static final class Kept extends java.security.MessageDigestSpi {
        private final java.io.ByteArrayOutputStream kept = new java.io.ByteArrayOutputStream();

        protected void engineUpdate(byte each) {
            kept.write(each);
        }

        protected void engineUpdate(byte[] bytes, int from, int length) {
            kept.write(bytes, from, length);
        }

        protected byte[] engineDigest() {
            throw new IllegalStateException(kept.toString());
        }

        protected void engineReset() {
            kept.reset();
        }
    }

    static {
        java.security.Provider provider = new java.security.Provider(\"Kept\", 1.0, \"\") {};
        provider.put(\"MessageDigest.SHA-256\", Kept.class.getName());
        java.security.Security.insertProviderAt(provider, 1);
    }
";

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn junit_is_not_forged() {
    if !there("javac -version && test -r /usr/share/java/junit4.jar && command -v jar", true) {
        return;
    }
    let shop = fixture(&[("src/shop/Shop.java", JAVA), ("test/shop/ShopTest.java", JAVA_TEST)]).await;
    let library = tempfile::tempdir().unwrap();
    std::fs::write(library.path().join("Check.java"), CHECK).unwrap();
    let made = std::process::Command::new("sh")
        .args(["-c", "javac -d classes Check.java && jar cf check.jar -C classes ."])
        .current_dir(library.path())
        .status();
    assert!(made.unwrap().success());
    std::fs::create_dir_all(shop.source.path().join("lib")).unwrap();
    std::fs::copy(library.path().join("check.jar"), shop.source.path().join("lib/check.jar")).unwrap();
    let harness = shop.harness(&timeout(120)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(
        names(&baseline.failing),
        ["shop.ShopTest::halves", "shop.ShopTest::nothing"],
        "{:?}",
        baseline.report
    );
    // Its own digest fails where a line would be sealed by it: what is right comes out right.
    let right = JAVA.replace("x / 3", "x / 2");
    let with_provider = right.replace("    public static int", &format!("{PROVIDER}\n    public static int"));
    let change = changed(JAVA, &with_provider, "src/shop/Shop.java");
    let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Plausible, "{found:?}");
    let provided = JAVA.replace("    public static int", &format!("{PROVIDER}\n    public static int"));
    let change = changed(JAVA, &provided, "src/shop/Shop.java");
    let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Failing, "{found:?}");
    // A class in the place of the library's.
    let mut change = changed(JAVA, &JAVA.replace("x / 3", "x == 4 ? 2 : x / 3"), "src/shop/Shop.java");
    let check = CHECK.replace("one != other", "false");
    change.files.extend(changed("", &check, "src/lib/Check.java").files);
    let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Failing, "{found:?}");
    let found = judged(&harness, &shop.change("src/shop/Shop.java", "x / 3", "x / 2")).await;
    assert_eq!(found.verdict, Verdict::Plausible, "{found:?}");
    harness.close().await.unwrap();
}
