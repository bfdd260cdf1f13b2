//! javac and JUnit 4, run by a runner of ours which takes single tests and writes exact results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use patchwright_folder::Folder;

use super::java_runner::{
    CLASSES, Configuration, RUN, RUNNER_CLASSES, classes_of_tests, compile_line, runner_sources, worker_line,
    write_lists,
};
use super::{Adapter, is_folder};
use crate::lane::{Lane, LaneError, LanePaths, Tools};
use crate::spec::{ProjectSpec, ResultsFormat};

/// The variable of a [`ProjectSpec`] that lists the jars of the class path.
pub(crate) const JARS: &str = "PATCHWRIGHT_JARS";

/// How the detected command compiles; the encoding follows.
pub(crate) const BUILD: &str = "javac -J-Xmx\"$PATCHWRIGHT_HEAP\"m -g -nowarn -encoding";

pub(super) struct PlainJava;

impl Adapter for PlainJava {
    fn tools(&self) -> Tools {
        runner_sources()
    }

    fn compile_tools(&self) -> Option<(String, &'static str)> {
        Some((compile_line("javac"), RUNNER_CLASSES))
    }

    fn environment(
        &self,
        spec: &ProjectSpec,
        lane: &LanePaths,
        pristine: &Folder,
    ) -> BTreeMap<String, String> {
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let ours = [lane.out().join(CLASSES)].into_iter().chain(resources(spec, lane, pristine));
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
        let same = spec.test_one.as_deref() == Some(&format!("{} {{tests}}", spec.test));
        let (Some(flags), true, ResultsFormat::Lines, true) = (
            spec.test.strip_prefix("java ").and_then(|rest| rest.strip_suffix(RUN)),
            same,
            &spec.results,
            encoding(spec).is_some(),
        ) else {
            return Err("the commands are not those that were detected");
        };
        Ok(worker_line("java", flags, &libraries(spec)))
    }

    fn prepare_worker(
        &self,
        spec: &ProjectSpec,
        lane: &Lane,
        pristine: &Folder,
        inside: &LanePaths,
    ) -> Result<(), LaneError> {
        let found = Configuration {
            encoding: encoding(spec),
            libraries: &libraries(spec),
            resources: &resources(spec, inside, pristine),
            foreign: false,
        };
        found.put(spec, lane, inside)
    }

    fn prebuilt(&self) -> Option<&'static str> {
        Some(CLASSES)
    }

    fn can_skip(&self) -> bool {
        true
    }
}

/// Whether a jar is JUnit's, by its name.
fn is_of_junit(path: &str) -> bool {
    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
    ["junit", "hamcrest"].iter().any(|start| name.starts_with(start))
}

/// Whether the project itself has classes of that name.
fn holds_junit(spec: &ProjectSpec, pristine: &Folder) -> bool {
    let packages = ["org/junit", "junit", "org/hamcrest"];
    spec.source
        .iter()
        .any(|source| packages.iter().any(|path| is_folder(pristine, Path::new(source).join(path))))
}

/// The folders in which resources lie: among the sources, or beside them.
fn resources(spec: &ProjectSpec, lane: &LanePaths, pristine: &Folder) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in spec.source.iter().chain(&spec.tests) {
        let beside = Path::new(folder).with_file_name("resources");
        for folder in [Path::new(folder), beside.as_path()] {
            if is_folder(pristine, folder) && !found.contains(&lane.project().join(folder)) {
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
