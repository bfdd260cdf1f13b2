//! Our Java runner and worker: what they are made of, how they are started, and the files that they read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use patchwright_folder::{EntryKind, Folder, FolderEntry, WalkBounds};
use patchwright_lanes::{Lane, LaneError, MOST_BYTES, Tools};
use patchwright_syntax::pattern::{Pattern, pattern};
use serde_json::json;

use super::{CommandContext, shell_word};
use crate::spec::ProjectSpec;

/// The runner's own classes, in the folder `tools`.
pub const RUNNER_CLASSES: &str = "classes";

/// The folder of the project's compiled classes, in `out`.
pub const CLASSES: &str = "classes";
/// The file that tells a worker about the project, in `out`.
const WORKER: &str = "worker.json";
/// The end of the detected command that runs the tests.
pub(super) const RUN: &str = " PatchwrightRunner \"$PATCHWRIGHT_OUT/classes.txt\"";
/// A worker lives for few minutes, in which a better compiler or collector pays nothing.
const WARM_FLAGS: &str = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xshare:auto";

/// For javac, which ends before the slower of the two compilers inside of a Java virtual machine pays: hundreds of sources compile
/// in two thirds of the time, and half of the processor's.
pub const QUICK_START: &str = "-J-XX:TieredStopAtLevel=1";

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
    "PatchwrightDigest",
    "PatchwrightFiles",
    "PatchwrightJson",
    "PatchwrightLimit",
    "PatchwrightLoader",
    "PatchwrightOutline",
    "PatchwrightOutput",
    "PatchwrightRunner",
    "PatchwrightShadows",
    "PatchwrightState",
    "PatchwrightSurroundings",
    "PatchwrightUses",
    "PatchwrightWatch",
    "PatchwrightWorker",
];

static PACKAGE: Pattern = pattern!(r"(?m)^\s*package\s+([\w.\s]+?)\s*;");

/// The sources of our own programs, by name.
pub(super) fn runner_sources() -> Tools {
    RUNNERS.iter().map(|(name, code)| ((*name).to_owned(), code.to_vec())).collect()
}

/// The command that compiles them, whatever processors of annotations the project's libraries hold. The runner is content with an older
/// Java than the worker.
pub(super) fn compile_line(javac: &str) -> String {
    format!(
        "tools=$PATCHWRIGHT_TOOLS; mkdir -p \"$tools/{RUNNER_CLASSES}\" && \
         {{ {javac} {QUICK_START} -proc:none -nowarn -encoding UTF-8 -d \"$tools/{RUNNER_CLASSES}\" \"$tools\"/*.java 2>/dev/null || \
         {javac} {QUICK_START} -proc:none -nowarn -encoding UTF-8 -d \"$tools/{RUNNER_CLASSES}\" \"$tools/PatchwrightRunner.java\" \
         \"$tools/PatchwrightLimit.java\" \"$tools/PatchwrightDigest.java\" \"$tools/PatchwrightShadows.java\"; }}"
    )
}

/// The command that starts a worker; the flags tell its heap too.
pub(super) fn worker_line(java: &str, flags: &str, libraries: &[String]) -> String {
    format!(
        "exec {java} {flags} {WARM_FLAGS} \
         -cp \"$PATCHWRIGHT_TOOLS/{RUNNER_CLASSES}:\"{} PatchwrightWorker \"$PATCHWRIGHT_OUT/{WORKER}\"",
        shell_word(&libraries.join(":"))
    )
}

/// The configuration of a worker for a project.
pub(super) struct Configuration<'a> {
    pub(super) encoding: Option<&'a str>,
    /// The class path that is not the project's.
    pub(super) libraries: &'a [String],
    /// Folders of resources, as the worker sees them.
    pub(super) resources: &'a [PathBuf],
    /// Is true if another tool has compiled the classes, of the sources that it chose.
    pub(super) foreign: bool,
}

impl Configuration<'_> {
    /// Writes it into a lane.
    pub(super) fn put(&self, context: &CommandContext<'_>, lane: &Lane) -> Result<(), LaneError> {
        let spec = context.spec;
        let out = |name: &str| context.lane.out().join(name);
        let mut options = json!(["-g", "-nowarn", "-encoding", self.encoding]);
        // The launcher of javac reads this variable, the compiler inside of the worker does not.
        if let (Some(told), Some(options)) = (spec.env.get("JDK_JAVAC_OPTIONS"), options.as_array_mut()) {
            options.extend(told.split_whitespace().map(Into::into));
        }
        let configuration = json!({
            "sources": out("sources.txt"),
            "test_classes": out("classes.txt"),
            "folders": spec.source.iter().chain(&spec.tests).collect::<Vec<_>>(),
            "classes": out(CLASSES),
            "foreign": self.foreign,
            "libraries": self.libraries,
            "resources": self.resources,
            "options": options,
            "requests": out("requests"),
            "replies": out("replies"),
        });
        Ok(lane.out()?.write(WORKER, configuration.to_string().as_bytes())?)
    }
}

/// Writes the lists of the sources and of the classes that may hold tests into a lane.
pub(super) fn write_lists(spec: &ProjectSpec, lane: &Lane, classes: &[String]) -> Result<(), LaneError> {
    let sources = java_files(&lane.project()?, spec.source.iter().chain(&spec.tests));
    let arguments: Vec<String> = sources.iter().map(|file| format!("\"{}\"", escaped(file))).collect();
    let out = lane.out()?;
    out.make(CLASSES)?;
    for (name, text) in [("sources.txt", arguments.join("\n")), ("classes.txt", classes.join("\n"))] {
        out.write(name, text.as_bytes())?;
    }
    Ok(())
}

/// The classes for which the files of the tests are named, sorted.
pub fn classes_of_tests(project: &Folder, spec: &ProjectSpec) -> Vec<String> {
    let text = |file: &String| project.read(file, MOST_BYTES).unwrap_or_default();
    let name = |file: &String| class_name(file, &String::from_utf8_lossy(&text(file)));
    let files = java_files(project, spec.tests.iter());
    let classes: BTreeSet<String> = files.iter().filter_map(name).collect();
    classes.into_iter().collect()
}

/// The Java files below some folders, or those files themselves, relative to the project, sorted, each once. Descriptions of modules are left out:
/// tests are compiled together with the sources, outside of any module.
pub fn java_files<'a>(project: &Folder, folders: impl Iterator<Item = &'a String>) -> Vec<String> {
    let is_java = |path: &Path| path.extension().is_some_and(|extension| extension == "java");
    let mut files = BTreeSet::new();
    for folder in folders {
        if is_java(Path::new(folder)) {
            files.insert(folder.clone());
        }
        let mut look = |_: &Folder, path: &Path, entry: &FolderEntry| {
            if is_java(path) && entry.kind == EntryKind::File && !path.ends_with("module-info.java") {
                let path = Path::new(folder).join(path);
                files.insert(path.to_string_lossy().trim_start_matches("./").to_owned());
            }
            Ok(true)
        };
        // Where there is nothing, or too much, the compiler says what it misses.
        let _ = project.below(folder).and_then(|below| below.walk(WalkBounds::PROJECT, &|| false, &mut look));
    }
    files.into_iter().collect()
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
pub fn package_of(text: &str) -> String {
    PACKAGE.captures(text).map_or_else(String::new, |found| found[1].split_whitespace().collect())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
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
