//! JavaScript and TypeScript, as packages of npm's kind are tested: by node's own runner and mocha, which code of ours watches, and by
//! jest and vitest, which write JUnit XML.

use async_trait::async_trait;
use patchwright_protocol::TestId;
use patchwright_syntax::{Language, Project, ProjectPath, is_test};
use serde_json::Value;

use super::{Claim, Ecosystem, EcosystemFacts, Folders, Script, TestWriting};
use crate::adapters::{Adapter, shell_word, shell_words};
use crate::detect::{DetectError, DetectedProject, HostEnvironments, RUN_BY, Survey, Toolchain, test_places};
use crate::lane::Tools;
use crate::pattern::{Pattern, pattern};
use crate::spec::{AdapterKind, ProjectSpec, ResultsFormat, TestTool};

/// The runner and reporter, in the folder `tools`.
const RUNNER: &str = "patchwright_node.cjs";
/// The file of JUnit XML that jest and vitest are told to write.
const REPORT: &str = "patchwright-results.xml";
/// The first version of node whose runner can be called by ours.
const LEAST_NODE: u32 = 20;
/// Scripts of a package that may name one another before the end is not looked for.
const MOST_SCRIPTS: usize = 8;
/// The commands of a package find the tools that it depends on here.
const PATH: &str = "PATH=\"$PWD/node_modules/.bin:$PATH\" ";
/// The part between the file, the groups and the title of a test in its name.
const JOINT: &str = "::";

static FACTS: EcosystemFacts = EcosystemFacts {
    languages: &["javascript", "typescript"],
    looked_for: "a package.json with tests",
    build_files: &[
        "**/package.json",
        "**/package-lock.json",
        "**/yarn.lock",
        "**/.npmrc",
        "**/tsconfig*.json",
        "**/.mocharc.*",
        "**/jest.config.*",
        "**/vitest.config.*",
        "**/vite.config.*",
        "**/babel.config.*",
        "**/.babelrc*",
        "node_modules/**",
    ],
};

/// A script of a package that runs another.
static OTHER_SCRIPT: Pattern =
    pattern!(r"\b(?:npm|pnpm|yarn)\s+(?:run(?:-script)?\s+)?(?:-s\s+|--silent\s+)?([\w:.-]+)");
/// Words that begin a new command of a script.
static COMMANDS: Pattern = pattern!(r"&&|\|\||;|\|");
/// The files that node's runner finds by itself.
static NODE_OWN: Pattern = pattern!(r"(?:^|/)(?:test/.*|test|test-[^/]*|[^/]*[._-]test)\.[cm]?js$");
static NODE_TEST: Pattern = pattern!(r#"["']node:test["']"#);
static UNKNOWN_TEST: Pattern =
    pattern!(r#"(?:\bfrom\s+|\brequire\(\s*)["']@?(ava|uvu|qunit|jasmine|lab)["']"#);

static NODE: TestTool = TestTool { name: "node's test runner", adapter: &Node };
static MOCHA: TestTool = TestTool { name: "mocha", adapter: &Mocha };
static JEST: TestTool =
    TestTool { name: "jest", adapter: &Titles { option: "--testNamePattern", files: "--runTestsByPath " } };
static VITEST: TestTool =
    TestTool { name: "vitest", adapter: &Titles { option: "--testNamePattern", files: "" } };

pub(super) struct JavaScript;

#[async_trait]
impl Ecosystem for JavaScript {
    fn facts(&self) -> &'static EcosystemFacts {
        &FACTS
    }

    fn claim(&self, survey: &Survey) -> Option<Claim> {
        let package = Package::of(survey)?;
        let tests = test_files(survey).len();
        let claim = Claim { files: files(survey).count(), tests, has_build_file: false };
        (tests > 0 || package.tests().is_some()).then_some(claim)
    }

    async fn detect(
        &self,
        survey: &Survey,
        _by_build_file: bool,
        _host: &HostEnvironments,
        toolchain: &dyn Toolchain,
    ) -> Result<DetectedProject, DetectError> {
        let Some(package) = Package::of(survey) else { return Err(DetectError::no_tests(survey)) };
        let Some(version) = toolchain.ask("node --version").await? else {
            let cure = "install Node.js (Debian: apt install nodejs), or give --test CMD";
            return Err(DetectError::missing("node", "there is a package.json", cure));
        };
        let mut reasons = vec!["there is a package.json".to_owned()];
        let called = called(survey, &package, &mut reasons)?;
        let (test, test_one, results) = match called.tool {
            Tool::Node => node_commands(survey, &called, &version)?,
            Tool::Mocha => mocha_commands(survey, &called, toolchain).await?,
            Tool::Jest => jest_commands(survey, &called)?,
            Tool::Vitest => vitest_commands(survey, &called)?,
        };
        reasons.push(format!(
            "{RUN_BY}{} (node {})",
            called.tool.known().name,
            version.trim_start_matches('v')
        ));
        let build = package
            .script("build")
            .filter(|_| survey.has("tsconfig.json"))
            .map(|_| format!("{PATH}npm run build"));
        if build.is_some() {
            reasons.push("there is a tsconfig.json, and the package says how it is built".to_owned());
        }
        let Folders { source, tests } = self.folders(survey);
        let kind = AdapterKind::Tool(*called.tool.known());
        let spec = ProjectSpec {
            build,
            test_one: Some(test_one),
            source,
            tests,
            ..ProjectSpec::new(kind, language(survey), test, results)
        };
        Ok(DetectedProject { spec, reasons })
    }

    fn folders(&self, survey: &Survey) -> Folders {
        let tests = test_files(survey);
        Folders { source: vec![".".to_owned()], tests: test_places(tests.iter().map(String::as_str)) }
    }

    fn is_at_home(&self, survey: &Survey) -> bool {
        survey.has("package.json")
    }

    fn writing(&self) -> Option<&dyn TestWriting> {
        Some(self)
    }
}

impl TestWriting for JavaScript {
    fn framework(&self, _project: &Project, spec: &ProjectSpec) -> &'static str {
        match spec.kind {
            AdapterKind::Tool(tool) if tool == NODE => "node:test",
            AdapterKind::Tool(tool) => tool.name,
            _ => "the project's test tool",
        }
    }

    fn name(&self, _spec: &ProjectSpec, path: &str, _code: &str, parts: &[&str]) -> TestId {
        TestId::new([&[path], parts].concat().join(JOINT))
    }

    fn program(&self, _spec: &ProjectSpec, file: &str) -> Option<String> {
        Some(format!("node {}", shell_word(file)))
    }

    /// What is read from standard input finds modules as a file in the project's folder does.
    fn script(&self, _spec: &ProjectSpec, code: &str) -> Option<Script> {
        let imports = code.lines().any(|line| line.starts_with("import ") || line.starts_with("export "));
        let kind = if imports { "module" } else { "commonjs" };
        let file = "snippet.js".to_owned();
        let line = format!("node --input-type={kind} - < \"$PATCHWRIGHT_OUT/{file}\"");
        Some(Script { file, line })
    }
}

/// The test tools that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Node,
    Mocha,
    Jest,
    Vitest,
}

impl Tool {
    fn known(self) -> &'static TestTool {
        match self {
            Self::Node => &NODE,
            Self::Mocha => &MOCHA,
            Self::Jest => &JEST,
            Self::Vitest => &VITEST,
        }
    }
}

/// A test tool as the package calls it.
#[derive(Debug, PartialEq, Eq)]
struct Called {
    tool: Tool,
    /// Options before the name of what runs the tests: those of node.
    before: Vec<String>,
    /// The arguments.
    after: Vec<String>,
}

/// What is said in package.json.
struct Package(Value);

impl Package {
    fn of(survey: &Survey) -> Option<Self> {
        if !survey.has("package.json") {
            return None;
        }
        serde_json::from_str(survey.text("package.json").trim_start_matches('\u{feff}')).ok().map(Self)
    }

    fn script(&self, name: &str) -> Option<&str> {
        self.0.get("scripts")?.get(name)?.as_str()
    }

    /// The script that tests, but for the one that npm puts there.
    fn tests(&self) -> Option<&str> {
        self.script("test").filter(|script| !script.contains("no test specified"))
    }

    fn depends_on(&self, name: &str) -> bool {
        ["devDependencies", "dependencies"]
            .iter()
            .any(|kind| self.0.get(kind).is_some_and(|all| all.get(name).is_some()))
    }

    /// The commands that the script for tests runs, with those of the scripts that it names.
    fn commands(&self) -> Vec<String> {
        let mut open: Vec<String> = self.tests().into_iter().map(str::to_owned).collect();
        let (mut found, mut seen) = (Vec::new(), 0);
        while let Some(script) = open.pop() {
            seen += 1;
            for command in COMMANDS.split(&script).map(str::trim) {
                let other =
                    OTHER_SCRIPT.captures(command).and_then(|named| self.script(named.get(1)?.as_str()));
                match other.filter(|_| seen < MOST_SCRIPTS) {
                    Some(other) => open.push(other.to_owned()),
                    None => found.push(command.to_owned()),
                }
            }
        }
        found
    }
}

/// The tool that runs the tests: as the package's script calls it, else by what the tests import.
fn called(survey: &Survey, package: &Package, reasons: &mut Vec<String>) -> Result<Called, DetectError> {
    let commands = package.commands();
    if let Some(called) = commands.iter().find_map(|command| call_in(command)) {
        reasons.push("its script `test` says how tests are run".to_owned());
        return Ok(called);
    }
    let plain = |tool| Called { tool, before: Vec::new(), after: Vec::new() };
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
        let tool = match name(word).as_str() {
            "mocha" | "_mocha" => Tool::Mocha,
            "jest" => Tool::Jest,
            "vitest" => Tool::Vitest,
            "--test" if before.iter().any(|word| name(word) == "node") => {
                let start = before.iter().position(|word| name(word) == "node").map_or(0, |found| found + 1);
                return Some(Called {
                    tool: Tool::Node,
                    before: before[start..].to_vec(),
                    after: after.to_vec(),
                });
            }
            _ => continue,
        };
        return Some(Called { tool, before: Vec::new(), after: after.to_vec() });
    }
    None
}

/// How all tests are run, how some, and how the outcomes are read.
type Commands = (String, String, ResultsFormat);

fn node_commands(survey: &Survey, called: &Called, version: &str) -> Result<Commands, DetectError> {
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
        return Err(DetectError::no_tests(survey));
    }
    let runner = format!("{PATH}node{options} \"$PATCHWRIGHT_TOOLS/{RUNNER}\"");
    Ok((format!("{runner}{}", words(files.iter())), format!("{runner} -- {{tests}}"), ResultsFormat::Lines))
}

async fn mocha_commands(
    survey: &Survey,
    called: &Called,
    toolchain: &dyn Toolchain,
) -> Result<Commands, DetectError> {
    let own = survey.root().join("node_modules/.bin/mocha").exists();
    if !own && toolchain.ask("command -v mocha").await?.is_none() {
        return Err(DetectError::missing(
            "mocha",
            "the tests are run by mocha",
            "install what the package depends on (npm install), or mocha itself (Debian: apt install mocha)",
        ));
    }
    let (options, places) =
        options_and_places(survey, &called.after, &["--reporter", "-R", "--reporter-options", "-O"]);
    let mocha = format!("{PATH}mocha{} --reporter \"$PATCHWRIGHT_TOOLS/{RUNNER}\"", words(options.iter()));
    Ok((format!("{mocha}{}", words(places.iter())), format!("{mocha} {{tests}}"), ResultsFormat::Lines))
}

/// By what jest documents of its reporters: jest-junit, which the package has to bring along. Not tried with jest itself.
fn jest_commands(survey: &Survey, called: &Called) -> Result<Commands, DetectError> {
    let lacks = |tool: &str| !survey.root().join("node_modules").join(tool).exists();
    if let Some(tool) = ["jest", "jest-junit"].into_iter().find(|tool| lacks(tool)) {
        return Err(DetectError::missing(
            format!("{tool} in node_modules"),
            "the tests are run by jest, whose outcomes are read from JUnit XML",
            "npm install --no-save jest-junit, or give --test CMD and --results junit-xml:GLOB",
        ));
    }
    let (options, places) = options_and_places(survey, &called.after, &["--reporters"]);
    // Names of tests as ours are: the file, then the titles.
    let jest = format!(
        "JEST_JUNIT_OUTPUT_FILE={REPORT} JEST_JUNIT_CLASSNAME='{{filepath}}' JEST_JUNIT_TITLE='{{classname}}{JOINT}{{title}}' \
         JEST_JUNIT_ANCESTOR_SEPARATOR='{JOINT}' {PATH}jest{} --ci --reporters=default --reporters=jest-junit",
        words(options.iter())
    );
    Ok((format!("{jest}{}", words(places.iter())), format!("{jest} {{tests}}"), junit_xml()))
}

/// By what vitest documents of its reporter `junit`. Not tried with vitest itself.
fn vitest_commands(survey: &Survey, called: &Called) -> Result<Commands, DetectError> {
    if !survey.root().join("node_modules/vitest").exists() {
        return Err(DetectError::missing(
            "vitest in node_modules",
            "the tests are run by vitest",
            "install what the package depends on (npm install), or give --test CMD",
        ));
    }
    let (options, places) = options_and_places(survey, &called.after, &["--reporter", "--outputFile"]);
    let options: Vec<String> =
        options.into_iter().filter(|word| word != "run" && word != "--watch").collect();
    let vitest = format!("{PATH}vitest run{} --reporter=junit --outputFile={REPORT}", words(options.iter()));
    Ok((format!("{vitest}{}", words(places.iter())), format!("{vitest} {{tests}}"), junit_xml()))
}

fn junit_xml() -> ResultsFormat {
    ResultsFormat::JunitXml { glob: REPORT.to_owned() }
}

/// Words of a shell, each with a blank before it. Globs are left to the tool.
fn words<'a>(all: impl Iterator<Item = &'a String>) -> String {
    all.flat_map(|word| [" ".to_owned(), shell_word(word)]).collect()
}

/// The arguments of a tool, apart: options, but for those that say how outcomes are told; and files, folders and globs.
fn options_and_places(
    survey: &Survey,
    arguments: &[String],
    left_out: &[&str],
) -> (Vec<String>, Vec<String>) {
    let (mut options, mut places) = (Vec::new(), Vec::new());
    let mut arguments = arguments.iter().peekable();
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
            if !word.contains('=')
                && ["-r", "--require", "--import", "--loader", "--file"].contains(&word.as_str())
            {
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
            globset::GlobBuilder::new(&glob).literal_separator(true).build().ok()
        })
        .map(|glob| glob.compile_matcher())
        .collect();
    let named = files(survey).filter(|file| globs.iter().any(|glob| glob.is_match(file)));
    named.map(str::to_owned).collect()
}

/// The files in the languages, sorted.
fn files(survey: &Survey) -> impl Iterator<Item = &str> {
    let is_own = |language: Language| FACTS.languages.contains(&language.name());
    survey.files().filter(move |path| Language::of_path(path.as_ref()).is_some_and(is_own))
}

/// The files that hold tests, but for what helps them.
fn test_files(survey: &Survey) -> Vec<String> {
    const HELPERS: &[&str] =
        &["fixture", "fixtures", "helper", "helpers", "support", "mocks", "__mocks__", "node_modules"];
    let holds_tests = |path: &&str| {
        let Ok(place) = ProjectPath::new(path) else { return false };
        let is_helper = place.folder().split('/').any(|part| HELPERS.contains(&part));
        !is_helper
            && !path.ends_with(".d.ts")
            && Language::of_path(place.as_path()).is_some_and(|language| is_test(language, &place))
    };
    files(survey).filter(holds_tests).map(str::to_owned).collect()
}

/// The language that most of the files are written in.
fn language(survey: &Survey) -> Option<Language> {
    let count = |name: &&&str| survey.count(name);
    // On a draw the first.
    let name = FACTS.languages.iter().rev().max_by_key(count)?;
    Language::by_name(name)
}

/// node's own runner, called by ours.
struct Node;

/// mocha, watched by a reporter of ours.
struct Mocha;

/// A tool that takes the titles of tests as a regular expression, and files.
struct Titles {
    option: &'static str,
    /// The text before the files.
    files: &'static str,
}

fn tools() -> Tools {
    [(RUNNER.to_owned(), include_bytes!("../../runners/patchwright_node.cjs").to_vec())].into()
}

impl Adapter for Node {
    fn tools(&self) -> Tools {
        tools()
    }

    fn names(&self, _spec: &ProjectSpec, tests: &[TestId]) -> String {
        shell_words(tests)
    }

    fn can_skip(&self) -> bool {
        true
    }
}

impl Adapter for Mocha {
    fn tools(&self) -> Tools {
        tools()
    }

    fn names(&self, _spec: &ProjectSpec, tests: &[TestId]) -> String {
        by_titles("--grep", "", tests)
    }

    fn can_skip(&self) -> bool {
        true
    }
}

impl Adapter for Titles {
    fn names(&self, _spec: &ProjectSpec, tests: &[TestId]) -> String {
        by_titles(self.option, self.files, tests)
    }

    fn test_builds(&self) -> bool {
        true
    }
}

/// Arguments that name tests by their titles, joined by blanks as these tools do, and by their files. A file that is asked for as a whole
/// lets all titles run.
fn by_titles(option: &str, before_files: &str, tests: &[TestId]) -> String {
    let parts = || tests.iter().map(|test| test.as_str().split(JOINT).collect::<Vec<_>>());
    let mut files: Vec<String> = parts().filter_map(|parts| Some(shell_word(parts.first()?))).collect();
    files.sort();
    files.dedup();
    let files = format!("{before_files}{}", files.join(" "));
    let titles: Vec<String> = parts().map(|parts| parts[1..].join(" ")).collect();
    if titles.iter().any(String::is_empty) {
        return files;
    }
    // A group is named by the beginning of the titles of its tests.
    let quoted: Vec<String> = titles.iter().map(|title| format!("{}(?: |$)", quoted(title))).collect();
    format!("{option} {} {files}", shell_word(&format!("^(?:{})", quoted.join("|"))))
}

/// A text as a regular expression of JavaScript that it alone fits.
fn quoted(text: &str) -> String {
    let is_special = |letter: char| r"\^$.*+?()[]{}|/".contains(letter);
    text.chars().fold(String::new(), |mut quoted, letter| {
        if is_special(letter) {
            quoted.push('\\');
        }
        quoted.push(letter);
        quoted
    })
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
            &["mocha", "standard"],
        );
        check(r#"{"test": "npm run test"}"#, &["npm run test"]);
        check(r#"{"test": "echo \"Error: no test specified\" && exit 1"}"#, &[]);
        check(r#"{"test": "tap"}"#, &["tap"]);
    }

    #[test]
    fn tests_are_named_by_their_titles() {
        let check = |tests: &[&str], expect: &str| {
            let tests: Vec<TestId> = tests.iter().map(|test| TestId::new(*test)).collect();
            assert_eq!(by_titles("--grep", "", &tests), expect);
        };
        check(&["test/a.js::f(x)::adds"], r"--grep '^(?:f\(x\) adds(?: |$))' test/a.js");
        check(&["test/a.js::a", "test/b.js::b"], "--grep '^(?:a(?: |$)|b(?: |$))' test/a.js test/b.js");
        check(&["test/a.js::a", "test/b.js"], "test/a.js test/b.js");
    }
}
