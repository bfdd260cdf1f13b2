//! Lines that a unified diff changes, as those that were faulty before it.

use super::FaultyLine;

/// Whether a text is a unified diff rather than a list.
pub(super) fn is_diff(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    lines.windows(3).any(|three| {
        three[0].starts_with("--- ") && three[1].starts_with("+++ ") && three[2].starts_with("@@ -")
    })
}

/// The lines that a diff removes or replaces, by their numbers before it. Where it only adds, code is missing before
/// the line that follows. Blank lines and files that it creates do not count.
pub(super) fn faulty_lines(text: &str) -> Vec<FaultyLine> {
    let mut reader = Reader::default();
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let next_names_a_file = lines.get(index + 1).is_some_and(|next| next.starts_with("+++ "));
        if reader.left == (0, 0) && line.starts_with("--- ") && next_names_a_file {
            reader.path = old_path(line);
        } else if let Some((start, old, new)) = numbers(line) {
            // No line of a hunk looks like this: where the counts of the one before were too high, it ends here.
            reader.flush();
            // A hunk without old lines is named by the line before it.
            reader.line = start + u32::from(old == 0);
            reader.left = (old, new);
        } else if reader.left != (0, 0) {
            reader.read(line);
        }
    }
    reader.found
}

#[derive(Default)]
struct Reader {
    path: Option<String>,
    /// The number of the next old line.
    line: u32,
    /// Old and new lines that the hunk still holds.
    left: (u32, u32),
    /// What the change at hand removes, and whether it adds anything.
    removed: Vec<(u32, String)>,
    adds: bool,
    found: Vec<FaultyLine>,
}

impl Reader {
    fn read(&mut self, line: &str) {
        let (old, new) = match line.as_bytes().first() {
            Some(b'-') => {
                self.removed.push((self.line, line[1..].to_owned()));
                (1, 0)
            }
            Some(b'+') => {
                self.adds |= !line[1..].trim().is_empty();
                (0, 1)
            }
            // `\ No newline at end of file`
            Some(b'\\') => (0, 0),
            Some(_) | None => {
                self.flush();
                (1, 1)
            }
        };
        self.line += old;
        self.left = (self.left.0.saturating_sub(old), self.left.1.saturating_sub(new));
        if self.left == (0, 0) {
            self.flush();
        }
    }

    /// Ends the change at hand.
    fn flush(&mut self) {
        let removed = std::mem::take(&mut self.removed);
        let adds = std::mem::take(&mut self.adds);
        let Some(path) = &self.path else { return };
        if removed.is_empty() && adds {
            self.found.push(FaultyLine::omission(path, self.line));
        }
        let code = removed.into_iter().filter(|(_, code)| !code.trim().is_empty());
        self.found.extend(code.map(|(line, code)| FaultyLine::known(path, line, Some(code))));
    }
}

/// The path of `--- a/path`; `None` for a file that is made anew.
fn old_path(line: &str) -> Option<String> {
    let path = line.strip_prefix("--- ")?.split('\t').next()?.trim();
    (path != "/dev/null").then(|| path.strip_prefix("a/").unwrap_or(path).to_owned())
}

/// The first old line of `@@ -1,2 +3,4 @@`, and how many lines there are before and after.
fn numbers(line: &str) -> Option<(u32, u32, u32)> {
    let mut words = line.strip_prefix("@@ -")?.split(' ');
    let range = |word: &str| -> Option<(u32, u32)> {
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (start, old) = range(words.next()?)?;
    let (_, new) = range(words.next()?.strip_prefix('+')?)?;
    Some((start, old, new))
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
        assert!(is_diff(diff));
        let found: Vec<String> = faulty_lines(diff).iter().map(ToString::to_string).collect();
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
        assert!(!is_diff("a.py#3\n--- a\n"));
    }
}
