//! Reading unified diffs, with or without git's heads.

use std::borrow::Cow;

use super::names::{pair, unquoted};
use super::{FilePatch, Hunk, Line, Mark, Patch, decoded};

/// A name that begins in quotes, and does not end so.
const QUOTES: &str = "the quotes of the name do not end";

/// A diff that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct PatchSyntaxError {
    /// The line of the diff, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: &'static str,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Patch, PatchSyntaxError> {
    let converted = without_windows(bytes);
    let lines: Vec<&[u8]> = converted.split_inclusive(|byte| *byte == b'\n').collect();
    let mut files: Vec<FilePatch> = Vec::new();
    // Whether the last file was opened by git's head, and has no names of its own yet.
    let mut open = false;
    let mut at = 0;
    while at < lines.len() {
        let wrong = |problem| PatchSyntaxError { line: at + 1, problem };
        let text = decoded(lines[at]);
        let text = text.trim_end_matches(['\n', '\r']);
        let follows = lines.get(at + 1).is_some_and(|next| next.starts_with(b"+++ "));
        if let Some(names) = text.strip_prefix("diff --git ") {
            let (old, new) =
                pair(names).ok_or_else(|| wrong("the names of the file cannot be told apart"))?;
            files.push(FilePatch { old: Some(old), new: Some(new), ..FilePatch::default() });
            open = true;
        } else if let Some(old) = text.strip_prefix("--- ").filter(|_| follows) {
            let new = decoded(lines[at + 1]);
            let new = new.trim_end_matches(['\n', '\r']).strip_prefix("+++ ").unwrap_or_default();
            let (old, new) = (name(old).map_err(wrong)?, name(new).map_err(wrong)?);
            if !open {
                files.push(FilePatch::default());
            }
            if let Some(file) = files.last_mut() {
                (file.old, file.new) = (old, new);
            }
            open = false;
            at += 1;
        } else if let (Some((old, new)), Some(file)) = (heads(text), files.last_mut()) {
            let (hunk, next) = hunk(&lines, at, old, new)?;
            file.hunks.push(hunk);
            at = next;
            continue;
        } else if let Some(file) = files.last_mut() {
            head(file, text, open).map_err(wrong)?;
        }
        at += 1;
    }
    // Heads that say nothing, as of a file whose mode alone changes.
    files.retain(|file| !file.hunks.is_empty() || file.binary || file.old != unprefixed(file));
    Ok(Patch { files })
}

/// The name before a change, as the name after it says; both differ where a file is made, goes or moves.
fn unprefixed(file: &FilePatch) -> Option<String> {
    file.new.as_deref().map(|new| new.strip_prefix("b/").map_or(new.to_owned(), |new| format!("a/{new}")))
}

/// One of the lines between git's first and the names.
fn head(file: &mut FilePatch, text: &str, open: bool) -> Result<(), &'static str> {
    if text.starts_with("Binary files ") || text == "GIT binary patch" {
        file.binary = true;
    }
    if !open {
        return Ok(());
    }
    let moved = |prefix: &str, name: &str| match unquoted(name) {
        Some(name) => Ok(Some(format!("{prefix}{name}"))),
        None => Err(QUOTES),
    };
    let after = |words: [&'static str; 2]| words.into_iter().find_map(|word| text.strip_prefix(word));
    if text.starts_with("new file mode ") {
        file.old = None;
    } else if text.starts_with("deleted file mode ") {
        file.new = None;
    } else if let Some(from) = after(["rename from ", "copy from "]) {
        file.old = moved("a/", from)?;
        file.copied = text.starts_with("copy ");
    } else if let Some(to) = after(["rename to ", "copy to "]) {
        file.new = moved("b/", to)?;
    }
    Ok(())
}

/// The name in a line that begins with `---` or `+++`; a time or a revision may follow.
fn name(text: &str) -> Result<Option<String>, &'static str> {
    if text.starts_with('"') {
        return unquoted(text).map(Some).ok_or(QUOTES);
    }
    let name = text.split('\t').next().unwrap_or(text).trim_end();
    let name =
        name.rfind(" (revision ").or_else(|| name.rfind(" (working copy)")).map_or(name, |at| &name[..at]);
    Ok((name != "/dev/null").then(|| name.trim_end().to_owned()))
}

/// Where a hunk begins, and how many lines it has.
type Range = (usize, usize);

/// The numbers of `@@ -1,2 +3,4 @@`.
fn heads(text: &str) -> Option<(Range, Range)> {
    let mut words = text.strip_prefix("@@ -")?.split(' ');
    let range = |word: &str| -> Option<Range> {
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some((range(words.next()?)?, range(words.next()?.strip_prefix('+')?)?))
}

/// A hunk, and the line after it.
fn hunk(lines: &[&[u8]], head: usize, old: Range, new: Range) -> Result<(Hunk, usize), PatchSyntaxError> {
    let mut hunk = Hunk { old_start: old.0, new_start: new.0, lines: Vec::new() };
    let mut left = (old.1, new.1);
    let mut at = head + 1;
    while left != (0, 0) || lines.get(at).is_some_and(|line| line.starts_with(b"\\")) {
        let cut = PatchSyntaxError { line: at + 1, problem: "the hunk has fewer lines than it says" };
        let line = *lines.get(at).ok_or(cut)?;
        let (mark, bytes) = match line.first() {
            Some(b'\\') => {
                // `\ No newline at end of file` is about the line before it.
                if let Some(last) = hunk.lines.last_mut() {
                    last.bytes.pop_if(|byte| *byte == b'\n');
                }
                at += 1;
                continue;
            }
            Some(b'+') => (Mark::Added, &line[1..]),
            Some(b'-') => (Mark::Removed, &line[1..]),
            Some(b' ') => (Mark::Same, &line[1..]),
            // An empty line whose blank was trimmed away.
            Some(b'\n' | b'\r') => (Mark::Same, line),
            Some(_) | None => {
                return Err(PatchSyntaxError { line: at + 1, problem: "this is no line of a hunk" });
            }
        };
        let (less_old, less_new) = (usize::from(mark != Mark::Added), usize::from(mark != Mark::Removed));
        let counted = left.0.checked_sub(less_old).zip(left.1.checked_sub(less_new));
        left = counted
            .ok_or(PatchSyntaxError { line: at + 1, problem: "the hunk has other lines than it says" })?;
        let mut bytes = bytes.to_vec();
        if !bytes.ends_with(b"\n") {
            // Only the last line of a diff may lack it, and then by accident: what the file lacks is said in a line of its own.
            bytes.push(b'\n');
        }
        hunk.lines.push(Line { mark, bytes });
        at += 1;
    }
    Ok((hunk, at))
}

/// A patch without the line ends that a checkout on Windows gave it. Git ends heads of hunks with `\n` alone, also where the lines of
/// the files end otherwise.
fn without_windows(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let head = lines.find(|line| line.starts_with(b"@@ -"));
    if !head.is_some_and(|head| head.ends_with(b"\r\n")) {
        return Cow::Borrowed(bytes);
    }
    let mut converted = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(bare) => converted.extend(bare.iter().chain(b"\n")),
            None => converted.extend(line),
        }
    }
    Cow::Owned(converted)
}
