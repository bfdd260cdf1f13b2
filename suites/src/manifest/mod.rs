//! One's own bugs: a TOML file with a `[[bug]]` for each. The format is described in the manual; paths are relative to the file.

mod fields;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use fields::Fields;
use patchwright_edits::diff::Patch;
use patchwright_folder::{LONGEST_FILE, LONGEST_SETTINGS, read_file, read_text_file};
use patchwright_protocol::{Bug, BugInput, Failure, Overrides};
use patchwright_syntax::Language;
use patchwright_test_results::read_results_format;

use crate::case::{Case, Truth};
use crate::suite::{LoadError, Suite};
use crate::{checkout, folder, lines};

/// The bugs of a manifest.
#[derive(Debug)]
pub struct Manifest {
    /// The manifest itself, which tells of buggy lines.
    file: PathBuf,
    cases: Vec<Case>,
    entries: BTreeMap<String, Entry>,
}

/// An entry without the truth.
#[derive(Debug)]
struct Entry {
    source: Source,
    /// The bug without its folder and its issue, which are there when it is prepared.
    bug: Bug,
    issue: Option<PathBuf>,
    golden: Option<PathBuf>,
}

/// The source of the project.
#[derive(Debug)]
enum Source {
    Folder(PathBuf),
    Revision { repository: PathBuf, commit: String },
}

impl Manifest {
    /// Reads a manifest, and the golden patches that it names.
    ///
    /// # Errors
    /// The file or a file that it names cannot be read; a field is unknown, missing or of the wrong type; two bugs share
    /// an id; there is no bug.
    pub fn load(file: &Path) -> Result<Self, LoadError> {
        let wrong = |message: String| LoadError { place: file.display().to_string(), message };
        let text = read_text_file(file, LONGEST_FILE).map_err(|error| wrong(error.to_string()))?;
        let mut table: toml::Table =
            toml::from_str(&text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
        let bugs = table.remove("bug");
        if let Some(other) = table.keys().next() {
            return Err(wrong(format!(
                "unknown field `{other}`; each bug is a table `[[bug]]`, and nothing stands outside of them"
            )));
        }
        let bugs = match bugs {
            Some(toml::Value::Array(bugs)) if !bugs.is_empty() => bugs,
            None | Some(toml::Value::Array(_)) => {
                return Err(wrong("there is no bug; write a table `[[bug]]` for each".to_owned()));
            }
            Some(_) => {
                return Err(wrong(
                    "`bug` is no list of tables; write `[[bug]]`, in double brackets".to_owned(),
                ));
            }
        };
        let folder = file.parent().map_or_else(PathBuf::new, Path::to_owned);
        let mut manifest = Self { file: file.to_owned(), cases: Vec::new(), entries: BTreeMap::new() };
        for (index, bug) in bugs.into_iter().enumerate() {
            let (case, entry) = read(Fields::new(file, index + 1, bug)?, &folder)?;
            if manifest.entries.contains_key(&case.id) {
                let place = format!("{}: bug {}: `id`", file.display(), index + 1);
                let message = format!("`{}` is the id of a bug above; give each its own", case.id);
                return Err(LoadError { place, message });
            }
            manifest.entries.insert(case.id.clone(), entry);
            manifest.cases.push(case);
        }
        Ok(manifest)
    }
}

/// Reads one `[[bug]]`.
fn read(mut fields: Fields, base: &Path) -> Result<(Case, Entry), LoadError> {
    let id = fields.required("id", "a name that no other bug has")?;
    if !is_folder_name(&id) {
        return Err(fields.wrong("id", "it names a folder; write letters, digits, `-`, `_`, `.`, `+`, `@`"));
    }
    fields.name(&id);
    let known = || Language::all().map(|known| format!("`{}`", known.name())).collect::<Vec<_>>().join(", ");
    let language = fields.required("language", &format!("one of {}", known()))?;
    if Language::by_name(&language).is_none() {
        return Err(fields.wrong("language", &format!("`{language}` is not known; write one of {}", known())));
    }
    let source = source(&mut fields, base)?;
    let results = fields
        .string("results")?
        .map(|text| read_results_format(&text).map_err(|error| fields.wrong("results", &error.to_string())))
        .transpose()?;
    let test_one = fields.string("test_one")?;
    if test_one.as_ref().is_some_and(|line| !line.contains("{test}") && !line.contains("{tests}")) {
        return Err(fields.wrong(
            "test_one",
            "it names no test; write {tests} where all names go, or {test} where one goes",
        ));
    }
    let overrides = Overrides {
        after_build: None,
        test: fields.string("test")?.map(Into::into),
        test_one,
        build: fields.string("build")?,
        results,
        source: fields.strings("source")?,
        tests: fields.strings("tests")?,
        env: fields.variables("env")?,
        timeout: fields.seconds("timeout_s")?.map(Duration::from_secs),
        network: None,
    };
    let golden = fields.file("golden", base)?;
    let truth = Truth {
        patch: golden.as_ref().map(|path| read_patch(&fields, path)).transpose()?,
        lines: match fields.strings("buggy_lines")? {
            Some(list) => lines::checked(&list).map_err(|message| fields.wrong("buggy_lines", &message))?,
            None => Vec::new(),
        },
        ..Truth::default()
    };
    let failing = fields.strings("failing")?.unwrap_or_default();
    let known_failing = fields.strings("known_failing")?.unwrap_or_default();
    let issue = fields.file("issue", base)?;
    let image = fields.string("image")?;
    let input = BugInput { failing, ..BugInput::default() };
    let bug = Bug { overrides, input, known_failing, image, ..Bug::default() };
    let entry = Entry { source, bug, issue, golden };
    fields.finish()?;
    let project = entry.source.project().unwrap_or_else(|| id.clone());
    Ok((Case { id, project, truth }, entry))
}

/// The source of the project: `dir`, or `repo` with `commit`.
fn source(fields: &mut Fields, base: &Path) -> Result<Source, LoadError> {
    let (dir, repo, commit) = (fields.string("dir")?, fields.string("repo")?, fields.string("commit")?);
    match (dir, repo, commit) {
        (Some(dir), None, None) => {
            let path = base.join(&dir);
            if path.is_dir() {
                return Ok(Source::Folder(path));
            }
            Err(fields.wrong(
                "dir",
                &format!("there is no folder `{}`; paths are relative to the manifest", path.display()),
            ))
        }
        (None, Some(repo), Some(commit)) => Ok(Source::Revision { repository: base.join(repo), commit }),
        (None, Some(_), None) => {
            Err(fields.wrong("commit", "it is missing; `repo` needs the revision that has the bug"))
        }
        (None, None, Some(_)) => Err(fields.wrong("repo", "it is missing; `commit` is a revision of it")),
        (None, None, None) => {
            Err(fields.wrong("dir", "it is missing; give the project's folder, or `repo` and `commit`"))
        }
        (Some(_), _, _) => {
            Err(fields.wrong("dir", "give either `dir`, or `repo` and `commit`, and not both"))
        }
    }
}

/// The text of a golden patch.
fn read_patch(fields: &Fields, path: &Path) -> Result<String, LoadError> {
    let bytes = read_file(path, LONGEST_FILE)
        .map_err(|error| fields.wrong("golden", &format!("`{}`: {error}", path.display())))?;
    match Patch::parse(&bytes) {
        Ok(patch) if !patch.is_empty() => Ok(String::from_utf8(bytes).unwrap_or_else(|_| patch.text())),
        Ok(_) => Err(fields
            .wrong("golden", &format!("`{}` changes nothing; it has to be a unified diff", path.display()))),
        Err(error) => {
            Err(fields.wrong("golden", &format!("`{}` is no unified diff: {error}", path.display())))
        }
    }
}

fn is_folder_name(id: &str) -> bool {
    let allowed = |character: char| character.is_alphanumeric() || "-_.+@".contains(character);
    !id.is_empty() && !id.starts_with('.') && id.chars().all(allowed)
}

impl Source {
    /// The name of the project, by its folder or repository.
    fn project(&self) -> Option<String> {
        let path = match self {
            Self::Folder(path) => path.canonicalize().ok()?,
            Self::Revision { repository, .. } => repository.clone(),
        };
        let name = path.file_name()?.to_str()?;
        Some(name.strip_suffix(".git").unwrap_or(name).to_owned())
    }
}

#[async_trait]
impl Suite for Manifest {
    fn cases(&self) -> &[Case] {
        &self.cases
    }

    async fn prepare(&self, case: &Case, folder: &Path) -> Result<Bug, Failure> {
        let entry = self
            .entries
            .get(&case.id)
            .ok_or_else(|| Failure::case(format!("the manifest has no bug `{}`", case.id)))?;
        match &entry.source {
            Source::Folder(dir) => {
                // The fixes and lines of other bugs of the same project are told nobody either.
                let golden = self.entries.values().flat_map(|entry| entry.golden.iter().chain(&entry.issue));
                let told: Vec<PathBuf> = golden.chain([&self.file]).cloned().collect();
                let (dir, to) = (dir.clone(), folder.to_owned());
                crate::blocking(move |cancelled| folder::copy(&dir, &to, &told, cancelled)).await?;
            }
            Source::Revision { repository, commit } => {
                let (repository, commit, to) = (repository.clone(), commit.clone(), folder.to_owned());
                crate::blocking(move |_| {
                    let cure = "`repo` names a clone on this machine, relative to the manifest";
                    let name = format!("`{}`", repository.display());
                    Ok(checkout::export_first(&name, vec![repository], cure, &commit, &to)?)
                })
                .await?;
            }
        }
        let mut bug = Bug { dir: folder.to_owned(), ..entry.bug.clone() };
        if let Some(path) = &entry.issue {
            let issue = read_text_file(path, LONGEST_SETTINGS);
            let unread = |error| Failure::case(format!("the issue `{}`: {error}", path.display()));
            bug.input.issue = Some(issue.map_err(unread)?);
        }
        Ok(bug)
    }
}
