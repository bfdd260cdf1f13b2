//! The lines nearest to a text that has no place in a file.

use patchwright_folder::checkpoint;
use patchwright_syntax::{line_number, similarity};

use super::Lines;

/// Lines are compared letter by letter up to this length, in bytes.
const LONGEST: usize = 240;

/// Places that are looked at closely.
const CLOSELY: usize = 24;

/// A place less alike than this is not worth showing.
const WORTH_SHOWING: f64 = 0.5;

/// The nearest place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Its first line, from 1.
    pub first: u32,
    /// Its last line.
    pub last: u32,
    /// The first line that differs, from 1.
    pub line: u32,
    /// The line of the file there.
    pub own: String,
    /// The line of the text there.
    pub written: String,
}

/// The place of a file that comes nearest to some lines, if one is at all alike.
pub(crate) fn nearest(file: &Lines, text: &[&str]) -> Option<Nearest> {
    let code: Vec<&str> = text.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let own: Vec<usize> = (0..file.count()).filter(|line| !file.get(*line).trim().is_empty()).collect();
    if code.is_empty() || own.is_empty() {
        return None;
    }
    let count = code.len().min(own.len());
    let windows = || own.windows(count);
    // The line with the most code is compared everywhere, the others only where lines agree.
    let probe = (0..count).max_by_key(|at| code[*at].len()).unwrap_or(0);
    let mut rough: Vec<(f64, usize)> = windows()
        .map(|window| {
            checkpoint();
            let same =
                window.iter().zip(&code).filter(|(own, code)| file.get(**own).trim() == **code).count();
            same as f64 + alike(code[probe], file.get(window[probe]).trim())
        })
        .enumerate()
        .map(|(start, score)| (score, start))
        .collect();
    rough.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let score = |window: &[usize]| {
        let total: f64 = window.iter().zip(&code).map(|(own, code)| alike(code, file.get(*own).trim())).sum();
        total / count as f64
    };
    let close = rough.iter().take(CLOSELY).map(|(_, start)| &own[*start..start + count]);
    let (best, window) = close
        .map(|window| (score(window), window))
        .max_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(left.1)))?;
    let differing = window.iter().zip(&code).find(|(own, code)| file.get(**own).trim() != **code);
    let shown = |at: usize, own: &str, written: &str| Nearest {
        first: line_number(window[0]),
        last: line_number(window[count - 1]),
        line: line_number(at),
        own: own.to_owned(),
        written: written.to_owned(),
    };
    let differing = differing.map(|(own, code)| (*own, *code)).or_else(|| {
        // All of them agree, so the text goes on where the file ends.
        Some((*window.last()?, *code.get(count)?))
    });
    if let Some((at, written)) = differing {
        return (best >= WORTH_SHOWING).then(|| shown(at, file.get(at).trim(), written));
    }
    // The code is the same: its indentation is not, or the blank lines in it.
    let written = text.iter().skip_while(|line| line.trim().is_empty());
    (window[0]..file.count())
        .zip(written)
        .find(|(at, written)| file.get(*at) != **written)
        .map(|(at, written)| shown(at, file.get(at), written))
}

fn alike(left: &str, right: &str) -> f64 {
    if left == right {
        return 1.0;
    }
    if left.len().max(right.len()) > LONGEST {
        return 0.0;
    }
    similarity::by_distance(left, right, 0.0)
}
