//! `history`: who last changed lines of a file, and why.

mod comparison;
mod origins;

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use chrono::DateTime;
use origins::{LineOrigin, Origins};
use patchwright_lanes::repository::{
    Author, Commit, FolderError, ObjectId, ProjectRepository, RepositoryError,
};
use patchwright_protocol::Failure;
use patchwright_syntax::Project;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::ToolContext;
use crate::observation::Observation;
use crate::render::{self, OpenedFile, Stop, cut_line, cut_text, numbered, sentence};
use crate::settings::ToolSettings;
use crate::tool::TypedTool;

/// Lines of a message that are shown.
const MESSAGE_LINES: usize = 6;
/// Characters of a title where it stands alone.
const TITLE_CHARS: usize = 100;
/// Commits that are looked at, at most: about what the time suffices for.
const MOST_COMMITS: usize = 50_000;
/// The same before the first question, for which somebody waits: a second's worth.
const FIRST_COMMITS: usize = 2_500;
/// Digits of a commit's name.
const DIGITS: usize = 10;
/// Bytes of a commit's diff that are shown whatever others take.
const LEAST_DIFF: usize = 400;
/// The time after which the reading of one object is broken off, when no more commits are begun.
const GRACE: Duration = Duration::from_secs(1);

pub(crate) struct History;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HistoryArgs {
    /// Relative to the project.
    file_path: String,
    /// From 1.
    start_line: u32,
    /// Included.
    end_line: u32,
}

impl TypedTool for History {
    type Args = HistoryArgs;
    const NAME: &'static str = "history";
    const DESCRIPTION: &'static str =
        "Show the commits that last changed some lines, and what they changed there.";
    const ONLY_READS: bool = true;
    const ALIASES: &[&str] = &["git_blame", "git_log", "blame", "line_history", "show_history"];

    async fn run(args: HistoryArgs, context: &mut ToolContext<'_>) -> Result<Observation, Failure> {
        render::settle(look(&args, context).await)
    }
}

async fn look(args: &HistoryArgs, context: &mut ToolContext<'_>) -> Result<Observation, Stop> {
    let file = render::open(context.project(), &args.file_path)?;
    let total = u32::try_from(file.source.line_count()).unwrap_or(u32::MAX);
    let settings = context.settings;
    let range = range(args, total, settings).map_err(|why| Stop::Tell(format!("{}{}", file.note, why)))?;
    let (path, note) = (file.path.clone(), file.note.clone());
    let (first, last) = (*range.start(), *range.end());
    let told = told(context.origin, file, range, Reach::Asked, settings).await?;
    let data = |known| json!({ "path": path, "first": first, "last": last, "known": known });
    Ok(match told {
        Ok(text) => Observation::done(format!("{note}{text}"), data(true)).keep_text(),
        Err(why) => Observation::done(format!("{note}{}", sentence(&why)), data(false)),
    })
}

/// The commits that last changed some lines of a file of a project whose repository is at or above `origin`, by their titles and in at most
/// so many bytes, as far back as a moment suffices for; none where it has no history, or no such lines.
///
/// # Errors
/// The project cannot be read.
pub async fn last_commits(
    origin: &Path,
    project: &Project,
    path: &str,
    lines: RangeInclusive<u32>,
    max_bytes: usize,
) -> Result<Option<String>, Failure> {
    let file = match render::open(project, path) {
        Ok(file) => file,
        Err(Stop::Tell(_)) => return Ok(None),
        Err(Stop::Fail(error)) => return Err(error),
    };
    let total = u32::try_from(file.source.line_count()).unwrap_or(u32::MAX);
    let range = (*lines.start()).max(1)..=(*lines.end()).min(total);
    if range.is_empty() {
        return Ok(None);
    }
    let text = told(origin, file, range, Reach::First, &ToolSettings::default()).await?.ok();
    Ok(text.map(|text| cut_text(&text, max_bytes)))
}

/// The lines that are asked for, or what is wrong with them.
fn range(args: &HistoryArgs, total: u32, settings: &ToolSettings) -> Result<RangeInclusive<u32>, String> {
    let (first, last) = (args.start_line.max(1), args.end_line.min(total));
    if args.end_line < first {
        return Err(format!("The start_line ({first}) lies after the end_line ({}).", args.end_line));
    }
    if first > total {
        return Err(format!(
            "The file has {}; there is no line {first}.",
            render::counted(total as usize, "line")
        ));
    }
    Ok(first..=last.min(first.saturating_add(settings.range_lines - 1)))
}

/// How far a look at the history goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// As far as may be: somebody asked.
    Asked,
    /// As far as a moment suffices for, and only the titles of what tells something: it is shown unasked.
    First,
}

impl Reach {
    fn most_commits(self) -> usize {
        match self {
            Self::Asked => MOST_COMMITS,
            Self::First => FIRST_COMMITS,
        }
    }
}

/// The history of lines as text, or why there is none.
async fn told(
    origin: &Path,
    file: OpenedFile,
    range: RangeInclusive<u32>,
    reach: Reach,
    settings: &ToolSettings,
) -> Result<Result<String, String>, Failure> {
    let (origin, settings) = (origin.to_owned(), settings.clone());
    // A repository may be large.
    patchwright_blocking::spawn(move |cancelled| {
        let is_cancelled = || cancelled.load(Ordering::Relaxed);
        let until = Instant::now() + origins::MOST_TIME + GRACE;
        let is_over = || is_cancelled() || Instant::now() > until;
        let repository = BaseRepository::open(&origin, &file, &is_over)?;
        let origins = repository.origins(&file, range.clone(), reach.most_commits(), &is_cancelled);
        let origins = origins.map_err(unreadable)?;
        if reach == Reach::First && origins.commits.iter().all(|commit| commit.diff.is_empty()) {
            return Err("nothing but the commit that added the file is known".to_owned());
        }
        repository.render(&file, &range, &origins, reach, &settings).map_err(unreadable)
    })
    .await
}

/// Says why a repository is not read, without paths of this machine.
fn unreadable(error: RepositoryError) -> String {
    let why = match error {
        RepositoryError::Defects4J => return error.to_string(),
        RepositoryError::Folder(error) => folder_reason(&error).to_owned(),
        error => error.to_string(),
    };
    format!("the history cannot be read: {why}")
}

fn folder_reason(error: &FolderError) -> &'static str {
    match error {
        FolderError::LeadsOut(_) => "a file of `.git` names a place outside",
        FolderError::Link(_) => "a part of `.git` is a link, which is not followed",
        FolderError::NotRegular(_) => "a part of `.git` is no regular file",
        FolderError::TooLarge { .. } | FolderError::TooDeep { .. } | FolderError::TooMany { .. } => {
            "a part of `.git` is larger than git makes it"
        }
        FolderError::Cancelled => "reading it took too long",
        FolderError::Io { .. } => "a part of `.git` is missing or cannot be read",
    }
}

/// The repository of a file, seen from the commit that is checked out: nothing later, and no other branch, is looked at.
struct BaseRepository<'a> {
    repository: ProjectRepository<'a>,
    /// The commit.
    base: ObjectId,
    /// The path of the file in the repository.
    path: String,
}

impl<'a> BaseRepository<'a> {
    /// The innermost repository around the file: that of the project, or one inside of it, as submodules are.
    fn open(origin: &Path, file: &OpenedFile, is_over: &'a dyn Fn() -> bool) -> Result<Self, String> {
        let none = || "the project is in no git repository, so nothing is known of its history".to_owned();
        let origin = origin.canonicalize().map_err(|_| none())?;
        let repository =
            ProjectRepository::around(&origin, file.path.as_path(), is_over).map_err(unreadable)?;
        let repository = repository.ok_or_else(none)?;
        let base = repository.head().map_err(unreadable)?.commit;
        let base = base.ok_or_else(|| "the git repository of the project has no commit yet".to_owned())?;
        let file = origin.join(file.path.as_path());
        let path = file.strip_prefix(repository.top()).unwrap_or(&file).to_string_lossy().into_owned();
        Ok(Self { repository, base, path })
    }

    fn origins(
        &self,
        file: &OpenedFile,
        lines: RangeInclusive<u32>,
        most_commits: usize,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Origins, RepositoryError> {
        let now = file.source.bytes();
        origins::of_lines(&self.repository, self.base, &self.path, now, lines, most_commits, is_cancelled)
    }

    /// The origins as text, by commits.
    fn render(
        &self,
        file: &OpenedFile,
        range: &RangeInclusive<u32>,
        origins: &Origins,
        reach: Reach,
        settings: &ToolSettings,
    ) -> Result<String, RepositoryError> {
        let source = file.source.lines();
        let shown = |lines: &[u32]| {
            let line = |&number: &u32| Some((number, (*source.get(number as usize - 1)?).to_owned()));
            numbered(&lines.iter().filter_map(line).collect::<Vec<_>>(), settings.line_chars)
        };
        let mut text = format!(
            "{}, lines {} to {}, by the commits that last changed them, the latest first:\n",
            file.path,
            range.start(),
            range.end()
        );
        if reach == Reach::First {
            for origin in &origins.commits {
                let commit = self.repository.commit(origin.commit)?;
                text.push_str(&described(origin.commit, &commit, 1, TITLE_CHARS));
            }
            return Ok(text);
        }
        if !origins.uncommitted.is_empty() {
            text.push_str(&format!("\nNot committed:\n{}", shown(&origins.uncommitted)));
        }
        let room = (settings.diff_bytes / origins.commits.len().max(1)).max(LEAST_DIFF);
        for LineOrigin { commit, lines, diff } in &origins.commits {
            let described =
                described(*commit, &self.repository.commit(*commit)?, MESSAGE_LINES, settings.line_chars);
            text.push_str(&format!("\n{described}{}", shown(lines)));
            if diff.is_empty() {
                text.push_str("The commit added the file.\n");
            } else {
                let diff: Vec<String> =
                    diff.lines().map(|line| cut_line(line, settings.line_chars)).collect();
                let diff = cut_text(&(diff.join("\n") + "\n"), room);
                text.push_str(&format!("What the commit changed there:\n{diff}"));
            }
        }
        if let Some((lines, why)) = &origins.unknown {
            text.push_str(&format!("\nOf unknown origin, because {why}:\n{}", shown(lines)));
        }
        Ok(text)
    }
}

/// A commit in a few lines: its name, date and author, and the first lines of its message. Addresses of people are left out.
fn described(id: ObjectId, commit: &Commit, message_lines: usize, line_chars: usize) -> String {
    let name = commit.author.name.split('@').next().unwrap_or_default().trim();
    let hash: String = id.to_string().chars().take(DIGITS).collect();
    let mut lines =
        commit.message.lines().map(str::trim_end).filter(|line| !line.is_empty() && !is_trailer(line));
    let title = lines.next().unwrap_or("(no message)");
    let title = cut_line(&without_addresses(title), line_chars);
    let mut text = format!("{hash}, {}, {name}: {title}\n", date(&commit.author));
    for line in lines.by_ref().take(message_lines - 1) {
        text.push_str(&format!("    {}\n", cut_line(&without_addresses(line), line_chars)));
    }
    text
}

/// Is true for `Signed-off-by: Ann <ann@example.org>` and the like.
fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, value)| {
        value.contains('@') && key.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '-')
    })
}

/// The line without what stands in words with an `@` inside.
fn without_addresses(line: &str) -> String {
    let is_address = |word: &str| {
        word.split_once('@').is_some_and(|(before, after)| {
            before.ends_with(|end: char| end.is_alphanumeric()) && after.contains('.')
        })
    };
    let words: Vec<&str> =
        line.split(' ').map(|word| if is_address(word) { "<address>" } else { word }).collect();
    words.join(" ")
}

/// The day of a commit, where its author was.
fn date(author: &Author) -> String {
    let there = author.time.saturating_add(i64::from(author.offset_minutes) * 60);
    DateTime::from_timestamp(there, 0).unwrap_or_default().date_naive().to_string()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_people_are_left_out() {
        assert!(is_trailer("Signed-off-by: Ann <ann@example.org>"));
        assert!(!is_trailer("Fixes: the total of an empty cart"));
        assert!(!is_trailer("It said: ann@example.org"), "no key");
        assert_eq!(without_addresses("thanks to <ann@example.org>, see a@b"), "thanks to <address> see a@b");
        assert_eq!(without_addresses("use @cached_property"), "use @cached_property");
    }

    #[test]
    fn a_date_is_that_of_the_author() {
        // 2024-03-01T23:30:00Z
        let of = |time, offset_minutes| date(&Author { name: String::new(), time, offset_minutes });
        let check = |minutes, expect: &str| assert_eq!(of(1_709_335_800, minutes), expect);
        check(0, "2024-03-01");
        check(60, "2024-03-02");
        check(-480, "2024-03-01");
        // A commit may claim any time, also one that no calendar reaches where its author was.
        for seconds in [i64::MAX, 8_210_266_876_799] {
            assert_eq!(of(seconds, 840), "1970-01-01");
        }
    }
}
