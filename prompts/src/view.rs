//! The input of a prompt: plain data, collected by the session and handed in.

use std::ops::Range;

use patchwright_protocol::{BugEvidence, Candidate, FailingTest, Goal, SourceLines, ToolSchema};
use patchwright_state_machine::{State, StateMachine};

/// Everything that a prompt of the loop shows. The same view gives the same bytes.
#[derive(Debug, Clone, Copy)]
pub struct PromptView<'a> {
    /// The bug.
    pub task: &'a Task,
    /// The findings of the tools, oldest first.
    pub findings: &'a [Finding],
    /// The replies with native calls, oldest first: in the cache layout each is followed by its results. None where calls are read from text.
    pub turns: &'a [NativeTurn],
    /// The hypotheses, oldest first; the last one is current unless it is refuted.
    pub hypotheses: &'a [Hypothesis],
    /// The candidates tried, oldest first.
    pub candidates: &'a [Candidate],
    /// The state in which the session stands.
    pub state: &'a State,
    /// The state machine that `state` belongs to.
    pub machine: &'a StateMachine,
    /// What its transitions depend on.
    pub evidence: BugEvidence,
    /// All tools, whatever the state allows.
    pub tools: &'a [ToolSchema],
    /// The fix patterns for the guidelines.
    pub patterns: &'a [PatternText],
    /// The command of the cycle before, with its result.
    pub last: Option<&'a LastCommand>,
    /// Messages that the model must be told once: refusals of its last reply, hints by the user.
    pub notices: &'a [String],
    /// The used and the remaining budget.
    pub budget: BudgetLine,
}

/// The bug, as it was known before the first cycle. Constant during a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Task {
    /// What the session is for.
    pub goal: Goal,
    /// The language as people write it (`Java`, `Python`).
    pub language: String,
    /// The name of the project.
    pub project_name: String,
    /// The text of the issue, where there is one.
    pub issue: Option<String>,
    /// The tests that show the bug.
    pub failing: Vec<FailingTest>,
    /// The report of the test run before any change, already cleaned for a model.
    pub report: String,
    /// How new tests are written here, a sentence; nothing where tests show the bug.
    pub test_layout: String,
    /// The code of the failing tests with their set-up, already rendered; may be empty.
    pub test_code: String,
    /// The files of production code, relative to the project, sorted.
    pub files: Vec<String>,
    /// The suspected location of the bug, when somebody or something said so; already rendered.
    pub localization: Option<String>,
    /// What is gathered already when the session begins: the methods that the failures lead to, and the code that the issue names. Of
    /// cycle 0.
    pub gathered: Vec<Finding>,
}

impl Task {
    /// Is true if a test is to be written and no fix.
    pub(crate) fn wants_test(&self) -> bool {
        match self.goal {
            Goal::Fix => false,
            Goal::Test => true,
        }
    }

    /// Is true if tests show the bug; else the issue alone tells of it.
    pub(crate) fn is_shown_by_tests(&self) -> bool {
        !self.failing.is_empty()
    }
}

/// A fix pattern as the guidelines show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternText {
    /// The name of the pattern.
    pub name: String,
    /// The mistake, and what the fix does.
    pub sentence: String,
    /// Code with a bug of this kind.
    pub buggy: String,
    /// The same code, repaired.
    pub fixed: String,
    /// The language of the two examples, in lowercase (`java`).
    pub language: String,
}

/// Something that a command found out and that is worth keeping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The cycle whose command found it.
    pub cycle: u32,
    /// The command, as one line: `read_range(path, 1, 40)`.
    pub command: String,
    /// The content.
    pub content: FindingContent,
}

/// The content of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FindingContent {
    /// Lines of a file. Lines that the prompt already shows are not shown again.
    Lines(SourceLines),
    /// Any other text.
    Text(String),
}

/// A reply with native calls, and what came of each of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeTurn {
    /// The cycle.
    pub cycle: u32,
    /// The text beside the calls.
    pub text: String,
    /// The calls, in their order.
    pub calls: Vec<NativeCall>,
}

/// A native call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeCall {
    /// The call as one line.
    pub command: String,
    /// What came of it.
    pub result: CallResult,
}

/// What came of a native call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallResult {
    /// Nothing: it has not run.
    NotRun,
    /// A text that is shown once, where the call stands.
    Told(String),
    /// Findings, by their places among those of [`PromptView::findings`].
    Found(Range<usize>),
}

/// A hypothesis about what the bug is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hypothesis {
    /// The hypothesis.
    pub text: String,
    /// Why it was given up, if it was.
    pub refuted: Option<String>,
}

/// The command of the cycle before, with its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastCommand {
    /// The cycle of the command. In the paper's layout findings of this cycle are left out of the gathered information: the result shows
    /// them already, and they join the log in the next prompt.
    pub cycle: u32,
    /// The command, as one line.
    pub command: String,
    /// The result as text.
    pub result: String,
}

/// The used and the remaining budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BudgetLine {
    /// Cycles used before this prompt.
    pub used: u32,
    /// Cycles in all.
    pub limit: u32,
    /// Tokens used so far.
    pub tokens_used: u64,
    /// Tokens in all; `None` where there is no limit, and then tokens are not mentioned.
    pub tokens_limit: Option<u64>,
}
