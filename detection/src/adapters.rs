//! The needs of each kind of project around its commands: files beside the project, variables, names of tests in the form
//! that the tool takes.

mod external;
mod gradle;
mod instrumented_python;
mod java_runner;
mod observed_java;
mod plain_java;
mod python_alone;

use std::collections::BTreeMap;

pub use crate::shell::{shell_word, shell_words};
use crate::spec::AdapterKind;
pub use crate::spec::adapter::{Adapter, Alone, CommandContext, OwnTool, WantedTests};
pub use java_runner::package_of;
pub use java_runner::{CLASSES, QUICK_START, RUNNER_CLASSES, classes_of_tests, java_files};
pub use observed_java::{LANE, ObservedJava, Resources};
pub(crate) use plain_java::{BUILD, JARS};

/// Where Python looks for modules first.
const PYTHON_PATH: &str = "PYTHONPATH";

/// The file of JUnit XML that a tool is told to write, in the project's folder.
pub const REPORT: &str = "patchwright-results.xml";

/// The adapter of a kind.
pub fn of(kind: AdapterKind) -> &'static dyn Adapter {
    match kind {
        AdapterKind::Pytest => &instrumented_python::PYTEST,
        AdapterKind::Unittest => &instrumented_python::UNITTEST,
        AdapterKind::PlainJava => &plain_java::PlainJava,
        AdapterKind::Gradle => &gradle::Gradle,
        AdapterKind::Tool(tool) => tool.adapter,
        AdapterKind::Django | AdapterKind::Maven | AdapterKind::Ant | AdapterKind::Custom => {
            &external::ExternalTool
        }
    }
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
    use patchwright_folder::Folder;
    use patchwright_protocol::{ResultsFormat, TestId};
    use patchwright_test_results::read_results_format;

    use super::*;
    use crate::spec::ProjectSpec;

    #[test]
    fn the_own_tool_is_known_or_why_there_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let pristine = Folder::open(folder.path()).unwrap();
        let check = |kind: AdapterKind, test: &str, results: &str, left_out: &[&str], expect: &str| {
            let spec = ProjectSpec::new(kind, None, test.to_owned(), read_results_format(results).unwrap());
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
}
