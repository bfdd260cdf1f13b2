//! Stack traces: which frames are the project's own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use patchwright_syntax::Language;
use patchwright_syntax::pattern::{Pattern, pattern};
use regex::Regex;

static PYTHON: Pattern = pattern!(r#"^(\s*)File "([^"]+)", line \d+, in "#);
/// The frames of pytest: `path:line: in function` in the short style, `path:line: Exception` at the end of each entry in
/// the long one.
static PYTEST_SHORT: Pattern = pattern!(r"^(\S[^:]*):\d+: in \S");
static PYTEST_LONG: Pattern = pattern!(r"^(\S[^:]*\.py):\d+: \S*$");
static PYTEST_RULE: Pattern = pattern!(r"^(?:_ ){5,}_?\s*$");
static JAVA: Pattern = pattern!(
    r"^(\s*at )(?:[\w.$@-]*/)*([\w.$]+)\.[\w$<>]+\((?:([\w$]+\.(?:java|kt|scala|groovy))(:\d+)?|[^)]*)\)"
);
static JAVA_OMITTED: Pattern = pattern!(r"^\s*\.\.\. \d+ (?:more|common frames omitted)\s*$");

/// The frames of languages whose traces tell a place in each line, as their entries say.
static DESCRIBED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let rules = Language::all().filter_map(|language| language.entry().trace.as_ref());
    let mut patterns: Vec<&str> = rules.map(|rules| rules.frame).collect();
    patterns.dedup();
    patterns.into_iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
});

/// The path and the line of a frame of such a language.
pub fn described(line: &str) -> Option<(&str, &str)> {
    let found = DESCRIBED.iter().find_map(|pattern| pattern.captures(line))?;
    Some((found.name("path")?.as_str(), found.name("line")?.as_str()))
}

/// Frames of other code that are kept when a trace has none of the project.
const KEPT_FOREIGN: usize = 3;

/// The files of a project, to tell its own frames from others.
#[derive(Clone, Debug, Default)]
pub struct ProjectFiles {
    paths: Arc<BTreeSet<String>>,
    /// Paths by file name.
    names: Arc<BTreeMap<String, Vec<String>>>,
    /// The project's own path in front of a file, where a sandbox has a lane in its place.
    place: Option<Regex>,
}

impl ProjectFiles {
    /// From paths relative to the root of the project.
    pub fn new(paths: impl Iterator<Item = String>) -> Self {
        let paths: BTreeSet<String> = paths.collect();
        let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in &paths {
            let name = path.rsplit('/').next().unwrap_or(path);
            names.entry(name.to_owned()).or_default().push(path.clone());
        }
        Self { paths: Arc::new(paths), names: Arc::new(names), place: None }
    }

    /// The files of a project that is at this path.
    pub fn at(self, root: &Path) -> Self {
        let root = regex::escape(&root.to_string_lossy());
        Self { place: Regex::new(&format!(r"(^|[^\w./-])(?:file:(?://)?)?{root}/")).ok(), ..self }
    }

    /// The path in front of the project's own files; its first group stands before it and is kept.
    pub(super) fn place(&self) -> Option<&Regex> {
        self.place.as_ref()
    }

    /// The same with further files.
    pub fn with(&self, more: impl Iterator<Item = String>) -> Self {
        Self { place: self.place.clone(), ..Self::new(self.paths.iter().cloned().chain(more)) }
    }

    /// Is true if a path, already relative to the project, is one of its files.
    fn holds(&self, path: &str) -> bool {
        self.paths.contains(path.strip_prefix("./").unwrap_or(path))
    }

    /// The file of a Java class: the source file's name in the folder of the package.
    fn of_class(&self, class: &str, file: &str) -> Option<&str> {
        let outer = class.split('$').next().unwrap_or(class);
        let package = outer.rsplit_once('.').map_or("", |(package, _)| package);
        let wanted = Path::new(&package.replace('.', "/")).join(file);
        let mut paths = self.names.get(file)?.iter().map(String::as_str);
        paths.find(|path| Path::new(path).ends_with(&wanted))
    }
}

/// One line of a trace.
enum Line<'a> {
    /// Part of the message, or nothing known.
    Text(&'a str),
    /// A frame with the lines that belong to it.
    Frame { own: bool, lines: Vec<String> },
}

/// The trace without the frames outside of the project; where there are no others, the last of them stay.
pub(super) fn own(trace: &str, files: &ProjectFiles) -> String {
    let lines = long_style(trace, files);
    let lines = read(&lines, files);
    let any = lines.iter().any(|line| matches!(line, Line::Frame { own: true, .. }));
    // Python tells the innermost frame last, others first.
    let foreign = lines.iter().filter(|line| matches!(line, Line::Frame { own: false, .. })).count();
    let is_first = trace.lines().any(|line| described(line).is_some() || JAVA.is_match(line));
    let first = if is_first { 0 } else { foreign.saturating_sub(KEPT_FOREIGN) };
    let mut number = 0;
    let mut kept: Vec<String> = Vec::new();
    for line in lines {
        match line {
            Line::Text(text) => kept.push(text.to_owned()),
            Line::Frame { own: true, lines } => kept.extend(lines),
            Line::Frame { own: false, lines } => {
                if !any && (first..first + KEPT_FOREIGN).contains(&number) {
                    kept.extend(lines);
                }
                number += 1;
            }
        }
    }
    let ending = if trace.ends_with('\n') && !kept.is_empty() { "\n" } else { "" };
    kept.join("\n") + ending
}

fn read<'a>(lines: &[&'a str], files: &ProjectFiles) -> Vec<Line<'a>> {
    let mut read: Vec<Line<'a>> = Vec::new();
    // The indentation of a Python frame: deeper lines belong to it.
    let mut depth: Option<usize> = None;
    for &line in lines {
        let python = PYTHON.captures(line).map(|frame| (frame[1].len(), files.holds(&frame[2])));
        let frame = python.or_else(|| Some((0, files.holds(&PYTEST_SHORT.captures(line)?[1]))));
        if let Some((indented, own)) = frame {
            depth = Some(indented);
            read.push(Line::Frame { own, lines: vec![line.to_owned()] });
        } else if let Some((path, _)) = described(line) {
            depth = None;
            read.push(Line::Frame { own: files.holds(path), lines: vec![line.to_owned()] });
        } else if let Some(frame) = JAVA.captures(line) {
            depth = None;
            let source = frame.get(3).and_then(|file| files.of_class(&frame[2], file.as_str()));
            // With the path of the file a reader need not look for it.
            let text = match source {
                Some(path) => line.replacen(&frame[3], path, 1).trim_end().to_owned(),
                None => line.to_owned(),
            };
            read.push(Line::Frame { own: source.is_some(), lines: vec![text] });
        } else if JAVA_OMITTED.is_match(line) {
            // Counts frames of which most are not shown anyway.
        } else if let (Some(depth), Some(Line::Frame { lines, .. })) = (depth, read.last_mut())
            && indentation(line) > depth
            && !line.trim().is_empty()
        {
            lines.push(line.to_owned());
        } else {
            depth = None;
            read.push(Line::Text(line));
        }
    }
    read
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Drops the entries of pytest's long style that are not the project's: each ends in its place, and entries are set
/// apart by rules. What they explain stays.
fn long_style<'a>(trace: &'a str, files: &ProjectFiles) -> Vec<&'a str> {
    let lines: Vec<&str> = trace.lines().collect();
    if !lines.iter().any(|line| PYTEST_RULE.is_match(line)) {
        return lines;
    }
    let mut kept: Vec<&str> = Vec::new();
    for entry in lines.split(|line| PYTEST_RULE.is_match(line)) {
        let place = entry.iter().rev().find_map(|line| PYTEST_LONG.captures(line));
        let own = place.is_none_or(|place| files.holds(&place[1]));
        kept.extend(entry.iter().filter(|line| own || line.starts_with("E ")));
    }
    kept
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn check(trace: &str, expect: &str) {
        let files = [
            "shop/basket.py",
            "tests/test_basket.py",
            "src/main/java/shop/Basket.java",
            "src/test/java/shop/BasketTest.java",
        ];
        let files = ProjectFiles::new(files.into_iter().map(str::to_owned));
        assert_eq!(own(trace, &files), expect, "{trace}");
    }

    #[test]
    fn python() {
        check(
            concat!(
                "Traceback (most recent call last):\n",
                "  File \"tests/test_basket.py\", line 5, in test_load\n    basket.load(\"x\")\n    ^^^^^^^^^^^\n",
                "  File \"shop/basket.py\", line 17, in load\n    self.prices = json.loads(text)\n",
                "  File \"<python>/json/decoder.py\", line 355, in raw_decode\n    raise JSONDecodeError(s)\n",
                "  File \"<frozen importlib._bootstrap>\", line 1, in _find\n",
                "json.decoder.JSONDecodeError: Expecting value\n",
            ),
            concat!(
                "Traceback (most recent call last):\n",
                "  File \"tests/test_basket.py\", line 5, in test_load\n    basket.load(\"x\")\n    ^^^^^^^^^^^\n",
                "  File \"shop/basket.py\", line 17, in load\n    self.prices = json.loads(text)\n",
                "json.decoder.JSONDecodeError: Expecting value\n",
            ),
        );
    }

    #[test]
    fn pytest_short_and_long() {
        check(
            concat!(
                "tests/test_basket.py:26: in test_load\n    basket.load(text)\nshop/basket.py:17: in load\n",
                "    self.prices = json.loads(text)\n<python>/json/decoder.py:355: in raw_decode\n    raise X\n",
                "E   json.decoder.JSONDecodeError: Expecting value",
            ),
            concat!(
                "tests/test_basket.py:26: in test_load\n    basket.load(text)\nshop/basket.py:17: in load\n",
                "    self.prices = json.loads(text)\nE   json.decoder.JSONDecodeError: Expecting value",
            ),
        );
        check(
            concat!(
                "    def test_load():\n>       basket.load(text)\n\ntests/test_basket.py:26: \n",
                "_ _ _ _ _ _ _ _ _ _ _ _\n\n    def raw_decode():\n>       raise X\nE       ValueError: x\n\n",
                "<python>/json/decoder.py:355: ValueError",
            ),
            "    def test_load():\n>       basket.load(text)\n\ntests/test_basket.py:26: \nE       ValueError: x",
        );
    }

    #[test]
    fn java() {
        check(
            concat!(
                "java.lang.IndexOutOfBoundsException: Index 0\n",
                "\tat java.base/java.util.ArrayList.get(ArrayList.java:427)\n",
                "\tat shop.Basket$Lines.first(Basket.java:25)\n",
                "\tat shop.BasketTest.firstOfEmptyBasket(BasketTest.java:32)\n",
                "\tat app//org.junit.Assert.fail(Assert.java:89)\n",
                "\tat java.base/jdk.internal.reflect.NativeMethodAccessorImpl.invoke0(Native Method)\n",
                "Caused by: java.io.IOException: y\n\tat other.Basket.x(Basket.java:3)\n\t... 23 more\n",
            ),
            concat!(
                "java.lang.IndexOutOfBoundsException: Index 0\n",
                "\tat shop.Basket$Lines.first(src/main/java/shop/Basket.java:25)\n",
                "\tat shop.BasketTest.firstOfEmptyBasket(src/test/java/shop/BasketTest.java:32)\n",
                "Caused by: java.io.IOException: y\n",
            ),
        );
    }

    #[test]
    fn javascript() {
        check(
            concat!(
                "AssertionError [ERR_ASSERTION]: 1 == 2\n",
                "    at total (shop/basket.py:17:11)\n",
                "    at Context.<anonymous> (tests/test_basket.py:5:3)\n",
                "    at async Promise.all (index 0)\n",
                "    at callFn (/usr/share/nodejs/mocha/lib/runnable.js:366:21)\n",
                "    at node:internal/main/run_main_module:22:47 {\n  code: 'X'\n}",
            ),
            concat!(
                "AssertionError [ERR_ASSERTION]: 1 == 2\n",
                "    at total (shop/basket.py:17:11)\n",
                "    at Context.<anonymous> (tests/test_basket.py:5:3)\n",
                "    at async Promise.all (index 0)\n  code: 'X'\n}",
            ),
        );
    }

    #[test]
    fn a_trace_without_own_frames_keeps_a_few() {
        check(
            "x.Y: z\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n\tat a.B.e(B.java:3)\n\tat a.B.f(B.java:4)",
            "x.Y: z\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n\tat a.B.e(B.java:3)",
        );
        check(
            "  File \"<python>/a.py\", line 1, in a\n  File \"<python>/b.py\", line 1, in b\n  File \"<python>/c.py\", line 1, in c\n  File \"<python>/d.py\", line 1, in d\nX: y",
            "  File \"<python>/b.py\", line 1, in b\n  File \"<python>/c.py\", line 1, in c\n  File \"<python>/d.py\", line 1, in d\nX: y",
        );
        check("no frames at all\n  indented", "no frames at all\n  indented");
        check("", "");
    }
}
