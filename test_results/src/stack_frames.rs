//! The frames of a cleaned stack trace, nearest to the failure first.

use std::collections::BTreeSet;

use patchwright_syntax::pattern::{Pattern, pattern};

use crate::normalize::described;

/// The places in a trace: Python's own style, both styles of pytest, and Java's, where cleaning has put the path in.
static FRAME: Pattern = pattern!(
    r#"(?m)^\s*File "(?<py>[^"]+)", line (?<pyline>\d+)|^(?<test>[^\s:][^:\n]*\.py):(?<testline>\d+): |^\s*at [^(\n]+\((?<java>[^():\n]+):(?<javaline>\d+)\)"#
);

/// The places in a trace, nearest to the failure first, each once. Of several exceptions of which one caused the
/// other the cause comes first: it is where things began to go wrong.
pub fn frames(trace: &str) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    // Java tells the nearest frame first and the cause last, Python the cause first and the nearest frame last.
    let parts: Vec<&str> = if trace.contains("\nCaused by: ") {
        trace.rsplit("\nCaused by: ").collect()
    } else {
        trace
            .split("\nDuring handling of the above exception")
            .flat_map(|part| part.split("\nThe above exception"))
            .collect()
    };
    for part in parts {
        let places = || part.lines().filter_map(described);
        let of_lines =
            |(path, line): (&str, &str)| Some((path.trim_start_matches("./").to_owned(), line.parse().ok()?));
        let described: Vec<(String, u32)> = places().filter_map(of_lines).collect();
        if !described.is_empty() {
            found.extend(described);
            continue;
        }
        let mut frames: Vec<(String, u32)> = FRAME
            .captures_iter(part)
            .filter_map(|frame| {
                let of = |path, line| Some((frame.name(path)?.as_str(), frame.name(line)?.as_str()));
                let (path, line) = of("py", "pyline")
                    .or_else(|| of("test", "testline"))
                    .or_else(|| of("java", "javaline"))?;
                Some((path.trim_start_matches("./").to_owned(), line.parse().ok()?))
            })
            .collect();
        if !part.contains("\tat ") {
            frames.reverse();
        }
        found.extend(frames);
    }
    let mut seen = BTreeSet::new();
    found.retain(|frame| seen.insert(frame.clone()));
    found
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn traces_of_all_tools() {
        let check = |trace: &str, expect: &[(&str, u32)]| {
            let expect: Vec<(String, u32)> =
                expect.iter().map(|(path, line)| ((*path).to_owned(), *line)).collect();
            assert_eq!(frames(trace), expect, "{trace}");
        };
        check(
            "Traceback (most recent call last):\n  File \"tests/t.py\", line 5, in t\n    a.b()\n  File \"shop/a.py\", line 17, in b\n    x\nE: y\n",
            &[("shop/a.py", 17), ("tests/t.py", 5)],
        );
        check(
            "tests/t.py:26: in t\n    b.load(x)\nshop/a.py:17: in load\n    y\nE   Error: see shop/c.py:3: no\n",
            &[("shop/a.py", 17), ("tests/t.py", 26)],
        );
        check("    def t():\n>       f()\n\ntests/t.py:26: AssertionError", &[("tests/t.py", 26)]);
        check(
            "x.E: a\n\tat shop.B.c(src/B.java:25)\n\tat shop.T.t(test/T.java:32)\nCaused by: x.F: y\n\tat shop.C.d(src/C.java:3)\n\tat shop.B.c(src/B.java:24)\n",
            &[("src/C.java", 3), ("src/B.java", 24), ("src/B.java", 25), ("test/T.java", 32)],
        );
        check(
            "  File \"a.py\", line 1, in f\nKeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n\n  File \"a.py\", line 3, in g\n  File \"b.py\", line 2, in h\nE: x\n",
            &[("a.py", 1), ("b.py", 2), ("a.py", 3)],
        );
        check(
            "Error: x\n    at f (lib/a.js:3:9)\n    at lib/b.mjs:7:1\n    at async Object.g (test/c.js:2:3)\n",
            &[("lib/a.js", 3), ("lib/b.mjs", 7), ("test/c.js", 2)],
        );
        check("nothing: 3", &[]);
    }
}
