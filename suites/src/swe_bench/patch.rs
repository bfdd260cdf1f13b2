//! What a unified diff touches.

/// A file of a diff, by its paths before and after; `None` where it does not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The path before the change; `None` for a new file.
    pub before: Option<String>,
    /// The path after the change; `None` for a deleted file.
    pub after: Option<String>,
}

/// The files of a diff as Git writes it, in its order.
pub fn touched(diff: &str) -> Vec<Touched> {
    let mut files: Vec<Touched> = Vec::new();
    let mut left = Hunk::default();
    for line in diff.split('\n') {
        if left.takes(line) {
            continue;
        }
        if let Some(paths) = line.strip_prefix("diff --git ") {
            let (before, after) = header(paths);
            files.push(Touched { before, after });
        } else if let Some(path) = line.strip_prefix("--- ") {
            // A plain diff has no line `diff --git` above.
            if files.last().is_none_or(|_| left.seen) {
                files.push(Touched::default());
            }
            left.seen = false;
            if let Some(file) = files.last_mut() {
                file.before = path_of(path, "a/");
            }
        } else if let Some(path) = line.strip_prefix("+++ ") {
            if let Some(file) = files.last_mut() {
                file.after = path_of(path, "b/");
            }
        } else if let Some(file) = files.last_mut() {
            if line.starts_with("new file mode") {
                file.before = None;
            } else if line.starts_with("deleted file mode") {
                file.after = None;
            }
        }
        left.opens(line);
    }
    files
}

/// What is left of a hunk, so that a removed line `-- x` is not taken for a header.
#[derive(Default)]
struct Hunk {
    before: usize,
    after: usize,
    seen: bool,
}

impl Hunk {
    /// Reads `@@ -1,2 +3,4 @@`.
    fn opens(&mut self, line: &str) {
        if line.starts_with("diff --git ") {
            self.seen = false;
        }
        let Some(ranges) = line.strip_prefix("@@ -").and_then(|rest| rest.split(" @@").next()) else {
            return;
        };
        let Some((before, after)) = ranges.split_once(" +") else { return };
        let count = |range: &str| range.split_once(',').map_or("1", |(_, count)| count).parse().unwrap_or(0);
        *self = Self { before: count(before), after: count(after), seen: true };
    }

    /// Whether the line is one of the hunk.
    fn takes(&mut self, line: &str) -> bool {
        if self.before == 0 && self.after == 0 {
            return false;
        }
        match line.as_bytes().first() {
            Some(b'-') => self.before = self.before.saturating_sub(1),
            Some(b'+') => self.after = self.after.saturating_sub(1),
            Some(b'\\') => {}
            Some(b' ') | None => {
                self.before = self.before.saturating_sub(1);
                self.after = self.after.saturating_sub(1);
            }
            Some(_) => {
                (self.before, self.after) = (0, 0);
                return false;
            }
        }
        true
    }
}

/// The paths of `a/x b/y`. Where nothing was renamed both are equal, which tells them apart when they have
/// blanks.
fn header(paths: &str) -> (Option<String>, Option<String>) {
    let middle = paths.len() / 2;
    let split = match (paths.get(..middle), paths.get(middle + 1..)) {
        (Some(before), Some(after)) if before.get(2..) == after.get(2..) => Some((before, after)),
        _ => paths.split_once(" b/").map(|(before, _)| (before, &paths[before.len() + 1..])),
    };
    let path = |path: &str, side: &str| Some(path.strip_prefix(side).unwrap_or(path).to_owned());
    split.map_or((None, None), |(before, after)| (path(before, "a/"), path(after, "b/")))
}

fn path_of(path: &str, side: &str) -> Option<String> {
    let path = path.split('\t').next().unwrap_or(path).trim_end_matches('\r');
    (path != "/dev/null").then(|| path.strip_prefix(side).unwrap_or(path).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_names_the_files_that_it_touches() {
        let check = |diff: &str, expect: &[(&str, &str)]| {
            let found: Vec<(String, String)> = touched(diff)
                .into_iter()
                .map(|file| (file.before.unwrap_or_default(), file.after.unwrap_or_default()))
                .collect();
            let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            assert_eq!(found, expect, "{diff}");
        };
        check("diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n", &[("x.py", "x.py")]);
        check(
            "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+b\n",
            &[("", "n.py")],
        );
        check("diff --git a/e.py b/e.py\nnew file mode 100644\nindex 0000000..e69de29\n", &[("", "e.py")]);
        check(
            "diff --git a/d.py b/d.py\ndeleted file mode 100644\n--- a/d.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            &[("d.py", "")],
        );
        check(
            "diff --git a/o.py b/n.py\nsimilarity index 100%\nrename from o.py\nrename to n.py\n",
            &[("o.py", "n.py")],
        );
        check(
            "diff --git a/a b.py b/a b.py\nBinary files a/a b.py and b/a b.py differ\n",
            &[("a b.py", "a b.py")],
        );
        check(
            "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-a\n+b\n",
            &[("x.py", "x.py"), ("y.py", "y.py")],
        );
        // A removed line that begins with `-- ` is no header.
        check("--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1 @@\n--- a comment\n kept\n", &[("x.sql", "x.sql")]);
        check("", &[]);
    }
}
