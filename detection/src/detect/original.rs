//! Build files that name the project's own folder by its path, which is not that of its copies.

use std::path::Path;

use super::DetectError;
use super::survey::Survey;
use crate::spec::ProjectSpec;

/// Endings of the files by which builds in Java name folders of classes and jars.
const BUILD_FILES: [&str; 5] = [".xml", ".properties", ".gradle", ".gradle.kts", ".classpath"];

/// Refuses a project in Java whose build names classes or jars in the project at `root` by a path that leads to the original: its copies would
/// be tested with what was compiled there. Only needed where commands do not find a copy at that path.
///
/// # Errors
/// [`DetectError::Elsewhere`], and where the folder cannot be listed.
pub fn refuse_original(root: &Path, spec: &ProjectSpec) -> Result<(), DetectError> {
    let is_java = spec.language.is_some_and(|language| language.name() == "java");
    let survey = Survey::of(root)?;
    let at = survey.root().canonicalize().ok().filter(|_| is_java);
    let Some(own) = at.as_deref().and_then(Path::to_str) else { return Ok(()) };
    let is_build_file = |path: &&str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        BUILD_FILES.iter().any(|ending| name.ends_with(ending)) && !path.contains("src/")
    };
    let Some((file, path)) = survey
        .files()
        .filter(is_build_file)
        .find_map(|file| Some((file, named_in(&survey.text(file), own)?)))
    else {
        return Ok(());
    };
    Err(DetectError::Elsewhere {
        module: file.to_owned(),
        path,
        cure: "name folders of the project relative to it (`${basedir}/…`), or give --sandbox namespaces, where they work: there a copy \
               stands at that path",
    })
}

/// The path in a folder that a text names.
fn named_in(text: &str, folder: &str) -> Option<String> {
    let is_end = |character: char| character.is_whitespace() || "\"'<>;:,)".contains(character);
    text.match_indices(folder).find_map(|(start, _)| {
        let rest = &text[start..];
        let path = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        path[folder.len()..].starts_with('/').then(|| path.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_original_are_found() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(named_in(text, "/home/ann/shop").as_deref(), expect, "{text}");
        };
        check(
            "<pathelement location=\"/home/ann/shop/build/classes\"/>",
            Some("/home/ann/shop/build/classes"),
        );
        check("lib=/home/ann/shop/lib/a.jar:/x", Some("/home/ann/shop/lib/a.jar"));
        check("<pathelement location=\"/home/ann/shopping/classes\"/>", None);
        check("<pathelement location=\"build/classes\"/>", None);
    }
}
