//! Writing unified diffs, with git's heads.

use std::borrow::Cow;
use std::io::Write as _;

use patchwright_syntax::decoded;

use super::names::{counterpart, written};
use super::{Binary, FilePatch, Hunk, Line, Mark, Patch, Transfer, lines_of};

/// The name that stands for a file that is not there.
pub(super) const NOTHING: &str = "/dev/null";

/// The mode of a file of which none is known.
const REGULAR: u32 = 0o100_644;

impl Patch {
    /// Its text as `git apply` wants it, byte by byte.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for file in &self.files {
            file.write(&mut bytes);
        }
        bytes
    }

    /// Its text. Lines that are not UTF-8 are read as ISO-8859-1; [`FilePatch::applied`] takes them back.
    pub fn text(&self) -> String {
        lines_of(&self.to_bytes()).into_iter().map(decoded).collect()
    }
}

impl FilePatch {
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let (old, new) = match (&self.old, &self.new) {
            (Some(old), Some(new)) => (old.clone(), new.clone()),
            (Some(old), None) => (old.clone(), counterpart(old)),
            (None, Some(new)) => (counterpart(new), new.clone()),
            (None, None) => return,
        };
        line(out, &format!("diff --git {} {}", written(&old), written(&new)));
        for head in self.extended() {
            line(out, &head);
        }
        let (old, new) = (shown(self.old.as_deref()), shown(self.new.as_deref()));
        match &self.binary {
            Some(Binary::Differs) => line(out, &format!("Binary files {old} and {new} differ")),
            Some(Binary::Data(blocks)) => {
                line(out, "GIT binary patch");
                for block in blocks {
                    out.extend_from_slice(block);
                    out.push(b'\n');
                }
            }
            None if self.hunks.is_empty() => {}
            None => {
                // Git ends a name at a tab; without one it would end at the first blank.
                let tab = |name: &str| if name.contains(' ') { "\t" } else { "" };
                line(out, &format!("--- {old}{}", tab(&old)));
                line(out, &format!("+++ {new}{}", tab(&new)));
            }
        }
        for hunk in &self.hunks {
            hunk.write(out);
        }
    }

    /// The lines between git's first and the names.
    fn extended(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut kept = String::new();
        match (&self.old, &self.new, self.old_mode, self.new_mode) {
            (None, _, _, mode) => lines.push(format!("new file mode {:06o}", mode.unwrap_or(REGULAR))),
            (_, None, mode, _) => lines.push(format!("deleted file mode {:06o}", mode.unwrap_or(REGULAR))),
            (_, _, Some(old), Some(new)) if old == new => kept = format!(" {old:06o}"),
            (_, _, old, new) => {
                lines.extend(old.map(|mode| format!("old mode {mode:06o}")));
                lines.extend(new.map(|mode| format!("new mode {mode:06o}")));
            }
        }
        lines.extend(self.likeness.clone());
        if let (Some(transfer), Some(old), Some(new)) = (self.transfer, self.old_path(), self.new_path()) {
            let word = if transfer == Transfer::Copy { "copy" } else { "rename" };
            lines.push(format!("{word} from {}", written(old)));
            lines.push(format!("{word} to {}", written(new)));
        }
        lines.extend(self.blobs.as_ref().map(|(before, after)| format!("index {before}..{after}{kept}")));
        lines
    }
}

impl Hunk {
    fn write(&self, out: &mut Vec<u8>) {
        let (old, new) = (self.side(Mark::Added).len(), self.side(Mark::Removed).len());
        let (old, new) = (range(self.old_line, old), range(self.new_line, new));
        out.extend_from_slice(format!("@@ -{old} +{new} @@").as_bytes());
        out.extend_from_slice(&self.heading);
        out.push(b'\n');
        for Line { mark, bytes } in &self.lines {
            out.push(match mark {
                Mark::Same => b' ',
                Mark::Removed => b'-',
                Mark::Added => b'+',
            });
            out.extend_from_slice(bytes);
            if !bytes.ends_with(b"\n") {
                out.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }
}

fn shown(name: Option<&str>) -> Cow<'_, str> {
    name.map_or(Cow::Borrowed(NOTHING), written)
}

fn line(out: &mut Vec<u8>, text: &str) {
    let _ = writeln!(out, "{text}");
}

/// Lines from a number on as a hunk's head names them: an empty range by the line before.
fn range(line: u32, count: usize) -> String {
    match count {
        0 => format!("{},0", line.saturating_sub(1)),
        1 => line.to_string(),
        count => format!("{line},{count}"),
    }
}
