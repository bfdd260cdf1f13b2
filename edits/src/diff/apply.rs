//! Hunks worked into the file that they are for.

use std::borrow::Cow;

use patchwright_syntax::decoded;

use super::{FilePatch, Hunk, Mark, lines_of};

/// The reason for which a hunk does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HunkError {
    /// Its lines stand nowhere.
    #[error("the lines of the hunk for line {0} are not there")]
    Missing(u32),
    /// A line cannot be written in the file's encoding.
    #[error("a line of the hunk for line {0} cannot be written in ISO-8859-1, in which the file is")]
    Encoding(u32),
}

impl FilePatch {
    /// The file with the hunks worked in. The lines of a hunk have to fit exactly, wherever they have moved to, but may be in another
    /// encoding.
    ///
    /// # Errors
    /// The first hunk that does not fit.
    pub fn applied(&self, before: &[u8]) -> Result<Vec<u8>, HunkError> {
        // Of ASCII nobody knows which encoding it is in.
        let utf8 = (!before.is_ascii()).then(|| std::str::from_utf8(before).is_ok());
        let lines = lines_of(before);
        let mut after = Vec::with_capacity(before.len());
        let mut done = 0;
        for hunk in &self.hunks {
            let at = place(&lines, hunk, done).ok_or(HunkError::Missing(hunk.old_line))?;
            after.extend(lines[done..at].concat());
            done = at;
            for line in &hunk.lines {
                match line.mark {
                    // As it stands in the file, whatever the encoding of the diff.
                    Mark::Same => after.extend_from_slice(lines[done]),
                    Mark::Removed => {}
                    Mark::Added => {
                        let bytes = encoded(&line.bytes, utf8).ok_or(HunkError::Encoding(hunk.old_line))?;
                        after.extend_from_slice(&bytes);
                    }
                }
                done += usize::from(line.mark != Mark::Added);
            }
        }
        after.extend(lines[done..].concat());
        Ok(after)
    }
}

/// The place of the old lines of a hunk, from `least` on: nearest to the place that the hunk names.
fn place(lines: &[&[u8]], hunk: &Hunk, least: usize) -> Option<usize> {
    let old = hunk.side(Mark::Added);
    let wanted = (hunk.old_line as usize).saturating_sub(1);
    let last = lines.len().checked_sub(old.len())?;
    let fits = |at: &usize| old.iter().zip(&lines[*at..]).all(|(line, there)| same(line, there));
    let named = Some(wanted).filter(|at| (least..=last).contains(at) && fits(at));
    named.or_else(|| (least..=last).filter(fits).min_by_key(|at| at.abs_diff(wanted)))
}

fn same(one: &[u8], other: &[u8]) -> bool {
    one == other || decoded(one) == decoded(other)
}

/// A line in the encoding of its file, where that is known.
fn encoded(line: &[u8], utf8: Option<bool>) -> Option<Cow<'_, [u8]>> {
    match (utf8, std::str::from_utf8(line)) {
        (None, _) | (Some(true), Ok(_)) | (Some(false), Err(_)) => Some(Cow::Borrowed(line)),
        (Some(true), Err(_)) => Some(Cow::Owned(decoded(line).into_owned().into_bytes())),
        (Some(false), Ok(text)) => text
            .chars()
            .map(|character| u8::try_from(u32::from(character)).ok())
            .collect::<Option<_>>()
            .map(Cow::Owned),
    }
}
