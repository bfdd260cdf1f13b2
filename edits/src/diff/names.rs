//! Names in diffs, which git puts in quotes where they have odd characters.

use std::borrow::Cow;
use std::fmt::Write as _;

use patchwright_syntax::decoded;

/// The prefixes that git puts before names, before and after.
pub(super) const PREFIXES: [&str; 2] = ["a/", "b/"];

/// Letters that stand for control characters after a backslash.
const LETTERS: [(char, u8); 7] =
    [('a', 7), ('b', 8), ('t', b'\t'), ('n', b'\n'), ('v', 11), ('f', 12), ('r', b'\r')];

/// The name behind a quote, and what follows its end; `None` where it has none.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut bytes = Vec::new();
    let mut rest = text.chars();
    loop {
        match rest.next()? {
            '"' => return Some((decoded(&bytes).into_owned(), rest.as_str())),
            '\\' => {
                let next = rest.next()?;
                if let Some((_, byte)) = LETTERS.iter().find(|(letter, _)| *letter == next) {
                    bytes.push(*byte);
                } else if next.is_digit(8) {
                    let digits = [next, rest.next()?, rest.next()?];
                    bytes.push(u8::from_str_radix(&String::from_iter(digits), 8).ok()?);
                } else {
                    bytes.extend_from_slice(next.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
            other => bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// A name that may stand in quotes; `None` where they do not end.
pub(crate) fn unquoted(text: &str) -> Option<String> {
    text.strip_prefix('"').map_or_else(|| Some(text.to_owned()), |text| Some(quoted(text)?.0))
}

/// The two names of git's first line: one is in quotes, or they differ in their prefixes only.
pub(crate) fn pair(names: &str) -> Option<(String, String)> {
    if let Some(names) = names.strip_prefix('"') {
        let (old, rest) = quoted(names)?;
        return Some((old, unquoted(rest.trim_start())?));
    }
    if let Some((old, new)) = names.split_once(" \"") {
        return Some((old.to_owned(), quoted(new)?.0));
    }
    let middle = names.len() / 2;
    let (old, new) = (names.get(..middle)?, names.get(middle..)?.strip_prefix(' ')?);
    let alike = old == new || old.split_once('/')?.1 == new.split_once('/')?.1;
    alike.then(|| (old.to_owned(), new.to_owned()))
}

/// The name of the other side.
pub(super) fn counterpart(name: &str) -> String {
    let [old, new] = PREFIXES;
    let turned = |from: &str, to: &str| name.strip_prefix(from).map(|bare| format!("{to}{bare}"));
    turned(old, new).or_else(|| turned(new, old)).unwrap_or_else(|| name.to_owned())
}

/// A name as it is written, in quotes where it could be misread without them.
pub(super) fn written(name: &str) -> Cow<'_, str> {
    let odd = |character: char| character.is_control() || matches!(character, '"' | '\\');
    if !name.contains(odd) {
        return Cow::Borrowed(name);
    }
    let mut text = "\"".to_owned();
    for character in name.chars() {
        if let Some((letter, _)) = LETTERS.iter().find(|(_, byte)| char::from(*byte) == character) {
            text.extend(['\\', *letter]);
        } else if character.is_ascii_control() {
            let _ = write!(text, "\\{:03o}", u32::from(character));
        } else {
            text.extend(odd(character).then_some('\\'));
            text.push(character);
        }
    }
    Cow::Owned(text + "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_taken_off_and_put_on() {
        let check =
            |text: &str, expect: Option<&str>| assert_eq!(unquoted(text).as_deref(), expect, "{text}");
        check("a/x y", Some("a/x y"));
        check(r#""a/caf\303\251 \"1\"\t\\x""#, Some("a/café \"1\"\t\\x"));
        // What is no UTF-8 is taken for ISO-8859-1, as in lines.
        check(r#""a/caf\351""#, Some("a/café"));
        check(r#""a/π""#, Some("a/π"));
        check(r#""a/x"#, None);
        check(r#""a/x\"#, None);
        check(r#""a/\40""#, None);
        for name in ["a/café", "a/x y", "a/\"\\\t\u{1}\u{7f}é"] {
            assert_eq!(unquoted(&written(name)).as_deref(), Some(name));
        }
        assert_eq!(written("a/é x"), "a/é x");
        assert_eq!(written("a/\t\u{1}"), r#""a/\t\001""#);
    }

    #[test]
    fn the_names_of_the_first_line_are_told_apart() {
        let check = |names: &str, old: &str, new: &str| {
            assert_eq!(pair(names), Some((old.to_owned(), new.to_owned())), "{names}");
        };
        check("a/x b/x", "a/x", "b/x");
        check("a/x b/y b/x b/y", "a/x b/y", "b/x b/y");
        check(r#""a/\303\251" "b/\303\251""#, "a/é", "b/é");
        check(r#""a/\303\251" b/e f"#, "a/é", "b/e f");
        check(r#"a/e f "b/\303\251""#, "a/e f", "b/é");
        assert_eq!(pair(r#""a/x b/x"#), None);
    }
}
