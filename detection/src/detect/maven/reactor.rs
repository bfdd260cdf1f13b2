//! The modules of a Maven project that are built together.

use std::collections::BTreeMap;

use super::super::survey::{Survey, folder_of};
use super::coordinates::{Coordinates, Pom};
use crate::given_command::joined;
use crate::shell::QUOTES;

/// Folders above that are looked at.
const MOST_ABOVE: usize = 8;

/// A module, and the folder whose build file names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reactor {
    /// The outermost folder of the project from which it is built, relative to the project.
    pub(super) root: String,
    /// The module, relative to that; `.` where that is the module.
    pub(super) module: String,
}

impl Reactor {
    /// The modules around the build file that a command calls Maven with in a folder; `None` where that is no file of the project.
    pub(super) fn around(survey: &Survey, folder: &str, file: Option<&str>) -> Option<Self> {
        let path = joined(folder, file.map_or("", |file| file.trim_matches(QUOTES)))?;
        let is_file = path.rsplit('/').next() == Some("pom.xml");
        let own = if is_file { folder_of(&path).to_owned() } else { path };
        if !survey.has(&pom(&own)) {
            return None;
        }
        let mut root = own.clone();
        while let Some(above) = above(survey, &root) {
            root = above;
        }
        let below = own.strip_prefix(&root).map_or(own.as_str(), |rest| rest.trim_start_matches('/'));
        let module = if below.is_empty() { "." } else { below };
        Some(Self { module: module.to_owned(), root })
    }

    /// A module of the project that one of these is made of and that is not built with them, so that it comes from the local repository.
    pub(super) fn installed(&self, survey: &Survey) -> Option<Coordinates> {
        let files = survey.files().filter(|path| is_pom(path));
        let mut others: BTreeMap<&str, Pom> =
            files.map(|path| (folder_of(path), Pom::read(&survey.text(path)))).collect();
        let (mut open, mut built) = (vec![self.root.clone()], Vec::new());
        while let Some(folder) = open.pop() {
            let Some(pom) = others.remove(folder.as_str()) else { continue };
            open.extend(pom.modules.iter().filter_map(|module| joined(&folder, module)));
            built.push(pom);
        }
        let mut needed = built.into_iter().flat_map(|pom| pom.dependencies);
        needed.find(|wanted| others.values().any(|pom| pom.own == *wanted))
    }
}

/// Is true for build files that are not data of tests or templates.
fn is_pom(path: &str) -> bool {
    path.rsplit('/').next() == Some("pom.xml") && !path.starts_with("src/") && !path.contains("/src/")
}

/// The folder whose build file names another one as its module.
fn above(survey: &Survey, folder: &str) -> Option<String> {
    let parts: Vec<&str> = folder.split('/').filter(|part| *part != ".").collect();
    (0..parts.len()).rev().take(MOST_ABOVE).find_map(|count| {
        let above = if count == 0 { ".".to_owned() } else { parts[..count].join("/") };
        let modules = Pom::read(&survey.text(&pom(&above))).modules;
        let names = modules.iter().any(|module| joined(&above, module).as_deref() == Some(folder));
        names.then_some(above)
    })
}

/// The build file of a folder.
fn pom(folder: &str) -> String {
    if folder == "." { "pom.xml".to_owned() } else { format!("{folder}/pom.xml") }
}
