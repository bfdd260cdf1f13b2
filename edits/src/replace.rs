//! Replacements: from texts to find to the bytes of a file that change.

use patchwright_syntax::{Language, line_number};

use crate::edit::Replacement;
use crate::elided::{removes_elided, without_elided};
use crate::line_numbers::{Numbers, TELLING, at_line, index};
use crate::located::{Located, MatchFailure};
use crate::matching::{
    self, Indentation, Lines, Match, MatchLevel, Shift, contiguous, nearest, places, split, with_plain_ends,
};
use crate::readings::Placing;
use crate::spliced::{Splice, inserted};

/// The note for a hunk whose unchanged lines lack their sign.
pub(crate) const UNSIGNED: &str =
    "the unchanged lines of the diff are taken as they stand: they have lost the blank before them";
/// Why a hunk is refused if its unchanged lines lack their sign, or seem to.
pub(crate) const UNSIGNED_ELSEWHERE: &str = "some of the unchanged lines of the hunk lack the blank that is their sign; begin each of them with one more blank";
/// The note for a replacement that is written at another indentation than its own.
const REINDENTED: &str = "the replacement is indented as the file is, and not as it is written";

/// Whether what a replacement adds to its text, which begins at this byte, stands there already.
pub(crate) fn already_there(file: &Lines, search: &str, replace: &str, at: usize) -> bool {
    let (search, replace) = (with_plain_ends(search), with_plain_ends(replace));
    let (old, new) = (split(&search), split(&replace));
    let line = file.raw()[..at].matches('\n').count();
    let plain = file.raw()[..at].replace("\r\n", "\n").len();
    continues(file, plain, &search, &replace).is_some()
        || stands_already(file, &old, &new, &Match::exact(line, old.len())).is_some()
}

/// Finds the place of a replacement in a file of a language, if it is one that is known. `numbers` is what the numbers of lines that it comes with
/// are worth.
pub(crate) fn locate(
    file: &Lines,
    replacement: &Replacement,
    language: Option<Language>,
    numbers: Numbers,
) -> Result<Located, MatchFailure> {
    let Replacement { search, replace, whole_lines, line, all, .. } = replacement;
    let is_diff = !replacement.signs.is_empty();
    if search.is_empty() {
        return insertion(file, replace, *line, numbers);
    }
    if search == replace {
        return Err(MatchFailure::NoChange);
    }
    let line = &line.filter(|_| numbers.choose(search));
    if let Some(splice) = line.and_then(|line| to_the_byte(file, search, replace, line)) {
        return Ok(Located { level: MatchLevel::Exact, splices: vec![splice], note: None });
    }
    let (search, replace) = (with_plain_ends(search), with_plain_ends(replace));
    let (old, new) = (split(&search), split(&replace));
    refuse_placeholder(&old, &new)?;
    if let (None, Some(lines)) = (line, depths_of_brackets(file, &old)) {
        return Err(MatchFailure::Ambiguous(lines));
    }
    if !whole_lines {
        match inside_lines(file, &search, &replace, *line, *all)? {
            Inside::Nowhere => {}
            Inside::Parts(found) => return Ok(found),
            Inside::Lines { old, new, place } => {
                let (old, new) = (split(&old), split(&new));
                let others = contiguous(file, &old, MatchLevel::Indent);
                if place.indentation.first_lost && others.len() > 1 {
                    return Err(ambiguous(&others));
                }
                let placed =
                    Placing { file, language, old: &old, new: &new, place: &place, is_diff }.placed()?;
                let note = placed.is_reindented.then(|| REINDENTED.to_owned());
                return Ok(Located { level: MatchLevel::Exact, splices: placed.splices, note });
            }
        }
    }
    let found = places(file, &old, language.map(|language| language.entry().line_comment));
    let chosen = match (found.as_slice(), line) {
        ([], _) => return Err(absent(file, &old, &new)),
        ([only], _) => vec![only],
        (several, _) if *all && several.iter().all(|one| one.level == MatchLevel::Exact) => apart(several),
        (several, line) => {
            let at_line =
                several.iter().find(|one| line.is_some_and(|line| line_number(one.first()) == line));
            vec![at_line.ok_or_else(|| ambiguous(several))?]
        }
    };
    // One column deeper is where a diff lands whose unchanged lines have lost their sign.
    let is_deeper = chosen[0].indentation.shift == Shift::Deeper(" ".to_owned());
    if is_deeper && replacement.signs.contains(' ') {
        return Err(MatchFailure::Unclear(UNSIGNED_ELSEWHERE.to_owned()));
    }
    if let Some(line) = stands_already(file, &old, &new, chosen[0]) {
        return Err(MatchFailure::AlreadyApplied(line));
    }
    if chosen[0].segments.len() > 1 && removes_elided(replacement, &old, &new) {
        return without_elided(file, language, chosen[0], &new);
    }
    let (mut splices, mut is_reindented) = (Vec::new(), false);
    for one in &chosen {
        let placed = Placing { file, language, old: &old, new: &new, place: one, is_diff }.placed()?;
        splices.extend(placed.splices);
        is_reindented |= placed.is_reindented;
    }
    let notes = note(&old, chosen[0]).into_iter().chain(is_reindented.then(|| REINDENTED.to_owned()));
    let note = Some(notes.collect::<Vec<_>>().join("; ")).filter(|note| !note.is_empty());
    Ok(Located { level: chosen[0].level, splices, note })
}

/// The lines at which a text without any word occurs, if its own indentation occurs once and others do too: a text that lost its indentation
/// would be found at the wrong place.
pub(crate) fn depths_of_brackets(file: &Lines, old: &[&str]) -> Option<Vec<u32>> {
    if old.iter().any(|line| line.contains(char::is_alphanumeric)) {
        return None;
    }
    let places = contiguous(file, old, MatchLevel::Indent);
    let same = places.iter().filter(|one| one.indentation == Indentation::SAME).count();
    (same == 1 && places.len() > 1).then(|| places.iter().map(|one| line_number(one.first())).collect())
}

fn ambiguous(places: &[Match]) -> MatchFailure {
    MatchFailure::Ambiguous(places.iter().map(|one| line_number(one.first())).collect())
}

/// Refuses a replacement in which a line stands for code that the text to find has: it would take the place of that code.
pub(crate) fn refuse_placeholder(old: &[&str], new: &[&str]) -> Result<(), MatchFailure> {
    match matching::placeholder(new) {
        Some(line) if !old.iter().any(|old| old.trim() == line.trim()) => Err(MatchFailure::Unclear(
            format!("`{}` stands for code in the replacement; write that code out", line.trim()),
        )),
        Some(_) | None => Ok(()),
    }
}

/// A text without anything to find is all of an empty file, stands at the end of one, or before a line if numbers are confirmed: else the number
/// is a guess, and no line beside the place says otherwise.
fn insertion(file: &Lines, text: &str, line: Option<u32>, numbers: Numbers) -> Result<Located, MatchFailure> {
    let unclear = |reason: &str| Err(MatchFailure::Unclear(reason.to_owned()));
    if text.is_empty() {
        return Err(MatchFailure::NoChange);
    }
    if line.is_none() && file.count() > 0 {
        return unclear(
            "the text to find is empty, which is for new files only; name the lines around the place",
        );
    }
    let at = line.map_or(0, index);
    if at > file.count() {
        return unclear("the place is behind the end of the file");
    }
    if at < file.count() && numbers != Numbers::Confirmed {
        return unclear(
            "only a line number names the place of the new lines, and nothing confirms it; give unchanged lines around the place",
        );
    }
    let splices = vec![inserted(file, at, text)];
    Ok(Located { level: MatchLevel::Exact, splices, note: None })
}

/// The text at exactly the line and to the byte, line ends included: what a diff of this very file says.
pub(crate) fn to_the_byte(file: &Lines, search: &str, replace: &str, line: u32) -> Option<Splice> {
    at_line(file, search, line).map(|range| Splice { range, text: replace.to_owned() })
}

/// What a text is that was looked for anywhere.
enum Inside {
    Nowhere,
    /// Parts of lines.
    Parts(Located),
    /// At one place, whole lines, but for the indentation of the first one; with what they become.
    Lines {
        old: String,
        new: String,
        place: Match,
    },
}

/// The text anywhere, parts of lines included.
fn inside_lines(
    file: &Lines,
    search: &str,
    replace: &str,
    line: Option<u32>,
    all: bool,
) -> Result<Inside, MatchFailure> {
    let plain = file.plain();
    // Places may overlap; each of them is one.
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = plain.get(from..).and_then(|rest| rest.find(search)) {
        found.push(from + at);
        from += at + plain[from + at..].chars().next().map_or(1, char::len_utf8);
    }
    // A part of the blanks before a line is not its indentation.
    let indented = search.starts_with([' ', '\t']);
    found.retain(|at| {
        let before = plain[..*at].rsplit('\n').next().unwrap_or_default();
        !indented || before.is_empty() || !before.trim().is_empty()
    });
    let at_line = |at: &&usize| line == Some(line_number(file.line_at(**at)));
    let chosen: Vec<usize> = match found.as_slice() {
        [] => return Ok(Inside::Nowhere),
        [only] => vec![*only],
        several if all => {
            let mut end = 0;
            let apart = |at: &usize| {
                let apart = *at >= end;
                end = if apart { at + search.len() } else { end };
                apart
            };
            several.iter().copied().filter(apart).collect()
        }
        several => vec![*several.iter().find(at_line).ok_or_else(|| {
            MatchFailure::Ambiguous(several.iter().map(|at| line_number(file.line_at(*at))).collect())
        })?],
    };
    if let [at] = chosen.as_slice()
        && let Some(line) = continues(file, *at, search, replace)
    {
        return Err(MatchFailure::AlreadyApplied(line));
    }
    if let [at] = chosen.as_slice()
        && let Some(lines) = as_lines(file, *at, search, replace)
    {
        return Ok(lines);
    }
    let splices = chosen.iter().map(|at| inside(file, *at, search, replace)).collect();
    Ok(Inside::Parts(Located { level: MatchLevel::Exact, splices, note: None }))
}

/// A text that begins with the code of a line, as whole lines: it may have lost the indentation of its first line, and its
/// replacement not, or the other way round. What comes behind it in its last line stays.
fn as_lines(file: &Lines, mut at: usize, mut search: &str, mut replace: &str) -> Option<Inside> {
    let plain = file.plain();
    let before = |at: usize| plain[..at].rsplit('\n').next().unwrap_or_default();
    if let Some(rest) = search.strip_prefix('\n')
        && !before(at).trim().is_empty()
    {
        // The end of the line before is no blank line.
        (at, search, replace) = (at + 1, rest, replace.strip_prefix('\n').unwrap_or(replace));
    }
    let (before, first) = (before(at), file.line_at(at));
    let end = at + search.len();
    let behind = if search.ends_with('\n') { "" } else { plain[end..].lines().next().unwrap_or_default() };
    if !before.trim().is_empty() || search.trim().is_empty() {
        return None;
    }
    let (old, new) = (format!("{search}{behind}"), format!("{replace}{behind}"));
    let lines = split(&old);
    let code = lines.iter().filter(|line| !line.trim().is_empty()).count();
    let indentation = if before.is_empty() || lines[0].trim().is_empty() {
        Indentation::SAME
    } else if code == 1 {
        Indentation { shift: Shift::Deeper(before.to_owned()), first_lost: false }
    } else {
        Indentation { shift: Shift::None, first_lost: true }
    };
    let place = Match { indentation, ..Match::exact(first, lines.len()) };
    Some(Inside::Lines { old, new, place })
}

/// The line at which the whole of a text that only adds to what is searched stands around a place.
fn continues(file: &Lines, at: usize, search: &str, replace: &str) -> Option<u32> {
    let inner = replace.find(search)?;
    let start = at.checked_sub(inner)?;
    // Blank lines and brackets may stand there for another reason.
    let adds = replace.replacen(search, "", 1).contains(char::is_alphanumeric);
    let stands = adds && replace.contains('\n') && file.plain().get(start..)?.starts_with(replace);
    stands.then(|| line_number(file.line_at(start)))
}

/// One place inside of lines; what both texts share at their ends stays untouched.
fn inside(file: &Lines, at: usize, search: &str, replace: &str) -> Splice {
    let shared = search.bytes().zip(replace.bytes()).take_while(|(old, new)| old == new).count();
    let shared =
        (0..=shared).rev().find(|end| replace.is_char_boundary(*end) && search.is_char_boundary(*end));
    let start = shared.unwrap_or(0);
    let most = search.len().min(replace.len()) - start;
    let tail = search.bytes().rev().zip(replace.bytes().rev()).take(most).take_while(|(old, new)| old == new);
    let tail = (0..=tail.count()).rev().find(|length| {
        search.is_char_boundary(search.len() - length) && replace.is_char_boundary(replace.len() - length)
    });
    let tail = tail.unwrap_or(0);
    let text = &replace[start..replace.len() - tail];
    Splice {
        range: file.raw_at(at + start)..file.raw_at(at + search.len() - tail),
        text: text.replace('\n', file.usual_end()),
    }
}

/// Matches that do not overlap, from the first on.
fn apart(found: &[Match]) -> Vec<&Match> {
    let mut chosen: Vec<&Match> = Vec::new();
    for one in found {
        if chosen.last().is_none_or(|before| before.last() < one.first()) {
            chosen.push(one);
        }
    }
    chosen
}

/// The line at which the new text stands in full around the place of the old one: an addition that was made before.
fn stands_already(file: &Lines, old: &[&str], new: &[&str], place: &Match) -> Option<u32> {
    if new.len() <= old.len() || place.level > MatchLevel::Indent {
        return None;
    }
    let inner = new.windows(old.len().max(1)).position(|window| window == old)?;
    let mut added = new[..inner].iter().chain(&new[inner + old.len()..]);
    added.find(|line| line.contains(char::is_alphanumeric))?;
    let start = place.first().checked_sub(inner)?;
    let same = |(at, line): (usize, &&str)| {
        let shifted = place.indentation.shift.apply(line);
        shifted.is_some_and(|line| line.trim_end() == file.get(start + at).trim_end())
    };
    (start + new.len() <= file.count() && new.iter().enumerate().all(same)).then(|| line_number(start))
}

/// The reason for which a text has no place.
fn absent(file: &Lines, old: &[&str], new: &[&str]) -> MatchFailure {
    if tells(old, new)
        && let [only] = places(file, new, None).as_slice()
        && only.level <= MatchLevel::Whitespace
    {
        let single = new.iter().filter(|line| !line.trim().is_empty()).count() <= 1;
        let failure = if single { MatchFailure::PerhapsApplied } else { MatchFailure::AlreadyApplied };
        return failure(line_number(only.first()));
    }
    let lost = matching::segments(old).is_some() && matching::segments(new).is_none();
    if lost && !new.is_empty() {
        return MatchFailure::Unclear("`...` leaves lines out on one side only".to_owned());
    }
    MatchFailure::NotFound(nearest(file, old))
}

/// Is true if the new lines bring enough of their own to say, where they stand, that they were brought before: what they keep of
/// the old ones says nothing, nor does a line that may stand anywhere.
fn tells(old: &[&str], new: &[&str]) -> bool {
    let brought = || new.iter().filter(|line| !old.iter().any(|old| old.trim() == line.trim()));
    let letters: usize = brought().map(|line| line.chars().filter(|c| c.is_alphanumeric()).count()).sum();
    letters > 0 && (letters >= TELLING || new.iter().filter(|line| !line.trim().is_empty()).count() > 1)
}

/// The differences that were tolerated.
fn note(old: &[&str], place: &Match) -> Option<String> {
    let first = line_number(place.first());
    match place.level {
        MatchLevel::Exact => None,
        MatchLevel::Whitespace => Some(format!("found at line {first}; white space differs")),
        MatchLevel::Indent => {
            Some(format!("found at line {first} at another indentation; the replacement was shifted alike"))
        }
        MatchLevel::Fuzzy if matching::segments(old).is_some() => Some(format!(
            "found at line {first}; `...` stands for lines up to line {}",
            line_number(place.last())
        )),
        MatchLevel::Fuzzy => {
            Some(format!("found at line {first} with typos, {:.0} % alike", place.score * 100.0))
        }
    }
}
