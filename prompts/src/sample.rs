//! A made-up session that uses every variable of every template: templates of the user's are tried on it when
//! they are loaded, so that a mistake shows before a session begins.

use std::path::Path;

use patchwright_protocol::{
    BugEvidence, Candidate, CandidateRecord, Excerpt, FailingTest, Origin, RunCounts, SourceLines, Tally,
    TestId, TestsRun, ToolSchema, ValidationResult, Verdict,
};
use patchwright_state_machine::StateMachine;
use serde_json::json;

use crate::error::PromptError;
use crate::layout::render;
use crate::prompt::Prompt;
use crate::settings::{Layout, PromptSettings, Protocol};
use crate::side_questions::{MethodBodyView, VariantsView, method_body_prompt, variants_prompt};
use crate::stages::{StageQuestion, TestKind, UnusableAnswer, stage_prompt};
use crate::templates::Templates;
use crate::view::{
    BudgetLine, Finding, FindingContent, Hypothesis, LastCommand, PatternText, PromptView, Task,
};

impl Templates {
    /// The built-in templates with those of a folder in their place: every `*.md` file there replaces the one of the
    /// same name; a file of another name must be included by one of them.
    ///
    /// # Errors
    /// The folder or a file cannot be read; a template is not well formed, or uses a variable that does not exist; a
    /// file is used by nothing.
    pub fn load(folder: &Path) -> Result<Self, PromptError> {
        let templates = Self::read(folder)?;
        render_everything(&templates)?;
        Ok(templates)
    }
}

/// Renders all prompts in all layouts and protocols, for a rich and for an empty session.
fn render_everything(templates: &Templates) -> Result<(), PromptError> {
    let machine = StateMachine::embedded();
    let full = Session::full();
    for layout in [Layout::Cache, Layout::Paper] {
        for protocol in [Protocol::Json, Protocol::Native] {
            let settings = PromptSettings {
                layout,
                protocol,
                templates: templates.clone(),
                ..PromptSettings::default()
            };
            render(&full.view(&machine), &settings)?;
            render(&Session::default().view(&machine), &settings)?;
        }
    }
    let settings = PromptSettings { templates: templates.clone(), ..PromptSettings::default() };
    for session in [full, Session::default()] {
        session.side_questions(&settings)?;
        stage_questions(&session.task, &settings)?;
    }
    Ok(())
}

/// A prompt under a name.
pub(crate) type Named = (&'static str, Prompt);

/// Every question of the pipeline, and how one is asked again.
pub(crate) fn stage_questions(task: &Task, settings: &PromptSettings) -> Result<Vec<Named>, PromptError> {
    let files = [Excerpt { path: "stock/order.py".to_owned(), text: "12|    def total(self):".to_owned() }];
    let test = "def test_add():\n    assert Order().add(1).total() == 1".to_owned();
    let tests = [Excerpt { path: "tests/test_order.py".to_owned(), text: test }];
    let names = ["tests/test_order.py::test_add".to_owned()];
    let others = ["stock/price.py".to_owned()];
    let class = TestKind::Class {
        name: "ReproduceBug",
        folder: "src/test/java",
        framework: "JUnit 4",
        language: "java",
    };
    let thoughts = Some("An order without items has no total.");
    let left_out = ["stock/price.py::Price".to_owned()];
    let repair =
        StageQuestion::Repair { thoughts, files: &files, others: &files, left_out: &left_out, tests: &tests };
    let again = UnusableAnswer { answer: "no block", problem: "there is no block" };
    [
        ("files", StageQuestion::Files { tree: "stock/\n    order.py", most: 5 }, None),
        ("folders", StageQuestion::Folders { tree: "stock/\n    order.py" }, None),
        ("elements", StageQuestion::Elements { files: &files, others: &others }, None),
        ("lines", StageQuestion::Lines { files: &files }, None),
        ("repair", repair, None),
        ("repair_again", repair, Some(again)),
        (
            "reproduce_script",
            StageQuestion::Reproduce {
                kind: TestKind::Script {
                    stem: "reproduce_bug",
                    extension: "py",
                    language: "python",
                    title: "Python",
                },
                thoughts,
                files: &files,
                tests: &tests,
            },
            None,
        ),
        (
            "reproduce_class",
            StageQuestion::Reproduce { kind: class, thoughts: None, files: &[], tests: &[] },
            None,
        ),
        (
            "regressions",
            StageQuestion::Regressions { code: &tests, code_left_out: 2, tests: &names, left_out: 3 },
            None,
        ),
    ]
    .into_iter()
    .map(|(name, question, before)| Ok((name, stage_prompt(task, &question, before, settings)?)))
    .collect()
}

/// The owner of what a view borrows.
#[derive(Default)]
pub(crate) struct Session {
    pub task: Task,
    pub findings: Vec<Finding>,
    pub hypotheses: Vec<Hypothesis>,
    pub candidates: Vec<Candidate>,
    pub tools: Vec<ToolSchema>,
    pub patterns: Vec<PatternText>,
    pub last: Option<LastCommand>,
    pub notices: Vec<String>,
    pub budget: BudgetLine,
    /// The state; the start state when empty.
    pub state: &'static str,
}

impl Session {
    /// A session in which every section has something to show.
    pub(crate) fn full() -> Self {
        let text = |text: &str| text.to_owned();
        let lines =
            |range: std::ops::RangeInclusive<u32>| range.map(|n| (n, format!("    step_{n}()"))).collect();
        Self {
            task: Task {
                goal: patchwright_protocol::Goal::Fix,
                files: vec!["src/account.py".to_owned()],
                language: text("Python"),
                project_name: text("stock"),
                issue: Some(text("Totals are wrong for empty orders.")),
                failing: vec![FailingTest {
                    id: TestId::new(text("tests/test_order.py::test_total")),
                    message: Some(text("assert 3 == 0")),
                }],
                report: text("1 failed, 11 passed"),
                test_layout: text("Tests are written for pytest here, in the folder tests."),
                test_code: text("20: def test_total():\n21:     assert total([]) == 0"),
                localization: Some(text("- stock/order.py, line 12")),
                gathered: Vec::new(),
            },
            findings: vec![
                Finding {
                    cycle: 1,
                    command: text("read_range(stock/order.py, 1, 40)"),
                    content: FindingContent::Lines(SourceLines {
                        path: text("stock/order.py"),
                        lines: lines(1..=40),
                        note: Some(text("The file has 80 lines.")),
                    }),
                },
                Finding {
                    cycle: 2,
                    command: text("search_code_base(total)"),
                    content: FindingContent::Text(text("stock/order.py: Order.total (lines 12-20)")),
                },
                Finding {
                    cycle: 3,
                    command: text("read_range(stock/order.py, 20, 60)"),
                    content: FindingContent::Lines(SourceLines {
                        path: text("stock/order.py"),
                        lines: lines(20..=60),
                        note: None,
                    }),
                },
            ],
            hypotheses: vec![
                Hypothesis { text: text("The sum starts at 1."), refuted: Some(text("It starts at 0.")) },
                Hypothesis { text: text("Empty orders are skipped."), refuted: None },
            ],
            candidates: vec![
                Candidate {
                    record: record(
                        1,
                        text(
                            "--- a/stock/order.py\n+++ b/stock/order.py\n@@ -12 +12 @@\n-    step_12()\n+    step_13()\n",
                        ),
                    ),
                    validation: Some(ValidationResult {
                        still_failing: vec![TestId::new(text("tests/test_order.py::test_total"))],
                        tests_run: Some(tests_run(0)),
                        ..ValidationResult::untested(Verdict::Failing, None)
                    }),
                },
                Candidate {
                    record: record(2, text("+++ b/stock/order.py\n+    return 0\n")),
                    validation: Some(ValidationResult {
                        tests_run: Some(tests_run(1)),
                        ..ValidationResult::untested(Verdict::Plausible, None)
                    }),
                },
            ],
            tools: vec![
                ToolSchema {
                    name: text("read_range"),
                    description: text("Shows lines of a file."),
                    parameters: json!({
                        "type": "object",
                        "properties": {
                            "file_path": { "type": "string" },
                            "first_line": { "type": "integer" },
                            "last_line": { "type": "integer" },
                        },
                        "required": ["file_path", "first_line", "last_line"],
                    }),
                    only_reads: true,
                },
                ToolSchema {
                    name: text("write_fix"),
                    description: text("Applies a fix to the original code and runs the tests."),
                    parameters: json!({
                        "type": "object",
                        "properties": {
                            "edits": {
                                "type": "array",
                                "items": { "type": "object", "properties": { "file_path": { "type": "string" } } },
                            },
                        },
                        "required": ["edits"],
                    }),
                    only_reads: false,
                },
            ],
            patterns: vec![PatternText {
                name: text("change numeric literal"),
                sentence: text("A number is wrong."),
                buggy: text("return 1"),
                fixed: text("return 0"),
                language: text("python"),
            }],
            last: Some(LastCommand {
                cycle: 4,
                command: text("write_fix(1 edit)"),
                result: text("failing: 1 test still fails"),
            }),
            notices: vec![text("A hint by the user: look at empty orders.")],
            budget: BudgetLine { used: 4, limit: 40, tokens_used: 9_000, tokens_limit: Some(500_000) },
            state: "try_fix",
        }
    }

    pub(crate) fn view<'a>(&'a self, machine: &'a StateMachine) -> PromptView<'a> {
        PromptView {
            task: &self.task,
            turns: &[],
            findings: &self.findings,
            hypotheses: &self.hypotheses,
            candidates: &self.candidates,
            state: machine.state(self.state).unwrap_or_else(|| machine.start()),
            machine,
            evidence: BugEvidence::of_tests(!self.task.failing.is_empty(), false),
            tools: &self.tools,
            patterns: &self.patterns,
            last: self.last.as_ref(),
            notices: &self.notices,
            budget: self.budget,
        }
    }

    /// The questions that tools ask.
    pub(crate) fn side_questions(&self, settings: &PromptSettings) -> Result<[Named; 2], PromptError> {
        let lines = self.findings.iter().filter_map(|finding| match &finding.content {
            FindingContent::Lines(lines) => Some(lines.clone()),
            FindingContent::Text(_) => None,
        });
        let sources: Vec<SourceLines> = lines.collect();
        let variants = VariantsView {
            task: &self.task,
            hypothesis: self.hypotheses.last().map(|hypothesis| hypothesis.text.as_str()),
            diff: "+    return 0",
            result: "1 failed",
            sources: &sources,
            tried: &self.candidates,
            count: 30,
        };
        let method = MethodBodyView {
            language: &self.task.language,
            path: "stock/order.py",
            before: "class Order:\n",
            signature: "    def total(self):",
            documentation: self.task.localization.as_deref(),
        };
        Ok([
            ("variants", variants_prompt(&variants, settings)?),
            ("method_body", method_body_prompt(&method, settings)?),
        ])
    }
}

/// The record of a candidate with this diff.
pub(crate) fn record(id: u32, diff: String) -> CandidateRecord {
    CandidateRecord {
        id,
        origin: Origin::WriteFix,
        variant_of: None,
        edits: json!([]),
        diff: Some(diff),
        fingerprint: None,
        remark: None,
    }
}

/// Counts of a run of all tests, in which so many of one that shows the bug pass.
fn tests_run(passed: u64) -> TestsRun {
    TestsRun::Counted(Box::new(RunCounts {
        showing: Tally { passed, failed: 1 - passed, not_run: 0 },
        others: Tally { passed: 30, ..Tally::default() },
        ..RunCounts::default()
    }))
}
