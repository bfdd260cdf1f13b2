//! The files of a dataset, and the elements in them.

use std::fs;
use std::path::{Path, PathBuf};

use patchwright_folder::{LONGEST_DATA_SET, read_file};
use patchwright_suites::{LoadError, python_json, without_mark};
use serde_json::Value;

use super::super::parquet;

/// A place in words, and the value there, or why it cannot be read.
pub(crate) type Element = (String, Result<Value, LoadError>);

/// The files of a split of a folder, or the file itself.
pub(super) fn of(path: &Path, split: &str) -> Result<Vec<PathBuf>, LoadError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    for folder in [path.to_owned(), path.join("data")] {
        let found = in_folder(&folder, split);
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let wrong = |message: String| LoadError { place: path.display().to_string(), message };
    let configurations = entries(path).into_iter().map(|folder| (in_folder(&folder, split), folder));
    let mut configurations: Vec<_> = configurations.filter(|(files, _)| !files.is_empty()).collect();
    if configurations.len() > 1 {
        let names: Vec<String> =
            configurations.iter().map(|(_, folder)| folder.display().to_string()).collect();
        return Err(wrong(format!(
            "several folders in it have a split `{split}`; name one of {}",
            names.join(", ")
        )));
    }
    if let Some((files, _)) = configurations.pop() {
        return Ok(files);
    }
    if path.join("tasks").is_dir() {
        let message = "folders of tasks are not read; give the dataset as .json, .jsonl or .parquet";
        return Err(wrong(message.to_owned()));
    }
    Err(wrong(format!(
        "no `{split}.parquet`, `{split}.jsonl` or `{split}.json` in this folder; name the file, or another split"
    )))
}

/// The files of a split that lie in this folder, in the order of their names.
fn in_folder(folder: &Path, split: &str) -> Vec<PathBuf> {
    let whole = ["parquet", "jsonl", "json"].map(|end| folder.join(format!("{split}.{end}")));
    if let Some(whole) = whole.into_iter().find(|file| file.is_file()) {
        return vec![whole];
    }
    let is_parquet = |path: &PathBuf| path.extension().is_some_and(|end| end == "parquet");
    let is_part = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&format!("{split}-")) && is_parquet(path)
    };
    let parts: Vec<PathBuf> = entries(folder).into_iter().filter(is_part).collect();
    if !parts.is_empty() {
        return parts;
    }
    entries(&folder.join(split)).into_iter().filter(is_parquet).collect()
}

/// The entries of a folder, in the order of the names; nothing where it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// The elements of a file.
pub(super) fn elements(file: &Path) -> Result<Vec<Element>, LoadError> {
    let name = file.display().to_string();
    let wrong = |message: String| LoadError { place: name.clone(), message };
    let bytes =
        || read_file(file, LONGEST_DATA_SET).map_err(|error| wrong(format!("it cannot be read: {error}")));
    match file.extension().and_then(|end| end.to_str()) {
        Some("json") => match json(&name, &bytes()?)? {
            Value::Array(values) => Ok(numbered(&name, "row", values)),
            _ => Err(wrong("a list of objects is expected".to_owned())),
        },
        Some("jsonl") => Ok(json_lines(&name, &bytes()?)),
        Some("parquet") => {
            let values = parquet::objects(file).map_err(|error| {
                wrong(format!("it cannot be read as Parquet: {error}; convert it to .jsonl"))
            })?;
            Ok(numbered(&name, "row", values))
        }
        Some(_) | None => Err(wrong(
            "it has to end in .json, .jsonl or .parquet, or be a folder with `test.parquet`".to_owned(),
        )),
    }
}

/// A file that is one JSON value.
pub(crate) fn json(name: &str, bytes: &[u8]) -> Result<Value, LoadError> {
    value(without_mark(bytes))
        .map_err(|problem| LoadError { place: name.to_owned(), message: format!("it is {problem}") })
}

/// A file with a JSON value in each line; empty lines are passed over.
pub(crate) fn json_lines(name: &str, bytes: &[u8]) -> Vec<Element> {
    let lines = without_mark(bytes).split(|byte| *byte == b'\n').enumerate();
    let element = |(index, line)| {
        let place = format!("{name}, line {}", index + 1);
        let value = value(line)
            .map_err(|problem| LoadError { place: place.clone(), message: format!("the line is {problem}") });
        (place, value)
    };
    lines.filter(|(_, line)| !line.trim_ascii().is_empty()).map(element).collect()
}

/// The values with their places.
pub(crate) fn numbered(name: &str, what: &str, values: Vec<Value>) -> Vec<Element> {
    let place = |index| format!("{name}, {what} {}", index + 1);
    values.into_iter().enumerate().map(|(index, value)| (place(index), Ok(value))).collect()
}

fn value(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("no UTF-8: {error}; save it as UTF-8"))?;
    python_json::read(text).map_err(|error| format!("no JSON: {error}"))
}
