//! One file while its edits are worked in.

use patchwright_syntax::{Encoding, Language, MARK, ProjectPath, Source};

use crate::definitions;
use crate::edit::{Definition, Edit, Replacement};
use crate::line_numbers::Numbers;
use crate::located::{Located, MatchFailure};
use crate::lookalike::lines_alike;
use crate::matching::{Lines, MatchLevel};
use crate::plain::{Plain, plain, variants};
use crate::refusal::ApplyProblem;
use crate::replace::{self, UNSIGNED, UNSIGNED_ELSEWHERE};
use crate::splice::{Merged, encode, unwritable};
use crate::spliced::{Splice, spliced};

/// A file that changes: its text, and what is still to be spliced into it.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) path: ProjectPath,
    encoding: Encoding,
    /// The text, without a byte order mark; `None` as long as there is no file.
    text: Option<String>,
    splices: Vec<Splice>,
}

impl Draft {
    /// A draft of a file, which may not be there.
    pub(crate) fn new(path: ProjectPath, source: Option<&Source>) -> Self {
        let encoding = source.map_or(Encoding::Utf8, Source::encoding);
        Self { path, encoding, text: source.map(|source| source.text().to_owned()), splices: Vec::new() }
    }

    /// Is true if there is no text yet.
    pub(crate) fn is_missing(&self) -> bool {
        self.text.is_none()
    }

    /// Inserts, deletes and modifies lines by their numbers. Gives the lines that were both deleted and modified.
    pub(crate) fn lines(&mut self, edits: &[&Edit], source: &Source) -> Result<Vec<u32>, Vec<ApplyProblem>> {
        let merged = Merged::of(&self.path, edits);
        self.text = Some(merged.splice(&self.path, source)?);
        Ok(merged.kept().collect())
    }

    /// What the line numbers of some replacements are worth.
    pub(crate) fn numbers(&self, replacements: &[Replacement]) -> Numbers {
        self.text.as_deref().map_or(Numbers::Wrong, |text| Numbers::of(&Lines::new(text), replacements))
    }

    /// Replaces a text. `numbers` are worth something if lines may be added where nothing but their number names the place.
    pub(crate) fn replace(
        &mut self,
        replacement: &Replacement,
        numbers: Numbers,
    ) -> Result<Located, MatchFailure> {
        let language = self.language();
        let replacement = self.without_mark(replacement);
        self.settled(|lines, flushed| {
            // Numbers count lines of the file as it was.
            let line = if flushed { None } else { replacement.line };
            let locate = |one: Replacement| replace::locate(lines, &one, language, numbers);
            let found = locate(Replacement { line, ..replacement.clone() });
            let is_exact = |found: &Result<Located, MatchFailure>| {
                found.as_ref().is_ok_and(|found| found.level == MatchLevel::Exact)
            };
            let is_unsigned = replacement.is_unsigned();
            if is_exact(&found) {
                return found.map(|found| Located {
                    note: found.note.or_else(|| is_unsigned.then(|| UNSIGNED.to_owned())),
                    ..found
                });
            }
            for (variant, note) in variants(lines.raw(), &replacement) {
                let other = locate(Replacement { line, ..variant });
                if is_exact(&other) {
                    return other.map(|found| Located { note: Some(note), ..found });
                }
            }
            if is_unsigned {
                return Err(MatchFailure::Unclear(UNSIGNED_ELSEWHERE.to_owned()));
            }
            if matches!(found, Err(MatchFailure::NotFound(_)))
                && let several = lines_alike(lines.raw(), &replacement.search)
                && several.len() > 1
            {
                return Err(MatchFailure::Ambiguous(several));
            }
            found
        })
    }

    /// Replaces texts as they are written, where all of them stand in the file to the byte and it is whole after them: then gives what became of
    /// each.
    pub(crate) fn replace_plainly(&mut self, edits: &[&Edit]) -> Option<Vec<Located>> {
        let is_other =
            |edit: &&Edit| edit.content.is_some() || !edit.definitions.is_empty() || edit.has_numbers();
        let text = self.text.as_deref().filter(|_| !edits.iter().any(is_other))?;
        let mut all: Vec<(Replacement, Numbers)> = Vec::new();
        for edit in edits {
            let numbers = self.numbers(&edit.replacements);
            all.extend(edit.replacements.iter().map(|one| (self.without_mark(one), numbers)));
        }
        let found = plain(text, &all, self.language())?;
        self.splices = found.iter().map(|plain| plain.splice.clone()).collect();
        let located = |plain: Plain| Located {
            level: MatchLevel::Exact,
            splices: vec![plain.splice],
            note: plain.note,
        };
        Some(found.into_iter().map(located).collect())
    }

    /// A replacement without the byte order mark, which a diff shows and which is no part of the text.
    fn without_mark(&self, replacement: &Replacement) -> Replacement {
        let mut replacement = replacement.clone();
        if self.encoding == Encoding::Utf8WithMark {
            for text in [&mut replacement.search, &mut replacement.replace] {
                *text = text.strip_prefix(MARK).unwrap_or(text).to_owned();
            }
        }
        replacement
    }

    /// Puts a definition in its place.
    pub(crate) fn define(&mut self, definition: &Definition) -> Result<Located, MatchFailure> {
        if self.is_missing() {
            if !definition.place.is_new() {
                return Err(MatchFailure::Missing("there is no such file".to_owned()));
            }
            self.text = Some(String::new());
        }
        let empty = self.text.as_deref() == Some("") && self.splices.is_empty();
        if empty && definition.place.is_new() {
            self.text = Some(definitions::as_file(&definition.code));
            return Ok(Located::new());
        }
        let Some(language) = self.language() else {
            return Err(MatchFailure::Unclear(
                "functions are known in Java and Python files only; replace text instead".to_owned(),
            ));
        };
        self.settled(|lines, _| definitions::locate(language, lines, definition))
    }

    /// Gives the file its whole text.
    pub(crate) fn fill(&mut self, content: &str) {
        self.text = Some(content.to_owned());
    }

    fn language(&self) -> Option<Language> {
        Language::of_path(self.path.as_path())
    }

    /// Finds a place in the text as it was, or, where a change before is in the way or has yet to bring the place about, in
    /// the text as it has become.
    fn settled(
        &mut self,
        locate: impl Fn(&Lines, bool) -> Result<Located, MatchFailure>,
    ) -> Result<Located, MatchFailure> {
        let text = self.text.as_deref().unwrap_or_default();
        let mut found = locate(&Lines::new(text), false);
        let again = match &found {
            Ok(located) => {
                located.splices.iter().any(|new| self.splices.iter().any(|known| overlap(new, known)))
            }
            Err(MatchFailure::NotFound(_)) => !self.splices.is_empty(),
            Err(_) => false,
        };
        if again {
            self.flush();
            found = locate(&Lines::new(self.text.as_deref().unwrap_or_default()), true);
        }
        let found = found?;
        self.splices.extend(found.splices.iter().cloned());
        Ok(found)
    }

    /// Works in what is to be spliced.
    fn flush(&mut self) {
        let splices = std::mem::take(&mut self.splices);
        if let Some(text) = &mut self.text
            && let Some(after) = spliced(text, &splices)
        {
            *text = after;
        }
    }

    /// The bytes of the file after all changes; `None` where there is no file.
    pub(crate) fn finish(mut self) -> Result<Option<Vec<u8>>, ApplyProblem> {
        self.flush();
        let Some(text) = self.text else { return Ok(None) };
        let unwritable = |(line, content)| unwritable(&self.path, self.encoding, line, content).next();
        match (1..).zip(text.split('\n')).find_map(unwritable) {
            Some(problem) => Err(problem),
            None => Ok(Some(encode(self.encoding, &text))),
        }
    }
}

/// Is true if two splices touch the same bytes, or one stands inside the other.
fn overlap(left: &Splice, right: &Splice) -> bool {
    left.range.start < right.range.end && right.range.start < left.range.end
}
