//! The log parsers of SWT-Bench: those of SWE-bench 1.x for pytest, its own for Django, SymPy and scripts.
//!
//! Official place: `src/log_parsers.py`, `MAP_REPO_TO_PARSER`. Where the official program ends with an error that it does not catch (a
//! line `FAILED` without a name), these parsers go on with the next line.

mod django;
mod script;
mod sympy;

use patchwright_swe_bench::{LoggedStatus, Parser, Row, SWT_BENCH, StatusMap};

pub use script::SCRIPT;

/// Repositories whose logs the official program reads as pytest's, and for which SWE-bench knows no parser.
const MORE_PYTEST: &[&str] = &["nielstron/humaneval_fix"];

/// The way in which a case's logs are read.
#[derive(Clone, Copy, Debug)]
pub enum LogParser {
    /// A parser that SWE-bench has too.
    Shared(Parser),
    /// Django's runner.
    Django,
    /// SymPy's runner.
    Sympy,
    /// The exit status of a script (`--exec_mode reproduction_script`).
    Script,
}

impl LogParser {
    /// The parser for a repository; none where SWT-Bench has no cases of it.
    pub fn of_repository(repository: &str) -> Option<Self> {
        match repository {
            "django/django" => Some(Self::Django),
            "sympy/sympy" => Some(Self::Sympy),
            _ if MORE_PYTEST.contains(&repository) => Parser::named("parse_log_pytest").map(Self::Shared),
            _ => Parser::of_repository(repository)
                .filter(|parser| SHARED.contains(&parser.name()))
                .map(Self::Shared),
        }
    }

    /// The statuses of the tests in the output of a run.
    pub fn read(self, output: &str, row: &Row) -> StatusMap {
        match self {
            Self::Shared(parser) => parser.read_by(output, &SWT_BENCH, &row.instance_id, &row.version),
            Self::Django => django::read(output),
            Self::Sympy => sympy::read(output),
            Self::Script => script::read(output),
        }
    }
}

/// The parsers of SWE-bench that SWT-Bench has too; the others are for other languages.
const SHARED: [&str; 16] = [
    "parse_log_pytest",
    "parse_log_astroid",
    "parse_log_astropy",
    "parse_log_flask",
    "parse_log_marshmallow",
    "parse_log_matplotlib",
    "parse_log_pvlib",
    "parse_log_pydicom",
    "parse_log_pylint",
    "parse_log_pyvista",
    "parse_log_requests",
    "parse_log_scikit",
    "parse_log_seaborn",
    "parse_log_sphinx",
    "parse_log_sqlfluff",
    "parse_log_xarray",
];

/// A status that counts for a transition: what is neither passed nor failed counts as missing.
pub fn counted(status: Option<&LoggedStatus>) -> Option<bool> {
    match status {
        Some(LoggedStatus::Passed) => Some(true),
        Some(LoggedStatus::Failed) => Some(false),
        Some(LoggedStatus::Error | LoggedStatus::Skipped | LoggedStatus::Xfail | LoggedStatus::Other)
        | None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(repository: &str, output: &str, expect: &[(&str, LoggedStatus)]) {
        let row = Row { repo: repository.to_owned(), ..Row::default() };
        let read = LogParser::of_repository(repository).map(|parser| parser.read(output, &row));
        let read: Vec<(String, LoggedStatus)> = read.unwrap_or_default().into_iter().collect();
        let expect: Vec<(String, LoggedStatus)> =
            expect.iter().map(|(name, status)| ((*name).to_owned(), *status)).collect();
        assert_eq!(read, expect, "{output}");
    }

    #[test]
    fn short_summaries_of_pytest() {
        use LoggedStatus::{Error, Failed, Passed, Skipped};
        let log = "PASSED t.py::a\nFAILED t.py::b - assert 1 == 2\nERROR t.py::c\nSKIPPED [1] t.py:3: no\nXFAIL t.py::d\nPASSED\n";
        let expect = [("t.py::a", Passed), ("t.py::b", Failed), ("t.py::c", Error), ("[1]", Skipped)];
        check("pydata/xarray", log, &expect);
        check("nielstron/humaneval_fix", log, &expect);
        check(
            "astropy/astropy",
            "\u{1b}[31mt.py::a\u{1b}[0m FAILED\nx PASSED [ 3%]\n",
            &[("t.py::a", Failed)],
        );
        check("matplotlib/matplotlib", "PASSED t[MouseButton.LEFT]\n", &[("t[1]", Passed)]);
        check("psf/requests", "PASSED t[/a/b/c]\n", &[("t[/c]", Passed)]);
    }

    #[test]
    fn repositories_without_cases_have_no_parser() {
        for repository in ["google/gson", "tokio-rs/tokio", "me/mine"] {
            assert!(LogParser::of_repository(repository).is_none(), "{repository}");
        }
    }
}
