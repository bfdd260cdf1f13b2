//! Django projects whose tests Django runs itself.

use patchwright_protocol::ResultsFormat;
use patchwright_syntax::Language;

use super::python::{self, PythonTests};
use super::survey::{Survey, test_places};
use super::{DetectError, DetectedProject, PythonEnvironment, RUN_BY, Toolchain};
use crate::spec::{AdapterKind, ProjectSpec};

/// The project's own script that runs Django's commands.
const SCRIPT: &str = "manage.py";

/// Whether the tests are to be run by `manage.py test`.
pub(crate) fn runs(survey: &Survey, tests: &PythonTests) -> bool {
    tests.are_of_django() && survey.has(SCRIPT)
}

/// Django's own test runner, by the project's script.
pub(crate) async fn detect(
    survey: &Survey,
    tests: &PythonTests,
    environments: &[PythonEnvironment],
    toolchain: &dyn Toolchain,
) -> Result<DetectedProject, DetectError> {
    let mut reasons = vec![format!("the tests use django.test and there is a {SCRIPT}")];
    let mut wanted = python::requirements(survey);
    wanted.insert("django".to_owned());
    let interpreters = python::interpreters(survey, &wanted, environments, toolchain, &mut reasons).await?;
    let Some(interpreter) =
        interpreters.iter().find(|found| !found.missing.iter().any(|name| name == "django"))
    else {
        let cure = "install it where the tests run (python3 -m pip install django), or give --test CMD";
        return Err(DetectError::missing("the module django", reasons.concat(), cure));
    };
    reasons.push(format!("{RUN_BY}{} (Python {})", interpreter.name, interpreter.version));
    let test = format!("{} {SCRIPT} test -v 2 --noinput", interpreter.command);
    let spec = ProjectSpec {
        test_one: Some(format!("{test} {{tests}}")),
        source: python::sources(survey),
        tests: test_places(tests.files.iter().map(String::as_str)),
        env: interpreter.env.iter().cloned().collect(),
        ..ProjectSpec::new(
            AdapterKind::Django,
            Language::by_name("python"),
            test,
            ResultsFormat::UnittestText,
        )
    };
    Ok(DetectedProject { spec, reasons })
}
