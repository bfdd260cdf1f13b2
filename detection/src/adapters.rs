//! The needs of each kind of project around its commands: files beside the project, variables, names of tests in the form
//! that the tool takes.

mod external;
mod instrumented_python;
mod java_runner;
mod observed_java;
mod plain_java;
mod python_alone;

use std::collections::BTreeMap;

use patchwright_folder::Folder;
use patchwright_lanes::{Lane, LaneError, LanePaths, Tools};
use patchwright_protocol::{TestId, Unconfirmable};
use patchwright_test_results::ResultsFormat;

use crate::spec::{AdapterKind, ProjectSpec};
pub use java_runner::package_of;
pub use java_runner::{CLASSES, QUICK_START, RUNNER_CLASSES, classes_of_tests, java_files};
pub use observed_java::{LANE, ObservedJava, Resources};
pub(crate) use plain_java::{BUILD, JARS};

/// Where Python looks for modules first.
const PYTHON_PATH: &str = "PYTHONPATH";

/// The file of JUnit XML that a tool is told to write, in the project's folder.
pub const REPORT: &str = "patchwright-results.xml";

/// A test tool as anybody calls it: nothing of ours is in its process.
pub struct Alone {
    /// The project, with the commands of the tool alone and the format of the outcomes that it tells.
    pub spec: ProjectSpec,
    /// The needs of these commands.
    pub adapter: &'static dyn Adapter,
}

/// The tests that the project's own tool is to run.
#[derive(Clone, Copy)]
pub struct WantedTests<'t> {
    /// The tests that were run before any change.
    pub known: &'t [TestId],
    /// Those that are left out.
    pub left_out: &'t [TestId],
    /// Is true if the project has others, which are not to be run either.
    pub is_part: bool,
}

/// How the project's own test tool is run without anything of ours.
pub enum OwnTool {
    /// As always: nothing of ours runs with it anyway.
    AsAlways,
    /// By commands of its own.
    Alone(Box<Alone>),
    /// It cannot be run so, or cannot tell outcomes that are worth anything.
    Cannot(Unconfirmable),
}

impl OwnTool {
    /// The tool with these commands; `test_one` runs some tests.
    pub fn alone(
        spec: &ProjectSpec,
        adapter: &'static dyn Adapter,
        (test, test_one): (String, Option<String>),
        results: ResultsFormat,
    ) -> Self {
        Self::Alone(Box::new(Alone {
            spec: ProjectSpec { test: test.into(), test_one, results, ..spec.clone() },
            adapter,
        }))
    }
}

/// The things that the commands of a lane depend on.
pub struct CommandContext<'a> {
    /// The project.
    pub spec: &'a ProjectSpec,
    /// Where the lane is seen from inside.
    pub lane: LanePaths,
    /// The project before any change.
    pub pristine: &'a Folder,
}

/// The knowledge of one test tool.
pub trait Adapter: Send + Sync {
    /// Files that are put into the folder `tools` of each lane.
    fn tools(&self) -> Tools {
        Tools::new()
    }

    /// A command that compiles what is in `tools`, into its folder [`RUNNER_CLASSES`]. Run once for a test harness.
    fn compile_tools(&self) -> Option<String> {
        None
    }

    /// Variables for the commands.
    fn environment(&self, _context: &CommandContext<'_>) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// The command so that nothing which a candidate adds stands in the way of the test tool's own modules; puts what that needs among
    /// its variables.
    fn guard(
        &self,
        line: &str,
        _context: &CommandContext<'_>,
        _environment: &mut BTreeMap<String, String>,
    ) -> String {
        line.to_owned()
    }

    /// Writes what the commands read into the folder `out` of a lane on the host.
    fn prepare(&self, _spec: &ProjectSpec, _lane: &Lane) -> Result<(), LaneError> {
        Ok(())
    }

    /// The command that starts a worker which judges one candidate after the other, or why there is none.
    fn worker_command(&self, _spec: &ProjectSpec) -> Result<String, &'static str> {
        Err("there is no warm worker for this kind of project")
    }

    /// Writes what a worker reads when it starts into the folder `out` of a lane.
    fn prepare_worker(&self, _context: &CommandContext<'_>, _lane: &Lane) -> Result<(), LaneError> {
        Ok(())
    }

    /// Is true if a worker fills the folder [`CLASSES`] of `out` when it starts, with the same for each lane.
    fn compiles(&self) -> bool {
        false
    }

    /// The test tool alone.
    fn own_tool(&self, _spec: &ProjectSpec, _pristine: &Folder, _tests: WantedTests<'_>) -> OwnTool {
        OwnTool::AsAlways
    }

    /// The text that stands for `{tests}`: the names as words of a shell, unless the tool wants them otherwise.
    fn names(&self, _spec: &ProjectSpec, tests: &[TestId]) -> String {
        shell_words(tests)
    }

    /// Is true if tests named by `PATCHWRIGHT_SKIP` are left out of a whole run.
    fn can_skip(&self) -> bool {
        false
    }

    /// Is true if the command that tests compiles first, so that its output tells of a build that failed.
    fn test_builds(&self) -> bool {
        false
    }
}

/// The adapter of a kind.
pub fn of(kind: AdapterKind) -> &'static dyn Adapter {
    match kind {
        AdapterKind::Pytest => &instrumented_python::PYTEST,
        AdapterKind::Unittest => &instrumented_python::UNITTEST,
        AdapterKind::PlainJava => &plain_java::PlainJava,
        AdapterKind::Tool(tool) => tool.adapter,
        AdapterKind::Maven | AdapterKind::Ant | AdapterKind::Custom => &external::ExternalTool,
    }
}

/// The names, each as one word of a shell, with spaces between.
pub fn shell_words(names: &[TestId]) -> String {
    names.iter().map(|name| shell_word(name.as_str())).collect::<Vec<_>>().join(" ")
}

/// A text as one word of a shell.
pub fn shell_word(text: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "_-./:=,@%+".contains(character);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The folders of a Python project that are searched for modules, relative to it: a folder that is a package itself is found from above.
fn python_roots<'a>(context: &CommandContext<'a>) -> impl Iterator<Item = &'a str> {
    let pristine = context.pristine;
    let is_root = move |folder: &&str| {
        *folder != "."
            && pristine.is_folder(folder)
            && pristine.entry(format!("{folder}/__init__.py")).is_err()
    };
    context.spec.source.iter().map(String::as_str).filter(is_root)
}

/// The variables of every Python project: its own files come before anything that is installed, so that an editable
/// installation never tests the original, and runs are alike.
pub fn python_environment(context: &CommandContext<'_>) -> BTreeMap<String, String> {
    let lane = &context.lane;
    let mut paths = vec![lane.project()];
    paths.extend(python_roots(context).map(|folder| lane.project().join(folder)));
    paths.push(lane.tools());
    let mut paths: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    paths.extend(context.spec.env.get(PYTHON_PATH).cloned());
    BTreeMap::from([
        (PYTHON_PATH.to_owned(), paths.join(":")),
        ("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()),
        ("PYTHONHASHSEED".to_owned(), "0".to_owned()),
        // What a test prints must not be lost when it is ended.
        ("PYTHONUNBUFFERED".to_owned(), "1".to_owned()),
    ])
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_own_tool_is_known_or_why_there_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let pristine = Folder::open(folder.path()).unwrap();
        let check = |kind: AdapterKind, test: &str, results: &str, left_out: &[&str], expect: &str| {
            let spec = ProjectSpec::new(kind, None, test.to_owned(), results.parse().unwrap());
            let ids = |names: &[&str]| names.iter().map(|name| TestId::new(*name)).collect::<Vec<_>>();
            let (known, left_out) = (ids(&["a.B::c", "a.D::e"]), ids(left_out));
            let tests = WantedTests { known: &known, left_out: &left_out, is_part: false };
            let found = match of(kind).own_tool(&spec, &pristine, tests) {
                OwnTool::AsAlways => "as always".to_owned(),
                OwnTool::Alone(alone) => alone.spec.test.line().to_owned(),
                OwnTool::Cannot(because) => format!("{because:?}"),
            };
            assert_eq!(found, expect, "{kind:?} {test} {results}");
        };
        check(AdapterKind::Maven, "mvn test", "junit-xml:*.xml", &[], "as always");
        check(AdapterKind::Ant, "ant test", "junit-xml:*.xml", &[], "as always");
        check(AdapterKind::Ant, "ant test", "junit-text", &[], "TextOnly");
        check(AdapterKind::Custom, "make test", "pytest", &[], "UserCommand");
        check(AdapterKind::Custom, "make test", "lines", &[], "UserCommand");
        check(AdapterKind::Pytest, "python3 -m pytest", "lines", &[], "NoCommand");
        let java = format!("java -ea{}", java_runner::RUN);
        let junit = |classes: &str| format!("java -ea org.junit.runner.JUnitCore {classes}");
        check(AdapterKind::PlainJava, &java, "lines", &[], &junit("a.B a.D"));
        check(AdapterKind::PlainJava, &java, "lines", &["a.B::c"], &junit("a.D"));
        check(AdapterKind::PlainJava, &java, "lines", &["a.B::c", "a.D::f"], "TestsLeftOut");
        let python = "python3 -m patchwright_unittest tests:.";
        let named = "export PYTHONPATH=\"$PWD/.:$PYTHONPATH\"; python3 -m unittest -v a.B::c";
        check(AdapterKind::Unittest, python, "lines", &["a.D::e"], named);
        check(AdapterKind::Unittest, python, "lines", &["a.B::c", "a.D::e"], "TestsLeftOut");
        check(AdapterKind::Unittest, "python3 -m patchwright_unittest 'a b:.'", "lines", &[], "NoCommand");
        let (spec, known) = (
            ProjectSpec::new(AdapterKind::Unittest, None, python.to_owned(), ResultsFormat::Lines),
            [TestId::new("a.B::c")],
        );
        let part = WantedTests { known: &known, left_out: &[], is_part: true };
        let alone = of(AdapterKind::Unittest).own_tool(&spec, &pristine, part);
        assert!(
            matches!(alone, OwnTool::Alone(alone) if alone.spec.test.line() == named),
            "the others do not run"
        );
    }

    #[test]
    fn names_become_words_of_a_shell() {
        let check = |text: &str, expect: &str| assert_eq!(shell_word(text), expect);
        check("tests/test_a.py::test_b", "tests/test_a.py::test_b");
        check("t.py::test_b[x y]", "'t.py::test_b[x y]'");
        check("it's $HOME", r"'it'\''s $HOME'");
        check("", "''");
        check("a.B$C::d", "'a.B$C::d'");
    }
}
