//! The sections of the prompt, each rendered within its room.

use minijinja::{Value, context};
use patchwright_protocol::{Candidate, ToolSchema, Verdict};

use crate::arguments::{Arguments, Signature};
use crate::budget::{SpaceRequest, allocate, cut, cut_lines, cut_list, newest_that_fit};
use crate::error::PromptError;
use crate::example;
use crate::file_list::file_list;
use crate::folding::folded;
use crate::gathered::lines::cut_line;
use crate::prompt::joined;
use crate::settings::{Layout, PromptSettings, Protocol};
use crate::untrusted::{name, one_line, visible};
use crate::view::{Finding, PromptView, Task};

/// The most that one hypothesis, with the reason against it, may take, in bytes.
const LONGEST_HYPOTHESIS: usize = 1_200;

/// The most that the change of one candidate may take in the list of candidates, in bytes.
const LONGEST_CHANGE: usize = 480;

/// The name of a failing test, and its message, get as much at least before the last tests are only counted, in bytes.
const LEAST_OF_FAILURE: usize = 120;

/// The tool that writes a test to reproduce the bug.
const WRITE_TEST: &str = "write_test";

/// Tries of a section in less room before it is cut as a whole.
const TRIES: usize = 4;

/// Renders a section within `room` bytes. `render` gets the room of each variable part; what the frame around the
/// parts takes is found by trying.
pub(crate) fn fitted(
    room: usize,
    requests: &[SpaceRequest],
    render: impl Fn(&[usize]) -> Result<String, PromptError>,
) -> Result<String, PromptError> {
    let mut text = render(&vec![0; requests.len()])?;
    let mut parts = room.saturating_sub(text.len());
    for _ in 0..TRIES {
        text = render(&allocate(parts, requests))?;
        let excess = text.len().saturating_sub(room);
        if excess == 0 {
            return Ok(text);
        }
        parts = parts.saturating_sub(excess);
    }
    Ok(cut_lines(&text, room).into_owned())
}

/// The bytes of the schemas of tools, as a provider is sent them.
pub(crate) fn schema_bytes<'a>(tools: impl IntoIterator<Item = &'a ToolSchema>) -> usize {
    let frame = r#"{"type":"function","function":{"name":"","description":"","parameters":}},"#.len();
    tools
        .into_iter()
        .map(|tool| frame + tool.name.len() + tool.description.len() + tool.parameters.to_string().len())
        .sum()
}

/// The test failures as a list within `room` bytes.
pub(crate) fn failing_tests(task: &Task, room: usize) -> String {
    let each = (room / task.failing.len().max(1)).max(LEAST_OF_FAILURE);
    let mut before: Option<&str> = None;
    let tests: Vec<String> = task
        .failing
        .iter()
        .map(|test| {
            let id = name(test.id.as_str());
            let message = test.message.as_deref().map(str::trim);
            let is_told = message.is_some() && message == before;
            before = message;
            match message {
                Some(_) if is_told => format!("- {}: the same", cut_line(&id, each)),
                // The report shows the whole message.
                Some(message) => {
                    let mut lines = message.lines();
                    let first = one_line(lines.next().unwrap_or_default());
                    let more = if lines.next().is_some() { " …" } else { "" };
                    format!("- {}: {}{more}", cut_line(&id, each), cut_line(&first, each))
                }
                None => format!("- {}", cut_line(&id, each)),
            }
        })
        .collect();
    cut_list(&tests, room)
}

/// A diff in one line: file by file, the lines that go and the lines that come.
pub(crate) fn change(diff: &str, room: usize) -> String {
    let mut words: Vec<String> = Vec::new();
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("+++ ") {
            words.push(format!("{}:", path.strip_prefix("b/").unwrap_or(path)));
        } else if line.starts_with("--- ") {
        } else if let Some(text) = line.strip_prefix('-') {
            words.push(format!("-`{}`", text.trim()));
        } else if let Some(text) = line.strip_prefix('+') {
            words.push(format!("+`{}`", text.trim()));
        }
    }
    cut_line(&one_line(&words.join(" ")), room).into_owned()
}

/// A view with the settings to render it by.
pub(crate) struct Sections<'a> {
    pub view: &'a PromptView<'a>,
    pub settings: &'a PromptSettings,
}

impl<'a> Sections<'a> {
    fn render(&self, name: &str, context: Value) -> Result<String, PromptError> {
        self.settings.templates.render(name, context)
    }

    fn offers(&self, tool: &str) -> bool {
        self.view.tools.iter().any(|offered| offered.name == tool)
    }

    fn native(&self) -> bool {
        self.settings.protocol == Protocol::Native
    }

    pub(crate) fn role(&self) -> Result<String, PromptError> {
        let template = if self.view.task.wants_test() { "test_loop_role.md" } else { "role.md" };
        self.render(template, context! { language => &self.view.task.language, native => self.native() })
    }

    pub(crate) fn goals(&self) -> Result<String, PromptError> {
        let task = self.view.task;
        self.render(
            if task.wants_test() { "test_goals.md" } else { "goals.md" },
            context! {
                language => &task.language,
                shown_by_tests => task.is_shown_by_tests(),
                offers_tests => self.offers(WRITE_TEST),
            },
        )
    }

    pub(crate) fn guidelines(&self) -> Result<String, PromptError> {
        if self.view.task.wants_test() {
            return self.render("test_guidelines.md", context! {});
        }
        // As in the paper; a sentence says it in a fifth of the tokens.
        let examples = self.settings.layout == Layout::Paper;
        let patterns: Vec<Value> = self
            .view
            .patterns
            .iter()
            .map(|pattern| {
                context! {
                    name => &pattern.name, sentence => &pattern.sentence, language => &pattern.language,
                    buggy => &pattern.buggy, fixed => &pattern.fixed,
                }
            })
            .collect();
        let shown_by_tests = self.view.task.is_shown_by_tests();
        self.render("guidelines.md", context! { patterns, examples, shown_by_tests })
    }

    /// The output format, with an example out of the tools that are `allowed`. How a fix is written is explained when
    /// the tool for it is `described`.
    pub(crate) fn output_format(
        &self,
        allowed: &[String],
        described: impl Fn(&str) -> bool,
    ) -> Result<String, PromptError> {
        let (fix_tool, fix_argument) =
            example::fix_tool(self.view.tools).filter(|(tool, _)| described(tool)).unwrap_or_default();
        let example = if self.native() { None } else { example::call(self.view.tools, allowed) };
        let context = context! { native => self.native(), example, fix_tool, fix_argument };
        self.render("output_format.md", context)
    }

    pub(crate) fn tools<'t>(
        &self,
        tools: impl Iterator<Item = &'t ToolSchema>,
        all: bool,
    ) -> Result<String, PromptError> {
        let fix = example::fix_tool(self.view.tools);
        let mut arguments = Arguments::default();
        let tools: Vec<Value> = tools
            .map(|tool| {
                let edits = fix.filter(|(name, _)| *name == tool.name).map(|(_, edits)| edits);
                let Signature { arguments, notes } = arguments.describe(tool, edits);
                context! { name => &tool.name, description => tool.description.trim(), arguments, notes }
            })
            .collect();
        self.render("tools.md", context! { tools, all })
    }

    pub(crate) fn state(&self) -> Result<String, PromptError> {
        let state = self.view.state;
        let moves: Vec<Value> = state
            .tools
            .iter()
            .filter_map(|tool| {
                let target = self.view.machine.next(&state.name, tool, self.view.evidence)?;
                Some(context! { tool, target => &target.name })
            })
            .collect();
        let state = context! { name => &state.name, purpose => state.purpose.trim(), tools => &state.tools };
        self.render("state.md", context! { state, moves })
    }

    /// The bug as it was known before the first cycle, within `room` bytes.
    pub(crate) fn bug(&self, room: usize) -> Result<String, PromptError> {
        let task = self.view.task;
        let issue = folded(task.issue.as_deref().unwrap_or_default().trim());
        let issue = visible(&issue);
        let localization = visible(task.localization.as_deref().unwrap_or_default().trim());
        let report = visible(task.report.trim_matches('\n'));
        let test_code = visible(task.test_code.trim_matches('\n'));
        let failing = failing_tests(task, room / 4);
        let files = file_list(&task.files);
        let requests = [
            SpaceRequest { bytes: issue.len(), share: 5 },
            SpaceRequest { bytes: localization.len(), share: 2 },
            SpaceRequest { bytes: report.len(), share: 6 },
            SpaceRequest { bytes: test_code.len(), share: 6 },
            SpaceRequest { bytes: files.iter().map(|file| file.len() + 1).sum(), share: 2 },
        ];
        fitted(room, &requests, |rooms| {
            let context = context! {
                project => &task.project_name,
                language => &task.language,
                failing => &failing,
                test_layout => self.offers(WRITE_TEST).then_some(&task.test_layout),
                issue => cut(&issue, rooms[0]),
                localization => cut(&localization, rooms[1]),
                report => cut(&report, rooms[2]),
                test_code => cut(&test_code, rooms[3]),
                files => cut_list(&files, rooms[4]),
                is_stage => false, wants_test => task.wants_test(),
            };
            self.render("bug.md", context)
        })
    }

    /// The findings before the last command, whose result stands apart in the paper's layout.
    pub(crate) fn older_findings(&self) -> &'a [Finding] {
        let findings = self.view.findings;
        let is_older = |finding: &Finding| self.view.last.is_none_or(|last| finding.cycle != last.cycle);
        let older = findings.iter().rposition(is_older).map_or(0, |index| index + 1);
        &findings[..older]
    }

    /// Is true if the gathered information shows what the last command found out: as a log it holds each result from the first prompt
    /// on, at the place where a provider's cache keeps it.
    fn shows_last(&self) -> bool {
        let found = self.view.findings.last();
        self.settings.layout == Layout::Cache
            && found.is_some_and(|found| self.view.last.is_some_and(|last| found.cycle == last.cycle))
    }

    /// The part that changes from cycle to cycle, for the cache layout: state, hypotheses, candidates, last command.
    pub(crate) fn changing(&self, room: usize) -> Result<String, PromptError> {
        let state = cut_lines(&self.state()?, room / 3).into_owned();
        let (beliefs, last) = self.hypotheses_and_last(room - state.len().min(room) - 4)?;
        Ok(joined(vec![state, beliefs, last]))
    }

    /// Hypotheses and candidates, and the last command with everything that stands at the end, within `room` bytes
    /// together.
    pub(crate) fn hypotheses_and_last(&self, room: usize) -> Result<(String, String), PromptError> {
        let beliefs = joined(vec![self.hypotheses(room / 6)?, self.candidates(room / 6)?]);
        let last = self.last_result(room.saturating_sub(beliefs.len()))?;
        Ok((beliefs, last))
    }

    fn hypotheses(&self, room: usize) -> Result<String, PromptError> {
        let all = self.view.hypotheses;
        if all.is_empty() && self.view.task.wants_test() {
            return Ok(String::new());
        }
        newest_that_fit(all.len(), room, |oldest| {
            let hypotheses: Vec<Value> = all[oldest..]
                .iter()
                .map(|hypothesis| {
                    let refuted =
                        hypothesis.refuted.as_deref().map(|reason| cut_line(reason, LONGEST_HYPOTHESIS / 2));
                    let share = if refuted.is_some() { 2 } else { 1 };
                    let text = cut_line(&hypothesis.text, LONGEST_HYPOTHESIS / share);
                    context! { text, refuted => refuted.unwrap_or_default() }
                })
                .collect();
            self.render("hypotheses.md", context! { hypotheses, left_out => oldest })
        })
    }

    fn candidates(&self, room: usize) -> Result<String, PromptError> {
        // Of one whose validation is under way, or was interrupted, there is nothing to say yet.
        let judged: Vec<_> =
            self.view.candidates.iter().filter(|candidate| candidate.validation.is_some()).collect();
        if judged.is_empty() {
            return Ok(String::new());
        }
        let count = judged.len();
        let (passing, others): (Vec<_>, Vec<_>) =
            judged.into_iter().partition(|candidate| candidate.passes());
        let (repeated, tried): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|candidate| repeats_one_of(candidate, &passing));
        let (unverified, plausible): (Vec<_>, Vec<_>) =
            passing.into_iter().partition(|candidate| candidate.verdict() == Some(Verdict::Unverified));
        let mut tried = tried;
        tried.sort_by_key(|candidate| std::cmp::Reverse(failing(candidate)));
        // The plausible ones stay longest: they are what a session is looking for. Of the others those that fail by least.
        newest_that_fit(count, room, |left_out| {
            let mut skipped = left_out;
            let [tried, repeated, unverified, plausible] =
                [&tried, &repeated, &unverified, &plausible].map(|group| {
                    let oldest = skipped.min(group.len());
                    skipped -= oldest;
                    group[oldest..].iter().copied().map(candidate_line).collect::<Vec<_>>()
                });
            self.render("candidates.md", context! { plausible, unverified, repeated, tried, left_out })
        })
    }

    fn last_result(&self, room: usize) -> Result<String, PromptError> {
        let view = self.view;
        let (command, result) = match view.last {
            Some(last) if self.shows_last() => (last.command.as_str(), ""),
            Some(last) => (last.command.as_str(), last.result.trim_matches('\n')),
            None => ("", ""),
        };
        let (command, result) = (one_line(command), visible(result));
        let shown: Vec<_> = view.notices.iter().map(|notice| visible(notice)).collect();
        let told: Vec<SpaceRequest> =
            shown.iter().map(|notice| SpaceRequest { bytes: notice.len() + 3, share: 1 }).collect();
        let notices = told.iter().map(|notice| notice.bytes).sum();
        let requests = [
            SpaceRequest { bytes: command.len(), share: 1 },
            SpaceRequest { bytes: result.len(), share: 8 },
            SpaceRequest { bytes: notices, share: 2 },
        ];
        let budget = view.budget;
        fitted(room, &requests, |rooms| {
            let last = view.last.map(|last| {
                context! {
                    cycle => last.cycle,
                    command => cut_line(&command, rooms[0]),
                    result => cut(&result, rooms[1]),
                    is_gathered => self.shows_last(),
                }
            });
            let each = allocate(rooms[2], &told);
            let notices: Vec<_> = shown.iter().zip(each).map(|(notice, room)| cut(notice, room)).collect();
            let plausible = view.candidates.iter().filter(|candidate| candidate.passes()).count();
            let reads = |tool: &&ToolSchema| tool.only_reads && view.state.allows(&tool.name);
            let reading = view.tools.iter().filter(reads).map(|tool| Value::from(tool.name.as_str()));
            let reading: Vec<Value> = reading.collect();
            let context = context! {
                last => last.unwrap_or_else(|| Value::from(())),
                notices => notices.into_iter().filter(|notice| !notice.is_empty()).map(Value::from).collect::<Vec<_>>(),
                budget => context! {
                    used => budget.used,
                    limit => budget.limit,
                    left => budget.limit.saturating_sub(budget.used),
                    tokens_used => budget.tokens_used,
                    tokens_limit => budget.tokens_limit.unwrap_or_default(),
                    tokens_left => budget.tokens_limit.unwrap_or_default().saturating_sub(budget.tokens_used),
                },
                plausible,
                tried => view.candidates.len(), wants_test => view.task.wants_test(), stands => view.evidence.is_by_test(),
                native => self.native(),
                tools => &view.state.tools,
                reading,
            };
            self.render("last_result.md", context)
        })
    }
}

/// The number of tests that fail with a candidate, as far as it was tested; else more than any.
fn failing(candidate: &Candidate) -> usize {
    if candidate.verdict().is_some_and(Verdict::is_tested) { candidate.failing() } else { usize::MAX }
}

/// Whether a candidate duplicates one of `others`, apart from comments and layout.
fn repeats_one_of(candidate: &Candidate, others: &[&Candidate]) -> bool {
    let of = candidate.validation.as_ref().and_then(|found| found.duplicate_of);
    of.is_some_and(|id| others.iter().any(|other| other.id() == id))
}

fn candidate_line(candidate: &Candidate) -> Value {
    context! {
        id => candidate.id(),
        duplicate_of => candidate.validation.as_ref().and_then(|found| found.duplicate_of),
        verdict => cut_line(&one_line(&candidate.told()), LONGEST_CHANGE),
        change => change(candidate.diff(), LONGEST_CHANGE),
    }
}
