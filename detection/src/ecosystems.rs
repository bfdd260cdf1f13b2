//! The ecosystems: what a family of languages needs around its tests that is no data of `syntax/languages/`. Each is a file of
//! `ecosystems/` and a line of `ECOSYSTEMS`.

mod java;
mod javascript;
mod python;

use std::collections::BTreeMap;
use std::path::Path;

use async_trait::async_trait;
use patchwright_protocol::TestId;
use patchwright_syntax::{Class, Language, Method, Outline, Project, ProjectPath, Source, Span, outline};

use crate::detect::{DetectError, DetectedProject, HostEnvironments, Survey, Toolchain};
use crate::given_command::{GivenCommand, SEVERAL};
use crate::spec::ProjectSpec;
use crate::spec::adapter::CommandContext;
pub use javascript::packages_in;

/// The name of a snippet's file, without its extension.
pub const SNIPPET: &str = "snippet";

/// All ecosystems. Where as much speaks for one as for another, the first is chosen.
static ECOSYSTEMS: &[&dyn Ecosystem] = &[&python::Python, &java::Java, &javascript::JavaScript];

/// The constant facts of an ecosystem.
pub(crate) struct EcosystemFacts {
    /// The names of its languages.
    pub(crate) languages: &'static [&'static str],
    /// The signs of a project that are looked for, in words.
    pub(crate) looked_for: &'static str,
    /// Globs of the files that decide how a project is built and tested, wherever they lie; a change to one could make any test pass.
    pub(crate) build_files: &'static [&'static str],
    /// The programs that are run beside a project.
    pub(crate) programs: ProgramFacts,
    /// What tests are run with.
    pub(crate) tools: &'static [ToolFacts],
}

/// A program that tests are run with.
#[derive(Clone, Copy, Debug)]
pub struct ToolFacts {
    /// The name by which it is known.
    pub name: &'static str,
    /// What asks for its version: a program and its arguments.
    pub asked: &'static [&'static str],
    /// The package of Debian that has it.
    pub package: &'static str,
}

/// The programs that tests are run with, of all ecosystems.
pub fn test_tools() -> impl Iterator<Item = &'static ToolFacts> {
    all().flat_map(|ecosystem| ecosystem.facts().tools)
}

/// What is told of the programs of an ecosystem.
pub(crate) struct ProgramFacts {
    /// The language that they are written in.
    pub(crate) language: &'static str,
    /// They in words, such as `a Python script`.
    pub(crate) words: &'static str,
    /// Is true if they run beside every project, and not only with one of the ecosystem.
    pub(crate) run_everywhere: bool,
}

/// A language in which a program can be written that is run beside a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramLanguage {
    /// The language.
    pub language: Language,
    /// A program in it in words, such as `a Python script`.
    pub words: &'static str,
}

/// What of a project speaks for an ecosystem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// The files in its languages.
    pub(crate) files: usize,
    /// Those of them that hold tests.
    pub(crate) tests: usize,
    /// Is true if there is a build file, by which people start a build where most files are in this language.
    pub(crate) has_build_file: bool,
}

/// The folders of a project.
#[derive(Default)]
pub(crate) struct Folders {
    /// Those of production code.
    pub(crate) source: Vec<String>,
    /// Those of tests; also single files.
    pub(crate) tests: Vec<String>,
}

/// A command of the user's that runs the tests of a project.
pub(crate) struct GivenTests<'a> {
    pub(crate) survey: &'a Survey,
    pub(crate) command: &'a GivenCommand<'a>,
    /// What is made of it where nobody knows its tool.
    pub(crate) spec: &'a ProjectSpec,
    /// Whether it may reach the network.
    pub(crate) network: bool,
    pub(crate) toolchain: &'a dyn Toolchain,
}

/// What an ecosystem makes of a command of the user's.
pub(crate) enum Understood {
    /// It runs none of its tools.
    No,
    /// It runs one, in a way that is not understood for this reason.
    Kept(String),
    /// The project as if that tool had been detected.
    As(Box<DetectedProject>),
}

/// The reason that tells of a command of the user's.
pub(crate) const GIVEN: &str = "the test command is given";

/// A family of languages whose projects are built and tested alike.
#[async_trait]
pub(crate) trait Ecosystem: Send + Sync {
    /// The constant facts.
    fn facts(&self) -> &'static EcosystemFacts;

    /// What speaks for it; none where nothing does.
    fn claim(&self, survey: &Survey) -> Option<Claim>;

    /// How the project is built and tested, `by_build_file` or by its tests alone.
    async fn detect(
        &self,
        survey: &Survey,
        by_build_file: bool,
        host: &HostEnvironments,
        toolchain: &dyn Toolchain,
    ) -> Result<DetectedProject, DetectError>;

    /// What it makes of a command of the user's.
    async fn as_detected(&self, given: &GivenTests<'_>) -> Result<Understood, DetectError>;

    /// Where production code and tests lie, for a command of the user's.
    fn folders(&self, survey: &Survey) -> Folders;

    /// Is true if its files make up the project, whatever else lies there.
    fn is_at_home(&self, _survey: &Survey) -> bool {
        true
    }

    /// Variables for commands of the user's.
    fn environment(&self, _context: &CommandContext<'_>) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// A variable with an option for commands of other tools, which may use so many bytes of memory; it is put before what the user gave.
    fn memory_option(&self, _bytes: u64) -> Option<(&'static str, String)> {
        None
    }

    /// How new tests are written, if they can be.
    fn writing(&self) -> Option<&dyn TestWriting> {
        None
    }
}

/// A program of its own, and the command that runs it in the project's folder.
pub struct Script {
    /// Its file, in the folder `out`.
    pub file: String,
    /// The command.
    pub line: String,
}

/// How tests are written in the languages of an ecosystem.
pub trait TestWriting: Send + Sync {
    /// The framework of new tests, such as `pytest`.
    fn framework(&self, project: &Project, spec: &ProjectSpec) -> &'static str;

    /// The name by which the project's tool runs a file, or what these `parts` name in it: a group or class, a test.
    fn name(&self, spec: &ProjectSpec, path: &str, code: &str, parts: &[&str]) -> TestId;

    /// The names by which the project's tool runs the tests in `code`, which is a new file or the end of one that exists.
    fn selection(&self, spec: &ProjectSpec, path: &str, code: &str, exists: bool) -> Vec<TestId> {
        if !exists {
            return vec![self.name(spec, path, code, &[])];
        }
        let Some(language) = Language::of_path(Path::new(path)) else { return Vec::new() };
        let tests = outermost_tests(language, code).into_iter();
        tests.map(|name| self.name(spec, path, code, &[&name])).collect()
    }

    /// The file of tests beside which a new one cannot be loaded, because both have one name.
    fn namesake(&self, _project: &Project, _spec: &ProjectSpec, _path: &str) -> Option<ProjectPath> {
        None
    }

    /// Is true if a test tool finds something to run in some code.
    fn declares_tests(&self, language: Language, code: &str) -> bool {
        !outermost_tests(language, code).is_empty()
    }

    /// The command that runs a file of the project's folder as a program; none where that takes more than a command.
    fn program(&self, _spec: &ProjectSpec, _file: &str) -> Option<String> {
        None
    }

    /// How some code is run as a program beside the project, whose code it can use as the tests do.
    fn script(&self, _spec: &ProjectSpec, _code: &str) -> Option<Script> {
        None
    }
}

/// All ecosystems.
pub(crate) fn all() -> impl Iterator<Item = &'static dyn Ecosystem> {
    ECOSYSTEMS.iter().copied()
}

/// The ecosystem of a language.
pub(crate) fn of(language: Option<Language>) -> Option<&'static dyn Ecosystem> {
    let name = language?.name();
    all().find(|ecosystem| ecosystem.facts().languages.contains(&name))
}

/// A variable with an option for commands of other tools in a language, which may use so many bytes of memory; it is put before what the
/// user gave.
pub fn memory_option(language: Option<Language>, bytes: u64) -> Option<(&'static str, String)> {
    of(language)?.memory_option(bytes)
}

/// How new tests are written in a language, if they can be.
pub fn writing(language: Option<Language>) -> Option<&'static dyn TestWriting> {
    of(language)?.writing()
}

impl ProjectSpec {
    /// The command that runs a file of the project's folder as a program, in the language of the project; none where that takes more than
    /// a command.
    pub fn program(&self, file: &str) -> Option<String> {
        writing(self.language)?.program(self, file)
    }
}

/// The languages in which tests can be written, in words: `Python and Java`.
pub fn written_languages() -> String {
    let titles: Vec<&str> = all()
        .filter(|ecosystem| ecosystem.writing().is_some())
        .flat_map(|ecosystem| ecosystem.facts().languages)
        .filter_map(|name| Language::by_name(name).map(Language::title))
        .collect();
    titles.split_last().map_or_else(String::new, |(last, others)| format!("{} and {last}", others.join(", ")))
}

/// The languages that are told of for programs beside a project in a language, which is `None` where it is unknown.
pub fn program_languages(project: Option<Language>) -> Vec<ProgramLanguage> {
    let is_own = |facts: &EcosystemFacts| project.is_some_and(|own| facts.languages.contains(&own.name()));
    let (own, others): (Vec<_>, Vec<_>) = all().map(Ecosystem::facts).partition(|facts| is_own(facts));
    let told = own.into_iter().chain(others.into_iter().filter(|facts| facts.programs.run_everywhere));
    let programs = told.map(|facts| &facts.programs).filter_map(|programs| {
        Some(ProgramLanguage { language: Language::by_name(programs.language)?, words: programs.words })
    });
    programs.collect()
}

/// The ecosystem that most speaks for, and whether a build file does: that is how people start a build, where most files are in its language.
pub(crate) fn chosen(survey: &Survey) -> Option<(&'static dyn Ecosystem, bool)> {
    let claims: Vec<(&dyn Ecosystem, Claim)> =
        all().filter_map(|ecosystem| Some((ecosystem, ecosystem.claim(survey)?))).collect();
    winner(&claims.iter().map(|(_, claim)| *claim).collect::<Vec<_>>())
        .and_then(|(place, by_build_file)| Some((claims.get(place)?.0, by_build_file)))
}

/// A project whose command is given, as if its tool had been detected. A command that is not understood stays, with the reason.
///
/// # Errors
/// The sandbox does not work, or the tool is not there.
pub(crate) async fn as_detected(
    survey: &Survey,
    mut given: DetectedProject,
    network: bool,
    toolchain: &dyn Toolchain,
) -> Result<DetectedProject, DetectError> {
    let line = given.spec.test.line().to_owned();
    let why = match GivenCommand::parse(&line) {
        None => Some(SEVERAL.to_owned()),
        Some(command) => {
            let tests = GivenTests { survey, command: &command, spec: &given.spec, network, toolchain };
            let mut kept = None;
            for ecosystem in all() {
                match ecosystem.as_detected(&tests).await? {
                    Understood::No => {}
                    Understood::Kept(why) => kept = kept.or(Some(why)),
                    Understood::As(detected) => return Ok(*detected),
                }
            }
            kept
        }
    };
    given.reasons.extend(why.map(|why| format!("the test command runs just as it is given: {why}")));
    Ok(given)
}

/// The error for a project in which nothing is recognized.
pub(crate) fn no_tests(survey: &Survey) -> DetectError {
    let looked_for: Vec<&str> = all().map(|ecosystem| ecosystem.facts().looked_for).collect();
    DetectError::NoTests { folder: survey.root().display().to_string(), looked_for: looked_for.join(", ") }
}

/// The place of the claim that wins, and whether its build file is why.
fn winner(claims: &[Claim]) -> Option<(usize, bool)> {
    let most_files = |place: usize, claim: &Claim| {
        claims.iter().enumerate().all(|(other, found)| other == place || claim.files > found.files)
    };
    let mut places = claims.iter().enumerate();
    if let Some((place, _)) = places.find(|(place, claim)| claim.has_build_file && most_files(*place, claim))
    {
        return Some((place, true));
    }
    // Of several that are equal the first.
    let best = claims.iter().enumerate().rev().max_by_key(|(_, claim)| claim.tests)?;
    Some((best.0, false))
}

/// The outermost names of the tests in some code: functions, and classes or groups that hold any.
fn outermost_tests(language: Language, code: &str) -> Vec<String> {
    let rules = &language.entry().tests;
    let outline = outline_of(language, code);
    let functions: Vec<&Method> =
        outline.functions.iter().filter(|function| rules.is_test(function)).collect();
    // What a test declares in itself is a part of it, whatever its name.
    let is_within_test =
        |lines: Span| functions.iter().any(|test| test.lines != lines && test.lines.encloses(lines));
    let outermost = functions.iter().filter(|function| !is_within_test(function.lines));
    let classes =
        outline.classes.iter().filter(|class| !is_within_test(class.lines) && holds_tests(language, class));
    outermost.map(|function| function.name.clone()).chain(classes.map(|class| class.name.clone())).collect()
}

/// Is true if a class or a group has tests, in itself or further inside.
fn holds_tests(language: Language, class: &Class) -> bool {
    let rules = &language.entry().tests;
    class.methods.iter().any(|method| rules.is_test(method))
        || class.classes.iter().any(|inner| holds_tests(language, inner))
}

/// What a source declares.
pub(crate) fn outline_of(language: Language, code: &str) -> Outline {
    outline(language, &Source::from_text(code))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn most_tests_win_but_for_a_build_file_among_most_files() {
        let claim = |files, tests, has_build_file| Claim { files, tests, has_build_file };
        let check = |claims: &[Claim], expect: Option<(usize, bool)>| {
            assert_eq!(winner(claims), expect, "{claims:?}");
        };
        check(&[], None);
        check(&[claim(3, 1, false)], Some((0, false)));
        check(&[claim(3, 1, false), claim(9, 0, true)], Some((1, true)));
        check(&[claim(9, 1, false), claim(3, 2, true)], Some((1, false)));
        check(&[claim(9, 2, false), claim(3, 2, true)], Some((0, false)));
        check(&[claim(9, 2, false), claim(9, 2, true)], Some((0, false)));
        check(&[claim(5, 0, false), claim(1, 0, true)], Some((0, false)));
    }

    #[test]
    fn programs_are_told_of_in_projects_of_their_own() {
        let check = |project: &str, expect: &[&str]| {
            let found = program_languages(Language::by_name(project));
            let found: Vec<&str> = found.iter().map(|program| program.language.name()).collect();
            assert_eq!(found, expect, "{project}");
        };
        check("python", &["python"]);
        check("java", &["java", "python"]);
        check("javascript", &["javascript", "python"]);
        check("typescript", &["javascript", "python"]);
        check("no such language", &["python"]);
    }

    #[test]
    fn every_language_has_one_ecosystem() {
        for language in Language::all() {
            let name = language.name();
            let found = all().filter(|ecosystem| ecosystem.facts().languages.contains(&name)).count();
            assert!(found <= 1, "{name}");
        }
        let programs = all().map(|ecosystem| &ecosystem.facts().programs.language);
        for name in all().flat_map(|ecosystem| ecosystem.facts().languages).chain(programs) {
            assert!(Language::by_name(name).is_some(), "{name}");
        }
    }
}
