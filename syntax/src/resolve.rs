//! From what someone wrote to the file that is meant.

use std::path::Path;

use crate::language::Language;
use crate::path::{PathError, ProjectPath};
use crate::project::Project;
use crate::similarity;

/// The least similarity of a file name that is taken for a misspelling: 0 to 1, normalised Levenshtein.
const ALIKE: f64 = 0.8;

/// The least distance from the next best; with less, the choice would be a guess.
const CLEARLY: f64 = 0.05;

/// The least similarity of a name that a message offers.
const OFFERED: f64 = 0.45;

/// The number of names that a message offers.
const OFFERS: usize = 5;

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Its path.
    pub path: ProjectPath,
    /// An explanation of how it was found, when what was asked for is not its exact path.
    pub note: Option<String>,
}

impl Project {
    /// Finds the file that someone means: the exact path, a dotted name (`org.x.Foo`, `pkg.module`), the end of a path,
    /// or the nearest name, as long as there is only one. Whatever leads out of the project is refused.
    pub fn resolve(&self, asked: &str) -> Result<Resolved, PathError> {
        resolve(self, asked)
    }

    /// The file that a path names as it is written, whether it exists or not. What goes through a link or leads out of the project is refused.
    pub fn itself(&self, asked: &str) -> Result<ProjectPath, PathError> {
        itself(self, asked)
    }

    /// The place of a file that does not exist yet, taken as it is written; `None` where something is there. Whatever leads
    /// out of the project is refused.
    pub fn vacant(&self, asked: &str) -> Result<Option<ProjectPath>, PathError> {
        vacant(self, asked)
    }
}

/// Finds the file that `asked` means. See [`Project::resolve`].
fn resolve(project: &Project, asked: &str) -> Result<Resolved, PathError> {
    let cleaned = clean(asked);
    let written = match relative(project, cleaned) {
        Err(error @ PathError::Outside { .. }) => return elsewhere(project, cleaned).ok_or(error),
        other => other?,
    };
    if let Some(found) = exact(project, asked, &written)? {
        return Ok(found);
    }
    if let Some(bare) = without_place(cleaned) {
        let found = resolve(project, bare)?;
        let note = Some(format!("`{asked}` was read as `{}`", found.path));
        return Ok(Resolved { note, ..found });
    }
    let files = project.files().map_err(|error| PathError::Listing(error.to_string()))?;
    let places = meant(&files, cleaned, &written);
    match places.as_slice() {
        [] => nearest(&files, asked, &written),
        [path] => {
            let note = Some(format!("`{asked}` was read as `{path}`"));
            Ok(Resolved { path: path.clone(), note })
        }
        _ => Err(PathError::Ambiguous { asked: asked.to_owned(), places }),
    }
}

/// The files of a sorted list that someone may mean, without a look at the disk.
pub fn among<'f>(files: &'f [ProjectPath], asked: &str) -> Vec<&'f ProjectPath> {
    let cleaned = clean(asked);
    let cleaned = without_place(cleaned).unwrap_or(cleaned);
    let exactly = |path: &ProjectPath| files.binary_search(path).ok().and_then(|place| files.get(place));
    // A backslash is a separator only where no name can hold one; an absolute path stands in another root.
    let direct = ProjectPath::new(cleaned).ok();
    if let Some(found) = direct.as_ref().and_then(exactly) {
        return vec![found];
    }
    let Ok(written) = ProjectPath::new(cleaned.replace('\\', "/").trim_start_matches('/')) else {
        return Vec::new();
    };
    let mut places =
        exactly(&written).map_or_else(|| meant(files, cleaned, &written), |path| vec![path.clone()]);
    if places.is_empty() {
        places.extend(nearest(files, asked, &written).map(|found| found.path));
    }
    places.iter().filter_map(exactly).collect()
}

/// The files meant by a dotted name, by the end of a path, or by a path that begins above or elsewhere: of these, the first
/// that finds any.
fn meant(files: &[ProjectPath], cleaned: &str, written: &ProjectPath) -> Vec<ProjectPath> {
    let steps: [&dyn Fn() -> Vec<ProjectPath>; 3] =
        [&|| dotted(files, cleaned), &|| by_end(files, written), &|| shortened(files, written)];
    steps.into_iter().map(|step| step()).find(|places| !places.is_empty()).unwrap_or_default()
}

/// The file of the project that an absolute path means which stands elsewhere: models see a project at another root, in a
/// container. At least a folder and the name must be the same, and only one file may be meant.
fn elsewhere(project: &Project, text: &str) -> Option<Resolved> {
    let path = text.strip_prefix('/')?;
    let parts: Vec<&str> = path.split('/').collect();
    if Path::new(text).exists() || parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return None;
    }
    let files = project.files().ok()?;
    let mut ends = (1..parts.len().saturating_sub(1)).map(|skipped| parts[skipped..].join("/"));
    let found = ends.find_map(|end| files.iter().find(|file| file.as_str() == end))?;
    let note = Some(format!("`{text}` was read as `{found}`"));
    Some(Resolved { path: found.clone(), note })
}

/// The file that a path names, which does not go through a link. See [`Project::itself`].
fn itself(project: &Project, asked: &str) -> Result<ProjectPath, PathError> {
    let place = ProjectPath::new(asked)?;
    let found = project.root().join(&place).canonicalize().ok();
    match found.map(|found| project.path_of(&found)) {
        Some(None) => Err(PathError::Outside(asked.to_owned())),
        Some(Some(found)) if found != place => {
            Err(PathError::BehindLink { asked: asked.to_owned(), place: found })
        }
        Some(Some(_)) => Ok(place),
        None => vacant(project, place.as_str()).map(|_| place),
    }
}

/// The place of a file that does not exist yet. See [`Project::vacant`].
fn vacant(project: &Project, asked: &str) -> Result<Option<ProjectPath>, PathError> {
    let path = relative(project, clean(asked))?;
    if project.is_private(&path) {
        return Err(PathError::Private(asked.to_owned()));
    }
    let target = project.root().join(&path);
    // A link that leads nowhere is something, too.
    if target.symlink_metadata().is_ok() {
        return Ok(None);
    }
    let mut folders = target.ancestors().skip(1);
    let Some(folder) = folders.find(|folder| folder.symlink_metadata().is_ok()) else { return Ok(None) };
    match folder.canonicalize() {
        Ok(found) if !found.starts_with(project.root()) => Err(PathError::Outside(asked.to_owned())),
        Ok(found) if found.is_dir() => {
            let below = target.strip_prefix(folder).unwrap_or(Path::new(""));
            match project.path_of(&found.join(below)) {
                Some(place) if place != path => Err(PathError::BehindLink { asked: asked.to_owned(), place }),
                _ => Ok(Some(path)),
            }
        }
        // A file stands where a folder would have to be.
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Takes off what is not part of a path: blanks and quotes around it, `./` before it.
fn clean(asked: &str) -> &str {
    let text = asked.trim().trim_matches(['"', '\'', '`']).trim();
    let text = text.strip_prefix("file://").unwrap_or(text);
    text.strip_prefix("./").unwrap_or(text)
}

/// The path in front of a place in the file: `a.py:12`, `a.py:12:3`, `A.java#7`, `a.py::test`.
fn without_place(text: &str) -> Option<&str> {
    let cut = text.find("::").or_else(|| {
        let mark = text.rfind([':', '#'])?;
        let line = text.get(mark + 1..)?.trim_start_matches('L');
        (!line.is_empty() && line.chars().all(|digit| digit.is_ascii_digit())).then_some(mark)
    })?;
    text.get(..cut)
        .filter(|path| Language::of_path(Path::new(path.split(':').next().unwrap_or(path))).is_some())
}

/// The path relative to the root; a path that leaves the root is refused.
fn relative(project: &Project, text: &str) -> Result<ProjectPath, PathError> {
    let outside = || PathError::Outside(text.to_owned());
    let given = Path::new(text);
    let inside = if given.is_absolute() {
        let below = |path: &Path| path.strip_prefix(project.root()).map(Path::to_path_buf).ok();
        // The root may have been reached through a link, so the path's own folder counts too.
        below(given).or_else(|| below(&given.canonicalize().ok()?)).ok_or_else(outside)?
    } else {
        given.to_path_buf()
    };
    let inside = inside.to_str().ok_or_else(outside)?;
    if inside.is_empty() && !text.is_empty() {
        return Err(PathError::Folder { asked: text.to_owned(), inside: Vec::new() });
    }
    let path = match ProjectPath::new(inside) {
        // A backslash is a separator only where no name can hold one.
        Ok(path) if inside.contains('\\') && !project.root().join(&path).exists() => {
            ProjectPath::new(&inside.replace('\\', "/"))
        }
        other => other,
    };
    path.map_err(|error| match error {
        PathError::Outside { .. } => outside(),
        other => other,
    })
}

/// The file at exactly this path.
fn exact(project: &Project, asked: &str, path: &ProjectPath) -> Result<Option<Resolved>, PathError> {
    let asked = || asked.to_owned();
    if project.is_private(path) {
        return Err(PathError::Private(asked()));
    }
    let Ok(found) = project.root().join(path).canonicalize() else { return Ok(None) };
    if !found.starts_with(project.root()) {
        return Err(PathError::Outside(asked()));
    }
    let Some(real) = project.path_of(&found) else { return Ok(None) };
    if project.is_private(&real) {
        return Err(PathError::Private(asked()));
    }
    if found.is_dir() {
        // A folder may share its name with a module or a suffix of a path; only a plain path is an error.
        let files = project.files().map_err(|error| PathError::Listing(error.to_string()))?;
        let below = format!("{}/", path.as_str());
        let inside = files.into_iter().filter(|file| file.as_str().starts_with(&below)).collect();
        return Err(PathError::Folder { asked: asked(), inside });
    }
    // A link inside the project is followed, so that an edit reaches the file and not the link.
    let note = (real != *path).then(|| format!("`{path}` is a link to `{real}`"));
    Ok(Some(Resolved { path: real, note }))
}

/// Files that end with these parts; parts are compared whole.
fn ending_with(files: &[ProjectPath], parts: &[&str], same: impl Fn(&str, &str) -> bool) -> Vec<ProjectPath> {
    let fits = |file: &&ProjectPath| {
        let mut own = file.parts().rev();
        parts.iter().rev().all(|part| own.next().is_some_and(|own| same(own, part)))
    };
    files.iter().filter(fits).cloned().collect()
}

fn exactly(left: &str, right: &str) -> bool {
    left == right
}

/// A dotted class or module name: `org.x.Foo`, `org.x.Foo$Inner`, `org.x.Foo.Inner`, `pkg.module`, each also with the
/// extension of its language.
fn dotted(files: &[ProjectPath], text: &str) -> Vec<ProjectPath> {
    if text.contains(['/', '\\', ' ']) {
        return Vec::new();
    }
    let written = Language::of_path(Path::new(text));
    let name = match written {
        Some(_) => text.rsplit_once('.').map_or(text, |(name, _)| name),
        None => text,
    };
    let name = name.split(['$', '#', ':', '(', '[']).next().unwrap_or(name);
    let mut parts: Vec<&str> = name.split('.').collect();
    if parts.iter().any(|part| part.is_empty()) {
        return Vec::new();
    }
    let languages: Vec<Language> =
        Language::all().filter(|one| written.is_none_or(|written| written == *one)).collect();
    // What stands behind the file's own name may be an inner class, a function or a method: dropped one by one.
    while !parts.is_empty() {
        let found: Vec<ProjectPath> =
            languages.iter().flat_map(|language| modules(files, *language, &parts)).collect();
        if !found.is_empty() {
            return shallowest(found, &parts, ProjectPath::without_extension);
        }
        parts.pop();
        if parts.len() < 2 && !parts.first().is_some_and(|part| part.starts_with(char::is_uppercase)) {
            break;
        }
    }
    Vec::new()
}

/// Files of a language whose dotted name ends with these parts.
pub fn modules(files: &[ProjectPath], language: Language, parts: &[&str]) -> Vec<ProjectPath> {
    let Some((last, folders)) = parts.split_last() else { return Vec::new() };
    let entry = language.entry();
    let names = std::iter::once((folders, *last)).chain(entry.folder_module.map(|module| (parts, module)));
    let extensions = entry.extensions.iter();
    extensions
        .flat_map(|extension| {
            names.clone().map(move |(folders, name)| (folders, format!("{name}.{extension}")))
        })
        .flat_map(|(folders, file)| ending_with(files, &[folders, &[file.as_str()]].concat(), exactly))
        .collect()
}

/// Of several files, the one that is called exactly so from the root, if there is one.
fn shallowest(found: Vec<ProjectPath>, parts: &[&str], name: fn(&ProjectPath) -> &str) -> Vec<ProjectPath> {
    let whole = parts.join("/");
    match found.iter().find(|path| name(path) == whole) {
        Some(path) => vec![path.clone()],
        None => found,
    }
}

/// Files that end with the path as written, in this case or, failing that, in any.
fn by_end(files: &[ProjectPath], written: &ProjectPath) -> Vec<ProjectPath> {
    let parts: Vec<&str> = written.parts().collect();
    let found = ending_with(files, &parts, exactly);
    if found.is_empty() { ending_with(files, &parts, str::eq_ignore_ascii_case) } else { found }
}

/// The path with its first folders left out, for a path that begins above the project or in a wrong folder.
fn shortened(files: &[ProjectPath], written: &ProjectPath) -> Vec<ProjectPath> {
    let parts: Vec<&str> = written.parts().collect();
    (1..parts.len())
        .map(|skipped| {
            let rest = parts.get(skipped..).unwrap_or_default();
            shallowest(ending_with(files, rest, exactly), rest, ProjectPath::as_str)
        })
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// `part1` and `part2` are two things, not two spellings of one.
fn only_numbers_differ(left: &str, right: &str) -> bool {
    let bare = |text: &str| text.chars().filter(|letter| !letter.is_ascii_digit()).collect::<String>();
    left != right && bare(left) == bare(right)
}

/// The file with the most similar name, if one stands out; else the error with what comes near.
fn nearest(files: &[ProjectPath], asked: &str, written: &ProjectPath) -> Result<Resolved, PathError> {
    let name = written.file_name().to_lowercase();
    let whole = written.as_str().to_lowercase();
    let alike = |file| {
        let by_name = similarity::by_distance(&name, &ProjectPath::file_name(file).to_lowercase(), OFFERED);
        let by_path = similarity::by_distance(&whole, &file.as_str().to_lowercase(), OFFERED);
        (by_name, by_path, file)
    };
    let mut ranked: Vec<(f64, f64, &ProjectPath)> =
        files.iter().map(alike).filter(|(by_name, by_path, _)| by_name.max(*by_path) >= OFFERED).collect();
    ranked.sort_by(|left, right| {
        right.0.total_cmp(&left.0).then(right.1.total_cmp(&left.1)).then_with(|| left.2.cmp(right.2))
    });
    if let Some((by_name, by_path, path)) = ranked.first() {
        let stands_out = ranked.get(1).is_none_or(|(next_name, next_path, _)| {
            by_name - next_name > CLEARLY || (written.folder() != "" && by_path - next_path > CLEARLY)
        });
        if *by_name >= ALIKE && stands_out && !only_numbers_differ(&name, &path.file_name().to_lowercase()) {
            let note = Some(format!("there is no file `{asked}`; the nearest name is `{path}`"));
            return Ok(Resolved { path: (*path).clone(), note });
        }
    }
    let nearest = ranked.into_iter().take(OFFERS).map(|(_, _, path)| path.clone()).collect();
    Err(PathError::NotFound { asked: asked.to_owned(), nearest })
}
