//! Places that call what a piece of code calls.

use std::collections::{BTreeSet, HashMap, HashSet};

use patchwright_syntax::{
    Call, Language, Project, ProjectError, ProjectPath, ProjectReadError, Source, calls_in, calls_in_snippet,
    outline, parallel, subtokens,
};
use serde::Serialize;
use thiserror::Error;

/// The files in which similar calls are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In one file.
    File(ProjectPath),
    /// In all files of the language.
    Project,
}

/// Places that resemble one call of the snippet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SimilarCalls {
    /// The call in the snippet; its line counts within the snippet.
    pub snippet_call: Call,
    /// The places, best first: the file, the call, and the method around it.
    pub places: Vec<(ProjectPath, Call, Option<String>)>,
    /// The number of further places.
    pub omitted: usize,
}

/// The reason for which no similar calls could be looked for.
#[derive(Debug, Error)]
pub enum SimilarCallsError {
    /// The snippet calls nothing.
    #[error("the code snippet contains no call; give a piece of code that calls something")]
    NoCall,
    /// The file to look in cannot be read.
    #[error(transparent)]
    Read(#[from] ProjectReadError),
    /// The project cannot be listed.
    #[error(transparent)]
    Project(#[from] ProjectError),
}

/// Finds places that call what the snippet calls, at most `cap` for each of its calls: the same name first, then names
/// that share most of their words; of those, the same receiver and the same number of arguments first. Places that are
/// written alike make room for others.
pub fn similar_calls(
    project: &Project,
    snippet: &str,
    language: Language,
    scope: Scope,
    cap: usize,
) -> Result<Vec<SimilarCalls>, SimilarCallsError> {
    let wanted = Wanted::of(calls_in_snippet(language, snippet));
    if wanted.is_empty() {
        return Err(SimilarCallsError::NoCall);
    }
    let places = match scope {
        Scope::File(path) => {
            let source = project.read(&path)?;
            // The file's own language counts where the snippet's was only assumed.
            let language = Language::of_path(path.as_path()).unwrap_or(language);
            vec![places_in(language, &path, &source, &wanted)]
        }
        Scope::Project => {
            let of_language = |path: &ProjectPath| Language::of_path(path.as_path()) == Some(language);
            let files: Vec<ProjectPath> = project.files()?.into_iter().filter(of_language).collect();
            // A file that cannot be read as source has no calls to show.
            let read = |path: &ProjectPath| {
                project.read(path).map(|source| places_in(language, path, &source, &wanted))
            };
            parallel::over(&files, read).into_iter().flatten().collect()
        }
    };
    let mut by_call: Vec<Vec<Place>> = wanted.iter().map(|_| Vec::new()).collect();
    for place in places.into_iter().flatten() {
        by_call[place.wanted].push(place);
    }
    let mut found: Vec<SimilarCalls> =
        wanted.into_iter().zip(by_call).map(|(wanted, places)| wanted.with(places, cap)).collect();
    name_methods(project, &mut found);
    Ok(found)
}

/// A call of the snippet with the words of its name.
struct Wanted {
    call: Call,
    words: Vec<String>,
}

/// A place that resembles the call with this index.
struct Place {
    wanted: usize,
    score: usize,
    path: ProjectPath,
    call: Call,
}

impl Wanted {
    fn of(calls: Vec<Call>) -> Vec<Self> {
        let mut kept: Vec<Self> = Vec::new();
        for call in calls {
            let same = |kept: &Self| {
                let kept = &kept.call;
                (&kept.callee, &kept.receiver, kept.arguments)
                    == (&call.callee, &call.receiver, call.arguments)
            };
            if !kept.iter().any(same) {
                kept.push(Self { words: meaning(&call.callee), call });
            }
        }
        kept
    }

    /// The similarity of a name to that of the call; `None` if it is something else.
    fn name_similarity(&self, name: &str) -> Option<usize> {
        if name == self.call.callee {
            return Some(1000);
        }
        let words = meaning(name);
        let shared = self.words.iter().filter(|word| words.contains(word)).count();
        let all = self.words.len() + words.iter().filter(|word| !self.words.contains(word)).count();
        (shared * 2 > all).then(|| 400 * shared / all)
    }

    /// The similarity of a call; `None` if it is something else.
    fn similarity(&self, other: &Call) -> Option<usize> {
        let name = self.name_similarity(&other.callee)?;
        let receiver = match (&self.call.receiver, &other.receiver) {
            (None, None) => 60,
            (Some(own), Some(other)) if own == other => 60,
            (Some(own), Some(other)) if last_word(own) == last_word(other) => 40,
            (Some(_), Some(_)) => 10,
            (None, Some(_)) | (Some(_), None) => 0,
        };
        let arguments = match self.call.arguments.abs_diff(other.arguments) {
            0 => 40,
            1 => 10,
            _ => 0,
        };
        Some(name + receiver + arguments)
    }

    fn with(self, mut places: Vec<Place>, cap: usize) -> SimilarCalls {
        places.sort_by(|left, right| {
            (right.score, &left.path, left.call.line).cmp(&(left.score, &right.path, right.call.line))
        });
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut ranked: Vec<(usize, Place)> = Vec::with_capacity(places.len());
        for place in places {
            let times = seen.entry(place.call.text.clone()).or_default();
            ranked.push((*times, place));
            *times += 1;
        }
        // The sort is stable, so that what is equal stays in the order of the files.
        ranked.sort_by_key(|(times, place)| (std::cmp::Reverse(place.score), *times));
        let omitted = ranked.len().saturating_sub(cap);
        let places = ranked.into_iter().take(cap).map(|(_, place)| (place.path, place.call, None)).collect();
        SimilarCalls { snippet_call: self.call, places, omitted }
    }
}

/// The words of a name, without the one that only says whether it reads or writes.
fn meaning(name: &str) -> Vec<String> {
    let mut words = subtokens(name);
    if words.len() > 1 && matches!(words[0].as_str(), "get" | "set" | "is" | "has") {
        words.remove(0);
    }
    words
}

/// The last name in a receiver: `list` of `this.list`, `build` of `a.build()`.
fn last_word(receiver: &str) -> Option<String> {
    let name = receiver.split('(').next().unwrap_or_default();
    let name = name.rsplit('.').next().unwrap_or(name);
    Some(name.trim().to_lowercase()).filter(|name| !name.is_empty())
}

fn places_in(language: Language, path: &ProjectPath, source: &Source, wanted: &[Wanted]) -> Vec<Place> {
    // Parsing costs far more than looking, and most files call nothing of the kind.
    let is_wanted = |name: &&str| wanted.iter().any(|one| one.name_similarity(name).is_some());
    if !called_names(source.text()).iter().any(is_wanted) {
        return Vec::new();
    }
    let mut places = Vec::new();
    for call in calls_in(language, source) {
        for (index, wanted) in wanted.iter().enumerate() {
            if let Some(score) = wanted.similarity(&call) {
                places.push(Place { wanted: index, score, path: path.clone(), call: call.clone() });
            }
        }
    }
    places
}

/// The names in a text that stand in front of a bracket, or of type arguments and maybe then a bracket.
fn called_names(text: &str) -> HashSet<&str> {
    let mut names = HashSet::new();
    let mut rest = text;
    let in_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    while let Some(start) = rest.find(in_name) {
        let from = rest.get(start..).unwrap_or_default();
        let (name, behind) = from.split_at(from.find(|letter| !in_name(letter)).unwrap_or(from.len()));
        if behind.trim_start().starts_with(['(', '<']) {
            names.insert(name);
        }
        rest = behind;
    }
    names
}

/// Names the method around each place.
fn name_methods(project: &Project, found: &mut [SimilarCalls]) {
    let shown = found.iter().flat_map(|found| &found.places).map(|(path, _, _)| path.clone());
    let files: Vec<ProjectPath> = shown.collect::<BTreeSet<_>>().into_iter().collect();
    let outlines = parallel::over(&files, |path| {
        let language = Language::of_path(path.as_path())?;
        Some(outline(language, &project.read(path).ok()?))
    });
    for (path, call, around) in found.iter_mut().flat_map(|found| &mut found.places) {
        let outline = files.binary_search(path).ok().and_then(|index| outlines.get(index)?.as_ref());
        *around =
            outline.and_then(|outline| outline.method_at(call.line)).map(|method| method.qualified.clone());
    }
}
