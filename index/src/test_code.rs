//! The code of a test, with everything that runs around it.

pub(crate) mod files;
mod find;
mod homes;
pub(crate) mod id;
mod lineage;
mod setup;

use std::collections::BTreeSet;

use patchwright_syntax::{MethodText, PathError, Project, ProjectError, ProjectPath, ProjectReadError};
use serde::Serialize;
use thiserror::Error;

use self::files::Files;

/// A test with its set-up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestCode {
    /// The test's id as it was asked for.
    pub test: String,
    /// The file with its code; for an inherited test that of the superclass.
    pub path: ProjectPath,
    /// The class that declares it, qualified; `None` for a function.
    pub class: Option<String>,
    /// The test itself.
    pub body: MethodText,
    /// The methods that run around it, from the same file: set-up, tear-down, fixtures, and the helpers that it calls.
    pub setup: Vec<MethodText>,
    /// The declarations of fields and constants that all of this uses, from the same file.
    pub fields: Vec<(u32, String)>,
    /// The imports that all of this uses, from the same file.
    pub imports: Vec<(u32, String)>,
    /// The same from other files: superclasses and shared fixtures.
    pub elsewhere: Vec<Elsewhere>,
    /// Other files with a test of this id.
    pub also: Vec<ProjectPath>,
}

/// The code of another file that a test uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Elsewhere {
    /// The file.
    pub path: ProjectPath,
    /// Set-up, fixtures and helpers.
    pub methods: Vec<MethodText>,
    /// Fields and constants.
    pub fields: Vec<(u32, String)>,
}

/// The reason for which the code of a test could not be found.
#[derive(Debug, Error)]
pub enum TestCodeError {
    /// The id cannot be read.
    #[error(
        "`{0}` is not a test id; use `package.Class::method` (Java), `path/test_x.py::Class::test` (pytest) or \
         `package.module.Class.test` (unittest)"
    )]
    NotAnId(String),
    /// There is no file with such a class.
    #[error("no file of the project holds the class or module of the test `{0}`")]
    NoFile(String),
    /// The file is there but not the test.
    #[error("`{path}` has no test `{asked}`{}", offered(.tests))]
    NoTest {
        /// As it was asked for.
        asked: String,
        /// The file.
        path: ProjectPath,
        /// Similar tests that it has.
        tests: Vec<String>,
    },
    /// The path in the id cannot be used.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ProjectReadError),
    /// The project cannot be listed.
    #[error(transparent)]
    Project(#[from] ProjectError),
}

fn offered(tests: &[String]) -> String {
    if tests.is_empty() { String::new() } else { format!("; it has {}", tests.join(", ")) }
}

/// Finds the code of a test by its id: `pkg.Class::method`, `path/test_x.py::Class::test[param]`,
/// `pkg.test_mod.Class.test_x`, `test_x (pkg.mod.Class)`.
///
/// With the test come its set-up and tear-down, the fixtures that it names, the helpers that it calls, and the fields
/// and imports that all of these use, from its own file, its superclasses and the shared fixtures of its folders.
pub fn test_code(project: &Project, test_id: &str) -> Result<TestCode, TestCodeError> {
    let id = id::parse(test_id).ok_or_else(|| TestCodeError::NotAnId(test_id.to_owned()))?;
    let files = Files::new(project, project.files()?);
    let found = find::find(project, &files, test_id, &id)?;
    let mut around = setup::around(&files, &found);
    let path = found.home.path.clone();
    let setup = around.methods.remove(&path).unwrap_or_default();
    let fields = around.fields.remove(&path).unwrap_or_default();
    let paths: BTreeSet<ProjectPath> = around.methods.keys().chain(around.fields.keys()).cloned().collect();
    let elsewhere = paths.into_iter().map(|path| Elsewhere {
        methods: around.methods.remove(&path).unwrap_or_default(),
        fields: around.fields.remove(&path).unwrap_or_default(),
        path,
    });
    let elsewhere = elsewhere.collect();
    let lines = found.home.numbered(found.method.lines);
    Ok(TestCode {
        test: test_id.to_owned(),
        path,
        class: found.class,
        body: MethodText { method: found.method, lines },
        setup,
        fields,
        imports: around.imports,
        elsewhere,
        also: found.also,
    })
}
