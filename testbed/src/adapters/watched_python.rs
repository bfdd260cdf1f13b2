//! pytest and unittest: a plugin and a runner of ours write exact results.

use std::collections::BTreeMap;

use patchwright_folder::Folder;

use super::{Adapter, python_environment};
use crate::lane::{Places, Tools};
use crate::spec::{ProjectSpec, ResultsFormat};

/// The worker, in the folder `tools`.
const WORKER: &str = "patchwright_warm.py";
/// What stands between an interpreter and what has to be done before it.
const AND: &str = " && ";

/// A Python test tool that is watched by code of ours.
pub(super) struct WatchedPython {
    /// The module that runs the tests.
    module: &'static str,
    /// What stands between the command for all tests and the names of some.
    between: &'static str,
    file: &'static str,
    code: &'static [u8],
}

/// pytest, watched by a plugin.
pub(super) const PYTEST: WatchedPython = WatchedPython {
    module: "pytest",
    between: " ",
    file: "patchwright_pytest.py",
    code: include_bytes!("../../runners/patchwright_pytest.py"),
};

/// unittest, run by a runner.
pub(super) const UNITTEST: WatchedPython = WatchedPython {
    module: "patchwright_unittest",
    between: " -- ",
    file: "patchwright_unittest.py",
    code: include_bytes!("../../runners/patchwright_unittest.py"),
};

impl Adapter for WatchedPython {
    fn tools(&self) -> Tools {
        let worker = include_bytes!("../../runners/patchwright_warm.py");
        let limit = include_bytes!("../../runners/patchwright_limit.py");
        let lines = include_bytes!("../../runners/patchwright_lines.py");
        let canary = include_bytes!("../../runners/patchwright_canary.py");
        [
            (self.file, self.code),
            ("patchwright_canary.py", canary),
            ("patchwright_limit.py", limit),
            ("patchwright_lines.py", lines),
            (WORKER, worker),
        ]
        .map(|(name, code)| (name.to_owned(), code.to_vec()))
        .into()
    }

    fn environment(&self, spec: &ProjectSpec, lane: &Places, pristine: &Folder) -> BTreeMap<String, String> {
        python_environment(spec, lane, pristine)
    }

    fn warm(&self, spec: &ProjectSpec) -> Result<String, &'static str> {
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

    fn seals(&self, spec: &ProjectSpec) -> bool {
        spec.results == ResultsFormat::Lines
    }
}
