//! The differences between the generations of the official program, as data.
//!
//! The facts are from versions 1.1.5, 2.0.13, 4.1.0 and 5.0.2 of that program. Where it ends with an error
//! that it does not catch (a line `FAILED` without a name, for example), these rules go on with the next
//! line.

/// A generation of the official rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rules {
    /// 1.x and 2.0.x: `XFAIL` is unknown, and logs are read from the line that says that the patch was applied.
    V1,
    /// 2.1 to 4.1, as of 4.1.0.
    V4,
    /// 5.x, as of 5.0.2.
    #[default]
    V5,
}

/// The cases that count a test as passed that the log does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOnly {
    /// None.
    Never,
    /// Those of the repositories named.
    Repositories(&'static [&'static str]),
    /// Those whose rows say so; where a row says nothing, those of the repositories named.
    Row(&'static [&'static str]),
}

/// The differences, each with what it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each is a difference of its own; they do not form a state
pub struct Book {
    /// `v1`, `v4`, `v5`.
    pub name: &'static str,
    /// The status `XFAIL` exists, and passes.
    pub xfail: bool,
    /// A patch of blanks only is an empty one.
    pub blank_patch_is_empty: bool,
    /// A log without markers counts from where the patch was applied.
    pub reads_applied_patch: bool,
    /// When nothing is found between the markers, the whole log is read.
    pub reads_whole_log: bool,
    /// An empty result without a sign that tests ran is no result.
    pub wants_evidence: bool,
    /// A command that failed while no test did is no result: somebody prints statuses.
    pub compares_exit_code: bool,
    /// A required test that is skipped fails, or, if it passed before, is kept. Else it is left out of both
    /// lists.
    pub judges_skipped: bool,
    /// A required id that was cut off matches by what is left of it.
    pub completes_ids: bool,
    /// The cases that count what is not named as passed.
    pub fail_only: FailOnly,
    /// `SKIPPED [3] file: reason` is a count, not a test.
    pub drops_skip_counts: bool,
    /// Names with blanks are kept whole (`pytest_v2`).
    pub whole_names: bool,
    /// Lines that end with a status count (`pytest_v2`).
    pub trailing_status: bool,
    /// Django: an `ok` on a later line belongs to the test named before, and three kinds of interrupted lines
    /// are known.
    pub late_ok: bool,
    /// Matplotlib: names of mouse buttons are written as numbers.
    pub mouse_buttons: bool,
    /// Maven and Gradle: names and results may come apart.
    pub interleaved_builds: bool,
    /// Jest: blanks around a name are dropped.
    pub trims_names: bool,
    /// SymPy: the last test of a file, whose line ends with `[OK]`, is read.
    pub ends_of_files: bool,
    /// Reports tell what speaks for a broken environment.
    pub reports_infrastructure: bool,
}

/// Without a word of each row, these repositories count a test as passed that is not named (since 3.0).
const FAIL_ONLY_CLASSIC: &[&str] = &["chartjs/Chart.js", "processing/p5.js", "markedjs/marked"];
/// The same since 5.0.
const FAIL_ONLY: &[&str] = &[
    "chartjs/Chart.js",
    "processing/p5.js",
    "markedjs/marked",
    "bpmn-io/bpmn-js",
    "openlayers/openlayers",
    "eslint/eslint",
];

static V1: Book = Book {
    name: "v1",
    xfail: false,
    blank_patch_is_empty: true,
    reads_applied_patch: true,
    reads_whole_log: false,
    wants_evidence: false,
    compares_exit_code: false,
    judges_skipped: false,
    completes_ids: false,
    fail_only: FailOnly::Never,
    drops_skip_counts: false,
    whole_names: false,
    trailing_status: false,
    late_ok: false,
    mouse_buttons: false,
    interleaved_builds: false,
    trims_names: false,
    ends_of_files: false,
    reports_infrastructure: false,
};

static V4: Book = Book {
    name: "v4",
    xfail: true,
    blank_patch_is_empty: false,
    reads_applied_patch: false,
    reads_whole_log: true,
    fail_only: FailOnly::Repositories(FAIL_ONLY_CLASSIC),
    trailing_status: true,
    late_ok: true,
    mouse_buttons: true,
    ..V1
};

static V5: Book = Book {
    name: "v5",
    wants_evidence: true,
    compares_exit_code: true,
    judges_skipped: true,
    completes_ids: true,
    fail_only: FailOnly::Row(FAIL_ONLY),
    drops_skip_counts: true,
    whole_names: true,
    interleaved_builds: true,
    trims_names: true,
    reports_infrastructure: true,
    ..V4
};

/// The parsers of SWT-Bench (`src/log_parsers.py` of `logic-star-ai/swt-bench`, July 2026) for pytest, which come from 1.x. Those for
/// Django and SymPy are its own.
pub static SWT_BENCH: Book = Book { name: "swt-bench", trailing_status: true, mouse_buttons: true, ..V1 };

/// The parsers of TDD-Bench (`tddbench/harness/log_parsers.py` of `IBM/TDD-Bench-Verified`), which come from 2.0.
pub static TDD_BENCH: Book = Book {
    name: "tdd-bench",
    trailing_status: true,
    late_ok: true,
    mouse_buttons: true,
    ends_of_files: true,
    ..V1
};

impl Rules {
    /// All generations, oldest first.
    pub const ALL: [Self; 3] = [Self::V1, Self::V4, Self::V5];

    /// The rules of this generation.
    pub fn book(self) -> &'static Book {
        match self {
            Self::V1 => &V1,
            Self::V4 => &V4,
            Self::V5 => &V5,
        }
    }

    /// The generation called `v1`, `v4` (also `classic`) or `v5` (also `newest`).
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "v1" => Some(Self::V1),
            "v4" | "classic" => Some(Self::V4),
            "v5" | "newest" => Some(Self::V5),
            _ => None,
        }
    }
}

impl std::fmt::Display for Rules {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.book().name)
    }
}
