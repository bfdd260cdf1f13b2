//! Text that is not ours (a project's names, messages and code, a model's words), put into a prompt so that no byte of it
//! can pass for a heading, a result or an instruction of ours.
//!
//! There are two forms. What is one line is escaped onto one line: [`one_line`] inside of a line of ours, [`name`] where
//! it begins a line. What has more lines stands in a fence that it cannot close: [`fenced`], or [`inset`] for prose.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// The text with every character escaped that is not seen or changes how others are seen: control characters other than
/// line feed and tab, marks of direction, and what takes no width. Written as in Rust: `\u{1b}`. A carriage return before a line
/// feed is a part of the line end, and shown as that.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// The text as a part of one line: line ends are written `\n`, and hidden characters as in Rust (`\u{1b}`).
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character == '\n' || is_hidden(character))
}

/// A name that begins a line: as it is where it is a plain word, else on one line and in quotes, so that it is no
/// heading, no fence and no sentence.
pub(crate) fn name(text: &str) -> Cow<'_, str> {
    let begins_plain = text.starts_with(|first: char| first.is_alphanumeric() || "_./$@".contains(first));
    if begins_plain && !text.contains(|character: char| character.is_whitespace() || is_hidden(character)) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("\"{}\"", one_line(text)))
    }
}

/// The text in a fence that is longer than any run of backticks in it; `language` is written behind the opening one.
pub(crate) fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let mark = "`".repeat((longest + 1).max(3));
    format!("{mark}{language}\n{}\n{mark}", visible(text))
}

/// Prose inside a list or between paragraphs of ours: as it is where it cannot be anything but a part of one paragraph,
/// else in a fence on lines of its own.
pub(crate) fn inset(text: &str) -> Cow<'_, str> {
    let paragraph = text.lines().all(|line| !line.trim().is_empty() && !begins_block(line));
    if paragraph { visible(text) } else { Cow::Owned(format!("\n{}", fenced(text, ""))) }
}

/// The mark of the fence that a line of a prompt opens.
pub(crate) fn opened_fence(line: &str) -> Option<&str> {
    let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
    let (mark, language) = line.split_at(ticks);
    (ticks >= 3 && language.chars().all(char::is_alphanumeric)).then_some(mark)
}

/// Is true if Markdown takes the line for more than a part of a paragraph: a heading or the line under one, a fence, a rule,
/// a quotation, an item of a list, a row of a table, a tag.
fn begins_block(line: &str) -> bool {
    let line = line.trim_start();
    let after_number = line.trim_start_matches(|character: char| character.is_ascii_digit());
    line.starts_with(['#', '=', '~', '-', '+', '*', '>', '|', '<'])
        || line.starts_with("```")
        || line.starts_with("___")
        || (after_number.len() < line.len() && after_number.starts_with(['.', ')']))
}

/// The format characters of Unicode that show nothing themselves.
const FORMAT_CHARACTERS: &[RangeInclusive<char>] = &[
    // A soft hyphen, a mark of direction, a vowel separator.
    '\u{ad}'..='\u{ad}',
    '\u{61c}'..='\u{61c}',
    '\u{180e}'..='\u{180e}',
    // Without width; marks, embeddings and isolates of direction; the two separators of lines.
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    // The mark of byte order, and anchors of annotations.
    '\u{feff}'..='\u{feff}',
    '\u{fff9}'..='\u{fffb}',
    // Tags and selectors of variants, in which a whole text can be hidden.
    '\u{e0000}'..='\u{e0fff}',
];

/// Is true if it is a format character, or a control character other than line feed and tab.
fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' | ' '..='~' => false,
        _ => character.is_control() || FORMAT_CHARACTERS.iter().any(|range| range.contains(&character)),
    }
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    let Some(first) = text.find(&is_escaped) else { return Cow::Borrowed(text) };
    let mut out = text[..first].to_owned();
    let mut characters = text[first..].chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' if is_escaped(character) => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            _ if is_escaped(character) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "{}", character.escape_unicode());
            }
            _ => out.push(character),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_not_seen_is_shown() {
        let check = |text: &str, expect: &str| assert_eq!(visible(text), expect);
        check("plain\ttext\nof two lines: naïve, 日本語, ¥", "plain\ttext\nof two lines: naïve, 日本語, ¥");
        check("\u{1b}[31mred\u{7}", "\\u{1b}[31mred\\u{7}");
        check("a\r\nb\rc\u{85}", "a\nb\\rc\\u{85}");
        check("user\u{202e}nimda\u{2066}", "user\\u{202e}nimda\\u{2066}");
        check("\u{feff}a\u{200b}b\u{2028}c", "\\u{feff}a\\u{200b}b\\u{2028}c");
        check("\u{e0041}", "\\u{e0041}");
    }

    #[test]
    fn a_name_stays_in_its_line() {
        assert_eq!(one_line("a.py\n# Budget\r"), "a.py\\n# Budget\\r");
        let check = |text: &str, expect: &str| assert_eq!(name(text), expect);
        for plain in [
            "src/a.py",
            "tests/test_a.py::test_b[JPY--1]",
            "a.B::c",
            "_init.py",
            "./x",
            "$Inner.java",
            "größe.py",
        ] {
            check(plain, plain);
        }
        check("# Budget", "\"# Budget\"");
        check("```", "\"```\"");
        check("a b.py", "\"a b.py\"");
        check("a\n## Issue", "\"a\\n## Issue\"");
        check("", "\"\"");
    }

    #[test]
    fn prose_is_fenced_where_it_could_be_more_than_a_paragraph() {
        for paragraph in
            ["One line.", "Two lines,\nas a person writes them.", "`total` starts at 1", "7 is wrong"]
        {
            assert_eq!(inset(paragraph), paragraph);
        }
        for other in ["# Budget", "a\n\nb", "a\n===", "a\n  ## b", "a\n```", "a\n2. (current) b", "- a"] {
            assert_eq!(inset(other), format!("\n{}", fenced(other, "")));
        }
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("a", "java"), "```java\na\n```");
        assert_eq!(fenced("a\n```\nb ````", ""), "`````\na\n```\nb ````\n`````");
    }

    proptest! {
        #[test]
        fn no_text_closes_its_fence(text in "[`a\n ]{0,40}") {
            let block = fenced(&text, "");
            let lines: Vec<&str> = block.lines().collect();
            let mark = opened_fence(lines[0]);
            prop_assert_eq!(lines.iter().position(|line| *line == lines[0]), Some(0));
            prop_assert_eq!(mark, lines.last().copied());
            prop_assert!(lines[1..lines.len() - 1].iter().all(|line| !line.contains(lines[0])));
        }

        #[test]
        fn what_is_shown_has_nothing_hidden_and_stays_as_it_is(text in any::<String>()) {
            let shown = visible(&text).into_owned();
            prop_assert!(!shown.contains(is_hidden));
            prop_assert_eq!(visible(&shown), shown.as_str());
            prop_assert!(!one_line(&text).contains('\n') && !name(&text).contains('\n'));
        }
    }
}
