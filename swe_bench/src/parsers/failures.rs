//! Parsers that only find failures: their cases count what is not named as passed.

use super::Context;
use crate::pattern::Pattern;
use crate::status::{LoggedStatus, StatusMap};
use crate::text::{indent, lines, strip, without_escapes, words};

/// The names that a log tells in the first groups of some patterns, as `name` writes them: those of failed tests.
fn failed(log: &str, patterns: &[Pattern], name: impl Fn(&str) -> String) -> StatusMap {
    let tests = patterns.iter().flat_map(|pattern| pattern.all(log));
    tests.map(|test| (name(test), LoggedStatus::Failed)).collect()
}

/// The text on one line, with one blank between words.
fn on_one_line(text: &str) -> String {
    words(text).collect::<Vec<_>>().join(" ")
}

/// Chart.js: Karma's `Chrome 1.2 (Linux) name FAILED`.
pub(super) fn chart_js(log: &str, _: &Context<'_>) -> StatusMap {
    // White space, but no new line, so that a match does not begin in one line and end in another.
    static LINE: [Pattern; 1] = [Pattern::new(r"(?m)Chrome\s[\d.]+[^\S\r\n]\(.+?\)[^\S\r\n](.*)FAILED$")];
    failed(&without_escapes(log), &LINE, str::to_owned)
}

/// marked: Jasmine's `1) name`.
pub(super) fn marked(log: &str, _: &Context<'_>) -> StatusMap {
    static LINE: Pattern = Pattern::new(r"^\d+\)\s(.*)");
    let tests = lines(log).filter_map(|line| LINE.groups(line));
    tests.map(|[test]| (strip(test).to_owned(), LoggedStatus::Failed)).collect()
}

/// ESLint: Mocha's `  1) suite`, name and error on lines of their own.
pub(super) fn eslint(log: &str, _: &Context<'_>) -> StatusMap {
    static FAILURE: [Pattern; 1] = [Pattern::new(r"\s{2}\d+\)((?s:.*?))\s+.*Error")];
    failed(log, &FAILURE, on_one_line)
}

/// bpmn-js: Karma in several browsers.
pub(super) fn bpmn_js(log: &str, _: &Context<'_>) -> StatusMap {
    static LINES: [Pattern; 4] = [
        Pattern::new(r"2KPhantomJS\s[\d.]+\s\(Linux\s[\d.]+\)\s(.*)FAILED\n"),
        Pattern::new(r"2KPhantomJS\s[\d.]+\s\(Linux\sx86_64\)\s(.*)FAILED\n"),
        Pattern::new(r"Chrome\sHeadless\s.*\s\(Linux\sx86_64\)\s(.*)FAILED\n"),
        Pattern::new(r"HeadlessChrome\s[\d.]+\s\(Linux\s[\d.]+\)\s(.*)FAILED\n"),
    ];
    failed(log, &LINES, str::to_owned)
}

/// OpenLayers: Karma, Mocha and a tool of its own that compares pictures.
pub(super) fn openlayers(log: &str, _: &Context<'_>) -> StatusMap {
    static LINES: [Pattern; 4] = [
        Pattern::new(r"Chrome\sHeadless\s[\d.]+\s\(Linux\s\S+\)\s(.*)\sFAILED\n"),
        Pattern::new(r"Chrome\s[\d.]+\s\(Linux\s\S+\)\s(.*)FAILED\n"),
        Pattern::new(r"(?m)^\s{2}\d+\)((?s:.*?))Error:"),
        Pattern::new(r"(?m)^case\s(.*):\smismatch"),
    ];
    failed(log, &LINES, on_one_line)
}

/// Characters after the number of a failure in which the colon that ends its name must come.
const LONGEST_NAME: usize = 1000;

/// p5.js: Mocha's `1) suite`, deeper suites below it, up to a colon; JSON and XML in between is left out.
pub(super) fn p5js(log: &str, _: &Context<'_>) -> StatusMap {
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
            statuses.insert(lines(name).map(strip).collect::<Vec<_>>().join(":"), LoggedStatus::Failed);
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
        for (opening, closing, inside) in [('{', "}", &mut in_object), ('[', "]", &mut in_list)] {
            let opens = line.ends_with(opening);
            if opens || (line == closing && *inside) {
                *inside = opens;
                return false;
            }
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
