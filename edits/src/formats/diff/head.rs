//! The lines above the hunks of a file: its names, and what becomes of it as a whole.

use super::super::error::FormatProblem;
use super::super::text::{FormatError, Line};
use super::Reader;
use crate::diff as exact;

/// Prefixes of names before and after that diffs put there themselves.
const PREFIXES: [(&str, &str); 9] = [
    ("a/", "b/"),
    ("i/", "w/"),
    ("c/", "i/"),
    ("c/", "w/"),
    ("o/", "w/"),
    ("b/", "a/"),
    ("w/", "i/"),
    ("old/", "new/"),
    ("orig/", "new/"),
];
const NOTHING: &str = "/dev/null";
/// The name of git for the content of an empty file.
const EMPTY: &str = "e69de29";

/// The lines above the hunks of a file.
#[derive(Debug, Default)]
pub(super) struct Head {
    old: Option<String>,
    new: Option<String>,
    git: Option<(String, String)>,
    rename_from: Option<String>,
    pub rename_to: Option<String>,
    pub operation: Operation,
    pub mode_changed: bool,
    /// Is true if it says that hunks follow: a new file that is not empty, a renamed one that is not the same.
    hunks_follow: bool,
    /// Is true if all line ends were made `\r\n`.
    pub converted: bool,
}

/// The operation on a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Operation {
    #[default]
    Modify,
    Create,
    Delete,
}

/// Is true if the two lines with the names of a file begin here.
pub(super) fn is_pair(lines: &[Line], at: usize) -> bool {
    lines.get(at).is_some_and(|line| line.raw.starts_with("--- "))
        && lines.get(at + 1).is_some_and(|line| line.raw.starts_with("+++ "))
}

impl Reader<'_> {
    /// Reads the head that begins in a line and gives the line below it.
    pub(super) fn head(&mut self, mut at: usize) -> Result<(Head, usize), FormatError> {
        let mut head = Head::default();
        if let Some(names) = self.text_at(at).strip_prefix("diff --git ") {
            head.git = exact::pair(names);
            at += 1;
            while let Some(line) = self.line(at) {
                let known = head.extended(line.text()).map_err(|flaw| {
                    let file = head.git.as_ref().map(|(_, new)| new.as_str());
                    FormatError::flaw(line, file, flaw)
                })?;
                if !known {
                    break;
                }
                at += 1;
            }
        }
        if is_pair(&self.lines, at) {
            let [old, new] = [self.lines[at], self.lines[at + 1]];
            head.converted = old.raw.ends_with("\r\n") && new.raw.ends_with("\r\n");
            head.old = Some(name(&old.text()[4..]));
            head.new = Some(name(&new.text()[4..]));
            at += 2;
        }
        self.refuse_cut_head(at)?;
        Ok((head, at))
    }

    /// A head whose last line has no end may go on.
    fn refuse_cut_head(&self, at: usize) -> Result<(), FormatError> {
        match self.lines.get(at - 1) {
            Some(last) if at == self.lines.len() && !last.is_whole() && !self.around.complete => {
                Err(FormatError::cut(*last, None, self.text))
            }
            Some(_) | None => Ok(()),
        }
    }
}

impl Head {
    /// Reads a line between `diff --git` and the names; whether it is one.
    fn extended(&mut self, line: &str) -> Result<bool, FormatProblem> {
        if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            return Err(FormatProblem::Binary);
        }
        if line.starts_with("copy from ") || line.starts_with("copy to ") {
            return Err(FormatProblem::Copy);
        }
        if let Some(from) = line.strip_prefix("rename from ") {
            self.rename_from = Some(unquoted(from));
        } else if let Some(to) = line.strip_prefix("rename to ") {
            self.rename_to = Some(unquoted(to));
        } else if line.starts_with("new file mode ") {
            self.operation = Operation::Create;
        } else if line.starts_with("deleted file mode ") {
            self.operation = Operation::Delete;
        } else if line.starts_with("old mode ") || line.starts_with("new mode ") {
            self.mode_changed = true;
        } else if let Some(names) = line.strip_prefix("index ") {
            let new = names.split("..").nth(1).unwrap_or_default();
            self.hunks_follow |= self.operation == Operation::Create && !new.starts_with(EMPTY);
        } else if let Some(part) = line.strip_prefix("similarity index ") {
            self.hunks_follow |= part.trim() != "100%";
        } else {
            return Ok(line.starts_with("dissimilarity index "));
        }
        Ok(true)
    }

    /// Is true if it says what is to be done even without hunks.
    pub fn stands_alone(&self) -> bool {
        let hunks_follow = self.hunks_follow || self.old.is_some();
        match self.operation {
            Operation::Delete => true,
            Operation::Create => !hunks_follow,
            Operation::Modify => !hunks_follow && self.rename_to.is_some(),
        }
    }

    /// The file that the hunks are for, as it is named before them. Sets what follows from the names.
    pub fn names(&mut self) -> Result<Option<String>, FormatProblem> {
        if let (Some(from), Some(_)) = (&self.rename_from, &self.rename_to) {
            return Ok(Some(from.clone()));
        }
        let ((Some(old), Some(new), _) | (_, _, Some((old, new)))) = (&self.old, &self.new, &self.git) else {
            return Ok(None);
        };
        let (prefix, name) = match (old == NOTHING, new == NOTHING) {
            (false, false) => return one_name(old, new).map(Some),
            (true, true) => return Ok(None),
            (true, false) => {
                self.operation = Operation::Create;
                ("b/", new)
            }
            (false, true) => {
                self.operation = Operation::Delete;
                ("a/", old)
            }
        };
        Ok(Some(name.strip_prefix(prefix).unwrap_or(name).to_owned()))
    }
}

/// The name that two names before and after a change mean.
fn one_name(old: &str, new: &str) -> Result<String, FormatProblem> {
    let bare = |(before, after): &(&str, &str)| {
        new.strip_prefix(after).filter(|new| old.strip_prefix(before) == Some(new))
    };
    // `diff -u x.py.orig x.py`
    let is_copy = || [".orig", ".old", ".bak", "~"].iter().any(|copy| old.strip_suffix(copy) == Some(new));
    let same = (old == new).then_some(new).or_else(|| PREFIXES.iter().find_map(bare));
    let name = same.or_else(|| is_copy().then_some(new));
    name.map(str::to_owned)
        .ok_or_else(|| FormatProblem::TwoNames { old: old.to_owned(), new: new.to_owned() })
}

/// A name behind `--- ` or `+++ `: without what stands behind a tab, and without a date.
fn name(text: &str) -> String {
    if text.starts_with('"') {
        return unquoted(text);
    }
    match text.split_once('\t') {
        Some((name, _)) => name.to_owned(),
        None => without_date(text).trim_end().to_owned(),
    }
}

/// `x.py 2024-01-31 10:00:00.000` without the date.
fn without_date(text: &str) -> &str {
    let is_date = |rest: &str| {
        let form = |(index, byte): (usize, u8)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        };
        rest.len() > 11 && rest.as_bytes()[10] == b' ' && rest.bytes().take(10).enumerate().all(form)
    };
    text.match_indices(' ')
        .find(|(index, _)| is_date(&text[index + 1..]))
        .map_or(text, |(index, _)| &text[..index])
}

/// A name that may be quoted as in C.
pub(super) fn unquoted(text: &str) -> String {
    let text = text.trim_end();
    exact::unquoted(text).unwrap_or_else(|| text.to_owned())
}
