//! node's runner, mocha and jest as anybody calls them: with reporters of their own, and nothing of ours in their processes.

use std::collections::BTreeSet;

use patchwright_protocol::{ResultsFormat, TestId, ToolReport, Unconfirmable};

use super::{JOINT, RUNNER, quoted};
use crate::given_command::enter;
use crate::shell::shell_word;
use crate::spec::ProjectSpec;
use crate::spec::adapter::{Adapter, OwnTool};

/// The options of mocha's that choose tests by their titles: of several the last counts.
const CHOOSING: [&str; 4] = ["--grep", "--fgrep", "-g", "-f"];
/// Titles above this many bytes do not fit into one command.
const TITLES_BYTES: usize = 96 << 10;

/// node's runner, which is started for each file: it tells nobody which file a test is of.
struct NodeAlone;

impl Adapter for NodeAlone {
    fn names(&self, spec: &ProjectSpec, tests: &[TestId]) -> String {
        let file = |test: &TestId| spec.from_folder(test.as_str()).split(JOINT).next().map(shell_word);
        let files: BTreeSet<String> = tests.iter().filter_map(file).collect();
        files.into_iter().collect::<Vec<_>>().join(" ")
    }
}

pub(super) fn node(spec: &ProjectSpec) -> OwnTool {
    let Some((node, files)) = spec.test.line().split_once(&format!(" \"$PATCHWRIGHT_TOOLS/{RUNNER}\""))
    else {
        return OwnTool::Cannot(Unconfirmable::NoCommand);
    };
    let folder = format!("{}{}/{}", spec.up(), ToolReport::FOLDER, spec.inside());
    let enter = enter(&spec.folder);
    let node = node.strip_prefix(&enter).unwrap_or(node);
    let run = |files: &str| {
        format!(
            "{enter}for file in{files}; do if test -f \"$file\"; then report=\"{folder}$file.tap\"; mkdir -p \"${{report%/*}}\"; \
             {node} --test-reporter=tap --test-reporter-destination=\"$report\" \"$file\"; \
             echo \"# status $?\" >> \"$report\"; fi; done"
        )
    };
    let commands = (run(files), Some(run(" {tests}")));
    OwnTool::alone(spec, &NodeAlone, commands, ResultsFormat::ToolReports(ToolReport::NodeTap))
}

/// mocha, which leaves out tests by their titles.
pub(super) fn mocha(spec: &ProjectSpec, adapter: &'static dyn Adapter, left_out: &[TestId]) -> OwnTool {
    let ours = format!(" --reporter \"$PATCHWRIGHT_TOOLS/{RUNNER}\"");
    let Some((mocha, places)) = spec.test.line().split_once(&ours) else {
        return OwnTool::Cannot(Unconfirmable::NoCommand);
    };
    // What a test leaves open may keep it from ending.
    let mocha = format!(
        "{mocha} --reporter json --reporter-option output={}{}/results.json --exit",
        spec.up(),
        ToolReport::FOLDER
    );
    let Some(left_out) = without(left_out, mocha.split(' ')) else {
        return OwnTool::Cannot(Unconfirmable::TestsLeftOut);
    };
    let commands = (format!("{mocha}{left_out}{places}"), Some(format!("{mocha} {{tests}}")));
    OwnTool::alone(spec, adapter, commands, ResultsFormat::ToolReports(ToolReport::MochaJson))
}

/// The options that leave out some tests, where the options that are there choose none.
fn without<'a>(left_out: &[TestId], mut options: impl Iterator<Item = &'a str>) -> Option<String> {
    if left_out.is_empty() {
        return Some(String::new());
    }
    let title = |test: &TestId| test.as_str().split(JOINT).skip(1).collect::<Vec<_>>().join(" ");
    let titles: Vec<String> = left_out.iter().map(title).collect();
    let is_free = !options.any(|word| CHOOSING.iter().any(|option| word.starts_with(option)));
    let fits = titles.iter().map(String::len).sum::<usize>() <= TITLES_BYTES;
    // A file as a whole has no title.
    (is_free && fits && !titles.iter().any(String::is_empty)).then(|| {
        let titles: Vec<String> = titles.iter().map(|title| quoted(title)).collect();
        format!(" --grep {} --invert", shell_word(&format!("^(?:{})$", titles.join("|"))))
    })
}

pub(super) fn jest(spec: &ProjectSpec, adapter: &'static dyn Adapter, left_out: &[TestId]) -> OwnTool {
    let ours = format!(" --reporters=\"$PATCHWRIGHT_TOOLS/{RUNNER}\"");
    let Some((jest, rest)) = spec.test.line().split_once(&ours) else {
        return OwnTool::Cannot(Unconfirmable::NoCommand);
    };
    if !left_out.is_empty() {
        return OwnTool::Cannot(Unconfirmable::TestsLeftOut);
    }
    let (folder, up) = (ToolReport::FOLDER, spec.up());
    // It makes no folder. What a test leaves open may keep it from ending.
    let jest = format!("mkdir -p {folder}; {jest} --json --outputFile={up}{folder}/results.json --forceExit");
    let some = spec.test_one.as_deref().and_then(|one| Some(one.split_once(&ours)?.1));
    let commands = (format!("{jest}{rest}"), some.map(|some| format!("{jest}{some}")));
    OwnTool::alone(spec, adapter, commands, ResultsFormat::ToolReports(ToolReport::JestJson))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_left_out_by_their_titles_where_nothing_else_chooses() {
        let check = |left_out: &[&str], options: &str, expect: Option<&str>| {
            let left_out: Vec<TestId> = left_out.iter().map(|test| TestId::new(*test)).collect();
            assert_eq!(without(&left_out, options.split(' ')).as_deref(), expect, "{left_out:?} {options}");
        };
        check(&[], "mocha --grep fast", Some(""));
        let titles = " --grep '^(?:f\\(x\\) adds|waits)$' --invert";
        check(&["test/a.js::f(x)::adds", "test/b.js::waits"], "mocha --exit", Some(titles));
        check(&["test/a.js::waits"], "mocha --grep fast", None);
        check(&["test/a.js"], "mocha", None);
    }
}
