//! Tools of which a build has to be read as a whole: Maven, Gradle, doctest.

use std::collections::VecDeque;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::Context;
use crate::pattern::Pattern;
use crate::status::{LoggedStatus, StatusMap};
use crate::text::{lines, strip};

/// Maven says nothing of tests that pass, so each test is a command of its own (`-Dtest=name`, traced by the
/// shell), and `BUILD SUCCESS` or `BUILD FAILURE` is its result.
pub(super) fn maven(log: &str, context: &Context<'_>) -> StatusMap {
    static TEST: Pattern = Pattern::new(r"^.*-Dtest=(\S+).*$");
    static RESULT: Pattern = Pattern::new(r"^.*BUILD (SUCCESS|FAILURE)$");
    let mut statuses = StatusMap::default();
    let mut waiting = VecDeque::new();
    let mut results = VecDeque::new();
    let mut current = "---NO TEST NAME FOUND YET---";
    for line in lines(log).map(strip) {
        if let Some([name]) = TEST.groups(line) {
            current = name;
            waiting.push_back(name);
        }
        let status = match RESULT.groups(line) {
            Some(["SUCCESS"]) => LoggedStatus::Passed,
            Some([_]) => LoggedStatus::Failed,
            None => continue,
        };
        if !context.book.interleaved_builds {
            statuses.insert(current.to_owned(), status);
        } else if let Some(name) = waiting.pop_front() {
            statuses.insert(name.to_owned(), status);
        } else {
            results.push_back(status);
        }
    }
    if context.book.interleaved_builds {
        statuses.extend(waiting.into_iter().map(str::to_owned).zip(results));
    }
    statuses
}

/// `Class > method PASSED`; other output may come between the name and the status.
pub(super) fn gradle(log: &str, context: &Context<'_>) -> StatusMap {
    static WHOLE: Pattern = Pattern::new(r"^([^>].+)\s+(PASSED|FAILED)$");
    static NAME: Pattern = Pattern::new(r"^([^>]\S*\s+>\s+\S+)$");
    let status = |word: &str| if word == "PASSED" { LoggedStatus::Passed } else { LoggedStatus::Failed };
    let mut statuses = StatusMap::default();
    let mut waiting = None;
    for line in lines(log).map(strip) {
        if let Some([name, word]) = WHOLE.groups(line) {
            statuses.insert(name.to_owned(), status(word));
            waiting = None;
        } else if !context.book.interleaved_builds {
        } else if let Some([name]) = NAME.groups(line) {
            waiting = Some(name);
        } else if matches!(line, "PASSED" | "FAILED")
            && let Some(name) = waiting.take()
        {
            statuses.insert(name.to_owned(), status(line));
        }
    }
    statuses
}

/// doctest's XML (`-s -r=xml`): a test is a subcase, and passes when all expressions in it do.
pub(super) fn doctest(log: &str, _: &Context<'_>) -> StatusMap {
    let xml = log.find("<doctest").and_then(|start| {
        let length = log[start..].find("</doctest>")? + "</doctest>".len();
        log.get(start..start + length)
    });
    xml.and_then(subcases).unwrap_or_default()
}

/// The subcases of the report; `None` where it is no XML.
fn subcases(xml: &str) -> Option<StatusMap> {
    let mut reader = Reader::from_str(xml);
    let mut cases: Vec<String> = Vec::new();
    let mut found: Vec<(String, LoggedStatus)> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    loop {
        let event = reader.read_event().ok()?;
        match &event {
            Event::Start(tag) | Event::Empty(tag) => {
                let is_open = matches!(event, Event::Start(_));
                match tag.name().as_ref() {
                    "TestCase" if is_open => cases.push(attribute(tag, "name")),
                    "SubCase" => {
                        if let Some(case) = cases.last() {
                            found
                                .push((format!("{case} > {}", attribute(tag, "name")), LoggedStatus::Passed));
                            if is_open {
                                open.push(found.len() - 1);
                            }
                        }
                    }
                    "Expression" if attribute(tag, "success") != "true" => {
                        for place in &open {
                            found[*place].1 = LoggedStatus::Failed;
                        }
                    }
                    _ => {}
                }
            }
            Event::End(tag) if tag.name().as_ref() == "TestCase" => {
                cases.pop();
            }
            Event::End(tag) if tag.name().as_ref() == "SubCase" => {
                open.pop();
            }
            Event::Eof => break,
            _ => {}
        }
    }
    Some(found.into_iter().collect())
}

/// The attribute; `None`, as the official program prints it, where there is none.
fn attribute(tag: &BytesStart<'_>, name: &str) -> String {
    let found = tag.try_get_attribute(name).ok().flatten();
    let value = found.as_ref().and_then(|found| found.normalized_value(XmlVersion::Implicit1_0).ok());
    value.map_or_else(|| "None".to_owned(), std::borrow::Cow::into_owned)
}
