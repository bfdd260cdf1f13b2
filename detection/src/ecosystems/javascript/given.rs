//! A command of the user's that runs a package's tests: its script, or one of the tools that are known.

use super::commands::{self, PackagePlace};
use super::package::{Called, Package, RUN_ONE, call_of};
use super::tools::Tool;
use super::{build, run_by};
use crate::detect::{DetectError, DetectedProject, Survey};
use crate::ecosystems::{GIVEN, GivenTests, Understood};
use crate::given_command::{enter, joined};
use crate::spec::{AdapterKind, ProjectSpec};

/// Programs that are the tools or start them.
const PROGRAMS: [&str; 12] =
    ["npm", "npx", "pnpm", "pnpx", "yarn", "node", "mocha", "_mocha", "jest", "vitest", "nyc", "c8"];
/// Options of these by which another folder is meant.
const IN_FOLDER: [&str; 4] = ["--prefix", "--cwd", "-C", "--dir"];
/// Options of these by which one of several packages is meant.
const OF_SEVERAL: [&str; 6] = ["-w", "--workspace", "--workspaces", "-ws", "--filter", "-F"];
/// Options of node's runner that choose some of the tests.
const CHOOSING: [&str; 3] = ["--test-name-pattern", "--test-skip-pattern", "--test-only"];

/// The project as if the tool had been detected, with the command's own options.
pub(super) async fn as_detected(given: &GivenTests<'_>) -> Result<Understood, DetectError> {
    let command = given.command;
    if !PROGRAMS.contains(&command.program()) {
        return Ok(Understood::No);
    }
    let kept = |why: &str| Ok(Understood::Kept(why.to_owned()));
    let line = command.words.join(" ");
    let Some(mut words) = shlex::split(&line).filter(|_| !line.contains('$')) else {
        return kept("it has words that only a shell can read");
    };
    let runs_script = RUN_ONE.contains(&command.program());
    if runs_script && words.iter().any(|word| OF_SEVERAL.contains(&word.split('=').next().unwrap_or(word))) {
        return kept("it names one of several packages: give its folder, as in `cd FOLDER && npm test`");
    }
    let named = if runs_script { folder_in(&mut words) } else { None };
    let folder = command.place().and_then(|place| joined(&place, named.as_deref().unwrap_or(".")));
    let Some(folder) = folder.filter(|folder| given.survey.has_folder(folder)) else {
        return kept("it changes into a folder that is none of the project's");
    };
    let root = given.survey.root().join(&folder);
    let survey = patchwright_blocking::spawn(move |_| Survey::of(&root)).await??;
    let package = match Package::of(&survey) {
        Some(Ok(package)) => package,
        Some(Err(error)) => {
            return Ok(Understood::Kept(format!("package.json is not what it has to be: {error}")));
        }
        None => Package::default(),
    };
    if runs_script
        && let [_, script, ..] = words.as_mut_slice()
        && matches!(script.as_str(), "t" | "tst")
    {
        "test".clone_into(script);
    }
    let mut reasons = vec![GIVEN.to_owned()];
    let set = command.assigned.iter().map(|(_, word)| shlex::split(word).unwrap_or_default().concat());
    let words: Vec<String> = set.chain(words).collect();
    let Some(called) = call_of(&package.followed([words].into_iter()), &mut reasons) else {
        return kept("it calls no test tool that is known");
    };
    if let Some(why) = cannot(&called, &folder) {
        return kept(why);
    }
    let Some(version) = given.toolchain.ask("node --version").await? else {
        return kept("node is not there");
    };
    let above = if folder == "." { 0 } else { folder.split('/').count() };
    let place = PackagePlace { survey: &survey, above };
    let tests = match commands::of(place, &called, &version, given.toolchain, &mut reasons).await {
        Ok(tests) => tests,
        Err(error @ (DetectError::Sandbox(_) | DetectError::MissingTool { .. })) => return Err(error),
        Err(error) => return Ok(Understood::Kept(error.to_string())),
    };
    reasons.push(run_by(&called, &version));
    let before = enter(&folder);
    let build = build(&survey, &package, &mut reasons);
    let spec = ProjectSpec {
        kind: AdapterKind::Tool(*called.tool.known()),
        build: build.map(|build| format!("{before}{}{build}", place.path())),
        test: format!("{before}{}", tests.all).into(),
        test_one: Some(format!("{before}{}", tests.some)),
        results: tests.results,
        folder,
        ..given.spec.clone()
    };
    Ok(Understood::As(Box::new(DetectedProject { spec, reasons })))
}

/// Why a call cannot be run as if it had been detected, if it cannot.
fn cannot(called: &Called, folder: &str) -> Option<&'static str> {
    let chooses = |word: &String| CHOOSING.contains(&word.split('=').next().unwrap_or(word));
    match called.tool {
        Tool::Node if called.before.iter().chain(&called.after).any(chooses) => {
            Some("it chooses tests by patterns, which our runner of node's tests does not know")
        }
        Tool::Vitest if folder != "." => Some("vitest names tests by files of its own folder"),
        Tool::Node | Tool::Mocha | Tool::Jest | Tool::Vitest => None,
    }
}

/// Takes out of some words the option by which another folder is meant, and gives that folder.
fn folder_in(words: &mut Vec<String>) -> Option<String> {
    let place = words.iter().position(|word| IN_FOLDER.contains(&word.split('=').next().unwrap_or(word)))?;
    let word = words.remove(place);
    match word.split_once('=') {
        Some((_, folder)) => Some(folder.to_owned()),
        None => (place < words.len()).then(|| words.remove(place)),
    }
}
