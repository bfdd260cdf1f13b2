//! The lines that a user named as faulty, as text for a model.

use std::collections::BTreeMap;

use patchwright_fault_localization::{FaultyLine, Localization};
use patchwright_protocol::Failure;
use patchwright_syntax::{Project, Source};

use crate::render::{self, Stop};

/// The lines of a localisation with the code that stands there now, file by file; none when there are no lines.
///
/// # Errors
/// When the project cannot be listed or read.
pub fn named_lines(localization: &Localization, project: &Project) -> Result<Option<String>, Failure> {
    if localization.lines().is_empty() {
        return Ok(None);
    }
    let mut text = String::from("Lines that were named as faulty for this bug:\n");
    let mut by_path: BTreeMap<&str, Vec<&FaultyLine>> = BTreeMap::new();
    for line in localization.lines() {
        by_path.entry(&line.path).or_default().push(line);
    }
    for (path, mut lines) in by_path {
        lines.sort_by_key(|line| (line.line, !line.omission));
        let (title, source) = match render::open(project, path) {
            Ok(found) => (found.path.to_string(), Some(found.source)),
            Err(Stop::Tell(problem)) => (format!("{path} ({problem})"), None),
            Err(Stop::Fail(error)) => return Err(error),
        };
        text.push_str(&format!("{title}\n"));
        let code = source.as_ref().map(Source::lines).unwrap_or_default();
        for line in lines {
            // Where the file is not there, what was given with the line is all that is known.
            let given = if source.is_none() { line.code.as_deref() } else { None };
            text.push_str(&line_text(line, code.get(line.line as usize - 1).copied().or(given)));
        }
    }
    Ok(Some(text))
}

fn line_text(line: &FaultyLine, code: Option<&str>) -> String {
    let what = if line.omission { "(code is missing before this line) " } else { "" };
    format!("{}: {what}{}\n", line.line, code.unwrap_or("(not there)"))
}
