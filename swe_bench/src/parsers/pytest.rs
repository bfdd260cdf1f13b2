//! pytest's short summary (`-rA`), in the variants that repositories need.

use std::borrow::Cow;

use super::Context;
use crate::pattern::Pattern;
use crate::rules::Book;
use crate::status::{LoggedStatus, StatusMap};
use crate::text::{lines, words};

/// Words for statuses; the last one is not known by all rules.
const STATUSES: [&str; 5] = ["PASSED", "FAILED", "SKIPPED", "ERROR", "XFAIL"];

/// `FAILED test - message`, `PASSED test`, …: the second word is the test.
pub(super) fn pytest(log: &str, context: &Context<'_>) -> StatusMap {
    lines(log).filter_map(|line| summary(line, context.book)).collect()
}

/// The same; a parameter that is an absolute path is shortened to its last component.
pub(super) fn with_options(log: &str, context: &Context<'_>) -> StatusMap {
    let named = lines(log).filter_map(|line| summary(line, context.book));
    named.map(|(test, status)| (shortened(&test).unwrap_or(test), status)).collect()
}

/// The same; names of mouse buttons are written as numbers, because newer versions of Python print them
/// otherwise.
pub(super) fn matplotlib(log: &str, context: &Context<'_>) -> StatusMap {
    if !context.book.mouse_buttons || !log.contains("MouseButton.") {
        return pytest(log, context);
    }
    pytest(&log.replace("MouseButton.LEFT", "1").replace("MouseButton.RIGHT", "3"), context)
}

/// Colours and control characters are removed, names may have blanks, and a status may stand at the end of a line (`-vv`, and
/// old versions).
pub(super) fn colored(log: &str, context: &Context<'_>) -> StatusMap {
    static COLOR: Pattern = Pattern::new(r"\[\d+m");
    let book = context.book;
    let log =
        COLOR.removed(log).replace(|letter: char| matches!(letter, '\u{1}'..='\u{1f}' if letter != '\n'), "");
    let named = lines(&log).filter_map(|line| {
        if begins_with_status(line, book) {
            if book.whole_names { whole_name(line, book) } else { summary(line, book) }
        } else if book.trailing_status && ends_with_status(line, book) {
            trailing(line, book)
        } else {
            None
        }
    });
    named.collect()
}

/// Seaborn: failures by the beginning of a line, passes by either end, nothing else.
pub(super) fn seaborn(log: &str, _: &Context<'_>) -> StatusMap {
    let named = lines(log).filter_map(|line| {
        let mut words = words(line);
        let (first, second) = (words.next()?, words.next()?);
        if line.starts_with("FAILED") {
            Some((second.to_owned(), LoggedStatus::Failed))
        } else if line.contains(" PASSED ") {
            (second == "PASSED").then(|| (first.to_owned(), LoggedStatus::Passed))
        } else {
            line.starts_with("PASSED").then(|| (second.to_owned(), LoggedStatus::Passed))
        }
    });
    named.collect()
}

/// The test and the status of a line of the summary. There is no word boundary: `ERROR: x` counts, with a
/// status that is neither passed nor failed.
fn summary(line: &str, book: &Book) -> Option<(String, LoggedStatus)> {
    if !begins_with_status(line, book) {
        return None;
    }
    let line = if line.starts_with("FAILED") { line.replace(" - ", " ").into() } else { Cow::from(line) };
    let mut words = words(&line);
    let (status, test) = (LoggedStatus::of(words.next()?), words.next()?);
    (!is_skip_count(status, test, book)).then(|| (test.to_owned(), status))
}

/// The test with all its words and the status; the message of a failure is cut off.
fn whole_name(line: &str, book: &Book) -> Option<(String, LoggedStatus)> {
    let named = match line.split_once(" - ") {
        Some((named, _)) if line.starts_with("FAILED") => named,
        Some(_) | None => line,
    };
    let mut parts = words(named);
    let status = LoggedStatus::of(parts.next()?);
    let name: Vec<&str> = parts.collect();
    (!is_skip_count(status, name.first()?, book)).then(|| (name.join(" "), status))
}

/// The test and the status of a line that ends with one.
fn trailing(line: &str, book: &Book) -> Option<(String, LoggedStatus)> {
    let parts: Vec<&str> = words(line).collect();
    let (last, names) = parts.split_last()?;
    let first = names.first()?;
    if book.whole_names {
        return Some((names.join(" "), LoggedStatus::of(last)));
    }
    Some(((*first).to_owned(), LoggedStatus::of(parts[1])))
}

fn statuses(book: &Book) -> &'static [&'static str] {
    if book.xfail { &STATUSES } else { &STATUSES[..4] }
}

fn begins_with_status(line: &str, book: &Book) -> bool {
    statuses(book).iter().any(|status| line.starts_with(status))
}

fn ends_with_status(line: &str, book: &Book) -> bool {
    statuses(book).iter().any(|status| line.ends_with(status))
}

/// `SKIPPED [3] file:line: reason` counts skips and names no test.
fn is_skip_count(status: LoggedStatus, test: &str, book: &Book) -> bool {
    // A decimal digit of any script counts.
    static COUNT: Pattern = Pattern::new(r"^\[\d+\]$");
    book.drops_skip_counts && status == LoggedStatus::Skipped && COUNT.finds(test)
}

/// `test[/a/b/c]` is `test[/c]`. What stands after the last bracket is lost, as in the official program.
fn shortened(test: &str) -> Option<String> {
    let open = test.find('[')?;
    let close = test.rfind(']').filter(|close| *close > open)?;
    let (main, option) = (&test[..open], &test[open + 1..close]);
    let path = option.starts_with('/') && !option.starts_with("//") && !option.contains('*');
    let last = option.rsplit('/').next().unwrap_or(option);
    Some(if path { format!("{main}[/{last}]") } else { format!("{main}[{option}]") })
}
