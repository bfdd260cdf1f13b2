//! The whole prompt: which section stands in which message, and how the room is shared.

use patchwright_protocol::{Message, Role};

use crate::budget::{bytes_of_tokens, tokens_of_bytes};
use crate::error::PromptError;
use crate::gathered::{log, merged};
use crate::prompt::{Prompt, joined, message_bytes};
use crate::sections::{self, Sections};
use crate::settings::{Layout, PromptSettings, Protocol, Recall};
use crate::view::PromptView;

/// The least room for facts beside the instructions, in tokens.
const LEAST_FACTS: usize = 2_000;

/// Makes the prompt of a cycle. Pure: the same view and settings give the same prompt.
///
/// In the cache layout the messages are: the instructions (constant for a session); the bug (constant); the
/// gathered information (grows, one message an entry; see [`PromptSettings::gathered_tokens`]); and the rest, which changes. The
/// first three carry [`Message::cache_here`]. In the paper's layout there is one system and one user message.
///
/// # Errors
/// A template of the user's fails, or [`PromptSettings::prompt_tokens`] is too small for the instructions.
pub fn render(view: &PromptView, settings: &PromptSettings) -> Result<Prompt, PromptError> {
    let (found, candidates) = match settings.recall {
        Recall::All => (view.findings, view.candidates),
        Recall::LastCycle => (&[][..], &[][..]),
    };
    let findings = [&view.task.gathered, found].concat();
    let patterns = if settings.is_compact { &[][..] } else { view.patterns };
    let turns = match (settings.recall, settings.protocol) {
        (Recall::All, Protocol::Native) => view.turns,
        (Recall::LastCycle, _) | (_, Protocol::Json) => &[],
    };
    let recalled = PromptView { turns, findings: &findings, candidates, patterns, ..*view };
    let sections = Sections { view: &recalled, settings };
    match settings.layout {
        Layout::Cache => cache_layout(&sections),
        Layout::Paper => paper_layout(&sections),
    }
}

/// The shares of the room that the instructions leave, in bytes.
struct SectionRooms {
    bug: usize,
    changing: usize,
    /// For bug and gathered information together.
    facts: usize,
    gathered: usize,
}

impl SectionRooms {
    /// Shares what `fixed` bytes of instructions leave.
    fn beside(fixed: usize, settings: &PromptSettings) -> Result<Self, PromptError> {
        let limit = bytes_of_tokens(settings.prompt_tokens);
        match limit.checked_sub(fixed) {
            Some(left) if left >= bytes_of_tokens(LEAST_FACTS) => {
                let changing = left * 3 / 10;
                Ok(Self {
                    bug: left * 4 / 10,
                    changing,
                    facts: left - changing,
                    gathered: bytes_of_tokens(settings.gathered_tokens),
                })
            }
            _ => Err(PromptError::LimitTooSmall {
                needed: tokens_of_bytes(fixed) + LEAST_FACTS + 1,
                limit: settings.prompt_tokens,
            }),
        }
    }

    /// The room for the gathered information beside a bug that takes `bug` bytes.
    fn gathered(&self, bug: usize) -> usize {
        self.gathered.min(self.facts.saturating_sub(bug))
    }
}

fn cache_layout(sections: &Sections) -> Result<Prompt, PromptError> {
    let view = sections.view;
    let start = &view.machine.start().tools;
    let native = sections.settings.protocol == Protocol::Native;
    let mut instructions = vec![
        sections.role()?,
        sections.goals()?,
        sections.guidelines()?,
        sections.output_format(start, |_| true)?,
    ];
    if !native {
        let is_compact = sections.settings.is_compact;
        let offered = view.tools.iter().filter(|tool| !is_compact || view.state.allows(&tool.name));
        instructions.push(sections.tools(offered, !is_compact)?);
    }
    let system = joined(instructions);
    let beside = if native { sections::schema_bytes(view.tools) } else { 0 };
    let frames = 2 * message_bytes("");
    let room = SectionRooms::beside(message_bytes(&system) + beside + frames, sections.settings)?;
    let bug = sections.bug(room.bug)?;
    let gathered = log::messages(&sections.settings.templates, view, room.gathered(bug.len()))?;
    let changing = sections.changing(room.changing)?;

    let mut messages =
        vec![Message::new(Role::System, system).cached(), Message::new(Role::User, bug).cached()];
    messages.extend(gathered);
    // The next prompt begins alike up to here.
    if let Some(newest) = messages.last_mut() {
        newest.cache_here = true;
    }
    messages.push(Message::new(Role::User, changing));
    Ok(Prompt::new(messages, beside))
}

fn paper_layout(sections: &Sections) -> Result<Prompt, PromptError> {
    let view = sections.view;
    let native = sections.settings.protocol == Protocol::Native;
    let here = || view.tools.iter().filter(|tool| view.state.allows(&tool.name));
    let system = sections.role()?;
    let mut before = vec![sections.goals()?, sections.guidelines()?, sections.state()?];
    if !native {
        before.push(sections.tools(here(), false)?);
    }
    let format = sections.output_format(&view.state.tools, |tool| view.state.allows(tool))?;
    let beside = if native { sections::schema_bytes(here()) } else { 0 };
    let instructions = joined(before);
    // Six separators of two bytes stand between the sections.
    let fixed = message_bytes(&system) + message_bytes(&instructions) + format.len() + 12 + beside;
    let room = SectionRooms::beside(fixed, sections.settings)?;
    let bug = sections.bug(room.bug)?;
    let templates = &sections.settings.templates;
    let gathered = merged::text(templates, sections.older_findings(), room.gathered(bug.len()))?;
    let (beliefs, last) = sections.hypotheses_and_last(room.changing)?;

    let user = joined(vec![instructions, bug, gathered, beliefs, format, last]);
    let messages = vec![Message::new(Role::System, system), Message::new(Role::User, user)];
    Ok(Prompt::new(messages, beside))
}
