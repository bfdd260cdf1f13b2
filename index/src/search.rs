//! Searching a whole project for words.

mod group;
mod pass;
mod rare;
mod weight;
mod words;

use patchwright_syntax::{Project, ProjectError, ProjectPath, Span, parallel};
use serde::Serialize;
use thiserror::Error;

use self::group::Grouped;
use self::pass::File;
use self::rare::Rare;
use self::weight::Weights;
use self::words::Words;

/// The most of a result that is shown; the rest is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchCap {
    /// Files.
    pub files: usize,
    /// Methods per file, and functions.
    pub methods: usize,
    /// Lines per method, and lines of a class or file outside of methods.
    pub hits: usize,
    /// Characters of a line.
    pub line: usize,
}

/// The findings of a search, best first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SearchResult {
    /// The words that were looked for: the subtokens of what was asked, without those too common to mean anything.
    pub words: Vec<String>,
    /// The files.
    pub files: Vec<FileHits>,
    /// Files that are not shown although their name is a word that was looked for.
    pub namesakes: Vec<ProjectPath>,
    /// The number of matches that the cap left out.
    pub omitted: Omitted,
}

/// A file that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileHits {
    /// The file.
    pub path: ProjectPath,
    /// The score of its matches; comparable within one result only.
    pub score: u64,
    /// Words found in it or in its name.
    pub words: Vec<String>,
    /// Classes with matches, in the order of the file.
    pub classes: Vec<ClassHits>,
    /// Functions outside of classes with matches, in the order of the file.
    pub functions: Vec<MethodHits>,
    /// Matching lines outside of classes and functions.
    pub loose: Vec<(u32, String)>,
}

/// A class with matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassHits {
    /// Its qualified name.
    pub qualified: String,
    /// Its lines.
    pub lines: Span,
    /// Methods with matches, in the order of the file.
    pub methods: Vec<MethodHits>,
    /// Matching lines outside of methods.
    pub loose: Vec<(u32, String)>,
}

/// A method that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MethodHits {
    /// Its qualified name.
    pub qualified: String,
    /// Its lines.
    pub lines: Span,
    /// Words found in its name or body.
    pub words: Vec<String>,
    /// Matching lines, in the order of the file.
    pub hits: Vec<(u32, String)>,
}

/// The number of matches that a cap left out.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Omitted {
    /// Files that match and are not shown.
    pub files: usize,
    /// Methods that match and are not shown, in the files that are.
    pub methods: usize,
    /// Lines that match and are not shown, in the files that are.
    pub hits: usize,
}

/// The reason for which nothing could be searched for.
#[derive(Debug, Error)]
pub enum SearchError {
    /// No word was given.
    #[error("no word to search for was given; name identifiers or words of the code, such as `parseHeader`")]
    NoWords,
    /// The words that were given have no letter or digit.
    #[error("there is nothing to search for in {}; give identifiers or words of the code", quoted(.0))]
    UselessWords(Vec<String>),
    /// The project cannot be listed.
    #[error(transparent)]
    Project(#[from] ProjectError),
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

impl Default for SearchCap {
    fn default() -> Self {
        Self { files: 10, methods: 6, hits: 3, line: 160 }
    }
}

/// Files that are looked into more closely, as a multiple of those shown: the first ranking sees lines only.
const CANDIDATES: usize = 4;

/// Searches the bodies and the names of a whole project for words, in one parallel pass.
///
/// Words are split into subtokens and compared without regard to case, so `fullName` finds `get_full_name`. A name
/// counts more than a body, a whole word more than a part, a rare word more than a common one, and several distinct
/// words more than one. Files of a known language are grouped by class and method; other text matches loosely. A word that stands as such
/// in few files is found there, however much the other words weigh elsewhere; of a name that stands somewhere as such its parts alone
/// count nowhere.
pub fn search(project: &Project, words: &[String], cap: &SearchCap) -> Result<SearchResult, SearchError> {
    if words.iter().all(|word| word.trim().is_empty()) {
        return Err(SearchError::NoWords);
    }
    let sought = Words::of(words);
    if sought.asked.is_empty() {
        return Err(SearchError::UselessWords(words.to_vec()));
    }
    let pass = rare::exact(pass::pass(project, &sought)?, &sought);
    let weights = Weights::of(&sought, &pass);
    let mut candidates: Vec<(u64, &File)> =
        pass.files.iter().map(|file| (roughly(file, &weights), file)).collect();
    candidates.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.path.cmp(&right.1.path)));
    let rare = Rare::of(&pass.files, cap.files);
    let (near, far) = candidates.split_at(candidates.len().min(cap.files.saturating_mul(CANDIDATES)));
    let candidates: Vec<(u64, &File)> =
        near.iter().chain(far.iter().filter(|(_, file)| rare.within(file) != 0)).copied().collect();
    let grouped =
        parallel::over(&candidates, |(_, file)| group::group(project, file, &sought, &weights, cap));
    let mut grouped: Vec<(u64, Grouped)> = candidates
        .iter()
        .zip(grouped)
        .filter_map(|((_, file), grouped)| Some((rare.within(file), grouped?)))
        .collect();
    grouped.sort_by(|(_, left), (_, right)| {
        (right.hits.score, &left.hits.path).cmp(&(left.hits.score, &right.hits.path))
    });
    let mut grouped = rare::first(grouped);
    grouped.truncate(cap.files);
    let mut omitted = Omitted { files: pass.files.len() - grouped.len(), ..Omitted::default() };
    for one in &grouped {
        omitted.methods += one.omitted.methods;
        omitted.hits += one.omitted.hits;
    }
    let files: Vec<FileHits> = grouped.into_iter().map(|one| one.hits).collect();
    let is_shown = |file: &File| files.iter().any(|shown| shown.path == file.path);
    let namesakes = pass.files.iter().filter(|file| rare::is_named(&file.name, &sought) && !is_shown(file));
    let namesakes = namesakes.take(cap.files).map(|file| file.path.clone()).collect();
    Ok(SearchResult { words: sought.described(), files, namesakes, omitted })
}

/// The score of a file by its lines and its name alone.
fn roughly(file: &File, weights: &Weights) -> u64 {
    let best = file.lines.iter().map(|line| weights.line(&line.matches)).max().unwrap_or_default();
    weights.unit(&file.name, file.lines.iter().map(|line| line.matches.as_slice())) + best
}
