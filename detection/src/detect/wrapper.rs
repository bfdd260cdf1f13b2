//! Scripts of a project that bring a build tool along, and what they have downloaded of it.

use std::fs;
use std::path::{Path, PathBuf};

use patchwright_syntax::pattern::{Pattern, pattern};

use super::home::home;
use super::survey::bytes_of;
use super::{DetectError, Toolchain};
use crate::shell::shell_word;

static DISTRIBUTION: Pattern = pattern!(r"(?m)^\s*distributionUrl\s*=.*/([\w.+-]+?)\.(?:zip|tar\.gz)\s*$");

/// The script of a build tool (maven.apache.org/wrapper, docs.gradle.org/current/userguide/gradle_wrapper.html).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapper {
    /// `mvnw`.
    Maven,
    /// `gradlew`.
    Gradle,
}

/// The names of one.
struct Names {
    script: &'static str,
    program: &'static str,
    /// Its settings, in the project.
    settings: &'static str,
    /// Where it keeps what it has downloaded: a variable, and the folder of the home that stands where that is not set.
    variable: &'static str,
    folder: &'static str,
}

impl Wrapper {
    pub(crate) const ALL: [Self; 2] = [Self::Maven, Self::Gradle];

    fn names(self) -> Names {
        match self {
            Self::Maven => Names {
                script: "mvnw",
                program: "mvn",
                settings: ".mvn/wrapper/maven-wrapper.properties",
                variable: "MAVEN_USER_HOME",
                folder: ".m2",
            },
            Self::Gradle => Names {
                script: "gradlew",
                program: "gradle",
                settings: "gradle/wrapper/gradle-wrapper.properties",
                variable: "GRADLE_USER_HOME",
                folder: ".gradle",
            },
        }
    }

    /// Where the tool keeps what it has downloaded.
    pub(crate) fn home(self) -> Option<PathBuf> {
        let Names { variable, folder, .. } = self.names();
        let named = std::env::var_os(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
        named.or_else(|| Some(home()?.join(folder)))
    }

    /// The name of the distribution that the script of a project runs: `gradle-8.5-bin`.
    fn distribution(self, root: &Path) -> Option<String> {
        let settings = bytes_of(&root.join(self.names().settings));
        Some(DISTRIBUTION.captures(&String::from_utf8_lossy(&settings))?[1].to_owned())
    }

    /// The folder in which that was unpacked.
    pub(crate) fn unpacked(self, root: &Path) -> Option<PathBuf> {
        self.unpacked_below(&self.home()?.join("wrapper/dists"), &self.distribution(root)?)
    }

    fn unpacked_below(self, shelf: &Path, name: &str) -> Option<PathBuf> {
        let inside =
            |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let plain = name.trim_end_matches("-bin").trim_end_matches("-all");
        // Below the hash of the address: a folder of the archive's, or what was in it.
        let hashes = [name, plain].into_iter().flat_map(|name| inside(&shelf.join(name)).collect::<Vec<_>>());
        let program = Path::new("bin").join(self.names().program);
        hashes
            .flat_map(|hash| inside(&hash).chain([hash.clone()]).collect::<Vec<_>>())
            .find(|folder| folder.join(&program).is_file())
    }

    /// The program that the script of the project at `root` would run, as a word of a shell, and why it stands in the place of the script,
    /// which would download it.
    ///
    /// # Errors
    /// The sandbox does not work, or the program is not there.
    pub(crate) async fn program(
        self,
        root: &Path,
        toolchain: &dyn Toolchain,
    ) -> Result<(String, String), DetectError> {
        let Names { script, program, .. } = self.names();
        let unpacked = self.unpacked(root).map(|folder| folder.join("bin").join(program));
        if let Some(path) = unpacked.as_deref().map(Path::to_string_lossy) {
            let word = shell_word(&path);
            if toolchain.ask(&format!("test -x {word}")).await?.is_some() {
                let why = format!(
                    "{script} would download what it runs, and it has: {path} is called in its place"
                );
                return Ok((word, why));
            }
        }
        let name = self.distribution(root).unwrap_or_else(|| program.to_owned());
        // A build of Maven's works with many versions; one of Gradle's with few.
        if self == Self::Maven && toolchain.ask(&format!("command -v {program}")).await?.is_some() {
            let why = format!(
                "{script} would have to download {name}: this machine's {program} is called in its place"
            );
            return Ok((program.to_owned(), why));
        }
        let shelf = self.home().unwrap_or_default().join("wrapper/dists");
        Err(DetectError::missing(
            format!("{name} in {}", shelf.display()),
            format!("{script} runs {name}, which it would have to download without a network"),
            format!("run ./{script} once by hand, so that it is there; or allow the network (--network)"),
        ))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_a_wrapper_has_unpacked_is_found() {
        let project = tempfile::tempdir().unwrap();
        let shelf = tempfile::tempdir().unwrap();
        let write = |root: &Path, path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let settings = "distributionBase=GRADLE_USER_HOME\ndistributionUrl=https\\://example.org/distributions/gradle-8.5-bin.zip\n";
        write(project.path(), "gradle/wrapper/gradle-wrapper.properties", settings);
        assert_eq!(Wrapper::Gradle.distribution(project.path()).as_deref(), Some("gradle-8.5-bin"));
        assert_eq!(Wrapper::Maven.distribution(project.path()), None);
        let found = |wrapper: Wrapper, name: &str| {
            let found = wrapper.unpacked_below(shelf.path(), name)?;
            Some(found.strip_prefix(shelf.path()).unwrap().to_str().unwrap().to_owned())
        };
        assert_eq!(found(Wrapper::Gradle, "gradle-8.5-bin"), None);
        write(shelf.path(), "gradle-8.5-bin/a1b2/gradle-8.5/bin/gradle", "");
        write(shelf.path(), "apache-maven-3.9.6/c3d4/bin/mvn", "");
        assert_eq!(
            found(Wrapper::Gradle, "gradle-8.5-bin").as_deref(),
            Some("gradle-8.5-bin/a1b2/gradle-8.5")
        );
        assert_eq!(
            found(Wrapper::Maven, "apache-maven-3.9.6-bin").as_deref(),
            Some("apache-maven-3.9.6/c3d4")
        );
    }
}
