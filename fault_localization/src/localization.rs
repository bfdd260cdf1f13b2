//! Where the bug is: lines that somebody said are faulty, or that the tests are asked for.
//!
//! Lines are given as a unified diff, whose changes are where the bug was, or as a list in the format of those for Defects4J: one
//! `path#line`, `path#line#code` or `path#line#FAULT_OF_OMISSION` a line. The code may hold `#` itself and need not be UTF-8. An omission says that code is missing *before* that line.

mod patch;

use std::fmt;

use patchwright_edits::diff::Patch;
use serde::Serialize;
use serde_json::{Value, json};
use thiserror::Error;

use crate::ranking::Ranking;

/// The word that stands for the code where code is missing.
const OMISSION: &str = "FAULT_OF_OMISSION";

/// Ranked lines that an observation holds at most: nobody looks at more.
const MOST_LINES: usize = 200;

/// The suspicious lines of a bug, given by a user or computed from the tests' coverage.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Localization {
    lines: Vec<FaultyLine>,
    /// Is true if the tests are asked when somebody wants to know.
    spectrum: bool,
}

/// A line that is said to be faulty, or suspected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FaultyLine {
    /// The file as it was given: relative to the project or to a folder of sources.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The code of the line, where it was given.
    pub code: Option<String>,
    /// Is true if code is missing before the line, rather than wrong in it.
    pub omission: bool,
    /// From 0 to 1; 1 for a line that somebody said is faulty.
    pub suspiciousness: f64,
}

/// A line of the list that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "line {line} of the fault localisation: {problem} in `{text}`; expected path#line, path#line#code or path#line#{OMISSION}"
)]
pub struct LocalizationError {
    /// The line of the list, from 1.
    pub line: usize,
    /// The problem.
    pub problem: &'static str,
    /// The line's text.
    pub text: String,
}

impl Localization {
    /// Nobody said anything.
    pub fn none() -> Self {
        Self::default()
    }

    /// The lines are found by running the tests, when somebody wants to know.
    pub fn spectrum() -> Self {
        Self { lines: Vec::new(), spectrum: true }
    }

    /// The most suspicious lines of a ranking.
    pub fn ranked(ranking: &Ranking) -> Self {
        let lines = ranking.lines.iter().take(MOST_LINES).map(|line| FaultyLine {
            suspiciousness: line.suspiciousness,
            ..FaultyLine::known(&line.path, line.line, None)
        });
        Self { lines: lines.collect(), spectrum: false }
    }

    /// Reads a list or a unified diff. Blank lines are skipped.
    ///
    /// # Errors
    /// The first line that cannot be read.
    pub fn parse(list: &[u8]) -> Result<Self, LocalizationError> {
        let diff = Patch::readable(list);
        if diff.files.iter().any(|file| !file.hunks.is_empty()) {
            return Ok(Self::of(&diff));
        }
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
        Ok(Self { lines, spectrum: false })
    }

    /// The lines, in the order of the list; most suspicious first.
    pub fn lines(&self) -> &[FaultyLine] {
        &self.lines
    }

    /// Is true if the lines are found by running the tests.
    pub fn is_spectrum(&self) -> bool {
        self.spectrum
    }

    /// The lines for programs: path, line, suspiciousness, and whether code is missing before it.
    pub fn data(&self) -> Value {
        let line = |line: &FaultyLine| {
            // Digits beyond these differ by how a machine rounds.
            let suspiciousness = (line.suspiciousness * 1e6).round() / 1e6;
            json!({"path": line.path, "line": line.line, "suspiciousness": suspiciousness, "omission": line.omission})
        };
        json!({ "lines": self.lines.iter().map(line).collect::<Vec<_>>() })
    }
}

impl FaultyLine {
    /// A line that is known to be faulty.
    fn known(path: &str, line: u32, code: Option<String>) -> Self {
        Self { path: path.to_owned(), line, code, omission: false, suspiciousness: 1.0 }
    }

    /// Code that is known to be missing before a line.
    fn omission(path: &str, line: u32) -> Self {
        Self { omission: true, ..Self::known(path, line, None) }
    }

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
        if code.is_some_and(|code| code.trim() == OMISSION) {
            return Ok(Self::omission(path, line));
        }
        Ok(Self::known(path, line, code.map(str::to_owned)))
    }
}

/// As in a list.
impl fmt::Display for FaultyLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}#{}", self.path, self.line)?;
        match &self.code {
            _ if self.omission => write!(formatter, "#{OMISSION}"),
            Some(code) => write!(formatter, "#{code}"),
            None => Ok(()),
        }
    }
}
