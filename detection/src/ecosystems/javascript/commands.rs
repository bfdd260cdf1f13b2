//! How the tools are called: all tests, some, and how the outcomes are read.

use patchwright_folder::read_glob;
use patchwright_protocol::ResultsFormat;
use patchwright_syntax::pattern::{Pattern, pattern};

use super::super::no_tests;
use super::package::Called;
use super::{RUNNER, files, test_files};
use crate::adapters::REPORT;
use crate::detect::{DetectError, Survey, Toolchain};
use crate::shell::shell_word;

/// The first version of node whose runner can be called by ours.
const LEAST_NODE: u32 = 20;
/// The commands of a package find the tools that it depends on here.
pub(super) const PATH: &str = "PATH=\"$PWD/node_modules/.bin:$PATH\" ";

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

/// How all tests are run, how some, and how the outcomes are read.
pub(super) type Commands = (String, String, ResultsFormat);

pub(super) fn node(survey: &Survey, called: &Called, version: &str) -> Result<Commands, DetectError> {
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
    let files = named_files(survey, &places);
    if files.is_empty() {
        return Err(no_tests(survey));
    }
    let runner = format!("{}{PATH}node{options} \"$PATCHWRIGHT_TOOLS/{RUNNER}\"", environment(called));
    Ok((format!("{runner}{}", words(files.iter())), format!("{runner} -- {{tests}}"), ResultsFormat::Lines))
}

pub(super) async fn mocha(
    survey: &Survey,
    called: &Called,
    toolchain: &dyn Toolchain,
) -> Result<Commands, DetectError> {
    has(survey, "mocha", toolchain).await?;
    let told_otherwise = ["--reporter", "-R", "--reporter-options", "-O", "--jobs", "-j"];
    // Of what runs in other processes a reporter sees copies alone.
    let unwanted = ["--parallel", "-p", "--watch", "-w", "--bail", "-b"];
    let (options, places) = options_and_places(survey, &called.after, &told_otherwise, &unwanted);
    let mocha = format!(
        "{}{PATH}mocha{} --reporter \"$PATCHWRIGHT_TOOLS/{RUNNER}\"",
        environment(called),
        words(options.iter())
    );
    Ok((format!("{mocha}{}", words(places.iter())), format!("{mocha} {{tests}}"), ResultsFormat::Lines))
}

pub(super) async fn jest(
    survey: &Survey,
    called: &Called,
    toolchain: &dyn Toolchain,
) -> Result<Commands, DetectError> {
    has(survey, "jest", toolchain).await?;
    let unwanted = ["--watch", "--watchAll", "--coverage", "-u", "--updateSnapshot", "--bail", "-b"];
    let (options, places) = options_and_places(survey, &called.after, &["--reporters"], &unwanted);
    // The option of reporters takes all words up to the next option.
    let jest = format!(
        "{}{PATH}jest --reporters=default --reporters=\"$PATCHWRIGHT_TOOLS/{RUNNER}\" --ci --coverage=false --watchman=false{}",
        environment(called),
        words(options.iter())
    );
    Ok((format!("{jest}{}", words(places.iter())), format!("{jest} {{tests}}"), ResultsFormat::Lines))
}

/// Is an error where a test tool is neither among what the package depends on nor on this machine.
async fn has(survey: &Survey, tool: &str, toolchain: &dyn Toolchain) -> Result<(), DetectError> {
    let own = survey.root().join("node_modules/.bin").join(tool).exists();
    if own || toolchain.ask(&format!("command -v {tool}")).await?.is_some() {
        return Ok(());
    }
    let cure = format!(
        "install what the package depends on (npm install), or {tool} itself (Debian: apt install {tool})"
    );
    Err(DetectError::missing(tool, format!("the tests are run by {tool}"), cure))
}

/// By what vitest documents of its reporter `junit`. Not tried with vitest itself.
pub(super) fn vitest(survey: &Survey, called: &Called) -> Result<Commands, DetectError> {
    if !survey.root().join("node_modules/vitest").exists() {
        return Err(DetectError::missing(
            "vitest in node_modules",
            "the tests are run by vitest",
            "install what the package depends on (npm install), or give --test CMD",
        ));
    }
    let told_otherwise = ["--reporter", "--outputFile"];
    let (options, places) = options_and_places(survey, &called.after, &told_otherwise, &["run", "--watch"]);
    let vitest = format!(
        "{}{PATH}vitest run{} --reporter=junit --outputFile={REPORT}",
        environment(called),
        words(options.iter())
    );
    let results = ResultsFormat::JunitXml { glob: REPORT.to_owned() };
    Ok((format!("{vitest}{}", words(places.iter())), format!("{vitest} {{tests}}"), results))
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

/// The arguments of a tool, apart: options, but for those that are left out with their value, and words that are unwanted; and files,
/// folders and globs.
fn options_and_places(
    survey: &Survey,
    arguments: &[String],
    left_out: &[&str],
    unwanted: &[&str],
) -> (Vec<String>, Vec<String>) {
    let (mut options, mut places) = (Vec::new(), Vec::new());
    // What `--spec` names is a place like others.
    let is_wanted = |word: &&String| *word != "--spec" && !unwanted.contains(&word.as_str());
    let mut arguments = arguments.iter().filter(is_wanted);
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
