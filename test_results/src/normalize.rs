//! Cleaning of what tools print: what differs from run to run or from machine to machine is taken out, and of stack
//! traces only the project's own frames stay. The same result gives the same bytes.

mod day;
mod frames;
mod noise;

use std::borrow::Cow;
use std::path::Path;
use std::time::SystemTime;

use patchwright_syntax::pattern::{Pattern, pattern};
use regex::{Captures, Regex, Replacer};

pub use frames::{ProjectFiles, described};

static ESCAPES: Pattern =
    pattern!("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_])");
/// Where CPython prints an address, and what can only be one on a 64-bit machine.
static ADDRESS: Pattern = pattern!(r"(\bat )0x[0-9a-fA-F]{4,16}\b|\b0x(?:7f|55|56)[0-9a-f]{10}\b");
static LAMBDA: Pattern = pattern!(r"\$\$Lambda(?:\$\d+)?/(?:0x)?[0-9a-f]+(?:@[0-9a-f]+)?");
/// `package.Class@1b2c3d4`, `[I@6d06d69c`, `[Lpackage.Class;@6d06d69c`.
static IDENTITY: Pattern =
    pattern!(r"((?:\b(?:[a-z_][\w$]*\.)*[A-Z][\w$]*)|\[+(?:[BCDFIJSZ]|L[\w.$]+;))@[0-9a-f]{4,8}\b");
/// The folder of a sandbox, which each command has of its own, and what programs make in the system's. The folders above it are
/// bounded: otherwise each of many places in one long path would be looked at to the end of the path.
static TEMPORARY: Pattern = pattern!(
    r"(?:/[A-Za-z0-9_.-]+){0,16}/patchwright-sandbox-[\w.-]+(?:/run-\w+(?:/(?:tmp|home)(?:/tmp[a-z0-9_]{8})?)?)?|(?:/private)?(?:/var)?/tmp/(?:pytest-of-[\w.-]+/pytest-\d+|tmp[a-z0-9_]{8}|[\w.-]*\d{4,}[\w.-]*)"
);
static PROCESS: Pattern = pattern!(r"\b((?i:pid)[ =:]+)\d+\b");
static PORT: Pattern =
    pattern!(r"\b(127\.0\.0\.1|localhost|0\.0\.0\.0):(?:3[2-9]\d{3}|[45]\d{4}|6[0-5]\d{3})\b");
static PYTHON: Pattern =
    pattern!(r#"(?:/[^\s:'"()/]+)+/(?:(site-packages|dist-packages)|lib(?:64)?/python\d+\.\d+)/"#);
static JAVA: Pattern = pattern!(r"/usr/lib/jvm/[^\s/:]+");
/// The line on the worker of pytest-xdist that ran a test.
static WORKER: Pattern = pattern!(r"(?m)^\[gw\d+\] \w+ -- Python .*\n?");
/// Durations, where tools print them.
static DURATION: Pattern = pattern!(
    r"(?m)( \[?took [\d.,]+ ?m?s(?:ec)?\]?|,? Time elapsed: [\d.,]+ ?s(?:ec)?|^(Ran \d+ tests?) in [\d.]+s| in [\d.]+ ?s(?: \(\d+:\d\d:\d\d\))?( =+)?$)"
);

/// Knows what has to be taken out of the output of one lane.
#[derive(Clone, Debug)]
pub struct OutputNormalizer {
    /// Paths and what stands for them, longest first.
    places: Vec<(String, &'static str)>,
    files: ProjectFiles,
    dates: day::Replacements,
}

impl OutputNormalizer {
    /// A normalizer for output in which the lane is seen at `lanes` (on the host, inside of the sandbox). The date is that
    /// of the run: other dates are facts about the bug and stay.
    pub fn new(lanes: &[&Path], files: ProjectFiles, now: SystemTime) -> Self {
        let mut places = Vec::new();
        let lanes = lanes.iter().map(|lane| lane.to_string_lossy().trim_end_matches('/').to_owned());
        for lane in lanes.filter(|lane| !lane.is_empty()) {
            for (folder, name) in [
                ("/project/", ""),
                ("/project", "."),
                ("/tools", "<runner>"),
                ("/out", "<out>"),
                ("", "<lane>"),
            ] {
                places
                    .extend(["file://", "file:", ""].map(|scheme| (format!("{scheme}{lane}{folder}"), name)));
            }
        }
        places.sort_by(|one, other| other.0.len().cmp(&one.0.len()).then_with(|| one.0.cmp(&other.0)));
        places.dedup();
        Self { places, files, dates: day::patterns(now) }
    }

    /// The text with everything replaced that is not the same in every run.
    pub fn text(&self, text: &str) -> String {
        let mut text = without_escapes(text).into_owned();
        for (path, name) in &self.places {
            if text.contains(path.as_str()) {
                text = text.replace(path.as_str(), name);
            }
        }
        for (pattern, replacement) in [
            (&*LAMBDA, "$$$$Lambda"),
            (&*IDENTITY, "$1@…"),
            (&*TEMPORARY, "<tmp>"),
            (&*PROCESS, "${1}…"),
            (&*PORT, "$1:<port>"),
            (&*JAVA, "<java>"),
            (&*WORKER, ""),
            (&*ADDRESS, "${1}0x…"),
        ] {
            replace(&mut text, pattern, replacement);
        }
        replace(&mut text, &PYTHON, |found: &Captures<'_>| {
            format!("<{}>/", found.get(1).map_or("python", |folder| folder.as_str()))
        });
        // After what is installed in an environment of the project.
        if let Some(place) = self.files.place() {
            replace(&mut text, place, "$1");
        }
        replace(&mut text, &DURATION, "$2$3");
        for (pattern, replacement) in &*self.dates {
            replace(&mut text, pattern, *replacement);
        }
        text
    }

    /// A trace: the text cleaned, without the frames outside of the project.
    pub fn trace(&self, trace: &str) -> String {
        frames::own(&self.text(trace), &self.files)
    }

    /// The output of a command: cleaned like a trace, and without the tool's talk about itself.
    pub fn log(&self, log: &str) -> String {
        noise::without(&self.trace(log))
    }
}

fn replace(text: &mut String, pattern: &Regex, replacement: impl Replacer) {
    if let Cow::Owned(changed) = pattern.replace_all(text, replacement) {
        *text = changed;
    }
}

/// The text without terminal escapes, and with plain ends of line.
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    let text = if text.contains('\u{1b}') { ESCAPES.replace_all(text, "") } else { Cow::Borrowed(text) };
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { text }
}

/// The head and the tail of a text that is longer than `max` bytes, whole lines where possible, with a note between.
pub fn head_and_tail(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let head = text.floor_char_boundary(max / 2);
    let tail = text.ceil_char_boundary(text.len() - (max - head));
    // Only a text of many lines can be cut at their ends without losing much.
    let head = text[..head].rfind('\n').filter(|end| *end > max / 4).unwrap_or(head);
    let tail = text[tail..].find('\n').filter(|end| *end < max / 4).map_or(tail, |end| tail + end + 1);
    let lines = text[head..tail].matches('\n').count();
    let note = if lines > 1 { format!("{} lines", lines - 1) } else { format!("{} bytes", tail - head) };
    Cow::Owned(format!("{}\n[… {note} left out …]\n{}", &text[..head], &text[tail..]))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// 2026-11-21T12:00:00Z
    const NOW: Duration = Duration::from_hours(498_684);

    fn normalizer() -> OutputNormalizer {
        let files = ["shop/basket.py", "tests/test_basket.py", "src/main/java/shop/Basket.java"];
        let files = ProjectFiles::new(files.into_iter().map(str::to_owned)).at(Path::new("/home/me/shop"));
        OutputNormalizer::new(
            &[Path::new("/work/lane-1"), Path::new("/lane")],
            files,
            SystemTime::UNIX_EPOCH + NOW,
        )
    }

    #[test]
    fn what_differs_between_runs_is_replaced() {
        let normalizer = normalizer();
        let check = |text: &str, expect: &str| assert_eq!(normalizer.text(text), expect);
        check("File \"/work/lane-1/project/shop/basket.py\", line 3", "File \"shop/basket.py\", line 3");
        check("cd /lane/project; ls file:///lane/project/a.txt", "cd .; ls a.txt");
        check(
            "at (/home/me/shop/shop/basket.py:3), /old/home/me/shop/x /home/me/shop/.venv/lib/python3.11/site-packages/a.py",
            "at (shop/basket.py:3), /old/home/me/shop/x <site-packages>/a.py",
        );
        check("/lane/out/classes and /lane/tools/x", "<out>/classes and <runner>/x");
        check("<Basket object at 0x7fc0b054ccd0> is None", "<Basket object at 0x…> is None");
        check("mask 0xdeadbeef, max 0x7fffffffffffffff", "mask 0xdeadbeef, max 0x7fffffffffffffff");
        check("shop.Basket@1b2c3d4 [I@6d06d69c ann@example.org", "shop.Basket@… [I@… ann@example.org");
        check("Foo$$Lambda$14/0x0000000800c03000@5e91993f", "Foo$$Lambda");
        check(
            "/tmp/tmpab12cd_x/out.txt /tmp/junit1234567/a /tmp/fixed/a",
            "<tmp>/out.txt <tmp>/a /tmp/fixed/a",
        );
        check("/tmp/patchwright-sandbox-1-2-x/run-aB3/tmp/tmpab12cd_x/out.txt", "<tmp>/out.txt");
        check("/tmp/pytest-of-root/pytest-12/test_a0/x", "<tmp>/test_a0/x");
        check("/usr/lib/python3.11/json/decoder.py", "<python>/json/decoder.py");
        check("/home/ann/.venv/lib/python3.11/site-packages/six.py", "<site-packages>/six.py");
        check(
            "connect 127.0.0.1:43121 and localhost:8080, pid 4242",
            "connect 127.0.0.1:<port> and localhost:8080, pid …",
        );
        check("=== 1 failed, 4 passed in 0.22s ===", "=== 1 failed, 4 passed ===");
        check("Ran 3 tests in 0.001s", "Ran 3 tests");
        check("Tests run: 5, Failures: 1, Time elapsed: 0.157 sec", "Tests run: 5, Failures: 1");
        check("[gw1] linux -- Python 3.11.7 /usr/bin/python3\nassert 0", "assert 0");
        check("\u{1b}[31mred\u{1b}[0m\r\n", "red\n");
        check("expected 0.5s but was 0.7s", "expected 0.5s but was 0.7s");
    }

    #[test]
    fn only_the_date_of_the_run_is_replaced() {
        let normalizer = normalizer();
        let check = |text: &str, expect: &str| assert_eq!(normalizer.text(text), expect);
        check("2026-11-21T08:02:23.123Z start", "<date> start");
        check("2026-11-20 23:59:59,5 start", "<date> start");
        check("Sat Nov 21 08:02:23 UTC 2026", "<date>");
        check("Nov 21, 2026 8:02:23 AM shop.Basket add", "<date> shop.Basket add");
        check("datetime.date(2026, 11, 21)", "datetime.date(<date>)");
        check("08:02:23.123 [main] INFO", "<time> [main] INFO");
        check(
            "expected 2004-02-29T00:00:00 but was 2004-03-01",
            "expected 2004-02-29T00:00:00 but was 2004-03-01",
        );
    }

    #[test]
    fn long_text_keeps_head_and_tail() {
        let check = |text: &str, max: usize, expect: &str| assert_eq!(head_and_tail(text, max), expect);
        check("short", 10, "short");
        check("aaa\nbbb\nccc\nddd\neee\nfff\nggg", 16, "aaa\nbbb\n[… 3 lines left out …]\nfff\nggg");
        check(&"ä".repeat(20), 10, "ää\n[… 30 bytes left out …]\näää");
    }
}
