//! Lists and code in what a model answers.

/// The text of the last fenced block, without the fences; all of the text where there is none. A model that thinks aloud
/// gives its answer last; a block whose end was cut off counts.
pub fn block(text: &str) -> &str {
    last_block(text).map_or(text, |(_, block)| block)
}

/// Characters of what a model thought that are kept.
const THOUGHTS: usize = 1_500;

/// What a model thought before it gave its answer in a block. Of long thoughts the end, from the beginning of a sentence or line on: what
/// was concluded stands there.
pub fn thoughts(text: &str) -> Option<String> {
    let thoughts = text[..last_block(text)?.0].trim();
    if thoughts.is_empty() {
        return None;
    }
    let start = thoughts.char_indices().rev().nth(THOUGHTS - 1).map_or(0, |(start, _)| start);
    if start == 0 {
        return Some(thoughts.to_owned());
    }
    let begins = |at: &usize| {
        let Some(before) = thoughts.get(..*at) else { return false };
        let trimmed = before.trim_end_matches([' ', '\t']);
        trimmed.ends_with('\n') || (trimmed.len() < before.len() && trimmed.ends_with(['.', '!', '?']))
    };
    // Where no sentence ends for long, a word may be torn.
    let first = (start..start.midpoint(thoughts.len())).find(begins).unwrap_or(start);
    Some(format!("[…] {}", thoughts[first..].trim_start()))
}

/// The last fenced block: where its opening fence begins, and its text.
fn last_block(text: &str) -> Option<(usize, &str)> {
    let mut found = None;
    let mut open: Option<(usize, usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let ticks = trimmed.bytes().take_while(|byte| *byte == b'`').count();
        match open {
            None if ticks >= 3 => open = Some((ticks, at, at + line.len())),
            // A fence that names a language opens another block and closes none.
            Some((length, fence, start)) if ticks >= length && trimmed.len() == ticks => {
                found = Some((fence, &text[start..at]));
                open = None;
            }
            None | Some(_) => {}
        }
        at += line.len();
    }
    found.or_else(|| open.map(|(_, fence, start)| (fence, &text[start..])))
}

/// The lines of a list, each without numbers, bullets, quotes and white space around it.
pub fn list(text: &str) -> impl Iterator<Item = &str> {
    block(text).lines().map(item).filter(|item| !item.is_empty())
}

fn item(line: &str) -> &str {
    let line = line.trim();
    let bare = line.trim_start_matches(|c: char| c.is_ascii_digit());
    // `12. path` and `3) path`, but not `404.py`.
    let line = match bare.strip_prefix(['.', ')']) {
        Some(rest) if bare.len() < line.len() && rest.starts_with(' ') => rest,
        Some(_) | None => line,
    };
    let line = line.trim_start();
    let line = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line);
    line.trim().trim_matches(['`', '"', '\'', '*']).trim()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_last_block_is_the_answer() {
        let check = |text: &str, expect: &str| assert_eq!(block(text), expect);
        check("no block", "no block");
        check("so\n```\na\n```\n", "a\n");
        check("first\n```python\nx = 1\n```\nbetter\n~\n```\ny\n```\nend", "y\n");
        check("cut\n```java\nclass A {", "class A {");
        check("````\n```\ninner\n```\n````\n", "```\ninner\n```\n");
        check("```\n```\n", "");
    }

    #[test]
    fn what_was_thought_stands_before_the_answer() {
        let check = |text: &str, expect: Option<&str>| assert_eq!(thoughts(text).as_deref(), expect);
        check("The bound is off.\n\n```\na.py\nline: 3\n```\nDone.", Some("The bound is off."));
        check("It says\n```\nx\n```\nbut y.\n```\na.py\n```", Some("It says\n```\nx\n```\nbut y."));
        check("Cut.\n```\na.py\nli", Some("Cut."));
        check("```\na.py\n```\nafter", None);
        check("a.py\nline: 3", None);
        check(" \n```\na.py\n```", None);
    }

    #[test]
    fn of_long_thoughts_the_end_is_kept_from_a_sentence_on() {
        let of = |before: &str| thoughts(&format!("{before}\n```\na.py\n```")).unwrap();
        let sentence = "The total of v1.2 is wrong, as ünits are. ";
        let long = of(&sentence.repeat(60));
        assert!(long.starts_with("[…] The total") && long.ends_with("ünits are."), "{long}");
        let kept = long.chars().count();
        assert!(kept <= THOUGHTS + 4 && kept + sentence.len() > THOUGHTS, "{kept}");
        let lines = of(&"- a point\n".repeat(400));
        assert!(lines.starts_with("[…] - a point\n- a"), "{lines}");
        assert_eq!(of(&"x".repeat(2_000)).chars().count(), THOUGHTS + 4, "nowhere to cut");
        assert_eq!(of(&"x".repeat(THOUGHTS)).len(), THOUGHTS, "it fits");
    }

    #[test]
    fn items_come_without_their_marks() {
        let check = |text: &str, expect: &[&str]| assert_eq!(list(text).collect::<Vec<_>>(), expect);
        check(
            "```\n1. `src/a.py`\n2) src/b.py\n- src/c.py\n* \"d.py\"\n\n  e.py  \n```",
            &["src/a.py", "src/b.py", "src/c.py", "d.py", "e.py"],
        );
        check("```\n404.py\n3d/x.py\n```", &["404.py", "3d/x.py"]);
        check("```\n```", &[]);
    }
}
