//! The verdict on a log.

use super::log::{self, NoResult};
use super::parsers::Parser;
use super::rows::{EvalType, Row};
use super::rules::{Book, FailOnly, Rules};
use super::signs::{self, Sign};
use super::status::{LoggedStatus, StatusMap};

/// The degree to which a case is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// All required tests pass.
    Full,
    /// Some of the tests that failed before pass, and none that passed before fails.
    Partial,
    /// Neither.
    No,
}

/// Required tests by how they came out, in the order of the row. A test may be in neither list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// They passed.
    pub success: Vec<String>,
    /// They failed, or were not found.
    pub failure: Vec<String>,
}

/// The verdict on a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graded {
    /// The required tests by their outcome, or why nothing was found.
    pub result: Result<RequiredTests, NoResult>,
    /// The sign of a broken environment, where nothing was found.
    pub sign: Option<Sign>,
    /// The patch with the case's tests could not be applied. No rules look at it, so the verdict may be about
    /// other tests.
    pub test_patch_failed: bool,
}

/// The required tests of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequiredTests {
    /// Those that have to pass after the change.
    pub fail_to_pass: Judged,
    /// Those that passed before and have to stay so.
    pub pass_to_pass: Judged,
}

impl RequiredTests {
    /// The degree to which the case is resolved.
    pub fn resolution(&self) -> Resolution {
        let (fixed, kept) = (&self.fail_to_pass, &self.pass_to_pass);
        match (fixed.failure.is_empty(), kept.failure.is_empty()) {
            (true, true) => Resolution::Full,
            (false, true) if !fixed.success.is_empty() => Resolution::Partial,
            (true | false, true | false) => Resolution::No,
        }
    }
}

impl Graded {
    /// The degree to which the case is resolved; `No` where nothing was found.
    pub fn resolution(&self) -> Resolution {
        self.result.as_ref().map_or(Resolution::No, RequiredTests::resolution)
    }

    /// Notes that people should know before they believe the verdict.
    pub fn notes(&self) -> Vec<String> {
        let reason = self.result.as_ref().err().map(|reason| reason.sentence());
        let tests =
            self.test_patch_failed.then_some("the patch with the case's own tests could not be applied");
        reason.into_iter().chain(tests).map(str::to_owned).collect()
    }

    /// Is true if all required tests pass.
    pub fn resolved(&self) -> bool {
        self.resolution() == Resolution::Full
    }
}

/// The parser for a row: the one it names (v5), else that of its repository.
pub fn parser(row: &Row, rules: Rules) -> Option<Parser> {
    let of_repository = Parser::of_repository(&row.repo);
    let named = row.log_parser.as_deref().and_then(Parser::named);
    match rules {
        Rules::V1 | Rules::V4 => of_repository.or(named),
        Rules::V5 => named.or(of_repository),
    }
}

/// The statuses of the tests in a log, or why there are none.
pub(super) fn statuses(log: &str, parser: Parser, row: &Row, rules: Rules) -> Result<StatusMap, NoResult> {
    let book = rules.book();
    let of_version_1 = || statuses(log, parser, row, Rules::V1).is_ok_and(|statuses| !statuses.is_empty());
    let output = match log::output(log, book) {
        Err(NoResult::NoMarkers) if !book.reads_applied_patch && of_version_1() => {
            return Err(NoResult::OfVersion1);
        }
        output => output?,
    };
    let read = |text| parser.read(text, rules, &row.instance_id, &row.version);
    let mut statuses = read(output.tests);
    if statuses.is_empty() && book.reads_whole_log {
        statuses = read(output.whole);
    }
    if book.wants_evidence && statuses.is_empty() && !log::shows_tests(log) {
        return Err(NoResult::NothingRan);
    }
    if book.compares_exit_code
        && !statuses.is_empty()
        && log::exit_code(log).is_some_and(|code| code != 0)
        && !statuses.values().any(|status| status.fails())
    {
        return Err(NoResult::ExitCodeDisagrees);
    }
    Ok(statuses)
}

/// Grades a log: text with `\n` as the only end of a line.
pub fn grade(row: &Row, parser: Parser, log: &str, rules: Rules) -> Graded {
    let result = statuses(log, parser, row, rules).map(|statuses| judge(row, &statuses, rules));
    let sign = if result.is_err() { signs::find(&[log]) } else { None };
    Graded { result, sign, test_patch_failed: log::test_patch_failed(log) }
}

/// Judges the required tests by their statuses.
pub(super) fn judge(row: &Row, statuses: &StatusMap, rules: Rules) -> RequiredTests {
    let book = rules.book();
    if counts_failures_only(row, book) {
        let succeeds = |test: &str| Some(statuses.get(test) != Some(&LoggedStatus::Failed));
        return RequiredTests {
            fail_to_pass: sorted(&row.fail_to_pass, succeeds),
            pass_to_pass: sorted(&row.pass_to_pass, succeeds),
        };
    }
    let judged = |tests: &[String], skipped: bool| {
        sorted(tests, |test| match find(test, statuses, book) {
            Some(status) if status.passes() => Some(true),
            None | Some(LoggedStatus::Failed | LoggedStatus::Error) => Some(false),
            Some(LoggedStatus::Skipped) if book.judges_skipped => Some(skipped),
            Some(
                LoggedStatus::Passed | LoggedStatus::Xfail | LoggedStatus::Skipped | LoggedStatus::Other,
            ) => None,
        })
    };
    RequiredTests {
        // A skipped test fixes nothing, but is no regression either.
        fail_to_pass: judged(&row.fail_to_pass, false),
        pass_to_pass: judged(&row.pass_to_pass, true),
    }
}

fn counts_failures_only(row: &Row, book: &Book) -> bool {
    let among = |repositories: &[&str]| repositories.contains(&row.repo.as_str());
    match (book.fail_only, row.eval_type) {
        (FailOnly::Repositories(repositories), _) | (FailOnly::Row(repositories), None) => {
            among(repositories)
        }
        (FailOnly::Row(_), Some(EvalType::FailOnly)) => true,
        (FailOnly::Never, _) | (FailOnly::Row(_), Some(EvalType::PassAndFail)) => false,
    }
}

fn sorted(tests: &[String], succeeds: impl Fn(&str) -> Option<bool>) -> Judged {
    let mut judged = Judged::default();
    for test in tests {
        match succeeds(test) {
            Some(true) => judged.success.push(test.clone()),
            Some(false) => judged.failure.push(test.clone()),
            None => {}
        }
    }
    judged
}

/// The status of a required test. An id that was cut off in its parameters has the status of the tests that
/// begin with it, if they agree on whether they pass.
fn find(test: &str, statuses: &StatusMap, book: &Book) -> Option<LoggedStatus> {
    let exact = statuses.get(test).copied();
    if exact.is_some() || !book.completes_ids {
        return exact;
    }
    let count = |bracket: char| test.matches(bracket).count();
    if count('[') <= count(']') {
        return None;
    }
    let mut candidates = statuses.iter().filter(|(name, _)| name.starts_with(test));
    let (_, first) = candidates.next()?;
    candidates.all(|(_, status)| status.passes() == first.passes()).then_some(*first)
}
