//! `run.toml`: what a run was started with.

use std::collections::BTreeMap;
use std::path::Path;

use patchwright_protocol::{Goal, TestMethod};
use serde::{Deserialize, Serialize};

use super::difference::{Difference, compare};
use super::error::RunError;
use super::event::{FORMAT, VERSION};
use super::files;
use super::fingerprint::{self, Fingerprint};
use super::part::Part;
use super::selection::Selection;

/// The settings and cases that a run was started with, frozen in `run.toml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunFile {
    /// Always `patchwright-run`.
    pub format: String,
    /// The format version.
    pub version: u32,
    /// The run's name.
    pub run: String,
    /// When it was started: RFC 3339, UTC.
    pub started: String,
    /// The source of its cases, as given: `manifest:bugs.toml`.
    pub suite: String,
    /// The ids of its cases, in the order in which they are tried.
    pub cases: Vec<String>,
    /// Their selection, the seed of the shuffle included.
    #[serde(default)]
    pub selection: Selection,
    /// The program and what it works with, with versions.
    #[serde(default)]
    pub versions: BTreeMap<String, String>,
    /// Fingerprints of the files that shape the run, by the option that names them. Runs of older programs keep none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fingerprints: BTreeMap<String, Fingerprint>,
    /// The settings that shape the sessions, resolved: a resumed run must have the same.
    #[serde(default)]
    pub settings: toml::Table,
    /// The settings that do not: workers, limits, the budget of the run. A resumed run may have others.
    #[serde(default)]
    pub limits: toml::Table,
}

impl RunFile {
    /// A new run; versions, settings and limits are to be filled in.
    pub fn new(run: impl Into<String>, suite: impl Into<String>, cases: Vec<String>) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            run: run.into(),
            started: chrono::Utc::now().format("%Y-%m-%dT%H:%M:%SZ").to_string(),
            suite: suite.into(),
            cases,
            ..Self::default()
        }
    }

    /// The method by which its sessions write tests; none where they look for fixes. Its settings say it, as those of each session do.
    pub fn method(&self) -> Option<TestMethod> {
        self.settings.get("method")?.as_str()?.parse().ok()
    }

    /// What its sessions look for.
    pub fn goal(&self) -> Goal {
        if self.method().is_some() { Goal::Test } else { Goal::Fix }
    }

    pub(super) fn read(path: &Path) -> Result<Self, RunError> {
        let text = files::read_text(path).map_err(|error| RunError::io(path, &error))?;
        let damaged = |message: String| RunError::RunFile { path: path.to_owned(), message };
        // The version first: a file of a newer program may have fields that this one does not know.
        let table: toml::Table = toml::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        let version = table.get("version").and_then(toml::Value::as_integer);
        if version.is_some_and(|version| version > i64::from(VERSION)) {
            let version = version.unwrap_or_default();
            return Err(damaged(format!(
                "field `version`: {version} is of a newer program; this one reads {VERSION}"
            )));
        }
        toml::from_str(&text).map_err(|error| damaged(error.to_string()))
    }

    /// Writes it, whole or not at all.
    pub(super) fn write(&self, path: &Path) -> Result<(), RunError> {
        let text = toml::to_string(self)
            .map_err(|error| RunError::RunFile { path: path.to_owned(), message: error.to_string() })?;
        files::write_derived(path, text.as_bytes())
    }

    /// Refuses files that are not what they were when the run began. A run that keeps no fingerprint of them is taken as it is.
    ///
    /// # Errors
    /// With all that have changed.
    pub fn check_files(&self) -> Result<(), RunError> {
        fingerprint::check(&self.fingerprints)
    }

    /// Refuses settings that are not those of the run.
    ///
    /// # Errors
    /// With what differs, field by field.
    pub fn check(&self, now: &Self) -> Result<(), RunError> {
        let differences: Vec<Difference> = self.differences(now);
        if differences.is_empty() { Ok(()) } else { Err(RunError::Differs(differences)) }
    }

    /// What one of its parts is started with.
    #[must_use]
    pub fn part(&self, part: Part) -> Self {
        Self {
            cases: part.share(self.cases.clone()),
            selection: Selection { part: Some(part), ..self.selection.clone() },
            ..self.clone()
        }
    }

    /// The differences from `now` in what shapes the sessions, field by field; `limits`, `versions`, `selection` and the
    /// name do not count, nor do ids where `now` names none.
    pub fn differences(&self, now: &Self) -> Vec<Difference> {
        let mut fields = vec![("suite", self.suite.clone(), now.suite.clone())];
        if !now.cases.is_empty() && self.cases != now.cases {
            fields.push(("cases", these(&self.cases, &now.cases), these(&now.cases, &self.cases)));
        }
        let changed = fields.into_iter().filter(|(_, was, is)| was != is);
        let difference = |(field, was, is): (&str, _, _)| Difference {
            field: field.to_owned(),
            was: Some(was),
            is: Some(is),
        };
        let mut found: Vec<Difference> = changed.map(difference).collect();
        compare("settings", &self.settings, &now.settings, &mut found);
        found
    }
}

/// Their number, and the first that the others do not have.
fn these(cases: &[String], others: &[String]) -> String {
    let count = cases.len();
    match cases.iter().find(|case| !others.contains(case)) {
        Some(own) => format!("{count} (with {own})"),
        None if cases.len() == others.len() => format!("{count} (in another order, {} first)", cases[0]),
        None => count.to_string(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_told_field_by_field() {
        let file = |suite: &str, cases: &[&str], settings: &str| {
            let cases = cases.iter().map(|case| (*case).to_owned()).collect();
            RunFile { settings: settings.parse().unwrap(), ..RunFile::new("r", suite, cases) }
        };
        let was = file(
            "manifest:a.toml",
            &["a", "b"],
            "model = \"patterns\"\n[prompts]\nlayout = \"cache\"\ntop = 1",
        );
        let check = |now: &RunFile, expect: &[&str]| {
            let found: Vec<String> = was.differences(now).iter().map(ToString::to_string).collect();
            assert_eq!(found, expect);
        };
        check(&was, &[]);
        check(&RunFile { limits: "workers = 9".parse().unwrap(), run: "x".into(), ..was.clone() }, &[]);
        check(&RunFile { cases: Vec::new(), ..was.clone() }, &[]);
        check(
            &file(
                "manifest:b.toml",
                &["b", "a"],
                "model = \"openai/x\"\ncycles = 3\n[prompts]\nlayout = \"cache\"",
            ),
            &[
                "suite: was manifest:a.toml, is manifest:b.toml",
                "cases: was 2 (in another order, a first), is 2 (in another order, b first)",
                "settings.cycles: was not set, is 3",
                "settings.model: was \"patterns\", is \"openai/x\"",
                "settings.prompts.top: was 1, is not set",
            ],
        );
        check(&file("manifest:a.toml", &["a"], &was.settings.to_string()), &["cases: was 2 (with b), is 1"]);
    }
}
