//! Where the lines of a file come from: its commits, looked through backwards from one of them.
//!
//! This asks each commit for a single file, ends when nobody waits any more, and tells what it has found when its time is over. Of
//! libgit2 it uses the comparison of two texts, whose size is bounded.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::rc::Rc;
use std::time::{Duration, Instant};

use git2::DiffOptions;
use patchwright_lanes::repository::{
    Commit, EntryMode, ObjectId, ProjectRepository, RepositoryError, Tree, TreeEntry,
};

use super::comparison::{LineMap, TracedLine, diff_of, share_of_lines};

/// The time that looking may take.
pub(super) const MOST_TIME: Duration = Duration::from_secs(20);
/// The most bytes of a text that is compared with another one, which takes a moment that nobody can cut short.
const MOST_COMPARED: usize = 4 << 20;
/// The file that names commits which `git blame` passes over, as hosts of repositories read it
/// (git-scm.com/docs/git-blame, `--ignore-revs-file`).
const IGNORED: &str = ".git-blame-ignore-revs";
/// Files among which the earlier name of one is looked for.
const RENAMES: usize = 200;
/// Folders in which they are looked for.
const RENAME_FOLDERS: usize = 2_000;

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
    pub(super) commit: ObjectId,
    pub(super) lines: Vec<u32>,
    /// What the commit did there: parts of a unified diff; empty where it added the file.
    pub(super) diff: String,
}

/// Lines by the file in which a commit has them, with its content.
type LinesByFile = BTreeMap<(String, ObjectId), Vec<TracedLine>>;

/// Finds the origins of lines of a file, which stands in the commit `base` under `path` and has the bytes `now`.
pub(super) fn of_lines(
    repository: &ProjectRepository<'_>,
    base: ObjectId,
    path: &str,
    now: &[u8],
    asked: impl Iterator<Item = u32>,
    most_commits: usize,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Origins, RepositoryError> {
    let mut origins = Origins::default();
    let mut walk = Walk::of(repository);
    let commit = repository.commit(base)?;
    walk.passed_over = walk.passed_over(&commit)?;
    let Some(committed) = walk.file(&commit, path)? else {
        origins.uncommitted = asked.collect();
        return Ok(origins);
    };
    // A checkout may have changed the ends of lines.
    let mut options = DiffOptions::new();
    options.ignore_whitespace_eol(true).context_lines(0);
    let map = LineMap::between(&walk.text(committed)?, now, &mut options)?;
    let mut lines = Vec::new();
    for line in asked {
        match map.before(line) {
            Some(there) => lines.push(TracedLine { there, asked: line }),
            None => origins.uncommitted.push(line),
        }
    }
    walk.origins = origins;
    walk.put(base, &commit, (path.to_owned(), committed), lines);
    walk.run(most_commits, Instant::now() + MOST_TIME, is_cancelled)?;
    Ok(walk.origins)
}

/// The way back through the history.
struct Walk<'r> {
    repository: &'r ProjectRepository<'r>,
    origins: Origins,
    /// Commits that only changed how code is written: what they did to a line says nothing of it.
    passed_over: BTreeSet<ObjectId>,
    /// Lines that a commit has, and of which it is not known whether an earlier one has them.
    pending: BTreeMap<ObjectId, LinesByFile>,
    /// These commits by their time.
    order: BinaryHeap<(i64, ObjectId)>,
    /// The file that a path below a folder leads to: most commits change nothing in most folders.
    known: HashMap<(ObjectId, String), Option<ObjectId>>,
}

impl<'r> Walk<'r> {
    fn of(repository: &'r ProjectRepository<'r>) -> Self {
        Self {
            repository,
            origins: Origins::default(),
            passed_over: BTreeSet::new(),
            pending: BTreeMap::new(),
            order: BinaryHeap::new(),
            known: HashMap::new(),
        }
    }

    /// The commits that the project names for `git blame` to pass over.
    fn passed_over(&mut self, commit: &Commit) -> Result<BTreeSet<ObjectId>, RepositoryError> {
        let Some(file) = self.file(commit, IGNORED)? else { return Ok(BTreeSet::new()) };
        let text = self.text(file)?;
        let words = text.split(|byte| *byte == b'\n').map(|line| line.split(|byte| b" \t\r#".contains(byte)));
        Ok(words.filter_map(|mut words| ObjectId::from_hex(words.next()?)).collect())
    }

    /// The content of a file of a commit.
    fn file(&mut self, commit: &Commit, path: &str) -> Result<Option<ObjectId>, RepositoryError> {
        self.file_below(commit.tree, path)
    }

    fn file_below(&mut self, folder: ObjectId, path: &str) -> Result<Option<ObjectId>, RepositoryError> {
        let tree = self.repository.tree(folder)?;
        let (name, rest) = path.split_once('/').unwrap_or((path, ""));
        let Some(entry) = tree.get(name.as_bytes()) else { return Ok(None) };
        // In place of a file there may be a folder or a submodule.
        match (entry.mode, rest) {
            (EntryMode::File | EntryMode::Executable | EntryMode::Link, "") => return Ok(Some(entry.id)),
            (EntryMode::Folder, rest) if !rest.is_empty() => {}
            _ => return Ok(None),
        }
        let place = (entry.id, rest.to_owned());
        if let Some(known) = self.known.get(&place) {
            return Ok(*known);
        }
        let found = self.file_below(entry.id, rest)?;
        self.known.insert(place, found);
        Ok(found)
    }

    /// A text that is compared with another one.
    fn text(&self, id: ObjectId) -> Result<Rc<Vec<u8>>, RepositoryError> {
        let text = self.repository.blob(id)?;
        if text.len() > MOST_COMPARED { Err(RepositoryError::TooLarge(MOST_COMPARED)) } else { Ok(text) }
    }

    fn put(&mut self, id: ObjectId, commit: &Commit, file: (String, ObjectId), lines: Vec<TracedLine>) {
        if lines.is_empty() {
            return;
        }
        if !self.pending.contains_key(&id) {
            self.order.push((commit.time, id));
        }
        let known = self.pending.entry(id).or_default().entry(file).or_default();
        known.extend(lines);
        known.sort();
    }

    fn run(
        &mut self,
        most_commits: usize,
        until: Instant,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(), RepositoryError> {
        let mut looked_at = 0;
        while let Some((_, id)) = self.order.pop() {
            let files = self.pending.remove(&id).unwrap_or_default();
            let commit = self.repository.commit(id)?;
            looked_at += 1;
            let reason = if looked_at > most_commits {
                format!("they are older than {most_commits} commits")
            } else if Instant::now() > until {
                format!("the search was given up after {} s", MOST_TIME.as_secs())
            } else if is_cancelled() {
                "the search was stopped".to_owned()
            } else {
                for (file, lines) in files {
                    self.look_at(id, &commit, &file, lines)?;
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
        id: ObjectId,
        commit: &Commit,
        file: &(String, ObjectId),
        mut lines: Vec<TracedLine>,
    ) -> Result<(), RepositoryError> {
        let (path, here) = file;
        let commit_id = id;
        let mut parents = Vec::new();
        for &id in &commit.parents {
            let parent = match self.repository.commit(id) {
                Err(RepositoryError::Missing) => {
                    let reason = "the repository does not hold their history, as after a shallow clone";
                    self.give_up(&lines, reason.to_owned());
                    return Ok(());
                }
                parent => parent?,
            };
            let there = self.file(&parent, path)?;
            if there == Some(*here) {
                self.put(id, &parent, file.clone(), lines);
                return Ok(());
            }
            parents.push((id, parent, path.clone(), there));
        }
        if let Some((_, parent, earlier, there)) = parents.first_mut()
            && there.is_none()
            && let Some((name, content)) = self.earlier_name(commit, parent, *here)?
        {
            *there = Some(content);
            *earlier = name;
        }
        let now = self.text(*here)?;
        let mut first = None;
        for (id, parent, path, there) in parents {
            let Some(there) = there else { continue };
            let before = self.text(there)?;
            let map = LineMap::between(&before, &now, DiffOptions::new().context_lines(0))?;
            let mut kept = Vec::new();
            let is_passed_over = self.passed_over.contains(&commit_id);
            let earlier =
                |line| map.before(line).or_else(|| map.in_place_of(line).filter(|_| is_passed_over));
            lines.retain(|line| match earlier(line.there) {
                Some(before) => {
                    kept.push(TracedLine { there: before, ..*line });
                    false
                }
                None => true,
            });
            self.put(id, &parent, (path, there), kept);
            first = first.or(Some(before));
        }
        if lines.is_empty() {
            return Ok(());
        }
        let diff = match &first {
            Some(before) => diff_of(before, &now, &lines)?,
            None => String::new(),
        };
        let mut asked: Vec<u32> = lines.iter().map(|line| line.asked).collect();
        asked.sort_unstable();
        self.origins.commits.push(LineOrigin { commit: id, lines: asked, diff });
        Ok(())
    }

    /// The name and the content that a file had before the commit that brought it, where it was renamed: those of a file which the
    /// commit removed and which has the same content, or else more than half of its lines.
    fn earlier_name(
        &self,
        commit: &Commit,
        parent: &Commit,
        content: ObjectId,
    ) -> Result<Option<(String, ObjectId)>, RepositoryError> {
        let removed = self.removed(parent.tree, commit.tree)?;
        if let Some(same) = removed.iter().find(|(_, id)| *id == content) {
            return Ok(Some(same.clone()));
        }
        let now = self.text(content)?;
        let mut best = None;
        for (name, id) in removed {
            // What is too large for being compared is not what it was renamed from.
            let Ok(before) = self.text(id) else { continue };
            let (smaller, larger) = (before.len().min(now.len()), before.len().max(now.len()));
            let is_alike = smaller * 2 >= larger;
            let share = if is_alike { share_of_lines(&before, &now)? } else { 0.0 };
            if share > 0.5 && best.as_ref().is_none_or(|(most, _)| share > *most) {
                best = Some((share, (name, id)));
            }
        }
        Ok(best.map(|(_, found)| found))
    }

    /// The files that one state has and another has not, as far as the bounds let it look.
    fn removed(&self, before: ObjectId, after: ObjectId) -> Result<Vec<(String, ObjectId)>, RepositoryError> {
        let mut found = Vec::new();
        let mut pending = vec![(String::new(), before, Some(after))];
        for _ in 0..RENAME_FOLDERS {
            let Some((above, before, after)) = pending.pop() else { break };
            let before = self.repository.tree(before)?;
            let after = after.map(|after| self.repository.tree(after)).transpose()?;
            let kept: HashMap<&[u8], TreeEntry<'_>> =
                after.iter().flat_map(Tree::entries).map(|entry| (entry.name, entry)).collect();
            for entry in before.entries() {
                let Ok(name) = std::str::from_utf8(entry.name) else { continue };
                let path = format!("{above}{name}");
                match (entry.mode, kept.get(entry.name)) {
                    (_, Some(same)) if same.id == entry.id => {}
                    (EntryMode::Folder, there) => {
                        let there = there.filter(|there| there.mode == EntryMode::Folder);
                        pending.push((format!("{path}/"), entry.id, there.map(|there| there.id)));
                    }
                    (mode, None) if mode.is_file() => found.push((path, entry.id)),
                    _ => {}
                }
                if found.len() == RENAMES {
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }
}
