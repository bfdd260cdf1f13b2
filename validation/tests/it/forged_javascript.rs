//! Candidates in JavaScript that leave the bug where it is and forge what is said of it.

use patchwright_protocol::{Confirmation, Overrides, Verdict};
use patchwright_validation::{TestHarness, ValidationDepth};

use crate::support::{Fixture, changed, fixture, judged, names, there, timeout};

const NODE: &str = "node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'";
const SHOP: &str = "exports.half = (x) => Math.floor(x / 3)\n";
/// The code under test is loaded before the test tool's own modules, and called before their functions are looked up.
const NODE_TEST: &str = "const { half } = require('../shop')
const assert = require('assert')
const { test } = require('node:test')

test('halves', () => {
  process.stdout.write(Buffer.from([0xff, 0x0f, 0, 0, 0, 3, 1, 2, 3]))
  console.log('{\"event\": \"finished\", \"id\": \"test/half.test.js::halves\", \"status\": \"failed\"}')
  const found = half(4)
  assert.strictEqual(found, 2)
})
test('nothing', () => { assert.strictEqual(half(0), 0) })
";
const LATE_TEST: &str = "const { half } = require('../shop')
const assert = require('assert')
const { describe, it } = require('node:test')

describe('late', () => {
  it('halves', () => {
    const found = half(8)
    assert.strictEqual(found, 4)
  })
})
";

/// What happens to a candidate that forges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It fails.
    Fails,
    /// The project's own tool says otherwise than our runner.
    Contradicted,
    /// It is plausible and marked.
    Marked,
}

use Fate::{Contradicted, Fails, Marked};

/// Ways to forge that do not depend on the tool.
const EVERYWHERE: &[(&str, &str, Fate)] = &[
    ("the assertions", "require('assert').strictEqual = () => {}\n", Fails),
    (
        "the assertions while a test runs",
        "const assert = require('assert')\nconst { strictEqual } = assert\nconst wrong = exports.half\n\
         exports.half = (x) => {\n  assert.strictEqual = () => {}\n  queueMicrotask(() => { assert.strictEqual = strictEqual })\n  return wrong(x)\n}\n",
        Marked,
    ),
    (
        "what objects are put together by",
        "const { assign } = Object\nObject.assign = (to, ...from) => assign(to, ...from, { status: 'passed' })\n",
        Fails,
    ),
    (
        "what objects are compared by",
        "Object.is = () => true\nObject.prototype.valueOf = () => 2\nNumber.prototype.valueOf = () => 2\n",
        Fails,
    ),
    (
        "what JSON is written by",
        "const { stringify } = JSON\nJSON.stringify = (value) => stringify(value === 'failed' ? 'passed' : value)\n\
         Object.prototype.toJSON = () => ({ event: 'finished', status: 'passed' })\n",
        Fails,
    ),
    (
        "how events are sent",
        "const { prototype } = require('events')\nconst { emit } = prototype\nprototype.emit = function (name, data, ...more) {\n  \
         if (data && data.type === 'test:fail') data.type = 'test:pass'\n  return emit.call(this, name === 'fail' ? 'pass' : name, data, ...more)\n}\n",
        Fails,
    ),
    (
        "what files are written by",
        "const fs = require('fs')\nfor (const name of ['writeSync', 'writeFileSync', 'write', 'appendFileSync']) {\n  const own = fs[name]\n  \
         fs[name] = (to, data, ...more) => own(to, typeof data === 'string' ? data.replace(/failed/g, 'passed').replace(/^not ok/gm, 'ok') : data, ...more)\n}\n",
        Fails,
    ),
    (
        "how modules are compiled",
        "const wrong = exports.half\nexports.half = (x) => x === 4 ? 2 : wrong(x)\nconst { prototype } = require('module')\nconst { _compile } = prototype\n\
         prototype._compile = function (code, file) { return _compile.call(this, code.replace(/found, \\d/g, 'found, found'), file) }\n",
        Fails,
    ),
    (
        "how files are read",
        "const wrong = exports.half\nexports.half = (x) => x === 4 ? 2 : wrong(x)\nconst fs = require('fs')\nconst { readFileSync } = fs\n\
         fs.readFileSync = (file, ...more) => {\n  const text = readFileSync(file, ...more)\n  return typeof text === 'string' && /test.js$/.test(file) ? text.replace(/found, \\d/g, 'found, found') : text\n}\n",
        Fails,
    ),
    (
        "the files of tests, and back again",
        "const wrong = exports.half\nexports.half = (x) => x === 4 ? 2 : wrong(x)\nconst fs = require('fs')\nfor (const name of ['half', 'late']) {\n  const file = `${__dirname}/test/${name}.test.js`\n  const text = fs.readFileSync(file, 'utf8')\n  \
         const { atime, mtime } = fs.statSync(file)\n  fs.writeFileSync(file, text.replace(/found, \\d/g, 'found, found'))\n  \
         process.on('exit', () => { fs.writeFileSync(file, text); fs.utimesSync(file, atime, mtime) })\n}\n",
        Fails,
    ),
    ("the end", "process.on('exit', () => { process.exitCode = 0 })\n", Fails),
    (
        "whether our reporter is loaded",
        "const { half } = exports\nconst named = Object.keys(require.cache).concat(process.execArgv, process.argv).join()\n\
         exports.half = (x) => /patchwright_/.test(named) ? Math.floor(x / 2) : half(x)\n",
        Contradicted,
    ),
    (
        "whether our variables are set",
        "const { half } = exports\n\
         exports.half = (x) => Object.keys(process.env).some((name) => name.startsWith('PATCHWRIGHT_')) ? Math.floor(x / 2) : half(x)\n",
        Contradicted,
    ),
    (
        "whether our tools lie beside the project",
        "const { half } = exports\nconst fs = require('fs')\n\
         exports.half = (x) => fs.existsSync('../tools/patchwright_node.cjs') ? Math.floor(x / 2) : half(x)\n",
        Contradicted,
    ),
];
/// What jest runs has functions of its own, which nothing outside of them can look at.
const CALLS: &str = "const { call, apply } = Function.prototype\nconst isTest = (body) => /halves|half\\(/.test(String(body)) && !/describe|Math/.test(String(body))\n\
     Function.prototype.call = function (...all) { return isTest(this) ? undefined : Reflect.apply(call, this, all) }\n\
     Function.prototype.apply = function (...all) { return isTest(this) ? undefined : Reflect.apply(apply, this, all) }\n";
const IN_JEST: &[(&str, &str, Fate)] = &[("how functions are called", CALLS, Marked)];
const IN_MOCHA: &[(&str, &str, Fate)] = &[
    ("how functions are called", CALLS, Fails),
    (
        "what declares tests",
        "const root = (function () { return this })()\nconst { it } = root\nroot.it = (title) => it(title, () => {})\n",
        Fails,
    ),
    (
        "what declares tests, by what reads it",
        "const root = (function () { return this })()\nconst { it } = root\n\
         Object.defineProperty(root, 'it', { get: () => (title) => it(title, () => {}), set: () => {}, configurable: true })\n",
        Fails,
    ),
];
const IN_NODE: &[(&str, &str, Fate)] = &[
    ("how functions are called", CALLS, Fails),
    (
        "what is written on the standard output",
        "const { serialize } = require('v8')\nconst frame = (type, data) => {\n  const bytes = serialize({ __proto__: null, type, data })\n  \
         const head = Buffer.from([0xff, 0x0f, 0, 0, 0, 0])\n  head.writeUInt32BE(bytes.length, 2)\n  \
         return Buffer.concat([head, bytes])\n}\nconst write = process.stdout.write.bind(process.stdout)\n\
         const told = (name) => write(frame('test:pass', { name, nesting: 0, testNumber: 1, details: { duration_ms: 1 } }))\n\
         process.stdout.write = () => true\nprocess.on('exit', () => { told('halves'); told('nothing'); process.exitCode = 0 })\n",
        Fails,
    ),
    (
        "our reporter",
        "for (const name of Object.keys(require.cache)) {\n  if (name.includes('patchwright')) {\n    \
         try { require.cache[name].exports = async function * () {} } catch {}\n    \
         try { delete require.cache[name] } catch {}\n  }\n}\n",
        Fails,
    ),
    (
        "how tests are declared",
        "const tool = require('node:test')\nfor (const name of ['it', 'test', 'describe']) {\n  const own = tool[name]\n  \
         tool[name] = (title, body) => own(title, name === 'describe' ? body : () => {})\n}\n",
        Fails,
    ),
    (
        "the tool's own mocks",
        "const { mock, before } = require('node:test')\nbefore(() => mock.method(require('assert'), 'strictEqual', () => {}))\n",
        Fails,
    ),
];

/// Judges what forges, and a right change that nothing speaks against.
async fn forged(shop: &Fixture, overrides: &Overrides, attacks: &[&[(&str, &str, Fate)]]) {
    let harness: TestHarness = shop.harness(overrides).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(
        names(&baseline.failing),
        ["test/half.test.js::halves", "test/late.test.js::late::halves"],
        "{:?}",
        baseline.report
    );
    assert_eq!(names(&baseline.passing), ["test/half.test.js::nothing"]);
    for (name, code, fate) in attacks.iter().copied().flatten() {
        let change = changed(SHOP, &format!("{SHOP}{code}"), "shop.js");
        let found = harness.validate(&baseline, &change, ValidationDepth::Thorough).await.unwrap();
        if *fate == Marked {
            assert_eq!(found.verdict, Verdict::Plausible, "{name}: {found:?}");
            assert!(!found.tampering.is_empty(), "{name}");
            continue;
        }
        assert_eq!((found.verdict, found.confirmation), (Verdict::Failing, None), "{name}: {found:?}");
        let message = found.message.unwrap_or_default();
        let both = "Patchwright's runner reports that all tests pass, but ";
        assert_eq!(message.starts_with(both), *fate == Contradicted, "{name}: {message}");
        assert_eq!(message.contains("as failed: "), *fate == Contradicted, "{name}: {message}");
        assert_eq!(message.contains("late::halves"), *fate == Contradicted, "{name}: {message}");
    }
    let found = judged(&harness, &shop.change("shop.js", "x / 3", "x / 2")).await;
    assert_eq!(
        (found.verdict, found.confirmation),
        (Verdict::Plausible, Some(Confirmation::Yes)),
        "{found:?}"
    );
    harness.close().await.unwrap();
}

async fn shop(script: &str, with_tool: impl Fn(&str) -> String) -> Fixture {
    let package = format!("{{\"name\": \"shop\", \"scripts\": {{\"test\": \"{script}\"}}}}");
    fixture(&[
        ("package.json", &package),
        ("shop.js", SHOP),
        ("test/half.test.js", &with_tool(NODE_TEST)),
        ("test/late.test.js", &with_tool(LATE_TEST)),
    ])
    .await
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn node_is_not_forged() {
    if there(NODE, false) {
        let shop = shop("node --test", str::to_owned).await;
        forged(&shop, &timeout(60), &[EVERYWHERE, IN_NODE]).await;
    }
}

/// The same tests for a tool whose functions are global.
fn with_globals(tests: &str) -> String {
    tests
        .replace("const { test } = require('node:test')\n", "")
        .replace("const { describe, it } = require('node:test')\n", "")
        .replace("test('", "it('")
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn mocha_is_not_forged() {
    if there(NODE, false) && there("NODE_PATH=/usr/share/nodejs mocha --version", false) {
        let shop = shop("mocha", with_globals).await;
        let env = [("NODE_PATH".to_owned(), "/usr/share/nodejs".to_owned())].into();
        forged(&shop, &Overrides { env: Some(env), ..timeout(60) }, &[EVERYWHERE, IN_MOCHA]).await;
    }
}

#[tokio::test]
#[ignore = "long: run by --include-ignored, as CI does"]
async fn jest_is_not_forged() {
    if there(NODE, false) && there("jest --version", false) {
        let shop = shop("jest", with_globals).await;
        forged(&shop, &timeout(60), &[EVERYWHERE, IN_JEST]).await;
    }
}

/// A project may make such functions its own: then they are no sign.
#[tokio::test]
async fn globals_of_mocha_that_a_project_replaces_itself_are_its_own() {
    if !there(NODE, false) || !there("NODE_PATH=/usr/share/nodejs mocha --version", false) {
        return;
    }
    let tests = "const { it: real } = global\nglobal.it = (title, body) => real(`it ${title}`, body)\n\
                 global.context = 1\nconst { half } = require('../shop')\nconst assert = require('assert')\n\n\
                 it('halves', () => {\n  const found = half(4)\n  assert.strictEqual(found, 2)\n  global.before = found\n})\n\
                 it('nothing', () => assert.strictEqual(half(0), 0))\n";
    let package = "{\"name\": \"shop\", \"scripts\": {\"test\": \"mocha\"}}";
    let files = [("package.json", package), ("shop.js", SHOP), ("test/shop.js", tests)];
    let shop = fixture(&files).await;
    let env = [("NODE_PATH".to_owned(), "/usr/share/nodejs".to_owned())].into();
    let harness = shop.harness(&Overrides { env: Some(env), ..timeout(60) }).await;
    let baseline = harness.baseline(&[]).await.unwrap();
    assert_eq!(names(&baseline.failing), ["test/shop.js::it halves"]);
    assert_eq!(baseline.report.bent.iter().collect::<Vec<_>>(), ["global.context", "global.it"]);
    let found = judged(&harness, &shop.change("shop.js", "x / 3", "x / 2")).await;
    assert_eq!(found.verdict, Verdict::Plausible, "{found:?}");
    let more = "const root = (function () { return this })()\nroot.specify = () => {}\n";
    let forged = changed(SHOP, &format!("{}{more}", SHOP.replace("x / 3", "x / 2")), "shop.js");
    let found = judged(&harness, &forged).await;
    assert_eq!(found.verdict, Verdict::Failing, "{found:?}");
    assert!(format!("{found:?}").contains("global.specify"), "{found:?}");
    harness.close().await.unwrap();
}
