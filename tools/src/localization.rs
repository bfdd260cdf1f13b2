//! Lines that somebody said are faulty.
//!
//! The format is that of the lists for Defects4J: one `path#line`, `path#line#code` or `path#line#FAULT_OF_OMISSION` a
//! line. The code may hold `#` itself and need not be UTF-8. An omission says that code is missing *before* that line.

use std::collections::BTreeMap;

use patchwright_code::{Project, Source};
use serde::Serialize;
use thiserror::Error;

use crate::observation::ToolError;
use crate::render::{self, Stop};

/// What stands for the code where code is missing.
const OMISSION: &str = "FAULT_OF_OMISSION";

/// Lines that somebody said are faulty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Localization {
    lines: Vec<FaultyLine>,
}

/// A line that somebody said is faulty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FaultyLine {
    /// The file as it was given: relative to the project or to a folder of sources.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The code of the line, where it was given.
    pub code: Option<String>,
    /// Whether code is missing before the line, rather than wrong in it.
    pub omission: bool,
}

/// A line of the list that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "line {line} of the fault localisation: {problem} in `{text}`; expected path#line, path#line#code or path#line#{OMISSION}"
)]
pub struct LocalizationError {
    /// The line of the list, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: &'static str,
    /// The line's text.
    pub text: String,
}

impl Localization {
    /// Nobody said anything.
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads a list. Blank lines are skipped.
    ///
    /// # Errors
    /// The first line that cannot be read.
    pub fn parse(list: &[u8]) -> Result<Self, LocalizationError> {
        let mut lines = Vec::new();
        for (index, raw) in list.split(|byte| *byte == b'\n').enumerate() {
            let text = String::from_utf8_lossy(raw);
            let text = text.trim_end_matches('\r');
            if text.trim().is_empty() {
                continue;
            }
            let wrong = |problem| LocalizationError { line: index + 1, problem, text: text.to_owned() };
            lines.push(FaultyLine::parse(text).map_err(wrong)?);
        }
        Ok(Self { lines })
    }

    /// The lines, in the order of the list.
    pub fn lines(&self) -> &[FaultyLine] {
        &self.lines
    }

    /// The lines with the code that stands there now, file by file; none when there are no lines.
    ///
    /// # Errors
    /// When the project cannot be listed or read.
    pub fn render(&self, project: &Project) -> Result<Option<String>, ToolError> {
        if self.lines.is_empty() {
            return Ok(None);
        }
        let mut text = String::from("Lines that were named as faulty for this bug:\n");
        let mut by_path: BTreeMap<&str, Vec<&FaultyLine>> = BTreeMap::new();
        for line in &self.lines {
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
}

impl FaultyLine {
    fn parse(text: &str) -> Result<Self, &'static str> {
        let mut parts = text.splitn(3, '#');
        let path = parts.next().unwrap_or_default().trim();
        if path.is_empty() {
            return Err("no path");
        }
        let line: u32 = parts.next().ok_or("no line number")?.trim().parse().map_err(|_| "no line number")?;
        if line == 0 {
            return Err("lines are counted from 1, 0 stands");
        }
        let code = parts.next();
        let omission = code.is_some_and(|code| code.trim() == OMISSION);
        let code = code.filter(|_| !omission).map(str::to_owned);
        Ok(Self { path: path.to_owned(), line, code, omission })
    }
}

fn line_text(line: &FaultyLine, code: Option<&str>) -> String {
    let what = if line.omission { "(code is missing before this line) " } else { "" };
    format!("{}: {what}{}\n", line.line, code.unwrap_or("(not there)"))
}
