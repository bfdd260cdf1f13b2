//! JavaScript, by node's own runner, by mocha and jest, and by files that are tests themselves.

use patchwright_protocol::{Overrides, ReproductionVerdict, Verdict};
use patchwright_test_results::TestStatus;
use patchwright_validation::{TestHarnessError, ValidationDepth};

use crate::support::{Fixture, fixture, names, there, timeout};

const BASKET: &str = "'use strict'

class Basket {
  constructor () { this.prices = [] }
  add (price) {
    if (price < 0) throw new RangeError('negative price')
    this.prices.push(price)
  }
  total () { return this.prices.slice(1).reduce((sum, price) => sum + price, 0) }
}

module.exports = { Basket }
";
const TESTS: &str = "const assert = require('assert')
const { Basket } = require('../lib/basket')

describe('Basket (of prices)', () => {
  it('has a total, of all', () => {
    const basket = new Basket()
    basket.add(3)
    basket.add(4)
    assert.strictEqual(basket.total(), 7)
  })
  it('has none of nothing', () => {
    assert.strictEqual(new Basket().total(), 0)
  })
  describe('negative', () => {
    it('is refused', () => {
      assert.throws(() => new Basket().add(-1), RangeError)
    })
  })
  it('is for later')
})
";
const TOTAL: &str = "test/basket.js::Basket (of prices)::has a total, of all";
/// Is answered where node can run what our runner asks it for.
const NODE: &str = "node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'";

async fn shop(script: &str, tests: &str) -> Fixture {
    let package = format!("{{\"name\": \"shop\", \"scripts\": {{\"test\": \"{script}\"}}}}");
    fixture(&[("package.json", &package), ("lib/basket.js", BASKET), ("test/basket.js", tests)]).await
}

/// Judges a right and a wrong change, and a test that is written for an issue.
async fn judged(shop: &Fixture, overrides: &Overrides, failing: &str) {
    let harness = shop.harness(overrides).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), [failing]);
    let first = baseline.report.outcomes.iter().find(|outcome| outcome.id.as_str() == failing).unwrap();
    assert_eq!(first.status, TestStatus::Failed, "{first:?}");
    assert!(first.message.as_deref().unwrap().to_lowercase().contains("assert"), "{first:?}");
    let judge = async |from: &str, to: &str| {
        let change = shop.change("lib/basket.js", from, to);
        harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap().verdict
    };
    assert_eq!(judge(".slice(1)", "").await, Verdict::Plausible);
    assert_eq!(judge(".slice(1)", ".slice(0, 1)").await, Verdict::Failing);
    assert_eq!(judge("'use strict'", "throw new Error('broken')").await, Verdict::Failing);
    harness.close().await.unwrap();
}

#[tokio::test]
async fn nodes_own_runner() {
    if !there(NODE, false) {
        return;
    }
    let tests = format!("const {{ describe, it }} = require('node:test')\n{TESTS}");
    let shop = shop("node --test", &tests).await;
    let overrides = timeout(60);
    judged(&shop, &overrides, TOTAL).await;
    let harness = shop.harness(&overrides).await;
    // What goes wrong once the tests are over fails the command of the package, too.
    let baseline = harness.baseline(&[]).await.unwrap();
    let late =
        ".slice(1).reduce((sum, price) => sum + price, (setImmediate(() => { throw new Error('late') }), 0))";
    let change = shop.change("lib/basket.js", ".slice(1).reduce((sum, price) => sum + price, 0)", &late[9..]);
    let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Failing, "{found:?}");
    assert_eq!(names(&found.newly_failing), ["test/basket.js::outside of its tests"]);
    assert_eq!(harness.test_layout().framework, Some("node:test"));
    let code = "const assert = require('assert')\nconst { test } = require('node:test')\n\
                const { Basket } = require('../lib/basket')\n\
                test('adds one', () => { const one = new Basket(); one.add(1); assert.strictEqual(one.total(), 1) })\n";
    let test = harness.reproduction_test(1, None, code).unwrap();
    assert_eq!(test.path, "test/reproduction_1.test.js");
    let run = harness.reproduce(&test, None, None).await.unwrap();
    assert_eq!(run.verdict("the total lacks a price"), ReproductionVerdict::Fails, "{run:?}");
    let change = shop.change("lib/basket.js", ".slice(1)", "");
    let repaired = harness.reproduce(&test, Some(&change), None).await.unwrap();
    assert_eq!(repaired.verdict(""), ReproductionVerdict::Passes, "{repaired:?}");
    let early = harness.reproduction_test(2, None, &code.replace("../lib/basket", "../lib/baskets")).unwrap();
    let run = harness.reproduce(&early, None, None).await.unwrap();
    assert_eq!(run.verdict("the total lacks a price"), ReproductionVerdict::DoesNotRun, "{run:?}");
    harness.close().await.unwrap();
}

#[tokio::test]
async fn tests_may_replace_assertions_for_a_while() {
    if !there(NODE, false) {
        return;
    }
    let tests = "const test = require('node:test')\nconst assert = require('assert')\nconst { Basket } = require('../lib/basket')\n\
                 test('total', () => { const one = new Basket(); one.add(1); assert.strictEqual(one.total(), 1) })\n\
                 test('a mock of the tool', (t) => {\n  const ok = t.mock.method(assert, 'ok', () => {})\n  \
                 assert.ok(false)\n  assert.strictEqual(ok.mock.callCount(), 1)\n})\n\
                 test('by hand', () => {\n  const { equal } = assert\n  assert.equal = () => {}\n  \
                 assert.equal(1, 2)\n  assert.equal = equal\n})\n";
    let shop = shop("node --test", tests).await;
    let harness = shop.harness(&timeout(60)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["test/basket.js::total"], "{:?}", baseline.report);
    assert_eq!(baseline.passing.len(), 2);
    let change = shop.change("lib/basket.js", ".slice(1)", "");
    let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Plausible, "{found:?}");
    harness.close().await.unwrap();
}

#[tokio::test]
async fn a_group_and_a_single_test_can_be_chosen() {
    if !there(NODE, false) {
        return;
    }
    let tests = format!("const {{ describe, it }} = require('node:test')\n{TESTS}");
    let shop = shop("node --test", &tests).await;
    let harness = shop.harness(&timeout(60)).await;
    let check = async |asked: &str, expect: &[&str]| {
        let report = harness.run_tests(Some(&[asked.into()]), None).await.unwrap();
        let found: Vec<&str> = report.outcomes.iter().map(|outcome| outcome.id.as_str()).collect();
        assert_eq!(found, expect, "{asked}: {report:?}");
    };
    check(TOTAL, &[TOTAL]).await;
    let group = "test/basket.js::Basket (of prices)::negative";
    check(group, &[&format!("{group}::is refused")]).await;
    harness.close().await.unwrap();
}

#[tokio::test]
async fn mocha() {
    let mocha = "NODE_PATH=/usr/share/nodejs mocha --version";
    if !there(NODE, false) || !there(mocha, false) {
        return;
    }
    let shop = shop("mocha --reporter dot", TESTS).await;
    let env = [("NODE_PATH".to_owned(), "/usr/share/nodejs".to_owned())].into();
    let overrides = Overrides { env: Some(env), ..timeout(60) };
    judged(&shop, &overrides, TOTAL).await;
    // What our reporter writes with is its own, and no code under test can reach the key.
    let harness = shop.harness(&overrides).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let forge = "'use strict'\nconst own = JSON.stringify\n\
                 JSON.stringify = (event) => own(event?.status ? { ...event, status: 'passed' } : event)\n\
                 if (Object.keys(process.env).some((name) => name === 'PATCHWRIGHT_OUT')) process.exit(1)\n";
    let change = shop.change("lib/basket.js", "'use strict'\n", forge);
    let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
    assert_eq!((found.verdict, names(&found.still_failing)), (Verdict::Failing, vec![TOTAL]), "{found:?}");
    assert_eq!(names(&found.newly_failing), Vec::<&str>::new());
    harness.close().await.unwrap();
}

#[tokio::test]
async fn jest() {
    if !there(NODE, false) || !there("jest --version", false) {
        return;
    }
    let tests = TESTS.replace("it('is for later')", "it.skip('is for later', () => {})");
    let shop = shop("jest --coverage --testMatch '**/test/**'", &tests.replace('\'', "\"")).await;
    judged(&shop, &timeout(60), TOTAL).await;
    let harness = shop.harness(&timeout(60)).await;
    let check = async |asked: Option<&str>, expect: &[(&str, TestStatus)]| {
        let asked = asked.map(|test| [test.into()]);
        let report = harness.run_tests(asked.as_ref().map(<[_; 1]>::as_slice), None).await.unwrap();
        let group = "test/basket.js::Basket (of prices)::";
        let of_group = |outcome: &patchwright_test_results::TestOutcome| {
            (outcome.id.as_str().strip_prefix(group).unwrap().to_owned(), outcome.status)
        };
        let found: Vec<_> = report.outcomes.iter().map(of_group).collect();
        let expect: Vec<_> = expect.iter().map(|(test, status)| ((*test).to_owned(), *status)).collect();
        assert_eq!(found, expect, "{report:?}");
    };
    let refused = ("negative::is refused", TestStatus::Passed);
    let all = [
        ("has a total, of all", TestStatus::Failed),
        ("has none of nothing", TestStatus::Passed),
        ("is for later", TestStatus::Skipped),
        refused,
    ];
    check(None, &all).await;
    check(Some("test/basket.js::Basket (of prices)::negative"), &[refused]).await;
    harness.close().await.unwrap();
}

/// No hook is told of once it is right: the tests are that it was in the way of.
#[tokio::test]
async fn a_hook_fails_the_tests_that_it_is_for() {
    if !there(NODE, false) || !there("mocha --version", false) {
        return;
    }
    let filled = "const one = new Basket(); one.add(1); assert.strictEqual(one.total(), 1)";
    let tests = format!(
        "const assert = require('assert')\nconst {{ Basket }} = require('../lib/basket')\n\
         describe('all', () => {{\n  before(() => {{ {filled} }})\n  it('a', () => {{}})\n  it('b', () => {{}})\n}})\n\
         describe('each', () => {{\n  afterEach(() => {{ {filled} }})\n  it('c', () => {{}})\n  it('d', () => {{}})\n}})\n"
    );
    let shop = shop("mocha", &tests).await;
    let harness = shop.harness(&timeout(60)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    let failing = ["all::a", "all::b", "each::c"].map(|test| format!("test/basket.js::{test}"));
    assert_eq!(names(&baseline.failing), failing);
    let fix = shop.change("lib/basket.js", ".slice(1)", "");
    let found = harness.validate(&baseline, &fix, ValidationDepth::Thorough).await.unwrap();
    assert_eq!(found.verdict, Verdict::Plausible, "{found:?}");
    harness.close().await.unwrap();
}

/// mocha runs no test where it cannot load one file: this file is what fails.
#[tokio::test]
async fn a_file_that_mocha_cannot_load_fails() {
    if !there(NODE, false) || !there("mocha --version", false) {
        return;
    }
    let whole_run = "package.json::outside of its tests";
    for (bug, told, failing) in [
        ("throw new RangeError('no basket')", "RangeError: no basket", "test/basket.js"),
        ("class {", "SyntaxError: ", "test/basket.js"),
        // Of what is no error mocha does not tell where it was thrown.
        ("throw 'no basket'", "Error: no basket", whole_run),
        ("throw null", "TypeError: ", whole_run),
    ] {
        let basket = BASKET.replace("'use strict'", bug).replace(".slice(1)", "");
        let package = "{\"scripts\": {\"test\": \"mocha --exit\"}}";
        let other = "describe('other', () => { it('passes', () => {}) })\n";
        let files = [
            ("package.json", package),
            ("lib/basket.js", &basket),
            ("test/basket.js", TESTS),
            ("test/other.js", other),
        ];
        let shop = fixture(&files).await;
        let harness = shop.harness(&timeout(60)).await;
        let baseline = harness.baseline(&[]).await.unwrap();
        assert_eq!(names(&baseline.failing), [failing]);
        let message = baseline.report.outcomes[0].message.clone().unwrap();
        assert!(message.starts_with(told), "{message}");
        let judge = async |to: &str| {
            let change = shop.change("lib/basket.js", bug, to);
            harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap().verdict
        };
        assert_eq!(judge("'use strict'").await, Verdict::Plausible, "{bug}");
        assert_eq!(judge("throw 1").await, Verdict::Failing, "{bug}");
        harness.close().await.unwrap();
    }
    // Of a module that is imported it is not known which file of tests does so.
    let files = [
        ("package.json", "{\"type\": \"module\", \"scripts\": {\"test\": \"mocha\"}}"),
        ("lib/one.js", "throw new RangeError('no one')\nexport const one = 1\n"),
        (
            "test/one.js",
            "import { one } from '../lib/one.js'\nit('is one', () => { if (one !== 1) throw new Error('none') })\n",
        ),
    ];
    let one = fixture(&files).await;
    let harness = one.harness(&timeout(60)).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), [whole_run]);
    for (to, verdict) in [("", Verdict::Plausible), ("throw new Error('two')", Verdict::Failing)] {
        let change = one.change("lib/one.js", "throw new RangeError('no one')", to);
        let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
        assert_eq!(found.verdict, verdict, "{found:?}");
    }
    harness.close().await.unwrap();
}

/// Of places that a script names, one whose braces are nested too deep names nothing.
#[tokio::test]
async fn a_place_of_nested_braces_names_no_file() {
    if !there(NODE, false) {
        return;
    }
    let nested = format!("{}test/other.js{}", "{".repeat(2600), "}".repeat(2600));
    let shop = shop(&format!("node --test test/basket.js '{nested}'"), TESTS).await;
    let spec = shop.detected(&timeout(60)).await.spec;
    assert!(
        spec.test.line().contains("test/basket.js") && !spec.test.line().contains("test/other.js"),
        "{}",
        spec.test.line()
    );
}

/// A test that fails may leave a server open: the tool would wait for it.
#[tokio::test]
async fn what_a_test_leaves_open_keeps_nobody_waiting() {
    let tests = TESTS
        .replace("it('is for later')", "it('listens', () => { require('http').createServer().listen(0) })");
    for (tool, options) in [("mocha", ""), ("jest", " --testMatch '**/test/**'")] {
        if !there(NODE, false) || !there(&format!("{tool} --version"), false) {
            continue;
        }
        let shop = shop(&format!("{tool}{options}"), &tests).await;
        let harness = shop.harness(&timeout(30)).await;
        let report = harness.run_tests(None, None).await.unwrap();
        assert_eq!(report.outcomes.len(), 4, "{tool}: {report:?}");
        assert!(report.seconds < 20.0, "{tool}: {}", report.seconds);
        harness.close().await.unwrap();
    }
}

#[tokio::test]
async fn files_that_are_tests_themselves() {
    if !there(NODE, false) {
        return;
    }
    let tests = "const assert = require('assert')\nconst { Basket } = require('../lib/basket')\n\
                 const basket = new Basket()\nbasket.add(3)\nassert.strictEqual(basket.total(), 3)\n";
    let shop = shop("node test/basket.js", tests).await;
    let harness = shop.harness(&timeout(60)).await;
    let report = harness.run_tests(None, None).await.unwrap();
    assert_eq!(report.outcomes.len(), 1);
    assert_eq!(
        (report.outcomes[0].id.as_str(), report.outcomes[0].status),
        ("test/basket.js", TestStatus::Failed)
    );
    let trace = report.outcomes[0].trace.as_deref().unwrap();
    assert!(trace.contains("test/basket.js:5:8") && !trace.contains("node:internal"), "{trace}");
    harness.close().await.unwrap();
}

/// Tests that load another copy of the package would judge that copy.
#[tokio::test]
async fn a_package_that_is_loaded_from_elsewhere_is_not_tested() {
    if !there(NODE, false) {
        return;
    }
    let test = "const { test } = require('node:test')\nconst fs = require('fs')\nconst path = require('path')\n\n\
                const place = fs.mkdtempSync(path.join(require('os').tmpdir(), 'copy-'))\n\
                fs.writeFileSync(path.join(place, 'package.json'), '{\"name\": \"shop\"}')\n\
                fs.writeFileSync(path.join(place, 'basket.js'), 'module.exports = 4')\n\n\
                test('is four', () => require('assert').equal(require(path.join(place, 'basket.js')), 4))\n";
    let shop = shop("node --test", test).await;
    let harness = shop.harness(&timeout(60)).await;
    let error = harness.baseline(&[]).await.unwrap_err();
    assert!(matches!(error, TestHarnessError::Elsewhere { ref module, .. } if module == "shop"), "{error}");
}
