//! What of a project and of the machine shows how the project is built and tested.

pub(crate) mod ant;
pub(crate) mod django;
pub(crate) mod environments;
pub(crate) mod gradle;
mod home;
pub(crate) mod interpreters;
mod jars;
pub(crate) mod maven;
mod original;
pub(crate) mod plain_java;
pub(crate) mod pytest_settings;
pub(crate) mod python;
pub(crate) mod side_by_side;
mod survey;
mod toolchain;
pub(crate) mod wrapper;

use patchwright_protocol::{Actionable, Actor, Failure};
use patchwright_sandbox::SandboxError;
use patchwright_syntax::ProjectError;

use crate::spec::ProjectSpec;
pub use environments::{HostEnvironments, PythonEnvironment};
pub use original::refuse_original;
pub use python::PYTEST_OPTIONS;
pub(crate) use survey::{Survey, test_places};
pub use toolchain::{SandboxToolchain, Toolchain};

/// The way in which a project is built and tested, and why it is thought so.
#[derive(Clone, Debug)]
pub struct DetectedProject {
    /// How.
    pub spec: ProjectSpec,
    /// Why: each a sentence for people.
    pub reasons: Vec<String>,
}

/// The beginning of the reason that names what runs the tests.
pub(crate) const RUN_BY: &str = "tests are run by ";

impl DetectedProject {
    /// The versions of what runs the tests, where its name alone tells little: `Python 3.11.7, pytest 7.4.4`.
    pub fn versions(&self) -> Option<&str> {
        self.reasons
            .iter()
            .find_map(|reason| reason.strip_prefix(RUN_BY)?.split_once(" (")?.1.strip_suffix(')'))
    }
}

/// Why it cannot be found out. For the user.
#[derive(Debug, thiserror::Error)]
pub enum DetectError {
    /// The folder cannot be read.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// A thread was lost.
    #[error(transparent)]
    Defect(#[from] Failure),
    /// The sandbox in which the tool chain is asked does not work.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// Nothing was recognized.
    #[error("no tests were found in `{folder}`: looked for {looked_for}")]
    NoTests {
        /// The folder.
        folder: String,
        /// The files that were looked for.
        looked_for: String,
    },
    /// Something is recognized that is not run without help.
    #[error("{what}")]
    NotSupported {
        /// The thing that was recognized.
        what: String,
        /// The options to give by hand.
        hint: String,
    },
    /// A tool that the project needs is not there.
    #[error("{why}, but {tool} is not there")]
    MissingTool {
        /// The tool.
        tool: String,
        /// Why it is needed.
        why: String,
        /// The advice on what to install.
        cure: String,
    },
    /// The tests would not test the project.
    #[error(
        "the tests would not test the project: they take `{module}` from {path}, and not from the project's copy"
    )]
    Elsewhere {
        /// The module.
        module: String,
        /// Where it would be taken from.
        path: String,
        /// The advice on how to take it from the project.
        cure: &'static str,
    },
    /// An option of the user cannot be meant.
    #[error("{what}")]
    Given {
        /// The problem with it.
        what: String,
        /// The value to give instead.
        hint: String,
    },
}

impl DetectError {
    pub(crate) fn not_supported(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::NotSupported { what: what.into(), hint: hint.into() }
    }

    pub(crate) fn missing(tool: impl Into<String>, why: impl Into<String>, cure: impl Into<String>) -> Self {
        Self::MissingTool { tool: tool.into(), why: why.into(), cure: cure.into() }
    }
}

impl Actionable for DetectError {
    fn actor(&self) -> Actor {
        match self {
            Self::Given { .. } => Actor::User,
            Self::Project(_) | Self::Elsewhere { .. } => Actor::Environment,
            // The same project asks for the same the next time.
            Self::NoTests { .. } | Self::NotSupported { .. } | Self::MissingTool { .. } => Actor::Case,
            Self::Sandbox(error) => error.actor(),
            Self::Defect(failure) => failure.actor,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoTests { .. } => Some(
                "say how they are run: --test CMD, and how the outcomes are read: --results FORMAT"
                    .to_owned(),
            ),
            Self::NotSupported { hint, .. } | Self::Given { hint, .. } => Some(hint.clone()),
            Self::MissingTool { cure, .. } => Some(cure.clone()),
            Self::Elsewhere { cure, .. } => Some((*cure).to_owned()),
            Self::Sandbox(error) => error.hint(),
            Self::Defect(failure) => failure.hint.clone(),
            Self::Project(_) => None,
        }
    }
}

/// A project in Java as its build file says, if there is one.
pub(crate) async fn java_by_build_file(
    survey: &Survey,
    toolchain: &dyn Toolchain,
) -> Option<Result<DetectedProject, DetectError>> {
    if survey.has("pom.xml") {
        let detected = maven::detect(survey, toolchain).await;
        return Some(or_plain(survey, toolchain, "pom.xml", detected, maven::lack).await);
    }
    if survey.has("build.xml") {
        let detected = ant::detect(survey, toolchain).await;
        return Some(or_plain(survey, toolchain, "build.xml", detected, ant::lack).await);
    }
    let file = gradle::BUILDS.into_iter().find(|file| survey.has(file))?;
    let detected = gradle::detect(survey, file, toolchain).await;
    Some(or_plain(survey, toolchain, file, detected, gradle::lack).await)
}

/// The project as it was detected by a build file; without its tool where that does not work here. The question about what it
/// lacks is answered only where that is so.
async fn or_plain(
    survey: &Survey,
    toolchain: &dyn Toolchain,
    file: &str,
    detected: Result<DetectedProject, DetectError>,
    lack: fn(&Survey, &ProjectSpec) -> Option<String>,
) -> Result<DetectedProject, DetectError> {
    let why = match &detected {
        Err(DetectError::MissingTool { tool, .. }) => Some(format!("{tool} is not there")),
        // What need not be known is not asked.
        Ok(found) if plain_java::plain_layout(survey).is_some() => match lack(survey, &found.spec) {
            Some(question) => toolchain.ask(&question).await?.filter(|why| !why.is_empty()),
            None => None,
        },
        Ok(_) | Err(_) => None,
    };
    let Some(why) = why else { return detected };
    let reason = format!("there is a {file}, but it is not used: {why}");
    match plain_java::instead(survey, toolchain, reason).await? {
        Ok(instead) => Ok(instead),
        // What is known not to work need not be tried.
        Err(alone) => Err(match detected {
            Err(DetectError::MissingTool { tool, why, cure }) => {
                DetectError::missing(tool, why, format!("{cure} (javac alone does not do: {alone})"))
            }
            Err(error) => error,
            Ok(_) => DetectError::not_supported(
                format!(
                    "there is a {file}, but its tool lacks what it needs where tests run: {why}; javac alone does not do: {alone}"
                ),
                "run the build once by hand, so that the local repository holds what it needs; or give --build CMD and --test CMD",
            ),
        }),
    }
}
