//! `read_range`: lines of a file.

use patchwright_protocol::Failure;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::render::{self, OpenedFile, Stop, counted};
use crate::settings::ToolSettings;
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
    /// Further ranges, each as `path:20-40`.
    #[serde(default)]
    also: Option<Vec<String>>,
}

/// A range of lines of a file.
struct Range {
    file_path: String,
    start_line: u32,
    end_line: u32,
}

/// Further ranges that one call may ask for.
const MOST_FURTHER: usize = 8;

impl TypedTool for ReadRange {
    type Args = ReadRangeArgs;
    const NAME: &'static str = "read_range";
    const DESCRIPTION: &'static str = "Read lines of one or more files, with their numbers.";
    const ONLY_READS: bool = true;
    const ALIASES: &[&str] = &["read_lines", "read_file_range", "view_lines", "show_lines"];

    async fn run(args: ReadRangeArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        let ReadRangeArgs { file_path, start_line, end_line, also } = args;
        let first = Range { file_path, start_line, end_line };
        let further = also.unwrap_or_default();
        if further.is_empty() {
            return render::settle(read(&first, context));
        }
        render::settle(read_all(first, &further, context))
    }
}

/// Reads several ranges. What cannot be read is told beside what can, and as much as two long ranges is shown.
fn read_all(first: Range, further: &[String], context: &ToolContext<'_>) -> Result<Observation, Stop> {
    if further.len() > MOST_FURTHER {
        let most = MOST_FURTHER + 1;
        return Err(Stop::Tell(format!("Ask for at most {most} ranges in one call.")));
    }
    let ranges: Result<Vec<Range>, Stop> = further.iter().map(|text| range(text)).collect();
    let mut room = context.settings.range_lines.saturating_mul(2);
    let mut read_so_far = Vec::new();
    for range in std::iter::once(first).chain(ranges?) {
        let name = format!("{}:{}-{}", range.file_path, range.start_line, range.end_line);
        if room == 0 {
            read_so_far
                .push(Observation::refused(format!("{name}: not shown, because the others are long.\n")));
            continue;
        }
        match read(&range, context) {
            Ok(observation) => {
                let shown = observation.text.lines().count();
                room = room.saturating_sub(u32::try_from(shown).unwrap_or(u32::MAX));
                read_so_far.push(observation);
            }
            Err(Stop::Tell(why)) => read_so_far.push(Observation::refused(format!("{name}: {why}\n"))),
            Err(Stop::Fail(failure)) => return Err(Stop::Fail(failure)),
        }
    }
    if read_so_far.iter().all(|one| !one.outcome.advances()) {
        let texts: Vec<&str> = read_so_far.iter().map(|one| one.text.trim_end()).collect();
        return Err(Stop::Tell(texts.join("\n")));
    }
    Ok(Observation::joined(read_so_far))
}

/// A range as `path:20-40` or `path:20`.
fn range(text: &str) -> Result<Range, Stop> {
    let wrong = || Stop::Tell(format!("`{text}` in `also` is no range: write `path/of/file:20-40`."));
    let (path, lines) = text.trim().rsplit_once(':').ok_or_else(wrong)?;
    let (start, end) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |text: &str| text.trim().trim_start_matches('L').parse::<u32>().map_err(|_| wrong());
    Ok(Range { file_path: path.trim().to_owned(), start_line: number(start)?, end_line: number(end)? })
}

fn read(range: &Range, context: &ToolContext<'_>) -> Result<Observation, Stop> {
    let found = render::open(context.project(), &range.file_path)?;
    show(range, &found, context.settings).map_err(|message| Stop::Tell(format!("{}{message}", found.note)))
}

fn show(args: &Range, found: &OpenedFile, settings: &ToolSettings) -> Result<Observation, String> {
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
        let wanted = last;
        last = first + settings.range_lines - 1;
        notes = format!(
            "Only the first {} lines of the range are shown; lines {} to {wanted} are not.\n",
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
