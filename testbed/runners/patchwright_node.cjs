// Runs tests of node:test and tells what comes of each, as `patchwright_lines.py` does; for mocha and jest it is a reporter.
//
// As a program: patchwright_node.cjs [FILE…] -- [TEST…], where a test is a file, or `FILE::GROUP::TITLE`. Each file runs in a process
// of its own, one after the other, so that no test shares a process with whoever holds the key of the seals. A file without any test
// of the framework is one test, which passes when its process ends well; of one whose tests all pass and whose process does not end
// well, what went wrong outside of them (an error after the end of a test) is a failing test of its own.
"use strict";

const crypto = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const util = require("node:util");

const JOINT = "::";
const OUTSIDE = "outside of its tests";
const IN_TESTS = /(?:^|\/)(?:(?:tests?|specs?|__tests__)\/|(?:test|spec)\.\w+$)|[._-](?:test|spec)\.\w+$/;
// What is left open by a test may keep mocha and jest from ending once all is told; what ends by itself has this many milliseconds.
const GRACE = 2000;

// What code under test may replace later.
const ROOT = process.cwd();
const { stringify } = JSON;
const { writeSync } = fs;
const { createHmac } = crypto;

// The key comes in a file that is gone before the first test is loaded: it is taken when this file is.
function takeKey() {
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

class Lines {
  constructor() {
    this.sink = fs.openSync(process.env.PATCHWRIGHT_RESULTS ?? "/dev/null", "a");
    this.key = takeKey();
    this.process = process.pid;
  }

  write(event) {
    if (process.pid !== this.process) return;
    const text = stringify(event);
    const seal = createHmac("sha256", this.key).update(text).digest("hex");
    writeSync(this.sink, `${text.slice(0, -1)}, "seal": "${seal}"}\n`);
  }

  started(id) {
    this.write({ event: "started", id });
  }

  finished(id, status, error, milliseconds) {
    const event = { event: "finished", id, status };
    if (error !== undefined) Object.assign(event, explained(error));
    this.write({ ...event, ...secondsOf(milliseconds) });
  }
}

function secondsOf(milliseconds) {
  return Number.isFinite(milliseconds) ? { seconds: milliseconds / 1000 } : {};
}

// The message and the trace of what was thrown, which need not be an error.
function explained(error) {
  if (error === null || typeof error !== "object") return { message: String(error), trace: String(error) };
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

// Splits the arguments into files and what is wanted of each; with no test named, all of every file.
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
  if (tests.length === 0) for (const file of files) wanted.set(nameOf(file), { all: true, titles: [] });
  return wanted;
}

// Tests that a run tells of: those that were left out on purpose tell nothing.
function isWanted(titles, { all, titles: wanted }) {
  const name = titles.join(JOINT);
  return all || wanted.some((one) => name === one || name.startsWith(one + JOINT));
}

// A pattern for each title of a test that is wanted: node matches the titles of groups and of tests one by one.
function patternsOf({ all, titles }) {
  if (all) return undefined;
  const quoted = (text) => `^${text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$`;
  return [...new Set(titles.flatMap((title) => title.split(JOINT)).map(quoted))].map((text) => new RegExp(text));
}

async function runFile(lines, file, wanted) {
  const { run } = require("node:test");
  const stream = run({ files: [path.resolve(file)], concurrency: false, testNamePatterns: patternsOf(wanted) });
  const titles = [];
  const skipped = new Set(process.env.PATCHWRIGHT_SKIP?.split("\n") ?? []);
  const isFile = (name) => path.resolve(name) === path.resolve(file);
  const said = [];
  let told = 0;
  let failed = 0;
  let loading;
  const finish = (data, passed) => {
    if (data.nesting === 0 && isFile(data.name)) {
      loading = { data, passed };
      return;
    }
    titles.length = data.nesting;
    const names = [...titles, data.name];
    const id = [nameOf(file), ...names].join(JOINT);
    // A group fails where a test in it does; what fails in its own code is told under its name.
    const inner = cause(data.details?.error);
    const isGroup = data.details?.type === "suite";
    const ofTests = data.details?.error?.failureType === "subtestsFailed";
    const isNameless = data.skip !== undefined && /name does not match/.test(String(data.skip));
    if ((isGroup && (passed || ofTests)) || !isWanted(names, wanted) || skipped.has(id) || isNameless) {
      lines.write({ event: "left", id });
      return;
    }
    told += 1;
    if (data.skip !== undefined || data.todo !== undefined) {
      lines.finished(id, "skipped", typeof data.skip === "string" ? data.skip : "marked as one to be done");
    } else if (passed) {
      lines.finished(id, "passed", undefined, data.details?.duration_ms);
    } else {
      failed += 1;
      const status = inner?.code === "ERR_ASSERTION" || inner?.name === "AssertionError" ? "failed" : "error";
      lines.finished(id, status, inner, data.details?.duration_ms);
    }
  };
  stream.on("test:start", (data) => {
    titles.length = data.nesting;
    titles.push(data.name);
  });
  // Unlike the others, which come in the order of the file, this comes when a test begins.
  const running = [];
  stream.on("test:dequeue", (data) => {
    running.length = data.nesting;
    running.push(data.name);
    const isOfFile = data.nesting === 0 && isFile(data.name);
    if (!isOfFile && isWanted(running, wanted)) lines.started([nameOf(file), ...running].join(JOINT));
  });
  for (const name of ["test:stdout", "test:stderr"]) {
    stream.on(name, (data) => {
      said.push(data.message);
      process[name.slice(5)].write(data.message);
    });
  }
  // Others are counts.
  stream.on("test:diagnostic", (data) => {
    if (data.message.startsWith("Error")) said.push(`${data.message}\n`);
  });
  stream.on("test:pass", (data) => finish(data, true));
  stream.on("test:fail", (data) => finish(data, false));
  await new Promise((resolve, reject) => {
    stream.on("end", resolve);
    stream.on("error", reject);
    stream.resume();
  });
  const isBroken = loading?.passed === false;
  if (told === 0 && (wanted.all || isBroken)) ofFile(lines, nameOf(file), loading, said.join(""));
  else if (isBroken && failed === 0) ofFile(lines, nameOf(file) + JOINT + OUTSIDE, loading, said.join(""));
}

// What comes of a file beside its tests: its end counts, and what it said explains it.
function ofFile(lines, name, loading, said) {
  lines.started(name);
  if (loading === undefined || loading.passed) {
    lines.finished(name, "passed", undefined, loading?.data.details?.duration_ms);
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

async function main(lines) {
  for (const [file, wanted] of plan(process.argv.slice(2))) {
    if (fs.existsSync(file)) await runFile(lines, file, wanted);
  }
  lines.write({ event: "end" });
}

// Writes the last line, and ends the process if nothing else does.
function end(lines) {
  lines.write({ event: "end" });
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
      this.lines.write({ event: "finished", id, status: isTold ? "failed" : "error", message, trace, ...secondsOf(duration) });
    }
  }

  onRunComplete() {
    end(this.lines);
  }
}

const lines = new Lines();
// What runs below us must not be told that it runs below a runner of its own kind.
delete process.env.NODE_TEST_CONTEXT;
delete process.env.PATCHWRIGHT_RESULTS;
delete process.env.PATCHWRIGHT_OUT;

const stopListening = require.main === module ? undefined : tellOfLoading(lines);

// Both make one with `new`: mocha gives its runner, jest its configuration.
function Reporter(first) {
  stopListening();
  return typeof first?.on === "function" ? new MochaReporter(first, lines) : new JestReporter(first, lines);
}

if (require.main === module) main(lines);
else module.exports = Reporter;
