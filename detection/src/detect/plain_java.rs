//! Java without a build file: javac, and JUnit 4 on a class path.

use std::collections::{BTreeMap, BTreeSet};

use patchwright_protocol::ResultsFormat;
use patchwright_syntax::Language;
use patchwright_syntax::pattern::{Pattern, pattern};

use super::jars::external_jars;
use super::survey::{Survey, folder_of};
use super::{DetectError, DetectedProject, Toolchain};
use crate::adapters::{BUILD, JARS, package_of};
use crate::heap;
use crate::shell::shell_word;
use crate::spec::{AdapterKind, ProjectSpec};

static JUNIT: Pattern = pattern!(r"\borg\.junit\.|\bjunit\.framework\.");
static JUPITER: Pattern = pattern!(r"\borg\.junit\.jupiter\.");
static JUNIT_JAR: Pattern = pattern!(r"^junit4?(?:-dep)?(?:-4[\w.-]*)?\.jar$");

/// Jars of distributions. Hamcrest is part of none of them.
const SYSTEM_JUNIT: &[&str] = &["/usr/share/java/junit4.jar", "/usr/share/java/junit.jar"];
const SYSTEM_HAMCREST: &[&str] = &[
    "/usr/share/java/hamcrest-core.jar",
    "/usr/share/java/hamcrest-all.jar",
    "/usr/share/java/hamcrest.jar",
];

/// The facts known of a project's Java tests.
pub(crate) struct JavaTests {
    /// The files that use JUnit.
    tests: Vec<String>,
    /// Those of them that need version 5.
    jupiter: Vec<String>,
    /// All files, with the folder in which the names of packages begin.
    roots: BTreeMap<String, Vec<String>>,
}

/// Folders of production code and of tests.
#[derive(Default)]
pub(crate) struct JavaFolders {
    pub(crate) source: Vec<String>,
    pub(crate) tests: Vec<String>,
}

/// Looks for tests. `None` when there are none.
pub(crate) fn tests(survey: &Survey) -> Option<JavaTests> {
    let mut found = JavaTests { tests: Vec::new(), jupiter: Vec::new(), roots: BTreeMap::new() };
    for file in survey.of_language("java").filter(|file| !file.ends_with("module-info.java")) {
        let text = survey.text(file);
        found.roots.entry(root_of(file, &package_of(&text))).or_default().push(file.to_owned());
        if JUPITER.is_match(&text) {
            found.jupiter.push(file.to_owned());
        }
        if JUNIT.is_match(&text) {
            found.tests.push(file.to_owned());
        }
    }
    (!found.tests.is_empty()).then_some(found)
}

/// The folder in which the package of a file begins.
fn root_of(file: &str, package: &str) -> String {
    let folder = folder_of(file);
    if package.is_empty() {
        return folder.to_owned();
    }
    let path = package.replace('.', "/");
    match folder.strip_suffix(&path) {
        Some("") => ".".to_owned(),
        Some(root) if root.ends_with('/') => root.trim_end_matches('/').to_owned(),
        Some(_) | None => folder.to_owned(),
    }
}

impl JavaTests {
    pub(crate) fn count(&self) -> usize {
        self.tests.len()
    }

    /// A root whose name speaks of tests, or that holds nothing else, belongs to the tests; in any other the tests are
    /// named one by one.
    pub(crate) fn places(&self) -> JavaFolders {
        let mut places = JavaFolders::default();
        let tests: BTreeSet<&String> = self.tests.iter().collect();
        for (root, files) in &self.roots {
            let own: Vec<&String> = files.iter().filter(|file| tests.contains(file)).collect();
            let named = root.split('/').any(|part| matches!(part, "test" | "tests" | "testing"));
            if named || own.len() == files.len() {
                places.tests.push(root.clone());
            } else {
                places.source.push(root.clone());
                places.tests.extend(own.into_iter().cloned());
            }
        }
        places
    }
}

pub(crate) async fn detect(
    survey: &Survey,
    tests: JavaTests,
    toolchain: &dyn Toolchain,
) -> Result<DetectedProject, DetectError> {
    let reason = format!("there is no build file, and {} Java files use JUnit", tests.count());
    let places = tests.places();
    Ok(with_jars(survey, tests, places, toolchain, reason).await?.0)
}

/// Folders of sources and of tests by which a project needs no build file, the most usual first.
const LAYOUTS: &[(&str, &str)] = &[
    ("src/main/java", "src/test/java"),
    ("src/java", "src/test"),
    ("src/java", "test"),
    ("src", "test"),
    ("source", "test"),
];

/// The folders of a project that needs no build file by its layout.
pub(crate) fn plain_layout(survey: &Survey) -> Option<JavaFolders> {
    let holds = |folder: &str| {
        let inside = format!("{folder}/");
        let of_folder = |file: &&str| file.starts_with(&inside);
        // A module below would have its own layout.
        survey
            .of_language("java")
            .filter(of_folder)
            .any(|file| root_of(file, &package_of(&survey.text(file))) == folder)
    };
    let (source, tests) = LAYOUTS.iter().find(|(source, tests)| holds(source) && holds(tests))?;
    Some(JavaFolders { source: vec![(*source).to_owned()], tests: vec![(*tests).to_owned()] })
}

/// A project whose build tool does not work here, without that tool: if its layout is plain and all that it imports is
/// at hand. Otherwise why not.
pub(crate) async fn instead(
    survey: &Survey,
    toolchain: &dyn Toolchain,
    reason: String,
) -> Result<Result<DetectedProject, String>, DetectError> {
    let (Some(places), Some(mut tests)) = (plain_layout(survey), tests(survey)) else {
        return Ok(Err("its folders are not those of a plain project with JUnit's tests".to_owned()));
    };
    let is_in = |file: &String| {
        places.source.iter().chain(&places.tests).any(|folder| file.starts_with(&format!("{folder}/")))
    };
    tests.tests.retain(is_in);
    tests.jupiter.retain(is_in);
    for files in tests.roots.values_mut() {
        files.retain(is_in);
    }
    match with_jars(survey, tests, places, toolchain, reason).await {
        Ok((detected, missing)) if missing.is_empty() => Ok(Ok(detected)),
        Ok((_, missing)) => Ok(Err(format!("it imports {}, of which no jar is at hand", listed(&missing)))),
        Err(error @ (DetectError::MissingTool { .. } | DetectError::NotSupported { .. })) => {
            Ok(Err(error.to_string()))
        }
        Err(error) => Err(error),
    }
}

/// The project with commands for plain Java, and what is imported and cannot be found.
async fn with_jars(
    survey: &Survey,
    tests: JavaTests,
    places: JavaFolders,
    toolchain: &dyn Toolchain,
    reason: String,
) -> Result<(DetectedProject, Vec<String>), DetectError> {
    let mut reasons = vec![reason];
    if let Some(file) = tests.jupiter.first() {
        return Err(DetectError::not_supported(
            format!(
                "{file} is written for JUnit 5, which is only run through Maven or a command of your own"
            ),
            "--test CMD --results 'junit-xml:GLOB'",
        ));
    }
    let Some(version) = toolchain.ask("javac -version 2>&1").await? else {
        let cure = "install a JDK (Debian: apt install default-jdk-headless), or give --test CMD";
        return Err(DetectError::missing("javac", "the project is written in Java", cure));
    };
    reasons.push(format!("it is compiled by {}", version.lines().last().unwrap_or_default()));
    let mut jars: Vec<String> =
        survey.with_extension("jar").into_iter().filter(|jar| !jar.ends_with("gradle-wrapper.jar")).collect();
    let is_junit = |jar: &String| JUNIT_JAR.is_match(jar.rsplit('/').next().unwrap_or(jar));
    if let Some(jar) = jars.iter().find(|jar| is_junit(jar)) {
        reasons.push(format!("JUnit is in the project: {jar}"));
    } else {
        let found = installed(toolchain).await?;
        let Some(junit) = found.iter().find(|jar| is_junit(jar)) else {
            return Err(DetectError::missing(
                "JUnit 4",
                format!("{} uses JUnit", tests.tests.first().map_or("a test", String::as_str)),
                "put junit-4.13.2.jar and hamcrest-core-1.3.jar into lib/, or install them (Debian: apt install junit4)",
            ));
        };
        reasons.push(format!("JUnit is installed: {junit}"));
        jars.extend(found);
    }
    let files: Vec<&str> = tests.roots.values().flatten().map(String::as_str).collect();
    let external = external_jars(survey, &files, &jars, toolchain).await?;
    if !external.jars.is_empty() {
        reasons.push(format!("what it imports is in {}", listed(&external.jars)));
    }
    jars.extend(external.jars);
    reasons.push(format!("sources: {}; tests: {}", listed(&places.source), listed(&places.tests)));
    let utf8 = tests.roots.values().flatten().all(|file| survey.is_utf8(file));
    let encoding = if utf8 { "UTF-8" } else { "ISO-8859-1" };
    if !utf8 {
        reasons.push("some sources are not UTF-8, so all are read as ISO-8859-1".to_owned());
    }
    let out = "$PATCHWRIGHT_OUT";
    let test =
        format!("java {} -ea -Djava.awt.headless=true PatchwrightRunner \"{out}/classes.txt\"", heap::OPTION);
    let spec = ProjectSpec {
        build: Some(format!("{BUILD} {encoding} -d \"{out}/classes\" @\"{out}/sources.txt\"")),
        test_one: Some(format!("{test} {{tests}}")),
        source: places.source,
        tests: places.tests,
        env: BTreeMap::from([(JARS.to_owned(), jars.join(":"))]),
        ..ProjectSpec::new(AdapterKind::PlainJava, Language::by_name("java"), test, ResultsFormat::Lines)
    };
    Ok((DetectedProject { spec, reasons }, external.missing))
}

fn listed(places: &[String]) -> String {
    const SHOWN: usize = 4;
    let mut text = places.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if places.len() > SHOWN {
        text.push_str(&format!(" and {} more", places.len() - SHOWN));
    }
    if text.is_empty() { "none".to_owned() } else { text }
}

/// JUnit and Hamcrest outside of the project: of the distribution, or in the user's Maven repository.
async fn installed(toolchain: &dyn Toolchain) -> Result<Vec<String>, DetectError> {
    let mut found = Vec::new();
    for candidates in [SYSTEM_JUNIT, SYSTEM_HAMCREST] {
        let words: Vec<String> = candidates.iter().map(|path| shell_word(path)).collect();
        let question =
            format!("for jar in {}; do if test -r $jar; then echo $jar; exit; fi; done", words.join(" "));
        found.extend(toolchain.ask(&question).await?.filter(|path| !path.is_empty()));
    }
    if found.iter().any(|jar| SYSTEM_JUNIT.contains(&jar.as_str())) {
        return Ok(found);
    }
    let Some(repository) = toolchain.maven_repository() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for pattern in ["junit/junit/4*/junit-4*.jar", "org/hamcrest/hamcrest-core/1*/hamcrest-core-1*.jar"] {
        let folder = repository.to_string_lossy();
        let folder = shell_word(&folder);
        // The last is the newest, and sources are no classes.
        let question = format!("ls -1 {folder}/{pattern} | grep -v -e sources -e javadoc | tail -n 1");
        found.extend(toolchain.ask(&question).await?.filter(|path| !path.is_empty()));
    }
    Ok(found)
}
