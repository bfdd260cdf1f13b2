//! The commands of a project with the variables that make our runners record coverage.

use patchwright_detection::ProjectSpec;

/// The file in the folder `out` of a lane that is recorded to.
pub(crate) const FILE: &str = "coverage.jsonl";

/// The same commands with the variable that tells where to record to.
pub(crate) fn recording(spec: &ProjectSpec) -> ProjectSpec {
    with_variable(spec, &format!("PATCHWRIGHT_COVERAGE=\"$PATCHWRIGHT_OUT/{FILE}\""))
}

/// The same commands with a variable set, as `NAME=VALUE`.
pub(crate) fn with_variable(spec: &ProjectSpec, variable: &str) -> ProjectSpec {
    let exported = |line: &str| format!("export {variable}; {line}");
    ProjectSpec {
        test: exported(spec.test.line()).into(),
        test_one: spec.test_one.as_deref().map(exported),
        ..spec.clone()
    }
}
