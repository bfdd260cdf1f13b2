//! An issue without what is long and no prose: lists of packages, deep tracebacks, what stands twice, what a template told
//! whoever wrote the issue. What was left out, and how many lines of it, is said in its place.

use std::borrow::Cow;
use std::collections::HashMap;

/// Lines with a version that make a list of packages.
const LONG_LIST: usize = 12;
/// Lines of such a list that are shown at its beginning, and at its end.
const LIST_HEAD: usize = 2;
const LIST_TAIL: usize = 1;
/// Frames of a traceback that is shown as a whole.
const DEEP: usize = 12;
/// Of a deeper one, the frames shown on the side where the error was raised, and on the other.
const NEAR_FRAMES: usize = 7;
const FAR_FRAMES: usize = 3;
/// Equal lines in a row that are a repetition: fewer may be what comes out beside what should.
const REPEATED: usize = 25;

/// The issue with all of that folded.
pub fn folded(issue: &str) -> String {
    let (text, codes) = without_terminal_codes(issue);
    let (text, comments) = without_comments(&text);
    let mut lines: Vec<Cow<str>> = text.lines().map(Cow::Borrowed).collect();
    for fold in [repetitions, package_lists, deep_tracebacks] {
        let folds = fold(&lines);
        for Fold { first, end, note } in folds.into_iter().rev() {
            lines.splice(first..end, [Cow::Owned(note)]);
        }
    }
    let mut notes = Vec::new();
    if comments > 0 {
        notes.push(format!("{comments} lines of comments of the issue's template"));
    }
    if codes {
        notes.push("codes for the colours of a terminal".to_owned());
    }
    let mut text = lines.join("\n");
    if !notes.is_empty() {
        text.push_str(&format!("\n[… left out: {} …]", notes.join("; ")));
    }
    text
}

/// Lines for which a note stands.
struct Fold {
    first: usize,
    end: usize,
    note: String,
}

impl Fold {
    fn of(first: usize, end: usize, what: &str) -> Self {
        Self { first, end, note: format!("[… {} {what} left out …]", end - first) }
    }
}

/// The text without escape sequences, and whether there were any.
fn without_terminal_codes(text: &str) -> (Cow<'_, str>, bool) {
    const BEGIN: &str = "\u{1b}[";
    if !text.contains(BEGIN) {
        return (Cow::Borrowed(text), false);
    }
    let mut parts = text.split(BEGIN);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !(letter.is_ascii_digit() || ";?".contains(letter)));
        let code = end.map_or(part.len(), |end| end + part[end..].chars().next().map_or(0, char::len_utf8));
        kept.push_str(&part[code..]);
    }
    (Cow::Owned(kept), true)
}

/// The text without the comments that begin a line outside of fences, and how many lines they had.
fn without_comments(text: &str) -> (String, usize) {
    let (mut kept, mut left_out) = (String::with_capacity(text.len()), 0);
    let mut in_fence = false;
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.find('\n').map_or(rest.len(), |end| end + 1));
        let start = line.trim_start();
        in_fence ^= start.starts_with("```") || start.starts_with("~~~");
        let end = (!in_fence && start.starts_with("<!--")).then(|| rest.find("-->")).flatten();
        if let Some(end) = end {
            let comment = &rest[..end];
            left_out += comment.lines().count();
            // What follows in the same line stays; a line that held nothing else goes with the comment.
            let behind = &rest[end + "-->".len()..];
            rest = behind.strip_prefix('\n').or_else(|| behind.strip_prefix("\r\n")).unwrap_or(behind);
        } else {
            kept.push_str(line);
            rest = after;
        }
    }
    (kept, left_out)
}

/// Lines that stand word for word above.
fn repetitions(lines: &[Cow<str>]) -> Vec<Fold> {
    let mut folds = Vec::new();
    let mut seen: HashMap<&[Cow<str>], usize> = HashMap::new();
    let mut at = 0;
    while at + REPEATED <= lines.len() {
        let window = &lines[at..at + REPEATED];
        let said = window.iter().filter(|line| line.contains(char::is_alphanumeric)).count();
        let above = seen.get(window).copied().filter(|first| first + REPEATED <= at && said > REPEATED / 2);
        if let Some(first) = above {
            let same = lines[first..at].iter().zip(&lines[at..]).take_while(|(one, other)| one == other);
            let end = at + same.count();
            folds.push(Fold::of(at, end, "lines that stand above word for word"));
            at = end;
        } else {
            seen.entry(window).or_insert(at);
            at += 1;
        }
    }
    folds
}

/// Lists of packages with their versions, and the like of an environment.
fn package_lists(lines: &[Cow<str>]) -> Vec<Fold> {
    let mut folds = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let run = lines[at..].iter().map(|line| Entry::of(line)).take_while(|entry| *entry != Entry::Other);
        let (mut length, mut versions, mut exact) = (0, 0, 0);
        for (row, entry) in run.enumerate() {
            match entry {
                Entry::Package { is_exact } => {
                    versions += 1;
                    exact += usize::from(is_exact);
                    length = row + 1;
                }
                Entry::Setting => length = row + 1,
                // They belong to the list only where more follows, and none begins with one.
                Entry::Rule if row == 0 => break,
                Entry::Rule | Entry::Other => {}
            }
        }
        // Numbers with one point are as often measures.
        if versions >= LONG_LIST && versions * 2 >= length && exact * 3 >= versions {
            folds.push(Fold::of(at + LIST_HEAD, at + length - LIST_TAIL, "lines of a list of packages"));
        }
        at += length.max(1);
    }
    folds
}

/// What a line is in a list of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// A name with a version, exact where it has three parts or says that there is none.
    Package {
        is_exact: bool,
    },
    /// A name with something else.
    Setting,
    /// An empty line, or one that is drawn.
    Rule,
    Other,
}

impl Entry {
    fn of(line: &str) -> Self {
        if !line.contains(char::is_alphanumeric) {
            return if line.contains("```") { Self::Other } else { Self::Rule };
        }
        if line.len() > 160 || line.starts_with("[…") {
            return Self::Other;
        }
        let is_mark = |letter: char| letter.is_whitespace() || "=:@,;|\"'()<>~^`*".contains(letter);
        let mut words = line.split(is_mark).filter(|word| !word.is_empty() && *word != "-");
        let Some(name) = words.next() else { return Self::Rule };
        let is_call = line.find('(').is_some_and(|at| !line[..at].ends_with(char::is_whitespace));
        let is_name = !is_call
            && name.starts_with(char::is_alphabetic)
            && name.chars().all(|letter| letter.is_alphanumeric() || "_.-/+[]".contains(letter));
        let rest: Vec<&str> = words.take(7).collect();
        if !is_name || rest.len() > 6 {
            return Self::Other;
        }
        let marked = line.trim_start_matches(['-', '*', '|', '"', ' ']);
        let is_pair = marked.contains(['=', ':', '@', '|']) || marked.contains("  ");
        match rest.iter().copied().find(|word| is_version(word)) {
            Some(version) if is_pair || rest.len() <= 3 => {
                Self::Package { is_exact: !version.contains('.') || version.matches('.').count() > 1 }
            }
            None if is_pair => Self::Setting,
            Some(_) | None => Self::Other,
        }
    }
}

fn is_version(word: &str) -> bool {
    let numbers = word.trim_start_matches(['v', 'V']);
    let dotted = numbers.split_once('.').is_some_and(|(first, rest)| {
        !first.is_empty()
            && first.chars().all(|letter| letter.is_ascii_digit())
            && rest.starts_with(|letter: char| letter.is_ascii_digit())
    });
    dotted || word == "None"
}

/// The inner frames of tracebacks that are deep.
fn deep_tracebacks(lines: &[Cow<str>]) -> Vec<Fold> {
    let mut folds = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let (frames, innermost_first) = match frames_of_java(&lines[at..]) {
            frames if frames.is_empty() => (frames_of_python(&lines[at..]), false),
            frames => (frames, true),
        };
        let (head, tail) =
            if innermost_first { (NEAR_FRAMES, FAR_FRAMES) } else { (FAR_FRAMES, NEAR_FRAMES) };
        if frames.len() > DEEP
            && let (Some(first), Some(end)) = (frames.get(head), frames.get(frames.len() - tail))
        {
            let what = format!("lines with {} frames of the traceback", frames.len() - head - tail);
            folds.push(Fold::of(at + first, at + end, &what));
        }
        at += frames.last().map_or(1, |last| last + 1);
    }
    folds
}

/// The lines at which the frames of Java begin, one a line, from the first line on.
fn frames_of_java(lines: &[Cow<str>]) -> Vec<usize> {
    let is_frame = |line: &str| {
        line.trim_start().strip_prefix("at ").is_some_and(|call| call.contains('(') && call.contains('.'))
    };
    lines.iter().take_while(|line| is_frame(line)).enumerate().map(|(row, _)| row).collect()
}

/// The lines at which the frames of Python begin, each with the code below it, from the first line on.
fn frames_of_python(lines: &[Cow<str>]) -> Vec<usize> {
    let mut frames = Vec::new();
    let mut indent = 0;
    for (row, line) in lines.iter().enumerate() {
        let own = line.len() - line.trim_start().len();
        if line.trim_start().starts_with("File \"") {
            indent = own;
            frames.push(row);
        } else if frames.is_empty() || own <= indent {
            break;
        }
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(lines: usize, line: impl Fn(usize) -> String) -> String {
        (0..lines).map(|number| line(number) + "\n").collect()
    }

    #[test]
    fn lists_of_packages_keep_their_ends() {
        let check = |entries: &str, expect: &str| {
            let issue = format!("It fails.\n\n{entries}\nSo it does.");
            assert_eq!(folded(&issue), format!("It fails.\n\n{expect}\nSo it does."), "{issue}");
        };
        let freeze = list(30, |number| format!("package-{number}==1.{number}.0"));
        let expect = "package-0==1.0.0\npackage-1==1.1.0\n[… 27 lines of a list of packages left out …]\npackage-29==1.29.0\n";
        check(&freeze, expect);
        for line in [
            |number: usize| format!("package{number}     3.{number}.1"),
            |number| format!("package{number}   3.{number}.1   py38_0  conda-forge"),
            |number| format!("  - package{number}=3.{number}.1=py38_0"),
            |number| format!("| package{number} | 3.{number}.1 |"),
            |number| format!("package{number}     : {}", if number % 2 == 0 { "None" } else { "4.1.2" }),
            |number| format!("    \"package{number}\": \"^4.{number}.2\","),
        ] {
            let folded = folded(&list(30, line));
            assert_eq!(folded.lines().nth(2), expect.lines().nth(2), "{folded}");
            assert!(folded.starts_with(&line(0)), "{folded}");
        }
    }

    #[test]
    fn code_settings_and_prose_are_no_lists_of_packages() {
        for text in [
            list(8, |number| format!("package-{number}==1.{number}.0")),
            list(30, |number| format!("width_{number} = {number}.5")),
            list(30, |number| format!("key_{number}: value")),
            list(30, |number| format!("    total = add(total, {number}, 1.0.{number}) if total else other")),
            list(30, |number| format!("In release 1.{number}.0 this worked, and it should go on to work")),
            list(30, |number| format!("assert parse(\"1.{number}.0\") == Version({number})")),
        ] {
            assert_eq!(folded(&text), text.trim_end_matches('\n'));
        }
    }

    #[test]
    fn deep_tracebacks_keep_where_they_come_from_and_where_they_end() {
        let python = list(20, |number| {
            format!("  File \"a{number}.py\", line {number}, in f\n    g({number})\n    ^^^")
        });
        let text =
            folded(&format!("Traceback (most recent call last):\n{python}ValueError: no\nIt should not."));
        assert!(text.contains(
            "g(2)\n    ^^^\n[… 30 lines with 10 frames of the traceback left out …]\n  File \"a13.py\""
        ));
        assert!(text.ends_with("g(19)\n    ^^^\nValueError: no\nIt should not."), "{text}");
        let java = list(20, |number| format!("\tat org.x.A.f{number}(A.java:{number})"));
        let text = folded(&format!("java.lang.IllegalStateException: no\n{java}Caused by: that"));
        assert!(text.contains(
            "f6(A.java:6)\n[… 10 lines with 10 frames of the traceback left out …]\n\tat org.x.A.f17("
        ));
        let short = format!("Traceback (most recent call last):\n{}", &python[..python.len() / 2]);
        assert_eq!(folded(&short), short.trim_end());
    }

    #[test]
    fn what_stands_twice_is_shown_once() {
        let run = list(30, |number| format!("step {number}: done"));
        let text = folded(&format!("First:\n{run}Then:\n{run}End"));
        assert_eq!(
            text,
            format!("First:\n{run}Then:\n[… 30 lines that stand above word for word left out …]\nEnd")
        );
        let expected = list(20, |number| format!("line {number} of what is expected"));
        let text = format!("Expected:\n{expected}Observed:\n{expected}");
        assert_eq!(folded(&text), text.trim_end());
        let blank = "\n".repeat(40);
        assert_eq!(folded(&format!("a{blank}b")), format!("a{blank}b"));
    }

    #[test]
    fn comments_of_templates_and_colours_are_counted() {
        let check = |issue: &str, expect: &str| assert_eq!(folded(issue), expect);
        check(
            "<!-- Thank you\nfor this! -->\n# What happens\nIt fails.",
            "# What happens\nIt fails.\n[… left out: 2 lines of comments of the issue's template …]",
        );
        check("```html\n<!-- kept -->\n```\n`<!-- kept -->`", "```html\n<!-- kept -->\n```\n`<!-- kept -->`");
        check("<!-- never closed\nIt fails.", "<!-- never closed\nIt fails.");
        check(
            "\u{1b}[31;1mred\u{1b}[0m and \u{1b}[Kplain",
            "red and plain\n[… left out: codes for the colours of a terminal …]",
        );
        check("It fails.", "It fails.");
    }
}
