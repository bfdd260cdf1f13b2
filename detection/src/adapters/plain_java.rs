//! javac and JUnit 4, run by a runner of ours which takes single tests and writes exact results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use patchwright_folder::Folder;
use patchwright_lanes::{Lane, LaneError, Tools};
use patchwright_protocol::{ResultsFormat, TestId, Unconfirmable};

use super::java_runner::{
    CLASSES, Configuration, RUN, RUNNER_CLASSES, classes_of_tests, compile_line, runner_sources, worker_line,
    write_lists,
};
use super::{Adapter, CommandContext, OwnTool, WantedTests, shell_word};
use crate::spec::ProjectSpec;

/// The variable of a [`ProjectSpec`] that lists the jars of the class path.
pub(crate) const JARS: &str = "PATCHWRIGHT_JARS";

/// The beginning of the detected command that compiles; the encoding follows.
pub(crate) const BUILD: &str =
    "javac -J-XX:TieredStopAtLevel=1 -J-Xmx\"$PATCHWRIGHT_HEAP\"m -g -nowarn -encoding";

/// Names of classes above this many bytes do not fit into one command.
const CLASSES_BYTES: usize = 96 << 10;

pub(super) struct PlainJava;

impl Adapter for PlainJava {
    fn tools(&self) -> Tools {
        runner_sources()
    }

    fn compile_tools(&self) -> Option<String> {
        Some(compile_line("javac"))
    }

    fn environment(&self, context: &CommandContext<'_>) -> BTreeMap<String, String> {
        let CommandContext { spec, lane, pristine } = context;
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let ours = [lane.out().join(CLASSES)].into_iter().chain(resources(context));
        // Nothing that a candidate adds stands in the way of the test tool's own classes.
        let (first, last): (Vec<String>, Vec<String>) =
            libraries(spec).into_iter().partition(|path| is_of_junit(path) && !holds_junit(spec, pristine));
        let path = [text(lane.tools().join(RUNNER_CLASSES))].into_iter();
        let path: Vec<String> = path.chain(first).chain(ours.map(text)).chain(last).collect();
        BTreeMap::from([("CLASSPATH".to_owned(), path.join(":"))])
    }

    fn prepare(&self, spec: &ProjectSpec, lane: &Lane) -> Result<(), LaneError> {
        write_lists(spec, lane, &classes_of_tests(&lane.project()?, spec))
    }

    fn worker_command(&self, spec: &ProjectSpec) -> Result<String, &'static str> {
        let is_detected = spec.test_one.as_deref() == Some(&format!("{} {{tests}}", spec.test.line()))
            && spec.results == ResultsFormat::Lines
            && encoding(spec).is_some();
        let flags = spec.test.line().strip_prefix("java ").and_then(|rest| rest.strip_suffix(RUN));
        match flags.filter(|_| is_detected) {
            Some(flags) => Ok(worker_line("java", flags, &libraries(spec))),
            None => Err("the commands are not those that were detected"),
        }
    }

    fn prepare_worker(&self, context: &CommandContext<'_>, lane: &Lane) -> Result<(), LaneError> {
        let found = Configuration {
            encoding: encoding(context.spec),
            libraries: &libraries(context.spec),
            resources: &resources(context),
            foreign: false,
        };
        found.put(context, lane)
    }

    fn compiles(&self) -> bool {
        true
    }

    /// JUnit's program runs classes as a whole: those with a test that is left out are left out.
    fn own_tool(&self, spec: &ProjectSpec, _pristine: &Folder, tests: WantedTests<'_>) -> OwnTool {
        let Some(java) = spec.test.line().strip_suffix(RUN) else {
            return OwnTool::Cannot(Unconfirmable::NoCommand);
        };
        let class = |test: &TestId| test.as_str().split("::").next().map(shell_word);
        let hanging: BTreeSet<String> = tests.left_out.iter().filter_map(class).collect();
        let classes: BTreeSet<String> = tests.known.iter().filter_map(class).collect();
        let classes: Vec<String> = classes.difference(&hanging).cloned().collect();
        if classes.is_empty() {
            return OwnTool::Cannot(Unconfirmable::TestsLeftOut);
        }
        if classes.iter().map(String::len).sum::<usize>() > CLASSES_BYTES {
            return OwnTool::Cannot(Unconfirmable::NoCommand);
        }
        let test = format!("{java} org.junit.runner.JUnitCore {}", classes.join(" "));
        OwnTool::alone(spec, &JavaAlone, (test, None), ResultsFormat::JunitText)
    }

    fn can_skip(&self) -> bool {
        true
    }
}

/// JUnit's own program.
struct JavaAlone;

impl Adapter for JavaAlone {
    fn environment(&self, context: &CommandContext<'_>) -> BTreeMap<String, String> {
        let ours = context.lane.tools().join(RUNNER_CLASSES);
        let mut variables = PlainJava.environment(context);
        for path in variables.values_mut() {
            let kept: Vec<&str> = path.split(':').filter(|part| Path::new(part) != ours).collect();
            *path = kept.join(":");
        }
        variables
    }

    fn prepare(&self, spec: &ProjectSpec, lane: &Lane) -> Result<(), LaneError> {
        PlainJava.prepare(spec, lane)
    }
}

/// Is true if a jar is JUnit's, by its name.
fn is_of_junit(path: &str) -> bool {
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    ["junit", "hamcrest"].iter().any(|start| name.starts_with(start))
}

/// Is true if the project itself has classes of that name.
fn holds_junit(spec: &ProjectSpec, pristine: &Folder) -> bool {
    let packages = ["org/junit", "junit", "org/hamcrest"];
    spec.source
        .iter()
        .any(|source| packages.iter().any(|path| pristine.is_folder(Path::new(source).join(path))))
}

/// The folders in which resources lie: among the sources, or beside them.
fn resources(CommandContext { spec, lane, pristine }: &CommandContext<'_>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in spec.source.iter().chain(&spec.tests) {
        let beside = Path::new(folder).with_file_name("resources");
        for folder in [Path::new(folder), beside.as_path()] {
            if pristine.is_folder(folder) && !found.contains(&lane.project().join(folder)) {
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
    let rest = spec.build.as_deref()?.strip_prefix(BUILD)?.strip_prefix(' ')?;
    rest.strip_suffix(" -d \"$PATCHWRIGHT_OUT/classes\" @\"$PATCHWRIGHT_OUT/sources.txt\"")
        .filter(|name| !name.contains(' '))
}
