//! Edits in the formats in which models write texts to replace.

use serde_json::json;

/// A format.
#[derive(Copy, Clone, Debug)]
pub(super) enum Form {
    /// Blocks of SEARCH and REPLACE.
    Blocks,
    /// A call of an editor, its texts with a line end.
    Call,
    /// The same, its texts without one.
    BareCall,
}

impl Form {
    pub const ALL: [Self; 3] = [Self::Blocks, Self::Call, Self::BareCall];
}

/// An edit in a format; `None` where the format cannot say it.
pub(super) fn written(form: Form, path: &str, old: &[String], new: &[String]) -> Option<String> {
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
    };
    Some(text)
}
