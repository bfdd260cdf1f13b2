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
pub(super) fn maven<'log>(log: &'log str, context: &Context<'_>) -> StatusMap<'log> {
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
            statuses.set(current, status);
        } else if let Some(name) = waiting.pop_front() {
            statuses.set(name, status);
        } else {
            results.push_back(status);
        }
    }
    if context.book.interleaved_builds {
        for (name, status) in waiting.into_iter().zip(results) {
            statuses.set(name, status);
        }
    }
    statuses
}

/// `Class > method PASSED`; other output may come between the name and the status.
pub(super) fn gradle<'log>(log: &'log str, context: &Context<'_>) -> StatusMap<'log> {
    static WHOLE: Pattern = Pattern::new(r"^([^>].+)\s+(PASSED|FAILED)$");
    static NAME: Pattern = Pattern::new(r"^([^>]\S*\s+>\s+\S+)$");
    let status = |word: &str| if word == "PASSED" { LoggedStatus::Passed } else { LoggedStatus::Failed };
    let mut statuses = StatusMap::default();
    let mut waiting = None;
    for line in lines(log).map(strip) {
        if let Some([name, word]) = WHOLE.groups(line) {
            statuses.set(name, status(word));
            waiting = None;
            continue;
        }
        if !context.book.interleaved_builds {
            continue;
        }
        if let Some([name]) = NAME.groups(line) {
            waiting = Some(name);
        } else if matches!(line, "PASSED" | "FAILED")
            && let Some(name) = waiting.take()
        {
            statuses.set(name, status(line));
        }
    }
    statuses
}

/// doctest's XML (`-s -r=xml`): a test is a subcase, and passes when all expressions in it do.
pub(super) fn doctest<'log>(log: &'log str, _: &Context<'_>) -> StatusMap<'log> {
    let xml = log.find("<doctest").and_then(|start| {
        let length = log[start..].find("</doctest>")? + "</doctest>".len();
        log.get(start..start + length)
    });
    xml.and_then(subcases).unwrap_or_default()
}

/// The subcases of the report; `None` where it is no XML.
fn subcases(xml: &str) -> Option<StatusMap<'static>> {
    let mut reader = Reader::from_str(xml);
    let mut cases: Vec<String> = Vec::new();
    let mut found: Vec<(String, bool)> = Vec::new();
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
                            found.push((format!("{case} > {}", attribute(tag, "name")), true));
                            if is_open {
                                open.push(found.len() - 1);
                            }
                        }
                    }
                    "Expression" if attribute(tag, "success") != "true" => {
                        for place in &open {
                            found[*place].1 = false;
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
    let mut statuses = StatusMap::default();
    for (name, passed) in found {
        statuses.set(name, if passed { LoggedStatus::Passed } else { LoggedStatus::Failed });
    }
    Some(statuses)
}

/// The attribute; `None`, as the official program prints it, where there is none.
fn attribute(tag: &BytesStart<'_>, name: &str) -> String {
    let found = tag.try_get_attribute(name).ok().flatten();
    found
        .and_then(|attribute| {
            attribute.normalized_value(XmlVersion::Implicit1_0).ok().map(std::borrow::Cow::into_owned)
        })
        .unwrap_or_else(|| "None".to_owned())
}
