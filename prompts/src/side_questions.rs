//! The prompts of the two side questions: variants of a fix, and the body of a method.

use minijinja::{Value, context};
use patchwright_protocol::{Candidate, Message, Role, SourceLines};

use crate::budget::{SpaceRequest, bytes_of_tokens, cut, cut_lines};
use crate::error::PromptError;
use crate::folding::folded;
use crate::gathered::lines::block;
use crate::prompt::{Prompt, message_bytes};
use crate::sections::{change, failing_tests, fitted};
use crate::settings::PromptSettings;
use crate::untrusted::{one_line, visible};
use crate::view::Task;

/// The most that each other fix may take in the prompt for variants, in bytes.
const LONGEST_CHANGE: usize = 480;

/// The input of a prompt for variants.
#[derive(Debug, Clone, Copy)]
pub struct VariantsView<'a> {
    /// The bug.
    pub task: &'a Task,
    /// The current hypothesis.
    pub hypothesis: Option<&'a str>,
    /// The fix that was tried, as a unified diff.
    pub diff: &'a str,
    /// The result of its tests.
    pub result: &'a str,
    /// The original code around the places that the fix touches.
    pub sources: &'a [SourceLines],
    /// Other candidates tried before, which are not to come again.
    pub tried: &'a [Candidate],
    /// The number of variants to ask for.
    pub count: u32,
}

/// The input of a prompt for the body of a method.
#[derive(Debug, Clone, Copy)]
pub struct MethodBodyView<'a> {
    /// The language as people write it.
    pub language: &'a str,
    /// The file, relative to the project.
    pub path: &'a str,
    /// The text of the file before the method. When it is too long, its end is kept.
    pub before: &'a str,
    /// The declaration of the method.
    pub signature: &'a str,
    /// The text of its documentation comment.
    pub documentation: Option<&'a str>,
}

/// Asks for variants of the fix just tried. The answer is a JSON list of fixes. Pure.
///
/// # Errors
/// A template of the user's fails.
pub fn variants_prompt(view: &VariantsView, settings: &PromptSettings) -> Result<Prompt, PromptError> {
    let templates = &settings.templates;
    let task = view.task;
    let system = templates.render("variants_role.md", context! { language => &task.language })?;
    let limit = bytes_of_tokens(settings.prompt_tokens);
    let room = limit.saturating_sub(message_bytes(&system) + message_bytes(""));
    let blocks: Vec<String> = view
        .sources
        .iter()
        .map(|source| block(source.lines.iter().map(|(n, text)| (*n, text.as_str()))))
        .collect();
    let tried: Vec<String> = view
        .tried
        .iter()
        .map(|one| format!("- {}: {}", one_line(&one.told()), change(one.diff(), LONGEST_CHANGE)))
        .collect();
    let tried = tried.join("\n");
    let issue = folded(task.issue.as_deref().unwrap_or_default());
    let issue = visible(&issue);
    let hypothesis = visible(view.hypothesis.unwrap_or_default());
    let (diff, result) = (visible(view.diff.trim_end()), visible(view.result.trim()));
    let requests = [
        SpaceRequest { bytes: blocks.iter().map(String::len).sum(), share: 8 },
        SpaceRequest { bytes: diff.len(), share: 6 },
        SpaceRequest { bytes: result.len(), share: 5 },
        SpaceRequest { bytes: tried.len(), share: 2 },
        SpaceRequest { bytes: issue.len(), share: 2 },
        SpaceRequest { bytes: hypothesis.len(), share: 1 },
    ];
    let failing = failing_tests(task, room / 8);
    let user = fitted(room, &requests, |rooms| {
        let bug = context! {
            project => &task.project_name, language => &task.language, failing => &failing,
            issue => cut(&issue, rooms[4]), report => "", test_code => "", localization => "", files => "",
            is_stage => true, wants_test => false,
        };
        let each = rooms[0] / blocks.len().max(1);
        let sources: Vec<Value> = view
            .sources
            .iter()
            .zip(&blocks)
            .map(|(source, text)| context! { path => &source.path, text => cut(text, each) })
            .collect();
        let context = context! {
            bug => templates.render("bug.md", bug)?,
            hypothesis => cut(&hypothesis, rooms[5]),
            diff => cut(&diff, rooms[1]),
            result => cut(&result, rooms[2]),
            tried => cut_lines(&tried, rooms[3]),
            sources,
            fix_tool => "",
            count => view.count,
        };
        templates.render("variants.md", context)
    })?;
    Ok(question(system, user))
}

/// Asks for a whole method, judged by what stands before it. The answer is a fenced code block. Pure.
///
/// # Errors
/// A template of the user's fails.
pub fn method_body_prompt(view: &MethodBodyView, settings: &PromptSettings) -> Result<Prompt, PromptError> {
    let templates = &settings.templates;
    let system = templates.render("method_body_role.md", context! { language => view.language })?;
    let limit = bytes_of_tokens(settings.method_body_tokens.min(settings.prompt_tokens));
    let room = limit.saturating_sub(message_bytes(&system) + message_bytes(""));
    let before = visible(view.before.trim_end());
    let documentation = visible(view.documentation.unwrap_or_default());
    let signature = visible(view.signature.trim_end());
    let requests = [
        SpaceRequest { bytes: before.len(), share: 8 },
        SpaceRequest { bytes: documentation.len(), share: 2 },
        SpaceRequest { bytes: signature.len(), share: 1 },
    ];
    let user = fitted(room, &requests, |rooms| {
        let context = context! {
            language => view.language,
            path => view.path,
            before => end_of(&before, rooms[0]),
            documentation => cut(&documentation, rooms[1]),
            signature => cut(&signature, rooms[2]),
        };
        templates.render("method_body.md", context)
    })?;
    Ok(question(system, user))
}

fn question(system: String, user: String) -> Prompt {
    let message = |role, text| Message::new(role, text);
    Prompt::new(vec![message(Role::System, system), message(Role::User, user)], 0)
}

/// The last whole lines of a text in at most `room` bytes, with a note when it is not the whole text: what stands
/// close to a method says most about it.
fn end_of(text: &str, room: usize) -> String {
    if text.len() <= room {
        return text.to_owned();
    }
    let longest_note = note_above(text.len()).len();
    let Some(kept) = room.checked_sub(longest_note) else { return String::new() };
    let start = text.ceil_char_boundary(text.len() - kept);
    let start = text[start..].find('\n').map_or(start, |offset| start + offset + 1);
    format!("{}{}", note_above(start), &text[start..])
}

fn note_above(bytes: usize) -> String {
    format!("[… {bytes} bytes above left out …]\n")
}
