//! Messages of a program that a text quotes, and where the program's code writes them.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;

use crate::index::IndexedFile;

/// Words of a text in a row that hardly stand in code by chance.
const WORDS: usize = 4;
/// The same where they are all that a string of the code has before something that it puts in: `"cannot read {path} twice"`.
const FIRST_WORDS: usize = 2;
/// Letters that they have at least.
const LETTERS: usize = 10;
/// Places at which code may write the same words, so that these still lead somewhere.
const MOST_PLACES: usize = 2;
/// Rows of words that are looked for, the first of a text.
const MOST_ROWS: usize = 8_000;
/// What begins a string of a program.
const QUOTES: [char; 3] = ['"', '\'', '`'];
/// What is put into a string begins so: `{name}`, `%s`, `${name}`.
const PUT_IN: [char; 3] = ['{', '%', '$'];

/// The lines of files whose code writes words of a text, such as a message that an issue quotes: those with most of them first, then in the
/// order of the text. A message that the code puts together is found by the parts of it that stand in the code.
pub(crate) fn quoted<'f>(files: &[&'f IndexedFile], text: &str) -> Vec<(&'f IndexedFile, u32)> {
    let is_import = |line: &&str| ["import ", "from "].iter().any(|word| line.trim_start().starts_with(word));
    let lines = text.lines().filter(|line| !(is_import(line) && line.contains("import ")));
    let rows: Vec<Row<'_>> = lines.flat_map(rows).take(MOST_ROWS).collect();
    let searcher = AhoCorasick::new(rows.iter().map(|row| row.text));
    let Some(searcher) = searcher.ok().filter(|_| !rows.is_empty()) else { return Vec::new() };
    // The places of each row of words.
    let mut places: BTreeMap<usize, BTreeSet<(usize, u32)>> = BTreeMap::new();
    for (place, file) in files.iter().enumerate() {
        let Some(source) = file.source() else { continue };
        for (line, number) in source.lines().into_iter().zip(1..) {
            for found in searcher.find_overlapping_iter(line) {
                let row = found.pattern().as_usize();
                let known = places.entry(row).or_default();
                if known.len() <= MOST_PLACES
                    && rows[row].is_written(&line[..found.start()], &line[found.end()..])
                {
                    known.insert((place, number));
                }
            }
        }
    }
    let mut counts: BTreeMap<(usize, u32), (usize, usize)> = BTreeMap::new();
    for (row, places) in places.into_iter().filter(|(_, places)| places.len() <= MOST_PLACES) {
        for place in places {
            counts.entry(place).or_insert((0, row)).0 += 1;
        }
    }
    let mut found: Vec<_> = counts.into_iter().collect();
    found.sort_by_key(|(_, (count, row))| (std::cmp::Reverse(*count), *row));
    found.into_iter().map(|((place, line), _)| (files[place], line)).collect()
}

/// Words of a text, without what surrounds them.
struct Row<'t> {
    text: &'t str,
    words: usize,
}

impl Row<'_> {
    /// Is true if a program writes them where they stand on a line between `before` and `after`: in no comment, and in no documentation.
    fn is_written(&self, before: &str, after: &str) -> bool {
        if self.words >= WORDS {
            return holds_quote(before);
        }
        before.ends_with(QUOTES) && after.trim_start_matches([' ', ':']).starts_with(PUT_IN)
    }
}

/// Whether a string of a program may begin in a text: an apostrophe within a word begins none.
fn holds_quote(text: &str) -> bool {
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_within_word =
            before.is_alphanumeric() && letters.peek().is_some_and(|next| next.is_alphanumeric());
        if QUOTES.contains(&letter) && !(letter == '\'' && is_within_word) {
            return true;
        }
        before = letter;
    }
    false
}

/// The words of a line, so many in a row.
fn rows(line: &str) -> Vec<Row<'_>> {
    let words: Vec<&str> = line.split_whitespace().take(MOST_ROWS).collect();
    let start = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    let row = |words: &[&str]| {
        let (first, last) = (words.first()?, words.last()?);
        let text = &line[start(first)..start(last) + last.len()];
        let text = text.trim_matches(|letter: char| !letter.is_alphanumeric());
        let is_text = text.chars().filter(|letter| letter.is_alphabetic()).count() >= LETTERS;
        is_text.then_some(Row { text, words: words.len() })
    };
    let of = |count: usize| words.windows(count).filter_map(row).collect::<Vec<_>>();
    (FIRST_WORDS..=WORDS).flat_map(of).collect()
}
