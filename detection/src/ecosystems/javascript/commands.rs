//! How the tools are called: all tests, some, and how the outcomes are read.

use patchwright_folder::read_glob;
use patchwright_protocol::ResultsFormat;
use patchwright_syntax::pattern::{Pattern, pattern};

use super::super::no_tests;
use super::package::Called;
use super::tools::Tool;
use super::{RUNNER, files, test_files};
use crate::adapters::REPORT;
use crate::detect::{DetectError, Survey, Toolchain};
use crate::shell::shell_word;

/// The first version of node whose runner can be called by ours.
const LEAST_NODE: u32 = 20;
/// Options whose value may be a file or a folder, which is none of tests.
const WITH_A_FILE: [&str; 17] = [
    "-r",
    "--require",
    "--import",
    "--loader",
    "--file",
    "-c",
    "--config",
    "--package",
    "--ignore",
    "--exclude",
    "--rootDir",
    "--roots",
    "--projects",
    "--setupFiles",
    "--setupFilesAfterEnv",
    "--globalSetup",
    "--globalTeardown",
];

/// The files that node's runner finds by itself.
static NODE_OWN: Pattern = pattern!(r"(?:^|/)(?:test/.*|test|test-[^/]*|[^/]*[._-]test)\.[cm]?js$");

/// Options that give way to ours, with the reason.
type Unwanted = &'static [(&'static str, &'static str)];

const TO_THE_END: &str = "all tests are run to their end";
const ENDS: &str = "a command has to end";
const IN_ONE: &str = "of what runs in other processes a reporter sees copies alone";
const OF_MOCHA: Unwanted = &[
    ("--parallel", IN_ONE),
    ("-p", IN_ONE),
    ("--watch", ENDS),
    ("-w", ENDS),
    ("--bail", TO_THE_END),
    ("-b", TO_THE_END),
];
const OF_JEST: Unwanted = &[
    ("--watch", ENDS),
    ("--watchAll", ENDS),
    ("-u", "snapshots are compared, and not written"),
    ("--updateSnapshot", "snapshots are compared, and not written"),
    ("--bail", TO_THE_END),
    ("-b", TO_THE_END),
];
const OF_VITEST: Unwanted = &[("--watch", ENDS)];

/// How all tests are run, how some, and how the outcomes are read.
pub(super) struct Commands {
    pub(super) all: String,
    pub(super) some: String,
    pub(super) results: ResultsFormat,
}

impl Commands {
    fn new(all: String, some: String) -> Self {
        Self { all, some, results: ResultsFormat::Lines }
    }
}

/// A package: its files, and the number of folders of the project above it, in which tools may be installed, too.
#[derive(Clone, Copy)]
pub(super) struct PackagePlace<'s> {
    pub(super) survey: &'s Survey,
    pub(super) above: usize,
}

impl PackagePlace<'_> {
    /// The text before a command by which it finds the tools that the package depends on.
    pub(super) fn path(self) -> String {
        let up = (0..=self.above).map(|count| format!("$PWD/{}node_modules/.bin:", "../".repeat(count)));
        format!("PATH=\"{}$PATH\" ", up.collect::<String>())
    }

    /// Whether a file is where tools are installed for it.
    fn installs(self, path: &str) -> bool {
        let mut folders = self.survey.root().ancestors().take(self.above + 1);
        folders.any(|folder| folder.join("node_modules").join(path).exists())
    }
}

/// The commands of a tool that the package calls; what it says and ours gives way to is added to the reasons.
pub(super) async fn of(
    place: PackagePlace<'_>,
    called: &Called,
    version: &str,
    toolchain: &dyn Toolchain,
    reasons: &mut Vec<String>,
) -> Result<Commands, DetectError> {
    match called.tool {
        Tool::Node => node(place, called, version),
        Tool::Mocha => mocha(place, called, toolchain, reasons).await,
        Tool::Jest => jest(place, called, toolchain, reasons).await,
        Tool::Vitest => vitest(place, called, reasons),
    }
}

fn node(place: PackagePlace<'_>, called: &Called, version: &str) -> Result<Commands, DetectError> {
    let major =
        version.trim_start_matches('v').split('.').next().and_then(|number| number.parse::<u32>().ok());
    if major.is_none_or(|major| major < LEAST_NODE) {
        return Err(DetectError::missing(
            format!("node {LEAST_NODE}"),
            format!("the tests are run by node's own runner, and node is {version}"),
            "install a newer Node.js, or give --test CMD",
        ));
    }
    let (mut options, places): (Vec<&String>, Vec<&String>) =
        called.after.iter().partition(|word| word.starts_with("--"));
    options.retain(|option| !option.starts_with("--test"));
    let options = words(called.before.iter().chain(options).filter(|option| !option.starts_with("--test")));
    let files = named_files(place.survey, &places);
    if files.is_empty() {
        return Err(no_tests(place.survey));
    }
    let runner =
        format!("{}{}node{options} \"$PATCHWRIGHT_TOOLS/{RUNNER}\"", environment(called), place.path());
    Ok(Commands::new(format!("{runner}{}", words(files.iter())), format!("{runner} -- {{tests}}")))
}

async fn mocha(
    place: PackagePlace<'_>,
    called: &Called,
    toolchain: &dyn Toolchain,
    reasons: &mut Vec<String>,
) -> Result<Commands, DetectError> {
    has(place, "mocha", toolchain).await?;
    let told_otherwise = ["--reporter", "-R", "--reporter-options", "-O", "--jobs", "-j"];
    let (options, places) =
        options_and_places(place.survey, &called.after, &told_otherwise, OF_MOCHA, reasons);
    let mocha = format!(
        "{}{}mocha{} --reporter \"$PATCHWRIGHT_TOOLS/{RUNNER}\"",
        environment(called),
        place.path(),
        words(options.iter())
    );
    Ok(Commands::new(format!("{mocha}{}", words(places.iter())), format!("{mocha} {{tests}}")))
}

async fn jest(
    place: PackagePlace<'_>,
    called: &Called,
    toolchain: &dyn Toolchain,
    reasons: &mut Vec<String>,
) -> Result<Commands, DetectError> {
    has(place, "jest", toolchain).await?;
    let (mut options, places) =
        options_and_places(place.survey, &called.after, &["--reporters"], OF_JEST, reasons);
    options.retain(|option| !matches!(option.as_str(), "--coverage" | "--ci"));
    // The option of reporters takes all words up to the next option.
    let jest = format!(
        "{}{}jest --reporters=default --reporters=\"$PATCHWRIGHT_TOOLS/{RUNNER}\" --ci --coverage=false --watchman=false{}",
        environment(called),
        place.path(),
        words(options.iter())
    );
    Ok(Commands::new(format!("{jest}{}", words(places.iter())), format!("{jest} {{tests}}")))
}

/// Is an error where a test tool is neither among what the package depends on nor on this machine.
async fn has(place: PackagePlace<'_>, tool: &str, toolchain: &dyn Toolchain) -> Result<(), DetectError> {
    if place.installs(&format!(".bin/{tool}"))
        || toolchain.ask(&format!("command -v {tool}")).await?.is_some()
    {
        return Ok(());
    }
    let cure = format!(
        "install what the package depends on (npm install), or {tool} itself (Debian: apt install {tool})"
    );
    Err(DetectError::missing(tool, format!("the tests are run by {tool}"), cure))
}

/// By what vitest documents of its reporter `junit`. Not tried with vitest itself.
fn vitest(
    place: PackagePlace<'_>,
    called: &Called,
    reasons: &mut Vec<String>,
) -> Result<Commands, DetectError> {
    if !place.installs("vitest") {
        return Err(DetectError::missing(
            "vitest in node_modules",
            "the tests are run by vitest",
            "install what the package depends on (npm install), or give --test CMD",
        ));
    }
    let told_otherwise = ["--reporter", "--outputFile"];
    let after: Vec<String> = called.after.iter().filter(|word| *word != "run").cloned().collect();
    let (options, places) = options_and_places(place.survey, &after, &told_otherwise, OF_VITEST, reasons);
    let vitest = format!(
        "{}{}vitest run{} --reporter=junit --outputFile={REPORT}",
        environment(called),
        place.path(),
        words(options.iter())
    );
    let results = ResultsFormat::JunitXml { glob: REPORT.to_owned() };
    Ok(Commands {
        all: format!("{vitest}{}", words(places.iter())),
        some: format!("{vitest} {{tests}}"),
        results,
    })
}

/// The variables that a tool is called with.
fn environment(called: &Called) -> String {
    let set = called.environment.iter();
    set.flat_map(|(name, value)| [name.clone(), "=".to_owned(), shell_word(value), " ".to_owned()]).collect()
}

/// Words of a shell, each with a blank before it. Globs are left to the tool.
fn words<'a>(all: impl Iterator<Item = &'a String>) -> String {
    all.flat_map(|word| [" ".to_owned(), shell_word(word)]).collect()
}

/// The arguments of a tool, apart: options, but for those that are left out with their value, and those that are unwanted, which are added
/// to the reasons; and files, folders and globs.
fn options_and_places(
    survey: &Survey,
    arguments: &[String],
    left_out: &[&str],
    unwanted: Unwanted,
    reasons: &mut Vec<String>,
) -> (Vec<String>, Vec<String>) {
    let (mut options, mut places) = (Vec::new(), Vec::new());
    // What `--spec` names is a place like others.
    let mut arguments = arguments.iter().filter(|word| {
        let why = unwanted.iter().find(|(option, _)| word == option).map(|(_, why)| why);
        reasons.extend(why.map(|why| format!("`{word}` gives way: {why}")));
        *word != "--spec" && why.is_none()
    });
    while let Some(word) = arguments.next() {
        let is_left_out =
            left_out.iter().any(|option| word == option || word.starts_with(&format!("{option}=")));
        let is_place = |word: &String| {
            !word.starts_with('-') && (word.contains('*') || survey.has(word) || survey.has_folder(word))
        };
        if is_left_out && !word.contains('=') {
            arguments.next();
        } else if word.starts_with('-') && !is_left_out {
            options.push(word.clone());
            // The value of an option that may also be a file (`--require test/setup.js`).
            if !word.contains('=') && WITH_A_FILE.contains(&word.as_str()) {
                options.extend(arguments.next().cloned());
            }
        } else if is_place(word) {
            places.push(word.clone());
        } else if !is_left_out {
            options.push(word.clone());
        }
    }
    (options, places)
}

/// The files that the arguments of node's runner name; with none, those that it would find by itself.
fn named_files(survey: &Survey, places: &[&String]) -> Vec<String> {
    if places.is_empty() {
        let own: Vec<String> =
            files(survey).filter(|path| NODE_OWN.is_match(path)).map(str::to_owned).collect();
        return if own.is_empty() { test_files(survey) } else { own };
    }
    let globs: Vec<globset::GlobMatcher> = places
        .iter()
        .filter_map(|place| {
            let place = place.trim_start_matches("./").trim_end_matches('/');
            let glob = if survey.has_folder(place) { format!("{place}/**") } else { place.to_owned() };
            read_glob(&glob, true).ok()
        })
        .map(|glob| glob.compile_matcher())
        .collect();
    let named = files(survey).filter(|file| globs.iter().any(|glob| glob.is_match(file)));
    named.map(str::to_owned).collect()
}
