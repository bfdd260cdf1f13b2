//! The libraries that Defects4J keeps for a project, in a folder of the prepared project: sandboxes show nothing else of the host.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::folder::files_below;
use crate::suite::disk;
use patchwright_protocol::Failure;

/// The folder for them.
const FOLDER: &str = "d4j-lib";

/// Copies the libraries of `lib` that a revision with this `pom` needs, and JUnit from `shared`, into the project.
///
/// # Errors
/// A jar cannot be copied.
pub(super) fn provide(lib: &Path, shared: &Path, pom: &str, project: &Path) -> Result<(), Failure> {
    let chosen = chosen(&jars(lib), &jars(shared), pom);
    if chosen.is_empty() {
        return Ok(());
    }
    let folder = project.join(FOLDER);
    let wrong = |error: std::io::Error| disk(&folder, &error);
    fs::create_dir_all(&folder).map_err(wrong)?;
    for jar in chosen {
        fs::copy(&jar, folder.join(jar.file_name().unwrap_or_default())).map_err(wrong)?;
    }
    Ok(())
}

fn jars(folder: &Path) -> Vec<PathBuf> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let stem = name.strip_suffix(".jar").unwrap_or_default();
        !stem.is_empty() && !stem.ends_with("-sources") && !stem.ends_with("-javadoc")
    };
    files_below(folder).into_iter().filter(is_library).map(|path| folder.join(path)).collect()
}

/// One jar of each library: of the version that the pom names, or else the newest. JUnit is the shared one, where there is one of
/// version 4; Hamcrest comes with it.
fn chosen(own: &[PathBuf], shared: &[PathBuf], pom: &str) -> Vec<PathBuf> {
    let mut by_library: BTreeMap<String, Vec<(String, &PathBuf)>> = BTreeMap::new();
    let junit = shared.iter().any(|path| is_junit_4(path));
    for (path, is_shared) in
        own.iter().map(|path| (path, false)).chain(shared.iter().map(|path| (path, true)))
    {
        let (library, version) = parts(path);
        if is_shared == (junit && is_framework(&library)) {
            by_library.entry(library).or_default().push((version, path));
        }
    }
    let best = |(library, mut versions): (String, Vec<(String, &PathBuf)>)| {
        versions.sort_by_key(|(version, _)| numbers(version));
        let wanted = named(pom, &library);
        let exact = versions.iter().find(|(version, _)| wanted.as_deref() == Some(version));
        exact.or(versions.last()).map(|(_, path)| (*path).clone())
    };
    by_library.into_iter().filter_map(best).collect()
}

/// Is true for JUnit and Hamcrest themselves; `junit-addons` and its like are libraries of a project.
fn is_framework(library: &str) -> bool {
    is_junit(library) || library == "hamcrest" || library.starts_with("hamcrest-")
}

fn is_junit(library: &str) -> bool {
    matches!(library, "junit" | "junit-dep")
}

fn is_junit_4(path: &Path) -> bool {
    let (library, version) = parts(path);
    is_junit(&library) && version.starts_with('4')
}

/// The name of a library and its version: `commons-lang3-3.8.1.jar`.
fn parts(path: &Path) -> (String, String) {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let begins_version =
        |(at, _): &(usize, &str)| stem[at + 1..].starts_with(|first: char| first.is_ascii_digit());
    match stem.match_indices('-').find(begins_version) {
        Some((at, _)) => (stem[..at].to_owned(), stem[at + 1..].to_owned()),
        None => (stem.to_owned(), String::new()),
    }
}

/// The numbers of a version, by which versions are compared.
fn numbers(version: &str) -> Vec<u64> {
    let digits = version.split(|character: char| !character.is_ascii_digit());
    digits.filter_map(|part| part.parse().ok()).collect()
}

/// The version of a library in a `pom.xml`, where it stands with its name.
fn named(pom: &str, library: &str) -> Option<String> {
    let name = format!("<artifactId>{library}</artifactId>");
    let after = &pom[pom.find(&name)? + name.len()..];
    let dependency = &after[..after.find("</dependency>").unwrap_or(after.len())];
    let version = dependency.split_once("<version>")?.1.split_once("</version>")?.0;
    Some(version.trim().to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn one_jar_of_each_library() {
        let check = |own: &[&str], shared: &[&str], pom: &str, expect: &[&str]| {
            let paths = |names: &[&str]| {
                names.iter().map(|name| PathBuf::from(format!("lib/{name}"))).collect::<Vec<_>>()
            };
            assert_eq!(chosen(&paths(own), &paths(shared), pom), paths(expect));
        };
        let junit = "junit-4.12-hamcrest-1.3.jar";
        check(
            &["h2-1.4.9.jar", "h2-1.4.196.jar", "junit-3.8.1.jar"],
            &[junit, "formatter.jar"],
            "",
            &["h2-1.4.196.jar", junit],
        );
        let addons = "junit-addons-1.4.jar";
        check(&[addons, "junit-3.8.1.jar"], &[junit], "", &[junit, addons]);
        let pom = "<dependency><artifactId>h2</artifactId>\n<version>1.4.9</version></dependency>";
        check(&["h2-1.4.196.jar", "h2-1.4.9.jar"], &[], pom, &["h2-1.4.9.jar"]);
        check(&["h2-1.4.196.jar"], &[], pom, &["h2-1.4.196.jar"]);
        check(
            &["junit-4.8.jar", "hamcrest-core-1.3.jar", "xz.jar"],
            &[],
            "",
            &["hamcrest-core-1.3.jar", "junit-4.8.jar", "xz.jar"],
        );
        let other = "<artifactId>h2</artifactId></dependency><version>1</version>";
        check(&["h2-1.jar", "h2-2.jar"], &[], other, &["h2-2.jar"]);
    }
}
