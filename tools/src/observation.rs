//! The result of a tool.

use patchwright_protocol::{SourceLines, ToolOutcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The result of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The text for the model. Relative to the project and the same for the same events: no times, no paths of this machine.
    pub text: String,
    /// The typed result. What is worth keeping stands here, too, under `gathered` (see [`GatheredInformation`]), so that the memory of a
    /// session can be rebuilt from its events.
    pub data: Value,
    /// What the call came to.
    pub outcome: ToolOutcome,
    /// The part of it that is worth showing in later prompts.
    pub gathered: Option<GatheredInformation>,
}

/// The part of an observation that is added to the gathered information.
///
/// In JSON: `"text"`, `{"lines": {"path": …, "lines": [[1, "…"]], "note": …}}`, or `{"files": […]}` with such objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GatheredInformation {
    /// Lines of a file.
    Lines(SourceLines),
    /// Lines of several files, or several ranges of one.
    Files(Vec<SourceLines>),
    /// The text of the observation.
    Text,
}

impl Observation {
    /// The tool did its job.
    pub fn done(text: impl Into<String>, data: Value) -> Self {
        Self { text: text.into(), data, outcome: ToolOutcome::Done, gathered: None }
    }

    /// The tool could not do its job, and the text says what to do about it.
    pub fn refused(text: impl Into<String>) -> Self {
        Self { text: text.into(), data: serde_json::json!({}), outcome: ToolOutcome::Refused, gathered: None }
    }

    /// The same with another outcome.
    pub fn with_outcome(self, outcome: ToolOutcome) -> Self {
        Self { outcome, ..self }
    }

    /// The same, with its text kept for later prompts.
    pub fn keep_text(mut self) -> Self {
        self.gathered = Some(GatheredInformation::Text);
        self
    }

    /// The same, with these lines kept for later prompts.
    pub fn keep_lines(
        mut self,
        path: impl Into<String>,
        lines: Vec<(u32, String)>,
        note: Option<String>,
    ) -> Self {
        self.gathered = Some(GatheredInformation::Lines(SourceLines { path: path.into(), lines, note }));
        self
    }

    /// Several observations of one call as one, which keeps the lines of all and, behind them, why others were refused.
    pub(crate) fn joined(all: Vec<Self>) -> Self {
        let texts: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
        let text = texts.join("\n");
        let refused =
            all.iter().filter(|one| !one.outcome.advances()).map(|one| one.text.trim_end().to_owned());
        let refused: Vec<String> = refused.collect();
        let (data, gathered): (Vec<Value>, Vec<_>) =
            all.into_iter().map(|one| (one.data, one.gathered)).unzip();
        let files = gathered.into_iter().flatten().map(|kept| match kept {
            GatheredInformation::Lines(lines) => vec![lines],
            GatheredInformation::Files(files) => files,
            GatheredInformation::Text => Vec::new(),
        });
        let mut files: Vec<SourceLines> = files.flatten().collect();
        if let Some(last) = files.last_mut().filter(|_| !refused.is_empty()) {
            last.note = Some(last.note.take().into_iter().chain(refused).collect::<Vec<_>>().join("\n"));
        }
        let gathered = Some(GatheredInformation::Files(files));
        Self { gathered, ..Self::done(text, serde_json::json!({ "parts": data })) }
    }

    /// The part that is worth keeping, as the typed result of an observation says it; for memories that are rebuilt from events.
    pub fn gathered_of(data: &Value) -> Option<GatheredInformation> {
        data.get("gathered").and_then(|kept| GatheredInformation::deserialize(kept).ok())
    }
}
