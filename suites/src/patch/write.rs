//! Writing unified diffs, with git's heads.

use std::fmt::Write as _;

use super::names::written;
use super::{FilePatch, Hunk, Mark, decoded};

impl FilePatch {
    pub(super) fn write(&self, text: &mut String) {
        let shown = |name: &Option<String>| match name {
            Some(name) => written(name).into_owned(),
            None => "/dev/null".to_owned(),
        };
        let (old, new) = (shown(&self.old), shown(&self.new));
        let bare = |name: &str| name.split_once('/').map_or(name, |(_, rest)| rest).to_owned();
        let (from, to) = match (&self.old, &self.new) {
            (Some(old), Some(new)) => (bare(old), bare(new)),
            (Some(only), None) | (None, Some(only)) => (bare(only), bare(only)),
            (None, None) => return,
        };
        let whole = (written(&format!("a/{from}")).into_owned(), written(&format!("b/{to}")).into_owned());
        let _ = writeln!(text, "diff --git {} {}", whole.0, whole.1);
        match (&self.old, &self.new) {
            (None, _) => text.push_str("new file mode 100644\n"),
            (_, None) => text.push_str("deleted file mode 100644\n"),
            (Some(_), Some(_)) if from != to => {
                let word = if self.copied { "copy" } else { "rename" };
                let _ = writeln!(text, "{word} from {}\n{word} to {}", written(&from), written(&to));
            }
            (Some(_), Some(_)) => {}
        }
        if self.binary {
            let _ = writeln!(text, "Binary files {old} and {new} differ");
        }
        if !self.hunks.is_empty() {
            let _ = writeln!(text, "--- {old}\n+++ {new}");
        }
        for hunk in &self.hunks {
            hunk.write(text);
        }
    }
}

impl Hunk {
    fn write(&self, text: &mut String) {
        let (old, new) = (self.side(Mark::Added).len(), self.side(Mark::Removed).len());
        let _ = writeln!(text, "@@ -{},{old} +{},{new} @@", self.old_start, self.new_start);
        for line in &self.lines {
            text.push(match line.mark {
                Mark::Same => ' ',
                Mark::Removed => '-',
                Mark::Added => '+',
            });
            text.push_str(&decoded(&line.bytes));
            if !line.bytes.ends_with(b"\n") {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
}
