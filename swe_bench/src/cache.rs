//! Verdicts of earlier evaluations. A verdict is found again by what was evaluated, never by the name of a
//! run: the official program takes the verdict of another patch for one's own when a run is repeated under
//! its name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use patchwright_folder::atomic::write_atomically;
use patchwright_folder::{LONGEST_FILE, read_file};
use serde::{Deserialize, Serialize};

use super::grade::{Graded, Judged, RequiredTests};
use super::parsers::Parser;
use super::rows::Row;
use super::rules::Rules;

/// The version of reading logs and counting tests: to be changed with either, so that no verdict of before is believed.
const READING: &str = "swe-bench verdict 2";

/// The fingerprint of an evaluation's inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VerdictKey(blake3::Hash);

/// The inputs of a verdict.
#[derive(Clone, Copy, Debug)]
pub struct VerdictInputs<'a> {
    /// The patch, as it is applied.
    pub patch: &'a str,
    /// The image in which it is tested: name and digest, as far as they are known.
    pub image: &'a str,
    /// The script that tests it.
    pub script: &'a str,
    /// Is true if the script may reach the network, from which it may install.
    pub network: bool,
    /// The row, for its required tests and how they are counted.
    pub row: &'a Row,
    /// The parser of the log.
    pub parser: Parser,
    /// The rules.
    pub rules: Rules,
}

impl VerdictKey {
    /// The fingerprint of all of it.
    pub fn of(question: &VerdictInputs<'_>) -> Self {
        let VerdictInputs { patch, image, script, network, row, parser, rules } = question;
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &str| {
            // With its length before it, no two lists of parts look the same.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        };
        let counted = format!("{:?} {network}", row.eval_type);
        for part in [READING, patch, image, script, &counted, parser.name(), rules.book().name] {
            add(part);
        }
        // Parsers and counting know single cases and projects.
        for part in [&row.instance_id, &row.repo, &row.version] {
            add(part);
        }
        for tests in [&row.fail_to_pass, &row.pass_to_pass] {
            add(&tests.len().to_string());
            for test in tests {
                add(test);
            }
        }
        Self(hasher.finalize())
    }
}

/// A folder of verdicts. Only verdicts on tests are kept: where nothing was found, the case is evaluated again.
#[derive(Clone, Debug)]
pub struct VerdictCache {
    folder: PathBuf,
}

/// A verdict on disk.
#[derive(Serialize, Deserialize)]
struct Stored {
    fixed: (Vec<String>, Vec<String>),
    kept: (Vec<String>, Vec<String>),
    test_patch_failed: bool,
}

impl VerdictCache {
    /// The verdicts in a folder, which is made when the first is put in.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The verdict on what has this fingerprint. A file that cannot be read counts as none.
    pub fn get(&self, key: &VerdictKey) -> Option<Graded> {
        let stored: Stored = serde_json::from_slice(&read_file(&self.file(key), LONGEST_FILE).ok()?).ok()?;
        let judged = |(success, failure)| Judged { success, failure };
        let tests = RequiredTests { fail_to_pass: judged(stored.fixed), pass_to_pass: judged(stored.kept) };
        Some(Graded { result: Ok(tests), sign: None, test_patch_failed: stored.test_patch_failed })
    }

    /// Keeps a verdict, if it is one on tests. Whoever reads meanwhile sees the old file or the new one.
    ///
    /// # Errors
    /// A failure of the file system.
    pub fn put(&self, key: &VerdictKey, graded: &Graded) -> io::Result<()> {
        let Ok(tests) = graded.result.clone() else { return Ok(()) };
        let both = |judged: Judged| (judged.success, judged.failure);
        let stored = Stored {
            fixed: both(tests.fail_to_pass),
            kept: both(tests.pass_to_pass),
            test_patch_failed: graded.test_patch_failed,
        };
        let file = self.file(key);
        fs::create_dir_all(file.parent().unwrap_or(&self.folder))?;
        write_atomically(&file, &serde_json::to_vec(&stored)?)
    }

    fn file(&self, key: &VerdictKey) -> PathBuf {
        let name = key.0.to_hex();
        self.folder.join(&name[..2]).join(format!("{name}.json"))
    }
}
