//! The prediction that logs are of, and what people should know of it.

use std::path::Path;

use patchwright_folder::{LONGEST_LOG, read_file};
use patchwright_suites::LoadError;
use patchwright_swe_bench::text::decode;
use patchwright_swe_bench::{PredictedPatch, Prediction, Row, is_test};

use crate::layout::{PATCH, SPEC};
use crate::predictions::{
    TestPatch, added_files, changes_of_tests, lost_lines, production_files, prose, without_binaries,
};

/// What is told of a prediction, `patch` as it is applied; a script that it adds is what is run.
pub(crate) fn odd(prediction: Option<&Prediction>, patch: &str, script: bool) -> Vec<String> {
    let prose = prose(prediction.and_then(Prediction::text).unwrap_or(patch)).map(|first| {
        format!("prose stands around the diff in the field `model_patch`, such as `{first}`; git passes over it, but give the diff alone")
    });
    mixed(patch, script).into_iter().chain(prose).collect()
}

/// What is told where a prediction changes more than tests. A script that it adds is what is run.
fn mixed(patch: &str, script: bool) -> Option<String> {
    let added = if script { added_files(patch) } else { Vec::new() };
    let others: Vec<String> =
        production_files(patch).into_iter().filter(|path| !added.contains(path)).collect();
    (!others.is_empty()).then(|| {
        format!(
            "the prediction changes files that are no tests, which are applied too: {}",
            others.join(", ")
        )
    })
}

/// What is told where a prediction takes away what tests check so far.
pub(crate) fn weakened(patch: &str) -> Option<String> {
    let lost = lost_lines(patch).into_iter().filter(|(path, _)| is_test(path));
    let told: Vec<String> = lost.map(|(path, count)| format!("{path} ({count} lines)")).collect();
    (!told.is_empty()).then(|| {
        format!(
            "the prediction changes or removes lines of tests that are there, so that what these check may not be checked any more: {}",
            told.join(", ")
        )
    })
}

/// What is told where the logs are of the tests of a prediction that holds more.
pub(crate) const TESTS_ALONE: &str = "its logs are of its test files alone; officially all of it is applied";

/// What of a prediction was run.
pub(crate) enum LoggedPatch {
    /// All of it, or nothing says otherwise.
    Whole,
    /// Its tests.
    Tests,
    /// It is another one.
    Another,
}

impl LoggedPatch {
    /// `patch` is the one beside the logs.
    pub(crate) fn of(prediction: Option<&Prediction>, patch: &str) -> Self {
        let Some(PredictedPatch::Text(predicted)) = prediction.map(|prediction| &prediction.patch) else {
            return Self::Whole;
        };
        let is_same = |text: &str| text.trim_end() == patch.trim_end();
        // What was extracted from custom blocks is another text than the prediction.
        let is_other = !predicted.contains("diff --git ");
        if is_other || is_same(predicted) || is_same(&without_binaries(predicted)) {
            Self::Whole
        } else if TestPatch::of(predicted, None).is_ok_and(|tests| is_same(&tests.diff))
            || is_worked_out(predicted, patch)
        {
            Self::Tests
        } else {
            Self::Another
        }
    }
}

/// Is true if a diff makes the changes of a prediction to its tests, wherever its hunks did not fit.
fn is_worked_out(predicted: &str, patch: &str) -> bool {
    let changes = changes_of_tests(predicted);
    !changes.is_empty() && changes == changes_of_tests(patch)
}

/// The reason why logs are not those of a prediction, where something says so.
pub(crate) fn foreign(
    folder: &Path,
    patch: &str,
    row: &Row,
    prediction: Option<&Prediction>,
) -> Result<Option<String>, LoadError> {
    if let LoggedPatch::Another = LoggedPatch::of(prediction, patch) {
        return Ok(Some(format!(
            "its logs are of another prediction (see {})",
            folder.join(PATCH).display()
        )));
    }
    let spec =
        text(&folder.join(SPEC))?.and_then(|spec| serde_json::from_str::<serde_json::Value>(&spec).ok());
    let field = |name: &str| spec.as_ref()?.get(name)?.as_str().map(str::to_owned);
    for (name, own) in [("instance_id", &row.instance_id), ("repo", &row.repo)] {
        if let Some(other) = field(name).filter(|other| other != own) {
            return Ok(Some(format!("its logs are of another case: `{name}` in `{SPEC}` is {other}")));
        }
    }
    Ok(None)
}

/// The text of a file; none where there is no such file.
pub(crate) fn text(file: &Path) -> Result<Option<String>, LoadError> {
    match read_file(file, LONGEST_LOG) {
        Ok(bytes) => Ok(Some(decode(bytes))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(LoadError {
            place: file.display().to_string(),
            message: format!("it cannot be read: {error}"),
        }),
    }
}
