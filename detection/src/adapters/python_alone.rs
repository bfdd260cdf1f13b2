//! pytest and unittest as anybody calls them, with nothing of ours in their process.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use globset::{Glob, GlobMatcher};
use patchwright_folder::{EntryKind, Folder, FolderEntry, WalkBounds};
use patchwright_protocol::{ResultsFormat, TestId, ToolReport, Unconfirmable};
use patchwright_syntax::has_extension;

use super::{Adapter, CommandContext, OwnTool, PYTHON_PATH, WantedTests, python_environment, shell_word};
use crate::spec::ProjectSpec;

/// The file of JUnit XML that pytest writes, in the project's folder. Its name says nothing of us.
const REPORT: &str = "junit-results.xml";
/// The option by which our plugin is loaded.
const PLUGIN: &str = " -p patchwright_pytest";
/// The words by which our runner is called.
const RUNNER: &str = " -m patchwright_unittest ";
/// The patterns of the files in which our runner looks for tests.
const PATTERNS: [&str; 2] = ["test*.py", "*_test.py"];
/// A pattern for both, where nothing else fits it.
const BOTH: &str = "*test*.py";
/// Names of tests above this many bytes do not fit into one command.
const NAMES_BYTES: usize = 96 << 10;

/// The tool alone.
struct PythonAlone;

impl Adapter for PythonAlone {
    fn environment(&self, context: &CommandContext<'_>) -> BTreeMap<String, String> {
        let mut variables = python_environment(context);
        let tools = context.lane.tools();
        if let Some(path) = variables.get_mut(PYTHON_PATH) {
            let kept: Vec<&str> = path.split(':').filter(|part| Path::new(part) != tools).collect();
            *path = kept.join(":");
        }
        variables
    }

    fn names(&self, spec: &ProjectSpec, tests: &[TestId]) -> String {
        names(spec, tests)
    }
}

/// The names of tests as the tool has them in the folder in which it is called, as words of a shell.
pub(super) fn names(spec: &ProjectSpec, tests: &[TestId]) -> String {
    tests.iter().map(|test| shell_word(spec.from_folder(test.as_str()))).collect::<Vec<_>>().join(" ")
}

/// pytest without our plugin, which writes JUnit XML.
pub(super) fn pytest(spec: &ProjectSpec, tests: WantedTests<'_>) -> OwnTool {
    let Some((before, after)) = spec.test.line().split_once(PLUGIN) else {
        return OwnTool::Cannot(Unconfirmable::NoCommand);
    };
    let deselected = tests
        .left_out
        .iter()
        .cloned()
        .chain(named_documents(tests.known))
        .flat_map(|test| [" --deselect=".to_owned(), shell_word(spec.from_folder(test.as_str()))]);
    let deselected: String = deselected.collect();
    // The names of classes begin with the files as they are named on the command line, in this family of reports too.
    let options =
        format!("--junit-xml={REPORT} -o junit_family=xunit2 -o junit_suite_name=tests{deselected}");
    let test = format!("{before} {options}{after}");
    let test_one = Some(format!("{test} {{tests}}"));
    let results = ResultsFormat::JunitXml { glob: format!("{}{REPORT}", spec.inside()) };
    OwnTool::alone(spec, &PythonAlone, (test, test_one), results)
}

/// The tests that pytest makes of text files only because they are named: those of files that another plugin tests in every run.
fn named_documents(known: &[TestId]) -> BTreeSet<TestId> {
    let file = |test: &TestId| Some(test.as_str().split_once("::")?.0.to_owned());
    let files: BTreeSet<String> = known.iter().filter_map(file).collect();
    let documents =
        files.into_iter().filter(|file| ["rst", "txt"].iter().any(|kind| has_extension(file, kind)));
    let tests = documents.map(|file| {
        let name = file.rsplit('/').next().unwrap_or_default().to_owned();
        TestId::new(format!("{file}::{name}"))
    });
    tests.filter(|test| !known.contains(test)).collect()
}

/// unittest without our runner. `discover` finds the tests in each folder that holds any; where not all are to be run, they are named.
pub(super) fn unittest(spec: &ProjectSpec, pristine: &Folder, tests: WantedTests<'_>) -> OwnTool {
    let Some((interpreter, places)) = spec.test.line().split_once(RUNNER) else {
        return OwnTool::Cannot(Unconfirmable::NoCommand);
    };
    // A folder whose name is no plain word is left to our runner.
    let is_plain = |place: &str| !place.contains(['\'', '"', '\\', '$']);
    let places = places.split_whitespace().map(|place| place.split_once(':').filter(|_| is_plain(place)));
    let Some(places) = places.collect::<Option<Vec<(&str, &str)>>>() else {
        return OwnTool::Cannot(Unconfirmable::NoCommand);
    };
    let unittest = format!("{interpreter} -m unittest");
    if tests.is_part || !tests.left_out.is_empty() {
        return match named(spec, &unittest, &places, tests) {
            Some(test) => OwnTool::alone(spec, &PythonAlone, (test, None), ResultsFormat::UnittestText),
            None => OwnTool::Cannot(Unconfirmable::TestsLeftOut),
        };
    }
    let run = |(start, top): &(&str, &str)| {
        let pattern = pattern_of(pristine, &format!("{}{start}", spec.inside()))?;
        Some(format!("{unittest} discover -v -s {start} -t {top} -p '{pattern}'"))
    };
    match places.iter().map(run).collect::<Option<Vec<String>>>().as_deref() {
        Some([]) | None => OwnTool::Cannot(Unconfirmable::NoCommand),
        Some([test]) => OwnTool::alone(spec, &PythonAlone, (test.clone(), None), ResultsFormat::UnittestText),
        Some(runs) => {
            let folder = ToolReport::FOLDER;
            let runs = runs.iter().enumerate();
            let runs: Vec<String> =
                runs.map(|(number, run)| format!("{run} 2> {folder}/{number}.txt")).collect();
            let test = format!("mkdir -p {folder}; {}", runs.join("; "));
            let results = ResultsFormat::ToolReports(ToolReport::UnittestText);
            OwnTool::alone(spec, &PythonAlone, (test, None), results)
        }
    }
}

/// The command that runs all known tests by their names but for those that are left out, if it can be as long.
fn named(
    spec: &ProjectSpec,
    unittest: &str,
    places: &[(&str, &str)],
    tests: WantedTests<'_>,
) -> Option<String> {
    let tests: Vec<TestId> =
        tests.known.iter().filter(|test| !tests.left_out.contains(test)).cloned().collect();
    let names = names(spec, &tests);
    // Modules are named from these folders on.
    let tops: BTreeSet<&str> = places.iter().map(|(_, top)| *top).collect();
    let tops: Vec<String> = tops.into_iter().map(|top| format!("$PWD/{}{top}", spec.inside())).collect();
    let fits = !names.is_empty() && names.len() <= NAMES_BYTES;
    fits.then(|| {
        let tops = tops.join(":");
        format!("export {PYTHON_PATH}=\"{tops}:${PYTHON_PATH}\"; {unittest} -v {names}")
    })
}

/// The pattern by which unittest finds the files that our runner finds, and no other; `None` where there is none.
fn pattern_of(pristine: &Folder, start: &str) -> Option<&'static str> {
    let matcher = |pattern: &str| Glob::new(pattern).ok().map(|glob| glob.compile_matcher());
    let wanted: Vec<GlobMatcher> = PATTERNS.into_iter().filter_map(matcher).collect();
    let both = matcher(BOTH)?;
    let (mut found, mut is_apart) = ([false; 2], true);
    let mut look = |_: &Folder, path: &Path, entry: &FolderEntry| {
        let name = path.file_name().unwrap_or_default();
        if entry.kind == EntryKind::File && both.is_match(name) {
            let fits = [0, 1].map(|index| wanted.get(index).is_some_and(|glob| glob.is_match(name)));
            is_apart &= fits[0] || fits[1];
            // A file that fits both is found by either.
            if fits[0] != fits[1] {
                found[usize::from(fits[1])] = true;
            }
        }
        Ok(true)
    };
    pristine.below(start).ok()?.walk(WalkBounds::PROJECT, &|| false, &mut look).ok()?;
    match found {
        [_, false] => Some(PATTERNS[0]),
        [false, true] => Some(PATTERNS[1]),
        [true, true] => is_apart.then_some(BOTH),
    }
}
