//! Correct edits, damaged as models damage them: each is applied as its writer meant it, or refused.
//!
//! The sources are the samples, and some of them with other line ends and with tabs. `PATCHWRIGHT_EDIT_SOURCES` names a folder with more;
//! where it holds the folders `before` and `after`, the changes between the two are taken as they are. `PATCHWRIGHT_EDITS` says how many
//! edits are damaged.

mod changes;
mod slips;
mod written;

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use patchwright_syntax::{Language, Project, normal_form};

use self::changes::changes;
use self::slips::SLIPS;
use super::folder;
use crate::formats::read_edits;
use crate::{EditRules, attempt};

/// Damaged edits, unless the environment says otherwise.
const EDITS: usize = 2_000;

/// A repeatable choice of numbers (SplitMix64).
pub(super) struct Dice(pub(super) u64);

impl Dice {
    /// A number below `count`, or 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 1).unwrap() % count.max(1)
    }
}

/// A source file, and what became of it where that is known.
struct Source {
    path: String,
    before: String,
    after: Option<String>,
}

/// The sources below a folder.
fn sources_in(root: &Path) -> Vec<(PathBuf, String)> {
    let mut folders = vec![root.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if Language::of_path(&path).is_some()
                && let Ok(text) = fs::read_to_string(&path)
                && text.len() < 100_000
            {
                found.push((path.strip_prefix(root).unwrap().to_owned(), text));
            }
        }
    }
    found.sort();
    found
}

fn sources() -> Vec<Source> {
    let named =
        |number: usize, path: &Path| format!("s{number}.{}", path.extension().unwrap().to_str().unwrap());
    let mut texts = Vec::new();
    if let Some(root) = env::var_os("PATCHWRIGHT_EDIT_SOURCES").map(PathBuf::from) {
        let (before, after) = (root.join("before"), root.join("after"));
        if before.is_dir() {
            for (path, text) in sources_in(&before) {
                let after = fs::read_to_string(after.join(&path)).ok().filter(|after| *after != text);
                texts.extend(after.map(|after| (path, text, Some(after))));
            }
        } else {
            texts.extend(sources_in(&root).into_iter().map(|(path, text)| (path, text, None)));
        }
    } else {
        let samples = sources_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples"));
        for (number, (path, text)) in samples.into_iter().enumerate() {
            texts.push((path.clone(), text.clone(), None));
            match number % 6 {
                0 => texts.push((path, text.replace('\n', "\r\n"), None)),
                3 => texts.push((path, text.replace("    ", "\t"), None)),
                _ => {}
            }
        }
    }
    let source = |(number, (path, before, after)): (usize, (PathBuf, String, Option<String>))| Source {
        path: named(number, &path),
        before,
        after,
    };
    texts.into_iter().enumerate().map(source).collect()
}

/// The outcomes of the edits with one kind of damage.
#[derive(Default)]
struct Tally {
    right: usize,
    /// The file means the same, but does not look as it was meant to.
    cosmetic: usize,
    refused: usize,
    wrong: usize,
}

/// A text as it counts: without white space at line ends, where the damage is there.
fn counted(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

#[test]
#[allow(clippy::print_stderr, reason = "its figures are for whoever runs it")]
fn a_damaged_edit_does_what_was_meant_or_is_refused() {
    let count = env::var("PATCHWRIGHT_EDITS").ok().and_then(|count| count.parse().ok()).unwrap_or(EDITS);
    let sources = sources();
    let files: Vec<(&str, &[u8])> =
        sources.iter().map(|source| (source.path.as_str(), source.before.as_bytes())).collect();
    let root = folder(&files);
    let project = Project::open(root.path()).unwrap();
    let mut dice = Dice(1);
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut done = 0;
    while done < count {
        let source = &sources[dice.below(sources.len())];
        for change in changes(source, &mut dice) {
            for slip in SLIPS {
                let Some(text) = slip.written(&change, &mut dice) else { continue };
                done += 1;
                let edits = read_edits(&text, None).map(|reading| reading.edits);
                let result =
                    edits.ok().and_then(|edits| attempt(&project, &edits, &EditRules::default()).result.ok());
                let tally = tallies.entry(slip.name).or_default();
                let Some(applied) = result else {
                    tally.refused += 1;
                    continue;
                };
                let after = String::from_utf8(applied.files[0].after.clone().unwrap()).unwrap();
                let meant = change.after();
                let windows = source.before.contains('\r');
                let ends_stay =
                    after.matches("\r\n").count() == if windows { after.matches('\n').count() } else { 0 };
                if ends_stay && counted(&after) == counted(&meant) {
                    tally.right += 1;
                    continue;
                }
                let language = Language::of_path(Path::new(&change.path));
                let form = |text: &str| normal_form(language, text.as_bytes());
                if ends_stay && form(&after) == form(&meant) {
                    tally.cosmetic += 1;
                    continue;
                }
                tally.wrong += 1;
                wrong.push(format!("{}: {}\n{text}\nbecame\n{}", slip.name, change.path, applied.diff()));
            }
        }
    }
    let mut table = format!("{:36}{:>9}{:>9}{:>9}{:>9}\n", "damage", "right", "alike", "refused", "wrong");
    for (name, tally) in &tallies {
        let Tally { right, cosmetic, refused, wrong } = tally;
        let _ = writeln!(table, "{name:36}{right:9}{cosmetic:9}{refused:9}{wrong:9}");
    }
    eprintln!("{table}");
    assert!(wrong.is_empty(), "{} of {done}\n{}", wrong.len(), wrong.join("\n\n"));
}
