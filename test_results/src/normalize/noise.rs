//! The talk of build tools about themselves.

use patchwright_syntax::pattern::{Pattern, pattern};

/// Lines of Maven and Ant that say nothing about the project.
static NOISE: Pattern = pattern!(concat!(
    r"^(?:\[(?:INFO|DEBUG|WARNING)\]|\[ERROR\]\s*$|\[ERROR\] (?:-> )?\[Help \d+\]|",
    r"\[ERROR\] (?:To see the full stack trace|Re-run Maven using|For more information about the errors|",
    r"Please refer to|After correcting the problems|  mvn <)|",
    r"(?:Downloading|Downloaded|Progress)\b|Buildfile: |\s*\[mkdir\] |Total time:|",
    r"\s*\[javac\] (?:Compiling \d+|\d+ (?:errors?|warnings?)$)|",
    r"(?:OpenJDK|Java HotSpot)\(?.*warning:|Picked up (?:JAVA_TOOL|_JAVA)_OPTIONS|",
    r"platform \w+ -- Python|rootdir: |cachedir: |configfile: |plugins: )",
));

/// The log without such lines, and with one empty line where there were several.
pub(super) fn without(log: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for line in log.lines().map(str::trim_end).filter(|line| !NOISE.is_match(line)) {
        if !line.is_empty() || kept.last().is_some_and(|last| !last.is_empty()) {
            kept.push(line);
        }
    }
    while kept.last().is_some_and(|last| last.is_empty()) {
        kept.pop();
    }
    kept.join("\n")
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::normalize::without_escapes;

    #[test]
    fn maven() {
        let log =
            without(&without_escapes(include_str!("../../tests/captured/console/maven_compile_error.txt")));
        insta::assert_snapshot!("maven_compile_error", log);
        let log = without(&without_escapes(include_str!("../../tests/captured/console/maven_failures.txt")));
        insta::assert_snapshot!("maven_failures", log);
    }

    #[test]
    fn ant() {
        let log = without(include_str!("../../tests/captured/console/ant_compile_error.txt"));
        assert!(log.starts_with("compile:\n    [javac] "), "{log}");
        assert!(log.contains("BUILD FAILED") && !log.contains("Total time") && !log.contains("mkdir"));
    }
}
