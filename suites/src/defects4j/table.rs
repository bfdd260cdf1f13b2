//! The table of projects: `projects.toml`.

use serde::Deserialize;

const TABLE: &str = include_str!("projects.toml");

/// The chance of preparing bugs without the command `defects4j`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Plain {
    /// Bugs were reproduced so.
    Measured,
    /// The same steps should do; they were not measured.
    Same,
    /// It cannot work.
    No,
}

/// An entry of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Project {
    pub(super) id: String,
    pub(super) repositories: Vec<String>,
    pub(super) plain: Plain,
    /// The reason why it cannot work.
    #[serde(default)]
    pub(super) why: String,
    /// Packages and their new names.
    #[serde(default)]
    pub(super) renamed: Vec<(String, String)>,
    #[serde(default)]
    pub(super) raised: Option<String>,
    /// The steps of its build besides compiling, as a command of the shell in the folder of a lane.
    #[serde(default)]
    pub(super) after_build: Option<String>,
    #[serde(default)]
    release: Option<(u32, u32)>,
}

#[derive(Deserialize)]
struct Table {
    project: Vec<Project>,
}

impl Project {
    /// The entry of a project; of one that is not in the table, what usually holds.
    pub(super) fn of(id: &str) -> Self {
        let known = all().into_iter().find(|project| project.id == id);
        known.unwrap_or_else(|| Self {
            id: id.to_owned(),
            repositories: Vec::new(),
            plain: Plain::Same,
            why: String::new(),
            renamed: Vec::new(),
            raised: None,
            after_build: None,
            release: None,
        })
    }

    /// The options of javac for a bug: the sources were written for Java 1.3 to 8.
    pub(super) fn javac_options(&self, number: u32) -> &'static str {
        let release = self.release.is_some_and(|(from, to)| (from..=to).contains(&number));
        if release { "--release 8 -Xlint:-options" } else { "-source 8 -target 8 -Xlint:-options" }
    }
}

/// All entries. A table that could not be read would fail the tests.
fn all() -> Vec<Project> {
    toml::from_str::<Table>(TABLE).map(|table| table.project).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read_and_gives_reasons() {
        let table: Table = toml::from_str(TABLE).unwrap();
        assert_eq!(table.project.len(), 17);
        for project in table.project {
            assert_eq!(project.plain == Plain::No, !project.why.is_empty(), "{}", project.id);
            assert!(!project.repositories.is_empty(), "{}", project.id);
        }
        let check = |id: &str, number: u32, expect: &str| {
            assert!(Project::of(id).javac_options(number).starts_with(expect), "{id}-{number}");
        };
        check("Lang", 41, "-source 8");
        check("Lang", 42, "--release 8");
        check("Lang", 65, "--release 8");
        check("Cli", 50, "-source 8");
        check("Widget", 1, "-source 8");
    }
}
