//! pytest and unittest as anybody calls them, with nothing of ours in their process.

use std::collections::BTreeMap;
use std::path::Path;

use globset::{Glob, GlobMatcher};
use patchwright_folder::{EntryKind, Folder, FolderEntry, WalkBounds};
use patchwright_protocol::TestId;

use super::{Adapter, Alone, CommandContext, PYTHON_PATH, python_environment, shell_word};
use crate::spec::{ProjectSpec, ResultsFormat};

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
}

/// pytest without our plugin, which writes JUnit XML.
pub(super) fn pytest(spec: &ProjectSpec, left_out: &[TestId]) -> Option<Alone> {
    let (before, after) = spec.test.split_once(PLUGIN)?;
    let deselected = left_out.iter().flat_map(|test| [" --deselect=".to_owned(), shell_word(test.as_str())]);
    let deselected: String = deselected.collect();
    // The names of classes begin with the files as they are named on the command line, in this family of reports too.
    let options =
        format!("--junit-xml={REPORT} -o junit_family=xunit2 -o junit_suite_name=tests{deselected}");
    let test = format!("{before} {options}{after}");
    let test_one = Some(format!("{test} {{tests}}"));
    Some(Alone {
        spec: ProjectSpec {
            test,
            test_one,
            results: ResultsFormat::JunitXml { glob: REPORT.to_owned() },
            ..spec.clone()
        },
        adapter: &PythonAlone,
    })
}

/// unittest without our runner: `discover` in the one folder that holds tests, whose text tells each outcome. It leaves out no test.
pub(super) fn unittest(spec: &ProjectSpec, pristine: &Folder, left_out: &[TestId]) -> Option<Alone> {
    let (interpreter, places) = spec.test.split_once(RUNNER)?;
    let mut places = places.split_whitespace();
    let place = places.next().filter(|_| left_out.is_empty())?;
    if places.next().is_some() {
        return None;
    }
    // A folder whose name is no plain word is left to our runner.
    let (start, top) = place.split_once(':').filter(|_| !place.contains(['\'', '"', '\\', '$']))?;
    let pattern = pattern_of(pristine, start)?;
    let unittest = format!("{interpreter} -m unittest");
    let test = format!("{unittest} discover -v -s {start} -t {top} -p '{pattern}'");
    let results = ResultsFormat::UnittestText;
    Some(Alone { spec: ProjectSpec { test, test_one: None, results, ..spec.clone() }, adapter: &PythonAlone })
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
