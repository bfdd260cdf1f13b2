//! Parsers that only find failures: their cases count what is not named as passed.

use super::Context;
use crate::pattern::Pattern;
use crate::status::{LoggedStatus, StatusMap};
use crate::text::{indent, lines, strip, without_escapes, words};

/// Writes down the group of each match as failed, as `name` makes it.
fn failed(
    log: &str,
    pattern: &Pattern,
    group: usize,
    name: impl Fn(&str) -> String,
    statuses: &mut StatusMap<'_>,
) {
    for found in pattern.all(log) {
        if let Some(test) = found.get(group) {
            statuses.set(name(test.as_str()), LoggedStatus::Failed);
        }
    }
}

/// The text on one line, with one blank between words.
fn on_one_line(text: &str) -> String {
    words(text).collect::<Vec<_>>().join(" ")
}

/// Chart.js: Karma's `Chrome 1.2 (Linux) name FAILED`.
pub(super) fn chart_js<'log>(log: &'log str, _: &Context<'_>) -> StatusMap<'log> {
    // White space, but no new line, so that a match does not begin in one line and end in another.
    static LINE: Pattern = Pattern::new(r"(?m)Chrome\s[\d.]+[^\S\r\n]\(.+?\)[^\S\r\n](.*)FAILED$");
    let mut statuses = StatusMap::default();
    failed(&without_escapes(log), &LINE, 1, str::to_owned, &mut statuses);
    statuses
}

/// marked: Jasmine's `1) name`.
pub(super) fn marked<'log>(log: &'log str, _: &Context<'_>) -> StatusMap<'log> {
    static LINE: Pattern = Pattern::new(r"^\d+\)\s(.*)");
    let mut statuses = StatusMap::default();
    for line in lines(log) {
        if let Some([test]) = LINE.groups(line) {
            statuses.set(strip(test), LoggedStatus::Failed);
        }
    }
    statuses
}

/// ESLint: Mocha's `  1) suite`, name and error on lines of their own.
pub(super) fn eslint<'log>(log: &'log str, _: &Context<'_>) -> StatusMap<'log> {
    static FAILURE: Pattern = Pattern::new(r"\s{2}\d+\)((?s:.*?))\s+.*Error");
    let mut statuses = StatusMap::default();
    failed(log, &FAILURE, 1, on_one_line, &mut statuses);
    statuses
}

/// bpmn-js: Karma in several browsers.
pub(super) fn bpmn_js<'log>(log: &'log str, _: &Context<'_>) -> StatusMap<'log> {
    static LINES: [(Pattern, usize); 4] = [
        (Pattern::new(r"2KPhantomJS\s[\d.]+\s\(Linux\s[\d.]+\)\s(.*)FAILED\n"), 1),
        (Pattern::new(r"2KPhantomJS\s[\d.]+\s\(Linux\sx86_64\)\s(.*)FAILED\n"), 1),
        (Pattern::new(r"Chrome\sHeadless\s(.*)\s\(Linux\sx86_64\)\s(.*)FAILED\n"), 2),
        (Pattern::new(r"HeadlessChrome\s[\d.]+\s\(Linux\s[\d.]+\)\s(.*)FAILED\n"), 1),
    ];
    let mut statuses = StatusMap::default();
    for (pattern, group) in &LINES {
        failed(log, pattern, *group, str::to_owned, &mut statuses);
    }
    statuses
}

/// OpenLayers: Karma, Mocha and a tool of its own that compares pictures.
pub(super) fn openlayers<'log>(log: &'log str, _: &Context<'_>) -> StatusMap<'log> {
    static LINES: [Pattern; 4] = [
        Pattern::new(r"Chrome\sHeadless\s[\d.]+\s\(Linux\s\S+\)\s(.*)\sFAILED\n"),
        Pattern::new(r"Chrome\s[\d.]+\s\(Linux\s\S+\)\s(.*)FAILED\n"),
        Pattern::new(r"(?m)^\s{2}\d+\)((?s:.*?))Error:"),
        Pattern::new(r"(?m)^case\s(.*):\smismatch"),
    ];
    let mut statuses = StatusMap::default();
    for pattern in &LINES {
        failed(log, pattern, 1, on_one_line, &mut statuses);
    }
    statuses
}

/// Characters after the number of a failure in which the colon that ends its name must come.
const LONGEST_NAME: usize = 1000;

/// p5.js: Mocha's `1) suite`, deeper suites below it, up to a colon; JSON and XML in between is left out.
pub(super) fn p5js<'log>(log: &'log str, _: &Context<'_>) -> StatusMap<'log> {
    static NUMBER: Pattern = Pattern::new(r"(?m)^\s*\d+\)");
    let log = without_markup(without_json(&without_escapes(log)));
    let mut statuses = StatusMap::default();
    let mut from = 0;
    while let Some(number) = NUMBER.find_from(&log, from) {
        let name = &log[number.end..];
        let Some((length, _)) =
            name.char_indices().take(LONGEST_NAME + 1).find(|(_, character)| *character == ':')
        else {
            from = number.end;
            continue;
        };
        let name = &name[..length];
        from = number.end + length + 1;
        let mut outer = 0;
        let deepens = lines(name).all(|line| indent(line) > std::mem::replace(&mut outer, indent(line)));
        if deepens {
            statuses.set(lines(name).map(strip).collect::<Vec<_>>().join(":"), LoggedStatus::Failed);
        }
    }
    statuses
}

/// The log without what looks like JSON: from a line that ends with a bracket to one that is the closing
/// bracket.
fn without_json(log: &str) -> String {
    let (mut in_object, mut in_list) = (false, false);
    let kept = lines(log).filter(|line| {
        let line = line.trim_end_matches(crate::text::is_space);
        if line.ends_with('{') {
            in_object = true;
            return false;
        }
        if line.ends_with('[') {
            in_list = true;
            return false;
        }
        if line == "}" && in_object {
            in_object = false;
            return false;
        }
        if line == "]" && in_list {
            in_list = false;
            return false;
        }
        let whole =
            (line.starts_with('{') && line.ends_with('}')) || (line.starts_with('[') && line.ends_with(']'));
        !(in_object || in_list || whole)
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// The log without elements of XML. Tags that are opened in an element of the same name are left over, as in
/// the official program.
fn without_markup(mut log: String) -> String {
    static TAG: Pattern = Pattern::new(r"<\w+>");
    let mut from = 0;
    while let Some(tag) = TAG.find_from(&log, from) {
        let opening = log[tag.clone()].to_owned();
        let closing = opening.replacen('<', "</", 1);
        let Some(length) = log[tag.end..].find(&closing) else {
            from = tag.end;
            continue;
        };
        let end = tag.end + length + closing.len();
        let nested = log[tag.start..end].matches(&opening).count() - 1;
        log.replace_range(tag.start..end, &opening.repeat(nested));
        from = 0;
    }
    log
}
