//! Edits of one to four blocks that nobody damaged, in every format: each is applied byte for byte, or refused with its reason.
//!
//! `PATCHWRIGHT_EDIT_SOURCES` names a folder with the folders `before` and `after`: parts of what differs between two files of a name are the
//! edits. Without it the samples are changed. `PATCHWRIGHT_EDITS` says how many edits are made.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use patchwright_syntax::{Language, Project, new_syntax_error};
use serde_json::json;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

use super::damage::Dice;
use super::folder;
use crate::formats::read_edits_for;
use crate::{EditRules, FileChange, attempt};

/// Edits, unless the environment says otherwise.
const EDITS: usize = 1_000;
/// The most of them that may be refused, in percent.
const MOST_REFUSED: usize = 1;
/// The most blocks of an edit, and unchanged lines on each side of one.
const MOST_BLOCKS: usize = 4;
const MOST_AROUND: usize = 4;
/// By so much are wrong numbers wrong.
const WRONG: usize = 40;
/// Bytes of a file.
const LONGEST: usize = 100_000;

/// Two versions of a file, as lines with their ends.
struct Pair {
    path: String,
    before: Vec<String>,
    after: Vec<String>,
}

/// Lines of the file before, and what they become.
struct Block {
    old: Range<usize>,
    new: Vec<String>,
    /// The lines that change among `old`, each run with what it becomes.
    runs: Vec<(Range<usize>, Vec<String>)>,
}

const FORMS: [&str; 8] = [
    "blocks",
    "str_replace",
    "replacements",
    "diff",
    "diff, wrong numbers",
    "diff, no numbers",
    NO_BLANKS,
    NO_BLANK_ONCE,
];
/// The unchanged lines lack their sign, all of them or the first: such an edit is no clean one, and may be refused.
const NO_BLANKS: &str = "diff, blanks lost";
const NO_BLANK_ONCE: &str = "diff, blank lost once";

fn lines_of(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}

fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in ignore::WalkBuilder::new(root).standard_filters(false).build() {
        let path = entry.unwrap().into_path();
        if path.is_file() {
            found.push(path.strip_prefix(root).unwrap().to_owned());
        }
    }
    found.sort();
    found
}

fn pairs(dice: &mut Dice) -> Vec<Pair> {
    let given = env::var_os("PATCHWRIGHT_EDIT_SOURCES")
        .map(PathBuf::from)
        .filter(|root| root.join("before").is_dir());
    let root = given
        .clone()
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples"), |root| root.join("before"));
    let mut pairs = Vec::new();
    for (number, path) in files(&root).into_iter().enumerate() {
        let Ok(before) = fs::read_to_string(root.join(&path)) else { continue };
        let after = match &given {
            Some(given) => fs::read_to_string(given.join("after").join(&path)).ok(),
            None => Some(invented(&before, dice)),
        };
        let name = path.file_name().unwrap().to_str().unwrap();
        let Some(after) = after.filter(|after| *after != before && before.len() < LONGEST && name != "go")
        else {
            continue;
        };
        // Names that forbid an edit are not what is tried here.
        let path = format!("d{number}/{name}");
        pairs.push(Pair { path, before: lines_of(&before), after: lines_of(&after) });
    }
    pairs
}

/// A file in which some lines are doubled, some gone, and some read otherwise.
fn invented(before: &str, dice: &mut Dice) -> String {
    let mut after = String::new();
    for line in before.split_inclusive('\n') {
        match dice.below(40) {
            0 => {}
            1 => after.push_str(&line.replacen('(', "(0, ", 1)),
            2 => after.push_str(&format!("{line}{line}")),
            _ => after.push_str(line),
        }
    }
    after
}

/// Some blocks of what differs, from above, none of which touches another.
fn blocks(pair: &Pair, dice: &mut Dice) -> Vec<Block> {
    let operations = capture_diff_slices(Algorithm::Myers, &pair.before, &pair.after);
    let changes: Vec<DiffOp> = operations.into_iter().filter(|one| one.tag() != DiffTag::Equal).collect();
    let wanted = 1 + dice.below(MOST_BLOCKS);
    let first = dice.below(changes.len().saturating_sub(wanted) + 1);
    let mut blocks: Vec<Block> = Vec::new();
    for change in changes.into_iter().skip(first).take(wanted) {
        let old = change.old_range();
        let least = usize::from(old.is_empty());
        let (above, below) = (least.max(dice.below(MOST_AROUND)), dice.below(MOST_AROUND));
        let from = old.start.saturating_sub(above);
        let to = (old.end + below.max(usize::from(from == old.start) * least)).min(pair.before.len());
        let run = (old.clone(), pair.after[change.new_range()].to_vec());
        let end = |lines: Range<usize>| pair.before[lines].to_vec();
        if let Some(block) = blocks.last_mut().filter(|block| block.old.end >= from) {
            // The lines between two changes are in both.
            if block.old.end > old.start {
                block.new.truncate(block.new.len() - (block.old.end - old.start));
            } else {
                block.new.extend(end(block.old.end..old.start));
            }
            block.new.extend(run.1.iter().cloned().chain(end(old.end..to)));
            block.old.end = to;
            block.runs.push(run);
        } else {
            let new = end(from..old.start).into_iter().chain(run.1.clone()).chain(end(old.end..to)).collect();
            blocks.push(Block { old: from..to, new, runs: vec![run] });
        }
    }
    blocks
}

/// The file as it is meant to become.
fn meant(pair: &Pair, blocks: &[Block]) -> String {
    let mut lines = pair.before.clone();
    for block in blocks.iter().rev() {
        lines.splice(block.old.clone(), block.new.iter().cloned());
    }
    lines.concat()
}

/// Blocks in a format; `None` where it cannot say them.
fn written(form: &str, pair: &Pair, blocks: &[Block]) -> Option<String> {
    let path = &pair.path;
    let old = |block: &Block| pair.before[block.old.clone()].concat();
    let new = |block: &Block| block.new.concat();
    let is_open = |text: &str| !text.is_empty() && !text.ends_with('\n');
    let is_marker = |text: &str| ["<<<<<", ">>>>>", "```"].iter().any(|mark| text.contains(mark));
    let text = match form {
        "blocks" => {
            // A line without its end, an empty text to find, and lines like the first and last mark cannot be said.
            let cannot = |block: &&Block| {
                let (old, new) = (old(block), new(block));
                old.is_empty() || is_open(&old) || is_open(&new) || is_marker(&old) || is_marker(&new)
            };
            if blocks.iter().any(|block| cannot(&block)) {
                return None;
            }
            let block = |block: &Block| {
                format!("{path}\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n\n", old(block), new(block))
            };
            blocks.iter().map(block).collect()
        }
        "str_replace" => {
            let call = |block: &Block| json!({"command": "str_replace", "path": path, "old_str": old(block), "new_str": new(block)});
            serde_json::to_string(&blocks.iter().map(call).collect::<Vec<_>>()).unwrap()
        }
        "replacements" => {
            let call = |block: &Block| json!({"search": old(block), "replace": new(block)});
            let all: Vec<_> = blocks.iter().map(call).collect();
            json!([{"file_path": path, "replacements": all}]).to_string()
        }
        _ => {
            if pair.before.iter().chain(&pair.after).any(|line| line.contains('\r')) {
                return None;
            }
            // Without its sign a line that begins with one says something else.
            let reads_as_sign = |block: &Block| {
                pair.before[block.old.clone()].iter().any(|line| line.starts_with(['+', '-', '\\']))
            };
            if form.starts_with("diff, blank") && blocks.iter().any(reads_as_sign) {
                return None;
            }
            let mut text = format!("```diff\n--- a/{path}\n+++ b/{path}\n");
            let mut shift = 0_isize;
            for block in blocks {
                let (count, new_count) = (block.old.len(), block.new.len());
                let start = |at: usize, count: usize| if count == 0 { at } else { at + 1 };
                let head = match form {
                    "diff" | NO_BLANKS | NO_BLANK_ONCE => {
                        let new_start = block.old.start.saturating_add_signed(shift);
                        format!(
                            "@@ -{},{count} +{},{new_count} @@",
                            start(block.old.start, count),
                            start(new_start, new_count)
                        )
                    }
                    "diff, wrong numbers" => {
                        format!("@@ -{},1 +{},99 @@", block.old.start + WRONG, block.old.start + 7)
                    }
                    _ => "@@".to_owned(),
                };
                shift += new_count.cast_signed() - count.cast_signed();
                let _ = writeln!(text, "{head}");
                let mut is_lost = form == NO_BLANKS || form == NO_BLANK_ONCE;
                let mut lines = |sign: char, lines: &[String]| {
                    for line in lines {
                        if sign == ' ' && is_lost {
                            is_lost = form == NO_BLANKS;
                        } else {
                            text.push(sign);
                        }
                        text.push_str(line);
                        if !line.ends_with('\n') {
                            text.push_str("\n\\ No newline at end of file\n");
                        }
                    }
                };
                let mut at = block.old.start;
                for (run, new) in &block.runs {
                    lines(' ', &pair.before[at..run.start]);
                    lines('-', &pair.before[run.clone()]);
                    lines('+', new);
                    at = run.end;
                }
                lines(' ', &pair.before[at..block.old.end]);
            }
            text + "```\n"
        }
    };
    Some(text)
}

/// Whether the edited file equals the expected text. For diffs with lost signs, trailing white space is ignored.
fn is_as_meant(form: &str, file: &FileChange, expect: &str) -> bool {
    let ends = |text: &str| text.lines().map(str::trim_end).map(str::to_owned).collect::<Vec<_>>();
    file.after.as_deref().is_some_and(|after| {
        let after = std::str::from_utf8(after).unwrap();
        after == expect || form.starts_with("diff, blank") && ends(after) == ends(expect)
    })
}

#[derive(Default)]
struct Tally {
    right: usize,
    refused: usize,
    ambiguous: usize,
    wrong: usize,
}

#[test]
#[allow(clippy::print_stderr, reason = "it prints a table of results")]
fn an_undamaged_edit_is_applied_byte_for_byte_or_refused() {
    let count = env::var("PATCHWRIGHT_EDITS").ok().and_then(|count| count.parse().ok()).unwrap_or(EDITS);
    let mut dice = Dice(7);
    let pairs = pairs(&mut dice);
    let contents: Vec<(&str, String)> =
        pairs.iter().map(|pair| (pair.path.as_str(), pair.before.concat())).collect();
    let contents: Vec<(&str, &[u8])> = contents.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    let root = folder(&contents);
    let project = Project::open(root.path()).unwrap();
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let (mut wrong, mut refused, mut done) = (Vec::new(), Vec::new(), 0);
    while done < count {
        let pair = &pairs[dice.below(pairs.len())];
        let form = FORMS[dice.below(FORMS.len())];
        let blocks = blocks(pair, &mut dice);
        let expect = meant(pair, &blocks);
        // A part of a change may be no whole by itself.
        let is_broken = Language::of_path(Path::new(&pair.path))
            .is_some_and(|language| new_syntax_error(language, &pair.before.concat(), &expect).is_some());
        if is_broken || expect == pair.before.concat() {
            continue;
        }
        // A wrong number may be right for another place.
        let stands_there = |block: &Block| {
            let lines = block.old.start + WRONG - 1..block.old.end + WRONG - 1;
            pair.before.get(lines).is_some_and(|lines| *lines == pair.before[block.old.clone()])
        };
        if form == "diff, wrong numbers" && blocks.iter().all(stands_there) {
            continue;
        }
        let Some(text) = written(form, pair, &blocks) else { continue };
        done += 1;
        let reading = read_edits_for(&project, &text, None).map_err(|error| error.to_string());
        let result = reading.and_then(|reading| {
            attempt(&project, &reading.edits, &EditRules::default()).result.map_err(|error| error.to_string())
        });
        let tally = tallies.entry(form).or_default();
        match result {
            Ok(applied) if applied.files.len() == 1 && is_as_meant(form, &applied.files[0], &expect) => {
                tally.right += 1;
            }
            Ok(applied) => {
                tally.wrong += 1;
                wrong.push(format!("{form}: {}\n{text}\nbecame\n{}", pair.path, applied.diff()));
            }
            Err(error) if error.contains(" times, at lines ") => tally.ambiguous += 1,
            Err(error) => {
                tally.refused += 1;
                if form.starts_with("diff, blank") && form != NO_BLANKS {
                    continue;
                }
                refused.push(format!("{form}: {}: {error}\n{text}", pair.path));
            }
        }
    }
    let mut table =
        format!("{:24}{:>9}{:>9}{:>11}{:>9}\n", "format", "right", "refused", "ambiguous", "wrong");
    for (form, Tally { right, refused, ambiguous, wrong }) in &tallies {
        let _ = writeln!(table, "{form:24}{right:9}{refused:9}{ambiguous:11}{wrong:9}");
    }
    eprintln!("{table}");
    if let Some(path) = env::var_os("PATCHWRIGHT_EDIT_REPORT") {
        fs::write(path, format!("{}\n=====REFUSED\n{}", wrong.join("\n=====\n"), refused.join("\n=====\n")))
            .unwrap();
    }
    assert!(wrong.is_empty(), "{} of {done}\n{}", wrong.len(), wrong.first().unwrap());
    assert!(
        refused.len() * 100 <= done * MOST_REFUSED,
        "{} of {done} are refused: {}",
        refused.len(),
        refused.first().unwrap()
    );
}
