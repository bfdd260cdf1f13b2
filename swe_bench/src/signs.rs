//! Signs of a broken environment, so that it is not taken for a wrong patch. They only advise: nothing is
//! resolved or unresolved by them.
//!
//! The reasons, their order, their tiers and the messages of third-party programs that stand for them are
//! those of the official program (5.0.2); the first that is found counts.

use super::pattern::Pattern;

/// How sure a sign is.
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
    /// How sure it is.
    pub tier: Tier,
}

enum Message {
    Text(&'static str),
    /// A text that is found fast, and what has to match around it.
    Pattern(&'static str, &'static Pattern),
}

static KILLED: Pattern = Pattern::new("(?m)^Killed$");
/// What is written at the end of a log when the tests took too long.
pub(super) static TIMEOUT: Pattern = Pattern::new(r"Timeout error: \d+ seconds exceeded");

static SIGNS: &[(&str, Tier, &[Message])] = &[
    (
        "browser_launch_failed",
        Tier::Environment,
        &[Message::Text("Failed to launch"), Message::Text("Failed to connect to the bus")],
    ),
    (
        "display_unavailable",
        Tier::Environment,
        &[
            Message::Text("cannot open display"),
            Message::Text("Missing X server"),
            Message::Text("unable to open X display"),
        ],
    ),
    (
        "out_of_memory",
        Tier::Environment,
        &[
            Message::Text("Cannot allocate memory"),
            Message::Text("OutOfMemoryError"),
            Message::Pattern("Killed", &KILLED),
        ],
    ),
    (
        "container_unavailable",
        Tier::Environment,
        &[Message::Text("Error response from daemon"), Message::Text("Cannot connect to the Docker daemon")],
    ),
    (
        "network_unreachable",
        Tier::Environment,
        &[Message::Text("Could not resolve host"), Message::Text("Temporary failure in name resolution")],
    ),
    (
        "missing_module",
        Tier::Ambiguous,
        &[
            Message::Text("Cannot find module"),
            Message::Text("MODULE_NOT_FOUND"),
            Message::Text("ModuleNotFoundError"),
        ],
    ),
    (
        "no_tests_collected",
        Tier::Ambiguous,
        &[Message::Text("no tests ran"), Message::Text("collected 0 items")],
    ),
    ("tests_timed_out", Tier::Ambiguous, &[Message::Pattern("Timeout error: ", &TIMEOUT)]),
];

/// The first sign in the order of the list that one of the texts shows.
pub(super) fn find(texts: &[&str]) -> Option<Sign> {
    let says =
        |text: &str, message: &str| memchr::memmem::find(text.as_bytes(), message.as_bytes()).is_some();
    let shows = |message: &Message| match message {
        Message::Text(message) => texts.iter().any(|text| says(text, message)),
        Message::Pattern(part, pattern) => texts.iter().any(|text| says(text, part) && pattern.finds(text)),
    };
    SIGNS
        .iter()
        .find(|(.., messages)| messages.iter().any(shows))
        .map(|(reason, tier, _)| Sign { reason, tier: *tier })
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
