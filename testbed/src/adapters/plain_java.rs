//! javac and JUnit 4, run by a runner of ours which takes single tests and writes exact results.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use super::{Adapter, shell_words};
use crate::lane::{Lane, LaneError, Tools, failed};
use crate::outcome::TestId;
use crate::pattern::pattern;
use crate::spec::ProjectSpec;

/// The variable of a [`ProjectSpec`] that lists the jars of the class path.
pub(crate) const JARS: &str = "PATCHWRIGHT_JARS";

/// The runner's own classes, in the folder `tools`.
const RUNNER_CLASSES: &str = "classes";

static PACKAGE: LazyLock<Regex> = pattern!(r"(?m)^\s*package\s+([\w.\s]+?)\s*;");

pub(super) struct PlainJava;

impl Adapter for PlainJava {
    fn tools(&self) -> Tools {
        let runner = include_bytes!("../../runners/PatchwrightRunner.java");
        Tools::from([("PatchwrightRunner.java".to_owned(), runner.to_vec())])
    }

    fn compile_tools(&self) -> Option<(&'static str, &'static str)> {
        let line = concat!(
            "mkdir -p \"$PATCHWRIGHT_TOOLS/classes\" && ",
            "javac -nowarn -encoding UTF-8 -d \"$PATCHWRIGHT_TOOLS/classes\" \"$PATCHWRIGHT_TOOLS/PatchwrightRunner.java\""
        );
        Some((line, RUNNER_CLASSES))
    }

    fn environment(&self, spec: &ProjectSpec, lane: &Lane, project: &Path) -> BTreeMap<String, String> {
        let mut path = vec![lane.tools().join(RUNNER_CLASSES), lane.out().join("classes")];
        // Resources lie among the sources, or in a folder beside them.
        for folder in spec.source.iter().chain(&spec.tests) {
            let resources = Path::new(folder).with_file_name("resources");
            for folder in [Path::new(folder), resources.as_path()] {
                if project.join(folder).is_dir() && !path.contains(&lane.project().join(folder)) {
                    path.push(lane.project().join(folder));
                }
            }
        }
        let mut path: Vec<String> = path.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        path.extend([JARS, "CLASSPATH"].iter().filter_map(|name| spec.env.get(*name)).cloned());
        BTreeMap::from([("CLASSPATH".to_owned(), path.join(":"))])
    }

    fn prepare(&self, spec: &ProjectSpec, lane: &Lane) -> Result<(), LaneError> {
        let project = lane.project();
        let sources: Vec<String> = java_files(&project, spec.source.iter().chain(&spec.tests));
        let arguments: Vec<String> = sources.iter().map(|file| format!("\"{}\"", escaped(file))).collect();
        let mut classes: Vec<String> = java_files(&project, spec.tests.iter())
            .iter()
            .filter_map(|file| {
                class_name(file, &String::from_utf8_lossy(&fs::read(project.join(file)).unwrap_or_default()))
            })
            .collect();
        classes.sort();
        classes.dedup();
        let out = lane.out();
        fs::create_dir_all(out.join("classes")).map_err(failed("create", &out))?;
        for (name, text) in [("sources.txt", arguments.join("\n")), ("classes.txt", classes.join("\n"))] {
            let path = out.join(name);
            fs::write(&path, text).map_err(failed("write", &path))?;
        }
        Ok(())
    }

    fn names(&self, _spec: &ProjectSpec, tests: &[TestId]) -> String {
        shell_words(tests.iter().map(TestId::as_str))
    }

    fn can_skip(&self) -> bool {
        true
    }
}

/// The Java files below some folders, or those files themselves, relative to the project, sorted, each once. Descriptions of modules are left out:
/// tests are compiled together with the sources, outside of any module.
fn java_files<'a>(project: &Path, folders: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut files = Vec::new();
    for folder in folders {
        if Path::new(folder).extension().is_some_and(|extension| extension == "java") {
            files.push(folder.clone());
        }
        let mut open = vec![project.join(folder)];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                // A link to a folder above would never end.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    open.push(path);
                } else if path.extension().is_some_and(|extension| extension == "java")
                    && !path.ends_with("module-info.java")
                {
                    let relative = path.strip_prefix(project).unwrap_or(&path);
                    files.push(relative.to_string_lossy().trim_start_matches("./").to_owned());
                }
            }
        }
    }
    files.sort();
    files.dedup();
    files
}

/// A path inside of double quotes, as javac reads it from a file.
fn escaped(path: &str) -> String {
    path.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The class that a file is named for.
fn class_name(file: &str, text: &str) -> Option<String> {
    let name = Path::new(file).file_stem()?.to_str().filter(|name| *name != "package-info")?;
    let package = package_of(text);
    Some(if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") })
}

/// The package that a source declares; empty for none.
pub(crate) fn package_of(text: &str) -> String {
    PACKAGE.captures(text).map_or_else(String::new, |found| found[1].split_whitespace().collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn files_name_classes() {
        let check = |file: &str, text: &str, expect: Option<&str>| {
            assert_eq!(class_name(file, text).as_deref(), expect);
        };
        check(
            "src/test/java/a/BTest.java",
            "// package x;\npackage a.b ;\nclass BTest {}",
            Some("a.b.BTest"),
        );
        check("BTest.java", "class BTest {}", Some("BTest"));
        check("test/a/package-info.java", "package a;", None);
        assert_eq!(escaped(r#"a "b"\c.java"#), r#"a \"b\"\\c.java"#);
    }
}
