//! Parts of the texts of all tools: numbered lines, found files, counted lists.

use patchwright_protocol::Failure;
pub(crate) use patchwright_protocol::{counted, cut_line, cut_text, listed, numbered, sentence};
use patchwright_syntax::{Language, PathError, Project, ProjectPath, ProjectReadError, Source, similarity};

use crate::observation::Observation;

/// The reason for which a tool stops early: the model is told, or somebody else must act.
pub(crate) enum Stop {
    /// The model is told what to do about it.
    Tell(String),
    /// Somebody else must act.
    Fail(Failure),
}

impl From<Failure> for Stop {
    fn from(error: Failure) -> Self {
        Self::Fail(error)
    }
}

impl From<PathError> for Stop {
    fn from(error: PathError) -> Self {
        match error {
            PathError::Listing { .. } => Self::Fail(Failure::environment(error)),
            PathError::Empty
            | PathError::Outside { .. }
            | PathError::TooLong { .. }
            | PathError::PathTooLong { .. }
            | PathError::BehindLink { .. }
            | PathError::Folder { .. }
            | PathError::Private { .. }
            | PathError::NotFound { .. }
            | PathError::Ambiguous { .. } => Self::Tell(sentence(&error.to_string())),
        }
    }
}

impl From<ProjectReadError> for Stop {
    fn from(error: ProjectReadError) -> Self {
        match error {
            ProjectReadError::Io { .. } => Self::Fail(Failure::environment(error)),
            ProjectReadError::Binary { .. }
            | ProjectReadError::TooLarge { .. }
            | ProjectReadError::NotAFile { .. }
            | ProjectReadError::Outside { .. } => Self::Tell(sentence(&error.to_string())),
        }
    }
}

/// An early stop as the result of the tool.
pub(crate) fn settle(result: Result<Observation, Stop>) -> Result<Observation, Failure> {
    match result {
        Ok(observation) => Ok(observation),
        Err(Stop::Tell(text)) => Ok(Observation::refused(text)),
        Err(Stop::Fail(error)) => Err(error),
    }
}

/// A file that was asked for.
pub(crate) struct OpenedFile {
    pub(crate) path: ProjectPath,
    pub(crate) source: Source,
    /// The way in which the file was found, when not under the name that was given; a line of its own.
    pub(crate) note: String,
}

/// Finds and reads a file.
pub(crate) fn open(project: &Project, asked: &str) -> Result<OpenedFile, Stop> {
    let resolved = project.resolve(asked)?;
    let source = project.read(&resolved.path)?;
    let note = resolved.note.map(|note| format!("({note}.)\n")).unwrap_or_default();
    Ok(OpenedFile { path: resolved.path, source, note })
}

/// The language of a file, or what to do without one.
pub(crate) fn language_of(path: &ProjectPath) -> Result<Language, Stop> {
    Language::of_path(path.as_path()).ok_or_else(|| {
        let known: Vec<&str> = Language::all().map(Language::name).collect();
        Stop::Tell(format!(
            "{path} is in no language that is parsed here ({}); read it with read_range.",
            known.join(", ")
        ))
    })
}

/// Lines of a file with their numbers; none where the file cannot be read any more.
pub(crate) fn lines_of(project: &Project, path: &str, first: u32, last: u32) -> Vec<(u32, String)> {
    let source = ProjectPath::new(path).ok().and_then(|path| project.read(&path).ok());
    let Some(source) = source else { return Vec::new() };
    let lines = source.lines();
    let wanted =
        (first..=last).filter_map(|number| Some((number, (*lines.get(number as usize - 1)?).to_owned())));
    wanted.collect()
}

/// The code that something was run on: `with candidate 2 applied`.
pub(crate) fn code_version(candidate: Option<u32>) -> String {
    candidate.map_or_else(|| "on the original code".to_owned(), |id| format!("with candidate {id} applied"))
}

/// The names most like the one asked for, best first.
pub(crate) fn nearest<'a>(asked: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let asked = asked.to_lowercase();
    let mut ranked: Vec<(f64, &str)> =
        names.map(|name| (similarity::by_beginning(&asked, &last_part(name).to_lowercase()), name)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    ranked.dedup_by(|a, b| a.1 == b.1);
    ranked.into_iter().take(most).map(|(_, name)| name).collect()
}

/// The part of a dotted or `::` name after the last separator.
pub(crate) fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '#']).next().unwrap_or(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ranked_by_their_last_part() {
        assert_eq!(nearest("totl", ["A.sum", "A.total", "A.total"].into_iter(), 2), ["A.total", "A.sum"]);
    }
}
