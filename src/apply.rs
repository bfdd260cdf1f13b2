//! `patchwright apply`

use std::path::Path;

use patchwright_command_line::cli::{ApplyArgs, Protection};
use patchwright_command_line::settings;
use patchwright_edits::formats::{EditFormat, Reading, ReadingError, read_edits_for};
use patchwright_edits::{
    Applied, ApplyReport, EditError, EditOutcome, EditRules, EditStatus, Recovery, attempt,
};
use patchwright_protocol::Failure;
use patchwright_syntax::{Project, Source};
use serde_json::{Value, json};

use crate::earlier_change;
use crate::failure::ExitCode;
use crate::output::{TOLD, say_first};
use crate::reply::bytes;

/// Applies edits to a folder, all or none, and prints what changes.
pub fn run(args: &ApplyArgs) -> Result<ExitCode, Failure> {
    let project = open(&args.dir)?;
    let earlier = earlier_change::settle(project.root(), !args.dry_run)?;
    let text = text(&args.edits)?;
    let name = format!("edits {}", blake3::hash(text.as_bytes()).to_hex());
    let rules = rules(&project, args.protect)?;
    let (format, mut outcome) = match read_edits_for(&project, &text, args.format) {
        Ok(reading) => (Some(reading.format), applied(&project, &reading, &rules)?),
        Err(error) => (args.format, Outcomes::unread(&error)),
    };
    if matches!(&earlier, Some(Recovery::Finished { name: earlier, .. }) if *earlier == name) {
        // These edits are the ones that were interrupted.
        outcome = Outcomes::finished();
    }
    let refused = outcome.refusal.is_some();
    if let (Some(applied), false) = (&outcome.applied, args.dry_run) {
        applied.write_to(project.root(), &name).map_err(|error| {
            Failure::environment(format!("{}: {error}", args.dir.display())).hint("nothing was changed")
        })?;
    }
    let obeyed: Vec<_> = outcome.applied.iter().flat_map(Applied::obeyed).collect();
    say_first(&obeyed, |(file, who)| {
        format!("warning: {who} obeys `{file}` without being asked: read what it says before you go on there")
    });
    if args.json {
        let format = format.map(EditFormat::name);
        crate::print(&format!("{}\n", outcome.object(format)))?;
    } else {
        outcome.tell();
        if let Some(applied) = &outcome.applied {
            crate::output::print_patch(&applied.diff_bytes())?;
        }
    }
    Ok(if refused { ExitCode::NotFound } else { ExitCode::Done })
}

fn open(dir: &Path) -> Result<Project, Failure> {
    Project::open(dir).map_err(|error| {
        Failure::user(error.to_string())
            .hint("give the folder to edit after the file with the edits: `patchwright apply EDITS DIR`; DIR is the current folder by default")
    })
}

/// The text of the edits: UTF-8, or else every byte as the character of its number, as sources are read.
fn text(file: &Path) -> Result<String, Failure> {
    let source = Source::decode(bytes(file)?).ok_or_else(|| {
        Failure::user(format!("{} is a binary file", file.display())).hint("give a text that holds edits")
    })?;
    Ok(source.text().to_owned())
}

/// Which files may not be changed. A folder that says how its bug is repaired is protected as in a session.
fn rules(project: &Project, protection: Protection) -> Result<EditRules, Failure> {
    let protected = match protection {
        Protection::Always => true,
        Protection::Never => false,
        Protection::Auto => project.root().join(settings::FILE_NAME).is_file(),
    };
    if !protected {
        return Ok(EditRules::default());
    }
    patchwright_detection::fix_rules(project.root()).map_err(Failure::user)
}

/// The outcome of the edits.
struct Outcomes {
    changes: Vec<EditOutcome>,
    applied: Option<Applied>,
    refusal: Option<String>,
    repairs: Vec<String>,
}

fn applied(project: &Project, reading: &Reading, rules: &EditRules) -> Result<Outcomes, Failure> {
    let ApplyReport { outcomes, result } = attempt(project, &reading.edits, rules);
    let (applied, refusal) = match result {
        Ok(applied) => (Some(applied), None),
        Err(error @ EditError::BadRule { .. }) => return Err(Failure::defect(error)),
        Err(error) => (None, Some(error.to_string())),
    };
    let repairs = reading.repairs.iter().map(ToString::to_string).collect();
    Ok(Outcomes { changes: outcomes, applied, refusal, repairs })
}

impl Outcomes {
    /// Those of a text that could not be read as edits.
    fn unread(error: &ReadingError) -> Self {
        Self { changes: Vec::new(), applied: None, refusal: Some(error.to_string()), repairs: Vec::new() }
    }

    /// Those of edits that an earlier run began to write.
    fn finished() -> Self {
        Self { changes: Vec::new(), applied: None, refusal: None, repairs: Vec::new() }
    }

    fn object(&self, format: Option<&str>) -> Value {
        json!({
            "status": if self.refusal.is_some() { "refused" } else { "applied" },
            "format": format,
            "edits": self.changes,
            "diff": self.applied.as_ref().map(Applied::diff),
            "comment_only": self.applied.as_ref().is_some_and(|applied| applied.comment_only),
            "repairs": self.repairs,
            "error": self.refusal,
        })
    }

    /// Tells what was repaired, what became of each change, and why all were refused.
    fn tell(&self) {
        say_first(&self.repairs, |repair| format!("repaired: {repair}"));
        let mut changes: Vec<&EditOutcome> = self.changes.iter().collect();
        if changes.len() > TOLD {
            // Where not all are told, those that stand in the way are.
            changes.sort_by_key(|change| fits(change.status));
        }
        say_first(&changes, |EditOutcome { file, status, note }| {
            let status = json!(status);
            let status = status.as_str().unwrap_or_default().replace('_', " ");
            let note = note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
            format!("{file}: {status}{note}")
        });
        if self.applied.as_ref().is_some_and(|applied| applied.comment_only) {
            crate::say("only comments or formatting change");
        }
        if let Some(refusal) = &self.refusal {
            crate::say(&format!("refused, nothing was changed: {refusal}"));
        }
    }
}

/// Is true if a change alone could be made.
fn fits(status: EditStatus) -> bool {
    match status {
        EditStatus::Exact | EditStatus::Whitespace | EditStatus::Indent | EditStatus::Fuzzy => true,
        EditStatus::AlreadyApplied
        | EditStatus::NotFound
        | EditStatus::Ambiguous
        | EditStatus::NoChange
        | EditStatus::SyntaxError
        | EditStatus::NotAllowed => false,
    }
}
