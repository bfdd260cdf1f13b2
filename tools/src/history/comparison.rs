//! Two texts of a file, compared by libgit2: which line stood where before, and what changed.

use git2::{DiffOptions, Patch};
use patchwright_lanes::repository::RepositoryError;

/// Lines around a change.
const CONTEXT: u32 = 2;

/// A line as a commit has it, and as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TracedLine {
    pub(super) there: u32,
    pub(super) asked: u32,
}

/// The share of the lines of the longer one of two texts that stand in both.
#[allow(clippy::cast_precision_loss, reason = "texts are bounded")]
pub(super) fn share_of_lines(before: &[u8], now: &[u8]) -> Result<f64, RepositoryError> {
    let lines = |text: &[u8]| text.split_inclusive(|byte| *byte == b'\n').count();
    let patch = Patch::from_buffers(before, None, now, None, Some(DiffOptions::new().force_text(true)));
    let (_, _, removed) = patch.and_then(|patch| patch.line_stats()).map_err(incomparable)?;
    let (before, now) = (lines(before), lines(now));
    Ok(before.saturating_sub(removed) as f64 / before.max(now).max(1) as f64)
}

/// What libgit2 says of two texts that it cannot compare.
#[allow(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn incomparable(_: git2::Error) -> RepositoryError {
    RepositoryError::Damaged
}

/// Which line of a text stood where before a change.
pub(super) struct LineMap {
    /// For each part that changed its first line and its number of lines now, and the number before.
    parts: Vec<(u32, u32, u32)>,
}

impl LineMap {
    pub(super) fn between(
        before: &[u8],
        now: &[u8],
        options: &mut DiffOptions,
    ) -> Result<Self, RepositoryError> {
        let patch = Patch::from_buffers(before, None, now, None, Some(options.force_text(true)));
        let patch = patch.map_err(incomparable)?;
        let part = |index| {
            let (hunk, _) = patch.hunk(index)?;
            Ok((hunk.new_start(), hunk.new_lines(), hunk.old_lines()))
        };
        let parts = (0..patch.num_hunks()).map(part).collect::<Result<_, git2::Error>>();
        Ok(Self { parts: parts.map_err(incomparable)? })
    }

    /// The number that a line had; `None` for a line that is new.
    pub(super) fn before(&self, line: u32) -> Option<u32> {
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

impl LineMap {
    /// Of a line that is new the one that stood in its place, as far along its part of the change; `None` where nothing did.
    pub(super) fn in_place_of(&self, line: u32) -> Option<u32> {
        let mut shift = 0;
        for &(start, now, old) in &self.parts {
            if (start..start + now).contains(&line) {
                let along = u64::from(line - start) * u64::from(old) / u64::from(now);
                let before = i64::from(start) + shift + i64::try_from(along).ok()?;
                return u32::try_from(before).ok().filter(|_| old > 0);
            }
            shift += i64::from(old) - i64::from(now);
        }
        None
    }
}

/// The parts of a change that touch some lines.
pub(super) fn diff_of(before: &[u8], now: &[u8], lines: &[TracedLine]) -> Result<String, RepositoryError> {
    parts_of(before, now, lines).map_err(incomparable)
}

fn parts_of(before: &[u8], now: &[u8], lines: &[TracedLine]) -> Result<String, git2::Error> {
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
    fn lines_of_a_change_stand_in_place_of_others() {
        let check = |before: &str, now: &str, line: u32, expect: Option<u32>| {
            let mut options = DiffOptions::new();
            let map = LineMap::between(before.as_bytes(), now.as_bytes(), options.context_lines(0)).unwrap();
            assert_eq!(map.in_place_of(line), expect, "{before:?} → {now:?}");
        };
        check("a\nf(b,c)\nd\n", "a\nf(\n b,\n c\n)\nd\n", 3, Some(2));
        check("a\nb\nc\nd\n", "x\ny\na\nB\nC\nd\n", 5, Some(3));
        check("a\nb\n", "a\nx\nb\n", 2, None);
    }

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
