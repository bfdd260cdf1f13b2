//! The processes that run a project's Java tests, as the agent observed them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use patchwright_detection::adapters::{LANE, ObservedJava, Resources, classes_of_tests, java_files};
use patchwright_detection::heap;
use patchwright_detection::{AdapterKind, ProjectSpec};
use patchwright_folder::Folder;
use patchwright_lanes::{Lane, LaneError, MOST_BYTES, Manifest, PLANTED, PROJECT, Tools};
use patchwright_protocol::ResultsFormat;
use patchwright_sandbox::CommandLimits;
use patchwright_test_results::TestOutcome;

use super::InterceptionError;
use crate::baseline::Baseline;

/// Options of a process that change what its tests see. Those that end in `=` or `:` go on.
const OPTIONS: &[&str] = &[
    "-D",
    "-ea",
    "-da",
    "-esa",
    "-dsa",
    "-enableassertions",
    "-disableassertions",
    "-Xmx",
    "-XX:MaxHeapSize=",
    "-XX:MaxRAMPercentage=",
    "-Xss",
    "-Xverify",
    "-noverify",
    "-Xbootclasspath/a:",
    "-javaagent:",
    "--add-opens=",
    "--add-exports=",
    "--add-modules=",
    "--enable-preview",
    "-XX:+EnableDynamicAgentLoading",
];
/// Properties that a process has by itself, or by the tool that starts it.
const OWN: &[&str] = &[
    "java.",
    "jdk.",
    "sun.",
    "os.",
    "user.",
    "file.",
    "path.",
    "line.",
    "awt.",
    "native.",
    "stdout.",
    "stderr.",
    "stdin.",
    "surefire.",
];

/// The run of the tests that was about to begin.
pub(super) struct ObservedRun {
    home: String,
    /// Options of the process, with [`LANE`] for the lane.
    options: Vec<String>,
    /// The commands with which the processes were started.
    commands: Vec<String>,
    libraries: Vec<String>,
    resources: Vec<Resources>,
    /// The compiled classes of the project, by path.
    classes: Tools,
}

/// Reads the records of the agent, one of each process, in a lane that these processes see as `inside`.
pub(super) fn read(
    records: &[Vec<u8>],
    lane: &Lane,
    inside: &Path,
    pristine: &Folder,
) -> Result<ObservedRun, InterceptionError> {
    let unsupported = |why: &str| Err(InterceptionError::Unsupported(why.to_owned()));
    let roots = [inside.to_owned(), lane.real_place()];
    let records: Vec<Vec<(String, String)>> = records.iter().map(|bytes| record(bytes, &roots)).collect();
    let Some(first) = records.first() else {
        return unsupported("no Java process was seen that runs classes of the project with JUnit");
    };
    let all = |word: &'static str| records.iter().flatten().filter(move |(name, _)| name == word);
    if all("junit").all(|(_, version)| version == "5") {
        return unsupported("the tests are run by JUnit 5, which our runner does not know");
    }
    let home = format!("{LANE}/{PROJECT}");
    if let Some((_, dir)) = all("dir").find(|(_, dir)| *dir != home) {
        let dir = dir.strip_prefix(&format!("{home}/")).unwrap_or("another folder");
        return unsupported(&format!("tests are run in {dir}, and not in the folder of the project"));
    }
    let of_first = |word: &str| {
        first.iter().filter(|(name, _)| name == word).map(|(_, text)| text.as_str()).collect::<Vec<_>>()
    };
    let mut paths: Vec<&str> = Vec::new();
    for (_, path) in all("path") {
        if !paths.contains(&path.as_str()) {
            paths.push(path);
        }
    }
    let mut seen = ObservedRun {
        home: of_first("home").concat(),
        options: options(&of_first("option"), &of_first("property"), &of_first("assertions")),
        commands: all("command").map(|(_, text)| text.clone()).collect(),
        libraries: Vec::new(),
        resources: Vec::new(),
        classes: Tools::new(),
    };
    for path in &paths {
        seen.add(path, &paths, lane, pristine)?;
    }
    if seen.classes.is_empty() {
        return unsupported("no folder with compiled classes of the project was seen");
    }
    Ok(seen)
}

/// The pairs of one file, with [`LANE`] for the lane.
fn record(bytes: &[u8], roots: &[PathBuf]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(bytes);
    let fields: Vec<&str> = text.split('\0').collect();
    let pairs = fields.chunks_exact(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned()));
    let relative = |text: String| {
        roots.iter().fold(text, |text, root| text.replace(&*root.to_string_lossy(), &LANE.to_string()))
    };
    pairs.map(|(word, text)| (word, relative(text))).collect()
}

/// The options with which our runner finds what the tests found.
fn options(given: &[&str], properties: &[&str], assertions: &[&str]) -> Vec<String> {
    // What our commands give to any Java is no wish of the project's.
    let own_heap = heap::option_for_others(CommandLimits::default().memory_bytes);
    let matters = |option: &&str| {
        OPTIONS.iter().any(|start| option.starts_with(start))
            && !option.contains("/spy/spy.jar=")
            && own_heap.as_deref() != Some(*option)
    };
    let mut options: Vec<String> = given.iter().copied().filter(matters).map(str::to_owned).collect();
    let mut properties = properties.to_vec();
    properties.sort_unstable();
    for property in properties {
        let option = format!("-D{property}");
        if !OWN.iter().any(|start| property.starts_with(start)) && !options.contains(&option) {
            options.push(option);
        }
    }
    if assertions == ["true"]
        && !options.iter().any(|option| option.starts_with("-ea") || option.starts_with("-enableassertions"))
    {
        options.push("-ea".to_owned());
    }
    options
}

impl ObservedRun {
    /// Takes in a part of the class path.
    fn add(
        &mut self,
        path: &str,
        all: &[&str],
        lane: &Lane,
        pristine: &Folder,
    ) -> Result<(), InterceptionError> {
        let Some(inner) = path.strip_prefix(LANE) else {
            self.libraries.push(path.to_owned());
            return Ok(());
        };
        let inner = inner.trim_start_matches('/');
        let of_project = inner.strip_prefix(PROJECT).map(|path| path.trim_start_matches('/'));
        let kept = of_project
            .filter(|path| pristine.entry(path).is_ok())
            .map(|path| if path.is_empty() { "." } else { path });
        if !lane.root().is_folder(inner) {
            let path = kept.ok_or_else(|| {
                InterceptionError::Unsupported(format!(
                    "the tests use {inner}, which the build makes: our runner needs folders of classes"
                ))
            })?;
            self.libraries.push(path.to_owned());
            return Ok(());
        }
        // Another part of the class path may lie inside of this one.
        let nested: Vec<PathBuf> = all
            .iter()
            .filter_map(|other| Path::new(other).strip_prefix(path).ok())
            .filter(|other| !other.as_os_str().is_empty())
            .map(Path::to_owned)
            .collect();
        let mut others = Tools::new();
        let place = lane.root().below(inner).map_err(LaneError::from)?;
        for name in Manifest::of(&place, &|| false)?.files() {
            let is_in = |folder: &Path| Path::new(&name).starts_with(folder);
            if is_in(Path::new(PLANTED)) || nested.iter().any(|folder| is_in(folder)) {
                continue;
            }
            let is_class = Path::new(&name).extension().is_some_and(|extension| extension == "class");
            if !is_class && kept.is_some() {
                continue;
            }
            let bytes = place.read(&name, MOST_BYTES).map_err(LaneError::from)?;
            if is_class {
                self.classes.entry(name).or_insert(bytes);
            } else {
                others.insert(name, bytes);
            }
        }
        match kept {
            Some(path) => self.resources.push(Resources::Kept(path.to_owned())),
            None if others.is_empty() => {}
            None => self.resources.push(Resources::Made(others)),
        }
        Ok(())
    }

    /// The project with commands that call our runner as the tests were called.
    pub(super) fn instrumented(
        self,
        spec: &ProjectSpec,
        pristine: &Folder,
        baseline: &Baseline,
    ) -> Result<(ProjectSpec, ObservedJava), String> {
        let (tests, as_listed) = self.test_classes(spec, pristine, baseline);
        if tests.is_empty() {
            return Err("no compiled class of the project is one of the tests".to_owned());
        }
        let seen = ObservedJava {
            home: self.home,
            options: self.options,
            libraries: self.libraries,
            resources: self.resources,
            classes: self.classes,
            encoding: encoding(spec, pristine),
            tests,
            as_listed,
        };
        let test = seen.command();
        let spec = ProjectSpec {
            kind: AdapterKind::PlainJava,
            // What was compiled is there.
            build: Some("true".to_owned()),
            test_one: Some(format!("{test} {{tests}}")),
            test: test.into(),
            results: ResultsFormat::Lines,
            ..spec.clone()
        };
        Ok((spec, seen))
    }

    /// The classes that the command tests, and whether it names them itself: those of the outcomes; where not all of these are
    /// told, those named by the processes, or else all among the tests.
    fn test_classes(
        &self,
        spec: &ProjectSpec,
        pristine: &Folder,
        baseline: &Baseline,
    ) -> (Vec<String>, bool) {
        let compiled =
            |name: &String| self.classes.contains_key(&format!("{}.class", name.replace('.', "/")));
        let class_of =
            |outcome: &TestOutcome| outcome.id.as_str().split("::").next().unwrap_or_default().to_owned();
        let told: BTreeSet<String> = baseline.report.outcomes.iter().map(class_of).filter(compiled).collect();
        if baseline.report.unlisted_passed == 0 {
            return (told.into_iter().collect(), false);
        }
        let words = self.commands.iter().flat_map(|command| command.split_whitespace());
        let named: BTreeSet<String> = words.map(str::to_owned).filter(compiled).collect();
        if named.is_empty() {
            return (classes_of_tests(pristine, spec).into_iter().filter(compiled).collect(), false);
        }
        (named.into_iter().collect(), true)
    }
}

/// The encoding in which all sources can be read.
fn encoding(spec: &ProjectSpec, pristine: &Folder) -> &'static str {
    let is_utf8 = |file: &String| {
        pristine.read(file, MOST_BYTES).is_ok_and(|bytes| std::str::from_utf8(&bytes).is_ok())
    };
    let files = java_files(pristine, spec.source.iter().chain(&spec.tests));
    if files.iter().all(is_utf8) { "UTF-8" } else { "ISO-8859-1" }
}
