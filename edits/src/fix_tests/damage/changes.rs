//! Correct changes of sources: one run of lines becomes another.

use std::path::Path;

use patchwright_syntax::Language;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::{Dice, Source};
use crate::matching::{Lines, Match, indentation};
use crate::soundness::Checks;
use crate::spliced::Splice;

/// The most lines of a change.
const LONGEST: usize = 30;

/// A change of one run of lines, with unchanged lines around it.
pub(super) struct Change {
    pub path: String,
    before: String,
    /// The first of `old` in the file, from 0.
    pub first: usize,
    /// The lines, with those around, without their ends.
    pub old: Vec<String>,
    pub new: Vec<String>,
}

impl Change {
    /// The file as it is meant to become.
    pub fn after(&self) -> String {
        let mut lines: Vec<&str> = self.before.lines().collect();
        lines.splice(self.first..self.first + self.old.len(), self.new.iter().map(String::as_str));
        lines.iter().flat_map(|line| [*line, "\n"]).collect()
    }
}

impl Change {
    /// Is true if lines stand in the file as they are, but at another place.
    pub fn stands_elsewhere(&self, lines: &[String]) -> bool {
        let own: Vec<&str> = self.before.lines().collect();
        let same = |window: &[&str]| window.iter().zip(lines).all(|(own, line)| own == line);
        own.windows(lines.len()).enumerate().any(|(first, window)| first != self.first && same(window))
    }
}

/// Some changes of a source that leave it sound.
pub(super) fn changes(source: &Source, dice: &mut Dice) -> Vec<Change> {
    let lines: Vec<&str> = source.before.lines().collect();
    let raw = match &source.after {
        Some(after) => between(&lines, &after.lines().collect::<Vec<_>>()),
        None => (0..12).filter_map(|_| invented(source, &lines, dice)).collect(),
    };
    let language = Language::of_path(Path::new(&source.path)).unwrap();
    let around = |(first, old, new): (usize, usize, Vec<String>)| {
        let (above, below) = (dice.below(4).min(first), dice.below(4).min(lines.len() - first - old));
        let before = |from: usize, to: usize| lines[from..to].iter().map(|line| (*line).to_owned());
        let last = first + old;
        Change {
            path: source.path.clone(),
            before: source.before.clone(),
            first: first - above,
            old: before(first - above, last + below).collect(),
            new: before(first - above, first).chain(new).chain(before(last, last + below)).collect(),
        }
    };
    let file = Lines::new(&source.before);
    let checks = Checks::new(language, &file);
    // What moves code that it does not name is a part of a change only.
    let sound = |change: &Change| {
        let lines = change.first..change.first + change.old.len();
        let text = change.new.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        let splice = Splice { range: file.range(lines.clone()), text };
        let place = Match::exact(change.first, lines.len());
        !change.old.iter().all(|line| line.trim().is_empty())
            && checks.fault(&change.after(), &[splice], &place).is_none()
            && change.after() != source.before.replace("\r\n", "\n")
    };
    raw.into_iter().map(around).filter(sound).collect()
}

/// The hunks between two versions.
fn between(old: &[&str], new: &[&str]) -> Vec<(usize, usize, Vec<String>)> {
    let operations = capture_diff_slices(Algorithm::Myers, old, new).into_iter();
    operations
        .filter(|one| one.tag() != DiffTag::Equal)
        .filter(|one| one.old_range().len().max(one.new_range().len()) <= LONGEST)
        .map(|one| {
            let new = new[one.new_range()].iter().map(|line| (*line).to_owned()).collect();
            (one.old_range().start, one.old_range().len(), new)
        })
        .collect()
}

/// A change as a fix might make it.
fn invented(source: &Source, lines: &[&str], dice: &mut Dice) -> Option<(usize, usize, Vec<String>)> {
    let at = dice.below(lines.len());
    let line = *lines.get(at)?;
    let own = indentation(line);
    let python = Language::of_path(Path::new(&source.path)) == Language::by_name("python");
    let unit = if source.before.contains("\n\t") { "\t" } else { "    " };
    let call = if python { "note(state)" } else { "note(state);" };
    let code = |line: &&&str| !line.trim().is_empty();
    if line.trim().is_empty() {
        return Some((at, usize::from(dice.below(2) == 0), Vec::new())).filter(|one| one.1 == 1);
    }
    let called = format!("{own}{call}");
    let before = lines[..at].iter().rev().find(code).map_or("", |line| indentation(line));
    let change = match dice.below(10) {
        0 => (at, 0, vec![called]),
        1 => (at + 1, 0, vec![called]),
        2 => (at, 1, vec![]),
        3 => (at, 1, vec![called, renamed(line, dice)]),
        // A run of lines goes into a block of its own.
        4 => {
            let deeper = |line: &&&str| indentation(line).starts_with(own) && !line.trim().is_empty();
            let count = lines[at..].iter().take_while(deeper).take(1 + dice.below(4)).count();
            let head = if python { "if state:" } else { "if (state) {" };
            let mut new = vec![format!("{own}{head}")];
            new.extend(lines[at..at + count].iter().map(|line| format!("{unit}{line}")));
            new.extend((!python).then(|| format!("{own}}}")));
            (at, count, new)
        }
        // The line in the place of several, which may be deeper.
        5 => {
            let up = dice.below(4).min(at);
            (at - up, up + 1, vec![renamed(line, dice)])
        }
        // At the depth of the lines before.
        6 => (at, 0, vec![format!("{before}{call}")]),
        7 => (at, 0, vec![String::new()]),
        8 => (
            at,
            1,
            vec![
                format!("{own}if {}state{}", if python { "" } else { "(" }, if python { ":" } else { ")" }),
                format!("{own}{unit}{call}"),
                line.to_owned(),
            ],
        ),
        _ => (at, 1, vec![renamed(line, dice)]),
    };
    Some(change)
}

/// A line with another name in it.
fn renamed(line: &str, dice: &mut Dice) -> String {
    let names: Vec<&str> =
        line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| word.len() > 2).collect();
    match names.get(dice.below(names.len())) {
        Some(name) => line.replacen(name, &format!("{name}_2"), 1),
        None => line.to_owned(),
    }
}
