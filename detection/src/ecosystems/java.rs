//! Java.

use async_trait::async_trait;
use patchwright_protocol::{ResultsFormat, TestId};
use patchwright_syntax::has_extension;
use patchwright_syntax::is_runnable;
use patchwright_syntax::pattern::{Pattern, pattern};
use patchwright_syntax::{Language, Project};

use super::{
    Claim, Ecosystem, EcosystemFacts, Folders, GivenTests, ProgramFacts, TestWriting, ToolFacts, Understood,
    no_tests, outline_of,
};
use crate::adapters::package_of;
use crate::detect::{
    DetectError, DetectedProject, HostEnvironments, Survey, Toolchain, gradle, java_by_build_file, maven,
    plain_java,
};
use crate::heap;
use crate::spec::ProjectSpec;

/// Test files that are looked at for the framework that they use.
const LOOKED_AT: usize = 40;

static ANNOTATED: Pattern = pattern!(r"@(?:ParameterizedTest|Test|Theory)\b");
static JUPITER: Pattern = pattern!(r"\borg\.junit\.jupiter\.");
static JUNIT_3: Pattern = pattern!(r"\bextends\s+(?:junit\.framework\.)?TestCase\b");

static FACTS: EcosystemFacts = EcosystemFacts {
    languages: &["java"],
    looked_for: "pom.xml, build.xml, Java files that use JUnit",
    build_files: &[
        "**/pom.xml",
        "**/build.xml",
        "**/build.properties",
        "**/*.gradle",
        "**/*.gradle.kts",
        "**/gradle.properties",
        "**/junit-platform.properties",
        "**/testng*.xml",
        "**/META-INF/services/org.junit.*",
        "gradle/**",
        ".mvn/**",
        "mvnw",
        "gradlew",
        // New files that would stand in for a test framework.
        "org/junit/**",
        "**/*.jar",
    ],
    programs: ProgramFacts {
        language: "java",
        words: "Java with a class that has a `main`",
        // They are built with it.
        run_everywhere: false,
    },
    tools: &[
        ToolFacts { name: "javac", asked: &["javac", "-version"], package: "default-jdk-headless" },
        ToolFacts { name: "mvn", asked: &["mvn", "--version"], package: "maven" },
        ToolFacts { name: "ant", asked: &["ant", "-version"], package: "ant" },
        ToolFacts { name: "gradle", asked: &["gradle", "--version"], package: "gradle" },
    ],
};

/// The files by which people start a build.
const BUILDS: &[&str] =
    &["pom.xml", "build.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

pub(super) struct Java;

#[async_trait]
impl Ecosystem for Java {
    fn facts(&self) -> &'static EcosystemFacts {
        &FACTS
    }

    fn claim(&self, survey: &Survey) -> Option<Claim> {
        let tests = plain_java::tests(survey).map_or(0, |tests| tests.count());
        let has_build_file = BUILDS.iter().any(|file| survey.has(file));
        let claim = Claim { files: survey.count("java"), tests, has_build_file };
        (tests > 0 || has_build_file).then_some(claim)
    }

    async fn detect(
        &self,
        survey: &Survey,
        by_build_file: bool,
        _host: &HostEnvironments,
        toolchain: &dyn Toolchain,
    ) -> Result<DetectedProject, DetectError> {
        if by_build_file && let Some(detected) = java_by_build_file(survey, toolchain).await {
            return detected;
        }
        let Some(tests) = plain_java::tests(survey) else { return Err(no_tests(survey)) };
        plain_java::detect(survey, tests, toolchain).await
    }

    async fn as_detected(&self, given: &GivenTests<'_>) -> Result<Understood, DetectError> {
        match maven::as_detected(given).await? {
            Understood::No => gradle::as_detected(given).await,
            understood => Ok(understood),
        }
    }

    fn folders(&self, survey: &Survey) -> Folders {
        plain_java::tests(survey).map_or_else(Folders::default, |tests| {
            let places = tests.places();
            Folders { source: places.source, tests: places.tests }
        })
    }

    fn memory_option(&self, bytes: u64) -> Option<(&'static str, String)> {
        heap::option_for_others(bytes).map(|option| (heap::EVERYWHERE, option))
    }

    fn writing(&self) -> Option<&dyn TestWriting> {
        Some(self)
    }
}

impl TestWriting for Java {
    fn framework(&self, project: &Project, _spec: &ProjectSpec) -> &'static str {
        let files = project.files().unwrap_or_default();
        let tests =
            files.iter().filter(|path| is_runnable(path.as_str()) && has_extension(path.as_str(), "java"));
        let texts: Vec<String> = tests
            .take(LOOKED_AT)
            .filter_map(|path| project.read(path).ok())
            .map(|file| file.text().to_owned())
            .collect();
        if texts.iter().any(|text| JUPITER.is_match(text)) {
            return "JUnit 5";
        }
        let is_old = |text: &String| JUNIT_3.is_match(text);
        if !texts.is_empty() && texts.iter().all(is_old) { "JUnit 3" } else { "JUnit 4" }
    }

    fn name(&self, _spec: &ProjectSpec, _path: &str, code: &str, parts: &[&str]) -> TestId {
        let Some((method, classes)) = parts.split_last() else { return TestId::new("") };
        TestId::of_method(&qualified(code, &classes.join("$")), method)
    }

    fn selection(&self, spec: &ProjectSpec, _path: &str, code: &str, _exists: bool) -> Vec<TestId> {
        let Some(language) = Language::by_name("java") else { return Vec::new() };
        let outline = outline_of(language, code);
        let Some(class) = outline.classes.first() else { return Vec::new() };
        let name = qualified(code, &class.name);
        if spec.results != ResultsFormat::Defects4j {
            return vec![TestId::new(name)];
        }
        // Its command takes methods alone.
        let tests = class.methods.iter().filter(|method| method.name.starts_with("test"));
        tests.map(|method| TestId::of_method(&name, &method.name)).collect()
    }

    fn declares_tests(&self, _language: Language, code: &str) -> bool {
        ANNOTATED.is_match(code) || JUNIT_3.is_match(code)
    }
}

/// The name of a class in some code, with its package.
fn qualified(code: &str, class: &str) -> String {
    let package = package_of(code);
    if package.is_empty() { class.to_owned() } else { format!("{package}.{class}") }
}
