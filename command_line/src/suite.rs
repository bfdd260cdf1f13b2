//! The word that `--suite` gives: which kind of suite it is, and where it lies.

use std::path::Path;

use patchwright_protocol::Failure;
use patchwright_suites::SUITES;

/// The suites whose cases have images, each read from a file.
const OF_IMAGES: [&str; 3] = ["swe-bench", "swt-bench", "tdd-bench"];

/// All suites as they are given: `manifest:FILE`, `defects4j:DIR`, …
fn words() -> String {
    let of_files = SUITES.iter().map(|known| format!("{}:{}", known.word, known.place));
    let of_images = OF_IMAGES.iter().map(|word| format!("{word}:FILE"));
    of_files.chain(of_images).collect::<Vec<_>>().join(", ")
}

/// The help of `--suite`, with what is said of a command's own use of it.
pub(crate) fn suite_help(more: &str) -> String {
    format!("Where the cases come from: one of {}. {more}", words())
}

/// The kind of suite that a word names, and where it lies.
///
/// # Errors
/// It names no kind that is known.
pub fn kind_and_path(word: &str) -> Result<(&str, &Path), Failure> {
    let wrong = |message: &str| {
        Failure::user(format!("--suite {word}: {message}")).hint(format!("give one of {}", words()))
    };
    let (kind, path) = word.split_once(':').ok_or_else(|| wrong("which kind of suite is it?"))?;
    if !SUITES.iter().map(|known| known.word).chain(OF_IMAGES).any(|known| known == kind) {
        return Err(wrong(&format!("`{kind}` is not known")));
    }
    Ok((kind, Path::new(path)))
}

/// The word with an absolute path: a run may be resumed from elsewhere.
///
/// # Errors
/// It names no kind that is known, or nothing that is there.
pub fn absolute(word: &str) -> Result<String, Failure> {
    let (kind, path) = kind_and_path(word)?;
    let absolute = path.canonicalize().map_err(|error| {
        Failure::user(format!("--suite {word}: {error}")).hint("give a file or a folder that is there")
    })?;
    Ok(format!("{kind}:{}", absolute.display()))
}
