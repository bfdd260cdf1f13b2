//! The gathered information: what the tools found out, within its room.
//!
//! Two forms. As a log ([`log::messages`]) it only grows: what an earlier entry shows is left out of later ones, so that
//! earlier bytes never change. Merged ([`merged::text`]) every line stands once, file by file.

pub(crate) mod lines;
pub(crate) mod log;
pub(crate) mod merged;

use minijinja::{Value, context};

use crate::error::PromptError;
use crate::templates::Templates;
use crate::view::Finding;

/// The most that the list of commands in the note on trimmed findings may take, in bytes.
const TRIMMED_COMMANDS: usize = 400;

/// The part of the room for all findings that one entry may take.
const FINDING_PART: usize = 3;

/// The heading of the section, with a note on the findings that were trimmed.
fn heading(templates: &Templates, log: bool, trimmed: &[Finding]) -> Result<String, PromptError> {
    let note = match (trimmed.first(), trimmed.last()) {
        (Some(first), Some(last)) => context! {
            count => trimmed.len(),
            first => first.cycle,
            last => last.cycle,
            commands => newest_commands(trimmed),
        },
        _ => Value::from(()),
    };
    templates.render("gathered.md", context! { log, trimmed => note })
}

/// The commands of the newest of the trimmed findings, as many as there is room for, oldest first.
fn newest_commands(trimmed: &[Finding]) -> String {
    let mut room = TRIMMED_COMMANDS;
    let mut commands = Vec::new();
    for finding in trimmed.iter().rev() {
        let Some(left) = room.checked_sub(finding.command.len() + 2) else { break };
        room = left;
        commands.push(finding.command.as_str());
    }
    commands.reverse();
    commands.join("; ")
}
