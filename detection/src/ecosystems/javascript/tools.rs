//! The test tools: their names, and how each is told which tests to run.

use patchwright_folder::Folder;
use patchwright_lanes::Tools;
use patchwright_protocol::TestId;

use super::{JOINT, RUNNER, alone, quoted};
use crate::shell::{shell_word, shell_words};
use crate::spec::adapter::{Adapter, OwnTool, WantedTests};
use crate::spec::{ProjectSpec, TestTool};

pub(super) static NODE: TestTool = TestTool { name: "node's test runner", adapter: &Node };
static MOCHA: TestTool = TestTool { name: "mocha", adapter: &WATCHED_MOCHA };
static JEST: TestTool = TestTool { name: "jest", adapter: &WATCHED_JEST };
static WATCHED_MOCHA: Watched = Watched {
    option: "--grep",
    files: "",
    can_skip: true,
    own_tool: |spec, left_out| alone::mocha(spec, &WATCHED_MOCHA, left_out),
};
static WATCHED_JEST: Watched = Watched {
    option: "--testNamePattern",
    files: "--runTestsByPath ",
    can_skip: false,
    own_tool: |spec, left_out| alone::jest(spec, &WATCHED_JEST, left_out),
};
static VITEST: TestTool = TestTool { name: "vitest", adapter: &Vitest };

/// The test tools that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Node,
    Mocha,
    Jest,
    Vitest,
}

impl Tool {
    pub(super) fn known(self) -> &'static TestTool {
        match self {
            Self::Node => &NODE,
            Self::Mocha => &MOCHA,
            Self::Jest => &JEST,
            Self::Vitest => &VITEST,
        }
    }
}

/// node's own runner, called by ours.
struct Node;

/// A tool that a reporter of ours watches: mocha, jest.
pub(super) struct Watched {
    /// The option that takes titles as a regular expression.
    option: &'static str,
    /// The text before the files.
    files: &'static str,
    /// Is true if the reporter can keep tests from running.
    can_skip: bool,
    /// The tool without that reporter, which leaves out some tests.
    own_tool: fn(&ProjectSpec, &[TestId]) -> OwnTool,
}

/// vitest, which writes JUnit XML.
struct Vitest;

fn tools() -> Tools {
    [(RUNNER.to_owned(), include_bytes!("../../../runners/patchwright_node.cjs").to_vec())].into()
}

impl Adapter for Node {
    fn tools(&self) -> Tools {
        tools()
    }

    fn names(&self, _spec: &ProjectSpec, tests: &[TestId]) -> String {
        shell_words(tests)
    }

    /// Tests that are left out run with our runner, too, which only tells nothing of them.
    fn own_tool(&self, spec: &ProjectSpec, _pristine: &Folder, _tests: WantedTests<'_>) -> OwnTool {
        alone::node(spec)
    }

    fn can_skip(&self) -> bool {
        true
    }
}

impl Adapter for Watched {
    fn tools(&self) -> Tools {
        tools()
    }

    fn names(&self, spec: &ProjectSpec, tests: &[TestId]) -> String {
        by_titles(spec, (self.option, self.files), tests)
    }

    fn own_tool(&self, spec: &ProjectSpec, _pristine: &Folder, tests: WantedTests<'_>) -> OwnTool {
        (self.own_tool)(spec, tests.left_out)
    }

    fn can_skip(&self) -> bool {
        self.can_skip
    }
}

impl Adapter for Vitest {
    fn names(&self, spec: &ProjectSpec, tests: &[TestId]) -> String {
        by_titles(spec, ("--testNamePattern", ""), tests)
    }

    fn test_builds(&self) -> bool {
        true
    }
}

/// Arguments that name tests by their titles, joined by blanks as these tools do, behind an option, and by their files, behind some text. A
/// file that is asked for as a whole lets all titles run.
fn by_titles(spec: &ProjectSpec, (option, before_files): (&str, &str), tests: &[TestId]) -> String {
    let parts = || tests.iter().map(|test| spec.from_folder(test.as_str()).split(JOINT).collect::<Vec<_>>());
    let mut files: Vec<String> = parts().filter_map(|parts| Some(shell_word(parts.first()?))).collect();
    files.sort();
    files.dedup();
    let files = format!("{before_files}{}", files.join(" "));
    let titles: Vec<String> = parts().map(|parts| parts[1..].join(" ")).collect();
    if titles.iter().any(String::is_empty) {
        return files;
    }
    // A group is named by the beginning of the titles of its tests.
    let quoted: Vec<String> = titles.iter().map(|title| format!("{}(?: |$)", quoted(title))).collect();
    format!("{option} {} {files}", shell_word(&format!("^(?:{})", quoted.join("|"))))
}

#[cfg(test)]
mod tests {
    use patchwright_protocol::ResultsFormat;

    use super::*;
    use crate::spec::AdapterKind;

    #[test]
    fn tests_are_named_by_their_titles() {
        let check = |tests: &[&str], expect: &str| {
            let tests: Vec<TestId> = tests.iter().map(|test| TestId::new(*test)).collect();
            let spec =
                ProjectSpec::new(AdapterKind::Tool(MOCHA), None, "mocha".to_owned(), ResultsFormat::Lines);
            assert_eq!(by_titles(&spec, ("--grep", ""), &tests), expect);
        };
        check(&["test/a.js::f(x)::adds"], r"--grep '^(?:f\(x\) adds(?: |$))' test/a.js");
        check(&["test/a.js::a", "test/b.js::b"], "--grep '^(?:a(?: |$)|b(?: |$))' test/a.js test/b.js");
        check(&["test/a.js::a", "test/b.js"], "test/a.js test/b.js");
    }
}
