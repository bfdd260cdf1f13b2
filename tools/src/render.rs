//! Parts of the texts of all tools: numbered lines, found files, counted lists.

use patchwright_protocol::Failure;
pub(crate) use patchwright_protocol::listed;
use patchwright_syntax::{
    Language, PathError, Project, ProjectPath, ProjectReadError, Source, Span, outline, similarity,
};

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

/// Lines with their numbers, one a line; a gap in the numbers shows as `...`.
pub(crate) fn numbered(lines: &[(u32, String)], line_chars: usize) -> String {
    let mut text = String::new();
    let mut previous = None;
    for (number, line) in lines {
        if previous.is_some_and(|previous: u32| previous + 1 != *number) {
            text.push_str("...\n");
        }
        text.push_str(&format!("{number}: {}\n", cut_line(line, line_chars)));
        previous = Some(*number);
    }
    text
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

/// Lines of imports that are shown of a file.
const IMPORTS: usize = 12;

/// The first lines of a file that import something; none where it is in no known language.
pub(crate) fn import_spans(path: &ProjectPath, source: &Source) -> Vec<Span> {
    let Some(language) = Language::of_path(path.as_path()) else { return Vec::new() };
    let lines = source.lines();
    let text = |line: u32| lines.get(line as usize - 1).map_or("", |line| line.trim());
    // It names nothing that code could use.
    let is_used = |line: &u32| !text(*line).starts_with("from __future__");
    let imports = outline(language, source).imports;
    let numbers = imports.iter().flat_map(|span| span.first..=span.last).filter(is_used).take(IMPORTS);
    numbers.map(|line| Span { first: line, last: line }).collect()
}

/// A line of at most so many characters; what is left out is counted.
pub(crate) fn cut_line(line: &str, most: usize) -> String {
    let count = line.chars().count();
    if count <= most {
        return line.to_owned();
    }
    let head: String = line.chars().take(most).collect();
    format!("{head} [... {}]", counted(count - most, "more character"))
}

/// Text of at most so many bytes, cut at the end of a line; what is left out is counted.
pub(crate) fn cut_text(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut head = 0;
    for line in text.split_inclusive('\n') {
        if head + line.len() > most {
            break;
        }
        head += line.len();
    }
    let rest = text[head..].lines().count();
    format!("{}[... {} left out]\n", &text[..head], counted(rest, "more line"))
}

/// The code that something was run on: `with candidate 2 applied`.
pub(crate) fn code_version(candidate: Option<u32>) -> String {
    candidate.map_or_else(|| "on the original code".to_owned(), |id| format!("with candidate {id} applied"))
}

/// `1 test`, `2 tests`.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
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

/// A message as a sentence: it begins with a capital letter and ends with a stop.
pub(crate) fn sentence(message: &str) -> String {
    let mut characters = message.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let stop = if message.ends_with(['.', '!', '?', ')']) { "" } else { "." };
    format!("{first}{}{stop}", characters.as_str())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_at_a_line_and_counted() {
        let check = |text: &str, most: usize, expect: &str| assert_eq!(cut_text(text, most), expect);
        check("one\ntwo\n", 8, "one\ntwo\n");
        check("one\ntwo\nthree\n", 9, "one\ntwo\n[... 1 more line left out]\n");
        check("éé\néé\nx", 6, "éé\n[... 2 more lines left out]\n");
        check("a very long line", 3, "[... 1 more line left out]\n");
        assert_eq!(cut_line("äöü", 3), "äöü");
        assert_eq!(cut_line("äöüß", 3), "äöü [... 1 more character]");
    }

    #[test]
    fn lists_and_sentences() {
        assert_eq!(listed(&["a", "b"], 2), "a, b");
        assert_eq!(listed(&["a", "b", "c"], 2), "a, b and 1 more");
        assert_eq!(sentence("no such file"), "No such file.");
        assert_eq!(sentence("`a` is (not) there (yet)"), "`a` is (not) there (yet)");
        assert_eq!(
            numbered(&[(1, "a".into()), (2, "b".into()), (9, "c".into())], 80),
            "1: a\n2: b\n...\n9: c\n"
        );
        assert_eq!(nearest("totl", ["A.sum", "A.total", "A.total"].into_iter(), 2), ["A.total", "A.sum"]);
    }
}
