//! The bug as the user tells of it: tests, issue, suspicious lines.

use std::path::{Path, PathBuf};

use patchwright_command_line::options::SessionOptions;
use patchwright_command_line::settings::ProjectFile;
use patchwright_fault_localization::Localization;
use patchwright_protocol::{BugInput, Failure};

/// An issue longer than this is not an issue.
const LONGEST_ISSUE: u64 = 1 << 20;

/// The file of a folder that is given as an issue.
const ISSUE_OF_FOLDER: &str = "issue.md";

/// The word for the tests that show the bug where none does.
const NO_TEST: &str = "none";

/// The bug of a session: what the options say over the project's own issue, and that over what a recording says.
pub fn given(
    dir: &Path,
    options: &SessionOptions,
    of_project: Option<&ProjectFile>,
    recorded: Option<BugInput>,
) -> Result<BugInput, Failure> {
    let folder = dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned();
    let recorded = recorded.unwrap_or(BugInput { project: folder, spectrum: true, ..BugInput::default() });
    let issue = match (options.project.issue.as_deref(), of_project) {
        (Some(file), _) => Some(users_issue(file)?),
        (None, Some(file)) => Some(issue_text(&file.shown(), &file.read(ISSUE_OF_FOLDER, LONGEST_ISSUE)?)?),
        (None, None) => recorded.issue,
    };
    let said = said(options)?.unwrap_or(Said {
        lines: recorded.lines,
        perfect: recorded.perfect_localization,
        spectrum: recorded.spectrum,
    });
    let named = options.project.failing();
    let none = named.as_deref().is_some_and(|named| matches!(named, [word] if word == NO_TEST));
    if none && issue.is_none() {
        return Err(Failure::user(
            "--failing none says that no test shows the bug, and nothing else tells of it",
        )
        .hint("give its --issue FILE"));
    }
    let (failing, issue_only) = match named {
        Some(_) if none => (Vec::new(), true),
        Some(named) => (named, false),
        None => (recorded.failing, recorded.issue_only),
    };
    Ok(BugInput {
        project: recorded.project,
        failing,
        issue_only,
        issue,
        lines: said.lines,
        perfect_localization: said.perfect,
        spectrum: said.spectrum,
    })
}

/// The text of the issue that the user named.
fn users_issue(file: &str) -> Result<String, Failure> {
    let mut path = PathBuf::from(file);
    if path.is_dir() {
        path.push(ISSUE_OF_FOLDER);
    }
    // A pipe, such as /dev/stdin, is as good as a file.
    let bytes = crate::files::read_at_most(&path, LONGEST_ISSUE + 1)
        .map_err(|error| no_issue(&path, &error.to_string()))?;
    if bytes.len() as u64 > LONGEST_ISSUE {
        return Err(Failure::user(format!(
            "--issue {}: it has more than {LONGEST_ISSUE} bytes",
            path.display()
        ))
        .hint("cut it down to what tells of the bug: a model reads all of it with each prompt"));
    }
    issue_text(&path, &bytes)
}

/// The text of an issue from the bytes of its file.
fn issue_text(path: &Path, bytes: &[u8]) -> Result<String, Failure> {
    let text = without_colours(&decoded(bytes)).trim().to_owned();
    if let Some(at) = text.lines().position(|line| line.contains(char::REPLACEMENT_CHARACTER)) {
        tracing::warn!(
            "--issue {}: line {} has characters that are no UTF-8, which are read as {}: `iconv -f latin1 -t utf8` turns a text in Latin-1 into UTF-8",
            path.display(),
            at + 1,
            char::REPLACEMENT_CHARACTER
        );
    }
    if text.contains('\0') {
        return Err(no_issue(path, "it is no text: it holds the character 0"));
    }
    if text.is_empty() {
        return Err(no_issue(path, "the text is empty"));
    }
    Ok(text)
}

fn no_issue(path: &Path, why: &str) -> Failure {
    Failure::user(format!("--issue {}: {why}", path.display())).hint(format!(
        "give --issue a file with the text of the issue, a folder with a file {ISSUE_OF_FOLDER}, or `-` for standard input"
    ))
}

/// A text in UTF-8 or, where it begins with a byte order mark that says so, in UTF-16. What is neither is replaced.
fn decoded(bytes: &[u8]) -> String {
    let units = |of: fn([u8; 2]) -> u16, bytes: &[u8]| {
        let units = bytes.chunks(2).map(|unit| of([unit[0], unit.get(1).copied().unwrap_or_default()]));
        char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => units(u16::from_le_bytes, rest),
        [0xFE, 0xFF, rest @ ..] => units(u16::from_be_bytes, rest),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// A text without the sequences by which terminals are told of colours and the like: what was copied from one may hold them.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // Parameters, then one letter.
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ';' | '?' | ':'));
        let mut letters = rest.chars();
        match letters.next() {
            Some(letter) if letter.is_ascii_alphabetic() => clean.push_str(letters.as_str()),
            Some(_) | None => clean.push_str(part),
        }
    }
    clean
}

/// The place of the bug as the options give it.
#[derive(Default)]
struct Said {
    lines: Vec<String>,
    perfect: bool,
    spectrum: bool,
}

/// The place of the bug as the options give it; `None` where they give none.
fn said(options: &SessionOptions) -> Result<Option<Said>, Failure> {
    let typed = options.approach.line.clone().unwrap_or_default();
    match options.approach.localization.as_deref() {
        None if typed.is_empty() => Ok(None),
        None | Some("given") if !typed.is_empty() => Ok(Some(Said { lines: typed, ..Said::default() })),
        None | Some("given") => {
            Err(Failure::user("--localization given needs --line PATH#LINE").hint("or give perfect:FILE"))
        }
        Some("none") => Ok(Some(Said::default())),
        Some("spectrum") => Ok(Some(Said { spectrum: true, ..Said::default() })),
        Some(word) => match word.strip_prefix("perfect:") {
            Some(file) => {
                let lines = known_lines(&format!("--localization {word}"), Path::new(file))?;
                let lines = lines.lines().iter().map(ToString::to_string).collect();
                Ok(Some(Said { lines, perfect: true, spectrum: false }))
            }
            None => Err(Failure::user(format!("--localization {word}: not known"))
                .hint("give spectrum, given (with --line), perfect:FILE or none")),
        },
    }
}

/// The lines that a golden patch or a list names; `option` is how the user gave the file.
pub fn known_lines(option: &str, file: &Path) -> Result<Localization, Failure> {
    let hint = "the file is a unified diff, or a list of path#line, one a line";
    let bytes = crate::files::read(file)
        .map_err(|error| Failure::user(format!("{option}: {}: {error}", file.display())).hint(hint))?;
    let known = Localization::parse(&bytes)
        .map_err(|error| Failure::user(format!("{option}: {error}")).hint(hint))?;
    if known.lines().is_empty() {
        return Err(Failure::user(format!("{option}: {} names no line", file.display())).hint(hint));
    }
    Ok(known)
}

/// The place of the bug as tools are told it.
pub fn localization(bug: &BugInput) -> Result<Localization, Failure> {
    if bug.spectrum {
        return Ok(Localization::spectrum());
    }
    Localization::parse(bug.lines.join("\n").as_bytes()).map_err(|error| {
        Failure::user(format!("--localization or --line: {error}")).hint("a line is given as path#line")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_tells_the_encoding() {
        let check = |bytes: &[u8], expect: &str| assert_eq!(decoded(bytes), expect);
        check(b"\xFF\xFEa\0\xE9\0\x3D\xD8\x00\xDE", "a\u{e9}\u{1F600}");
        check(b"\xFE\xFF\0a", "a");
        check(b"\xFF\xFEa", "a");
        check(b"\xEF\xBB\xBFa", "a");
        check(b"a\xFF", "a\u{FFFD}");
        check(b"", "");
    }

    #[test]
    fn colours_of_a_terminal_are_no_text() {
        let check = |text: &str, expect: &str| assert_eq!(without_colours(text), expect);
        check("plain [1m text", "plain [1m text");
        check("\u{1b}[1;31mE   assert\u{1b}[0m 1\u{1b}[K", "E   assert 1");
        check("\u{1b}[", "");
        check("\u{1b}[31", "31");
    }
}
