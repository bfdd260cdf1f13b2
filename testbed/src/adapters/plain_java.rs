//! javac and JUnit 4, run by a runner of ours which takes single tests and writes exact results.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::json;

use super::{Adapter, shell_word, shell_words};
use crate::lane::{Lane, LaneError, Tools, failed, put};
use crate::outcome::TestId;
use crate::pattern::pattern;
use crate::spec::{ProjectSpec, ResultsFormat};

/// The variable of a [`ProjectSpec`] that lists the jars of the class path.
pub(crate) const JARS: &str = "PATCHWRIGHT_JARS";

/// The runner's own classes, in the folder `tools`.
const RUNNER_CLASSES: &str = "classes";

/// The folder of the project's compiled classes, in `out`.
const CLASSES: &str = "classes";
/// What tells a worker about the project, in `out`.
const WORKER: &str = "worker.json";
/// How the detected command runs the tests.
const RUN: &str = " PatchwrightRunner \"$PATCHWRIGHT_OUT/classes.txt\"";
/// A worker lives for few minutes, in which a better compiler or collector pays nothing.
const WARM_FLAGS: &str = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xshare:auto";

macro_rules! runners {
    ($($name:literal),* $(,)?) => {
        &[$((concat!($name, ".java"), include_bytes!(concat!("../../runners/", $name, ".java")))),*]
    };
}

/// Our own sources.
const RUNNERS: &[(&str, &[u8])] = runners![
    "PatchwrightAbi",
    "PatchwrightCandidate",
    "PatchwrightClasses",
    "PatchwrightCompiler",
    "PatchwrightFiles",
    "PatchwrightJson",
    "PatchwrightLoader",
    "PatchwrightOutline",
    "PatchwrightOutput",
    "PatchwrightRunner",
    "PatchwrightState",
    "PatchwrightSurroundings",
    "PatchwrightUses",
    "PatchwrightWatch",
    "PatchwrightWorker",
];

static PACKAGE: LazyLock<Regex> = pattern!(r"(?m)^\s*package\s+([\w.\s]+?)\s*;");

pub(super) struct PlainJava;

impl Adapter for PlainJava {
    fn tools(&self) -> Tools {
        RUNNERS.iter().map(|(name, code)| ((*name).to_owned(), code.to_vec())).collect()
    }

    fn compile_tools(&self) -> Option<(&'static str, &'static str)> {
        // The runner is content with an older Java than the worker.
        let line = concat!(
            "tools=$PATCHWRIGHT_TOOLS; mkdir -p \"$tools/classes\" && ",
            "{ javac -nowarn -encoding UTF-8 -d \"$tools/classes\" \"$tools\"/*.java 2>/dev/null || ",
            "javac -nowarn -encoding UTF-8 -d \"$tools/classes\" \"$tools/PatchwrightRunner.java\"; }"
        );
        Some((line, RUNNER_CLASSES))
    }

    fn environment(&self, spec: &ProjectSpec, lane: &Lane, project: &Path) -> BTreeMap<String, String> {
        let mut path = vec![lane.tools().join(RUNNER_CLASSES), lane.out().join(CLASSES)];
        path.extend(resources(spec, lane, project));
        let mut path: Vec<String> = path.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        path.extend(libraries(spec));
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
        fs::create_dir_all(out.join(CLASSES)).map_err(failed("create", &out))?;
        for (name, text) in [("sources.txt", arguments.join("\n")), ("classes.txt", classes.join("\n"))] {
            let path = out.join(name);
            fs::write(&path, text).map_err(failed("write", &path))?;
        }
        Ok(())
    }

    fn warm(&self, spec: &ProjectSpec) -> Result<String, &'static str> {
        let same = spec.test_one.as_deref() == Some(&format!("{} {{tests}}", spec.test));
        let (Some(flags), true, ResultsFormat::Lines, true) = (
            spec.test.strip_prefix("java ").and_then(|rest| rest.strip_suffix(RUN)),
            same,
            &spec.results,
            encoding(spec).is_some(),
        ) else {
            return Err("the commands are not those that were detected");
        };
        Ok(format!(
            "exec java {flags} -Xmx\"$PATCHWRIGHT_HEAP\"m {WARM_FLAGS} \
             -cp \"$PATCHWRIGHT_TOOLS/{RUNNER_CLASSES}:\"{} PatchwrightWorker \"$PATCHWRIGHT_OUT/{WORKER}\"",
            shell_word(&libraries(spec).join(":"))
        ))
    }

    fn prepare_warm(&self, spec: &ProjectSpec, lane: &Lane, inside: &Lane) -> Result<(), LaneError> {
        let out = |name: &str| inside.out().join(name);
        let configuration = json!({
            "sources": out("sources.txt"),
            "test_classes": out("classes.txt"),
            "folders": spec.source.iter().chain(&spec.tests).collect::<Vec<_>>(),
            "classes": out(CLASSES),
            "libraries": libraries(spec),
            "resources": resources(spec, inside, &lane.project()),
            "options": ["-g", "-nowarn", "-encoding", encoding(spec)],
            "requests": out("requests"),
            "replies": out("replies"),
        });
        put(&lane.out().join(WORKER), configuration.to_string().as_bytes())
    }

    fn prebuilt(&self) -> Option<&'static str> {
        Some(CLASSES)
    }

    fn names(&self, _spec: &ProjectSpec, tests: &[TestId]) -> String {
        shell_words(tests.iter().map(TestId::as_str))
    }

    fn can_skip(&self) -> bool {
        true
    }
}

/// The folders in which resources lie: among the sources, or beside them.
fn resources(spec: &ProjectSpec, lane: &Lane, project: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in spec.source.iter().chain(&spec.tests) {
        let beside = Path::new(folder).with_file_name("resources");
        for folder in [Path::new(folder), beside.as_path()] {
            if project.join(folder).is_dir() && !found.contains(&lane.project().join(folder)) {
                found.push(lane.project().join(folder));
            }
        }
    }
    found
}

/// The class path that is not the project's, as the user and the detection give it.
fn libraries(spec: &ProjectSpec) -> Vec<String> {
    let given = [JARS, "CLASSPATH"].into_iter().filter_map(|name| spec.env.get(name));
    given.flat_map(|path| path.split(':')).filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

/// The encoding of the sources, where they are compiled by the command that was detected.
fn encoding(spec: &ProjectSpec) -> Option<&str> {
    let rest = spec.build.as_deref()?.strip_prefix("javac -g -nowarn -encoding ")?;
    rest.strip_suffix(" -d \"$PATCHWRIGHT_OUT/classes\" @\"$PATCHWRIGHT_OUT/sources.txt\"")
        .filter(|name| !name.contains(' '))
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
