//! Lists of buggy lines, in the format that `--localization perfect:FILE` takes: `path#line` or `path#line#code`, and
//! `path#line#FAULT_OF_OMISSION` where code is missing before that line. And how files that people edit are read at all.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use patchwright_edits::diff::Patch;
use patchwright_fault_localization::{FaultyLine, Localization};
use patchwright_folder::{LONGEST_FILE, read_file};
use patchwright_syntax::decoded;

use crate::folder::files_below;

/// The bytes after the mark with which some editors begin a file.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// A file of metadata as text: UTF-8, or else ISO-8859-1, without the mark with which some editors begin it.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    decoded(without_mark(bytes))
}

/// The lines that a diff changes; none where it only moves files.
pub(crate) fn changed(diff: &Patch) -> Vec<String> {
    places(&Localization::of(diff))
}

/// Reads a list: UTF-8, or else ISO-8859-1 for the lines that are not. The code of the lines is left out: it stands in the
/// project.
///
/// # Errors
/// The first line that cannot be read, with what is wrong.
pub(crate) fn read(list: &[u8]) -> Result<Vec<String>, String> {
    Localization::parse(without_mark(list)).map(|found| places(&found)).map_err(|error| error.to_string())
}

fn places(found: &Localization) -> Vec<String> {
    let bare = |line: &FaultyLine| FaultyLine { code: None, ..line.clone() }.to_string();
    found.lines().iter().map(bare).collect()
}

/// The same of lines that stand apart.
///
/// # Errors
/// As [`read()`].
pub(crate) fn checked(list: &[String]) -> Result<Vec<String>, String> {
    read(list.join("\n").as_bytes())
}

/// Lines as they stand in a project. Lists of Defects4J name files below the folder of sources; there, and wherever else no such
/// file is, the only file of the project whose path ends so is meant.
///
/// # Errors
/// The first line whose file, or which itself, is not there, with what is wrong.
pub fn placed(lines: &[String], project: &Path) -> Result<Vec<String>, String> {
    let mut files: Option<Vec<PathBuf>> = None;
    let place = |entry: &String| {
        let (path, rest) = entry.split_once('#').unwrap_or((entry, ""));
        let found = if project.join(path).is_file() {
            PathBuf::from(path)
        } else {
            let files = files.get_or_insert_with(|| files_below(project));
            let mut ending = files.iter().filter(|file| file.ends_with(path));
            match (ending.next(), ending.next()) {
                (Some(only), None) => only.clone(),
                (Some(one), Some(other)) => {
                    let (one, other) = (one.display(), other.display());
                    return Err(format!("buggy line `{entry}`: both `{one}` and `{other}` may be meant"));
                }
                (None, _) => return Err(format!("buggy line `{entry}`: the project has no such file")),
            }
        };
        let number = rest.split('#').next().and_then(|number| number.parse::<usize>().ok());
        let bytes = read_file(&project.join(&found), LONGEST_FILE)
            .map_err(|error| format!("`{}`: {error}", found.display()))?;
        let count = bytes.split(|byte| *byte == b'\n').count();
        // Code may be missing behind the last line.
        if number.is_some_and(|number| number > count + 1) {
            return Err(format!("buggy line `{entry}`: the file has {count} lines"));
        }
        Ok(format!("{}#{rest}", found.display()))
    };
    lines.iter().map(place).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_in_the_project() {
        let project = tempfile::tempdir().unwrap();
        let put = |path: &str| {
            let path = project.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "1\n2\n3\n").unwrap();
        };
        for path in ["src/java/org/a/B.java", "src/test/org/a/BTest.java", "x/C.java", "y/C.java"] {
            put(path);
        }
        let check = |line: &str, expect: Result<&str, &str>| {
            let found = placed(&[line.to_owned()], project.path());
            match expect {
                Ok(expect) => assert_eq!(found, Ok(vec![expect.to_owned()])),
                Err(expect) => assert!(found.clone().unwrap_err().contains(expect), "{found:?}"),
            }
        };
        check("src/java/org/a/B.java#2", Ok("src/java/org/a/B.java#2"));
        check("org/a/B.java#2", Ok("src/java/org/a/B.java#2"));
        check("org/a/B.java#4#FAULT_OF_OMISSION", Ok("src/java/org/a/B.java#4#FAULT_OF_OMISSION"));
        check("org/a/B.java#9", Err("has 4 lines"));
        check("rg/a/B.java#1", Err("no such file"));
        check("C.java#1", Err("both"));
    }

    #[test]
    fn lines_keep_their_place_and_whether_code_is_missing() {
        let check = |list: &[u8], expect: &[&str]| assert_eq!(read(list).unwrap(), expect);
        check(b"a/B.java#3\n", &["a/B.java#3"]);
        check(b"a/B.java#3#    x = \"#\"; // #4\r\n\nC.java#1#}\n", &["a/B.java#3", "C.java#1"]);
        check(b"a/B.java#4#FAULT_OF_OMISSION\n", &["a/B.java#4#FAULT_OF_OMISSION"]);
        check(b"a/B.java#5#// \xca\n", &["a/B.java#5"]);
        check(b"\xef\xbb\xbfa/B.java#6\r\n", &["a/B.java#6"]);
        let read_again = |list: &[u8]| read(read(list).unwrap().join("\n").as_bytes()).unwrap();
        assert_eq!(read_again(b"a#1#x\nb#2#FAULT_OF_OMISSION"), ["a#1", "b#2#FAULT_OF_OMISSION"]);
        let changed = |diff: &str| changed(&Patch::parse(diff.as_bytes()).unwrap());
        assert!(changed("diff --git a/x b/y\nrename from x\nrename to y\n").is_empty());
        assert_eq!(changed("--- a/x\n+++ b/x\n@@ -3 +3 @@\n-1\n+2\n"), ["x#3"]);
        assert_eq!((text(b"\xef\xbb\xbf\xc3\xa9"), text(b"\xe9")), ("é".into(), "é".into()));
        let error = read(b"a/B.java#1\na/B.java\n").unwrap_err();
        assert!(error.contains("line 2") && error.contains("path#line"), "{error}");
    }
}
