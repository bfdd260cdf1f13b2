//! Predictions: for each case the patch that a model wrote.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use patchwright_edits::diff;
use patchwright_folder::{LONGEST_DATA_SET, read_file};
use patchwright_suites::LoadError;
use serde_json::{Map, Value};

use super::rows::{Dataset, Element, Fields, Row, json, json_lines, numbered};
use super::rules::Rules;

/// Ids that a message names at most.
const NAMED: usize = 5;

/// The patch of a prediction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PredictedPatch {
    /// `null`, or no such field.
    Null,
    /// As the model wrote it, perhaps empty.
    Text(String),
    /// Not known: only the log of the run is there.
    Unknown,
}

/// The answer of a model to a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// The case.
    pub instance_id: String,
    /// The model, which names folders of logs and files of reports. `/` becomes `__` there: see [`folder_of`].
    pub model: String,
    /// Its patch.
    pub patch: PredictedPatch,
}

impl Prediction {
    /// The text of its patch, where it is known.
    pub fn text(&self) -> Option<&str> {
        match &self.patch {
            PredictedPatch::Text(text) => Some(text),
            PredictedPatch::Null | PredictedPatch::Unknown => None,
        }
    }

    /// Is true if there is nothing to apply; such a prediction is never run.
    pub fn is_empty(&self, rules: Rules) -> bool {
        match &self.patch {
            PredictedPatch::Null => true,
            PredictedPatch::Text(text) => {
                text.is_empty() || (rules.book().blank_patch_is_empty && text.trim().is_empty())
            }
            PredictedPatch::Unknown => false,
        }
    }

    /// The patch as it has to be written for `git apply`, which calls a patch without a final newline corrupt.
    pub fn applicable(&self) -> Cow<'_, str> {
        match &self.patch {
            PredictedPatch::Text(text) if !text.is_empty() && !text.ends_with('\n') => {
                Cow::Owned(format!("{text}\n"))
            }
            PredictedPatch::Text(text) => Cow::Borrowed(text),
            PredictedPatch::Null | PredictedPatch::Unknown => Cow::Borrowed(""),
        }
    }

    /// Notes that people should know of the patch before they believe a verdict.
    pub fn notes(&self, row: &Row) -> Vec<String> {
        let PredictedPatch::Text(text) = &self.patch else { return Vec::new() };
        let mut notes = Vec::new();
        if !text.is_empty() && !text.ends_with('\n') {
            notes.push("the patch has no final newline; one is added where it is applied".to_owned());
        }
        let tests = test_files(text, row);
        if !tests.is_empty() {
            notes.push(format!("the patch touches tests: {}", tests.join(", ")));
        }
        notes
    }
}

/// Files of the patch that the case's own test patch touches, or that are tests by their path.
fn test_files(patch: &str, row: &Row) -> Vec<String> {
    let paths = |diff: &str| -> Vec<String> {
        let files = diff::Patch::readable(diff.as_bytes()).files;
        let both = files.iter().flat_map(|file| [file.old_path(), file.new_path()]);
        let mut paths: Vec<String> = both.flatten().map(str::to_owned).collect();
        paths.dedup();
        paths
    };
    let own = paths(&row.test_patch);
    let mut tests: Vec<String> =
        paths(patch).into_iter().filter(|path| own.contains(path) || is_test(path)).collect();
    tests.dedup();
    tests
}

/// Is true if a path is that of a test, or of what tests are given, by the names of the file and its folders.
pub fn is_test(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    let file = parts.next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or(file);
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem == "conftest"
        || parts.any(|folder| matches!(folder, "test" | "tests" | "testing" | "__tests__"))
}

/// The name of a model as a part of a path. What cannot be one, such as `..`, is written otherwise than the official program
/// does.
pub fn folder_of(model: &str) -> String {
    const LONGEST: usize = 200;
    let mut name = model.replace(['/', '\0'], "__");
    name.truncate(name.floor_char_boundary(LONGEST));
    if name.chars().all(|letter| letter == '.') { format!("_{name}") } else { name }
}

/// Predictions, at most one of each model for each case.
#[derive(Clone, Debug, Default)]
pub struct Predictions {
    list: Vec<Prediction>,
    /// The places of the predictions for a case.
    places: HashMap<String, Vec<usize>>,
    warnings: Vec<String>,
    /// The folders of models that were told apart from these: their logs are not of these.
    others: Vec<String>,
}

impl Predictions {
    /// Reads a `.json` file (a list of predictions, or an object from id to prediction) or a `.jsonl` file.
    /// Where a model answers to an id twice its last answer counts, and what is for another dataset is left out;
    /// warnings say so.
    ///
    /// # Errors
    /// A file that cannot be read or has another form, a field of the wrong type, no id that the dataset has. The
    /// message names file, element and field and says what to do.
    pub fn load(path: &Path, dataset: &Dataset) -> Result<Self, LoadError> {
        Self::load_as(path, dataset, None)
    }

    /// As [`Predictions::load`]; the model of predictions that name none is called `unnamed`.
    ///
    /// # Errors
    /// As there.
    pub fn load_as(path: &Path, dataset: &Dataset, unnamed: Option<&str>) -> Result<Self, LoadError> {
        let mut predictions = Self::default();
        let (mut unknown, mut left_out) = (Vec::new(), Vec::new());
        for (place, value) in elements(path)? {
            let prediction = prediction(&place, value?, unnamed, &mut predictions.warnings)?;
            if let Some(why) = dataset.left_out(&prediction.instance_id) {
                left_out.push(format!("{} ({why})", prediction.instance_id));
            } else if dataset.get(&prediction.instance_id).is_none() {
                unknown.push(prediction.instance_id);
            } else if let Some(earlier) = predictions.put(prediction) {
                predictions
                    .warnings
                    .push(format!("{place}: `{earlier}` was predicted before; the last one counts"));
            }
        }
        let wrong = |ids: &[String], what: &str, cure: &str| LoadError {
            place: format!("{}, field `instance_id`", path.display()),
            message: format!(
                "{} of the ids {what}: {}{}; {cure}",
                ids.len(),
                ids[..ids.len().min(NAMED)].join(", "),
                if ids.len() > NAMED { ", …" } else { "" }
            ),
        };
        let mut errors = Vec::new();
        if !left_out.is_empty() {
            let what = "are of rows that were left out of the dataset";
            errors.push(wrong(
                &left_out,
                what,
                "put the rows right, or choose their cases, to have them judged",
            ));
        }
        if !unknown.is_empty() {
            let cure = "remove them, or name the dataset that they belong to";
            errors.push(wrong(&unknown, "are not in the dataset", cure));
        }
        if predictions.list.is_empty()
            && let Some(error) = errors.pop()
        {
            return Err(error);
        }
        let told = errors.iter().map(|error| format!("{error}; these predictions are left out"));
        predictions.warnings.extend(told);
        Ok(predictions)
    }

    /// The developers' patches, as a check of the dataset. The model is called `gold`.
    pub fn gold(dataset: &Dataset) -> Self {
        let gold = |row: &Row| Prediction {
            instance_id: row.instance_id.clone(),
            model: "gold".to_owned(),
            patch: PredictedPatch::Text(row.patch.clone()),
        };
        Self::new(dataset.rows().iter().map(gold))
    }

    /// These predictions; where a model answers to an id twice the last counts.
    pub fn new(list: impl IntoIterator<Item = Prediction>) -> Self {
        let mut predictions = Self::default();
        for prediction in list {
            predictions.put(prediction);
        }
        predictions
    }

    /// Puts a prediction in; gives its id where it replaced another of the same model.
    fn put(&mut self, prediction: Prediction) -> Option<String> {
        let places = self.places.entry(prediction.instance_id.clone()).or_default();
        if let Some(place) = places.iter().find(|place| self.list[**place].model == prediction.model) {
            let id = prediction.instance_id.clone();
            self.list[*place] = prediction;
            return Some(id);
        }
        places.push(self.list.len());
        self.list.push(prediction);
        None
    }

    /// The predictions of each model apart, in the order in which the models come first: each has a report of its own. Models
    /// whose reports would have one name are one. The warnings, which are about all of them, stand with the first.
    pub fn by_model(&self) -> Vec<Self> {
        let mut models: Vec<String> = Vec::new();
        for prediction in &self.list {
            let model = folder_of(&prediction.model);
            if !models.contains(&model) {
                models.push(model);
            }
        }
        if models.len() < 2 {
            return vec![self.clone()];
        }
        let of = |model: &String| {
            let own = self.list.iter().filter(|prediction| folder_of(&prediction.model) == *model);
            let others = models.iter().filter(|other| *other != model).cloned().collect();
            Self { others, ..Self::new(own.cloned()) }
        };
        let mut groups: Vec<Self> = models.iter().map(of).collect();
        if let Some(first) = groups.first_mut() {
            first.warnings.clone_from(&self.warnings);
        }
        groups
    }

    /// All predictions, in the order in which they came first.
    pub fn list(&self) -> &[Prediction] {
        &self.list
    }

    /// The prediction for a case; where several models made one, the last of them.
    pub fn get(&self, instance_id: &str) -> Option<&Prediction> {
        self.places.get(instance_id)?.last().map(|place| &self.list[*place])
    }

    /// Is true if a folder is that of a model whose predictions were told apart from these.
    pub(super) fn is_of_another(&self, folder: &str) -> bool {
        self.others.iter().any(|other| other == folder)
    }

    /// Oddities of the file.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// The elements of the file, each with its place in words.
fn elements(path: &Path) -> Result<Vec<Element>, LoadError> {
    let name = path.display().to_string();
    let wrong = |message: String| LoadError { place: name.clone(), message };
    let bytes =
        || read_file(path, LONGEST_DATA_SET).map_err(|error| wrong(format!("it cannot be read: {error}")));
    match path.extension().and_then(|end| end.to_str()) {
        Some("jsonl") => Ok(json_lines(&name, &bytes()?)),
        Some("json") => match json(&name, &bytes()?)? {
            Value::Array(values) => Ok(numbered(&name, "prediction", values)),
            Value::Object(object) => {
                let element = |(id, mut value): (String, Value)| {
                    // What stands under an id is about it, also where it does not say so again.
                    if let Value::Object(fields) = &mut value {
                        fields.entry("instance_id").or_insert_with(|| id.clone().into());
                    }
                    (format!("{name}, key `{id}`"), Ok(value))
                };
                Ok(object.into_iter().map(element).collect())
            }
            _ => Err(wrong(
                "a list of predictions, or an object from id to prediction, is expected".to_owned(),
            )),
        },
        Some(_) | None => {
            Err(wrong("predictions have to be in a file that ends in .json or .jsonl".to_owned()))
        }
    }
}

fn prediction(
    place: &str,
    value: Value,
    unnamed: Option<&str>,
    warnings: &mut Vec<String>,
) -> Result<Prediction, LoadError> {
    let Value::Object(object) = value else {
        let message = "an object with the fields instance_id, model_name_or_path and model_patch is expected";
        return Err(LoadError { place: place.to_owned(), message: message.to_owned() });
    };
    if object.contains_key("base_commit") && !object.contains_key("model_patch") {
        let message = "this is a row of a dataset and no prediction: it has a field `base_commit` and no `model_patch`; give the file with what the model wrote";
        return Err(LoadError { place: place.to_owned(), message: message.to_owned() });
    }
    let mut missing = |object: &Map<String, Value>, field: &str, instead: &str| {
        if !object.contains_key(field) {
            warnings.push(format!("{place}: there is no field `{field}`; {instead}"));
        }
    };
    if unnamed.is_none() {
        missing(&object, "model_name_or_path", "the model is called `None`");
    }
    missing(&object, "model_patch", "the patch counts as empty");
    let mut fields = Fields::of(place, object);
    let instance_id = fields.required("instance_id")?;
    fields.place = format!("{place} ({instance_id})");
    Ok(Prediction {
        instance_id,
        model: fields.optional("model_name_or_path")?.unwrap_or_else(|| unnamed.unwrap_or("None").to_owned()),
        patch: fields.optional("model_patch")?.map_or(PredictedPatch::Null, PredictedPatch::Text),
    })
}
