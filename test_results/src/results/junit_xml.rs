//! JUnit XML as pytest, Surefire, Ant and Gradle write it: `<testsuites>` or a bare `<testsuite>` as root, suites in
//! suites, files cut in the middle.

use std::borrow::Cow;

use patchwright_protocol::TestId;
use quick_xml::Reader;
use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::{BytesStart, Event};

use super::{ParsedResults, ReportFile, bounded};
use crate::outcome::{Outcomes, TestOutcome, TestStatus};

/// A test case whose elements are being read.
#[derive(Default)]
struct Case {
    name: String,
    class: String,
    file: Option<String>,
    /// The status, the message and the kind of exception of each element inside.
    ends: Vec<(TestStatus, String, String)>,
    trace: String,
}

pub(super) fn read(files: &[ReportFile]) -> ParsedResults {
    let mut outcomes = Outcomes::default();
    for file in files {
        read_file(&file.text, &mut outcomes);
    }
    ParsedResults { outcomes, ..ParsedResults::default() }
}

fn read_file(text: &str, outcomes: &mut Outcomes) {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.check_end_names = false;
    let mut suites: Vec<String> = Vec::new();
    let mut case: Option<Case> = None;
    // Set while the text of a failure is read: other elements inside a case hold what the program printed.
    let mut in_end = false;
    loop {
        // A file that is damaged from here on has told what it can.
        let Ok(event) = reader.read_event() else { return };
        match event {
            Event::Eof => return,
            Event::Start(start) => match start.local_name().as_ref() {
                "testsuite" => suites.push(name_in(&start, "name").unwrap_or_default()),
                "testcase" => case = Some(begin(&start)),
                name => in_end = note_end(name, &start, case.as_mut()),
            },
            Event::Empty(empty) => match empty.local_name().as_ref() {
                "testcase" => finish(&begin(&empty), suites.last(), outcomes),
                name => _ = note_end(name, &empty, case.as_mut()),
            },
            Event::End(end) => match end.local_name().as_ref() {
                "testsuite" => drop(suites.pop()),
                "testcase" => case.take().into_iter().for_each(|case| finish(&case, suites.last(), outcomes)),
                "failure" | "error" | "skipped" => in_end = false,
                _ => {}
            },
            Event::Text(text) => push(&mut case, in_end, &text),
            Event::CData(text) => push(&mut case, in_end, &text),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(character)) => push(&mut case, in_end, character.encode_utf8(&mut [0; 4])),
                Ok(None) | Err(_) => {
                    push(&mut case, in_end, resolve_predefined_entity(&reference).unwrap_or("?"));
                }
            },
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

fn push(case: &mut Option<Case>, in_end: bool, text: &str) {
    if let (Some(case), true) = (case, in_end) {
        case.trace.push_str(text);
    }
}

fn begin(start: &BytesStart<'_>) -> Case {
    Case {
        name: name_in(start, "name").unwrap_or_default(),
        class: name_in(start, "classname").unwrap_or_default(),
        file: name_in(start, "file"),
        ..Case::default()
    }
}

/// Notes how a case ended; tells whether text that follows explains it. A failure that a retry made good
/// (`flakyFailure`) or that another element repeats (`rerunFailure`) does not count.
fn note_end(name: &str, start: &BytesStart<'_>, case: Option<&mut Case>) -> bool {
    let status = match name {
        "failure" => TestStatus::Failed,
        "error" => TestStatus::Error,
        "skipped" => TestStatus::Skipped,
        _ => return false,
    };
    let Some(case) = case else { return false };
    let message = attribute(start, "message").unwrap_or_default();
    case.ends.push((status, message, attribute(start, "type").unwrap_or_default()));
    if !case.trace.is_empty() {
        case.trace.push('\n');
    }
    true
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start
        .attributes()
        .with_checks(false)
        .flatten()
        .find(|attribute| attribute.key.local_name().as_ref() == name)?;
    // A value with a broken entity stays as it is written.
    Some(unescape(&found.value).map_or_else(|_| found.value.to_string(), Cow::into_owned))
}

/// An attribute that becomes a part of a test's name. A suite's stands in the names of all its tests.
fn name_in(start: &BytesStart<'_>, name: &str) -> Option<String> {
    attribute(start, name).map(|value| bounded(TestId::new(value)).as_str().to_owned())
}

fn finish(case: &Case, suite: Option<&String>, outcomes: &mut Outcomes) {
    let id = identify(case, suite.map_or("", String::as_str));
    // The worst end counts; of equal ones the first.
    let worst = case.ends.iter().rev().max_by_key(|(status, _, _)| *status);
    let Some((status, message, kind)) = worst else {
        outcomes.add(TestOutcome::new(id, TestStatus::Passed));
        return;
    };
    let full_kind = kind;
    let kind = full_kind.rsplit(['.', '\\']).next().unwrap_or_default();
    let from_pytest = case.trace.lines().any(|line| line.starts_with("E  ")) || id.as_str().contains(".py");
    let message = match (message.is_empty(), kind.is_empty() || from_pytest || *status == TestStatus::Skipped)
    {
        (false, false) if !message.starts_with(kind) => format!("{kind}: {message}"),
        (true, false) => match told(case, full_kind) {
            Some(told) => format!("{kind}: {told}"),
            None => kind.to_owned(),
        },
        (_, _) => message.clone(),
    };
    outcomes.add(TestOutcome::new(id, *status).with_message(message).with_trace(case.trace.trim_end()));
}

/// What the text of an end says first, where it has no attribute for it: not the name of the test, nor its kind alone.
fn told<'a>(case: &'a Case, kind: &str) -> Option<&'a str> {
    let lines = case.trace.lines().map(str::trim).take_while(|line| !line.starts_with("at "));
    lines
        .map(|line| line.strip_prefix(kind).map_or(line, |rest| rest.trim_start_matches([':', ' '])))
        .find(|line| !line.is_empty() && !line.ends_with(&case.name))
}

/// The id that the tool itself would use: a node id for pytest, `Class::method` for Java, the class for what failed
/// as a whole.
fn identify(case: &Case, suite: &str) -> TestId {
    if let Some(file) = case.file.as_deref()
        && let Some(module) = file.strip_suffix(".py")
    {
        let module = module.replace('/', ".");
        let classes = case.class.strip_prefix(&module).unwrap_or_default().trim_start_matches('.');
        return node_id(file, classes, &case.name);
    }
    if suite == "pytest" {
        // Where the file is not told, a class is what begins like one.
        let name = if case.class.is_empty() { &case.name } else { &case.class };
        let parts: Vec<&str> = name.split('.').collect();
        let classes =
            parts.iter().position(|part| part.starts_with(char::is_uppercase)).unwrap_or(parts.len());
        let file = format!("{}.py", parts[..classes].join("/"));
        let name = if case.class.is_empty() { "" } else { &case.name };
        return node_id(&file, &parts[classes..].join("."), name);
    }
    // Ant files a class that failed as a whole under a class of JUnit's own.
    if case.class.is_empty() || case.class == "junit.framework.TestSuite" {
        return TestId::new(&case.name);
    }
    let method = case.name.strip_suffix("()").unwrap_or(&case.name);
    TestId::of_method(&case.class, if method == "initializationError" { "" } else { method })
}

fn node_id(file: &str, classes: &str, name: &str) -> TestId {
    let inner = classes.split('.').chain([name]).filter(|part| !part.is_empty());
    TestId::new([file].into_iter().chain(inner).collect::<Vec<_>>().join("::"))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Vec<TestOutcome> {
        read(&[ReportFile { path: "r.xml".to_owned(), text: text.to_owned() }]).outcomes.into_sorted()
    }

    fn check(text: &str, expect: &[(&str, TestStatus, Option<&str>)]) {
        let outcomes = parse(text);
        let short: Vec<_> =
            outcomes.iter().map(|test| (test.id.as_str(), test.status, test.message.as_deref())).collect();
        assert_eq!(short, expect, "{text}");
    }

    #[test]
    fn names_have_a_bound_and_stay_apart() {
        for times in [1, 10] {
            let class = "c".repeat(times * 5_000);
            let case =
                |number: usize| format!(r#"<testcase classname="{class}{}" name="t{number}"/>"#, number % 2);
            let cases = (0..100 * times).map(case).collect::<Vec<_>>().concat();
            let tests = parse(&format!("<testsuite>{cases}</testsuite>"));
            assert_eq!(tests.len(), 100 * times);
            assert!(tests.iter().all(|test| test.id.as_str().len() < 1_100));
        }
    }

    #[test]
    fn surefire() {
        check(
            include_str!("../../tests/captured/surefire/TEST-shop.BasketTest.xml"),
            &[
                ("shop.BasketTest::emptyBasketCostsNothing", TestStatus::Passed, None),
                (
                    "shop.BasketTest::firstOfEmptyBasket",
                    TestStatus::Error,
                    Some("IndexOutOfBoundsException: Index 0 out of bounds for length 0"),
                ),
                ("shop.BasketTest::later", TestStatus::Skipped, Some("not decided yet")),
                ("shop.BasketTest::negativePrice", TestStatus::Passed, None),
                (
                    "shop.BasketTest::totalAddsEveryPrice",
                    TestStatus::Failed,
                    Some("AssertionError: total of 3 and 4 expected:<7> but was:<4>"),
                ),
            ],
        );
        check(
            include_str!("../../tests/captured/surefire/TEST-shop.BrokenSetupTest.xml"),
            &[("shop.BrokenSetupTest", TestStatus::Error, Some("IllegalStateException: no database"))],
        );
        check(
            include_str!("../../tests/captured/surefire/TEST-shop.RoundingTest.xml"),
            &[
                ("shop.RoundingTest::rounds[0: 1.4 (as int) = 1]", TestStatus::Passed, None),
                ("shop.RoundingTest::rounds[1: 1.5 (as int) = 2]", TestStatus::Passed, None),
                (
                    "shop.RoundingTest::rounds[2: 2.5 (as int) = 2]",
                    TestStatus::Failed,
                    Some("AssertionError: expected:<2> but was:<3>"),
                ),
            ],
        );
    }

    #[test]
    fn ant() {
        check(
            include_str!("../../tests/captured/ant/TEST-shop.BrokenSetupTest.xml"),
            &[("shop.BrokenSetupTest", TestStatus::Error, Some("IllegalStateException: no database"))],
        );
        let outcomes = parse(include_str!("../../tests/captured/ant/TEST-shop.BasketTest.xml"));
        assert_eq!(outcomes.len(), 5);
        assert!(outcomes[1].trace.as_deref().unwrap().contains("at shop.Basket.first(Basket.java:25)"));
    }

    #[test]
    fn pytest() {
        let outcomes = parse(include_str!("../../tests/captured/pytest/xunit2.xml"));
        let ids: Vec<_> = outcomes.iter().map(|outcome| outcome.id.as_str()).collect();
        assert!(ids.contains(&"tests/test_basket.py::TestGroup::TestInner::test_deep"), "{ids:?}");
        assert!(ids.contains(&"tests/test_basket.py::test_load[a b - c]"));
        assert!(ids.contains(&"tests/test_import.py"));
        let leaky = outcomes.iter().find(|outcome| outcome.id.as_str().ends_with("::test_leaky")).unwrap();
        assert_eq!(leaky.status, TestStatus::Error);
        let known = outcomes.iter().find(|outcome| outcome.id.as_str().ends_with("::test_known")).unwrap();
        assert_eq!((known.status, known.message.as_deref()), (TestStatus::Skipped, Some("known")));
    }

    #[test]
    fn a_reason_that_only_the_text_tells() {
        let of = |kind: &str, text: &str| {
            format!(
                "<testsuite><testcase classname=\"a.B\" name=\"sum\"><failure type=\"{kind}\">{text}</failure></testcase></testsuite>"
            )
        };
        let failed = |message| ("a.B::sum", TestStatus::Failed, Some(message));
        let text = "a\\B::sum\nFailed asserting that 6 is identical to 7.\n\n/x/tests/B.php:12";
        check(
            &of("Framework\\Failure", text),
            &[failed("Failure: Failed asserting that 6 is identical to 7.")],
        );
        check(&of("java.lang.Error", "java.lang.Error\n\tat a.B.sum(B.java:1)"), &[failed("Error")]);
        check(&of("java.lang.Error", "java.lang.Error: 7\n\tat a.B.sum(B.java:1)"), &[failed("Error: 7")]);
    }

    #[test]
    fn roots_cuts_and_odd_numbers() {
        let passed = |name: &'static str| (name, TestStatus::Passed, None);
        check(
            "<testsuite><testcase classname=\"a.B\" name=\"c\" time=\"1,234.5\"/></testsuite>",
            &[passed("a.B::c")],
        );
        check(
            "<testsuites><testsuite><testsuite name=\"x\"><testcase classname=\"a.B\" name=\"c()\"/></testsuite></testsuite></testsuites>",
            &[passed("a.B::c")],
        );
        check(
            "<testsuite><testcase classname=\"a.B\" name=\"c\"/><testcase classname=\"a.B\" name=\"d\"><fail",
            &[passed("a.B::c")],
        );
        check(
            "<testsuite><testcase classname=\"a.B\" name=\"c\"><flakyFailure message=\"x\">t</flakyFailure></testcase></testsuite>",
            &[passed("a.B::c")],
        );
        check("<testsuite tests=\"0\"/>", &[]);
        check("", &[]);
        check("not xml at all", &[]);
        check(
            "<testsuite><testcase classname=\"a.B\" name=\"c\"><error message=\"a &bad; b\">x&#x1b;[0m & y</error></testcase></testsuite>",
            &[("a.B::c", TestStatus::Error, Some("a &bad; b"))],
        );
        check(
            "<testsuite><testcase file=\"tests/test_a.py\" classname=\"tests.test_a.TestB\" name=\"test_c[a.b]\"/></testsuite>",
            &[passed("tests/test_a.py::TestB::test_c[a.b]")],
        );
        check(
            "<testsuite><testcase classname=\"a.B\" name=\"initializationError\"><error type=\"java.lang.Exception\"/></testcase></testsuite>",
            &[("a.B", TestStatus::Error, Some("Exception"))],
        );
    }
}
