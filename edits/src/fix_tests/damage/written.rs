//! Edits in the formats in which models write texts to replace.

use serde_json::json;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::changes::Change;

/// A format.
#[derive(Copy, Clone, Debug)]
pub(super) enum Form {
    /// Blocks of SEARCH and REPLACE.
    Blocks,
    /// A call of an editor, its texts with a line end.
    Call,
    /// The same, its texts without one.
    BareCall,
    /// Tags around the code.
    Tags,
    /// A diff without line numbers.
    BareDiff,
    /// A diff whose line numbers and counts are wrong, and whose blank lines lost their sign.
    WrongDiff,
}

impl Form {
    pub const ALL: [Self; 6] =
        [Self::Blocks, Self::Call, Self::BareCall, Self::Tags, Self::BareDiff, Self::WrongDiff];
}

/// An edit in a format; `None` where the format cannot say it.
pub(super) fn written(form: Form, change: &Change, old: &[String], new: &[String]) -> Option<String> {
    let path = &change.path;
    let blank_end = |lines: &[String]| lines.last().is_some_and(String::is_empty);
    let lines = |lines: &[String]| lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect::<String>();
    let text = match form {
        Form::Blocks => {
            format!("{path}\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n", lines(old), lines(new))
        }
        Form::Call => json!({ "path": path, "old_str": lines(old), "new_str": lines(new) }).to_string(),
        Form::BareCall if blank_end(old) || blank_end(new) => return None,
        Form::BareCall => {
            json!({ "path": path, "old_str": old.join("\n"), "new_str": new.join("\n") }).to_string()
        }
        Form::Tags => format!(
            "<file>{path}</file>\n<original>{}</original>\n<patched>{}</patched>\n",
            lines(old),
            lines(new)
        ),
        Form::BareDiff => diff(path, "@@", &signed(old, new)),
        Form::WrongDiff => {
            let head = format!("@@ -{},1 +{},99 @@", change.first + 40, change.first + 7);
            diff(path, &head, &signed(old, new).replace("\n \n", "\n\n"))
        }
    };
    Some(text)
}

fn diff(path: &str, head: &str, body: &str) -> String {
    format!("```diff\n--- a/{path}\n+++ b/{path}\n{head}\n{body}```\n")
}

/// The lines of a hunk.
fn signed(old: &[String], new: &[String]) -> String {
    let line = |sign: char| move |line: &String| format!("{sign}{line}\n");
    let hunk = |operation: similar::DiffOp| {
        let (old, new) = (&old[operation.old_range()], &new[operation.new_range()]);
        if operation.tag() == DiffTag::Equal {
            return old.iter().map(line(' ')).collect::<String>();
        }
        old.iter().map(line('-')).chain(new.iter().map(line('+'))).collect()
    };
    capture_diff_slices(Algorithm::Myers, old, new).into_iter().map(hunk).collect()
}
