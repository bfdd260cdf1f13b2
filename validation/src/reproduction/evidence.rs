//! What the failure of a test tells: the bug that an issue describes, or that the test itself does not work.

use patchwright_detection::ecosystems::SNIPPET;
use patchwright_syntax::is_runnable;
use patchwright_syntax::pattern::{Pattern, pattern};
use patchwright_syntax::{Language, TestRules};
use patchwright_test_results::{Ending, TestOutcome, TestStatus, frames};

/// The name of an exception at the beginning of a message.
pub(super) static EXCEPTION: Pattern = pattern!(r"^(?:[\w$]+\.)*([A-Z][\w$]*)(?::|$)");
/// What Python says of a name that a module does not have, and of a module that is not there in a package that is.
static NOT_IMPORTED: Pattern = pattern!(
    r"^(?:ImportError: cannot import name '(\w+)'|ModuleNotFoundError: No module named '(\w+\.[\w.]+)')"
);
/// What Python and node say of a module that is not there, or lacks a name.
static NO_MODULE: Pattern = pattern!(r"No module named|cannot import name|Cannot find (?:module|package)");
/// An issue about code that does not end. The bare word "timeout" is mostly the name of an option.
static HANGING: Pattern = pattern!(
    r"(?i)\b((hangs?|hanging|hung)\b|infinite|endless|forever|stuck|deadlock|freez|froze|never (end|return|terminat|finish)|does(n't| not) (end|return|terminat|finish)|tim(es|ed|ing) out|(hits?|until|into) (a|the) time-?out)|\b(endlos|unendlich|hängt|kehrt nie|se cuelga|infini)|卡住|卡死|死锁|死循环|无限|挂起|無限|ハング|フリーズ|завис|бесконечн"
);
/// An issue about a program that ends where it should not. To exit, to kill and to abort are also what programs are there for.
static CRASHING: Pattern = pattern!(
    r"(?i)\b(crash|segv|sig(abrt|kill|int|term)|seg(mentation)?[ -]?fault|core dump|killed|out of memory|stack ?overflow|exit (code|status)|(silently|unexpectedly|suddenly|immediately) (exits?|quits?|terminates?|aborts?|ends)|(exits?|quits?|terminates?|aborts?|kills|ends) (silently|unexpectedly|suddenly|immediately|(the|my|our|python's?) (whole |entire |python |running )?(process|program|interpreter|jvm|application|run|server)))"
);
/// What pytest says of an argument of a test that nothing provides, and of a test that it has no plugin for.
static NO_FIXTURE: Pattern =
    pattern!(r"(?m)fixture '[^']*' not found|async def functions are not natively supported");

/// Is true if a test fails in a way that may show the bug of an issue. What its set-up asserts is no failure of its own but an error.
pub(super) fn shows(
    outcome: &TestOutcome,
    issue: &str,
    language: Option<Language>,
    is_of_file: bool,
) -> bool {
    let message = outcome.message.as_deref().unwrap_or_default().trim();
    if outcome.ending == Ending::Overdue {
        return outcome.status.is_failing() && HANGING.is_match(issue);
    }
    if outcome.ending == Ending::CutOff {
        // What does not end within a call of C is ended with its run.
        return CRASHING.is_match(issue) || HANGING.is_match(issue);
    }
    // A function or module that is asked for cannot be imported yet.
    let name = NOT_IMPORTED.captures(message).and_then(|found| found.get(1).or(found.get(2)));
    let asked_for = name.is_some_and(|name| issue.contains(name.as_str()));
    let is_told =
        |name: &String| !is_beside(outcome, name, language, is_of_file) || issue.contains(name.as_str());
    let lacks_fixture = [outcome.message.as_deref(), outcome.trace.as_deref()]
        .into_iter()
        .flatten()
        .any(|text| NO_FIXTURE.is_match(text));
    outcome.status.is_failing()
        && !lacks_fixture
        && !outcome.is_unexpected_success()
        && (asked_for || exception(message).as_ref().is_none_or(is_told))
}

/// Is true if an exception has nothing to do with what is tested: the test does not get that far, or raises itself what ends it.
fn is_beside(outcome: &TestOutcome, exception: &str, language: Option<Language>, is_of_file: bool) -> bool {
    let is_one_of = |names: fn(&TestRules) -> &[&'static str]| {
        language.is_some_and(|language| names(&language.entry().tests).contains(&exception))
    };
    let is_of_setup = outcome.status == TestStatus::Error && exception == "AssertionError";
    let is_early = is_one_of(|rules| &rules.early_errors) && !is_of_production(outcome);
    let is_own_end = is_one_of(|rules| &rules.endings) && !is_raised_below(outcome);
    is_early || is_own_end || is_of_setup || is_of_file
}

/// Why a failure may have another reason than the issue tells, in a sentence: an exception that the `issue` does not speak of, if it is
/// none of an assertion, or a run that did not come to its end.
pub(super) fn doubt(outcome: &TestOutcome, issue: &str) -> Option<String> {
    if outcome.ending == Ending::Overdue {
        return Some("it did not end, which shows the bug only if the code under test does not".to_owned());
    }
    if outcome.ending == Ending::CutOff {
        return Some(
            "the run ended in it, which shows the bug only if the code under test ends it".to_owned(),
        );
    }
    let name = exception(outcome.message.as_deref()?.trim())?;
    let is_of_test = name.starts_with("Assertion") || name == "Failed" || name.ends_with("ComparisonFailure");
    (!is_of_test && !issue.contains(&name))
        .then(|| format!("it fails with {name}, of which the issue says nothing"))
}

fn exception(message: &str) -> Option<String> {
    Some(EXCEPTION.captures(message)?[1].to_owned())
}

/// Is true if the code under test has failed with an exception, and not for want of a module.
fn is_of_production(outcome: &TestOutcome) -> bool {
    let message = outcome.message.as_deref().unwrap_or_default();
    let nearest = frames_of(outcome).next();
    nearest.is_some_and(|path| !is_outside(&path) && !is_of_tests(outcome, &path))
        && !NO_MODULE.is_match(message)
}

/// Is true if the code under test, or what it calls, has raised what ends a test.
fn is_raised_below(outcome: &TestOutcome) -> bool {
    frames_of(outcome).take_while(|path| !is_of_tests(outcome, path)).any(|path| !is_outside(&path))
}

/// The files of a failure, nearest to it first.
fn frames_of(outcome: &TestOutcome) -> impl Iterator<Item = String> {
    frames(outcome.trace.as_deref().unwrap_or_default()).into_iter().map(|(path, _)| path)
}

/// Is true if a file of a trace is none of the project. Modules of node have a scheme.
fn is_outside(path: &str) -> bool {
    path.starts_with(['/', '<']) || path.contains(':')
}

/// Is true if a file of a trace is one of tests, or a script in the place of one.
fn is_of_tests(outcome: &TestOutcome, path: &str) -> bool {
    let is_script = path.split_once('.').is_some_and(|(stem, _)| stem == SNIPPET);
    is_script || is_runnable(path) || outcome.id.as_str().starts_with(path)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_the_code_under_test_raises_shows_something_whatever_it_is_called() {
        let check = |file: &str, message: &str, trace: &str, expect: bool| {
            let outcome = TestOutcome::new(format!("{file}::test_a").as_str(), TestStatus::Failed);
            let outcome = outcome.with_message(message).with_trace(trace);
            let language = Language::of_path(Path::new(file));
            assert_eq!(shows(&outcome, "A path is not found.", language, false), expect, "{message}");
        };
        let production = "tests/test_new.py:5: in test_a\n    find('x')\nshop/paths.py:9: in find\n    raise ImportError(name)\n";
        let own = "tests/test_new.py:5: in test_a\n    find('x')\n";
        let python = |message: &str, trace: &str, expect: bool| {
            check("tests/test_new.py", message, trace, expect);
        };
        python("ImportError: x", production, true);
        python("NameError: name 'x' is not defined", production, true);
        python("NameError: name 'x' is not defined", own, false);
        python("ModuleNotFoundError: No module named 'y'", production, false);
        let own = "    at Context.a (test/new.test.js:5:3)\n    at node:internal/process:7:1\n";
        let production = format!("    at find (shop/paths.js:9:3)\n{own}");
        let inside = format!("    at node:internal/modules/loader:9:3\n{production}");
        let javascript = |message: &str, trace: &str, expect: bool| {
            check("test/new.test.js", message, trace, expect);
        };
        javascript("ReferenceError: x is not defined", &production, true);
        javascript("ReferenceError: x is not defined", own, false);
        javascript("MODULE_NOT_FOUND: Cannot find module 'y'", &production, false);
        javascript("ERR_REQUIRE_ESM: require() of y", &inside, false);
    }

    #[test]
    fn what_ends_a_program_shows_something_where_the_code_under_test_raises_it() {
        let own = "tests/test_new.py:5: in test_a\n    sys.exit(3)\n";
        let production = format!(
            "{own}shop/main.py:9: in main\n    parser.error('x')\n/usr/lib/python3/argparse.py:9: in exit\n"
        );
        for (message, trace, expect) in [
            ("SystemExit: 3", own, false),
            ("SystemExit: 3", production.as_str(), true),
            ("KeyboardInterrupt", own, false),
        ] {
            let outcome = TestOutcome::new("tests/test_new.py::test_a", TestStatus::Failed);
            let outcome = outcome.with_message(message).with_trace(trace);
            assert_eq!(
                shows(&outcome, "The total is wrong.", Language::by_name("python"), false),
                expect,
                "{message}"
            );
        }
        for message in ["[XPASS(strict)] it is wrong", "Failed: Unexpected success"] {
            let marked =
                TestOutcome::new("tests/test_new.py::test_a", TestStatus::Failed).with_message(message);
            assert!(!shows(&marked, "The total is wrong.", Language::by_name("python"), false), "{message}");
        }
        let outcome = TestOutcome::new("a.BTest::c", TestStatus::Error).with_message("java.lang.ThreadDeath");
        assert!(!shows(&outcome, "The total is wrong.", Language::by_name("java"), false));
    }

    #[test]
    fn a_word_by_the_way_makes_no_issue_one_about_a_crash_or_a_hang() {
        let cut_off = TestOutcome::cut_off("tests/test_new.py::test_a");
        let overdue =
            TestOutcome::new("tests/test_new.py::test_a", TestStatus::Error).with_ending(Ending::Overdue);
        let check =
            |outcome: &TestOutcome, issue: &str| shows(outcome, issue, Language::by_name("python"), false);
        for issue in [
            "Before the exit of the loop `total` is wrong.",
            "`kill` and `abort` do not quit.",
            "The signal is wrong.",
        ] {
            assert!(!check(&cut_off, issue), "{issue}");
        }
        for issue in [
            "`read` crashes.",
            "It silently exits.",
            "`load` kills the whole process",
            "Segmentation fault in f",
        ] {
            assert!(check(&cut_off, issue), "{issue}");
        }
        for issue in ["The option `timeout` is ignored.", "A hangar is missing."] {
            assert!(!check(&overdue, issue), "{issue}");
        }
        for issue in ["`read` hangs.", "It times out.", "It is stuck."] {
            assert!(check(&overdue, issue), "{issue}");
        }
        assert!(doubt(&cut_off, "It crashes.").is_some() && doubt(&overdue, "It hangs.").is_some());
    }
}
