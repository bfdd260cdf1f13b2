#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::path::{Path, PathBuf};

use super::super::element::elements;
use super::super::record::Record;
use super::*;
use crate::source::Source;

fn python() -> Language {
    Language::by_name("python").unwrap()
}

/// What both ways say of a text: by the tree, and by scanning if that says anything.
fn both(text: &str) -> (Record, Option<Record>) {
    let lines = u32::try_from(Source::from_text(text).line_count()).unwrap();
    let scanned = scan(python(), text).map(|(outline, skeleton)| Record {
        lines,
        syntax_errors: 0,
        elements: elements(&outline),
        skeleton,
    });
    (Record::parsed(python(), text, lines), scanned)
}

/// Whether a text was scanned; what that gave must be what the tree gives.
fn agrees(text: &str) -> Result<bool, String> {
    let (parsed, scanned) = both(text);
    match scanned {
        None => Ok(false),
        Some(scanned) if scanned == parsed => Ok(true),
        Some(scanned) => Err(difference(&parsed, &scanned)),
    }
}

fn difference(parsed: &Record, scanned: &Record) -> String {
    if parsed.syntax_errors > 0 {
        return format!("{} syntax errors by the tree", parsed.syntax_errors);
    }
    let (left, right) = (&parsed.elements, &scanned.elements);
    if let Some((left, right)) = left.iter().zip(right).find(|(left, right)| left != right) {
        return format!("element {left:?} by the tree, {right:?} scanned");
    }
    if left.len() != right.len() {
        return format!("{} elements by the tree, {} scanned: {left:#?}", left.len(), right.len());
    }
    let show = |record: &Record| record.skeleton.render(crate::skeleton::SkeletonStyle::default());
    let (left, right) = (show(parsed), show(scanned));
    let pair = left.lines().zip(right.lines()).find(|(left, right)| left != right);
    format!("skeleton: {pair:?} (by the tree, scanned)")
}

/// A simple generator of numbers, the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

/// A text with a few pieces of it deleted, doubled, swapped or put elsewhere.
fn mutant(text: &str, dice: &mut Dice) -> String {
    const PIECES: &[&str] = &[
        "(", ")", "[", "]", "{", "}", ":", ",", ";", "=", "\n", "\n    ", "\n        ", " ", "\\\n", "#", "'",
        "\"", "\"\"\"", "*", "**", "@", ".", "not ", "in ", "is ", "if ", "else", "for ", "lambda ", "yield ",
        "await ", "async ", "print ", "exec ", "match ", "type ", "case ", "def ", "class ", "import ", "from ",
        "return ", "1", "x", "f'{x}'", "f\"{", "}\"", "->", ":=", "==", "-", "~", "\t", "\r\n", "...", "as ",
        "with ", "try:", "except ", "# c\n", "pass\n", "global ", "del ", "u'é'", "b''", "r'\\'", "|", "<",
    ];
    let mut words = words_of(text);
    for _ in 0..=dice.below(3) {
        let place = dice.below(words.len() + 1);
        match dice.below(5) {
            0 if place < words.len() => {
                words.remove(place);
            }
            1 if place < words.len() => words.insert(place, words[place]),
            2 if place + 1 < words.len() => words.swap(place, place + 1),
            3 if !words.is_empty() => {
                let other = words[dice.below(words.len())];
                words.insert(place, other);
            }
            _ => words.insert(place, PIECES[dice.below(PIECES.len())]),
        }
    }
    words.concat()
}

fn words_of(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut from = 0;
    let kind = |letter: char| if letter.is_alphanumeric() || letter == '_' { 1 } else if letter == ' ' { 2 } else { 3 };
    let mut before = 0;
    for (place, letter) in text.char_indices() {
        let now = kind(letter);
        if place > from && (now != before || now == 3) {
            words.push(&text[from..place]);
            from = place;
        }
        before = now;
    }
    words.push(&text[from..]);
    words
}

#[test]
fn files_of_a_folder_are_scanned_as_they_are_parsed() {
    let Some(folders) = std::env::var_os("PATCHWRIGHT_SOURCES") else {
        eprintln!("PATCHWRIGHT_SOURCES names no folder of Python files: skipped");
        return;
    };
    let mutants: usize =
        std::env::var("PATCHWRIGHT_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    for folder in std::env::split_paths(&folders) {
        let mut files = Vec::new();
        collect(&folder, &mut files);
        let results = crate::parallel::over(&files, |path| {
            let mut wrong = Vec::new();
            let Some(source) = std::fs::read(path).ok().and_then(Source::decode) else {
                return (false, false, 0, wrong);
            };
            let text = source.text();
            let scanned = agrees(text).unwrap_or_else(|why| {
                wrong.push(format!("{}: {why}", path.display()));
                false
            });
            let mut dice = Dice(text.len() as u64);
            let mut known = 0;
            for number in 0..mutants {
                // Of a part of the file, so that there are many of them.
                let lines: Vec<&str> = text.split_inclusive('\n').collect();
                let from = dice.below(lines.len());
                let part = lines[from..(from + 40).min(lines.len())].concat();
                let changed = mutant(&part, &mut dice);
                match agrees(&changed) {
                    Ok(scanned) => known += usize::from(scanned),
                    Err(why) => wrong.push(format!("{} mutant {number}: {why}\n{changed}\n====", path.display())),
                }
            }
            (true, scanned, known, wrong)
        });
        let read = results.iter().filter(|(read, ..)| *read).count();
        let scanned = results.iter().filter(|(_, scanned, ..)| *scanned).count();
        let known: usize = results.iter().map(|(_, _, known, _)| known).sum();
        eprintln!(
            "{}: {scanned} of {read} files scanned; {known} of {} mutants",
            folder.display(),
            mutants * read
        );
        let wrong: Vec<&String> = results.iter().flat_map(|(.., wrong)| wrong).collect();
        for one in wrong.iter().take(12) {
            eprintln!("{one}");
        }
        assert!(wrong.is_empty(), "{} texts are scanned otherwise than parsed", wrong.len());
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "py" || extension == "pyi") {
            files.push(path);
        }
    }
}
