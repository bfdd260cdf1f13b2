//! What a package says of its tests: the tool that runs them, as its scripts call it.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use patchwright_syntax::pattern::{Pattern, pattern};
use regex::Captures;
use serde_json::{Map, Value};

use super::super::no_tests;
use super::test_files;
use super::tools::Tool;
use crate::detect::{DetectError, Survey};

/// Scripts of a package that may name one another before the end is not looked for.
const MOST_SCRIPTS: usize = 8;

/// The tables of packages that are installed where the package is developed, and those of packages that may be there.
const INSTALLED: [&str; 2] = ["devDependencies", "dependencies"];
const FOUND: [&str; 2] = ["optionalDependencies", "peerDependencies"];

/// Programs that run scripts by their names: one, with arguments for it, and several.
pub(super) const RUN_ONE: [&str; 3] = ["npm", "pnpm", "yarn"];
const RUN_SEVERAL: [&str; 4] = ["npm-run-all", "run-s", "run-p", "npm-run-all2"];
/// Options of these whose value follows.
const WITH_VALUE: [&str; 8] = ["--cwd", "--prefix", "--dir", "-C", "--filter", "-F", "--workspace", "-w"];
/// Words that begin a new command of a script.
const OPERATORS: [&str; 5] = ["&&", "||", ";", "|", "&"];
/// Programs that start no others: what looks like a test tool is an argument.
const START_NOTHING: [&str; 14] = [
    "babel", "cp", "echo", "eslint", "jshint", "mkdir", "mv", "prettier", "rimraf", "rm", "rollup",
    "standard", "tsc", "webpack",
];

/// What stands between quotes, a redirection, or an operator of the shell.
static MARK: Pattern = pattern!(r#""(?:\\.|[^"\\])*"|'[^']*'|\d?>>?(?:&\d|\s*[^\s&|;]+)|&&|\|\|?|;|&"#);
/// A variable that is set for a command.
static ASSIGNMENT: Pattern = pattern!(r"^([A-Za-z_]\w*)=(.*)$");
/// Options of node that a variable may give as well.
static OF_ALL: Pattern = pattern!(
    r"^--(?:experimental-[\w-]+|no-[\w-]+|(?:max-old-space-size|conditions|import|require|loader)=.*)$"
);
static NODE_TEST: Pattern = pattern!(r#"["']node:test["']"#);
/// What mocha, jest and their like put in front of tests, and no file defines.
static OF_A_TOOL: Pattern = pattern!(r"(?m)(?:^|[;{])\s*(?:describe|it)\(\s*[\x22'`]");
static UNKNOWN_TEST: Pattern =
    pattern!(r#"(?:\bfrom\s+|\brequire\(\s*)["']@?(ava|uvu|qunit|jasmine|lab)["']"#);

/// A test tool as the package calls it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Called {
    pub(super) tool: Tool,
    /// The variables that are set for it.
    pub(super) environment: Vec<(String, String)>,
    /// Options before the name of what runs the tests: those of node.
    pub(super) before: Vec<String>,
    /// The arguments.
    pub(super) after: Vec<String>,
}

/// What is said in package.json.
#[derive(Default)]
pub(super) struct Package(Map<String, Value>);

impl Package {
    /// `None` where there is none; the error where it is no object in JSON.
    pub(super) fn of(survey: &Survey) -> Option<serde_json::Result<Self>> {
        survey.has("package.json").then(|| Self::read(&survey.text("package.json")))
    }

    fn read(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map(Self)
    }

    pub(super) fn script(&self, name: &str) -> Option<&str> {
        self.0.get("scripts")?.get(name).and_then(script_in)
    }

    /// The scripts of a name that may end with `*`, in their order.
    fn scripts(&self, name: &str) -> impl Iterator<Item = &str> {
        let all = self.0.get("scripts").and_then(Value::as_object).into_iter().flatten();
        let is_named = move |known: &str| match name.split_once('*') {
            Some((beginning, _)) => known.starts_with(beginning),
            None => known == name,
        };
        all.filter(move |(known, _)| is_named(known)).filter_map(|(_, script)| script_in(script))
    }

    /// The script that tests, but for the one that npm puts there.
    pub(super) fn tests(&self) -> Option<&str> {
        self.script("test").filter(|script| !script.contains("no test specified"))
    }

    /// The names of the packages in some of its tables.
    fn packages(&self, tables: &[&str]) -> impl Iterator<Item = &String> {
        tables.iter().filter_map(|table| self.0.get(*table)?.as_object()).flat_map(Map::keys)
    }

    fn depends_on(&self, name: &str) -> bool {
        self.packages(&INSTALLED).any(|package| package == name)
    }

    /// The commands that the script for tests runs.
    fn commands(&self) -> Vec<Vec<String>> {
        self.followed(self.tests().into_iter().flat_map(commands_of))
    }

    /// Some commands, as words, with those of the scripts that they name in their place, in the order in which they run.
    pub(super) fn followed(&self, commands: impl Iterator<Item = Vec<String>>) -> Vec<Vec<String>> {
        let mut open: VecDeque<Vec<String>> = commands.collect();
        let (mut found, mut followed) = (Vec::new(), 0);
        while let Some(command) = open.pop_front() {
            let others: Vec<Vec<String>> = self.named_in(&command);
            if others.is_empty() || followed == MOST_SCRIPTS {
                found.push(command);
                continue;
            }
            followed += 1;
            others.into_iter().rev().for_each(|other| open.push_front(other));
        }
        found
    }

    /// The commands of the scripts that a command runs by their names. What stands before is for each, arguments that follow for the last.
    fn named_in(&self, command: &[String]) -> Vec<Vec<String>> {
        let runs = |word: &String| RUN_ONE.contains(&word.as_str()) || RUN_SEVERAL.contains(&word.as_str());
        let Some(place) = command.iter().position(runs) else { return Vec::new() };
        let (before, program, words) = (&command[..place], &command[place], &command[place + 1..]);
        let of_script = |script: &str| {
            commands_of(script).into_iter().map(|other| [before, &other].concat()).collect::<Vec<_>>()
        };
        let is_value = |place: usize| place > 0 && WITH_VALUE.contains(&words[place - 1].as_str());
        let mut names = words
            .iter()
            .enumerate()
            .filter(|(place, word)| !word.starts_with('-') && !is_value(*place))
            .map(|(_, word)| word)
            .filter(|word| !matches!(word.as_str(), "run" | "run-script"));
        if RUN_SEVERAL.contains(&program.as_str()) {
            return names.flat_map(|name| self.scripts(name)).flat_map(of_script).collect();
        }
        let Some(name) = names.next() else { return Vec::new() };
        let mut commands: Vec<Vec<String>> = self.script(name).into_iter().flat_map(of_script).collect();
        // npm takes options for its own up to `--`.
        let begins = |word: &&String| *word == if program == "npm" { "--" } else { name.as_str() };
        let given =
            words.iter().skip_while(|word| !begins(word)).skip(1).filter(|word| *word != "--").cloned();
        if let Some(last) = commands.last_mut() {
            last.extend(given);
        }
        commands
    }
}

/// The packages that a package.json names as needed, by their exact names; none where it cannot be read.
pub fn packages_in(text: &str) -> BTreeSet<String> {
    let package = Package::read(text).unwrap_or_default();
    package.packages(&INSTALLED).chain(package.packages(&FOUND)).cloned().collect()
}

/// A script, unless it is one that no shell takes.
fn script_in(value: &Value) -> Option<&str> {
    value.as_str().filter(|script| !script.contains('\0'))
}

/// The commands of a script, as words.
fn commands_of(script: &str) -> Vec<Vec<String>> {
    let apart = |found: &Captures<'_>| match &found[0] {
        operator if OPERATORS.contains(&operator) => format!(" {operator} "),
        quoted if quoted.starts_with(['"', '\'']) => quoted.to_owned(),
        _redirection => " ".to_owned(),
    };
    let script: Cow<'_, str> = MARK.replace_all(script, apart);
    let words: Vec<String> = shlex::split(&script).unwrap_or_default();
    let commands = words.split(|word| OPERATORS.contains(&word.as_str())).map(<[String]>::to_vec);
    commands.filter(|command| !command.is_empty()).collect()
}

/// The tool that runs the tests: as the package's script calls it, else by what the tests import.
pub(super) fn called(
    survey: &Survey,
    package: &Package,
    reasons: &mut Vec<String>,
) -> Result<Called, DetectError> {
    let mut left_out = Vec::new();
    if let Some(called) = call_of(&package.commands(), &mut left_out) {
        reasons.push("its script `test` says how tests are run".to_owned());
        reasons.extend(left_out);
        return Ok(called);
    }
    if package.tests().is_some() {
        reasons.push("its script `test` calls no test tool that is known, and is left out".to_owned());
    }
    let plain = |tool| Called { tool, environment: Vec::new(), before: Vec::new(), after: Vec::new() };
    let texts: Vec<String> = test_files(survey).iter().map(|file| survey.text(file)).collect();
    if texts.iter().any(|text| NODE_TEST.is_match(text)) {
        reasons.push("its tests import node:test".to_owned());
        return Ok(plain(Tool::Node));
    }
    for (name, tool) in [("mocha", Tool::Mocha), ("vitest", Tool::Vitest), ("jest", Tool::Jest)] {
        if package.depends_on(name) {
            reasons.push(format!("it depends on {name}"));
            return Ok(plain(tool));
        }
    }
    if let Some(other) = texts.iter().find_map(|text| UNKNOWN_TEST.captures(text)) {
        return Err(DetectError::not_supported(
            format!("the tests are written for {}, which is not run without help", &other[1]),
            "--test CMD, such as 'npm test', and --results FORMAT",
        ));
    }
    if texts.is_empty() {
        return Err(no_tests(survey));
    }
    if texts.iter().any(|text| OF_A_TOOL.is_match(text)) {
        return Err(DetectError::not_supported(
            "the tests call `describe` or `it`, and package.json does not tell which tool they are for",
            "--test CMD, such as 'npm test', and --results FORMAT",
        ));
    }
    reasons.push("its tests are files that run by themselves, each of which counts as one test".to_owned());
    Ok(plain(Tool::Node))
}

/// The first call of a test tool in some commands; what of them is left out is added to the reasons.
pub(super) fn call_of(commands: &[Vec<String>], reasons: &mut Vec<String>) -> Option<Called> {
    let mut calls = commands.iter().filter_map(|command| call_in(command));
    let called = calls.next()?;
    if let Some(other) = calls.find(|other| *other != called) {
        reasons.push(format!("its other run, of {}, is left out", other.tool.known().name));
    }
    if commands.iter().any(|command| command[0] == "cd") {
        reasons.push("that it changes folders (`cd`) is left out".to_owned());
    }
    Some(called)
}

/// The call of a test tool in a command of a script, which another program may start (`nyc`, `c8`, `npx`).
fn call_in(words: &[String]) -> Option<Called> {
    let name = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    let program = words.iter().find(|word| assignment(word).is_none())?;
    let installs = words.windows(2).any(|pair| {
        RUN_ONE.contains(&pair[0].as_str()) && matches!(pair[1].as_str(), "i" | "install" | "ci" | "add")
    });
    if installs || START_NOTHING.contains(&name(program).as_str()) {
        return None;
    }
    for (place, word) in words.iter().enumerate() {
        let (before, after) = (&words[..place], &words[place + 1..]);
        let mut environment: Vec<(String, String)> =
            before.iter().filter_map(|word| assignment(word)).collect();
        let of_node = before.iter().position(|word| name(word) == "node").map(|node| &before[node + 1..]);
        let is_program = !word.contains('/') || word.contains("bin/");
        let tool = match (name(word).as_str(), of_node) {
            ("mocha" | "_mocha" | "mocha.js" | "_mocha.js", _) if is_program => Tool::Mocha,
            ("jest" | "jest.js", _) if is_program => Tool::Jest,
            ("vitest", _) if is_program => Tool::Vitest,
            ("--test", Some(options)) => {
                let (before, after) = (options.to_vec(), after.to_vec());
                return Some(Called { tool: Tool::Node, environment, before, after });
            }
            _ => continue,
        };
        let options: Vec<&str> = of_node
            .unwrap_or_default()
            .iter()
            .map(String::as_str)
            .filter(|word| OF_ALL.is_match(word))
            .collect();
        if !options.is_empty() {
            environment.push(("NODE_OPTIONS".to_owned(), options.join(" ")));
        }
        return Some(Called { tool, environment, before: Vec::new(), after: after.to_vec() });
    }
    None
}

/// A variable and its value, as they are set before a command, by a shell or by `cross-env`.
fn assignment(word: &str) -> Option<(String, String)> {
    let found = ASSIGNMENT.captures(word)?;
    Some((found[1].to_owned(), found[2].to_owned()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_known_by_the_words_of_a_script() {
        let check = |command: &str, expect: Option<(Tool, &str, &str)>| {
            let found = call_in(&commands_of(command).remove(0));
            let found =
                found.as_ref().map(|found| (found.tool, found.before.join(" "), found.after.join(" ")));
            let expect = expect.map(|(tool, before, after)| (tool, before.to_owned(), after.to_owned()));
            assert_eq!(found, expect, "{command}");
        };
        check("mocha --reporter spec test/", Some((Tool::Mocha, "", "--reporter spec test/")));
        check("nyc ./node_modules/.bin/mocha", Some((Tool::Mocha, "", "")));
        check("node --import tsx --test 'test/*.ts'", Some((Tool::Node, "--import tsx", "test/*.ts")));
        check("cross-env A=b node --test", Some((Tool::Node, "", "")));
        check("node --stack-size=900 node_modules/jest/bin/jest.js -i", Some((Tool::Jest, "", "-i")));
        check("rm -rf .cache/jest", None);
        check("A=b eslint --env mocha test", None);
        check("npm i mocha", None);
        check("mocha test > out.txt 2>&1", Some((Tool::Mocha, "", "test")));
        let called = commands_of(
            "cross-env A=b C=\"d e\" node --stack-size=9 --no-warnings node_modules/.bin/mocha x=1",
        );
        let called = call_in(&called[0]).unwrap();
        let expect = [("A", "b"), ("C", "d e"), ("NODE_OPTIONS", "--no-warnings")];
        assert_eq!(called.environment, expect.map(|(name, value)| (name.to_owned(), value.to_owned())));
        check("npx jest --coverage", Some((Tool::Jest, "", "--coverage")));
        check("vitest run", Some((Tool::Vitest, "", "run")));
        check("tape 'test/**/*.js'", None);
        check("node build.js", None);
    }

    #[test]
    fn packages_that_are_needed_are_those_of_its_tables() {
        let tables = r#""devDependencies": {"lodash.merge": "*"}, "peerDependencies": {"react": "*"}"#;
        let packages = packages_in(&format!("\u{feff}{{\"description\": \"of paths\", {tables}}}"));
        let check = |name: &str, expect: bool| assert_eq!(packages.contains(name), expect, "{name}");
        check("lodash.merge", true);
        check("react", true);
        check("lodash-merge", false);
        check("paths", false);
        assert!(packages_in("[]").is_empty());
    }

    #[test]
    fn scripts_are_followed() {
        let package = |scripts: &str| Package::read(&format!("{{\"scripts\": {scripts}}}")).unwrap();
        let check = |scripts: &str, expect: &[&str]| {
            let found: Vec<String> =
                package(scripts).commands().iter().map(|command| command.join(" ")).collect();
            assert_eq!(found, expect, "{scripts}");
        };
        check(
            r#"{"test": "npm run lint && npm run unit", "unit": "mocha", "lint": "standard"}"#,
            &["standard", "mocha"],
        );
        check(
            r#"{"test": "npm run unit && npm run packed", "unit": "npm run one; npm run two", "one": "mocha a", "two": "mocha b", "packed": "mocha c"}"#,
            &["mocha a", "mocha b", "mocha c"],
        );
        check(r#"{"test": "npm run test"}"#, &["npm run test"]);
        check(
            r#"{"test": "npm run unit -- --bail", "unit": "mocha a;mocha b"}"#,
            &["mocha a", "mocha b --bail"],
        );
        check(r#"{"test": "npm run unit --if-present", "unit": "mocha"}"#, &["mocha"]);
        check(r#"{"test": "yarn unit --exit", "unit": "mocha"}"#, &["mocha --exit"]);
        check(r#"{"test": "npm --prefix . run unit", "unit": "mocha"}"#, &["mocha"]);
        check(r#"{"test": "yarn --cwd . run unit --exit", "unit": "mocha"}"#, &["mocha --exit"]);
        check(r#"{"test": "mocha --grep \"a && b|c\"&&jest"}"#, &["mocha --grep a && b|c", "jest"]);
        check(
            r#"{"test": "cross-env A=b c8 npm run unit", "unit": "make && mocha"}"#,
            &["cross-env A=b c8 make", "cross-env A=b c8 mocha"],
        );
        check(
            r#"{"test": "run-s lint test:*", "test:a": "mocha", "lint": "standard"}"#,
            &["standard", "mocha"],
        );
        check(r#"{"test": "mocha 'unclosed"}"#, &[]);
        check(r#"{"test": "mocha a\u0000"}"#, &[]);
        check(r#"{"test": "server & mocha"}"#, &["server", "mocha"]);
        check(r#"{"test": "echo \"Error: no test specified\" && exit 1"}"#, &[]);
        check(r#"{"test": "tap"}"#, &["tap"]);
    }
}
