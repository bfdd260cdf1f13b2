//! From the edits of one file to its new bytes. Only lines that an edit touches change; everything else, line ends,
//! byte order mark and encoding included, stays byte for byte.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_syntax::{Encoding, ProjectPath, Source};

use crate::edit::Edit;
use crate::matching::usual_end;
use crate::refusal::ApplyProblem;

/// The edits of one file, merged: what happens at each original line.
#[derive(Debug, Default)]
pub(crate) struct Merged<'a> {
    insertions: BTreeMap<u32, Vec<&'a str>>,
    deletions: BTreeSet<u32>,
    modifications: BTreeMap<u32, &'a str>,
    /// Lines that shall become two different things.
    conflicts: Vec<ApplyProblem>,
}

impl<'a> Merged<'a> {
    /// Merges the edits of one file in the order given.
    pub(crate) fn of(file: &ProjectPath, edits: &[&'a Edit]) -> Self {
        let mut merged = Self::default();
        for edit in edits {
            for insertion in edit.insertions.iter().filter(|insertion| !insertion.new_lines.is_empty()) {
                let lines = merged.insertions.entry(insertion.line_number).or_default();
                lines.extend(insertion.new_lines.iter().map(String::as_str));
            }
            merged.deletions.extend(&edit.deletions);
            for modification in &edit.modifications {
                let (line, second) =
                    (modification.line_number, without_last_terminator(&modification.modified_line));
                let first = *merged.modifications.entry(line).or_insert(second);
                if first != second {
                    let (first, second) = (first.to_owned(), second.to_owned());
                    merged.conflicts.push(ApplyProblem::Conflict { file: file.clone(), line, first, second });
                }
            }
        }
        merged
    }

    /// The lines that are deleted and modified at once; the modification wins.
    pub(crate) fn kept(&self) -> impl Iterator<Item = u32> {
        self.deletions.iter().copied().filter(|line| self.modifications.contains_key(line))
    }

    /// All that does not fit this file.
    fn problems(&self, file: &ProjectPath, source: &Source) -> Vec<ApplyProblem> {
        let count = u32::try_from(source.line_count()).unwrap_or(u32::MAX);
        let mut problems = self.conflicts.clone();
        let mut in_range = |line: u32, last: u32, action: &str| {
            if line == 0 || line > last {
                let action = action.to_owned();
                problems.push(ApplyProblem::OutOfRange { file: file.clone(), line, count, action });
            }
        };
        let end = count.saturating_add(1);
        let insert = format!("insert before (to add lines at the end, insert before line {end})");
        self.insertions.keys().for_each(|line| in_range(*line, end, &insert));
        self.deletions.iter().for_each(|line| in_range(*line, count, "delete"));
        self.modifications.keys().for_each(|line| in_range(*line, count, "modify"));
        for (line, text) in self.texts() {
            problems.extend(unwritable(file, source.encoding(), line, text));
        }
        problems
    }

    /// All new text with the original line that it is for.
    fn texts(&self) -> impl Iterator<Item = (u32, &'a str)> {
        let inserted =
            self.insertions.iter().flat_map(|(line, texts)| texts.iter().map(|text| (*line, *text)));
        inserted.chain(self.modifications.iter().map(|(line, text)| (*line, *text)))
    }

    /// The file after these edits, or all that does not fit it.
    pub(crate) fn splice(&self, file: &ProjectPath, source: &Source) -> Result<String, Vec<ApplyProblem>> {
        let problems = self.problems(file, source);
        if problems.is_empty() { Ok(self.spliced(source.text())) } else { Err(problems) }
    }

    /// The text after these edits, which must fit it.
    fn spliced(&self, source: &str) -> String {
        let newline = usual_end(source);
        let mut text = String::new();
        let mut number = 0;
        let mut last_is_new = false;
        for original in source.split_inclusive('\n') {
            number += 1;
            let (content, terminator) = split_terminator(original);
            last_is_new |= self.insert(number, newline, &mut text);
            match self.modifications.get(&number) {
                // A line that stays as it is keeps what stands in it for a line end.
                Some(new) if *new != content => write(&mut text, new, terminator, newline),
                None if self.deletions.contains(&number) => continue,
                Some(_) | None => text.push_str(original),
            }
            last_is_new = false;
        }
        if self.insertions.contains_key(&(number + 1)) && !text.is_empty() && !text.ends_with('\n') {
            text.push_str(newline);
        }
        last_is_new |= self.insert(number + 1, newline, &mut text);
        // A file that ended without a newline goes on doing so where its end is new.
        if last_is_new && !source.is_empty() && !source.ends_with('\n') {
            text.truncate(split_terminator(&text).0.len());
        }
        text
    }

    /// Writes the text that is inserted before this line; false if there is none.
    fn insert(&self, number: u32, newline: &str, out: &mut String) -> bool {
        let texts = self.insertions.get(&number);
        texts
            .into_iter()
            .flatten()
            .for_each(|text| write(out, without_last_terminator(text), newline, newline));
        texts.is_some()
    }
}

/// The characters of a text that its file, in this encoding, cannot hold.
pub(crate) fn unwritable(
    file: &ProjectPath,
    encoding: Encoding,
    line: u32,
    text: &str,
) -> impl Iterator<Item = ApplyProblem> {
    let nul = text.contains('\0').then(|| ApplyProblem::Nul { file: file.clone(), line });
    let strange = |letter: &char| encoding == Encoding::Latin1 && u8::try_from(*letter).is_err();
    let strange = text.chars().find(strange);
    let strange = strange.map(|character| ApplyProblem::Unencodable { file: file.clone(), line, character });
    nul.into_iter().chain(strange)
}

/// Adds new text, which may be several lines, and ends it with `terminator`.
fn write(out: &mut String, text: &str, terminator: &str, newline: &str) {
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        out.push_str(line.strip_suffix('\r').unwrap_or(line));
        out.push_str(if lines.peek().is_some() { newline } else { terminator });
    }
}

/// A line (or a text, at its end) and its terminator, which is empty where there is none.
fn split_terminator(line: &str) -> (&str, &str) {
    let content = line.strip_suffix('\n').map_or(line, |rest| rest.strip_suffix('\r').unwrap_or(rest));
    line.split_at(content.len())
}

/// Lines as one text, each once whether or not it brings its line end; the text ends with one where the last line does.
pub fn joined_lines(lines: &[&str]) -> String {
    let bare: Vec<&str> = lines.iter().copied().map(without_last_terminator).collect();
    let end = if lines.last().is_some_and(|last| last.ends_with('\n')) { "\n" } else { "" };
    bare.join("\n") + end
}

/// New text as a model writes it: with or without a newline at its end, which means the same.
pub(crate) fn without_last_terminator(text: &str) -> &str {
    split_terminator(text).0
}

/// Text in the encoding of its file. The text must fit it.
pub(crate) fn encode(encoding: Encoding, text: &str) -> Vec<u8> {
    match encoding {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Utf8WithMark => ["\u{feff}".as_bytes(), text.as_bytes()].concat(),
        Encoding::Latin1 => text.chars().map(|character| u8::try_from(character).unwrap_or(b'?')).collect(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::edit::{Insertion, Modification};

    /// An edit from a short form: `+2 text` inserts before line 2 (several lines: `|` between them), `-2` deletes,
    /// `=2 text` modifies (`|` for a newline in the text).
    fn edit(parts: &[&str]) -> Edit {
        let mut edit = Edit::default();
        for part in parts {
            let (number, text) = part[1..].split_once(' ').unwrap_or((&part[1..], ""));
            let line_number = number.parse().unwrap();
            match &part[..1] {
                "+" => {
                    let new_lines = text.split('|').map(str::to_owned).collect();
                    edit.insertions.push(Insertion { line_number, new_lines });
                }
                "-" => edit.deletions.push(line_number),
                "=" => {
                    edit.modifications
                        .push(Modification { line_number, modified_line: text.replace('|', "\n") });
                }
                other => panic!("{other}"),
            }
        }
        edit
    }

    fn spliced(before: &[u8], edits: &[&Edit]) -> Result<Vec<u8>, Vec<String>> {
        let file = ProjectPath::new("a.txt").unwrap();
        let source = Source::decode(before.to_vec()).unwrap();
        let result = Merged::of(&file, edits).splice(&file, &source);
        let text = result.map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>());
        Ok(encode(source.encoding(), &text?))
    }

    #[test]
    fn edits_refer_to_original_lines_and_keep_all_other_bytes() {
        fn check(before: impl AsRef<[u8]>, parts: &[&str], expect: impl AsRef<[u8]>) {
            let got = spliced(before.as_ref(), &[&edit(parts)]).unwrap();
            let (got, expect) = (String::from_utf8_lossy(&got), String::from_utf8_lossy(expect.as_ref()));
            assert_eq!(got, expect, "{parts:?}");
        }
        check("a\nb\nc\n", &["+2 x"], "a\nx\nb\nc\n");
        check("a\nb\nc\n", &["+1 x|y", "+3 z"], "x\ny\na\nb\nz\nc\n");
        check("a\nb\nc\n", &["+3 z", "+1 x", "+3 w"], "x\na\nb\nz\nw\nc\n");
        check("a\nb\nc\n", &["+4 x|y"], "a\nb\nc\nx\ny\n");
        check("a\nb\nc\n", &["-1", "-3", "-3"], "b\n");
        check("a\nb\nc\n", &["-1", "-2", "-3"], "");
        check("a\nb\nc\n", &["=2 x"], "a\nx\nc\n");
        check("a\nb\nc\n", &["=2 x|y"], "a\nx\ny\nc\n");
        check("a\nb\nc\n", &["=2"], "a\n\nc\n");
        check("a\nb\nc\n", &["-2", "=2 x"], "a\nx\nc\n");
        check("a\nb\nc\n", &["-2", "+2 x"], "a\nx\nc\n");
        check("a\nb\nc\n", &["-1", "+2 x", "=3 y"], "x\nb\ny\n");
        check("\tif (x) {\n\t\ty();\n\t}\n", &["=2 \t\tz();"], "\tif (x) {\n\t\tz();\n\t}\n");
        // An empty text is an empty line; a newline at the end of a text adds nothing.
        check("a\nb\n", &["+2 "], "a\n\nb\n");
        check("a\nb\n", &["=1 x|"], "x\nb\n");
        check("a\nb\n", &["=1 x||"], "x\n\nb\n");
        // The file's own line ends, the usual one where they are mixed.
        check("a\r\nb\r\n", &["+2 x|y", "=1 z"], "z\r\nx\r\ny\r\nb\r\n");
        check("a\r\nb\r\n", &["=1 p|q"], "p\r\nq\r\nb\r\n");
        check("a\r\nb\nc\r\n", &["=2 x", "+3 y"], "a\r\nx\ny\r\nc\r\n");
        check("a\r\nb\nc\n", &["=1 x", "+1 y"], "y\nx\r\nb\nc\n");
        // No newline at the end of the file.
        check("a\nb", &["=1 x"], "x\nb");
        check("a\nb", &["=2 x|y"], "a\nx\ny");
        check("a\nb", &["+3 x"], "a\nb\nx");
        check("a\r\nb", &["+3 x|y"], "a\r\nb\r\nx\r\ny");
        check("a\nb", &["=2 c", "+3 x"], "a\nc\nx");
        check("a\nb", &["-2", "+3 x"], "a\nx");
        check("a\nb", &["-2", "+2 x"], "a\nx");
        check("a\nb", &["-2"], "a\n");
        check("a", &["+2 b"], "a\nb");
        // Files of no lines, and empty lines.
        check("", &["+1 x|y"], "x\ny\n");
        check("\n", &["+1 x"], "x\n\n");
        check("\n\n", &["=2 x"], "\nx\n");
        // Byte order mark, 8-bit and other encodings.
        check("\u{feff}a\nb\n", &["=1 x", "+1 w"], "\u{feff}w\nx\nb\n");
        check("\u{feff}", &["+1 x"], "\u{feff}x\n");
        check("π\nb\n", &["=2 ∑ 😀"], "π\n∑ 😀\n");
        check(b"caf\xe9\nb\xff\n", &["+2 \u{fc}"], b"caf\xe9\n\xfc\nb\xff\n");
    }

    #[test]
    fn a_text_may_end_as_the_file_does() {
        let mut windows = edit(&["=1 x", "+2 y"]);
        windows.modifications[0].modified_line = "x\r\n".to_owned();
        windows.insertions[0].new_lines = vec!["y\r\nz\r\n".to_owned(), "w\n".to_owned()];
        assert_eq!(spliced(b"a\nb\n", &[&windows]).unwrap(), b"x\ny\nz\nw\nb\n");
        assert_eq!(spliced(b"a\r\nb\r\n", &[&windows]).unwrap(), b"x\r\ny\r\nz\r\nw\r\nb\r\n");
    }

    #[test]
    fn several_edits_of_one_file_are_merged() {
        let (first, second) = (edit(&["-1", "+2 x"]), edit(&["+2 y", "=3 z"]));
        assert_eq!(spliced(b"a\nb\nc\n", &[&first, &second]).unwrap(), b"x\ny\nb\nz\n");
        let again = edit(&["=3 z|"]);
        assert_eq!(spliced(b"a\nb\nc\n", &[&second, &again]).unwrap(), b"a\ny\nb\nz\n");
    }

    #[test]
    fn what_does_not_fit_is_refused_as_a_whole() {
        fn check(before: &[u8], parts: &[&str], expect: &[&str]) {
            assert_eq!(spliced(before, &[&edit(parts)]).unwrap_err(), expect, "{parts:?}");
        }
        check(b"a\nb\n", &["-3"], &["`a.txt` has 2 lines, so there is no line 3 to delete"]);
        check(b"a\n", &["-0"], &["`a.txt` has 1 line, so there is no line 0 to delete"]);
        check(b"", &["=1 x"], &["`a.txt` has no lines, so there is no line 1 to modify"]);
        check(
            b"a\nb\n",
            &["+4 x", "=1 y", "=9 z"],
            &[
                "`a.txt` has 2 lines, so there is no line 4 to insert before (to add lines at the end, insert before line 3)",
                "`a.txt` has 2 lines, so there is no line 9 to modify",
            ],
        );
        check(
            b"a\n",
            &["+0 x"],
            &[
                "`a.txt` has 1 line, so there is no line 0 to insert before (to add lines at the end, insert before line 2)",
            ],
        );
        check(
            b"a\nb\n",
            &["=2 x", "=2 y"],
            &["line 2 of `a.txt` is modified twice, to `x` and to `y`; give one text for it"],
        );
        check(
            b"caf\xe9\n",
            &["=1 \u{20ac}1"],
            &[
                "`a.txt` is not in UTF-8 but in an 8-bit encoding that has no `€` (U+20AC); write it as an escape, or leave it \
               out, in the text for line 1",
            ],
        );
        check(
            b"a\n",
            &["+1 x\0"],
            &["the text for line 1 of `a.txt` holds a NUL character; write it as an escape"],
        );
    }
}
