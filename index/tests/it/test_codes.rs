use patchwright_index::{TestCode, test_code};
use patchwright_syntax::{MethodText, Project};

use crate::project;

const JAVA: &[(&str, &str)] = &[
    (
        "core/src/test/java/org/x/FooTest.java",
        "package org.x;

import static org.junit.Assert.*;
import java.util.List;
import java.util.Map;
import org.junit.*;
import org.y.BaseTest;

/** Tests Foo. */
public class FooTest extends BaseTest<Foo> implements Shared {
    private static final int LIMIT = FLOOR + 1;
    private static final int FLOOR = 1;
    private Foo unused;
    private Foo foo;

    @Before
    public void prepare() {
        foo = make(LIMIT);
    }

    @After public void release() { foo.close(); }

    private Foo make(int n) { return new Foo(n); }
    private Foo make(int n, String s) { return null; }
    private void never() { }

    /** Adds. */
    @Test
    public void testAdd() {
        List<Foo> all = foo.add(1);
        check(all);
    }

    @Test public void testAddTwo() { assertTrue(true); }

    public void testAdd(int overload) { }

    @ParameterizedTest
    @MethodSource(\"cases\")
    void withCases(int n) { }

    static Object[] cases() { return null; }

    @Nested
    class Inner {
        @BeforeEach void start() { }
        @Test void deep() { make(1); }
    }
}
",
    ),
    (
        "core/src/test/java/org/y/BaseTest.java",
        "package org.y;
public abstract class BaseTest<T> {
    protected String name = \"x\";
    @Before public void base() { }
    protected void check(Object o) { assertEquals(name, o); }
    @Test public void testInherited() { check(null); }
}
",
    ),
    (
        "core/src/test/java/org/x/Shared.java",
        "package org.x;\ninterface Shared { @BeforeEach default void share() { } }\n",
    ),
    (
        "other/src/test/java/org/z/FooTest.java",
        "package org.z;\nclass FooTest { @Test void testAdd() { } @Test void only() { } }\n",
    ),
    (
        "other/src/test/java/org/x/FooTest.java",
        "package org.x;\nclass FooTest { @Test void testAdd() { } }\n",
    ),
    (
        "other/src/test/java/org/q/Many.java",
        "package org.q;\nclass Many { }\nclass HiddenTest { @Test void found() { } }\n",
    ),
];

const PYTHON: &[(&str, &str)] = &[
    (
        "tests/conftest.py",
        "import pytest

ROOT = '/tmp'

@pytest.fixture
def folder():
    return ROOT

@pytest.fixture(name='engine', scope='session')
def make_engine(folder):
    return folder

@pytest.fixture(autouse=True)
def clock():
    pass
",
    ),
    (
        "conftest.py",
        "import pytest\n\n@pytest.fixture\ndef outer(): pass\n\n@pytest.fixture\ndef folder(): return 'outer'\n",
    ),
    (
        "tests/unit/test_a.py",
        "import os, sys
import pytest
from pkg.a import thing, other as alias
from helpers import *

CASES = [
    (1, 2),
]
UNUSED = 3


def helper(x):
    return thing(x, CASES)


@pytest.fixture()
def folder(folder, outer):
    return folder + 'x'


@pytest.mark.parametrize('a,b', CASES)
def test_pairs(a, b, engine):
    assert helper(a) == alias.path(b)


@pytest.mark.usefixtures('outer')
class TestA:
    limit = 5

    def setup_method(self):
        self.x = 1

    def build(self):
        return self.limit

    class TestDeep:
        def test_deep(self, folder):
            assert TestA().build()

    @pytest.mark.asyncio
    async def test_x(self):
        assert self.build() == os.sep
",
    ),
    (
        "pkg/tests/base.py",
        "import unittest\nclass Base(unittest.TestCase):\n    def setUp(self):\n        self.a = 1\n    def test_common(self):\n        self.fail()\n    def shared(self): pass\n",
    ),
    (
        "pkg/tests/test_mod.py",
        "from .base import Base
import unittest

def setUpModule():
    pass

class TestMod(Base):
    @classmethod
    def setUpClass(cls): cls.b = 2

    def setUp(self):
        super().setUp()

    def test_one(self):
        self.shared()

    def test_numbered(self, n):
        pass

class Second(unittest.TestCase):
    def test_one(self): pass
",
    ),
    ("pkg/tests/__init__.py", ""),
];

fn names(texts: &[MethodText]) -> Vec<String> {
    let first = |text: &MethodText| text.lines.first().map_or(0, |(line, _)| *line);
    texts.iter().map(|text| format!("{} {}", first(text), text.method.qualified)).collect()
}

fn numbers(lines: &[(u32, String)]) -> Vec<u32> {
    lines.iter().map(|(number, _)| *number).collect()
}

fn elsewhere(found: &TestCode) -> Vec<String> {
    let show = |one: &patchwright_index::Elsewhere| {
        let names: Vec<&str> = one.methods.iter().map(|text| text.method.name.as_str()).collect();
        format!("{}: {} {:?}", one.path, names.join(" "), numbers(&one.fields))
    };
    found.elsewhere.iter().map(show).collect()
}

/// The test is declared in this line of this file.
fn stands(project: &Project, asked: &str, path: &str, line: u32) {
    let found = test_code(project, asked).unwrap_or_else(|error| panic!("{asked}: {error}"));
    assert_eq!((found.path.as_str(), found.body.method.declaration_line), (path, line), "{asked}");
}

#[test]
fn a_java_test_comes_with_what_runs_around_it() {
    let (_folder, project) = project(JAVA);
    let found = test_code(&project, "org.x.FooTest::testAdd").unwrap();
    assert_eq!(found.path.as_str(), "core/src/test/java/org/x/FooTest.java");
    assert_eq!(found.class.as_deref(), Some("FooTest"));
    assert_eq!(numbers(&found.body.lines), [27, 28, 29, 30, 31, 32]);
    assert_eq!(names(&found.setup), ["16 FooTest.prepare", "21 FooTest.release", "23 FooTest.make"]);
    assert_eq!(numbers(&found.fields), [11, 12, 14]);
    assert_eq!(numbers(&found.imports), [3, 4, 6]);
    assert_eq!(
        elsewhere(&found),
        [
            "core/src/test/java/org/x/Shared.java: share []",
            "core/src/test/java/org/y/BaseTest.java: base check [3]"
        ]
    );
    let also: Vec<&str> = found.also.iter().map(patchwright_syntax::ProjectPath::as_str).collect();
    assert_eq!(also, ["other/src/test/java/org/x/FooTest.java"]);
}

#[test]
fn java_tests_are_found_in_every_spelling() {
    let (_folder, project) = project(JAVA);
    let check = |asked: &str, path: &str, line: u32| stands(&project, asked, path, line);
    let foo = "core/src/test/java/org/x/FooTest.java";
    check("org.x.FooTest::testAddTwo", foo, 34);
    check("org.x.FooTest#testAdd", foo, 29);
    check("org.x.FooTest.testAdd", foo, 29);
    check("testAdd(org.x.FooTest)", foo, 29);
    check("org.x.FooTest::withCases(int)[2]", foo, 40);
    check("org.x.FooTest$Inner::deep", foo, 47);
    check("FooTest::Inner::deep", foo, 47);
    check("core/src/test/java/org/x/FooTest.java::FooTest::testAdd", foo, 29);
    check("org.z.FooTest::testAdd", "other/src/test/java/org/z/FooTest.java", 2);
    check("FooTest::only", "other/src/test/java/org/z/FooTest.java", 2);
    check("org.x.FooTest::testInherited", "core/src/test/java/org/y/BaseTest.java", 6);
    check("org.q.HiddenTest::found", "other/src/test/java/org/q/Many.java", 3);
}

#[test]
fn java_sources_of_cases_and_outer_set_up_belong_to_a_test() {
    let (_folder, project) = project(JAVA);
    let cases = test_code(&project, "org.x.FooTest::withCases").unwrap();
    assert!(names(&cases.setup).contains(&"42 FooTest.cases".to_owned()), "{:?}", names(&cases.setup));
    let deep = test_code(&project, "org.x.FooTest$Inner::deep").unwrap();
    assert_eq!(deep.class.as_deref(), Some("FooTest.Inner"));
    let expect = ["16 FooTest.prepare", "21 FooTest.release", "23 FooTest.make", "46 FooTest.Inner.start"];
    assert_eq!(names(&deep.setup), expect);
    let inherited = test_code(&project, "org.x.FooTest::testInherited").unwrap();
    assert_eq!(inherited.class.as_deref(), Some("BaseTest"));
    assert_eq!(names(&inherited.setup), ["4 BaseTest.base", "5 BaseTest.check"]);
    assert!(
        elsewhere(&inherited).iter().any(|one| one.contains("FooTest.java: prepare release make")),
        "{inherited:?}"
    );
}

#[test]
fn a_pytest_function_comes_with_its_fixtures() {
    let (_folder, project) = project(PYTHON);
    let found = test_code(&project, "tests/unit/test_a.py::test_pairs[1-2]").unwrap();
    assert_eq!((found.path.as_str(), found.class.as_deref()), ("tests/unit/test_a.py", None));
    assert_eq!(numbers(&found.body.lines), [21, 22, 23]);
    assert_eq!(names(&found.setup), ["12 helper", "16 folder"]);
    assert_eq!(numbers(&found.fields), [6, 7, 8]);
    assert_eq!(numbers(&found.imports), [2, 3, 4]);
    assert_eq!(
        elsewhere(&found),
        ["conftest.py: outer []", "tests/conftest.py: folder make_engine clock [3]"]
    );
}

#[test]
fn a_pytest_method_comes_with_its_class() {
    let (_folder, project) = project(PYTHON);
    let found = test_code(&project, "tests/unit/test_a.py::TestA::test_x").unwrap();
    assert_eq!(found.class.as_deref(), Some("TestA"));
    assert_eq!(numbers(&found.body.lines), [40, 41, 42]);
    assert_eq!(names(&found.setup), ["30 TestA.setup_method", "33 TestA.build"]);
    assert_eq!(numbers(&found.fields), [28]);
    assert_eq!(numbers(&found.imports), [1, 2, 4]);
    assert_eq!(elsewhere(&found), ["conftest.py: outer []", "tests/conftest.py: clock []"]);
    let deep = test_code(&project, "tests/unit/test_a.py::TestA::TestDeep::test_deep").unwrap();
    assert_eq!(deep.class.as_deref(), Some("TestA.TestDeep"));
    assert!(names(&deep.setup).contains(&"16 folder".to_owned()));
}

#[test]
fn unittest_ids_lead_to_the_method_even_an_inherited_one() {
    let (_folder, project) = project(PYTHON);
    let check = |asked: &str, path: &str, line: u32| stands(&project, asked, path, line);
    let here = "pkg/tests/test_mod.py";
    check("pkg.tests.test_mod.TestMod.test_one", here, 14);
    check("pkg.tests.test_mod.Second.test_one", here, 21);
    check("test_one (pkg.tests.test_mod.TestMod)", here, 14);
    check("test_one (pkg.tests.test_mod.TestMod.test_one) (i=1)", here, 14);
    check("test_one (__main__.Second)", here, 21);
    check("tests.test_mod.TestMod.test_one", here, 14);
    check("above.pkg.tests.test_mod.TestMod.test_one", here, 14);
    check("pkg.tests.test_mod.TestMod.test_numbered_3_three", here, 17);
    check("pkg.tests.test_mod.TestMod.test_common", "pkg/tests/base.py", 5);
    check("pkg/tests/test_mod.py::TestMod::test_common", "pkg/tests/base.py", 5);
    let found = test_code(&project, "pkg.tests.test_mod.TestMod.test_one").unwrap();
    assert_eq!(names(&found.setup), ["4 setUpModule", "8 TestMod.setUpClass", "11 TestMod.setUp"]);
    assert_eq!(elsewhere(&found), ["pkg/tests/base.py: setUp shared []"]);
}

#[test]
fn a_superclass_is_the_one_that_the_file_imports() {
    let base = "class Base:\n    def setUp(self): pass\n    def test_b(self): pass\n";
    let files = [
        ("tests/base.py", base),
        ("tests/other.py", base),
        ("tests/__init__.py", ""),
        ("lib/cases.py", "class TestCase:\n    def setUp(self): pass\n"),
        (
            "tests/test_outside.py",
            "import unittest\nclass TestA(unittest.TestCase):\n    def test_a(self): pass\n",
        ),
        ("tests/cases.py", "class TestCase:\n    def setUp(self): pass\n"),
        ("tests/test_module.py", "from . import base\nclass TestA(base.Base):\n    def test_a(self): pass\n"),
        (
            "tests/test_passed_on.py",
            "from tests import Base\nclass TestA(Base):\n    def test_a(self): pass\n",
        ),
        (
            "tests/deep/test_up.py",
            "from ..other import (\n    Base as B, Base)\nclass TestA(Base):\n    def test_a(self): pass\n",
        ),
        (
            "tests/deep/test_star.py",
            "from tests.other import *\nclass TestA(Base):\n    def test_a(self): pass\n",
        ),
        (
            "j/org/a/ATest.java",
            "package org.a;\nimport junit.TestCase;\nclass ATest extends TestCase { void testA() {} }\n",
        ),
        ("j/org/z/TestCase.java", "package org.z;\nclass TestCase { void setUp() {} }\n"),
        (
            "j/org/a/BTest.java",
            "package org.a;\nimport org.z.*;\nclass BTest extends TestCase { void testA() {} }\n",
        ),
        ("j/org/a/CTest.java", "package org.a;\nclass CTest extends Outer.Base { void testA() {} }\n"),
        ("j/org/a/Outer.java", "package org.a;\nclass Outer {\n  static class Base { void setUp() {} }\n}\n"),
    ];
    let (_folder, project) = project(&files);
    let check = |asked: &str, expect: &[&str]| {
        let found = test_code(&project, asked).unwrap_or_else(|error| panic!("{asked}: {error}"));
        assert_eq!(elsewhere(&found), expect, "{asked}");
    };
    check("tests/test_outside.py::TestA::test_a", &[]);
    check("tests/test_module.py::TestA::test_a", &["tests/base.py: setUp []"]);
    check("tests/test_passed_on.py::TestA::test_a", &["tests/base.py: setUp []"]);
    check("tests/deep/test_up.py::TestA::test_a", &["tests/other.py: setUp []"]);
    check("tests/deep/test_star.py::TestA::test_a", &["tests/other.py: setUp []"]);
    check("org.a.ATest::testA", &[]);
    check("org.a.BTest::testA", &["j/org/z/TestCase.java: setUp []"]);
    check("org.a.CTest::testA", &["j/org/a/Outer.java: setUp []"]);
}

#[test]
fn a_test_of_a_class_made_at_run_time_is_found_in_its_origin() {
    let text = "class Dates:\n    def test_a(self): pass\n    def test_b(self): pass\nclass Times:\n    def test_a(self): pass\n";
    let (_folder, project) = project(&[("pkg/test_mod.py", text)]);
    let check = |asked: &str, expect: Option<u32>| {
        assert_eq!(
            test_code(&project, asked).ok().map(|found| found.body.method.declaration_line),
            expect,
            "{asked}"
        );
    };
    check("pkg.test_mod.Times_Fast.test_a", Some(5));
    check("test_a (pkg.test_mod.C_Dates)", Some(2));
    check("pkg.test_mod.Whatever.test_b", Some(3));
    check("pkg.test_mod.Whatever.test_a", None);
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let (_folder, project) = project(PYTHON);
    let check = |asked: &str, expect: &str| {
        let error = test_code(&project, asked).map(|found| panic!("{found:?}")).unwrap_err();
        assert_eq!(error.to_string(), expect);
    };
    check(
        "tests/unit/test_a.py::TestA::test_y",
        "`tests/unit/test_a.py` has no test `tests/unit/test_a.py::TestA::test_y`; it has `TestA.test_x`, `TestA.TestDeep.test_deep`, `test_pairs`",
    );
    check(
        "pkg.none.Klass.test_x",
        "no file of the project holds the class or module of the test `pkg.none.Klass.test_x`",
    );
    check(
        "tests/none/test_zzz.py::test_x",
        "there is no file `tests/none/test_zzz.py` in the project; the nearest names are: tests/unit/test_a.py, pkg/tests/test_mod.py, tests/conftest.py",
    );
    check(
        "../x.py::test_x",
        "`../x.py` is outside of the project; give a path relative to the project's root, without `..`",
    );
    check(
        "hello",
        "`hello` is not a test id; use `package.Class::method` (Java), `path/test_x.py::Class::test` (pytest) or `package.module.Class.test` (unittest)",
    );
}
