//! Lines that a unified diff changes, as those that were faulty before it.

use patchwright_edits::diff::{Change, Hunk, Patch};
use patchwright_syntax::decoded;

use super::{FaultyLine, Localization};

impl Localization {
    /// The lines that a diff removes or replaces, by their numbers before it. Where it only adds, code is missing before the line that
    /// follows. Blank lines and files that it makes do not count.
    pub fn of(diff: &Patch) -> Self {
        let mut lines = Vec::new();
        for file in &diff.files {
            let Some(path) = file.old_path() else { continue };
            for Change { old_line, removed, added } in file.hunks.iter().flat_map(Hunk::changes) {
                if removed.is_empty() && !added.iter().all(|line| is_blank(line)) {
                    lines.push(FaultyLine::omission(path, old_line));
                }
                let code = (old_line..).zip(removed).filter(|(_, code)| !is_blank(code));
                lines.extend(code.map(|(line, code)| FaultyLine::known(path, line, Some(text(code)))));
            }
        }
        Self { lines, spectrum: false }
    }
}

fn is_blank(line: &[u8]) -> bool {
    decoded(line).trim().is_empty()
}

/// A line without its end.
fn text(line: &[u8]) -> String {
    decoded(line).lines().collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_diff() {
        let diff = concat!(
            "From: someone\n\ndiff --git a/shop/a.py b/shop/a.py\n--- a/shop/a.py\n+++ b/shop/a.py\n",
            // One line fewer follows than this says.
            "@@ -3,6 +3,7 @@ class A:\n a\n-b\n-\n+c\n+d\n e\n+f\n g\n-- h\n",
            "@@ -20 +20,0 @@\n-x\n\\ No newline at end of file\n",
            "@@ -30,0 +31,2 @@\n+y\n+\n",
            "@@ -40,1 +41,2 @@\n z\n+\n",
            "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x\n",
            "--- B.java\t2020\n+++ B.java\n@@ -1,1 +1,1 @@\n-q\n+r\n",
        );
        let found = |diff: &str| Localization::parse(diff.as_bytes()).unwrap();
        let found: Vec<String> = found(diff).lines().iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "shop/a.py#4#b",
                "shop/a.py#7#FAULT_OF_OMISSION",
                "shop/a.py#8#- h",
                "shop/a.py#20#x",
                "shop/a.py#31#FAULT_OF_OMISSION",
                "B.java#1#q",
            ]
        );
        assert!(Localization::parse(b"a.py#3\n--- a\n").unwrap_err().to_string().contains("`--- a`"));
    }
}
