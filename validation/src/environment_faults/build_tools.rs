//! What Maven and Gradle lack where they may download nothing.

use patchwright_syntax::pattern::{Pattern, pattern};

use super::EnvironmentFault;

static MAVEN_PARENT: Pattern = pattern!(r"Non-resolvable parent POM(?: for \S+)?: .*?\bartifact (\S+)");
static MAVEN: Pattern = pattern!(
    r"(?:Could not resolve dependencies|one of its dependencies could not be resolved|Non-resolvable import POM).*?\bartifact (\S+)"
);
static GRADLE: Pattern = pattern!(r"No cached version of (\S+) available for offline mode");
static GRADLE_PLUGIN: Pattern = pattern!(r"Plugin \[id: '([^']+)'[^\]]*\] was not found");

const BY_HAND: &str = "run the tests once by hand, with a network, so that it is kept on this machine; or allow the network (--network)";

impl EnvironmentFault {
    /// What a build tool lacks by what it says itself.
    pub(crate) fn of_build(log: &str) -> Option<Self> {
        let lacking = |tool: &str, what: &str, name: &str| {
            format!("{tool} needs {what}`{}`, and may not download it", name.trim_end_matches(['.', ',']))
        };
        if let Some(found) = MAVEN_PARENT.captures(log) {
            let cure = format!(
                "if its pom.xml lies above the project, give the folder of that file and name the module (--test 'mvn -pl MODULE test'); else {BY_HAND}"
            );
            return Some(Self { what: lacking("Maven", "the parent ", &found[1]), cure });
        }
        let texts =
            [(&MAVEN, "Maven", ""), (&GRADLE, "Gradle", ""), (&GRADLE_PLUGIN, "Gradle", "the plugin ")];
        texts.into_iter().find_map(|(pattern, tool, what)| {
            let found = pattern.captures(log)?;
            Some(Self { what: lacking(tool, what, &found[1]), cure: BY_HAND.to_owned() })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_build_tool_would_download_is_named() {
        let check = |log: &str, expect: Option<&str>| {
            let found = EnvironmentFault::of_build(log);
            assert_eq!(found.map(|found| found.what).as_deref(), expect, "{log}");
        };
        check(
            "[FATAL] Non-resolvable parent POM for shop:app:1.0: Cannot access central (https://repo.example.org) in offline mode \
             and the artifact shop:all:pom:1.0 has not been downloaded from it before. and 'parent.relativePath' points at no local POM",
            Some("Maven needs the parent `shop:all:pom:1.0`, and may not download it"),
        );
        check(
            "[ERROR] Failed to execute goal on project app: Could not resolve dependencies for project shop:app:jar:1.0: Cannot access \
             central in offline mode and the artifact a:b:jar:2 has not been downloaded from it before.",
            Some("Maven needs `a:b:jar:2`, and may not download it"),
        );
        check(
            "> Could not resolve junit:junit:4.12.\n   > No cached version of junit:junit:4.12 available for offline mode.",
            Some("Gradle needs `junit:junit:4.12`, and may not download it"),
        );
        check(
            "> Plugin [id: 'a.b', version: '1.0'] was not found in any of the following sources:",
            Some("Gradle needs the plugin `a.b`, and may not download it"),
        );
        check("Could not resolve host: example.org", None);
    }
}
