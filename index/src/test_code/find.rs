//! From a test id to the method that is meant.

use std::rc::Rc;
use std::slice::from_ref;

use patchwright_syntax::{Language, Method, Project, ProjectPath, modules, similarity};

use super::TestCodeError;
use super::files::{Files, Loaded, Member};
use super::id::TestNameParts;

/// Names that a message offers.
const OFFERS: usize = 5;
/// The least similarity of a name that is offered.
const LEAST_ALIKE: f64 = 0.4;

/// A test that was found.
pub(super) struct Found {
    /// The class that was asked for and what it extends; empty for a function.
    pub lineage: Vec<Member>,
    /// The file with the test itself.
    pub home: Rc<Loaded>,
    /// The class that declares it, qualified.
    pub class: Option<String>,
    pub method: Method,
    /// Other files that the id fits as well.
    pub also: Vec<ProjectPath>,
}

/// A file that the id may mean, with the chains of classes to look for in it.
struct Candidate {
    file: Rc<Loaded>,
    chains: Vec<Vec<String>>,
}

/// Finds the test.
pub(super) fn find(
    project: &Project,
    files: &Files,
    asked: &str,
    id: &TestNameParts,
) -> Result<Found, TestCodeError> {
    let mut missed: Option<ProjectPath> = None;
    let mut attempt = |candidates: Vec<Candidate>| {
        missed = missed.take().or_else(|| candidates.first().map(|first| first.file.path.clone()));
        first_of(files, &candidates, &id.method)
    };
    if let Some(file) = &id.file {
        let path = project.resolve(file)?.path;
        let file = files.load(&path)?.ok_or_else(|| TestCodeError::NoFile(asked.to_owned()))?;
        if let Some(found) = attempt(vec![Candidate { file, chains: vec![id.classes.clone()] }]) {
            return Ok(found);
        }
    } else {
        // The more of the names are a path the better; the first of them may stand above the project.
        for length in (1..=id.names.len()).rev() {
            for start in 0..=id.names.len() - length {
                if let Some(found) = attempt(by_names(files, id, start, start + length)) {
                    return Ok(found);
                }
            }
        }
        if let Some(found) = attempt(by_class(files, id)) {
            return Ok(found);
        }
    }
    let missed = missed.and_then(|path| files.load(&path).ok().flatten());
    let wanted = id.classes.last().or(id.names.last()).map(String::as_str);
    if let Some(found) = missed.as_ref().and_then(|file| made_at_run_time(files, file, wanted?, &id.method)) {
        return Ok(found);
    }
    let asked = asked.to_owned();
    Err(match missed {
        Some(file) => {
            TestCodeError::NoTest { asked, path: file.path.clone(), tests: similar(&file, &id.method) }
        }
        None => TestCodeError::NoFile(asked),
    })
}

/// The test in the first file that has it, with the other files that have one too.
fn first_of(files: &Files, candidates: &[Candidate], method: &str) -> Option<Found> {
    let mut found: Option<Found> = None;
    for candidate in candidates {
        let here = candidate.chains.iter().find_map(|chain| locate(files, &candidate.file, chain, method));
        match &mut found {
            None => found = here,
            Some(first) if here.is_some() => first.also.push(candidate.file.path.clone()),
            Some(_) => {}
        }
    }
    found
}

/// Files by dotted names, of which those from `start` to `end` are the path and the rest classes.
fn by_names(files: &Files, id: &TestNameParts, start: usize, end: usize) -> Vec<Candidate> {
    let module = id.names.get(start..end).unwrap_or_default();
    let parts: Vec<&str> = module.iter().map(String::as_str).collect();
    let package = id.names.get(..end.saturating_sub(1)).unwrap_or_default().join(".");
    let mut found: Vec<Rc<Loaded>> = Language::all()
        .flat_map(|language| modules(&files.all, language, &parts))
        .filter_map(|path| files.load(&path).ok().flatten())
        .filter(|file| start == 0 || agrees(file, &package))
        .collect();
    // What stands at exactly this place comes first, then what the package statement confirms.
    let whole = module.join("/");
    found.sort_by_cached_key(|file| {
        let confirmed = file.outline.package.as_deref() == Some(package.as_str());
        (file.path.without_extension() != whole, !confirmed, file.path.clone())
    });
    let classes: Vec<String> = id.names.iter().skip(end).chain(&id.classes).cloned().collect();
    let own: Vec<String> = module.last().into_iter().chain(&classes).cloned().collect();
    found.into_iter().map(|file| Candidate { file, chains: vec![own.clone(), classes.clone()] }).collect()
}

/// Is true if what a file says of its package, if it does, is what the id says, whatever either joins names by.
fn agrees(file: &Loaded, package: &str) -> bool {
    package.is_empty()
        || file.outline.package.as_deref().is_none_or(|own| names_in(own).eq(names_in(package)))
}

fn names_in(package: &str) -> impl Iterator<Item = &str> {
    package.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|name| !name.is_empty())
}

/// Files of any name that declare the class.
fn by_class(files: &Files, id: &TestNameParts) -> Vec<Candidate> {
    let Some((class, package)) = id.names.split_last() else { return Vec::new() };
    let chain: Vec<String> = std::iter::once(class).chain(&id.classes).cloned().collect();
    let package = package.join(".");
    let mut found: Vec<Rc<Loaded>> = files.declaring(files.all.iter().cloned(), class);
    found.retain(|file| agrees(file, &package) && !file.classes(&chain).is_empty());
    found.into_iter().map(|file| Candidate { file, chains: vec![chain.clone()] }).collect()
}

/// The test in a file: in the class of this chain or in what it extends, or a function if there is no class.
fn locate(files: &Files, file: &Rc<Loaded>, chain: &[String], name: &str) -> Option<Found> {
    if chain.is_empty() {
        let method = choose(&file.outline.functions, file.language, name)?;
        let home = Rc::clone(file);
        return Some(Found { lineage: Vec::new(), home, class: None, method, also: Vec::new() });
    }
    for class in file.classes(chain) {
        let lineage = files.lineage(Member { file: Rc::clone(file), class: class.clone() });
        for member in &lineage {
            if let Some(method) = choose(&member.class.methods, member.file.language, name) {
                let (home, class) = (Rc::clone(&member.file), Some(member.class.qualified.clone()));
                return Some(Found { lineage, home, class, method, also: Vec::new() });
            }
        }
    }
    None
}

/// The test of a class that the file makes while it runs, such as `TestDate_Fast` from `TestDate`: the method of this
/// name in the class whose name is the longest part of the wanted one, or the only method of this name.
fn made_at_run_time(files: &Files, file: &Rc<Loaded>, wanted: &str, name: &str) -> Option<Found> {
    let classes = file.outline.all_classes();
    let mut origins: Vec<_> = classes.iter().filter(|class| wanted.contains(&class.name)).collect();
    origins.sort_by_key(|class| std::cmp::Reverse(class.name.len()));
    let by_name = origins.first().and_then(|class| locate(files, file, from_ref(&class.name), name));
    by_name.or_else(|| {
        let mut holders =
            classes.iter().filter(|class| class.methods.iter().any(|method| method.name == name));
        let only = holders.next().filter(|_| holders.next().is_none())?;
        locate(files, file, from_ref(&only.name), name)
    })
}

/// The method of this name, of several the one that is marked as a test; or the one that a numbered name was made from.
fn choose(methods: &[Method], language: Language, name: &str) -> Option<Method> {
    let marked = |method: &&&Method| {
        let marks = &language.entry().tests.test_decorations;
        method.decorations.iter().any(|decoration| marks.contains(&last_name(decoration)))
    };
    let named: Vec<&Method> = methods.iter().filter(|method| method.name == name).collect();
    if let Some(found) = named.iter().find(marked).or_else(|| named.first()) {
        return Some((*found).clone());
    }
    let made_from = |method: &&Method| {
        let number = name.strip_prefix(method.name.as_str()).and_then(|rest| rest.strip_prefix('_'));
        number.is_some_and(|number| number.starts_with(|digit: char| digit.is_ascii_digit()))
    };
    methods.iter().filter(made_from).max_by_key(|method| method.name.len()).cloned()
}

/// The name of an annotation or decorator without its package and arguments.
pub(super) fn last_name(decoration: &str) -> &str {
    let name = decoration.split('(').next().unwrap_or(decoration).trim();
    name.rsplit('.').next().unwrap_or(name)
}

fn similar(file: &Loaded, name: &str) -> Vec<String> {
    let methods = file.outline.all_methods().into_iter();
    let mut names: Vec<(f64, String)> = methods
        .map(|(_, method)| {
            (similarity::by_distance(name, &method.name, LEAST_ALIKE), method.qualified.clone())
        })
        .filter(|(alike, _)| *alike >= LEAST_ALIKE)
        .collect();
    names.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
    names.dedup_by(|left, right| left.1 == right.1);
    names.into_iter().take(OFFERS).map(|(_, name)| format!("`{name}`")).collect()
}
