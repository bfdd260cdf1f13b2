//! Where the lines of a file come from: its commits, looked through backwards from one of them.
//!
//! libgit2 has a blame of its own, which cannot be stopped and compares whole trees. This one asks each commit for a single file, ends
//! when nobody waits any more, and tells what it has found when its time is over.

use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::path::Path;
use std::time::{Duration, Instant};

use git2::{Commit, DiffFindOptions, DiffOptions, ObjectType, Oid, Patch, Repository};

/// The time that looking may take.
const MOST_TIME: Duration = Duration::from_secs(20);
/// Files among which the earlier name of one is looked for.
const RENAMES: usize = 200;
/// Lines around a change.
const CONTEXT: u32 = 2;

/// The origins of lines.
#[derive(Debug, Default)]
pub(super) struct Origins {
    /// The commits that lines come from, the latest first.
    pub(super) commits: Vec<LineOrigin>,
    /// Lines that stand in no commit.
    pub(super) uncommitted: Vec<u32>,
    /// Lines whose origin was not found, and why.
    pub(super) unknown: Option<(Vec<u32>, String)>,
}

/// A commit and the lines that come from it.
#[derive(Debug)]
pub(super) struct LineOrigin {
    pub(super) commit: Oid,
    pub(super) lines: Vec<u32>,
    /// What the commit did there: parts of a unified diff; empty where it added the file.
    pub(super) diff: String,
}

/// A line as a commit has it, and as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TracedLine {
    there: u32,
    asked: u32,
}

/// Lines by the file in which a commit has them, with its content.
type LinesByFile = BTreeMap<(String, Oid), Vec<TracedLine>>;

/// Finds the origins of lines of a file, which stands in the commit `base` under `path` and has the bytes `now`.
pub(super) fn of_lines(
    repository: &Repository,
    base: &Commit<'_>,
    path: &str,
    now: &[u8],
    asked: impl Iterator<Item = u32>,
    most_commits: usize,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Origins, git2::Error> {
    let mut origins = Origins::default();
    let mut walk = Walk::of(repository);
    let Some(committed) = walk.file(base, path)? else {
        origins.uncommitted = asked.collect();
        return Ok(origins);
    };
    // A checkout may have changed the ends of lines.
    let mut options = DiffOptions::new();
    options.ignore_whitespace_eol(true).context_lines(0);
    let content = repository.find_blob(committed)?;
    let map = LineMap::between(content.content(), now, &mut options)?;
    let mut lines = Vec::new();
    for line in asked {
        match map.before(line) {
            Some(there) => lines.push(TracedLine { there, asked: line }),
            None => origins.uncommitted.push(line),
        }
    }
    walk.origins = origins;
    walk.put(base, (path.to_owned(), committed), lines);
    walk.run(most_commits, Instant::now() + MOST_TIME, is_cancelled)?;
    Ok(walk.origins)
}

/// The way back through the history.
struct Walk<'r> {
    repository: &'r Repository,
    origins: Origins,
    /// Lines that a commit has, and of which it is not known whether an earlier one has them.
    pending: BTreeMap<Oid, LinesByFile>,
    /// These commits by their time.
    order: BinaryHeap<(i64, Oid)>,
    /// The file that a path below a folder leads to: most commits change nothing in most folders.
    known: HashMap<(Oid, String), Option<Oid>>,
}

impl<'r> Walk<'r> {
    fn of(repository: &'r Repository) -> Self {
        Self {
            repository,
            origins: Origins::default(),
            pending: BTreeMap::new(),
            order: BinaryHeap::new(),
            known: HashMap::new(),
        }
    }

    /// The content of a file of a commit.
    fn file(&mut self, commit: &Commit<'_>, path: &str) -> Result<Option<Oid>, git2::Error> {
        self.file_below(commit.tree_id(), path)
    }

    fn file_below(&mut self, folder: Oid, path: &str) -> Result<Option<Oid>, git2::Error> {
        let tree = self.repository.find_tree(folder)?;
        let (name, rest) = path.split_once('/').unwrap_or((path, ""));
        let Some(entry) = tree.get_name(name) else { return Ok(None) };
        // In place of a file there may be a folder or a submodule.
        match (entry.kind(), rest) {
            (Some(ObjectType::Blob), "") => return Ok(Some(entry.id())),
            (Some(ObjectType::Tree), rest) if !rest.is_empty() => {}
            _ => return Ok(None),
        }
        let place = (entry.id(), rest.to_owned());
        if let Some(known) = self.known.get(&place) {
            return Ok(*known);
        }
        let found = self.file_below(entry.id(), rest)?;
        self.known.insert(place, found);
        Ok(found)
    }

    fn put(&mut self, commit: &Commit<'_>, file: (String, Oid), lines: Vec<TracedLine>) {
        if lines.is_empty() {
            return;
        }
        if !self.pending.contains_key(&commit.id()) {
            self.order.push((commit.time().seconds(), commit.id()));
        }
        let known = self.pending.entry(commit.id()).or_default().entry(file).or_default();
        known.extend(lines);
        known.sort();
    }

    fn run(
        &mut self,
        most_commits: usize,
        until: Instant,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(), git2::Error> {
        let mut looked_at = 0;
        while let Some((_, id)) = self.order.pop() {
            let files = self.pending.remove(&id).unwrap_or_default();
            let commit = self.repository.find_commit(id)?;
            looked_at += 1;
            let reason = if looked_at > most_commits {
                format!("they are older than {most_commits} commits")
            } else if Instant::now() > until {
                format!("the search was given up after {} s", MOST_TIME.as_secs())
            } else if is_cancelled() {
                "the search was stopped".to_owned()
            } else {
                for (file, lines) in files {
                    self.look_at(&commit, &file, lines)?;
                }
                continue;
            };
            let left = std::mem::take(&mut self.pending).into_values().flatten().chain(files);
            let left: Vec<TracedLine> = left.flat_map(|(_, lines)| lines).collect();
            self.give_up(&left, reason);
            return Ok(());
        }
        Ok(())
    }

    fn give_up(&mut self, lines: &[TracedLine], reason: String) {
        let (unknown, _) = self.origins.unknown.get_or_insert_with(|| (Vec::new(), reason));
        unknown.extend(lines.iter().map(|line| line.asked));
        unknown.sort_unstable();
    }

    /// Hands lines on to the parents that have them; the others come from this commit.
    fn look_at(
        &mut self,
        commit: &Commit<'_>,
        file: &(String, Oid),
        mut lines: Vec<TracedLine>,
    ) -> Result<(), git2::Error> {
        let (path, here) = file;
        let mut parents = Vec::new();
        for id in commit.parent_ids() {
            let Ok(parent) = self.repository.find_commit(id) else {
                let reason = "the repository does not hold their history, as after a shallow clone";
                self.give_up(&lines, reason.to_owned());
                return Ok(());
            };
            let there = self.file(&parent, path)?;
            if there == Some(*here) {
                self.put(&parent, file.clone(), lines);
                return Ok(());
            }
            parents.push((parent, path.clone(), there));
        }
        if let Some((parent, earlier, there)) = parents.first_mut()
            && there.is_none()
            && let Some(name) = self.earlier_name(commit, parent, path)?
        {
            *there = self.file(parent, &name)?;
            *earlier = name;
        }
        let now = self.repository.find_blob(*here)?;
        let mut first = None;
        for (parent, path, there) in parents {
            let Some(there) = there else { continue };
            let before = self.repository.find_blob(there)?;
            let map = LineMap::between(before.content(), now.content(), DiffOptions::new().context_lines(0))?;
            let mut kept = Vec::new();
            lines.retain(|line| match map.before(line.there) {
                Some(before) => {
                    kept.push(TracedLine { there: before, ..*line });
                    false
                }
                None => true,
            });
            self.put(&parent, (path, there), kept);
            first = first.or(Some(before));
        }
        if lines.is_empty() {
            return Ok(());
        }
        let diff = match &first {
            Some(before) => diff_of(before.content(), now.content(), &lines)?,
            None => String::new(),
        };
        let mut asked: Vec<u32> = lines.iter().map(|line| line.asked).collect();
        asked.sort_unstable();
        self.origins.commits.push(LineOrigin { commit: commit.id(), lines: asked, diff });
        Ok(())
    }

    /// The name that a file had before the commit that brought it, where it was renamed.
    fn earlier_name(
        &self,
        commit: &Commit<'_>,
        parent: &Commit<'_>,
        path: &str,
    ) -> Result<Option<String>, git2::Error> {
        let trees = (parent.tree()?, commit.tree()?);
        let mut diff = self.repository.diff_tree_to_tree(Some(&trees.0), Some(&trees.1), None)?;
        diff.find_similar(Some(DiffFindOptions::new().renames(true).rename_limit(RENAMES)))?;
        let found = diff.deltas().find(|delta| delta.new_file().path() == Some(Path::new(path)));
        let earlier = found.and_then(|delta| delta.old_file().path()?.to_str().map(str::to_owned));
        Ok(earlier.filter(|earlier| earlier != path))
    }
}

/// Which line of a text stood where before a change.
struct LineMap {
    /// For each part that changed its first line and its number of lines now, and the number before.
    parts: Vec<(u32, u32, u32)>,
}

impl LineMap {
    fn between(before: &[u8], now: &[u8], options: &mut DiffOptions) -> Result<Self, git2::Error> {
        let patch = Patch::from_buffers(before, None, now, None, Some(options.force_text(true)))?;
        let part = |index| {
            let (hunk, _) = patch.hunk(index)?;
            Ok((hunk.new_start(), hunk.new_lines(), hunk.old_lines()))
        };
        Ok(Self { parts: (0..patch.num_hunks()).map(part).collect::<Result<_, git2::Error>>()? })
    }

    /// The number that a line had; `None` for a line that is new.
    fn before(&self, line: u32) -> Option<u32> {
        let mut before = i64::from(line);
        for &(start, now, old) in &self.parts {
            // Where nothing is left of a part, it stood behind the line that is named.
            let first = if now == 0 { start + 1 } else { start };
            if line < first {
                break;
            }
            if line < first + now {
                return None;
            }
            before += i64::from(old) - i64::from(now);
        }
        u32::try_from(before).ok()
    }
}

/// The parts of a change that touch some lines.
fn diff_of(before: &[u8], now: &[u8], lines: &[TracedLine]) -> Result<String, git2::Error> {
    let mut options = DiffOptions::new();
    options.context_lines(CONTEXT).force_text(true);
    let patch = Patch::from_buffers(before, None, now, None, Some(&mut options))?;
    let mut text = String::new();
    for index in 0..patch.num_hunks() {
        let (hunk, count) = patch.hunk(index)?;
        let shown = hunk.new_start()..hunk.new_start() + hunk.new_lines();
        if !lines.iter().any(|line| shown.contains(&line.there)) {
            continue;
        }
        text.push_str(&String::from_utf8_lossy(hunk.header()));
        for number in 0..count {
            let line = patch.line_in_hunk(index, number)?;
            // That the last line has no end is of no interest here.
            if matches!(line.origin(), '+' | '-' | ' ') {
                text.push(line.origin());
                text.push_str(String::from_utf8_lossy(line.content()).trim_end_matches(['\r', '\n']));
                text.push('\n');
            }
        }
    }
    Ok(text)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_mapped_back_over_every_kind_of_change() {
        let check = |before: &str, now: &str, expect: &[Option<u32>]| {
            let mut options = DiffOptions::new();
            let map = LineMap::between(before.as_bytes(), now.as_bytes(), options.context_lines(0)).unwrap();
            let found: Vec<Option<u32>> = (1..=expect.len() as u32).map(|line| map.before(line)).collect();
            assert_eq!(found, expect, "{before:?} → {now:?}");
        };
        check("a\nb\nc\n", "a\nb\nc\n", &[Some(1), Some(2), Some(3)]);
        check("a\nb\nc\n", "a\nx\ny\nb\nc\n", &[Some(1), None, None, Some(2), Some(3)]);
        check("a\nb\nc\n", "a\nc\n", &[Some(1), Some(3)]);
        check("a\nb\nc\n", "c\n", &[Some(3)]);
        check("a\nb\nc\n", "x\na\nB\nc\n", &[None, Some(1), None, Some(3)]);
        check("a\nb\nc\nd\n", "b\nc\nx\n", &[Some(2), Some(3), None]);
        check("", "a\n", &[None]);
    }
}
