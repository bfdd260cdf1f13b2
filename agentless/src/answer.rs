//! Lists and code in what a model answers.

/// The text of the last fenced block, without the fences; all of the text where there is none. A model that thinks aloud
/// gives its answer last; a block whose end was cut off counts.
pub(crate) fn block(text: &str) -> &str {
    let mut found = None;
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let ticks = trimmed.bytes().take_while(|byte| *byte == b'`').count();
        match open {
            None if ticks >= 3 => open = Some((ticks, at + line.len())),
            // A fence that names a language opens another block and closes none.
            Some((length, start)) if ticks >= length && trimmed.len() == ticks => {
                found = Some(&text[start..at]);
                open = None;
            }
            None | Some(_) => {}
        }
        at += line.len();
    }
    match (found, open) {
        (Some(block), _) => block,
        (None, Some((_, start))) => &text[start..],
        (None, None) => text,
    }
}

/// The lines of a list, each without numbers, bullets, quotes and white space around it.
pub(crate) fn list(text: &str) -> impl Iterator<Item = &str> {
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
