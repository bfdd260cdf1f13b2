//! Files that Patchwright itself wrote. They tell of earlier attempts, and of successful ones the fix, so that no copy of a
//! project holds them, whatever they are called.
//!
//! Most carry a mark near their beginning: the word `format` with a value that begins with `patchwright-`. What cannot carry one
//! (other people's formats), or has lost it, is named in the [`LIST`] of the folder in which it was written.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write as _};
use std::path::Path;

use patchwright_folder::Folder;

/// The file that names what was written into its folder, one name a line.
pub const LIST: &str = ".patchwright-files";
/// The file that makes a folder that of a batch run, where it carries a mark.
pub const RUN: &str = "run.toml";
/// The bytes of a file that are looked at for a mark.
pub const HEAD: usize = 512;
/// The bytes of a list that are read: more names than anybody writes into one folder.
pub const LONGEST_LIST: usize = 1 << 20;

/// The word before a mark, whatever language it is written in: JSON, TOML, or a comment of any.
const KEY: &[u8] = b"format";
/// The beginning of every mark.
const MARK: &[u8] = b"patchwright-";

/// Is true if a file that begins with `head` carries a mark. Only the first [`HEAD`] bytes count.
pub fn is_marked(head: &[u8]) -> bool {
    let head = &head[..head.len().min(HEAD)];
    let starts = head.windows(MARK.len()).enumerate().filter(|(_, bytes)| *bytes == MARK);
    starts.map(|(start, _)| &head[..start]).any(|before| {
        let between = before.iter().rev().take_while(|byte| b"\":= ".contains(byte)).count();
        between > 0 && before[..before.len() - between].ends_with(KEY)
    })
}

/// The names in a list, and that of the list itself.
pub fn listed(list: &[u8]) -> BTreeSet<OsString> {
    use std::os::unix::ffi::OsStrExt as _;
    let names = list.split(|byte| *byte == b'\n').filter(|name| !name.is_empty());
    names.map(|name| OsStr::from_bytes(name).to_owned()).chain([LIST.into()]).collect()
}

/// The first bytes of a file, `most` of them.
///
/// # Errors
/// The file cannot be read.
pub fn head(file: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.take(most as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Notes in the [`LIST`] of a folder that these files, or folders, are written into it. Called before they are, so that nothing
/// is ever there unnoted. No link is followed: the user names the folder, but whoever filled it may have put one there.
///
/// # Errors
/// The list cannot be read or written.
pub fn note(folder: &Path, names: &[&str]) -> io::Result<()> {
    let folder = Folder::open(folder)?;
    let known = match folder.file(LIST) {
        Ok(file) => listed(&head(file, LONGEST_LIST)?),
        Err(error) if error.is_not_found() => BTreeSet::new(),
        Err(error) => return Err(error.into()),
    };
    let unnoted = names.iter().filter(|name| !known.contains(OsStr::new(name)));
    let lines = unnoted.fold(String::new(), |lines, name| lines + name + "\n");
    folder.append(LIST)?.write_all(lines.as_bytes())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_in_every_language_that_we_write() {
        for head in [
            r#"{"seq":0,"ms":0,"event":"session_started","format":"patchwright-trajectory","version":1}"#,
            "{\n  \"format\": \"patchwright-result\",\n",
            "# format: patchwright-patch\ndiff --git a/x b/x\n",
            "format = \"patchwright-run\"\n",
            "<!DOCTYPE html>\n<!-- format: patchwright-report -->\n",
        ] {
            assert!(is_marked(head.as_bytes()), "{head}");
        }
    }

    #[test]
    fn a_file_that_speaks_of_patchwright_is_not_its_own() {
        let late = format!("{}\"format\": \"patchwright-result\"", " ".repeat(HEAD));
        for head in [
            "",
            "format",
            "patchwright-",
            "name = \"patchwright-validation\"\n",
            "pub const FORMAT: &str = \"patchwright-run\";",
            "The format of a patchwright-result is JSON.",
            &late,
        ] {
            assert!(!is_marked(head.as_bytes()), "{head}");
        }
    }

    #[test]
    fn what_is_noted_is_listed_once_with_the_list() {
        let folder = tempfile::tempdir().unwrap();
        note(folder.path(), &["patch.diff", "result.json"]).unwrap();
        note(folder.path(), &["result.json", "more.json"]).unwrap();
        let text = std::fs::read(folder.path().join(LIST)).unwrap();
        assert_eq!(text, b"patch.diff\nresult.json\nmore.json\n");
        let names = [LIST, "more.json", "patch.diff", "result.json"].map(OsString::from);
        assert_eq!(listed(&text), BTreeSet::from(names));
    }
}
