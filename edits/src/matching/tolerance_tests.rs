//! The ladder on every block of real sources: what only looks different is found where it stands, what is other code is not.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// Sizes of the blocks that are looked for.
const SIZES: [usize; 3] = [1, 4, 9];

/// All Python and Java sources of the samples.
fn sources() -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if patchwright_syntax::Language::of_path(&path).is_some() {
                found.push((path.clone(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(found.len() > 20, "the samples are there");
    found
}

fn comment(path: &Path) -> Option<&'static str> {
    patchwright_syntax::Language::of_path(path).map(|language| language.entry().line_comment)
}

/// Every third block of a file.
fn blocks<'l>(lines: &'l [&'l str]) -> impl Iterator<Item = (usize, &'l [&'l str])> {
    SIZES.into_iter().flat_map(move |size| {
        lines
            .windows(size)
            .enumerate()
            .step_by(3)
            .filter(|(_, block)| block.iter().any(|line| line.trim().len() > 3))
    })
}

/// Changes of a line that make it other code.
fn other_code(line: &str) -> Vec<String> {
    let swaps = [
        (" + ", " - "),
        (" - ", " + "),
        (" < ", " <= "),
        (" >= ", " > "),
        (" == ", " != "),
        (" and ", " or "),
        (" && ", " || "),
        ("True", "False"),
        ("true", "false"),
        ("null", "this"),
        ("None", "0"),
        (" is ", " is not "),
        ("0", "1"),
        ("1", "2"),
        ("min", "max"),
        ("self.", "other."),
        ("first", "last"),
        ("start", "end"),
        (".get", ".set"),
        ("add", "remove"),
        ("return ", "yield "),
        ("private ", "public "),
        ("int ", "long "),
        ("(", "(not "),
        ("[0]", "[-1]"),
        (", ", ", 0, "),
    ];
    let mut changed: Vec<String> = swaps
        .iter()
        .filter(|(old, _)| line.contains(old))
        .map(|(old, new)| line.replacen(old, new, 1))
        .collect();
    // A name takes the place of another one.
    let names: Vec<&str> =
        line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| word.len() > 2).collect();
    if let [first, .., last] = names.as_slice()
        && first != last
    {
        changed.push(line.replacen(first, last, 1));
        changed.push(line.replacen(last, first, 1));
    }
    changed.retain(|other| other.trim() != line.trim());
    changed
}

/// Whether the code of two lines differs, comments and blanks aside: the sources' own comments may be changed freely.
fn differs_in_code(path: &Path, left: &str, right: &str) -> bool {
    let code = |line: &str| {
        let line = comment(path).and_then(|mark| line.split(mark).next()).unwrap_or(line);
        line.split_whitespace().collect::<String>()
    };
    let prose = left.trim_start().starts_with(['*', '/', '#', '"', '\'']);
    !prose && code(left) != code(right)
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn other_code_is_never_found() {
    let mut tried = 0;
    for (path, text) in sources() {
        let file = Lines::new(&text);
        let lines: Vec<&str> = text.lines().collect();
        for (start, block) in blocks(&lines) {
            let at = start % block.len();
            for other in other_code(block[at]) {
                if !differs_in_code(&path, block[at], &other) {
                    continue;
                }
                let mut changed = block.to_vec();
                changed[at] = &other;
                tried += 1;
                for found in places(&file, &changed, comment(&path)) {
                    let same = found.segments[0].at.iter().flatten();
                    let own: Vec<&str> = same.map(|line| file.get(*line).trim()).collect();
                    let written: Vec<&str> =
                        changed.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
                    let own: Vec<&str> = own.into_iter().filter(|line| !line.is_empty()).collect();
                    assert_eq!(own, written, "{} line {}", path.display(), start + at + 1);
                }
            }
        }
    }
    assert!(tried > 5_000, "{tried}");
}

#[test]
fn what_only_looks_different_is_found_where_it_stands() {
    let (mut tried, mut found) = (0, 0);
    for (path, text) in sources() {
        let file = Lines::new(&text);
        let lines: Vec<&str> = text.lines().collect();
        for (start, block) in blocks(&lines) {
            let exact = places(&file, block, comment(&path));
            if exact.len() != 1 || exact[0].level != MatchLevel::Exact {
                continue;
            }
            for change in [
                &|line: &str| format!("{line}  "),
                &|line: &str| if line.trim().is_empty() { line.to_owned() } else { format!("    {line}") },
                &|line: &str| line.trim_end().to_owned(),
                &|line: &str| format!("{line}\n"),
            ] as [&dyn Fn(&str) -> String; 4]
            {
                let changed: Vec<String> = block.iter().map(|line| change(line)).collect();
                let joined = changed.join("\n");
                let written: Vec<&str> = joined.split('\n').collect();
                let places = places(&file, &written, comment(&path));
                tried += 1;
                if let [only] = places.as_slice() {
                    let first = block.iter().position(|line| !line.trim().is_empty()).unwrap() + start;
                    let own =
                        only.segments[0].at.iter().flatten().find(|line| !file.get(**line).trim().is_empty());
                    // What stands somewhere as it was written is found there.
                    let code = written.iter().find(|line| !line.trim().is_empty());
                    let as_written =
                        own.zip(code).is_some_and(|(own, code)| file.get(*own) == code.trim_end());
                    assert!(
                        own == Some(&first) || as_written,
                        "{} line {} {written:?} {only:?}",
                        path.display(),
                        start + 1
                    );
                    found += usize::from(own == Some(&first));
                }
            }
        }
    }
    // The same line at two indentations has two places once indentation does not count.
    assert!(found * 100 >= tried * 97, "{found} of {tried}");
}
