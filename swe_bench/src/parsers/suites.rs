//! Test tools of JavaScript that print suites as indented lines, with tests below them.

use super::Context;
use crate::pattern::Pattern;
use crate::status::{LoggedStatus, StatusMap};
use crate::text::{indent, lines, strip, without_escapes};

/// The suites around a line, by how far they are indented.
#[derive(Default)]
struct Nesting<'log>(Vec<(&'log str, usize)>);

impl<'log> Nesting<'log> {
    /// Takes a line as the name of a suite, if it is indented.
    fn enter(&mut self, line: &'log str) {
        let depth = indent(line);
        if depth == 0 {
            return;
        }
        while self.0.last().is_some_and(|(_, outer)| *outer >= depth) {
            self.0.pop();
        }
        self.0.push((strip(line), depth));
    }

    /// The test with its suites before it.
    fn name(&self, test: &str) -> String {
        let suites: Vec<String> = self.0.iter().map(|(suite, _)| format!("{suite} - ")).collect();
        suites.concat() + test
    }
}

/// Calypso: Jest, once for each of its commands.
pub(super) fn calypso(log: &str, _: &Context<'_>) -> StatusMap {
    static TIMED: Pattern = Pattern::new(r"\(\d+ms\)");
    static TIMED_TEST: Pattern = Pattern::new(r"^\s+[✓✕]\s(.*)\(\d+ms\)$");
    static TEST: Pattern = Pattern::new(r"^\s+[✓✕]\s(.*)");
    let mut statuses = StatusMap::default();
    let mut nesting = Nesting::default();
    for run in log.split(" ./node_modules/.bin/jest ").skip(1) {
        for line in lines(run) {
            if line.starts_with("Test Suites") || line.starts_with("  ● ") {
                break;
            }
            let status = match strip(line).chars().next() {
                Some('✓') => LoggedStatus::Passed,
                Some('✕') => LoggedStatus::Failed,
                Some(_) | None => {
                    nesting.enter(line);
                    continue;
                }
            };
            let pattern = if TIMED.finds(line) { &TIMED_TEST } else { &TEST };
            if let Some([test]) = pattern.groups(line) {
                let name = if nesting.0.is_empty() { format!(" - {test}") } else { nesting.name(test) };
                statuses.insert(strip(&name).to_owned(), status);
            }
        }
    }
    statuses
}

/// Lighthouse: Mocha for some versions, Jest for others, Mocha's JSON for the oldest.
pub(super) fn lighthouse(log: &str, context: &Context<'_>) -> StatusMap {
    if matches!(context.version, "9.5" | "10.0" | "10.2") {
        return lighthouse_mocha(log);
    }
    if context.version.parse::<f64>().is_ok_and(|version| version >= 3.0) {
        return pass_or_fail(log, context);
    }
    let mut statuses = StatusMap::default();
    for run in log.split("./node_modules/.bin/mocha --reporter json").skip(1) {
        statuses.extend(full_titles(run, r#""passes": ["#, "]", LoggedStatus::Passed));
        statuses.extend(full_titles(run, r#""failures": ["#, "],", LoggedStatus::Failed));
    }
    statuses
}

/// The titles in what follows the last `start`, up to the last `end`.
fn full_titles(run: &str, start: &str, end: &str, status: LoggedStatus) -> StatusMap {
    static TITLE: Pattern = Pattern::new("\"fullTitle\":\\s\"(.*)\",\n");
    let part = run.rfind(start).map_or(run, |at| &run[at + start.len()..]);
    let part = part.rfind(end).map_or(part, |at| &part[..at]);
    TITLE.all(part).map(|title| (title.to_owned(), status)).collect()
}

fn lighthouse_mocha(log: &str) -> StatusMap {
    static START: Pattern = Pattern::new(r"running\s\d+\stest\sfiles");
    static END: Pattern = Pattern::new(r"\d+\spassing");
    static TESTS: [(Pattern, LoggedStatus); 4] = [
        (Pattern::new(r"^✔\s(.*)\s\(\d+m+s\)"), LoggedStatus::Passed),
        (Pattern::new(r"^✔\s(.*)"), LoggedStatus::Passed),
        (Pattern::new(r"^\d+\)\s(.*)\s\(\d+m+s\)"), LoggedStatus::Failed),
        (Pattern::new(r"^\d+\)\s(.*)"), LoggedStatus::Failed),
    ];
    let mut statuses = StatusMap::default();
    for run in START.split(log).into_iter().skip(1) {
        let run = END.split(run).first().map_or(run, |before| strip(before));
        let mut nesting = Nesting::default();
        for line in lines(run) {
            let stripped = strip(line);
            let test = TESTS.iter().find_map(|(pattern, status)| Some((pattern.groups(stripped)?, *status)));
            match test {
                Some(([test], status)) => _ = statuses.insert(nesting.name(test), status),
                None => nesting.enter(line),
            }
        }
    }
    statuses
}

/// Next (Alibaba Fusion): Cypress for 1.27, Karma for the others.
pub(super) fn next(log: &str, context: &Context<'_>) -> StatusMap {
    if context.version == "1.27" { next_cypress(log) } else { next_karma(log) }
}

fn next_karma(log: &str) -> StatusMap {
    static ASSERTION: Pattern = Pattern::new(r"AssertionError:\s+#(?s:.*?)\n\n");
    static FAILED: Pattern = Pattern::new(r"^.*?✗\s*(.*)");
    static PASSED: Pattern = Pattern::new(r"^.*?✓\s*(.*)");
    let log = without_escapes(log);
    let log = ASSERTION.removed(&log);
    let mut statuses = StatusMap::default();
    let mut nesting = Nesting::default();
    for run in log.split(" xvfb-run ").skip(1) {
        let run = run.rsplit("Starting browser Chrome").next().unwrap_or(run);
        for line in lines(run) {
            let stripped = strip(line);
            if line.starts_with("TOTAL") {
                break;
            }
            if ["ERROR", "LOG", "WARN", "Check", "in"].iter().any(|start| stripped.starts_with(start)) {
                continue;
            }
            if let Some([test]) = FAILED.groups(line) {
                statuses.insert(nesting.name(test), LoggedStatus::Failed);
            } else if let Some([test]) = PASSED.groups(line) {
                statuses.insert(nesting.name(test), LoggedStatus::Passed);
            } else {
                nesting.enter(line);
            }
        }
    }
    statuses
}

fn next_cypress(log: &str) -> StatusMap {
    static SUITE: Pattern = Pattern::new(r"Running:.*\)\n{3}\s{2}(.*)\n");
    static FAILED: Pattern = Pattern::new(r"(?m)^\s{4}\d+\)\s(.*)");
    static PASSED: Pattern = Pattern::new(r"(?m)^\s{4}✓\s(.*)\(");
    let mut statuses = StatusMap::default();
    for (suite, part) in SUITE.all(log).zip(SUITE.split(log).into_iter().skip(1)) {
        for (pattern, status) in [(&FAILED, LoggedStatus::Failed), (&PASSED, LoggedStatus::Passed)] {
            let tests = pattern.all(part);
            statuses.extend(tests.map(|test| (format!("{suite}: {}", strip(test)), status)));
        }
    }
    statuses
}

/// Karma with the Mocha reporter, from the start of the browser to the summary.
pub(super) fn karma(log: &str, _: &Context<'_>) -> StatusMap {
    static LINE: Pattern = Pattern::new(r"^(\s*)([✔✖]?)\s(.*)$");
    let mut statuses = StatusMap::default();
    let mut suites: Vec<&str> = Vec::new();
    let mut depth = 0;
    let mut started = false;
    for line in lines(log) {
        if line.starts_with("SUMMARY:") {
            break;
        }
        if line.contains("Starting browser") {
            started = true;
            continue;
        }
        let Some([blanks, sign, name]) = LINE.groups(line).filter(|_| started) else { continue };
        let new_depth = blanks.chars().count();
        if sign.is_empty() {
            // Before the first suite, the depth is 0.
            if new_depth > depth {
                suites.push(name);
            } else if new_depth < depth && new_depth > 0 {
                suites.pop();
            }
            depth = if new_depth > 0 { new_depth } else { depth };
            continue;
        }
        let test: Vec<&str> = suites.iter().copied().chain([name]).collect();
        let status = if sign == "✔" { LoggedStatus::Passed } else { LoggedStatus::Failed };
        statuses.insert(test.join(" > "), status);
    }
    statuses
}

/// highlight.js: Mocha up to its summary; a test has only the innermost suite.
pub(super) fn highlightjs(log: &str, _: &Context<'_>) -> StatusMap {
    static SUMMARY: Pattern = Pattern::new(r"\n[ \t]*\d+ passing");
    static NUMBERED: Pattern = Pattern::new(r"^\d+\)");
    static TIME: Pattern = Pattern::new(r"\(\d+ms\)");
    let log = SUMMARY.split(log).first().copied().unwrap_or(log);
    let mut statuses = StatusMap::default();
    let mut suite = None;
    for line in lines(log) {
        let stripped = strip(line);
        let (test, status) = if let Some(check) = stripped.chars().next().filter(|sign| "✓✔".contains(*sign))
        {
            (line.split_once(check).map_or("", |(_, test)| test), LoggedStatus::Passed)
        } else if NUMBERED.finds(stripped) {
            (line.split_once(')').map_or("", |(_, test)| test), LoggedStatus::Failed)
        } else {
            if line.starts_with("  ") {
                suite = Some(stripped);
            }
            continue;
        };
        let test = TIME.removed(test);
        let test = strip(&test);
        let name = suite.map_or_else(|| test.to_owned(), |suite| format!("{suite}.{test}"));
        statuses.insert(name, status);
    }
    statuses
}

/// Prism: Mocha's JSON after each of its commands. Where one is no JSON, nothing is known.
pub(super) fn prismjs(log: &str, _: &Context<'_>) -> StatusMap {
    let mut statuses = StatusMap::default();
    for run in log.split("./node_modules/.bin/mocha tests/run.js --reporter json").skip(1) {
        let inner = run.split_once('{').map_or(run, |(_, inner)| inner);
        let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
        let Ok(results) = serde_json::from_str::<serde_json::Value>(&format!("{{{inner}}}")) else {
            return StatusMap::default();
        };
        for (list, status) in [("failures", LoggedStatus::Failed), ("passes", LoggedStatus::Passed)] {
            let tests = results[list].as_array().into_iter().flatten();
            let titles = tests.filter_map(|test| test["fullTitle"].as_str());
            statuses.extend(titles.map(|title| (title.to_owned(), status)));
        }
    }
    statuses
}

/// `PASS file (3.2 s)`: Jest by files (Carbon, react-pdf and others).
pub(super) fn pass_or_fail(log: &str, _: &Context<'_>) -> StatusMap {
    // With a time in milliseconds, in seconds after a blank, in seconds, and without one.
    static LINES: [Pattern; 4] = [
        Pattern::new(r"^(PASS|FAIL)\s(.*)\s\([\d.]+(?:ms)\)"),
        Pattern::new(r"^(PASS|FAIL)\s(.*)\s\([\d.]+\ss\)"),
        Pattern::new(r"^(PASS|FAIL)\s(.*)\s\([\d.]+s\)"),
        Pattern::new(r"^(PASS|FAIL)\s(.*)"),
    ];
    let files = lines(log).filter_map(|line| LINES.iter().find_map(|pattern| pattern.groups(line)));
    let status = |word| if word == "PASS" { LoggedStatus::Passed } else { LoggedStatus::Failed };
    files.map(|[word, name]| (name.to_owned(), status(word))).collect()
}

/// Grommet: the same, failures first, the time cut off the end.
pub(super) fn grommet(log: &str, _: &Context<'_>) -> StatusMap {
    static TIME: Pattern = Pattern::new(r"\s\([\d.]+\s?(?:ms|s)\)$");
    static FAILED: Pattern = Pattern::new(r"(?m)^FAIL\s(.*)");
    static PASSED: Pattern = Pattern::new(r"(?m)^PASS\s(.*)");
    let mut statuses = StatusMap::default();
    for (pattern, status) in [(&FAILED, LoggedStatus::Failed), (&PASSED, LoggedStatus::Passed)] {
        statuses.extend(pattern.all(log).map(|name| (TIME.removed(strip(name)).into_owned(), status)));
    }
    statuses
}

/// Quarto: `[unit] name ... ok` in colours; temporary files are numbered, and a test without a result failed.
pub(super) fn quarto(log: &str, _: &Context<'_>) -> StatusMap {
    static PLACES: [Pattern; 2] = [Pattern::new(r"/tmp/(\w+)\.qmd"), Pattern::new(r"/tmp/(\w+)/")];
    let mut statuses = StatusMap::default();
    let mut numbers: Vec<String> = Vec::new();
    for line in lines(log) {
        if line.contains("ERRORS") || line.contains("failures:") {
            break;
        }
        if !line.contains("[smoke]") && !line.contains("[unit]") {
            continue;
        }
        let mut line = line.to_owned();
        for place in &PLACES {
            let Some(found) = place.find_from(&line, 0).map(|range| line[range].to_owned()) else { continue };
            let number = numbers.iter().position(|known| *known == found).unwrap_or_else(|| {
                numbers.push(found);
                numbers.len() - 1
            });
            line = place.split(&line).join(&format!("/tmp/{number}"));
        }
        let name = strip(line.split("...").next().unwrap_or(&line));
        let counts = line.contains("passed") && line.contains("failed") && line.contains("steps");
        if line.starts_with("test result:") || counts || line.contains("34mINFO") {
            continue;
        }
        if line.contains("32mok") {
            statuses.insert(name.to_owned(), LoggedStatus::Passed);
        } else if line.contains("31mFAILED") || !statuses.contains_key(name) {
            statuses.insert(name.to_owned(), LoggedStatus::Failed);
        }
    }
    statuses
}
