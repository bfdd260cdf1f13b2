// Runs tests of node:test and tells what comes of each, as `patchwright_lines.py` does; for mocha and jest it is a reporter.
//
// As a program: patchwright_node.cjs [FILE…] -- [TEST…], where a test is a file, or `FILE::GROUP::TITLE`. Each file runs in a process
// of its own, one after the other, in which this file is loaded before all others and is the reporter: what the tests print is nobody's
// results. A file without any test of the framework is one test, which passes when its process ends well; of one whose tests all pass and
// whose process does not end well, what went wrong outside of them (an error after the end of a test) is a failing test of its own.
"use strict";

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const crypto = require("node:crypto");
const EventEmitter = require("node:events");
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const util = require("node:util");

const JOINT = "::";
const OUTSIDE = "outside of its tests";
const IN_TESTS = /(?:^|\/)(?:(?:tests?|specs?|__tests__)\/|(?:test|spec)\.\w+$)|[._-](?:test|spec)\.\w+$/;
// What is left open by a test may keep mocha and jest from ending once all is told; what ends by itself has this many milliseconds.
const GRACE = 2000;
// Where a process for one file finds the key.
const KEY_PIPE = 3;
// Where it finds the open file of results.
const SINK_PIPE = 4;
// Says what is wanted of the file that a process is for.
const WANTED = "PATCHWRIGHT_WANTED";

// What code under test may replace later is held as it is now. A method becomes a function of its object.
const HERE = process.cwd();
// The project, where it is run in another folder of it: names of tests begin at the project.
const ROOT = path.resolve(HERE, (process.env.PATCHWRIGHT_FOLDER ?? "").replace(/[^/]+/g, ".."));
const of = (method) => Function.prototype.call.bind(method);
const { stringify } = JSON;
const { writeSync } = fs;
const { createHmac } = crypto;
const { isFinite } = Number;
const { isArray } = Array;
const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames, keys } = Object;
const { apply } = Reflect;
const { emit } = EventEmitter.prototype;
const joined = of(Array.prototype.join);
const update = of(crypto.Hmac.prototype.update);
const digest = of(crypto.Hmac.prototype.digest);
const startsWith = of(String.prototype.startsWith);
const withoutEscapes = util.stripVTControlCharacters;
const text = String;

// Parts of the test tools, and of what they are made of, as they are in the beginning: what stands under each name.
const HELD = [];

// Remembers the functions of an object. They stay what they are to everybody: tests may replace them for a while, by any means.
function hold(name, holder, wanted = getOwnPropertyNames(holder)) {
  for (const key of wanted) {
    const { value } = getOwnPropertyDescriptor(holder, key);
    if (typeof value === "function") HELD[HELD.length] = { name: `${name}.${key}`, holder, key, value };
  }
}

hold("assert", assert);
hold("assert.strict", assert.strict);
// By these the tools call tests, and load and compile their files.
for (const [name, holder] of [
  ["EventEmitter", EventEmitter.prototype],
  ["Function", Function.prototype],
  ["Promise", Promise.prototype],
  ["Reflect", Reflect],
  ["Module", Module],
  ["Module.prototype", Module.prototype],
  ["Module._extensions", Module._extensions],
]) {
  hold(name, holder);
}
hold("fs", fs, ["openSync", "readFile", "readFileSync", "readSync"]);

// What mocha makes global for a file of tests, by name, and the names of what was another once a file was loaded.
const GIVEN = { __proto__: null };
const REPLACED = { __proto__: null };

function functionsOf(holder) {
  const found = { __proto__: null };
  const names = getOwnPropertyNames(holder);
  for (let index = 0; index < names.length; index += 1) {
    const { value } = getOwnPropertyDescriptor(holder, names[index]);
    if (typeof value === "function") found[names[index]] = value;
  }
  return found;
}

// The names under which an object has other functions than another one.
function differing(one, other) {
  const found = [];
  const names = keys(one);
  for (let index = 0; index < names.length; index += 1) {
    if (one[names[index]] !== other[names[index]]) found[found.length] = names[index];
  }
  return found;
}

// Mocha makes these functions anew before each file. They declare tests, so that they count until the file is loaded: a test that
// runs later may set names like `context` for itself.
function holdGlobals(suite) {
  const value = function (event, context) {
    if (event === "post-require") {
      const names = differing(GIVEN, functionsOf(context));
      for (let index = 0; index < names.length; index += 1) REPLACED[names[index]] = true;
    }
    if (event !== "pre-require") return apply(emit, this, arguments);
    const before = functionsOf(context);
    const told = apply(emit, this, arguments);
    const given = functionsOf(context);
    const names = differing(given, before);
    for (let index = 0; index < names.length; index += 1) GIVEN[names[index]] = given[names[index]];
    return told;
  };
  defineProperty(suite, "emit", { value, writable: true, configurable: true });
}

// Mocha loads a reporter before the files of tests: what it tells by is still its own.
function holdMocha() {
  const [library] = /^.*\/mocha\/lib(?=\/)/.exec(module.parent?.filename ?? "") ?? [];
  if (library === undefined) return;
  holdGlobals(require(path.join(library, "suite.js")).prototype);
  for (const part of ["runner", "runnable", "suite", "test", "hook"]) {
    const file = path.join(library, `${part}.js`);
    if (fs.existsSync(file)) hold(part, require(file).prototype);
  }
}

// Parts that are others than in the beginning, and assertions that do not work any more.
function bent() {
  const found = [];
  for (let index = 0; index < HELD.length; index += 1) {
    const { name, holder, key, value } = HELD[index];
    if (holder[key] !== value) found[found.length] = name;
  }
  const replaced = keys(REPLACED);
  for (let index = 0; index < replaced.length; index += 1) found[found.length] = `global.${replaced[index]}`;
  let passes = true;
  try {
    assert.strictEqual(1, 2);
  } catch {
    passes = false;
  }
  if (passes) found[found.length] = "an assertion that has to fail passes";
  return found;
}

// The key comes in a pipe, or in a file that is gone before the first test is loaded: it is taken when this file is.
function takeKey() {
  if (process.env[WANTED] !== undefined) {
    const key = fs.readFileSync(KEY_PIPE, "ascii");
    fs.closeSync(KEY_PIPE);
    return key;
  }
  const folder = process.env.PATCHWRIGHT_OUT;
  if (folder === undefined) return "";
  const file = path.join(folder, "key");
  try {
    const key = fs.readFileSync(file, "ascii");
    fs.unlinkSync(file);
    return key;
  } catch {
    return "";
  }
}

// A text, a number or a list as JSON; what is none of these has none. No object is given to `stringify`, which would ask it how.
function valueOf(value) {
  if (typeof value === "string") return stringify(value);
  if (typeof value === "number") return isFinite(value) ? `${value}` : "null";
  if (!isArray(value)) return "null";
  const parts = [];
  for (let index = 0; index < value.length; index += 1) parts[index] = valueOf(value[index]);
  return `[${joined(parts, ",")}]`;
}

class Lines {
  #key;
  #sink;

  constructor(key) {
    // Opened before the first test is loaded, and handed on: tests may put a link in the place of the file, or of its folder.
    this.#sink = wantedHere === undefined ? fs.openSync(process.env.PATCHWRIGHT_RESULTS ?? "/dev/null", "a+") : SINK_PIPE;
    this.#key = key;
    Object.freeze(this);
  }

  get sink() {
    return this.#sink;
  }

  get size() {
    return fs.fstatSync(this.#sink).size;
  }

  // The lines from a byte on.
  from(start) {
    const bytes = Buffer.alloc(Math.max(this.size - start, 0));
    return bytes.toString("utf8", 0, fs.readSync(this.#sink, bytes, 0, bytes.length, start)).split("\n");
  }

  #seal(line) {
    return digest(update(createHmac("sha256", this.#key), line), "hex");
  }

  write(event) {
    const names = keys(event);
    const parts = [];
    for (let index = 0; index < names.length; index += 1) {
      const value = event[names[index]];
      if (value !== undefined) parts[parts.length] = `${stringify(names[index])}:${valueOf(value)}`;
    }
    const line = `{${joined(parts, ",")}`;
    writeSync(this.#sink, `${line}, "seal": "${this.#seal(`${line}}`)}"}\n`);
  }

  // What a line says that somebody wrote who knows the key.
  opened(line) {
    const [, start, seal] = /^(.*), "seal": "(\w+)"\}$/.exec(line) ?? [];
    return seal !== undefined && this.#seal(`${start}}`) === seal ? JSON.parse(`${start}}`) : undefined;
  }

  started(id) {
    this.write({ event: "started", id });
  }

  finished(id, status, error, milliseconds) {
    const { message, trace } = error === undefined ? {} : explained(error);
    const seconds = isFinite(milliseconds) ? milliseconds / 1000 : undefined;
    this.write({ event: "finished", id, status, message, trace, seconds });
  }
}

// The message and the trace of what was thrown, which need not be an error.
function explained(error) {
  if (error === null || typeof error !== "object") return { message: text(error), trace: text(error) };
  const code = typeof error.code === "string" ? error.code : "";
  const plain = error.name === undefined || error.name === "Error";
  const name = plain && /^[A-Z][A-Z_]*$/.test(code) ? code : error.name ?? "Error";
  const message = `${name}: ${error.message ?? ""}`;
  const stack = typeof error.stack === "string" ? error.stack : "";
  return { message, trace: stack === "" ? message : stack };
}

// The error that a test ended with: the framework wraps what was thrown.
function cause(error) {
  const inner = error?.code === "ERR_TEST_FAILURE" ? error.cause : undefined;
  return inner === undefined || inner === null ? error : inner;
}

function nameOf(file) {
  return path.relative(ROOT, path.resolve(ROOT, file)).split(path.sep).join("/");
}

function packageIn(folder) {
  try {
    return JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8")).name;
  } catch {
    return undefined;
  }
}

// Tells of a module that was loaded from another copy of the project: its package has the name of one of ours, and it lies elsewhere.
// Modules that are imported, and not required, are not seen.
function tellElsewhere(lines) {
  const own = [ROOT, HERE].map(packageIn).filter((name) => name !== undefined);
  const isOther = (file) => path.isAbsolute(file) && nameOf(file).startsWith("../") && !file.includes("/node_modules/");
  for (const file of Object.keys(require.cache).filter(isOther)) {
    for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
      const name = packageIn(folder);
      if (own.includes(name)) {
        lines.write({ event: "elsewhere", module: name, path: file });
        return;
      }
    }
  }
}

// Splits the arguments into files, named from here on, and what is wanted of each; with no test named, all of every file.
function plan(words) {
  const end = words.indexOf("--");
  const files = end < 0 ? words : words.slice(0, end);
  const tests = end < 0 ? [] : words.slice(end + 1);
  const wanted = new Map();
  for (const test of tests) {
    const [file, ...titles] = test.split(JOINT);
    const known = wanted.get(nameOf(file)) ?? { all: false, titles: [] };
    if (titles.length === 0 || titles.join(JOINT) === OUTSIDE) known.all = true;
    else known.titles.push(titles.join(JOINT));
    wanted.set(nameOf(file), known);
  }
  if (tests.length === 0) for (const file of files) wanted.set(nameOf(path.resolve(HERE, file)), { all: true, titles: [] });
  return wanted;
}

// Tests that a run tells of: those that were left out on purpose tell nothing.
function isWanted(name, { all, titles }) {
  if (all) return true;
  for (let index = 0; index < titles.length; index += 1) {
    if (name === titles[index] || startsWith(name, titles[index] + JOINT)) return true;
  }
  return false;
}

// A pattern for each title of a test that is wanted: node matches the titles of groups and of tests one by one.
function patternsOf({ all, titles }) {
  if (all) return [];
  const quoted = (text) => `^${text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$`;
  return [...new Set(titles.flatMap((title) => title.split(JOINT)).map(quoted))];
}

// Runs one file in a process of its own; what its reporter tells and how it ends is all that counts.
async function runFile(lines, key, file, wanted) {
  const before = lines.size;
  const options = ["--require", __filename, "--test-reporter", __filename, "--test-reporter-destination", "stdout"];
  const patterns = patternsOf(wanted).map((pattern) => `--test-name-pattern=${pattern}`);
  const child = spawn(process.execPath, [...process.execArgv, ...options, ...patterns, path.resolve(ROOT, file)], {
    env: { ...ENVIRONMENT, [WANTED]: JSON.stringify({ file: nameOf(file), ...wanted }) },
    stdio: ["ignore", "pipe", "pipe", "pipe", lines.sink],
  });
  child.stdio[KEY_PIPE].on("error", () => {});
  child.stdio[KEY_PIPE].end(key);
  const said = [];
  for (const name of ["stdout", "stderr"]) {
    child[name].on("data", (data) => {
      said.push(data.toString());
      process[name].write(data);
    });
  }
  // What a test has left behind may keep the pipes open.
  const code = await new Promise((resolve) => {
    child.on("error", () => resolve(1));
    child.on("exit", (status) => {
      setTimeout(() => resolve(status), GRACE).unref();
      child.on("close", () => resolve(status));
    });
  });
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  const told = lines.from(before).map((line) => lines.opened(line));
  const count = (fits) => told.filter((event) => event !== undefined && fits(event)).length;
  const finished = count(({ event }) => event === "finished");
  const failed = count(({ failures }) => failures > 0);
  const passed = code === 0 && count(({ event }) => event === "checked") === 1;
  if (finished === 0 && (wanted.all || !passed)) ofFile(lines, nameOf(file), passed, said.join(""));
  else if (!passed && failed === 0) ofFile(lines, nameOf(file) + JOINT + OUTSIDE, passed, said.join(""));
}

// Tells of the tests of node:test, in the process that runs a file.
class NodeReporter {
  #lines;
  #wanted;
  #skipped;
  #titles = [];
  #running = [];
  #begun = 0;
  #ended = false;
  // The tests that fail, also those that were left out: node runs some of a group that are not asked for.
  #failures = 0;

  constructor(lines, wanted, skipped) {
    this.#lines = lines;
    this.#wanted = wanted;
    this.#skipped = skipped;
    // Before any handler of the project's.
    process.once("exit", () => {
      tellElsewhere(lines);
      // Where the process ends before its tests have, nothing is said of its end.
      if (this.#ended || this.#begun === 0) this.#lines.write({ event: "checked", bent: bent(), failures: this.#failures });
    });
  }

  #idOf(titles) {
    return joined([this.#wanted.file, joined(titles, JOINT)], JOINT);
  }

  take({ type, data }) {
    const [titles, running] = [this.#titles, this.#running];
    if (type === "test:start") {
      titles.length = data.nesting;
      titles[data.nesting] = data.name;
    } else if (type === "test:dequeue") {
      // Unlike the others, which come in the order of the file, this comes when a test begins.
      this.#begun += 1;
      running.length = data.nesting;
      running[data.nesting] = data.name;
      if (isWanted(joined(running, JOINT), this.#wanted)) this.#lines.started(this.#idOf(running));
    } else if (type === "test:pass" || type === "test:fail") {
      titles.length = data.nesting;
      titles[data.nesting] = data.name;
      if (type === "test:fail") this.#failures += 1;
      this.#finish(data, type === "test:pass");
    }
  }

  #finish(data, passed) {
    const id = this.#idOf(this.#titles);
    const name = joined(this.#titles, JOINT);
    // A group fails where a test in it does; what fails in its own code is told under its name.
    const inner = cause(data.details?.error);
    const isGroup = data.details?.type === "suite";
    const ofTests = data.details?.error?.failureType === "subtestsFailed";
    const isNameless = data.skip !== undefined && /name does not match/.test(text(data.skip));
    const isLeft = (isGroup && (passed || ofTests)) || !isWanted(name, this.#wanted) || this.#skipped[id] === true;
    if (isLeft || isNameless) {
      this.#lines.write({ event: "left", id });
    } else if (data.skip !== undefined || data.todo !== undefined) {
      this.#lines.finished(id, "skipped", typeof data.skip === "string" ? data.skip : "marked as one to be done");
    } else if (passed) {
      this.#lines.finished(id, "passed", undefined, data.details?.duration_ms);
    } else {
      const status = inner?.code === "ERR_ASSERTION" || inner?.name === "AssertionError" ? "failed" : "error";
      this.#lines.finished(id, status, inner, data.details?.duration_ms);
    }
  }

  end() {
    this.#ended = true;
  }
}

// The reporter as node's runner takes it. What it prints explains why a process ends badly.
function reporterOf(reporter) {
  return async function* report(source) {
    for await (const event of source) {
      reporter.take(event);
      // Others are counts.
      if (event.type === "test:diagnostic" && event.data.message.startsWith("Error")) yield `${event.data.message}\n`;
    }
    reporter.end();
  };
}

// Makes this process one that runs the tests of a file.
function watchFile(lines, wanted) {
  // Others that this process starts are none of ours.
  const own = process.execArgv.findIndex((word) => word === "--require" && process.execArgv.includes(__filename));
  if (own >= 0) process.execArgv.splice(own, process.execArgv.length - own);
  // Before the project may change what it is made of.
  hold("node:test", require("node:test"));
  const skipped = { __proto__: null };
  for (const name of process.env.PATCHWRIGHT_SKIP?.split("\n") ?? []) skipped[name] = true;
  module.exports = reporterOf(new NodeReporter(lines, wanted, skipped));
  // node loads it as the reporter when the first test is declared.
  Object.defineProperty(module, "exports", { writable: false, configurable: false });
  Object.defineProperty(require.cache, __filename, { writable: false, configurable: false });
}

// What comes of a file beside its tests: its end counts, and what it said explains it.
function ofFile(lines, name, passed, said) {
  lines.started(name);
  if (passed) {
    lines.finished(name, "passed");
    return;
  }
  const errors = said.match(/^(?:Uncaught )?[A-Z]\w*(?:Error)?(?: \[\w+\])?: .*$/gm) ?? [];
  const refused = said.match(/^not ok .*$/gm) ?? [];
  const code = said.match(/^ {2}code: '([A-Z_]+)'/m)?.[1];
  const last = errors.at(-1) ?? refused[0] ?? "the file ended with an error";
  const message = code !== undefined && last.startsWith("Error") ? last.replace(/^Error(?: \[\w+\])?/, code) : last;
  const isTold = refused.length > 0 || message.startsWith("AssertionError");
  lines.write({ event: "finished", id: name, status: isTold ? "failed" : "error", message, trace: said });
}

async function main(lines, key) {
  for (const [file, wanted] of plan(process.argv.slice(2))) {
    if (fs.existsSync(path.resolve(ROOT, file))) await runFile(lines, key, file, wanted);
  }
  lines.write({ event: "end" });
}

// Writes the last line, and ends the process if nothing else does.
function end(lines) {
  tellElsewhere(lines);
  lines.write({ event: "end", bent: bent() });
  setTimeout(() => process.exit(), GRACE).unref();
}

// The tests that a hook of mocha's is for: once it is right they are what passes, and no hook is told of.
function testsOf(hook) {
  const current = hook.ctx?.currentTest;
  if (/^"(?:before|after) each"/.test(hook.originalTitle ?? "") && current?.titlePath !== undefined) return [current];
  const tests = [];
  // What comes from another process is a copy without its methods.
  hook.parent?.eachTest?.((test) => {
    if (!test.pending) tests.push(test);
  });
  return tests.length > 0 ? tests : [hook];
}

// The outermost file of the project in a trace.
function fileOf(trace) {
  const places = trace.matchAll(/(?:^|[(@]|at |file:\/\/)(\/[^\s():][^():\n]*\.[cm]?[jt]sx?)(?=:\d| \])/gm);
  const files = [...places].map(([, file]) => nameOf(file));
  return files.filter((file) => !file.startsWith("..") && !/(?:^|\/)node_modules\//.test(file)).at(-1);
}

// What is printed may be any object that was thrown.
function textOf(word) {
  try {
    return util.stripVTControlCharacters(String(word?.stack ?? word));
  } catch {
    return "";
  }
}

// mocha ends before it makes a reporter where a file cannot be loaded: why is in what it prints last, an error or its trace.
function tellOfLoading(lines) {
  const { error: print } = console;
  let trace;
  console.error = (...said) => {
    const texts = said.map(textOf);
    // What is thrown and is no error has no trace.
    trace = texts.find((text) => /^ +at /m.test(text) || /^\nError: /.test(text))?.trim() ?? trace;
    print.apply(console, said);
  };
  const tell = () => {
    if (trace === undefined) return;
    const file = fileOf(trace);
    // Of modules that are imported no trace leads back to the file of tests.
    const id = IN_TESTS.test(file) ? file : `package.json${JOINT}${OUTSIDE}`;
    const message = /^.*Error\b.*$/m.exec(trace)?.[0] ?? trace.split("\n", 1)[0];
    lines.started(id);
    lines.write({ event: "finished", id, status: "error", message, trace });
    lines.write({ event: "end" });
  };
  process.once("exit", tell);
  return () => {
    console.error = print;
    process.removeListener("exit", tell);
  };
}

// mocha's: its runner tells, as it goes.
class MochaReporter {
  constructor(runner, lines) {
    const skipped = new Set(process.env.PATCHWRIGHT_SKIP?.split("\n") ?? []);
    const idOf = (test) => [nameOf(test.file ?? "."), ...test.titlePath()].join(JOINT);
    // What it tells goes through a method that all emitters share.
    defineProperty(runner, "emit", { value: emit });
    runner.suite?.eachTest?.((test) => {
      if (skipped.has(idOf(test))) test.pending = true;
    });
    const tell = (test, status, error) => {
      const id = idOf(test);
      if (!skipped.has(id)) lines.finished(id, status, error, test.duration);
    };
    runner.on("test", (test) => lines.started(idOf(test)));
    runner.on("pass", (test) => tell(test, "passed"));
    runner.on("pending", (test) => tell(test, "skipped", "it is left out"));
    runner.on("fail", (test, error) => {
      const status = error?.name?.startsWith("AssertionError") ? "failed" : "error";
      for (const one of test.type === "hook" ? testsOf(test) : [test]) tell(one, status, error);
      // For people, who see it where no test is told of.
      process.stdout.write(`${explained(error).trace}\n`);
    });
    runner.once("end", () => end(lines));
  }
}

// jest's: it tells of a file of tests when all of it has run, and of those that a pattern leaves out as of others that are left out.
class JestReporter {
  constructor(config, lines) {
    this.lines = lines;
    this.skipped = new Set(process.env.PATCHWRIGHT_SKIP?.split("\n") ?? []);
    this.chosen = config.testNamePattern ? new RegExp(config.testNamePattern, "i") : undefined;
  }

  onTestStart(test) {
    this.lines.started(nameOf(test.path));
  }

  onTestResult(test, { testResults, testExecError, failureMessage }) {
    const file = nameOf(test.path);
    if (testExecError != null) {
      const told = util.stripVTControlCharacters(failureMessage ?? "");
      const message = testExecError.message || (/^ {4}(\S.*)$/m.exec(told)?.[1] ?? "the file ended with an error");
      this.lines.write({ event: "finished", id: file, status: "error", message, trace: told });
      return;
    }
    this.lines.write({ event: "left", id: file });
    for (const result of testResults) {
      if (result.status === "pending" && this.chosen?.test(result.fullName) === false) continue;
      this.tell([file, ...result.ancestorTitles, result.title].join(JOINT), result);
    }
  }

  tell(id, { status, duration, failureMessages }) {
    if (this.skipped.has(id)) return;
    if (status === "passed") this.lines.finished(id, "passed", undefined, duration);
    else if (status !== "failed") this.lines.finished(id, "skipped", "it is left out");
    else {
      const trace = util.stripVTControlCharacters(failureMessages.join("\n"));
      const message = trace.split(/\n\s+at /, 1)[0];
      // What node's own assertions say, jest says anew.
      const isTold = /^(?:Error: expect|assert\b|\w*AssertionError)/.test(message);
      this.lines.write({ event: "finished", id, status: isTold ? "failed" : "error", message, trace, seconds: isFinite(duration) ? duration / 1000 : undefined });
    }
  }

  onRunComplete() {
    end(this.lines);
  }
}

const ENVIRONMENT = { ...process.env };
const wantedHere = process.env[WANTED];
const key = takeKey();
const lines = new Lines(key);
// What runs below us must not be told that it runs below a runner of its own kind.
for (const name of ["NODE_TEST_CONTEXT", "PATCHWRIGHT_RESULTS", "PATCHWRIGHT_OUT", "PATCHWRIGHT_FOLDER", WANTED]) delete process.env[name];

const isReporter = require.main !== module && wantedHere === undefined;
const stopListening = isReporter ? tellOfLoading(lines) : undefined;
if (isReporter) holdMocha();

// Both make one with `new`: mocha gives its runner, jest its configuration.
function Reporter(first) {
  stopListening();
  return typeof first?.on === "function" ? new MochaReporter(first, lines) : new JestReporter(first, lines);
}

if (wantedHere !== undefined) watchFile(lines, JSON.parse(wantedHere));
else if (require.main === module) main(lines, key);
else module.exports = Reporter;
