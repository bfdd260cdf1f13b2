//! The prompts of the fixed pipeline: one question a stage.
//!
//! All questions of a session begin alike, with the instructions and the bug, and all samples of a stage are asked the same
//! question, so that a service can cache both. What the stages are is told in Agentless (arXiv 2407.01489), section 3.

use std::borrow::Cow;

use minijinja::{Value, context};
use patchwright_protocol::{Excerpt, Message, Role};

use crate::budget::{SpaceRequest, bytes_of_tokens, cut, cut_lines, cut_list};
use crate::error::PromptError;
use crate::folding::folded;
use crate::prompt::{Prompt, message_bytes};
use crate::sections::{failing_tests, fitted};
use crate::settings::PromptSettings;
use crate::untrusted::{self, visible};
use crate::view::Task;

/// The part of the prompt that the bug may take, in tenths.
pub(crate) const BUG_TENTHS: usize = 4;
/// The most that an earlier answer may take when it is shown again, in bytes.
pub(crate) const LONGEST_ANSWER: usize = 16_000;
/// How much the code to change counts beside the code around it, where there is no room for both: all but everything.
const FIRST: usize = 100;

/// A question of the pipeline.
#[derive(Debug, Clone, Copy)]
pub enum StageQuestion<'a> {
    /// Asks which files have to change.
    Files {
        /// The files of the project as a tree.
        tree: &'a str,
        /// The most files that may be named.
        most: usize,
    },
    /// Asks which folders do not matter.
    Folders {
        /// The files that words of the bug point to, as a tree.
        tree: &'a str,
    },
    /// Asks which classes, functions and variables matter.
    Elements {
        /// The suspicious files, as skeletons.
        files: &'a [Excerpt],
        /// The paths of other files that something points to.
        others: &'a [String],
    },
    /// Asks which lines have to change.
    Lines {
        /// The suspicious places, with line numbers.
        files: &'a [Excerpt],
    },
    /// Asks how the code has to change.
    Repair {
        /// What the model said when it named the places.
        thoughts: Option<&'a str>,
        /// The places in which it may have to, without line numbers.
        files: &'a [Excerpt],
        /// The code that these places depend on, with marks that say which lines are left out.
        others: &'a [Excerpt],
        /// The names of more such code, for which there was no room.
        left_out: &'a [String],
        /// Passing tests near these places.
        tests: &'a [Excerpt],
    },
    /// Asks for a test that shows the bug.
    Reproduce {
        /// The form of such a test here.
        kind: TestKind<'a>,
        /// What the model said when it named the places.
        thoughts: Option<&'a str>,
        /// The places in which the bug may be, without line numbers.
        files: &'a [Excerpt],
        /// Passing tests near these places.
        tests: &'a [Excerpt],
    },
    /// Asks which passing tests check the wrong behaviour.
    Regressions {
        /// Those nearest to the places in which the bug may be.
        code: &'a [Excerpt],
        /// How many more are near to them.
        code_left_out: usize,
        /// The names of those that may be named, the nearest first.
        tests: &'a [String],
        /// How many more tests pass.
        left_out: usize,
    },
}

/// The form of a test that shows the bug.
#[derive(Debug, Clone, Copy)]
pub enum TestKind<'a> {
    /// A script in the root of the project, which prints what it found.
    Script {
        /// Its name, without the extension.
        stem: &'a str,
        /// The extension.
        extension: &'a str,
        /// The language, as fences name it.
        language: &'a str,
        /// The language as people write it.
        title: &'a str,
    },
    /// A class of this name for a test framework, which fails with a certain message.
    Class {
        /// The name of the class.
        name: &'a str,
        /// The folder of test code that it is put into, below which its package is found.
        folder: &'a str,
        /// The framework as people write it.
        framework: &'a str,
        /// The language, as fences name it.
        language: &'a str,
    },
}

/// An answer that could not be used, to be given again.
#[derive(Debug, Clone, Copy)]
pub struct UnusableAnswer<'a> {
    /// The answer.
    pub answer: &'a str,
    /// The fault.
    pub problem: &'a str,
}

/// Asks a question of the pipeline; `again` where an answer to it could not be used. Pure.
///
/// # Errors
/// A template of the user's fails, or [`PromptSettings::prompt_tokens`] is too small for the instructions.
pub fn stage_prompt(
    task: &Task,
    question: &StageQuestion,
    again: Option<UnusableAnswer>,
    settings: &PromptSettings,
) -> Result<Prompt, PromptError> {
    let templates = &settings.templates;
    let system = templates.render("stage_role.md", context! { language => &task.language })?;
    let limit = bytes_of_tokens(settings.prompt_tokens);
    let room = limit.saturating_sub(message_bytes(&system) + 2 * message_bytes(""));
    let bug = bug(task, room * BUG_TENTHS / 10, settings)?;
    let retry = match again {
        None => Vec::new(),
        Some(again) => {
            let (answer, problem) = (visible(again.answer), visible(again.problem));
            let problem = cut(&problem, LONGEST_ANSWER);
            let text = templates.render("repair_again.md", context! { problem })?;
            vec![(Role::Assistant, cut(&answer, LONGEST_ANSWER).into_owned()), (Role::User, text)]
        }
    };
    let taken = bug.len() + retry.iter().map(|(_, text)| message_bytes(text)).sum::<usize>();
    let asked = asked(question, room.saturating_sub(taken), settings)?;
    let mut messages = vec![(Role::System, system), (Role::User, bug), (Role::User, asked)];
    messages.extend(retry);
    let shared = 3;
    let messages = messages
        .into_iter()
        .enumerate()
        .map(|(index, (role, text))| Message { cache_here: index < shared, ..Message::new(role, text) })
        .collect();
    Ok(Prompt::new(messages, 0))
}

pub(crate) fn bug(task: &Task, room: usize, settings: &PromptSettings) -> Result<String, PromptError> {
    let failing = failing_tests(task, room / 4);
    let issue = folded(task.issue.as_deref().unwrap_or_default().trim());
    let issue = visible(&issue);
    let localization = visible(task.localization.as_deref().unwrap_or_default());
    // Where no test shows the bug, the report is of tests that fail for reasons of their own.
    let report = if task.failing.is_empty() { "" } else { task.report.as_str() };
    let (report, test_code) = (visible(report), visible(&task.test_code));
    let requests = [
        SpaceRequest { bytes: issue.len(), share: 6 },
        SpaceRequest { bytes: report.len(), share: 4 },
        SpaceRequest { bytes: test_code.len(), share: 5 },
        SpaceRequest { bytes: localization.len(), share: 2 },
    ];
    fitted(room, &requests, |rooms| {
        let bug = context! {
            project => &task.project_name, language => &task.language, failing => &failing,
            issue => cut(&issue, rooms[0]), report => cut(&report, rooms[1]),
            test_code => cut(&test_code, rooms[2]), localization => cut(&localization, rooms[3]), files => "",
            is_stage => true, wants_test => false,
        };
        settings.templates.render("bug.md", bug)
    })
}

fn asked(question: &StageQuestion, room: usize, settings: &PromptSettings) -> Result<String, PromptError> {
    let templates = &settings.templates;
    let text = |name: &'static str, text: &str, most: usize| {
        let want = [SpaceRequest { bytes: text.len(), share: 1 }];
        fitted(room, &want, |rooms| {
            templates.render(name, context! { text => cut_lines(text, rooms[0]), most })
        })
    };
    let code = |name: &'static str, parts: Parts| parts.fitted(name, room, &context! {}, settings);
    match question {
        StageQuestion::Files { tree, most } => text("locate_files.md", &visible(tree), *most),
        StageQuestion::Folders { tree } => text("locate_folders.md", &visible(tree), 0),
        StageQuestion::Elements { files, others } => {
            code("locate_elements.md", Parts { files, names: others, ..Parts::default() })
        }
        StageQuestion::Lines { files } => code("locate_lines.md", Parts { files, ..Parts::default() }),
        StageQuestion::Repair { thoughts, files, others, left_out, tests } => {
            code("repair.md", Parts { thoughts: *thoughts, files, others, tests, names: left_out })
        }
        StageQuestion::Reproduce { kind, thoughts, files, tests } => {
            let parts = Parts { thoughts: *thoughts, files, tests, ..Parts::default() };
            parts.fitted("reproduce.md", room, &kind.context(), settings)
        }
        StageQuestion::Regressions { code, code_left_out, tests, left_out } => {
            let parts = Parts { tests: code, names: tests, ..Parts::default() };
            parts.fitted("regressions.md", room, &context! { code_left_out, left_out }, settings)
        }
    }
}

/// The parts of a question that may be too long for it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Parts<'a> {
    thoughts: Option<&'a str>,
    files: &'a [Excerpt],
    others: &'a [Excerpt],
    tests: &'a [Excerpt],
    names: &'a [String],
}

impl<'a> Parts<'a> {
    /// What is shown to whoever writes a test.
    pub(crate) fn of_tests(files: &'a [Excerpt], tests: &'a [Excerpt]) -> Self {
        Self { files, tests, ..Self::default() }
    }

    /// The template with these parts, in at most so many bytes; `own` is what it takes besides.
    pub(crate) fn fitted(
        self,
        template: &'static str,
        room: usize,
        own: &Value,
        settings: &PromptSettings,
    ) -> Result<String, PromptError> {
        let groups = [self.files, self.others, self.tests];
        let all: Vec<(&str, Cow<str>)> =
            groups.iter().copied().flatten().map(|file| (file.path.as_str(), visible(&file.text))).collect();
        let thoughts = visible(self.thoughts.unwrap_or_default());
        let names: Vec<Cow<str>> = self.names.iter().map(|text| untrusted::name(text)).collect();
        let of_names = names.iter().map(|name| name.len() + 1).sum();
        // What stands first matters most.
        let share = |index: usize| (all.len() - index) * if index < self.files.len() { FIRST } else { 1 };
        let requests: Vec<SpaceRequest> = all
            .iter()
            .enumerate()
            .map(|(index, (_, text))| SpaceRequest { bytes: text.len(), share: share(index) })
            .chain([of_names, thoughts.len()].map(|bytes| SpaceRequest { bytes, share: all.len() * FIRST }))
            .collect();
        fitted(room, &requests, |rooms| {
            let (rooms, of_rest) = rooms.split_at(all.len());
            let shown = |((path, text), room): (&(&str, Cow<str>), &usize)| context! { path => *path, text => cut(text, *room) };
            let mut files: Vec<Value> = all.iter().zip(rooms).map(shown).collect();
            let mut others = files.split_off(self.files.len());
            let tests = others.split_off(self.others.len());
            let names = cut_list(&names, of_rest[0]);
            let thoughts = cut(&thoughts, of_rest[1]);
            settings
                .templates
                .render(template, context! { thoughts, files, others, tests, names, ..own.clone() })
        })
    }
}

impl TestKind<'_> {
    fn context(&self) -> Value {
        match *self {
            Self::Script { stem, extension, language, title } => {
                context! {
                    script => true, file => format!("{stem}.{extension}"), folder => "", framework => "", fence_language => language, language_title => title,
                    is_python => language == "python",
                }
            }
            Self::Class { name, folder, framework, language } => {
                context! { script => false, file => name, folder, framework, fence_language => language }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::budget::is_cut;
    use crate::sample::Session;

    fn ask(question: &StageQuestion, again: Option<UnusableAnswer>, tokens: usize) -> Prompt {
        let settings = PromptSettings { prompt_tokens: tokens, ..PromptSettings::default() };
        let prompt = stage_prompt(&Session::full().task, question, again, &settings).unwrap();
        assert!(prompt.tokens <= tokens, "{} of {tokens}", prompt.tokens);
        prompt
    }

    fn excerpts(lines: usize) -> Vec<Excerpt> {
        let text: Vec<String> =
            (0..lines).map(|line| format!("{line}|    statement_{line}(some, arguments)\n")).collect();
        let excerpt = |path: &str| Excerpt { path: path.to_owned(), text: text.concat() };
        vec![excerpt("first.py"), excerpt("second.py"), excerpt("third.py")]
    }

    fn repair<'a>(files: &'a [Excerpt], others: &'a [Excerpt]) -> StageQuestion<'a> {
        StageQuestion::Repair { thoughts: None, files, others, left_out: &[], tests: &[] }
    }

    #[test]
    fn all_questions_of_a_session_begin_alike() {
        let files = excerpts(3);
        let tests = ["a::b".to_owned()];
        let first = ask(&StageQuestion::Files { tree: "a.py", most: 5 }, None, 60_000);
        let issue = Session::full().task.issue.unwrap();
        assert!(first.messages[1].text.contains(&issue));
        for question in [
            StageQuestion::Folders { tree: "a.py" },
            StageQuestion::Lines { files: &files },
            repair(&files, &[]),
            StageQuestion::Regressions { code: &files, code_left_out: 0, tests: &tests, left_out: 3 },
        ] {
            let prompt = ask(&question, None, 60_000);
            assert_eq!(prompt.messages[..2], first.messages[..2]);
            assert_ne!(prompt.messages[2], first.messages[2]);
            assert!(prompt.messages.iter().all(|message| message.cache_here), "samples share all of it");
        }
    }

    #[test]
    fn what_is_too_long_is_cut_and_the_likeliest_file_keeps_most() {
        let files = excerpts(2_000);
        let prompt = ask(&repair(&files, &[]), None, 12_000);
        let text = &prompt.messages[2].text;
        let places: Vec<usize> =
            files.iter().map(|file| text.find(&format!("### {}", file.path)).unwrap()).collect();
        assert!(is_cut(text), "{text}");
        assert!(places[1] - places[0] > places[2] - places[1], "{places:?}");
        assert!(text.contains(">>>>>>> REPLACE"), "the form of the answer is never cut");
    }

    #[test]
    fn what_the_places_depend_on_stands_behind_them() {
        let files = excerpts(3);
        let text = &ask(
            &StageQuestion::Repair {
                thoughts: None,
                files: &files[..1],
                others: &files[1..2],
                left_out: &[],
                tests: &files[2..],
            },
            None,
            60_000,
        )
        .messages[2]
            .text;
        insta::assert_snapshot!("depends_on", text.split_once("# Question").unwrap().0);
    }

    #[test]
    fn the_code_to_change_is_cut_last() {
        let (files, others) = (excerpts(150), excerpts(1_000));
        let text = &ask(&repair(&files, &others), None, 12_000).messages[2].text;
        let (to_change, to_understand) = text.split_once("# Code to understand").unwrap();
        assert!(!is_cut(to_change) && is_cut(to_understand), "{text}");
        assert!(files.iter().all(|file| to_change.contains(&file.text)), "{text}");
    }

    #[test]
    fn what_was_thought_and_what_had_no_room_stand_under_headings_of_their_own() {
        let files = excerpts(1);
        let left_out = ["a.py::Order".to_owned(), "a.py::Order.total of it".to_owned()];
        let text = |thoughts: Option<&str>, left_out: &[String]| {
            let question =
                StageQuestion::Repair { thoughts, files: &files, others: &[], left_out, tests: &[] };
            ask(&question, None, 60_000).messages[2].text.clone()
        };
        let script =
            TestKind::Script { stem: "reproduce_bug", extension: "py", language: "python", title: "Python" };
        let reproduce = |thoughts: Option<&str>| {
            let question = StageQuestion::Reproduce { kind: script, thoughts, files: &files, tests: &[] };
            ask(&question, None, 60_000).messages[2].text.clone()
        };
        // Thoughts are fenced, so that they are no headings.
        let texts = [
            text(Some("# The bound is off by one."), &left_out),
            text(None, &[]),
            reproduce(Some("It is late.")),
            reproduce(None),
        ];
        let shown = texts.each_ref().map(|text| text.split_once("# Question").unwrap().0);
        insta::assert_snapshot!("thoughts_and_left_out", shown.join("<<< >>>\n"));
    }

    #[test]
    fn an_answer_that_could_not_be_used_is_shown_with_what_is_wrong() {
        let files = excerpts(3);
        let answer = "x".repeat(100_000);
        let problem = "the text is not in the file";
        let again = UnusableAnswer { answer: &answer, problem };
        let prompt = ask(&repair(&files, &[]), Some(again), 20_000);
        let roles: Vec<Role> = prompt.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::System, Role::User, Role::User, Role::Assistant, Role::User]);
        assert!(prompt.messages[4].text.contains(problem));
    }
}
