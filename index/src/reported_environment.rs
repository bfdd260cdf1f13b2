//! What a report says of the environment that something was seen in. It names packages and tools, and is about none of the code.

use std::sync::LazyLock;

use patchwright_syntax::pattern::{Pattern, compiled, pattern};

/// Words of a line that is prose, and so no longer of a list.
const PROSE: usize = 9;

/// A heading: by number signs, in bold, or a short line that ends with a colon; or a command that prints versions.
static HEADING: Pattern = pattern!(r"^\s*(?:#{1,6}\s*(.+?)|\*\*(.+?)\*\*:?|([^:]{1,40}):)\s*$");
/// What a heading of environments is called, and the commands that print one.
static ENVIRONMENT: Pattern = LazyLock::new(|| {
    let what = "environment|versions?|system info(?:rmation)?|set-?up info(?:rmation)?|platform|dependencies|installed packages";
    let whose = "your|my|the|package|software|library|python|system|runtime|tool|relevant";
    let more = "details?|info(?:rmation)?|used|affected|and .{1,20}|of .{1,20}";
    let printed = r"\b(?:show_versions|show_info|__version__|pip (?:list|freeze)|\.version\))";
    compiled(&format!(r"(?i)^\W*(?:(?:{whose})\s+)*(?:{what})(?:\s+(?:{more}))?\W*$|{printed}"))
});
/// A line with a name, its version, and nothing else.
static VERSION: Pattern = pattern!(
    r#"^[\s>*+`'"|-]*[A-Za-z][\w. -]{0,40}?[\s`'"]*(?:[:|,-]|==|\bversion\b|\s)[\s`'"]*(?:version )?v?\d+(?:\.\w+)+[^\s]*[\s`'"|]*$"#
);

/// A text without what it says of environments: sections that are called so, as far as they are lists, and lines with a name and a version.
pub(crate) fn without_environment(text: &str) -> String {
    let mut is_listed = false;
    let kept = text.lines().filter(|line| {
        let heading = HEADING.captures(line);
        if let Some(heading) = heading {
            let title = heading.iter().skip(1).flatten().next().map_or("", |title| title.as_str());
            is_listed = ENVIRONMENT.is_match(title);
        } else if line.split_whitespace().filter(|word| word.starts_with(char::is_alphabetic)).count()
            >= PROSE
        {
            is_listed = false;
        }
        !is_listed && !VERSION.is_match(line)
    });
    kept.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(without_environment(text).trim(), expect, "{text}");
    }

    #[test]
    fn sections_of_environments_end_with_the_next_heading_or_with_prose() {
        check(
            "It breaks in `load`.\n\n**Your environment**\nmodule | version\nplatform | macOS\ngdcm | _module not found_\n",
            "It breaks in `load`.",
        );
        check("## Version\n```\ntool, version 0.6\n```\n## Steps\nCall `load`.", "## Steps\nCall `load`.");
        check(
            "### `python -c \"from pkg import __pkginfo__; print(__pkginfo__.version)\"` output\n\n2.8-dev0\n",
            "",
        );
        check(
            "Versions:\n - linux\nWhen I call `load` with an empty file, it ends with an error.\n",
            "When I call `load` with an empty file, it ends with an error.",
        );
    }

    #[test]
    fn names_with_versions_say_nothing_of_code() {
        check("numpy 1.24.2\n- `sqlite`: 3.40\n>>> pkg.__version__\n", ">>> pkg.__version__");
        check("python-3.7.6\nlimit = 1.5\n", "limit = 1.5");
    }

    #[test]
    fn what_only_sounds_like_an_environment_stays() {
        let text = "# The environment variable `HOME` is not read\nUse version 2.0 of the protocol, and see `read_home`.\n\
                    platform = load()";
        check(text, text);
        check(
            "## Version 2 of the format cannot be read by `load`",
            "## Version 2 of the format cannot be read by `load`",
        );
    }
}
