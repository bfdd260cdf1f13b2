//! What a fix is made of, and why one may be refused.
//!
//! The form is the one of the RepairAgent paper (Fig. 5): per file, lines to insert, delete and modify. Every number
//! counts lines of the file as it was before any edit, from 1, so that the parts of a fix never shift each other.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::path::{PathError, ProjectPath};
use crate::project::ReadError;

/// The changes to one file. All line numbers are those of the original file, counted from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// Which files a fix may not change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditRules {
    /// The rules; the first that fits a file gives the reason.
    pub forbidden: Vec<Rule>,
}

/// Files that a fix may not change, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// A pattern for paths relative to the root: `*` stays within one folder, `**/` stands for any folders.
    pub glob: String,
    /// Why, as the end of the sentence "`pom.xml` may not be changed: …".
    pub reason: String,
}

/// Why a set of edits was refused. Nothing was changed. Unless said otherwise the message is for whoever wrote the
/// edits, a model included.
#[derive(Debug, Error)]
pub enum EditError {
    /// There are no edits, or they leave every file as it is.
    #[error("the fix changes nothing: after it every file would be the same as before")]
    NoChange,
    /// Edits that do not fit the files they are for; all that was found.
    #[error("the fix cannot be applied: {}", sentences(.problems))]
    DoesNotApply {
        /// What does not fit, in the order of files and lines.
        problems: Vec<Misfit>,
    },
    /// A file that a fix may not change.
    #[error("`{file}` may not be changed: {reason}")]
    NotAllowed {
        /// The file.
        file: ProjectPath,
        /// The reason that the rule gives.
        reason: String,
    },
    /// The file would have a syntax error that it did not have before.
    #[error("the fix would break the syntax of `{file}`: line {line} would be `{text}` ({problem})")]
    SyntaxError {
        /// The file.
        file: ProjectPath,
        /// The line in the file as it would be after the edit, from 1.
        line: u32,
        /// The text of that line.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The file cannot be found, or not uniquely, or lies outside of the project.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The file cannot be read as source.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A rule is not a valid pattern. Whoever configured the rules must act.
    #[error("the pattern `{glob}` for files that may not be changed is not valid: {message}")]
    BadRule {
        /// The pattern.
        glob: String,
        /// What is wrong with it.
        message: String,
    },
}

/// One reason why edits do not fit a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Misfit {
    /// A line number that the file does not have.
    #[error("`{file}` has {}, so there is no line {line} to {action}{}", lines(*.count), advice(*.action, *.count))]
    OutOfRange {
        /// The file.
        file: ProjectPath,
        /// The number that was given.
        line: u32,
        /// How many lines the file has.
        count: u32,
        /// What was to be done there.
        action: Action,
    },
    /// One line shall become two different things.
    #[error(
        "line {line} of `{file}` is modified twice, to `{first}` and to `{second}`; give one text for it"
    )]
    Conflict {
        /// The file.
        file: ProjectPath,
        /// The line.
        line: u32,
        /// One text for it.
        first: String,
        /// Another text for it.
        second: String,
    },
    /// A character that the encoding of the file has no place for.
    #[error(
        "`{file}` is not in UTF-8 but in an 8-bit encoding that has no {}; write it as an escape, or leave it out, in the \
         text for line {line}", shown(*.character)
    )]
    Unencodable {
        /// The file.
        file: ProjectPath,
        /// The original line that the text is for.
        line: u32,
        /// The first such character.
        character: char,
    },
    /// A NUL character, which makes a file a binary one.
    #[error("the text for line {line} of `{file}` holds a NUL character; write it as an escape")]
    Nul {
        /// The file.
        file: ProjectPath,
        /// The original line that the text is for.
        line: u32,
    },
}

/// What an edit does at a line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Insert before it.
    Insert,
    /// Delete it.
    Delete,
    /// Replace it.
    Modify,
}

impl std::fmt::Display for Action {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Insert => "insert before",
            Self::Delete => "delete",
            Self::Modify => "modify",
        })
    }
}

impl Edit {
    /// Whether the edit names a file but nothing to do in it.
    pub fn is_empty(&self) -> bool {
        self.deletions.is_empty()
            && self.modifications.is_empty()
            && self.insertions.iter().all(|insertion| insertion.new_lines.is_empty())
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

fn sentences(problems: &[Misfit]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn lines(count: u32) -> String {
    match count {
        0 => "no lines".to_owned(),
        1 => "1 line".to_owned(),
        _ => format!("{count} lines"),
    }
}

fn advice(action: Action, count: u32) -> String {
    match action {
        Action::Insert => {
            format!(" (to add lines at the end, insert before line {})", count.saturating_add(1))
        }
        Action::Delete | Action::Modify => String::new(),
    }
}

fn shown(character: char) -> String {
    format!("`{character}` (U+{:04X})", u32::from(character))
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
        let schema = serde_json::to_string(&schemars::schema_for!(Edit)).unwrap();
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
        assert!(schema.contains("go before this line"), "{schema}");
    }
}
