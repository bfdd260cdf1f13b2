//! Reading unified diffs, with or without git's heads.

use std::borrow::Cow;

use patchwright_syntax::decoded;

use super::names::{pair, unquoted};
use super::write::NOTHING;
use super::{Binary, FilePatch, Hunk, Line, Mark, Patch, Transfer, lines_of};

/// A name that begins in quotes, and does not end so.
const QUOTES: &str = "the quotes of the name do not end";

/// A diff that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct PatchSyntaxError {
    /// The line of the diff, from 1.
    pub line: usize,
    /// The fault.
    pub problem: &'static str,
}

/// All that can be read, and the first thing that cannot.
pub(super) fn read(bytes: &[u8]) -> (Patch, Option<PatchSyntaxError>) {
    let converted = without_windows(bytes);
    let mut reader = Reader { lines: lines_of(&converted), ..Reader::default() };
    while let Some(line) = reader.lines.get(reader.at).copied() {
        let at = reader.at;
        reader.at += 1;
        if let Err(problem) = reader.line(line) {
            reader.refuse(at, problem);
        }
    }
    (Patch { files: reader.files }, reader.error)
}

#[derive(Default)]
struct Reader<'a> {
    lines: Vec<&'a [u8]>,
    /// The next line.
    at: usize,
    files: Vec<FilePatch>,
    /// The names in git's first line of the last file, until what changes in it comes.
    git: Option<String>,
    error: Option<PatchSyntaxError>,
}

impl Reader<'_> {
    fn refuse(&mut self, at: usize, problem: &'static str) {
        self.error.get_or_insert(PatchSyntaxError { line: at + 1, problem });
    }

    /// Takes a line that is in no hunk, with those that belong to it.
    fn line(&mut self, line: &[u8]) -> Result<(), &'static str> {
        let text = &*text_of(line);
        if let Some(names) = text.strip_prefix("diff --git ") {
            let (old, new) =
                pair(names).or_else(|| unlike(names)).ok_or("the names of the file cannot be told apart")?;
            self.files.push(FilePatch { old: Some(old), new: Some(new), ..FilePatch::default() });
            self.git = Some(names.to_owned());
        } else if text.starts_with("diff --cc ") || text.starts_with("diff --combined ") {
            return Err("a merge is compared with all its parents; make a diff with one of them");
        } else if let Some((old, new)) = self.after_dashes(text) {
            let (old, new) = (name(old)?, name(&new)?);
            self.at += 1;
            if self.git.take().is_none() {
                self.files.push(FilePatch::default());
            }
            if let Some(file) = self.files.last_mut() {
                (file.old, file.new) = (old, new);
            }
        } else if let Some(names) = differing(text) {
            self.binary(names)?;
        } else if self.files.is_empty() {
            // The head of a mail.
        } else if text.starts_with("@@ -") {
            let head = Head::of(line).ok_or("the numbers of the hunk cannot be read")?;
            self.hunk(head);
        } else if text == "GIT binary patch" {
            self.data();
        } else if let (Some(names), Some(file)) = (&self.git, self.files.last_mut()) {
            file.extend(text, names)?;
        }
        Ok(())
    }

    /// The names behind `--- ` and, in the next line, `+++ `.
    fn after_dashes<'a>(&self, text: &'a str) -> Option<(&'a str, String)> {
        let next = text_of(self.lines.get(self.at)?);
        Some((text.strip_prefix("--- ")?, next.strip_prefix("+++ ")?.to_owned()))
    }

    /// Takes the line that says of a file that is no text that it differs.
    fn binary(&mut self, names: &str) -> Result<(), &'static str> {
        if self.git.is_none() {
            let Some((old, new)) = names.split_once(" and ") else { return Ok(()) };
            self.files.push(FilePatch { old: name(old)?, new: name(new)?, ..FilePatch::default() });
        }
        self.git = None;
        if let Some(file) = self.files.last_mut() {
            file.binary = Some(Binary::Differs);
        }
        Ok(())
    }

    /// Takes the encoded contents after and before, each up to a blank line.
    fn data(&mut self) {
        let begins = |line: &&[u8]| line.starts_with(b"literal ") || line.starts_with(b"delta ");
        let mut blocks = Vec::new();
        while self.lines.get(self.at).is_some_and(begins) {
            let rest = &self.lines[self.at..];
            let end = rest.iter().position(|line| line.trim_ascii().is_empty()).unwrap_or(rest.len());
            blocks.push(rest[..end].concat());
            self.at += end + 1;
        }
        self.git = None;
        if let Some(file) = self.files.last_mut() {
            file.binary = Some(Binary::Data(blocks));
        }
    }

    /// Takes the lines of a hunk. What it lacks is left out.
    fn hunk(&mut self, head: Head) {
        let Head { mut old, mut new, mut hunk } = head;
        while let Some(line) =
            self.lines.get(self.at).filter(|line| (old, new) != (0, 0) || line.starts_with(b"\\"))
        {
            let (mark, bytes) = match line.first() {
                Some(b'\\') => {
                    // `\ No newline at end of file` is about the line before it.
                    if let Some(last) = hunk.lines.last_mut() {
                        last.bytes.pop_if(|byte| *byte == b'\n');
                    }
                    self.at += 1;
                    continue;
                }
                Some(b'+') => (Mark::Added, &line[1..]),
                Some(b'-') => (Mark::Removed, &line[1..]),
                Some(b' ') => (Mark::Same, &line[1..]),
                // An empty line whose blank was trimmed away.
                Some(b'\n' | b'\r') => (Mark::Same, *line),
                Some(_) | None => {
                    self.refuse(self.at, "this is no line of a hunk");
                    break;
                }
            };
            let (is_old, is_new) = (u32::from(mark != Mark::Added), u32::from(mark != Mark::Removed));
            if is_old > old || is_new > new {
                self.refuse(self.at, "the hunk has other lines than it says");
            }
            (old, new) = (old.saturating_sub(is_old), new.saturating_sub(is_new));
            // Only the last line of a diff may lack a line feed, and then by accident: what the file lacks is said in a line of its own.
            let bytes = [bytes.strip_suffix(b"\n").unwrap_or(bytes), b"\n"].concat();
            hunk.lines.push(Line { mark, bytes });
            self.at += 1;
        }
        if (old, new) != (0, 0) {
            self.refuse(self.at, "the hunk has fewer lines than it says");
        }
        self.git = None;
        if let Some(file) = self.files.last_mut() {
            file.hunks.push(hunk);
        }
    }
}

impl FilePatch {
    /// Takes one of the lines between git's first, with the names there, and what changes.
    fn extend(&mut self, text: &str, names: &str) -> Result<(), &'static str> {
        let after = |words: &[&str]| words.iter().find_map(|word| text.strip_prefix(word));
        let mode = |text: &str| u32::from_str_radix(text, 8).ok();
        if let Some(old) = after(&["old mode "]) {
            self.old_mode = mode(old);
        } else if let Some(new) = after(&["new mode "]) {
            self.new_mode = mode(new);
        } else if let Some(new) = after(&["new file mode "]) {
            (self.old, self.new_mode) = (None, mode(new));
        } else if let Some(old) = after(&["deleted file mode "]) {
            (self.new, self.old_mode) = (None, mode(old));
        } else if let Some(from) = after(&["rename from ", "copy from "]) {
            let is_whole = |prefix: &&str| names.starts_with(&format!("{prefix}{from} "));
            let prefix = ["b/", ""].into_iter().find(is_whole).unwrap_or("a/");
            self.old = Some(format!("{prefix}{}", unquoted(from).ok_or(QUOTES)?));
            self.transfer = Some(if text.starts_with("copy ") { Transfer::Copy } else { Transfer::Rename });
        } else if let Some(to) = after(&["rename to ", "copy to "]) {
            let is_whole = |prefix: &&str| names.ends_with(&format!(" {prefix}{to}"));
            let prefix = ["a/", ""].into_iter().find(is_whole).unwrap_or("b/");
            self.new = Some(format!("{prefix}{}", unquoted(to).ok_or(QUOTES)?));
        } else if let Some(index) = after(&["index "]) {
            let (blobs, kept) = index.split_once(' ').unwrap_or((index, ""));
            self.blobs = blobs.split_once("..").map(|(old, new)| (old.to_owned(), new.to_owned()));
            if let Some(kept) = mode(kept) {
                (self.old_mode, self.new_mode) = (Some(kept), Some(kept));
            }
        } else if after(&["similarity index ", "dissimilarity index "]).is_some() {
            self.likeness = Some(text.to_owned());
        }
        Ok(())
    }
}

/// The name in a line that begins with `---` or `+++`; a time or a revision may follow.
fn name(text: &str) -> Result<Option<String>, &'static str> {
    if text.starts_with('"') {
        return unquoted(text).map(Some).ok_or(QUOTES);
    }
    let name = text.split('\t').next().unwrap_or(text).trim_end();
    let name =
        name.rfind(" (revision ").or_else(|| name.rfind(" (working copy)")).map_or(name, |at| &name[..at]);
    Ok((name != NOTHING).then(|| name.trim_end().to_owned()))
}

/// The names in git's first line where more than their prefixes differ.
fn unlike(names: &str) -> Option<(String, String)> {
    let at = names.find(" b/").or_else(|| names.find(' '))?;
    (!names.starts_with('"')).then(|| (names[..at].to_owned(), names[at + 1..].to_owned()))
}

/// A hunk without its lines, and how many it has before and after.
struct Head {
    old: u32,
    new: u32,
    hunk: Hunk,
}

impl Head {
    /// `@@ -1,2 +3,4 @@ heading`
    fn of(line: &[u8]) -> Option<Self> {
        let text = text_of(line);
        let (ranges, _) = text.strip_prefix("@@ -")?.split_once(" @@")?;
        // As it is written: git may cut it off within a letter.
        let heading = line.strip_suffix(b"\n").unwrap_or(line).get(ranges.len() + 7..)?.to_vec();
        let (old, new) = ranges.split_once(" +")?;
        let range = |range: &str| -> Option<(u32, u32)> {
            let (start, count) = range.split_once(',').unwrap_or((range, "1"));
            let (start, count): (u32, u32) = (start.parse().ok()?, count.parse().ok()?);
            // An empty side is named by the line before it.
            Some((if count == 0 { start.saturating_add(1) } else { start }, count))
        };
        let ((old_line, old), (new_line, new)) = (range(old)?, range(new)?);
        Some(Self { old, new, hunk: Hunk { old_line, new_line, heading, lines: Vec::new() } })
    }
}

/// The numbers of lines that a hunk has before and after the change, by its first line, such as `@@ -1,3 +1,4 @@`.
pub fn hunk_lengths(line: &[u8]) -> Option<(u32, u32)> {
    Head::of(line).map(|head| (head.old, head.new))
}

/// The names of a file that is no text.
fn differing(text: &str) -> Option<&str> {
    text.strip_prefix("Binary files ")?.strip_suffix(" differ")
}

/// A line of a head as text, without its end.
fn text_of(line: &[u8]) -> Cow<'_, str> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    decoded(line.strip_suffix(b"\r").unwrap_or(line))
}

/// A patch without the line ends that a checkout on Windows gave it. Git ends the lines above those of a file with `\n` alone, also where
/// these end otherwise.
fn without_windows(bytes: &[u8]) -> Cow<'_, [u8]> {
    let head = lines_of(bytes).into_iter().find(|line| line.starts_with(b"@@ -"));
    if !head.is_some_and(|head| head.ends_with(b"\r\n")) {
        return Cow::Borrowed(bytes);
    }
    let unix = |line: &&[u8]| line.strip_suffix(b"\r\n").map_or(line.to_vec(), |bare| [bare, b"\n"].concat());
    Cow::Owned(lines_of(bytes).iter().flat_map(unix).collect())
}
