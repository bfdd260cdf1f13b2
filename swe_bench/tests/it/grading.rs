//! Verdicts, by the rules of each generation.

use patchwright_swe_bench::{
    EvalType, EvaluationClass, Graded, NoResult, Resolution, Row, Rules, Tier, case_json, grade, parser,
};

use crate::support::{END, START, marked, row};

fn graded(row: &Row, log: &str, rules: Rules) -> Graded {
    grade(row, parser(row, rules).unwrap(), log, rules)
}

fn a_and_b() -> Row {
    row("a__a-1", &["a"], &["b"])
}

#[track_caller]
fn check_result(log: &str, rules: Rules, expect: Result<(), NoResult>) {
    assert_eq!(graded(&a_and_b(), log, rules).result.map(drop), expect, "{rules}: {log:?}");
}

#[test]
fn the_output_lies_between_the_marks() {
    let check = |log: &str, expect: Resolution| {
        for rules in Rules::ALL {
            assert_eq!(graded(&a_and_b(), log, rules).resolution(), expect, "{rules}: {log:?}");
        }
    };
    check(&marked("PASSED a\nPASSED b"), Resolution::Full);
    // What stands before and after does not count.
    check(&format!("PASSED a\n{START}PASSED b\n{END}PASSED a"), Resolution::No);
    check(&format!("FAILED a\n{START}PASSED a\nPASSED b\n{END}FAILED b"), Resolution::Full);
    // Of several parts only the first counts, up to its first end.
    check(&format!("{START}PASSED a\nPASSED b\n{END}{START}FAILED a\n{END}"), Resolution::Full);
    check(&format!("{START}PASSED a\n{START}PASSED b\n{END}"), Resolution::No);
    check(&format!("{START}PASSED a\nPASSED b\n{END}FAILED a\n{END}"), Resolution::Full);
}

#[test]
fn a_log_without_both_marks_holds_no_result() {
    for rules in Rules::ALL {
        check_result("", rules, Err(NoResult::NoMarkers));
        check_result(&format!("{START}PASSED a\nPASSED b"), rules, Err(NoResult::NoMarkers));
        check_result(&format!("PASSED a\nPASSED b\n{END}"), rules, Err(NoResult::NoMarkers));
        let timeout = format!("{START}PASSED a\n\n\nTimeout error: 1800 seconds exceeded.");
        check_result(&timeout, rules, Err(NoResult::TimedOut));
    }
}

#[test]
fn a_log_that_tells_of_a_failure_before_the_tests_holds_no_result() {
    for rules in Rules::ALL {
        let check = |sign: &str, reason: NoResult| {
            check_result(&format!("{}{sign}\n", marked("PASSED a\nPASSED b")), rules, Err(reason));
        };
        check(">>>>> Patch Apply Failed", NoResult::PatchFailed);
        check(">>>>> Reset Failed", NoResult::RunFailed);
        check(">>>>> Tests Errored", NoResult::RunFailed);
        check(">>>>> Tests Timed Out", NoResult::TimedOut);
    }
}

#[test]
fn v1_reads_from_where_the_patch_was_applied() {
    let log = ">>>>> Applied Patch (test)\nFAILED a\n>>>>> Applied Patch (pred)\nPASSED a\nPASSED b\n";
    assert!(graded(&a_and_b(), log, Rules::V1).resolved());
    // The last such line counts.
    let again = format!("{log}>>>>> Applied Patch (pred)\nPASSED a\n");
    assert!(!graded(&a_and_b(), &again, Rules::V1).resolved());
    // 2.0 has only what `git apply -v` says, and reads all of it.
    let git = "Applied patch tests/test_a.py cleanly.\nPASSED a\nPASSED b\n";
    assert!(graded(&a_and_b(), git, Rules::V1).resolved());
    check_result(git, Rules::V4, Err(NoResult::OfVersion1));
    check_result("PASSED a\nPASSED b\n", Rules::V1, Err(NoResult::NoMarkers));
    let unfinished = ">>>>> Applied Patch (test)\nPASSED a\nPASSED b\n";
    check_result(unfinished, Rules::V1, Err(NoResult::NoMarkers));
    check_result(&format!("{log}>>>>> Init Failed\n"), Rules::V1, Err(NoResult::RunFailed));
    check_result(&format!("{log}Failed to reset task environment\n"), Rules::V1, Err(NoResult::RunFailed));
    // Newer rules find nothing in logs of 1.x, and say what they are.
    check_result(log, Rules::V5, Err(NoResult::OfVersion1));
    for unread in [unfinished, ">>>>> Applied Patch (pred)\nno test ran\n"] {
        check_result(unread, Rules::V5, Err(NoResult::NoMarkers));
    }
}

#[test]
fn the_whole_log_is_read_when_nothing_is_between_the_marks_since_v4_1() {
    let log = format!("PASSED a\n{START}nothing\n{END}PASSED b\n1 passing");
    let check = |rules: Rules, expect: Resolution| {
        assert_eq!(graded(&a_and_b(), &log, rules).resolution(), expect, "{rules}");
    };
    check(Rules::V1, Resolution::No);
    check(Rules::V4, Resolution::Full);
    check(Rules::V5, Resolution::Full);
}

#[test]
fn without_a_sign_of_tests_there_is_no_result_since_v5() {
    let check = |said: &str, expect: Result<(), NoResult>| {
        check_result(&marked(said), Rules::V5, expect);
        check_result(&marked(said), Rules::V4, Ok(()));
    };
    for said in [
        "Executed 3 of 3",
        "TOTAL: 2 SUCCESS",
        "TOTAL: 1 FAILED",
        "  12 passing (3s)",
        "Tests:       5 total",
        "Test Suites: 1 failed, 2 passed, 3 total",
        "# tests 4",
        "9 specs, 0 failures",
        "1 spec, 1 failure",
        "case 'x': ok",
    ] {
        check(said, Ok(()));
    }
    for said in [
        "Executed 0 of 0",
        "TOTAL: 0 SUCCESS",
        "0 passing",
        "Tests: 0 total",
        "Test Suites: 0 total",
        "x # tests 4",
        "0 specs, 0 failures",
        "case 'x': okay",
    ] {
        check(said, Err(NoResult::NothingRan));
    }
}

#[test]
fn a_command_that_fails_while_no_test_does_is_no_result_since_v5() {
    let check = |tests: &str, code: &str, expect: Result<(), NoResult>| {
        let log = format!("{}{code}\n", marked(tests));
        check_result(&log, Rules::V5, expect);
        check_result(&log, Rules::V4, Ok(()));
    };
    let disagrees = Err(NoResult::ExitCodeDisagrees);
    check("PASSED a\nPASSED b", ">>>>> Test Exit Code: 1", disagrees);
    check("PASSED a\nSKIPPED b", ">>>>> Test Exit Code: -9", disagrees);
    check("PASSED a\nERROR: b", ">>>>> Test Exit Code: 2", disagrees);
    check("PASSED a\nPASSED b", ">>>>> Test Exit Code: 0", Ok(()));
    check("PASSED a\nPASSED b", "", Ok(()));
    check("PASSED a\nFAILED b", ">>>>> Test Exit Code: 1", Ok(()));
    check("PASSED a\nERROR b", ">>>>> Test Exit Code: 1", Ok(()));
    check("1 passing", ">>>>> Test Exit Code: 1", Ok(()));
    // The shell's trace of the line has the same number; the first counts.
    check("PASSED a", "+ echo '>>>>> Test Exit Code: 0'\n>>>>> Test Exit Code: 1", Ok(()));
}

/// Required tests `a` and `b` by their lists: F for success of the former, f for its failure, P and p for the
/// latter.
fn lists(log: &str, rules: Rules) -> String {
    let tests = graded(&a_and_b(), &marked(log), rules).result.unwrap();
    let mut lists = String::new();
    lists.push_str(&"F".repeat(tests.fail_to_pass.success.len()));
    lists.push_str(&"f".repeat(tests.fail_to_pass.failure.len()));
    lists.push_str(&"P".repeat(tests.pass_to_pass.success.len()));
    lists.push_str(&"p".repeat(tests.pass_to_pass.failure.len()));
    lists
}

#[test]
fn statuses_are_judged_by_the_rules_of_each_generation() {
    let check = |log: &str, expect: [&str; 3]| {
        let found = Rules::ALL.map(|rules| lists(log, rules));
        assert_eq!(found, expect, "{log:?}");
    };
    check("PASSED a\nPASSED b", ["FP", "FP", "FP"]);
    check("FAILED a\nERROR b", ["fp", "fp", "fp"]);
    // What is not named failed.
    check("PASSED x", ["fp", "fp", "fp"]);
    // v1 does not know the status, so that the test is not named.
    check("XFAIL a\nXFAIL b\nPASSED c", ["fp", "FP", "FP"]);
    // Before v5 a skipped test is in no list.
    check("SKIPPED a\nSKIPPED b", ["", "", "fP"]);
    // A word that only begins like a status is in no list either.
    check("ERROR: a\nERROR: b", ["", "", ""]);
}

#[test]
fn a_case_is_resolved_in_full_in_part_or_not() {
    let row = row("a__a-1", &["a", "b"], &["c"]);
    let check = |log: &str, expect: Resolution| {
        for rules in Rules::ALL {
            let graded = graded(&row, &marked(log), rules);
            assert_eq!(graded.resolution(), expect, "{rules}: {log:?}");
            assert_eq!(graded.resolved(), expect == Resolution::Full);
        }
    };
    check("PASSED a\nPASSED b\nPASSED c", Resolution::Full);
    check("PASSED a\nFAILED b\nPASSED c", Resolution::Partial);
    check("FAILED a\nFAILED b\nPASSED c", Resolution::No);
    check("PASSED a\nPASSED b\nFAILED c", Resolution::No);
    check("PASSED a\nFAILED b\nFAILED c", Resolution::No);
}

#[test]
fn lists_without_tests_are_fulfilled() {
    let check = |fixed: &[&str], kept: &[&str], expect: Resolution| {
        let graded = graded(&row("a__a-1", fixed, kept), &marked("PASSED a"), Rules::V4);
        assert_eq!(graded.resolution(), expect);
    };
    check(&[], &[], Resolution::Full);
    check(&["a"], &[], Resolution::Full);
    check(&[], &["a"], Resolution::Full);
    check(&[], &["b"], Resolution::No);
}

#[test]
fn ids_that_were_cut_off_are_completed_since_v5() {
    let check = |required: &str, log: &str, old: bool, new: bool| {
        let row = row("a__a-1", &[required], &[]);
        for (rules, expect) in [(Rules::V4, old), (Rules::V5, new)] {
            assert_eq!(graded(&row, &marked(log), rules).resolved(), expect, "{rules}: {required} {log:?}");
        }
    };
    check("t[log(photon", "PASSED t[log(photon]", false, true);
    check("t[log(photon", "PASSED t[log(photon]\nXFAIL t[log(photon2]", false, true);
    // The candidates have to agree.
    check("t[log(photon", "PASSED t[log(photon]\nFAILED t[log(photon2]", false, false);
    check("t[log(photon", "FAILED t[log(photon]\nERROR t[log(photon2]", false, false);
    // What is named exactly needs no completion.
    check("t[a", "PASSED t[a\nFAILED t[ab]", true, true);
    // Only a bracket that was not closed tells of a cut.
    check("t[a]", "PASSED t[a]x", false, false);
    check("t", "PASSED t2", false, false);
}

#[test]
fn some_cases_count_failures_only() {
    let mut row = row("a__a-1", &["a"], &["b"]);
    let mut check = |repo: &str, eval_type: Option<EvalType>, log_parser: Option<&str>, expect: [bool; 3]| {
        row.repo = repo.to_owned();
        row.eval_type = eval_type;
        row.log_parser = log_parser.map(str::to_owned);
        let found = Rules::ALL.map(|rules| graded(&row, &marked("1) x\n2 passing"), rules).resolved());
        assert_eq!(found, expect, "{repo} {eval_type:?}");
    };
    check("markedjs/marked", None, None, [false, true, true]);
    check("eslint/eslint", None, None, [false, false, true]);
    check("mrdoob/three.js", None, None, [false, false, false]);
    // Since v5 the row decides.
    check("markedjs/marked", Some(EvalType::PassAndFail), None, [false, true, false]);
    check("x/y", Some(EvalType::FailOnly), Some("parse_log_marked"), [false, false, true]);
    row.repo = "markedjs/marked".to_owned();
    row.eval_type = None;
    let failing = graded(&row, &marked("1) a\n2 passing"), Rules::V5).result.unwrap();
    assert_eq!(
        (failing.fail_to_pass.failure.as_slice(), failing.pass_to_pass.success.as_slice()),
        (["a".to_owned()].as_slice(), ["b".to_owned()].as_slice())
    );
}

#[test]
fn the_row_names_the_parser_since_v5() {
    let mut row = a_and_b();
    row.repo = "django/django".to_owned();
    row.log_parser = Some("parse_log_sympy".to_owned());
    let names = Rules::ALL.map(|rules| parser(&row, rules).unwrap().name());
    assert_eq!(names, ["parse_log_django", "parse_log_django", "parse_log_sympy"]);
    row.repo = "x/y".to_owned();
    assert_eq!(parser(&row, Rules::V4).unwrap().name(), "parse_log_sympy");
    row.log_parser = None;
    assert!(Rules::ALL.iter().all(|rules| parser(&row, *rules).is_none()));
}

#[test]
fn signs_of_a_broken_environment_only_advise() {
    let row = a_and_b();
    let broken = graded(&row, "Cannot connect to the Docker daemon\n", Rules::V5);
    assert_eq!(
        broken.sign.map(|sign| (sign.reason, sign.tier)),
        Some(("container_unavailable", Tier::Environment))
    );
    // A log with a result is not searched for them.
    let fine = graded(&row, &marked("PASSED a\nPASSED b\nOutOfMemoryError"), Rules::V5);
    assert_eq!((fine.sign, fine.resolved()), (None, true));
}

#[test]
fn classes_tell_the_patch_from_the_infrastructure() {
    let check = |log: &str, expect: EvaluationClass| {
        assert_eq!(EvaluationClass::of(&graded(&a_and_b(), log, Rules::V5)), expect, "{log:?}");
    };
    check(&marked("PASSED a\nPASSED b"), EvaluationClass::Resolved);
    check(&marked("FAILED a"), EvaluationClass::Unresolved);
    check(">>>>> Patch Apply Failed", EvaluationClass::PatchFailed);
    check("Timeout error: 60 seconds exceeded.", EvaluationClass::TimedOut);
    check("", EvaluationClass::Infrastructure);
    check(&marked("collected 0 items"), EvaluationClass::Infrastructure);
    check(&format!("{}>>>>> Test Exit Code: 1", marked("PASSED a\nPASSED b")), EvaluationClass::Unresolved);
}

#[test]
fn a_test_patch_that_does_not_apply_is_noticed() {
    let check = |log: &str, expect: bool| {
        assert_eq!(graded(&a_and_b(), log, Rules::V5).test_patch_failed, expect, "{log:?}");
    };
    let failed = "+ git apply -v -\nChecking patch tests/a.py...\nerror: patch failed: tests/a.py:1\n";
    check(&format!("{failed}{START}PASSED a\n{END}"), true);
    check(
        &format!("+ git apply -v -\nApplied patch tests/a.py cleanly.\n{START}error: patch failed: x\n{END}"),
        false,
    );
    check(&format!("error: patch failed: x\n+ git apply -v -\n{START}\n{END}"), false);
}

#[test]
fn the_report_of_a_case_has_the_official_layout() {
    let row = row("a__a-1", &["a"], &["b", "é"]);
    let check = |log: &str, rules: Rules, expect: &str| {
        assert_eq!(case_json("a__a-1", &graded(&row, log, rules), rules), expect);
    };
    let fine = marked("PASSED a\nPASSED b\nFAILED é");
    check(&fine, Rules::V4, include_str!("expected/case_v4.json").trim_end());
    check(&fine, Rules::V5, include_str!("expected/case_v5.json").trim_end());
    check("Killed\n", Rules::V4, include_str!("expected/none_v4.json").trim_end());
    check("Killed\n", Rules::V5, include_str!("expected/none_v5.json").trim_end());
    check("no tests ran\n", Rules::V5, include_str!("expected/ambiguous_v5.json").trim_end());
}
