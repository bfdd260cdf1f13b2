//! Names, counts and lines in texts for people and prompts.

use std::fmt::Display;

/// Names with commas between them: so many at most, then the number of the others.
/// ```
/// assert_eq!(patchwright_protocol::listed(&["a", "b", "c"], 2), "a, b and 1 more");
/// ```
pub fn listed<T: AsRef<str>>(names: &[T], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Lines with their numbers, one a line; a gap in the numbers shows as `...`.
pub fn numbered(lines: &[(u32, String)], line_chars: usize) -> String {
    let mut text = String::new();
    let mut previous = None;
    for (number, line) in lines {
        if previous.is_some_and(|previous: u32| previous + 1 != *number) {
            text.push_str("...\n");
        }
        text.push_str(&format!("{number}: {}\n", cut_line(line, line_chars)));
        previous = Some(*number);
    }
    text
}

/// A line of at most so many characters; what is left out is counted.
pub fn cut_line(line: &str, most: usize) -> String {
    let count = line.chars().count();
    if count <= most {
        return line.to_owned();
    }
    let head: String = line.chars().take(most).collect();
    format!("{head} [... {}]", counted(count - most, "more character"))
}

/// Text of at most so many bytes, cut at the end of a line; what is left out is counted.
pub fn cut_text(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut head = 0;
    for line in text.split_inclusive('\n') {
        if head + line.len() > most {
            break;
        }
        head += line.len();
    }
    let rest = text[head..].lines().count();
    format!("{}[... {} left out]\n", &text[..head], counted(rest, "more line"))
}

/// `1 test`, `2 tests`.
pub fn counted<N: Copy + Display + From<u8> + PartialEq>(count: N, thing: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

/// A message as a sentence: it begins with a capital letter and ends with a stop.
pub fn sentence(message: &str) -> String {
    let mut characters = message.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let stop = if message.ends_with(['.', '!', '?', ')']) { "" } else { "." };
    format!("{first}{}{stop}", characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_at_a_line_and_counted() {
        let check = |text: &str, most: usize, expect: &str| assert_eq!(cut_text(text, most), expect);
        check("one\ntwo\n", 8, "one\ntwo\n");
        check("one\ntwo\nthree\n", 9, "one\ntwo\n[... 1 more line left out]\n");
        check("éé\néé\nx", 6, "éé\n[... 2 more lines left out]\n");
        check("a very long line", 3, "[... 1 more line left out]\n");
        assert_eq!(cut_line("äöü", 3), "äöü");
        assert_eq!(cut_line("äöüß", 3), "äöü [... 1 more character]");
    }

    #[test]
    fn lists_and_sentences() {
        assert_eq!(listed(&["a", "b"], 2), "a, b");
        assert_eq!(sentence("no such file"), "No such file.");
        assert_eq!(sentence("`a` is (not) there (yet)"), "`a` is (not) there (yet)");
        assert_eq!(
            numbered(&[(1, "a".into()), (2, "b".into()), (9, "c".into())], 80),
            "1: a\n2: b\n...\n9: c\n"
        );
    }
}
