//! pytest and unittest: a plugin and a runner of ours write exact results.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;

use patchwright_folder::{Folder, FolderEntry};
use patchwright_lanes::{MOST_ENTRIES, Tools};
use patchwright_protocol::{ResultsFormat, TestId};

use super::{
    Adapter, CommandContext, OwnTool, PYTHON_PATH, WantedTests, python_alone, python_environment,
    python_roots,
};
use crate::spec::ProjectSpec;

/// The worker, in the folder `tools`.
const WORKER: &str = "patchwright_warm.py";
/// The script that starts a module in place of `-m`, in the folder `tools`.
const START: &str = "patchwright_start.py";
/// The variables from which it takes the project's folders, and the modules that the project has without a change.
const PATH: &str = "PATCHWRIGHT_PATH";
const OWN: &str = "PATCHWRIGHT_OWN";
/// The bytes that the second may hold: the kernel takes no variable of more than 128 KiB.
const OWN_BYTES: usize = 100 << 10;
/// The word between an interpreter and what has to be done before it.
const AND: &str = " && ";

/// A Python test tool that is watched by code of ours.
pub(super) struct InstrumentedPython {
    /// The module that runs the tests.
    module: &'static str,
    /// The text between the command for all tests and the names of some.
    between: &'static str,
    file: &'static str,
    code: &'static [u8],
    /// The tool without that code.
    own_tool: fn(&ProjectSpec, &Folder, WantedTests<'_>) -> OwnTool,
}

/// pytest, watched by a plugin.
pub(super) const PYTEST: InstrumentedPython = InstrumentedPython {
    module: "pytest",
    between: " ",
    file: "patchwright_pytest.py",
    code: include_bytes!("../../runners/patchwright_pytest.py"),
    own_tool: |spec, _, tests| python_alone::pytest(spec, tests),
};

/// unittest, run by a runner.
pub(super) const UNITTEST: InstrumentedPython = InstrumentedPython {
    module: "patchwright_unittest",
    between: " -- ",
    file: "patchwright_unittest.py",
    code: include_bytes!("../../runners/patchwright_unittest.py"),
    own_tool: python_alone::unittest,
};

impl Adapter for InstrumentedPython {
    fn tools(&self) -> Tools {
        [
            (self.file, self.code),
            ("patchwright_canary.py", include_bytes!("../../runners/patchwright_canary.py")),
            ("patchwright_limit.py", include_bytes!("../../runners/patchwright_limit.py")),
            ("patchwright_lines.py", include_bytes!("../../runners/patchwright_lines.py")),
            (START, include_bytes!("../../runners/patchwright_start.py")),
            (WORKER, include_bytes!("../../runners/patchwright_warm.py")),
        ]
        .map(|(name, code)| (name.to_owned(), code.to_vec()))
        .into()
    }

    fn environment(&self, context: &CommandContext<'_>) -> BTreeMap<String, String> {
        python_environment(context)
    }

    fn guard(
        &self,
        line: &str,
        context: &CommandContext<'_>,
        environment: &mut BTreeMap<String, String>,
    ) -> String {
        let own = modules(context).join(" ");
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
        let same =
            spec.test_one.as_deref() == Some(&format!("{}{}{{tests}}", spec.test.line(), self.between));
        let parts = spec.test.line().rsplit_once(&format!(" -m {} ", self.module));
        let Some((start, arguments)) = parts.filter(|_| same && spec.results == ResultsFormat::Lines) else {
            return Err("the test command is not one that was detected");
        };
        let (before, interpreter) = start.split_at(start.rfind(AND).map_or(0, |found| found + AND.len()));
        let worker = format!("\"$PATCHWRIGHT_TOOLS/{WORKER}\"");
        Ok(format!("{before}exec {interpreter} {worker} {} {arguments}", self.module))
    }

    fn own_tool(&self, spec: &ProjectSpec, pristine: &Folder, tests: WantedTests<'_>) -> OwnTool {
        (self.own_tool)(spec, pristine, tests)
    }

    fn names(&self, spec: &ProjectSpec, tests: &[TestId]) -> String {
        python_alone::names(spec, tests)
    }

    fn can_skip(&self) -> bool {
        true
    }
}

/// The names of the modules in a project's folders that can be told by a variable.
fn modules(context: &CommandContext<'_>) -> Vec<String> {
    let own = Some(context.spec.folder.as_str()).filter(|folder| *folder != ".");
    let folders = [""].into_iter().chain(own).chain(python_roots(context));
    let entries =
        folders.flat_map(|folder| context.pristine.below(folder).and_then(|found| found.list(MOST_ENTRIES)));
    let name = |(name, _): (OsString, FolderEntry)| Some(name.to_str()?.split('.').next()?.to_owned());
    let names: BTreeSet<String> = entries.flatten().filter_map(name).filter(|name| is_name(name)).collect();
    names.into_iter().collect()
}

/// Is true if a text may name a module.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|character| character.is_alphanumeric() || character == '_')
}
