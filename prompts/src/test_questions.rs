//! The prompts of the methods that write a test for an issue.
//!
//! All questions of a session begin alike: the instructions, the issue, the code and tests that are shown. Only what is asked for
//! differs, and stands in the last message.

use minijinja::{Value, context};
use patchwright_protocol::{Excerpt, Message, Role};

use crate::budget::{bytes_of_tokens, cut};
use crate::error::PromptError;
use crate::prompt::{Prompt, message_bytes};
use crate::settings::PromptSettings;
use crate::stages::{BUG_TENTHS, LONGEST_ANSWER, Parts, bug};
use crate::untrusted::visible;
use crate::view::Task;

/// The part of the room that the shown code may take, in tenths of what the issue leaves.
const CODE_TENTHS: usize = 7;
/// The most that what one run of a test said may take, in bytes.
const LONGEST_OUTPUT: usize = 6_000;
/// The most that a test may take when it is shown again, in bytes.
const LONGEST_TEST: usize = 12_000;

/// The code and tests that are shown to whoever writes a test.
#[derive(Debug, Clone, Copy)]
pub struct TestSurroundings<'a> {
    /// Production code that the issue may be about.
    pub files: &'a [Excerpt],
    /// Tests of the project.
    pub tests: &'a [Excerpt],
    /// Is true if each line begins with its number.
    pub numbered: bool,
    /// The path of a test file that could be written: an example.
    pub example: &'a str,
    /// Files of tests that cannot be loaded where the tests run, each with the reason.
    pub unloadable: &'a [String],
}

/// A question of a method that writes a test.
#[derive(Debug, Clone, Copy)]
pub enum TestQuestion<'a> {
    /// Asks for a test as code below the path of its file.
    Direct,
    /// Asks for a test as a unified diff.
    Diff,
    /// Asks for a test as blocks of whole functions.
    Blocks,
    /// Asks how a test could come to the wrong behaviour.
    Plan {
        /// What was tried before, and why it did not do.
        tried: &'a [String],
    },
    /// Asks for a test that asserts the wrong behaviour, so that it passes.
    Passing {
        /// The plan.
        plan: &'a str,
    },
    /// Asks for the same test with its assertion turned over.
    TurnOver {
        /// The test that passes.
        test: &'a Excerpt,
    },
    /// Asks whether a failure is the one that the issue tells of.
    Matches {
        /// What the test adds to each file.
        tests: &'a [Excerpt],
        /// The failure, as the test tool tells it.
        failure: &'a str,
    },
}

/// A test that will not do, to be written again.
#[derive(Debug, Clone, Copy)]
pub struct UnusableTest<'a> {
    /// The answer that it stood in.
    pub answer: &'a str,
    /// What is wrong with it, a sentence.
    pub problem: &'a str,
    /// What its run said; may be empty.
    pub output: &'a str,
}

impl TestQuestion<'_> {
    fn template(&self) -> &'static str {
        match self {
            Self::Direct => "test_direct.md",
            Self::Diff => "test_diff.md",
            Self::Blocks => "test_blocks.md",
            Self::Plan { .. } => "test_plan.md",
            Self::Passing { .. } => "test_passing.md",
            Self::TurnOver { .. } => "test_turn_over.md",
            Self::Matches { .. } => "test_matches.md",
        }
    }

    fn context(&self) -> Value {
        match self {
            Self::Direct | Self::Diff | Self::Blocks => context! {},
            Self::Plan { tried } => {
                let tried: Vec<String> = tried.iter().map(|attempt| visible(attempt).into_owned()).collect();
                context! { tried }
            }
            Self::Passing { plan } => context! { plan => cut(&visible(plan), LONGEST_OUTPUT) },
            Self::TurnOver { test } => {
                context! { path => &test.path, test => cut(&visible(&test.text), LONGEST_TEST) }
            }
            Self::Matches { tests, failure } => {
                let room = LONGEST_TEST / tests.len().max(1);
                let shown =
                    |file: &Excerpt| context! { path => &file.path, text => cut(&visible(&file.text), room) };
                let tests: Vec<Value> = tests.iter().map(shown).collect();
                context! { tests, failure => cut(&visible(failure), LONGEST_OUTPUT) }
            }
        }
    }

    /// Is true if the question shows the code and tests. What is asked of a failure rests on the issue and the test alone.
    fn shows_surroundings(&self) -> bool {
        match self {
            Self::Direct
            | Self::Diff
            | Self::Blocks
            | Self::Plan { .. }
            | Self::Passing { .. }
            | Self::TurnOver { .. } => true,
            Self::Matches { .. } => false,
        }
    }
}

/// Asks a question of a method that writes a test; `again` where an answer to it will not do. Pure.
///
/// # Errors
/// A template of the user's fails, or [`PromptSettings::prompt_tokens`] is too small for the instructions.
pub fn test_prompt(
    task: &Task,
    question: &TestQuestion<'_>,
    around: &TestSurroundings<'_>,
    again: Option<UnusableTest<'_>>,
    settings: &PromptSettings,
) -> Result<Prompt, PromptError> {
    let templates = &settings.templates;
    let language = task.language.to_lowercase();
    let form = context! {
        unloadable => around.unloadable.to_vec(), example => around.example, numbered => around.numbered, layout => &task.test_layout,
        is_java => language == "java", fence_language => &language,
    };
    let system = templates.render("test_role.md", context! { language => &task.language })?;
    let asked = templates.render(question.template(), context! { ..question.context(), ..form.clone() })?;
    let retry = match again {
        None => Vec::new(),
        Some(again) => {
            let (answer, output) = (visible(again.answer), visible(again.output));
            let shown = context! { problem => again.problem, output => cut(&output, LONGEST_OUTPUT) };
            let text = templates.render("test_again.md", shown)?;
            vec![(Role::Assistant, cut(&answer, LONGEST_ANSWER).into_owned()), (Role::User, text)]
        }
    };
    let fixed: usize = [&system, &asked]
        .into_iter()
        .chain(retry.iter().map(|(_, text)| text))
        .map(|text| message_bytes(text))
        .sum();
    let room = bytes_of_tokens(settings.prompt_tokens).saturating_sub(fixed + 2 * message_bytes(""));
    let bug = bug(task, room * BUG_TENTHS / 10, settings)?;
    let mut messages = vec![(Role::System, system), (Role::User, bug)];
    if question.shows_surroundings() {
        let room = room.saturating_sub(messages[1].1.len()) * CODE_TENTHS / 10;
        let parts = Parts::of_tests(around.files, around.tests);
        messages.push((Role::User, parts.fitted("test_code.md", room, &form, settings)?));
    }
    messages.push((Role::User, asked));
    let shared = messages.len();
    messages.extend(retry);
    let messages = messages
        .into_iter()
        .enumerate()
        .map(|(index, (role, text))| Message { cache_here: index < shared, ..Message::new(role, text) })
        .collect();
    Ok(Prompt::new(messages, 0))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::budget::is_cut;

    fn task(language: &str) -> Task {
        Task {
            language: language.to_owned(),
            project_name: "shop".to_owned(),
            issue: Some("`Basket.total` of an empty basket raises `IndexError`; it should be 0.".to_owned()),
            test_layout: "Tests are written for pytest here, in the folder tests.".to_owned(),
            ..Task::default()
        }
    }

    fn excerpt(path: &str, text: &str) -> Excerpt {
        Excerpt { path: path.to_owned(), text: text.to_owned() }
    }

    /// The prompt as a text, with the role of each message.
    fn asked(language: &str, question: &TestQuestion, again: Option<UnusableTest>) -> String {
        let files = [excerpt("shop/basket.py", "7|    def total(self):\n8|        return self.prices[0]\n")];
        let tests = [excerpt("tests/test_basket.py", "from shop.basket import Basket\n")];
        let (numbered, example) = (true, "tests/test_new.py");
        let unloadable = ["tests/test_wide.py: ModuleNotFoundError: No module named 'wide'".to_owned()];
        let around =
            TestSurroundings { files: &files, tests: &tests, numbered, example, unloadable: &unloadable };
        let settings = PromptSettings { prompt_tokens: 20_000, ..PromptSettings::default() };
        let prompt = test_prompt(&task(language), question, &around, again, &settings).unwrap();
        assert!(prompt.tokens <= 20_000);
        let texts =
            prompt.messages.iter().map(|message| format!("[{}]\n{}\n", message.role.word(), message.text));
        texts.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn prompts_are_as_they_were() {
        insta::assert_snapshot!("test_direct", asked("python", &TestQuestion::Direct, None));
        insta::assert_snapshot!("test_direct_java", asked("java", &TestQuestion::Direct, None));
        insta::assert_snapshot!("test_diff", asked("python", &TestQuestion::Diff, None));
        insta::assert_snapshot!("test_blocks", asked("python", &TestQuestion::Blocks, None));
        insta::assert_snapshot!("test_blocks_java", asked("java", &TestQuestion::Blocks, None));
        let tried = ["test 1 passes: it misses the bug".to_owned()];
        insta::assert_snapshot!("test_plan", asked("python", &TestQuestion::Plan { tried: &tried }, None));
        let passing = TestQuestion::Passing { plan: "1. `Basket().total()`" };
        let unusable = UnusableTest {
            answer: "```python\n### tests/test_a.py\nassert\n```",
            problem: "The test fails on the code as it is, and it has to pass.",
            output: "IndexError: list index out of range",
        };
        insta::assert_snapshot!("test_passing", asked("python", &passing, Some(unusable)));
        let test = excerpt("tests/test_new.py", "def test_total():\n    assert 1\n");
        let turn_over = TestQuestion::TurnOver { test: &test };
        insta::assert_snapshot!("test_turn_over", asked("python", &turn_over, None));
        let tests = [excerpt("tests/test_new.py", "+def test_total():\n+    assert Basket().total() == 0\n")];
        let matches = TestQuestion::Matches { tests: &tests, failure: "IndexError: list index out of range" };
        insta::assert_snapshot!("test_matches", asked("python", &matches, None));
    }

    #[test]
    fn what_is_long_leaves_room_for_the_question() {
        let files = [excerpt("a.py", &"some code here\n".repeat(20_000))];
        let around = TestSurroundings {
            files: &files,
            tests: &files,
            numbered: false,
            example: "t.py",
            unloadable: &[],
        };
        let settings = PromptSettings { prompt_tokens: 12_000, ..PromptSettings::default() };
        let mut task = task("python");
        task.issue = Some("It is wrong. ".repeat(20_000));
        for question in [TestQuestion::Direct, TestQuestion::Diff, TestQuestion::Blocks] {
            let prompt = test_prompt(&task, &question, &around, None, &settings).unwrap();
            assert!(prompt.tokens <= 12_000, "{}", prompt.tokens);
            assert!(is_cut(&prompt.messages[2].text));
            assert!(prompt.messages[3].text.starts_with("# Question"));
        }
    }
}
