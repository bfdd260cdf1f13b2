//! The diff between two texts.

use patchwright_syntax::{ProjectPath, line_number, line_operations};
use similar::{DiffOp, DiffTag, group_diff_ops};

use super::{FilePatch, Hunk, Line, Mark};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// The diff of one file, empty if nothing differs. `None` is a file that does not exist.
pub(crate) fn unified(path: &ProjectPath, before: Option<&[u8]>, after: Option<&[u8]>) -> Vec<u8> {
    if before == after {
        return Vec::new();
    }
    let old = lines_of(before.unwrap_or_default());
    let new = lines_of(after.unwrap_or_default());
    let groups = group_diff_ops(line_operations(&old, &new), CONTEXT);
    let file = FilePatch {
        old: before.map(|_| format!("a/{}", path.as_str())),
        new: after.map(|_| format!("b/{}", path.as_str())),
        hunks: groups.iter().filter_map(|group| hunk(group, &old, &new)).collect(),
        ..FilePatch::default()
    };
    let mut diff = Vec::new();
    file.write(&mut diff);
    diff
}

fn hunk(group: &[DiffOp], old: &[&[u8]], new: &[&[u8]]) -> Option<Hunk> {
    let first = group.first()?;
    let mut lines = Vec::new();
    let mut extend = |mark: Mark, some: &[&[u8]]| {
        lines.extend(some.iter().map(|line| Line { mark, bytes: line.to_vec() }));
    };
    for operation in group {
        let removed = &old[operation.old_range()];
        if operation.tag() == DiffTag::Equal {
            extend(Mark::Same, removed);
        } else {
            extend(Mark::Removed, removed);
            extend(Mark::Added, &new[operation.new_range()]);
        }
    }
    let (old_line, new_line) = (line_number(first.old_range().start), line_number(first.new_range().start));
    Some(Hunk { old_line, new_line, lines, ..Hunk::default() })
}

/// The lines of a text, each with its end.
pub(crate) fn lines_of(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}
