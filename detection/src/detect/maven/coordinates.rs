//! What build files of Maven's say of a project's modules: their names, and those of what they depend on.

use std::borrow::Cow;

use patchwright_syntax::pattern::{Pattern, pattern};

static COMMENT: Pattern = pattern!(r"(?s)<!--.*?-->");
static MODULE: Pattern = pattern!(r"<module>\s*([^<\s]+)\s*</module>");
static PARENT: Pattern = pattern!(r"(?s)<parent>.*?</parent>");
static DEPENDENCY: Pattern = pattern!(r"(?s)<dependency>(.*?)</dependency>");
static EXCLUSIONS: Pattern = pattern!(r"(?s)<exclusions>.*?</exclusions>");
static GROUP: Pattern = pattern!(r"<groupId>\s*([^<\s]+)");
static ARTIFACT: Pattern = pattern!(r"<artifactId>\s*([^<\s]+)");
static VERSION: Pattern = pattern!(r"<version>\s*([^<\s]+)");
/// Parts that speak of something else than the module and what it is made of.
static OTHERS: Pattern = pattern!(
    r"(?s)<profiles>.*?</profiles>|<build>.*?</build>|<reporting>.*?</reporting>|<dependencyManagement>.*?</dependencyManagement>"
);
static DEPENDENCIES: Pattern = pattern!(r"(?s)<dependencies>.*?</dependencies>");

/// The name of a module, as far as it is written out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Coordinates {
    pub(super) group: String,
    pub(super) artifact: String,
    /// Empty where others say which.
    pub(super) version: String,
}

impl Coordinates {
    /// The folder of a repository in which that is kept.
    pub(super) fn folder(&self) -> String {
        format!("{}/{}/{}", self.group.replace('.', "/"), self.artifact, self.version)
    }

    fn read(text: &str) -> Self {
        let first = |pattern: &'static Pattern| {
            pattern.captures(text).map(|found| found[1].to_owned()).unwrap_or_default()
        };
        Self { group: first(&GROUP), artifact: first(&ARTIFACT), version: first(&VERSION) }
    }
}

/// A build file.
pub(super) struct Pom {
    pub(super) own: Coordinates,
    pub(super) dependencies: Vec<Coordinates>,
    /// The folders of the modules that are built with it, relative to its own.
    pub(super) modules: Vec<String>,
}

impl Pom {
    pub(super) fn read(text: &str) -> Self {
        let text = COMMENT.replace_all(text, "");
        let folder = |name: &str| name.trim_end_matches("/pom.xml").to_owned();
        let modules = MODULE.captures_iter(&text).map(|found| folder(&found[1])).collect();
        let parent = PARENT.find(&text).map(|found| Coordinates::read(found.as_str())).unwrap_or_default();
        let text = PARENT.replace(&text, "");
        let text = OTHERS.replace_all(&text, "");
        let mut own = Coordinates::read(&DEPENDENCIES.replace_all(&text, ""));
        for (slot, of_parent) in [(&mut own.group, parent.group), (&mut own.version, parent.version)] {
            if slot.is_empty() {
                *slot = of_parent;
            }
        }
        let dependency = |body: &str| {
            let mut found = Coordinates::read(&EXCLUSIONS.replace_all(body, ""));
            for (slot, of_module) in [(&mut found.group, &own.group), (&mut found.version, &own.version)] {
                *slot = resolved(slot, of_module).into_owned();
            }
            found
        };
        let dependencies = DEPENDENCY.captures_iter(&text).map(|found| dependency(&found[1])).collect();
        Self { own, dependencies, modules }
    }
}

/// A value in which properties of the module's own stand for the same of the module.
fn resolved<'v>(value: &'v str, of_module: &'v str) -> Cow<'v, str> {
    let is_own = ["${project.", "${pom."].iter().any(|start| value.starts_with(start));
    Cow::Borrowed(if is_own { of_module } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_and_what_they_are_made_of() {
        let found = Pom::read(
            "<project><parent><groupId>shop</groupId><artifactId>all</artifactId><version>1.0</version></parent>\
             <!-- <artifactId>old</artifactId> --><build><plugins><plugin><artifactId>x</artifactId></plugin></plugins></build>\
             <artifactId>app</artifactId><modules><module>a/pom.xml</module><module> b </module></modules>\
             <dependencyManagement><dependencies><dependency><groupId>n</groupId></dependency></dependencies></dependencyManagement>\
             <dependencies><dependency><groupId>${project.groupId}</groupId><artifactId>core</artifactId>\
             <exclusions><exclusion><groupId>e</groupId></exclusion></exclusions><version>${project.version}</version></dependency>\
             <dependency><groupId>junit</groupId><artifactId>junit</artifactId></dependency></dependencies></project>",
        );
        let coordinates = |[group, artifact, version]: [&str; 3]| Coordinates {
            group: group.to_owned(),
            artifact: artifact.to_owned(),
            version: version.to_owned(),
        };
        assert_eq!(found.own, coordinates(["shop", "app", "1.0"]));
        assert_eq!(found.modules, ["a", "b"]);
        let expect = [coordinates(["shop", "core", "1.0"]), coordinates(["junit", "junit", ""])];
        assert_eq!(found.dependencies, expect);
        assert_eq!(found.dependencies[0].folder(), "shop/core/1.0");
    }
}
