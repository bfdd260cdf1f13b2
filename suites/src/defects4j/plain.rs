//! A bug without the command `defects4j`: the metadata, a git repository of the project, and the steps that the command takes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use patchwright_edits::diff::Patch;
use patchwright_folder::{LONGEST_FILE, read_file, read_text_file};
use patchwright_protocol::Failure;
use patchwright_syntax::decoded;

use super::metadata::{Row, listed_tests};
use super::neutral::neutralise;
use super::table::{Plain, Project};
use super::{Folders, jars};
use crate::checkout::{clones_named, export_first};
use crate::folder::files_below;
use crate::lines;
use crate::patch;
use crate::suite::disk;

/// Files by which a project would be taken for one of a build tool, in its root: here javac and JUnit do it alone.
const BUILD_FILES: &[&str] =
    &["pom.xml", "build.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

/// Lists of tests that fail or pass whatever the code does, for a whole project.
const PROJECT_LISTS: &[&str] = &["dependent_tests", "random_tests", "broken_tests"];

/// The result of preparing a bug.
pub(super) struct Prepared {
    pub(super) source: String,
    pub(super) tests: String,
    pub(super) javac_options: &'static str,
    pub(super) after_build: Option<String>,
}

/// Makes the buggy version of a bug in `folder`.
///
/// # Errors
/// The project cannot be built so; the repository, a revision, the layout or a list is missing; a patch does not apply.
pub(super) fn prepare(row: &Row, folders: &Folders, folder: &Path) -> Result<Prepared, Failure> {
    let project = Project::of(&row.project);
    if project.plain == Plain::No {
        return Err(impossible(row, &project, folders));
    }
    check_out(row, &project, folders, folder)?;
    raise(&project, folder)?;
    let (source, tests) = layout(row, folder)?;
    for patch in compile_patches(row)? {
        apply(row, &patch, folder)?;
    }
    rename(&project, folder)?;
    neutralise(&folder.join(&tests), &harmful(row)?)?;
    apply(row, &row.patch(), folder)?;
    one_encoding(folder)?;
    let pom = read_text_file(&folder.join("pom.xml"), LONGEST_FILE).unwrap_or_default();
    jars::provide(&row.folder.join("lib"), &folders.projects.join("lib"), &pom, folder)?;
    for file in BUILD_FILES {
        let path = folder.join(file);
        if path.is_file() {
            fs::remove_file(&path).map_err(|error| disk(&path, &error))?;
        }
    }
    if let Some(lost) = [&source, &tests].into_iter().find(|place| !folder.join(place).is_dir()) {
        return Err(Failure::case(format!(
            "{}: the revision {} has no folder `{lost}`, which dir-layout.csv names",
            row.id(),
            row.fixed
        )));
    }
    Ok(Prepared {
        source,
        tests,
        javac_options: project.javac_options(row.number),
        after_build: project.after_build.clone(),
    })
}

fn impossible(row: &Row, project: &Project, folders: &Folders) -> Failure {
    // A command that was refused may work in another run, but not in this one: there is nothing to wait for.
    let cure = match &folders.refused {
        Some(reason) => format!("make the command work; {reason}"),
        None => "install Defects4J and put framework/bin on PATH".to_owned(),
    };
    let id = row.id();
    Failure::case(format!("{id} cannot be prepared without the command `defects4j`: {}", project.why))
        .hint(format!("{cure}, or leave {} out", row.project))
}

/// The folders of sources and tests: as they are listed, or else as they look.
fn layout(row: &Row, folder: &Path) -> Result<(String, String), Failure> {
    if let Some(listed) = &row.layout {
        return Ok(listed.clone());
    }
    super::layout::guess(row, &triggers(row)?, folder).ok_or_else(|| {
        Failure::case(format!(
            "{}: `{}` has no line for the revision {}, and its folders cannot be told from its classes",
            row.id(),
            row.layouts().display(),
            row.fixed
        ))
        .hint("fetch the folder of the project anew")
    })
}

/// Takes the fixed revision out of the first mirror that has it, in the folders that hold mirrors, or are one.
fn check_out(row: &Row, project: &Project, folders: &Folders, folder: &Path) -> Result<(), Failure> {
    let mut names = project.repositories.clone();
    names.extend([project.id.clone(), project.id.to_lowercase()]);
    let places = clones_named(&folders.repositories, &names);
    let name = project.repositories.first().unwrap_or(&project.id);
    let cure = format!(
        "clone {name} there with all of its branches, or name the folder of the clones in {}",
        super::REPOSITORIES
    );
    Ok(export_first(&project.id, places, &cure, &row.fixed, folder)?)
}

/// Moves the content of a folder into the root.
fn raise(project: &Project, folder: &Path) -> Result<(), Failure> {
    let Some(inner) = project.raised.as_ref().map(|name| folder.join(name)).filter(|inner| inner.is_dir())
    else {
        return Ok(());
    };
    for entry in fs::read_dir(&inner).map_err(|error| disk(&inner, &error))?.flatten() {
        let to = folder.join(entry.file_name());
        fs::rename(entry.path(), &to).map_err(|error| disk(&to, &error))?;
    }
    fs::remove_dir(&inner).map_err(|error| disk(&inner, &error))
}

/// The patches without which the revision does not compile: `compile-errors/NAME-FROM-TO.diff`, for the bugs from and to.
fn compile_patches(row: &Row) -> Result<Vec<PathBuf>, Failure> {
    let folder = row.folder.join("compile-errors");
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let bounds = |name: &str| -> Option<(u32, u32)> {
        let (rest, to) = name.strip_suffix(".diff")?.rsplit_once('-')?;
        let from = rest.rsplit_once('-').map_or(rest, |(_, from)| from);
        Some((from.parse().ok()?, to.parse().ok()?))
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| disk(&folder, &error))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if bounds(&name).is_some_and(|(from, to)| (from..=to).contains(&row.number)) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

fn apply(row: &Row, file: &Path, folder: &Path) -> Result<(), Failure> {
    let wrong =
        |message: String| Failure::case(format!("{}: the patch `{}` {message}", row.id(), file.display()));
    let bytes = read_file(file, LONGEST_FILE).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let patch = Patch::parse(&bytes).map_err(|error| wrong(format!("is no unified diff: {error}")))?;
    patch::apply(&patch, folder).map_err(|error| {
        wrong(format!("does not apply to the revision {}: {error}", row.fixed))
            .hint("metadata and repository have to belong together")
    })
}

fn java_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let is_java = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "java");
    files_below(folder).into_iter().filter(is_java)
}

/// Gives packages whose names are keywords today other names, in paths and in sources.
fn rename(project: &Project, folder: &Path) -> Result<(), Failure> {
    for (old, new) in &project.renamed {
        let (old_path, new_path) = (old.replace('.', "/"), new.replace('.', "/"));
        for file in java_files(folder) {
            let path = folder.join(&file);
            let bytes = read_file(&path, LONGEST_FILE).map_err(|error| disk(&path, &error))?;
            let renamed = with_package(&bytes, old, new);
            let place = file.to_string_lossy().into_owned();
            let moved = place.replace(&format!("{old_path}/"), &format!("{new_path}/"));
            if moved != place {
                let to = folder.join(moved);
                to.parent().map_or(Ok(()), fs::create_dir_all).map_err(|error| disk(&to, &error))?;
                fs::write(&to, renamed).map_err(|error| disk(&to, &error))?;
                fs::remove_file(&path).map_err(|error| disk(&path, &error))?;
            } else if renamed != bytes {
                fs::write(&path, renamed).map_err(|error| disk(&path, &error))?;
            }
        }
    }
    Ok(())
}

/// A source with another name for a package. Names that only begin so stay.
fn with_package(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let mut renamed = Vec::with_capacity(bytes.len());
    let mut left = bytes;
    while let Some(at) = left.windows(old.len()).position(|part| part == old.as_bytes()) {
        let (before, rest) = left.split_at(at);
        let after = &rest[old.len()..];
        let ends = !after.first().is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'_');
        renamed.extend_from_slice(before);
        renamed.extend_from_slice(if ends { new.as_bytes() } else { old.as_bytes() });
        left = after;
    }
    renamed.extend_from_slice(left);
    renamed
}

/// The tests that fail with the fix too, or by chance, but for those that show the bug.
fn harmful(row: &Row) -> Result<BTreeSet<String>, Failure> {
    let own = row.folder.join("failing_tests").join(&row.fixed);
    let lists = PROJECT_LISTS.iter().map(|name| row.folder.join(name)).chain([own]);
    let mut tests = BTreeSet::new();
    for list in lists.filter(|list| list.is_file()) {
        let bytes = read_file(&list, LONGEST_FILE).map_err(|error| disk(&list, &error))?;
        tests.extend(listed_tests(&lines::text(&bytes)));
    }
    let triggers = triggers(row)?;
    let shows = |test: &String| {
        let class = format!("{test}::");
        triggers.iter().any(|trigger| trigger == test || trigger.starts_with(&class))
    };
    tests.retain(|test| !shows(test));
    Ok(tests)
}

/// The tests that show the bug.
///
/// # Errors
/// There is no list, or it is empty.
pub(super) fn triggers(row: &Row) -> Result<Vec<String>, Failure> {
    let file = row.folder.join(format!("trigger_tests/{}", row.number));
    let wrong = |message: String| {
        Failure::case(format!("{}: the tests that show it, `{}`: {message}", row.id(), file.display()))
    };
    let bytes = read_file(&file, LONGEST_FILE).map_err(|error| wrong(error.to_string()))?;
    let tests = listed_tests(&lines::text(&bytes));
    if tests.is_empty() {
        Err(wrong("it names no test; a line `--- Class::method` does".to_owned()))
    } else {
        Ok(tests)
    }
}

/// Sources that are not UTF-8 become so where others are and need it: javac reads all of them in one encoding.
fn one_encoding(folder: &Path) -> Result<(), Failure> {
    let mut others = Vec::new();
    let mut mixed = false;
    for file in java_files(folder) {
        let path = folder.join(file);
        let bytes = read_file(&path, LONGEST_FILE).map_err(|error| disk(&path, &error))?;
        match std::str::from_utf8(&bytes) {
            Ok(text) => mixed |= !text.is_ascii(),
            Err(_) => others.push((path, bytes)),
        }
    }
    for (path, bytes) in others.into_iter().filter(|_| mixed) {
        fs::write(&path, decoded(&bytes).as_bytes()).map_err(|error| disk(&path, &error))?;
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_renamed_whole() {
        let check = |before: &str, after: &str| {
            let found = with_package(before.as_bytes(), "a.b.enum", "a.b.oldenum");
            assert_eq!(String::from_utf8(found).unwrap(), after);
        };
        check("package a.b.enum;", "package a.b.oldenum;");
        check(
            "import a.b.enum.Enum; import a.b.enums.Enum;",
            "import a.b.oldenum.Enum; import a.b.enums.Enum;",
        );
        check("a.b.enum", "a.b.oldenum");
        check("x", "x");
    }

    #[test]
    fn encodings_become_one_only_where_there_are_two() {
        let folder = tempfile::tempdir().unwrap();
        let (latin, utf8) = (folder.path().join("A.java"), folder.path().join("B.java"));
        fs::write(&latin, b"// caf\xe9").unwrap();
        fs::write(&utf8, b"// cafe").unwrap();
        one_encoding(folder.path()).unwrap();
        assert_eq!(fs::read(&latin).unwrap(), b"// caf\xe9");
        fs::write(&utf8, "// café").unwrap();
        one_encoding(folder.path()).unwrap();
        assert_eq!(fs::read(&latin).unwrap(), "// café".as_bytes());
    }
}
