//! `predictions.jsonl`: the patches of a run in SWE-bench's format.

use serde::Serialize;

use super::error::RunError;
use super::files::write_derived;
use super::folder::RunRecord;

/// One line, with the fields of SWE-bench's predictions.
#[derive(Serialize)]
struct Prediction<'a> {
    instance_id: &'a str,
    model_name_or_path: String,
    model_patch: &'a str,
}

impl RunRecord {
    /// The patches of all cases that were answered, one JSON line each in the order of the run; a case that was answered
    /// without a patch has an empty one. Cases without an answer are left out: nothing is known of them.
    pub fn predictions(&self) -> String {
        let mut text = String::new();
        for case in &self.file.cases {
            let Some((_, outcome)) = self.ledger.standing(case) else { continue };
            if !outcome.status.is_answer() {
                continue;
            }
            let prediction = Prediction {
                instance_id: case,
                // What SWE-bench groups by; a slash in it would be a folder there.
                model_name_or_path: format!("{}__{}", self.file.run, outcome.model).replace('/', "_"),
                model_patch: outcome.patch.as_deref().unwrap_or_default(),
            };
            if let Ok(line) = serde_json::to_string(&prediction) {
                text.push_str(&line);
                text.push('\n');
            }
        }
        text
    }

    /// Writes `predictions.jsonl` anew.
    ///
    /// # Errors
    /// When it cannot be written; what was there before stays.
    pub fn write_predictions(&self) -> Result<(), RunError> {
        write_derived(&self.places.predictions(), self.predictions().as_bytes())
    }
}
