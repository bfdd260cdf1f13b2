//! pytest's short summary (`-rA`), in the variants that repositories need.

use std::borrow::Cow;

use super::Context;
use crate::pattern::Pattern;
use crate::rules::Book;
use crate::status::{LoggedStatus, StatusMap};
use crate::text::{lines, words};

/// `FAILED test - message`, `PASSED test`, …: the second word is the test.
pub(super) fn pytest<'log>(log: &'log str, context: &Context<'_>) -> StatusMap<'log> {
    let mut statuses = StatusMap::default();
    for line in lines(log) {
        if let Some((test, status)) = summary(Cow::Borrowed(line), context.book) {
            statuses.set(test, status);
        }
    }
    statuses
}

/// The same; a parameter that is an absolute path is shortened to its last component.
pub(super) fn with_options<'log>(log: &'log str, context: &Context<'_>) -> StatusMap<'log> {
    let mut statuses = StatusMap::default();
    for line in lines(log) {
        if let Some((test, status)) = summary(Cow::Borrowed(line), context.book) {
            match shortened(&test) {
                Some(short) => statuses.set(short, status),
                None => statuses.set(test, status),
            }
        }
    }
    statuses
}

/// The same; names of mouse buttons are written as numbers, because newer versions of Python print them
/// otherwise.
pub(super) fn matplotlib<'log>(log: &'log str, context: &Context<'_>) -> StatusMap<'log> {
    if !context.book.mouse_buttons || !log.contains("MouseButton.") {
        return pytest(log, context);
    }
    let mut statuses = StatusMap::default();
    for line in lines(log) {
        let line = replaced(replaced(Cow::Borrowed(line), "MouseButton.LEFT", "1"), "MouseButton.RIGHT", "3");
        if let Some((test, status)) = summary(line, context.book) {
            statuses.set(test, status);
        }
    }
    statuses
}

/// Colours are removed, names may have blanks, and a status may stand at the end of a line (`-vv`, and old
/// versions).
pub(super) fn colored<'log>(log: &'log str, context: &Context<'_>) -> StatusMap<'log> {
    static COLOR: Pattern = Pattern::new(r"\[\d+m");
    let book = context.book;
    let mut statuses = StatusMap::default();
    for line in lines(log) {
        let colored = memchr::memchr(b'[', line.as_bytes()).is_some();
        let line = if colored { COLOR.removed(line) } else { Cow::Borrowed(line) };
        let line = without_controls(line);
        if begins_with_status(&line, book) {
            let named = if book.whole_names { whole_name(&line, book) } else { summary(line, book) };
            if let Some((test, status)) = named {
                statuses.set(test, status);
            }
        } else if book.trailing_status
            && ends_with_status(&line, book)
            && let Some((test, status)) = trailing(&line, book)
        {
            statuses.set(test, status);
        }
    }
    statuses
}

/// Seaborn: failures by the beginning of a line, passes by either end, nothing else.
pub(super) fn seaborn<'log>(log: &'log str, _: &Context<'_>) -> StatusMap<'log> {
    let mut statuses = StatusMap::default();
    for line in lines(log) {
        let mut words = words(line);
        let (first, second) = (words.next(), words.next());
        if line.starts_with("FAILED") {
            if let Some(test) = second {
                statuses.set(test, LoggedStatus::Failed);
            }
        } else if line.contains(" PASSED ") {
            if let (Some(test), Some("PASSED")) = (first, second) {
                statuses.set(test, LoggedStatus::Passed);
            }
        } else if line.starts_with("PASSED")
            && let Some(test) = second
        {
            statuses.set(test, LoggedStatus::Passed);
        }
    }
    statuses
}

/// The test and the status of a line of the summary. There is no word boundary: `ERROR: x` counts, with a
/// status that is neither passed nor failed.
fn summary<'log>(line: Cow<'log, str>, book: &Book) -> Option<(Cow<'log, str>, LoggedStatus)> {
    if !begins_with_status(&line, book) {
        return None;
    }
    let line = if line.starts_with("FAILED") { replaced(line, " - ", " ") } else { line };
    let (test, status) = match line {
        Cow::Borrowed(line) => {
            let mut words = words(line);
            let status = LoggedStatus::of(words.next()?);
            (Cow::Borrowed(words.next()?), status)
        }
        Cow::Owned(line) => {
            let mut words = words(&line);
            let status = LoggedStatus::of(words.next()?);
            (Cow::Owned(words.next()?.to_owned()), status)
        }
    };
    (!is_skip_count(status, &test, book)).then_some((test, status))
}

/// The test with all its words and the status; the message of a failure is cut off.
fn whole_name<'log>(line: &Cow<'log, str>, book: &Book) -> Option<(Cow<'log, str>, LoggedStatus)> {
    let named = match line {
        Cow::Borrowed(line) => *line,
        Cow::Owned(line) => line.as_str(),
    };
    let named = match named.find(" - ") {
        Some(at) if named.starts_with("FAILED") => &named[..at],
        Some(_) | None => named,
    };
    let mut parts = words(named);
    let status = LoggedStatus::of(parts.next()?);
    let first = parts.next()?;
    if is_skip_count(status, first, book) {
        return None;
    }
    if parts.next().is_none() {
        return match line {
            Cow::Borrowed(line) => words(line).nth(1).map(|test| (Cow::Borrowed(test), status)),
            Cow::Owned(_) => Some((Cow::Owned(first.to_owned()), status)),
        };
    }
    Some((Cow::Owned(joined(words(named).skip(1))), status))
}

/// The test and the status of a line that ends with one.
fn trailing(line: &str, book: &Book) -> Option<(String, LoggedStatus)> {
    let parts: Vec<&str> = words(line).collect();
    let (last, names) = parts.split_last()?;
    let first = names.first()?;
    if book.whole_names {
        return Some((joined(names.iter().copied()), LoggedStatus::of(last)));
    }
    Some(((*first).to_owned(), LoggedStatus::of(parts[1])))
}

/// The words with one blank between them.
fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut joined = String::new();
    for word in words {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(word);
    }
    joined
}

fn begins_with_status(line: &str, book: &Book) -> bool {
    match line.as_bytes().first() {
        Some(b'P') => line.starts_with("PASSED"),
        Some(b'F') => line.starts_with("FAILED"),
        Some(b'S') => line.starts_with("SKIPPED"),
        Some(b'E') => line.starts_with("ERROR"),
        Some(b'X') => book.xfail && line.starts_with("XFAIL"),
        Some(_) | None => false,
    }
}

fn ends_with_status(line: &str, book: &Book) -> bool {
    ["FAILED", "PASSED", "SKIPPED", "ERROR"].iter().any(|status| line.ends_with(status))
        || (book.xfail && line.ends_with("XFAIL"))
}

/// `SKIPPED [3] file:line: reason` counts skips and names no test.
fn is_skip_count(status: LoggedStatus, test: &str, book: &Book) -> bool {
    book.drops_skip_counts
        && status == LoggedStatus::Skipped
        && test
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .is_some_and(|count| !count.is_empty() && count.chars().all(is_digit))
}

/// A decimal digit of any script, as `\d` means it.
fn is_digit(character: char) -> bool {
    static DIGIT: Pattern = Pattern::new(r"\d");
    character.is_ascii_digit() || (!character.is_ascii() && DIGIT.finds(character.encode_utf8(&mut [0; 4])))
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

/// The line without the control characters U+0001 to U+001F.
fn without_controls(line: Cow<'_, str>) -> Cow<'_, str> {
    let is_control = |byte: u8| (1..32).contains(&byte);
    if !line.bytes().any(is_control) {
        return line;
    }
    Cow::Owned(line.chars().filter(|character| !matches!(character, '\u{1}'..='\u{1f}')).collect())
}

fn replaced<'log>(line: Cow<'log, str>, from: &str, to: &str) -> Cow<'log, str> {
    if line.contains(from) { Cow::Owned(line.replace(from, to)) } else { line }
}
