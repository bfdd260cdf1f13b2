//! `read_range`: lines of a file.

use patchwright_protocol::Failure;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::{ToolContext, ToolSettings};
use crate::observation::Observation;
use crate::render::{self, OpenedFile, Stop, counted};
use crate::tool::TypedTool;

pub(crate) struct ReadRange;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadRangeArgs {
    /// Relative to the project.
    file_path: String,
    /// From 1.
    start_line: u32,
    /// Included.
    end_line: u32,
}

impl TypedTool for ReadRange {
    type Args = ReadRangeArgs;
    const NAME: &'static str = "read_range";
    const DESCRIPTION: &'static str = "Read a range of lines of a file, with their numbers.";
    const ALIASES: &[&str] = &["read_lines", "read_file_range", "view_lines", "show_lines"];

    async fn run(args: ReadRangeArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        render::settle(read(&args, context))
    }
}

fn read(args: &ReadRangeArgs, context: &ToolContext<'_>) -> Result<Observation, Stop> {
    let found = render::open(context.project(), &args.file_path)?;
    show(args, &found, context.settings).map_err(|message| Stop::Tell(format!("{}{message}", found.note)))
}

fn show(args: &ReadRangeArgs, found: &OpenedFile, settings: &ToolSettings) -> Result<Observation, String> {
    let path = &found.path;
    let lines = found.source.lines();
    let total = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let (first, asked_last) = (args.start_line.max(1), args.end_line);
    if total == 0 {
        return Err(format!("{path} is empty: it has no lines."));
    }
    if first > total {
        return Err(format!("{path} has {} in all; there is no line {first}.", counted(lines.len(), "line")));
    }
    if asked_last < first {
        return Err(format!(
            "The start_line ({}) lies after the end_line ({asked_last}); both are included and the smaller comes first. {path} \
             has {} in all.",
            args.start_line,
            counted(lines.len(), "line")
        ));
    }
    let mut last = asked_last.min(total);
    let mut notes = String::new();
    if last - first >= settings.range_lines {
        last = first + settings.range_lines - 1;
        notes = format!(
            "Only the first {} lines of the range are shown; go on with start_line {}.\n",
            settings.range_lines,
            last + 1
        );
    }
    if asked_last > total {
        notes.push_str(&format!("The file ends at line {total}.\n"));
    }
    let shown: Vec<(u32, String)> = (first..=last)
        .zip(&lines[first as usize - 1..])
        .map(|(number, line)| (number, (*line).to_owned()))
        .collect();
    let text = format!(
        "{}{path}, lines {first} to {last} ({} in all):\n{}{notes}",
        found.note,
        counted(lines.len(), "line"),
        render::numbered(&shown, settings.line_chars)
    );
    let data = json!({ "path": path, "first": first, "last": last, "total": total });
    let more =
        if notes.is_empty() { String::new() } else { format!("; {}", notes.trim().replace('\n', " ")) };
    let note = format!("{} in all{more}", counted(lines.len(), "line"));
    Ok(Observation::done(text, data).keep_lines(path.as_str(), shown, Some(note)))
}
