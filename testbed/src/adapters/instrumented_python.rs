//! pytest and unittest: a plugin and a runner of ours write exact results.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use patchwright_folder::{Folder, FolderEntry};

use super::{Adapter, PYTHON_PATH, python_environment, python_roots};
use crate::lane::{LanePaths, MOST_ENTRIES, Tools};
use crate::spec::{ProjectSpec, ResultsFormat};

/// The worker, in the folder `tools`.
const WORKER: &str = "patchwright_warm.py";
/// What starts a module in place of `-m`, in the folder `tools`.
const START: &str = "patchwright_start.py";
/// What it takes the place of the project's folders from, and the modules that the project has without a change.
const PATH: &str = "PATCHWRIGHT_PATH";
const OWN: &str = "PATCHWRIGHT_OWN";
/// What the second may hold: the kernel takes no variable of more than 128 KiB.
const OWN_BYTES: usize = 100 << 10;
/// What stands between an interpreter and what has to be done before it.
const AND: &str = " && ";

/// A Python test tool that is watched by code of ours.
pub(super) struct InstrumentedPython {
    /// The module that runs the tests.
    module: &'static str,
    /// What stands between the command for all tests and the names of some.
    between: &'static str,
    file: &'static str,
    code: &'static [u8],
}

/// pytest, watched by a plugin.
pub(super) const PYTEST: InstrumentedPython = InstrumentedPython {
    module: "pytest",
    between: " ",
    file: "patchwright_pytest.py",
    code: include_bytes!("../../runners/patchwright_pytest.py"),
};

/// unittest, run by a runner.
pub(super) const UNITTEST: InstrumentedPython = InstrumentedPython {
    module: "patchwright_unittest",
    between: " -- ",
    file: "patchwright_unittest.py",
    code: include_bytes!("../../runners/patchwright_unittest.py"),
};

impl Adapter for InstrumentedPython {
    fn tools(&self) -> Tools {
        let worker = include_bytes!("../../runners/patchwright_warm.py");
        let limit = include_bytes!("../../runners/patchwright_limit.py");
        let lines = include_bytes!("../../runners/patchwright_lines.py");
        let start = include_bytes!("../../runners/patchwright_start.py");
        let canary = include_bytes!("../../runners/patchwright_canary.py");
        [
            (self.file, self.code),
            ("patchwright_canary.py", canary),
            ("patchwright_limit.py", limit),
            ("patchwright_lines.py", lines),
            (START, start),
            (WORKER, worker),
        ]
        .map(|(name, code)| (name.to_owned(), code.to_vec()))
        .into()
    }

    fn environment(
        &self,
        spec: &ProjectSpec,
        lane: &LanePaths,
        pristine: &Folder,
    ) -> BTreeMap<String, String> {
        python_environment(spec, lane, pristine)
    }

    fn guard(
        &self,
        line: &str,
        spec: &ProjectSpec,
        pristine: &Folder,
        environment: &mut BTreeMap<String, String>,
    ) -> String {
        let own = modules(spec, pristine).join(" ");
        let parts = line.split_once(&format!(" -m {} ", self.module));
        let Some((before, arguments)) = parts.filter(|_| own.len() <= OWN_BYTES) else {
            return line.to_owned();
        };
        if let Some(path) = environment.remove(PYTHON_PATH) {
            environment.insert(PATH.to_owned(), path);
        }
        environment.insert(OWN.to_owned(), own);
        let before = before.replace(&format!("export {PYTHON_PATH}="), &format!("export {PATH}="));
        format!("{before} \"$PATCHWRIGHT_TOOLS/{START}\" {} {arguments}", self.module)
    }

    fn worker_command(&self, spec: &ProjectSpec) -> Result<String, &'static str> {
        let same = spec.test_one.as_deref() == Some(&format!("{}{}{{tests}}", spec.test, self.between));
        let parts = spec.test.rsplit_once(&format!(" -m {} ", self.module));
        match parts {
            Some((start, arguments)) if same && spec.results == ResultsFormat::Lines => {
                let (before, interpreter) = start.rsplit_once(AND).unwrap_or(("", start));
                let before = if before.is_empty() { String::new() } else { format!("{before}{AND}") };
                let worker = format!("\"$PATCHWRIGHT_TOOLS/{WORKER}\"");
                Ok(format!("{before}exec {interpreter} {worker} {} {arguments}", self.module))
            }
            Some(_) | None => Err("the test command is not one that was detected"),
        }
    }

    fn can_skip(&self) -> bool {
        true
    }
}

/// The names of the modules in a project's folders that can be told by a variable.
fn modules(spec: &ProjectSpec, pristine: &Folder) -> Vec<String> {
    let folders = [""].into_iter().chain(python_roots(spec, pristine));
    let entries =
        folders.flat_map(|folder| pristine.below(folder).and_then(|found| found.list(MOST_ENTRIES)));
    let name = |(name, _): (OsString, FolderEntry)| Some(name.to_str()?.split('.').next()?.to_owned());
    let names: BTreeSet<String> = entries.flatten().filter_map(name).filter(|name| is_name(name)).collect();
    names.into_iter().collect()
}

/// Whether a text may name a module.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|character| character.is_alphanumeric() || character == '_')
}
