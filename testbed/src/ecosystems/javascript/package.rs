//! What a package says of its tests: the tool that runs them, as its scripts call it.

use serde_json::Value;

use super::test_files;
use super::tools::Tool;
use crate::detect::{DetectError, Survey};
use crate::pattern::{Pattern, pattern};

/// Scripts of a package that may name one another before the end is not looked for.
const MOST_SCRIPTS: usize = 8;

/// A script of a package that runs another.
static OTHER_SCRIPT: Pattern =
    pattern!(r"\b(?:npm|pnpm|yarn)\s+(?:run(?:-script)?\s+)?(?:-s\s+|--silent\s+)?([\w:.-]+)");
/// Words that begin a new command of a script.
static COMMANDS: Pattern = pattern!(r"&&|\|\||;|\|");
/// A variable that is set for a command.
static ASSIGNMENT: Pattern = pattern!(r"^([A-Za-z_]\w*)=(.*)$");
/// Options of node that a variable may give as well.
static OF_ALL: Pattern = pattern!(
    r"^--(?:experimental-[\w-]+|no-[\w-]+|(?:max-old-space-size|conditions|import|require|loader)=.*)$"
);
static NODE_TEST: Pattern = pattern!(r#"["']node:test["']"#);
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
pub(super) struct Package(Value);

impl Package {
    pub(super) fn of(survey: &Survey) -> Option<Self> {
        if !survey.has("package.json") {
            return None;
        }
        serde_json::from_str(survey.text("package.json").trim_start_matches('\u{feff}')).ok().map(Self)
    }

    pub(super) fn script(&self, name: &str) -> Option<&str> {
        self.0.get("scripts")?.get(name)?.as_str()
    }

    /// The script that tests, but for the one that npm puts there.
    pub(super) fn tests(&self) -> Option<&str> {
        self.script("test").filter(|script| !script.contains("no test specified"))
    }

    fn depends_on(&self, name: &str) -> bool {
        ["devDependencies", "dependencies"]
            .iter()
            .any(|kind| self.0.get(kind).is_some_and(|all| all.get(name).is_some()))
    }

    /// The commands that the script for tests runs, with those of the scripts that it names, in the order in which they run.
    fn commands(&self) -> Vec<&str> {
        let in_turn = |script| COMMANDS.split(script).map(str::trim).collect::<Vec<_>>().into_iter().rev();
        // The next one is the last.
        let mut open: Vec<&str> = self.tests().into_iter().flat_map(in_turn).collect();
        let (mut found, mut followed) = (Vec::new(), 0);
        while let Some(command) = open.pop() {
            let other = OTHER_SCRIPT.captures(command).and_then(|named| self.script(named.get(1)?.as_str()));
            match other.filter(|_| followed < MOST_SCRIPTS) {
                Some(other) => {
                    followed += 1;
                    open.extend(in_turn(other));
                }
                None => found.push(command),
            }
        }
        found
    }
}

/// The tool that runs the tests: as the package's script calls it, else by what the tests import.
pub(super) fn called(
    survey: &Survey,
    package: &Package,
    reasons: &mut Vec<String>,
) -> Result<Called, DetectError> {
    let commands = package.commands();
    if let Some(called) = commands.iter().find_map(|command| call_in(command)) {
        reasons.push("its script `test` says how tests are run".to_owned());
        return Ok(called);
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
        return Err(DetectError::no_tests(survey));
    }
    reasons.push("its tests are files that run by themselves, each of which counts as one test".to_owned());
    Ok(plain(Tool::Node))
}

/// The call of a test tool in a command of a script, which another program may start (`nyc`, `c8`, `npx`).
fn call_in(command: &str) -> Option<Called> {
    let words: Vec<String> =
        command.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect();
    let name = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
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
    Some((found[1].to_owned(), found[2].trim_matches(['"', '\'']).to_owned()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_known_by_the_words_of_a_script() {
        let check = |command: &str, expect: Option<(Tool, &str, &str)>| {
            let found = call_in(command);
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
        let called =
            call_in("cross-env A=b C=\"d\" node --stack-size=9 --no-warnings node_modules/.bin/mocha x=1")
                .unwrap();
        let expect = [("A", "b"), ("C", "d"), ("NODE_OPTIONS", "--no-warnings")];
        assert_eq!(called.environment, expect.map(|(name, value)| (name.to_owned(), value.to_owned())));
        check("npx jest --coverage", Some((Tool::Jest, "", "--coverage")));
        check("vitest run", Some((Tool::Vitest, "", "run")));
        check("tape 'test/**/*.js'", None);
        check("node build.js", None);
    }

    #[test]
    fn scripts_are_followed() {
        let package =
            |scripts: &str| Package(serde_json::from_str(&format!("{{\"scripts\": {scripts}}}")).unwrap());
        let check =
            |scripts: &str, expect: &[&str]| assert_eq!(package(scripts).commands(), expect, "{scripts}");
        check(
            r#"{"test": "npm run lint && npm run unit", "unit": "mocha", "lint": "standard"}"#,
            &["standard", "mocha"],
        );
        check(
            r#"{"test": "npm run unit && npm run packed", "unit": "npm run one; npm run two", "one": "mocha a", "two": "mocha b", "packed": "mocha c"}"#,
            &["mocha a", "mocha b", "mocha c"],
        );
        check(r#"{"test": "npm run test"}"#, &["npm run test"]);
        check(r#"{"test": "echo \"Error: no test specified\" && exit 1"}"#, &[]);
        check(r#"{"test": "tap"}"#, &["tap"]);
    }
}
