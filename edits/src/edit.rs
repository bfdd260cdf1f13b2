//! The parts of a fix.
//!
//! An [`Edit`] is the one value that every format of edits is read into (see [`crate::formats`]), and that
//! [`crate::apply()`] works from. Its first form is the one of the RepairAgent paper (Fig. 5): per file, lines to insert,
//! delete and modify. Every number counts lines of the file as it was before any edit, from 1, so that the parts of
//! a fix never shift each other. The other forms name text instead of lines.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The changes to one file. All line numbers are those of the original file, counted from 1.
/// ```
/// use patchwright_edits::{Edit, EditRules, apply};
/// use patchwright_syntax::Project;
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("half.py"), "def half(x):\n    return x / 3\n")?;
/// let edit: Edit = serde_json::from_str(
///     r#"{"file_path": "half.py", "modifications": [{"line_number": 2, "modified_line": "    return x / 2"}]}"#,
/// )?;
/// let applied = apply(&Project::open(folder.path())?, &[edit], &EditRules::default())?;
/// assert!(applied.diff().ends_with("-    return x / 3\n+    return x / 2\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
// Models read this, without the example.
#[schemars(
    description = "The changes to one file. All line numbers are those of the original file, counted from 1."
)]
pub struct Edit {
    /// The file to change, relative to the root of the project.
    #[serde(alias = "file_name")]
    pub file_path: String,
    /// Lines to add.
    #[serde(default, deserialize_with = "null_as_empty")]
    pub insertions: Vec<Insertion>,
    /// Numbers of the lines to remove.
    #[serde(default, deserialize_with = "null_as_empty")]
    pub deletions: Vec<u32>,
    /// Lines to replace.
    #[serde(default, deserialize_with = "null_as_empty")]
    pub modifications: Vec<Modification>,
    /// Texts to replace, where the text is known better than its line numbers.
    #[serde(default, deserialize_with = "null_as_empty", skip_serializing_if = "Vec::is_empty")]
    pub replacements: Vec<Replacement>,
    /// The whole text of a file that does not exist yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Functions, methods or classes to put in the place of those of the same name, or to add.
    #[serde(default, deserialize_with = "null_as_empty", skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub definitions: Vec<Definition>,
    /// Is true if the file is to be deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub delete: bool,
    /// The path that the file shall have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub rename_to: Option<String>,
}

/// Lines to add at one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Insertion {
    /// The new lines go before this line; the number after the last line adds them at the end of the file.
    pub line_number: u32,
    /// The lines with their full indentation, in order.
    #[serde(default, deserialize_with = "null_as_empty")]
    pub new_lines: Vec<String>,
}

/// One line to replace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Modification {
    /// The line to replace.
    pub line_number: u32,
    /// The new text with its full indentation; may hold several lines.
    pub modified_line: String,
}

/// A text to replace by another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Replacement {
    /// Text that stands at exactly one place of the file, copied from it with its indentation.
    pub search: String,
    /// What shall stand there instead; empty to delete it.
    #[serde(default)]
    pub replace: String,
    /// Is true if `search` and `replace` are whole lines, so that a part of a line is no place for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub whole_lines: bool,
    /// The line at which the text is said to begin: it decides between equal places. In a diff an empty `search`
    /// stands before this line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub line: Option<u32>,
    /// Is true if all places are meant and not only one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub all: bool,
    /// Of a diff, the sign of each line, from above: a blank, `-`, `+`, `=` for an unchanged line that is empty, or `?` for an unchanged line without a
    /// sign.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(skip)]
    pub signs: String,
}

/// In [`Replacement::signs`], an unchanged line without a sign. Then no unchanged line of the hunk has one.
pub(crate) const NO_SIGN: char = '?';

impl Replacement {
    /// Whether the unchanged lines of a diff were read without signs. This is correct only if the file contains them exactly.
    pub(crate) fn is_unsigned(&self) -> bool {
        self.signs.contains(NO_SIGN)
    }

    /// The replacement that is meant if the unchanged lines of a diff stand without the blank that is their sign, so that their own first blank was
    /// taken for it; `None` where there are no such lines.
    pub(crate) fn unsigned(&self) -> Option<Self> {
        if !self.signs.contains(' ') {
            return None;
        }
        let side = |text: &str, other: char| -> String {
            let signs = self.signs.chars().filter(|sign| *sign != other);
            let line =
                |(line, sign): (&str, char)| if sign == ' ' { format!(" {line}") } else { line.to_owned() };
            text.split_inclusive('\n').zip(signs).map(line).collect()
        };
        let (search, replace) = (side(&self.search, '+'), side(&self.replace, '-'));
        Some(Self { search, replace, signs: String::new(), ..self.clone() })
    }
}

/// A function, method or class in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// The name of the one that it replaces, `name` or `Class.name`; else the name that stands in the code counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The code, at any indentation.
    pub code: String,
    /// The place that it goes to.
    #[serde(default)]
    pub place: Placement,
}

/// The place that a [`Definition`] goes to.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// In the place of the one of the same name.
    #[default]
    Same,
    /// In the place of the one of the same name at or nearest to this line.
    SameNear(u32),
    /// New, at the start of the file.
    Start,
    /// New, at the end of the file.
    End,
    /// New, between the definitions nearest to this line.
    Near(u32),
}

/// The files that a fix may not change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditRules {
    /// The rules; the first that fits a file gives the reason.
    pub forbidden: Vec<Rule>,
    /// The text of the issue. If it is given, a fix may create a file that developer tools obey without being asked only if the text
    /// names that file. If it is absent, edits may create any file.
    pub bug: Option<String>,
}

/// Files that a fix may not change, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// A pattern for paths relative to the root: `*` stays within one folder, `**/` stands for any folders.
    pub glob: String,
    /// Why, as the end of the sentence "`pom.xml` may not be changed: …".
    pub reason: String,
}

impl Placement {
    /// Is true if it takes the place of no other.
    pub(crate) fn is_new(self) -> bool {
        !matches!(self, Self::Same | Self::SameNear(_))
    }
}

impl Edit {
    /// Is true if the edit changes lines by their numbers.
    pub fn has_numbers(&self) -> bool {
        !(self.deletions.is_empty()
            && self.modifications.is_empty()
            && self.insertions.iter().all(|insertion| insertion.new_lines.is_empty()))
    }

    /// Is true if the edit names a file but nothing to do in it.
    pub fn is_empty(&self) -> bool {
        !self.has_numbers()
            && self.replacements.is_empty()
            && self.definitions.is_empty()
            && self.content.is_none()
            && self.rename_to.is_none()
            && !self.delete
    }
}

/// Models write `null` where they mean an empty list.
fn null_as_empty<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_json_of_the_paper_is_read() {
        fn check(json: &str, expect: &Edit) {
            assert_eq!(serde_json::from_str::<Edit>(json).unwrap(), *expect, "{json}");
        }
        let insertion = Insertion { line_number: 3, new_lines: vec!["a".to_owned(), "b".to_owned()] };
        let modification = Modification { line_number: 5, modified_line: "c".to_owned() };
        let whole = Edit {
            file_path: "x/A.java".to_owned(),
            insertions: vec![insertion],
            deletions: vec![1, 4],
            modifications: vec![modification],
            ..Edit::default()
        };
        check(
            r#"{"file_path": "x/A.java", "insertions": [{"line_number": 3, "new_lines": ["a", "b"]}],
                "deletions": [1, 4], "modifications": [{"line_number": 5, "modified_line": "c"}]}"#,
            &whole,
        );
        let empty = Edit { file_path: "x/A.java".to_owned(), ..Edit::default() };
        check(r#"{"file_path": "x/A.java"}"#, &empty);
        check(
            r#"{"file_name": "x/A.java", "insertions": null, "deletions": null, "modifications": null}"#,
            &empty,
        );
        check(r#"{"file_path": "x/A.java", "target_lines": [["3", "code"]], "deletions": []}"#, &empty);
        assert_eq!(serde_json::from_str::<Edit>(&serde_json::to_string(&whole).unwrap()).unwrap(), whole);
    }

    #[test]
    fn json_that_leaves_out_what_matters_is_refused() {
        fn check(json: &str, expect: &str) {
            let error = serde_json::from_str::<Edit>(json).unwrap_err().to_string();
            assert!(error.starts_with(expect), "{error}");
        }
        check(r#"{"deletions": [1]}"#, "missing field `file_path`");
        check(r#"{"file_path": "a", "insertions": [{"new_lines": ["x"]}]}"#, "missing field `line_number`");
        check(
            r#"{"file_path": "a", "modifications": [{"line_number": 1}]}"#,
            "missing field `modified_line`",
        );
        check(r#"{"file_path": "a", "deletions": [-1]}"#, "invalid value: integer `-1`");
    }

    #[test]
    fn the_schema_describes_every_field() {
        let schema = serde_json::to_value(schemars::schema_for!(Edit)).unwrap();
        let of_line = schema.pointer("/$defs/Insertion/properties/line_number/description").unwrap();
        insta::assert_snapshot!(of_line.as_str().unwrap());
        let schema = schema.to_string();
        for field in [
            "file_path",
            "insertions",
            "line_number",
            "new_lines",
            "deletions",
            "modifications",
            "modified_line",
        ] {
            assert!(schema.contains(&format!("\"{field}\"")), "{field} is missing in {schema}");
        }
    }
}
