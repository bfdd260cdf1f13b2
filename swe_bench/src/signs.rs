//! Signs of a broken environment, so that it is not taken for a wrong patch. They only advise: nothing is
//! resolved or unresolved by them.
//!
//! The reasons, their order, their tiers and the messages of third-party programs that stand for them are
//! those of the official program (5.0.2); the first that is found counts.

use super::pattern::Pattern;

/// The certainty of a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// A change of source code cannot be the cause.
    Environment,
    /// Either may be the cause.
    Ambiguous,
}

/// A sign that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// `out_of_memory`.
    pub reason: &'static str,
    /// Its certainty.
    pub tier: Tier,
}

/// The text at the end of a log when the tests took too long.
pub(super) static TIMEOUT: Pattern = Pattern::new(TIMED_OUT);
const TIMED_OUT: &str = r"Timeout error: \d+ seconds exceeded";

static SIGNS: [(&str, Tier, Pattern); 8] = [
    (
        "browser_launch_failed",
        Tier::Environment,
        Pattern::new("Failed to launch|Failed to connect to the bus"),
    ),
    (
        "display_unavailable",
        Tier::Environment,
        Pattern::new("cannot open display|Missing X server|unable to open X display"),
    ),
    (
        "out_of_memory",
        Tier::Environment,
        Pattern::new("Cannot allocate memory|OutOfMemoryError|(?m:^Killed$)"),
    ),
    (
        "container_unavailable",
        Tier::Environment,
        Pattern::new("Error response from daemon|Cannot connect to the Docker daemon"),
    ),
    (
        "network_unreachable",
        Tier::Environment,
        Pattern::new("Could not resolve host|Temporary failure in name resolution"),
    ),
    (
        "missing_module",
        Tier::Ambiguous,
        Pattern::new("Cannot find module|MODULE_NOT_FOUND|ModuleNotFoundError"),
    ),
    ("no_tests_collected", Tier::Ambiguous, Pattern::new("no tests ran|collected 0 items")),
    ("tests_timed_out", Tier::Ambiguous, Pattern::new(TIMED_OUT)),
];

/// The first sign in the order of the list that one of the texts shows.
pub(super) fn find(texts: &[&str]) -> Option<Sign> {
    let shown = |(_, _, pattern): &&(_, _, Pattern)| texts.iter().any(|text| pattern.finds(text));
    SIGNS.iter().find(shown).map(|(reason, tier, _)| Sign { reason, tier: *tier })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_has_a_reason_and_a_tier() {
        let check = |text: &str, expect: Option<(&str, Tier)>| {
            assert_eq!(find(&[text]).map(|sign| (sign.reason, sign.tier)), expect, "{text}");
        };
        check("ERROR: Failed to launch the browser", Some(("browser_launch_failed", Tier::Environment)));
        check("gtk: cannot open display: :99", Some(("display_unavailable", Tier::Environment)));
        check("java.lang.OutOfMemoryError: heap", Some(("out_of_memory", Tier::Environment)));
        check("a\nKilled\nb", Some(("out_of_memory", Tier::Environment)));
        check("the Killed process", None);
        check("Error response from daemon: conflict", Some(("container_unavailable", Tier::Environment)));
        check("curl: (6) Could not resolve host: x", Some(("network_unreachable", Tier::Environment)));
        check("ModuleNotFoundError: No module named 'x'", Some(("missing_module", Tier::Ambiguous)));
        check("collected 0 items", Some(("no_tests_collected", Tier::Ambiguous)));
        check("Timeout error: 1800 seconds exceeded.", Some(("tests_timed_out", Tier::Ambiguous)));
        check("Timeout error: many seconds exceeded.", None);
        check("all is well", None);
    }

    #[test]
    fn the_order_of_the_list_counts_not_that_of_the_text() {
        let sign = find(&["no tests ran", "Could not resolve host"]);
        assert_eq!(sign.map(|sign| sign.reason), Some("network_unreachable"));
    }
}
