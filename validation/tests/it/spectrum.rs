//! Where the tests say that the bug is.

use patchwright_fault_localization::{Basis, Formula, Ranking, Reason};
use patchwright_protocol::{Overrides, ResultsFormat, TestId};
use patchwright_validation::{CoverageScope, TestHarness};

use crate::support::{Fixture, fixture, there, timeout};

const STACK: &str = "import threading

RATE = 3


class Stack:
    \"\"\"Holds things.\"\"\"

    limit = 3

    def __init__(self):
        self.things = []

    def push(self, thing):
        # Full.
        if len(self.things) >= self.limit:
            raise ValueError('full')
        self.things.append(
            thing)

    def pop(self):
        if not self.things:
            return None
        return self.things.pop(0)

    def later(self, thing):
        thread = threading.Thread(target=self.work, args=(thing,))
        thread.start()
        thread.join()

    def work(self, thing):
        self.push(thing * 2)
";
const UNITTESTS: &str = "import unittest

from shop.stack import Stack


class StackTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = Stack()
        cls.shared.push(1)

    def setUp(self):
        self.stack = Stack()

    def test_pop(self):
        self.stack.push(1)
        self.stack.push(2)
        self.assertEqual(self.stack.pop(), 2)

    def test_empty(self):
        self.assertIsNone(self.stack.pop())

    def test_full(self):
        for number in range(3):
            self.stack.push(number)
        with self.assertRaises(ValueError):
            self.stack.push(4)

    def test_later(self):
        self.stack.later(3)
        self.assertEqual(self.stack.things, [6])
";
const PYTESTS: &str = "import pytest

from shop.stack import Stack


@pytest.fixture
def stack():
    return Stack()


@pytest.mark.parametrize('things', [[1], [1, 2], [1, 2, 3]])
def test_pop(stack, things):
    for thing in things:
        stack.push(thing)
    assert stack.pop() == things[-1]


def test_empty(stack):
    assert stack.pop() is None


def test_later(stack):
    stack.later(3)
    assert stack.things == [6]
";

fn pytest() -> bool {
    there("python3 -c 'import pytest'", true)
}

async fn ranked(harness: &TestHarness) -> Ranking {
    let baseline = harness.baseline(&[]).await.unwrap();
    patchwright_fault_localization::spectrum(harness, &baseline, Formula::default(), CoverageScope::All)
        .await
        .unwrap()
}

fn lines(ranking: &Ranking) -> Vec<u32> {
    ranking.lines.iter().map(|line| line.line).collect()
}

fn tool(ranking: &Ranking) -> &str {
    match &ranking.basis {
        Basis::Coverage { tool } => tool,
        Basis::StackTraces { why } => panic!("{why}"),
    }
}

async fn python(tests: &str) -> Fixture {
    fixture(&[
        ("shop/__init__.py", ""),
        ("shop/stack.py", STACK),
        ("shop/other.py", "def unused():\n    return 1\n"),
        ("tests/__init__.py", ""),
        ("tests/test_stack.py", tests),
    ])
    .await
}

#[tokio::test]
async fn unittest_lines_of_set_up_and_threads_count() {
    let project = python(UNITTESTS).await;
    let ranking = ranked(&project.harness(&timeout(60)).await).await;
    // Line 24 is the bug: executed by the failing test alone.
    assert_eq!(ranking.lines[0].line, 24, "{ranking:?}");
    assert!(ranking.lines[0].suspiciousness > 0.99);
    assert_eq!(ranking.methods[0].name, "Stack.pop");
    assert_eq!(ranking.files[0].path, "shop/stack.py");
    let coverage = ranking.coverage.as_ref().unwrap();
    let of = |line: u32| -> Vec<&str> {
        let names = coverage.lines("shop/stack.py").find(|(number, _)| *number == line);
        names.into_iter().flat_map(|(_, tests)| tests.map(TestId::as_str)).collect()
    };
    let named = |name: &str| format!("tests.test_stack.StackTest.{name}");
    // The set-up of the class pushes something, and that of each test makes a stack.
    let all = ["test_empty", "test_full", "test_later", "test_pop"].map(named);
    assert_eq!(of(12), all);
    assert_eq!(of(18), all);
    // In the thread.
    assert_eq!(of(32), [named("test_later")]);
    // What is executed when the module is loaded counts for no test of its own.
    assert_eq!((of(3).len(), of(8).len()), (0, 0));
    assert!(!lines(&ranking).contains(&14), "a declaration is no candidate");
    let order: Vec<&str> =
        coverage.tests_covering("shop/stack.py", &[24]).into_iter().map(TestId::as_str).collect();
    assert_eq!(order[0], named("test_pop"));
    assert_eq!(order.len(), 4);
}

#[tokio::test]
async fn every_formula_puts_the_bug_first_and_tests_are_run_once() {
    let project = python(UNITTESTS).await;
    let harness = project.harness(&timeout(60)).await;
    let first = ranked(&harness).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    for formula in Formula::ALL {
        let again =
            patchwright_fault_localization::spectrum(&harness, &baseline, formula, CoverageScope::All)
                .await
                .unwrap();
        assert_eq!(again.lines[0].line, 24, "{formula:?}");
        assert_eq!(again.coverage, first.coverage);
    }
    // The interpreter's own monitoring, the tool coverage.py, or a trace function.
    let known = ["sys.monitoring", "coverage.py", "sys.settrace"];
    assert!(known.iter().any(|name| tool(&first).starts_with(name)), "{}", tool(&first));
}

#[tokio::test]
async fn pytest_parameters_are_tests_of_their_own() {
    if !pytest() {
        return;
    }
    let project = python(PYTESTS).await;
    let ranking = ranked(&project.harness(&timeout(60)).await).await;
    assert_eq!(ranking.lines[0].line, 24, "{ranking:?}");
    let reason = &ranking.lines[0].why[0];
    let Reason::Executed { tests } = reason else { panic!("{reason:?}") };
    assert_eq!((tests.failing, tests.passing), (2, 1));
    let coverage = ranking.coverage.unwrap();
    assert!(
        coverage.tests().contains(&TestId::new("tests/test_stack.py::test_pop[things1]")),
        "{coverage:?}"
    );
}

#[tokio::test]
async fn a_crash_in_the_middle_keeps_what_was_recorded() {
    if !pytest() {
        return;
    }
    // What breaks off the run before any change too is left out there.
    let tests = format!(
        "{PYTESTS}\n\ndef test_zz_crash(stack):\n    import os\n    stack.push(1)\n    if 'PATCHWRIGHT_COVERAGE' in os.environ:\n        os._exit(3)\n"
    );
    let project = python(&tests).await;
    let harness = project.harness(&timeout(60)).await;
    let baseline = harness.baseline(&["test_pop".to_owned()]).await.unwrap();
    let ranking =
        patchwright_fault_localization::spectrum(&harness, &baseline, Formula::default(), CoverageScope::All)
            .await
            .unwrap();
    assert_eq!(ranking.lines[0].line, 24, "{ranking:?}");
    insta::assert_snapshot!(ranking.notes.join("\n"));
    let coverage = ranking.coverage.unwrap();
    assert!(coverage.tests().contains(&TestId::new("tests/test_stack.py::test_zz_crash")));
}

#[tokio::test]
async fn a_test_that_never_ends_tells_where_it_is() {
    let source = "def total(numbers):\n    index = 0\n    result = 0\n    while index < len(numbers):\n        if numbers[index] < 0:\n            continue\n        result += numbers[index]\n        index += 1\n    return result\n";
    let tests = "import unittest\n\nfrom shop.total import total\n\n\nclass TotalTest(unittest.TestCase):\n    def test_hangs(self):\n        self.assertEqual(total([1, -1]), 1)\n\n    def test_sum(self):\n        self.assertEqual(total([1, 2]), 3)\n";
    let project = fixture(&[
        ("shop/__init__.py", ""),
        ("shop/total.py", source),
        ("tests/__init__.py", ""),
        ("tests/test_total.py", tests),
    ])
    .await;
    let harness = project.harness(&timeout(5)).await;
    let baseline = harness.baseline(&["test_hangs".to_owned()]).await.unwrap();
    let ranking =
        patchwright_fault_localization::spectrum(&harness, &baseline, Formula::default(), CoverageScope::All)
            .await
            .unwrap();
    assert_eq!(ranking.lines[0].line, 6, "{ranking:?}");
}

#[tokio::test]
async fn without_coverage_stack_traces_and_calls_are_left() {
    let crash = UNITTESTS
        .replace("self.assertEqual(self.stack.pop(), 2)", "self.stack.push(self.stack.pop() + None)");
    let crash = crash.replace("def test_empty(self):", "def test_deep(self):\n        for _ in range(9):\n            self.stack.later(3)\n            self.stack.work(2)\n\n    def test_empty(self):");
    let project = python(&crash).await;
    let overrides = Overrides {
        test: Some("(python3 -m unittest -v)".into()),
        results: Some(ResultsFormat::UnittestText),
        ..timeout(60)
    };
    let harness = project.harness(&overrides).await;
    let ranking = ranked(&harness).await;
    let Basis::StackTraces { why } = &ranking.basis else { panic!("{:?}", ranking.basis) };
    insta::assert_snapshot!(why);
    // Where test_deep fails, then what called that, then what the tests call.
    assert_eq!(lines(&ranking)[..2], [17, 32], "{ranking:?}");
    assert!(lines(&ranking).contains(&24), "{ranking:?}");
    assert!(ranking.coverage.is_none());
}

#[tokio::test]
async fn the_methods_of_a_failure_are_where_it_comes_up_and_what_leads_there() {
    let steps: Vec<String> =
        (1..=7).map(|step| format!("def step_{step}(x):\n    return step_{}(x)\n", step + 1)).collect();
    let chain = format!("{}\ndef step_8(x):\n    return x['tax']\n", steps.join("\n"));
    let tests = "import unittest\n\nfrom shop.chain import step_1\n\n\nclass ChainTest(unittest.TestCase):\n    def test_tax(self):\n        \
                 step_1({})\n";
    let project = fixture(&[
        ("shop/__init__.py", ""),
        ("shop/chain.py", &chain),
        ("tests/__init__.py", ""),
        ("tests/test_chain.py", tests),
    ])
    .await;
    let harness = project.harness(&timeout(60)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let methods = patchwright_fault_localization::methods_of_failures(&harness, &baseline, 3).await.unwrap();
    let names: Vec<(&str, u32)> =
        methods.iter().map(|(method, line)| (method.name.as_str(), line - method.lines.first)).collect();
    assert_eq!(names, [("step_8", 1), ("step_7", 1), ("step_6", 1), ("step_5", 1), ("step_4", 1)]);
}

const JAVA: &str = "package shop;

import java.util.ArrayList;
import java.util.List;

public class Stack {
    private static final int LIMIT = Integer.parseInt(\"3\");
    private final List<Integer> things = new ArrayList<>();

    record Pair(int left, int right) {
        int sum() {
            return left + right;
        }
    }

    public void push(int thing) {
        if (things.size() >= LIMIT) {
            throw new IllegalStateException(\"full\");
        }
        things.add(thing);
    }

    public int pop() {
        if (things.isEmpty()) {
            return -1;
        }
        return things.remove(0);
    }

    public int later() throws Exception {
        int[] result = new int[1];
        Thread thread = new Thread(() -> {
            result[0] = new Pair(1, 2).sum();
        });
        thread.start();
        thread.join();
        return result[0];
    }

    public int third() {
        List<Integer> none = new ArrayList<>();
        return none.get(2);
    }
}
";
const JAVA_TEST: &str = "package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class StackTest {
    private final Stack stack = new Stack();

    @Test
    public void pop() {
        stack.push(1);
        stack.push(2);
        assertEquals(2, stack.pop());
    }

    @Test
    public void pushes() {
        stack.push(1);
    }

    @Test
    public void popOne() {
        stack.push(1);
        assertEquals(1, stack.pop());
    }

    @Test
    public void empty() {
        assertEquals(-1, stack.pop());
    }

    @Test
    public void later() throws Exception {
        assertEquals(3, stack.later());
    }

    @Test
    public void third() {
        assertEquals(3, stack.third());
    }
}
";

async fn java() -> Fixture {
    fixture(&[("src/main/java/shop/Stack.java", JAVA), ("src/test/java/shop/StackTest.java", JAVA_TEST)])
        .await
}

fn junit() -> bool {
    there("javac -version && test -r /usr/share/java/junit4.jar", true)
}

#[tokio::test]
async fn java_by_jacoco() {
    if !junit() || !there("test -r /usr/share/java/org.jacoco.core.jar", true) {
        return;
    }
    let project = java().await;
    let harness = project.harness(&timeout(120)).await;
    let baseline = harness.baseline(&["pop".to_owned()]).await.unwrap();
    let ranking =
        patchwright_fault_localization::spectrum(&harness, &baseline, Formula::default(), CoverageScope::All)
            .await
            .unwrap();
    assert!(tool(&ranking).starts_with("JaCoCo 0."), "{}", tool(&ranking));
    assert_eq!(ranking.lines[0].path, "src/main/java/shop/Stack.java");
    assert_eq!(ranking.lines[0].line, 27, "{ranking:?}");
    assert_eq!(ranking.methods[0].name, "Stack.pop");
    let coverage = ranking.coverage.as_ref().unwrap();
    let of = |line: u32| -> Vec<&str> {
        let names = coverage.lines("src/main/java/shop/Stack.java").find(|(number, _)| *number == line);
        names.into_iter().flat_map(|(_, tests)| tests.map(TestId::as_str)).collect()
    };
    assert_eq!(of(25), ["shop.StackTest::empty"]);
    assert_eq!(of(20), ["shop.StackTest::pop", "shop.StackTest::popOne", "shop.StackTest::pushes"]);
    // A lambda in a thread, and a record.
    assert_eq!((of(33), of(12)), (vec!["shop.StackTest::later"], vec!["shop.StackTest::later"]));
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn java_lines_that_throw_count_as_executed() {
    if !junit() || !there("test -r /usr/share/java/org.jacoco.core.jar", true) {
        return;
    }
    let project = java().await;
    let harness = project.harness(&timeout(120)).await;
    let baseline = harness.baseline(&["third".to_owned()]).await.unwrap();
    let ranking =
        patchwright_fault_localization::spectrum(&harness, &baseline, Formula::default(), CoverageScope::All)
            .await
            .unwrap();
    assert_eq!(lines(&ranking)[..2], [42, 41], "{ranking:?}");
    assert!(ranking.lines[0].why.iter().any(|why| matches!(why, Reason::Trace { depth: 0, .. })));
}

#[tokio::test]
async fn java_without_jacoco_says_how_to_get_it() {
    if !junit() {
        return;
    }
    let project = java().await;
    let place = project.work.path().join("nowhere").to_str().unwrap().to_owned();
    let mut spec = project.detected(&timeout(120)).await.spec;
    spec.env.insert("PATCHWRIGHT_JACOCO".to_owned(), place.clone());
    let ranking = ranked(&project.open(spec).await).await;
    let Basis::StackTraces { why } = &ranking.basis else { panic!("{:?}", ranking.basis) };
    assert!(why.contains(&place) && why.contains("org.jacoco.core"), "{why}");
    assert_eq!(lines(&ranking)[0], 42, "{ranking:?}");
}
