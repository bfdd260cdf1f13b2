use super::*;
use crate::status::LoggedStatus;

use LoggedStatus::{Error, Failed, Other, Passed, Skipped, Xfail};

fn read(
    parser: &str,
    rules: Rules,
    instance_id: &str,
    version: &str,
    log: &str,
) -> Vec<(String, LoggedStatus)> {
    let parser = Parser::named(parser).unwrap();
    parser.read(log, rules, instance_id, version).into_iter().collect()
}

#[track_caller]
fn check_with(parser: &str, rules: &[Rules], case: (&str, &str), log: &str, expect: &[(&str, LoggedStatus)]) {
    for rules in rules {
        let found = read(parser, *rules, case.0, case.1, log);
        let found: Vec<(&str, LoggedStatus)> =
            found.iter().map(|(test, status)| (test.as_str(), *status)).collect();
        assert_eq!(found, expect, "{parser} by the rules of {rules}: {log:?}");
    }
}

/// The same under all rules.
#[track_caller]
fn check(parser: &str, log: &str, expect: &[(&str, LoggedStatus)]) {
    check_with(parser, &Rules::ALL, ("a__b-1", "1.0"), log, expect);
}

#[track_caller]
fn check_by(rules: Rules, parser: &str, log: &str, expect: &[(&str, LoggedStatus)]) {
    check_with(parser, &[rules], ("a__b-1", "1.0"), log, expect);
}

const OLD: [Rules; 2] = [Rules::V1, Rules::V4];
const NEW: [Rules; 2] = [Rules::V4, Rules::V5];

#[test]
fn pytest_takes_the_second_word_of_lines_that_begin_with_a_status() {
    let check = |log: &str, expect: &[(&str, LoggedStatus)]| check("parse_log_pytest", log, expect);
    check(
        "PASSED t.py::a\nFAILED t.py::b - assert 1\nERROR t.py::c\n",
        &[("t.py::a", Passed), ("t.py::b", Failed), ("t.py::c", Error)],
    );
    check("SKIPPED t.py::a", &[("t.py::a", Skipped)]);
    // No blank may come before it, and no word boundary is wanted behind it.
    check(" PASSED t.py::a\nxPASSED t.py::b\nPASSED", &[]);
    check("ERROR: not found: x", &[("not", Other)]);
    check("PASSEDx t.py::a", &[("t.py::a", Other)]);
    // The dash of a failure is no word, those of others are.
    check("FAILED - t.py::a - x", &[("t.py::a", Failed)]);
    check("PASSED - t.py::a", &[("-", Passed)]);
    // What is said last counts, where it was said first.
    check("PASSED a\nPASSED b\nFAILED a", &[("a", Failed), ("b", Passed)]);
    // Ids are cut at blanks, and some required ones are no tests at all.
    check("PASSED t.py::a[x y]", &[("t.py::a[x", Passed)]);
    check(
        "PASSED [100%]\nPASSED [100%]------\nPASSED [",
        &[("[100%]", Passed), ("[100%]------", Passed), ("[", Passed)],
    );
}

#[test]
fn xfail_is_unknown_to_v1_and_passes_later() {
    check_by(Rules::V1, "parse_log_pytest", "XFAIL t.py::a", &[]);
    check_with(
        "parse_log_pytest",
        &NEW,
        ("a__b-1", "1"),
        "XFAIL t.py::a\nXPASS t.py::b",
        &[("t.py::a", Xfail)],
    );
    assert!(Xfail.passes() && Passed.passes() && !Skipped.passes() && !Other.passes());
    assert!(Failed.fails() && Error.fails() && !Skipped.fails() && !Other.fails());
}

#[test]
fn counts_of_skipped_tests_are_no_tests_since_v5() {
    for parser in ["parse_log_pytest", "parse_log_requests", "parse_log_sphinx", "parse_log_matplotlib"] {
        let log = "SKIPPED [3] t.py:7: why\nSKIPPED [x] t.py\nPASSED [3]";
        let old: &[(&str, LoggedStatus)] = &[("[3]", Passed), ("[x]", Skipped)];
        check_with(parser, &[Rules::V4], ("a__b-1", "1"), log, old);
    }
    check_by(
        Rules::V5,
        "parse_log_pytest",
        "SKIPPED [3] t.py:7: why\nSKIPPED [x] t.py\nPASSED [3]",
        &[("[x]", Skipped), ("[3]", Passed)],
    );
    check_by(Rules::V5, "parse_log_sphinx", "SKIPPED [12] t.py:7: why\nSKIPPED [] t", &[("[] t", Skipped)]);
}

#[test]
fn absolute_paths_in_options_are_shortened() {
    let check = |log: &str, id: &str| check("parse_log_requests", log, &[(id, Passed)]);
    check("PASSED t.py::a[/x/y/z.txt]", "t.py::a[/z.txt]");
    check("PASSED t.py::a[//x/y]", "t.py::a[//x/y]");
    check("PASSED t.py::a[/x/*]", "t.py::a[/x/*]");
    check("PASSED t.py::a[x/y]", "t.py::a[x/y]");
    check("PASSED t.py::a[x][/y/z]", "t.py::a[x][/y/z]");
    check("PASSED t.py::a[/x/y]tail", "t.py::a[/y]");
    check("PASSED t.py::a[open", "t.py::a[open");
    check("PASSED t.py::a", "t.py::a");
    for parser in ["parse_log_pydicom", "parse_log_pylint", "parse_log_pytest_options"] {
        super::tests::check(parser, "FAILED a[/b/c] - d", &[("a[/c]", Failed)]);
    }
}

#[test]
fn colours_and_control_characters_are_removed_for_pytest_v2() {
    let check = |log: &str, expect: &[(&str, LoggedStatus)]| check("parse_log_sphinx", log, expect);
    check("\u{1b}[32mPASSED\u{1b}[0m t.py::a", &[("t.py::a", Passed)]);
    check("[31mFAILED[0m t.py::a - x", &[("t.py::a", Failed)]);
    // A tab is removed like other control characters, so that words grow together.
    check("PASSED\tt.py::a b", &[("b", Other)]);
    // Two numbers are no colour for it.
    check("\u{1b}[1;32mPASSED t.py::a", &[]);
}

#[test]
fn names_with_blanks_are_whole_since_v5() {
    for parser in ["parse_log_astropy", "parse_log_scikit", "parse_log_sphinx", "parse_log_pytest_v2"] {
        let log = "PASSED t.py::a[x  y]\nFAILED t.py::b[p q] - m - n\nERROR t.py - boom";
        check_with(
            parser,
            &OLD,
            ("a__b-1", "1"),
            log,
            &[("t.py::a[x", Passed), ("t.py::b[p", Failed), ("t.py", Error)],
        );
        check_with(
            parser,
            &[Rules::V5],
            ("a__b-1", "1"),
            log,
            &[("t.py::a[x y]", Passed), ("t.py::b[p q]", Failed), ("t.py - boom", Error)],
        );
    }
}

#[test]
fn a_status_at_the_end_of_a_line_counts_for_pytest_v2() {
    let log = "t.py::a PASSED\nt.py::b[x y] FAILED\nt.py::c PASSED [ 10%]\nSKIPPED\nt.py::d XFAIL";
    check_by(Rules::V1, "parse_log_astropy", log, &[]);
    check_by(
        Rules::V4,
        "parse_log_astropy",
        log,
        &[("t.py::a", Passed), ("t.py::b[x", Other), ("t.py::d", Xfail)],
    );
    check_by(
        Rules::V5,
        "parse_log_astropy",
        log,
        &[("t.py::a", Passed), ("t.py::b[x y]", Failed), ("t.py::d", Xfail)],
    );
}

#[test]
fn mouse_buttons_are_numbers_since_v2() {
    let log = "PASSED t.py::a[MouseButton.LEFT]\nPASSED t.py::b[MouseButton.RIGHT-MouseButton.LEFT]";
    check_by(
        Rules::V1,
        "parse_log_matplotlib",
        log,
        &[("t.py::a[MouseButton.LEFT]", Passed), ("t.py::b[MouseButton.RIGHT-MouseButton.LEFT]", Passed)],
    );
    check_with(
        "parse_log_matplotlib",
        &NEW,
        ("a__b-1", "1"),
        log,
        &[("t.py::a[1]", Passed), ("t.py::b[3-1]", Passed)],
    );
}

#[test]
fn seaborn_knows_passed_and_failed_only() {
    let check = |log: &str, expect: &[(&str, LoggedStatus)]| check("parse_log_seaborn", log, expect);
    check(
        "PASSED t.py::a\nFAILED t.py::b - x\nSKIPPED t.py::c\nERROR t.py::d\nXFAIL t.py::e",
        &[("t.py::a", Passed), ("t.py::b", Failed)],
    );
    check("t.py::a PASSED [ 10%]\nt.py::b x PASSED y", &[("t.py::a", Passed)]);
    check("FAILED\nPASSED", &[]);
}

#[test]
fn sympy_reads_lines_of_tests_and_headers_of_failures() {
    let check = |log: &str, expect: &[(&str, LoggedStatus)]| check("parse_log_sympy", log, expect);
    check(
        "  test_a ok\ntest_b F\ntest_c E\ntest_d f\n",
        &[("test_a", Passed), ("test_b", Failed), ("test_c", Error)],
    );
    check(
        "______ sympy/core/tests/test_x.py:test_a ______\ntest_a F\n",
        &[("sympy/core/tests/test_x.py:test_a", Failed), ("test_a", Failed)],
    );
    // The last test of a file is missed, as in the official program.
    check("test_a ok        [OK]", &[]);
    // The underscores need not be there.
    check("x a.py:b c", &[("a.py:b", Failed)]);
    check("x a.py:b", &[]);
}

#[test]
fn django_reads_results_at_the_end_of_a_line() {
    let check = |log: &str, expect: &[(&str, LoggedStatus)]| check("parse_log_django", log, expect);
    check(
        "test_a (m.C) ... ok\n  test_b (m.C) ... FAIL\ntest_c (m.C) ... ERROR\n",
        &[("test_a (m.C)", Passed), ("test_b (m.C)", Failed), ("test_c (m.C)", Error)],
    );
    check("test_a (m.C) ... skipped 'no database'", &[("test_a (m.C)", Skipped)]);
    // A docstring is the id where there is one.
    check("Regression test for #15789 ... ok", &[("Regression test for #15789", Passed)]);
    // The header of a failure has the bare name.
    check(
        "test_a (m.C) ... FAIL\nFAIL: test_a (m.C)\nERROR: test_b (m.C)\nFAIL:",
        &[("test_a (m.C)", Failed), ("test_a", Failed), ("test_b", Error)],
    );
    // A subtest that fails after the line is not found by id.
    check("test_a (m.C) ... ok\nFAIL: test_a (m.C) (i=1)", &[("test_a (m.C)", Passed), ("test_a", Failed)]);
}

#[test]
fn django_takes_a_late_ok_for_the_test_before_since_v2() {
    let log = "test_a (m.C) ... Creating table\n  done\nok\ntest_b (m.C) ... OK\ntest_c (m.C) ...  OK";
    check_by(Rules::V1, "parse_log_django", log, &[]);
    check_with(
        "parse_log_django",
        &NEW,
        ("a__b-1", "1"),
        log,
        &[("test_a (m.C)", Passed), ("test_b (m.C)", Passed), ("test_c (m.C)", Passed)],
    );
    // Any line that begins so will do, and what failed before is overwritten.
    check_with(
        "parse_log_django",
        &NEW,
        ("a__b-1", "1"),
        "test_a (m.C) ... FAIL\nokay then",
        &[("test_a (m.C)", Passed)],
    );
    check_with("parse_log_django", &NEW, ("a__b-1", "1"), "ok", &[]);
}

#[test]
fn django_knows_lines_that_were_interrupted_since_v2() {
    let check = |log: &str, expect: &[(&str, LoggedStatus)]| {
        check_with("parse_log_django", &NEW, ("a__b-1", "1"), log, expect);
    };
    check("x --version is equivalent to version y", &[("--version is equivalent to version", Passed)]);
    check(
        "Applying sites.0002_alter_domain_unique...test_no_migrations (m.C) ... ok",
        &[("test_no_migrations (m.C)", Passed)],
    );
    check(
        "test_a (m.C) ... Testing against Django installed in '/x'\nsilenced).\nok\n",
        &[("test_a (m.C)", Passed)],
    );
    check("test_a ... Internal Server Error: /x/\nok\n", &[("test_a", Passed)]);
    check("test_a ... System check identified no issues (0 silenced)\nok\n", &[("test_a", Passed)]);
    // Here the rule of late results does not help: the line before `ok` has dots of its own.
    check(
        "test_a ... Testing against Django installed in x\ny ... z (0 silenced).\nok\n",
        &[("y", Passed), ("test_a", Passed)],
    );
}

#[test]
fn maven_matches_results_to_commands_in_their_order_since_v5() {
    let log = "+ mvn test -Dtest=A#a -q\n+ mvn test -Dtest=B\n[INFO] BUILD SUCCESS\n[INFO] BUILD FAILURE\n";
    check_with("parse_log_maven", &OLD, ("a__b-1", "1"), log, &[("B", Failed)]);
    check_by(Rules::V5, "parse_log_maven", log, &[("A#a", Passed), ("B", Failed)]);
    // Results may come before the commands are shown.
    let log = "[INFO] BUILD FAILURE\n+ mvn test -Dtest=A\n+ mvn test -Dtest=B";
    check_by(Rules::V5, "parse_log_maven", log, &[("A", Failed)]);
    check_by(Rules::V4, "parse_log_maven", log, &[("---NO TEST NAME FOUND YET---", Failed)]);
}

#[test]
fn gradle_finds_a_status_on_a_later_line_since_v5() {
    let log = "a.B > c PASSED\n> Task :test FAILED\na.B > d\nwarning\nFAILED\nPASSED";
    check_by(Rules::V4, "parse_log_gradle_custom", log, &[("a.B > c", Passed)]);
    check_by(Rules::V5, "parse_log_gradle_custom", log, &[("a.B > c", Passed), ("a.B > d", Failed)]);
}

#[test]
fn doctest_passes_a_subcase_when_all_its_expressions_do() {
    let log = "noise <doctest binary=\"x\"><TestSuite><TestCase name=\"t &lt;int&gt;\"><SubCase name=\"a\">\
        <Expression success=\"true\"/><SubCase name=\"b\"><Expression success=\"false\"></Expression></SubCase></SubCase>\
        <SubCase name=\"c\"/></TestCase></TestSuite></doctest> noise";
    check(
        "parse_log_doctest",
        log,
        &[("t <int> > a", Failed), ("t <int> > b", Failed), ("t <int> > c", Passed)],
    );
    check("parse_log_doctest", "<doctest><TestCase></doctest>", &[]);
    check("parse_log_doctest", "<doctest>", &[]);
}

#[test]
fn tools_that_print_a_line_for_each_test_are_read_by_it() {
    check(
        "parse_log_ant",
        "  [junit] [PASS] a b\n[junit] [FAIL] c\n[junit] [ERR] d\n[junit] x",
        &[("a b", Passed), ("c", Failed), ("d", Failed)],
    );
    check(
        "parse_log_gotest",
        "--- PASS: A (0.00s)\n    --- FAIL: A/b_c (1.2s)\n--- SKIP: D (0s)\n--- PASS: E",
        &[("A", Passed), ("A/b_c", Failed), ("D", Skipped)],
    );
    check(
        "parse_log_cargo",
        "test a::b ... ok\ntest a::c ... FAILED\ntest a::d ... ignored\ntest a - b ... ok",
        &[("a::b", Passed), ("a::c", Failed)],
    );
    check(
        "parse_log_redis",
        "[ok]: a b (3 ms)\n[err]: c in tests/x.tcl\n[skip]: d\n[ignore]: e\n[ok] f",
        &[("a b", Passed), ("c", Failed), ("d", Skipped), ("e", Skipped)],
    );
    check("parse_log_jq", "PASS: a b\n  FAIL: c\nPASS:d", &[("a b", Passed), ("c", Failed)]);
    check(
        "parse_log_micropython_test",
        "pass  a.py\nFAIL  b.py\nskip  c.py\nPASS d",
        &[("a.py", Passed), ("b.py", Failed), ("c.py", Skipped)],
    );
    check(
        "parse_log_googletest",
        "[ RUN      ] A.b\n[       OK ] A.b (0 ms)\n1: [  FAILED  ] A.c (1 ms)",
        &[("A.b", Passed), ("A.c", Failed)],
    );
    check("parse_log_tap", "ok 1 a b\nnot ok 2 c\nok d\n# ok 3 e", &[("a b", Passed), ("c", Failed)]);
    check(
        "parse_log_minitest",
        "T#test_a. = 0.00 s = .\nT#test_b. = 0.01 s = F\nT#test_c. = 0.01 s = E",
        &[("T#test_a", Passed), ("T#test_b", Failed), ("T#test_c", Failed)],
    );
    check(
        "parse_log_cucumber",
        "features/a.feature ....\nfeatures/b.feature ..F-",
        &[("features/a.feature", Passed), ("features/b.feature", Failed)],
    );
    check(
        "parse_log_ruby_unit",
        "test: a b:  .: (0.1)\n  c:  F\nd: E\ne: O: x\nf: Error",
        &[("a b", Passed), ("c", Failed), ("d", Failed), ("e", Skipped)],
    );
    check(
        "parse_log_rspec_transformed_json",
        "a b - passed\nc - failed\nd - pending",
        &[("a b", Passed), ("c", Failed)],
    );
    check(
        "parse_log_jest_json",
        "[PASSED] a > b\n[FAILED] c\n[SKIPPED] d",
        &[("a > b", Passed), ("c", Failed)],
    );
    check(
        "parse_log_vitest",
        " ✓ a > b 12ms\n × c\n ↓ d [skipped]\n ✓ e 3",
        &[("a > b", Passed), ("c", Failed), ("d", Skipped), ("e", Passed)],
    );
}

#[test]
fn jest_trims_names_since_v5() {
    let log = "  ✓ a (3 ms)\n  ✕ b  (12 ms)\n  ○ skipped c\n ✓d";
    check_by(Rules::V4, "parse_log_jest", log, &[("a", Passed), ("b ", Failed), ("skipped c", Skipped)]);
    check_by(Rules::V5, "parse_log_jest", log, &[("a", Passed), ("b", Failed), ("skipped c", Skipped)]);
}

#[test]
fn phpunit_puts_the_class_before_each_test() {
    check(
        "parse_log_phpunit",
        " ✔ early\nSome Class (App\\SomeClass)\n ✔ does a\n ✘ does b\n ↩ does c\n",
        &[
            ("None > early", Passed),
            ("Some Class > does a", Passed),
            ("Some Class > does b", Failed),
            ("Some Class > does c", Skipped),
        ],
    );
}

#[test]
fn some_repositories_changed_their_tool() {
    let log = "T#a. = 0.0 s = .\nf.feature ....";
    let check = |id: &str, expect: &[(&str, LoggedStatus)]| {
        check_with("parse_log_jekyll", &Rules::ALL, (id, "1"), log, expect);
    };
    check("jekyll__jekyll-9141", &[("T#a", Passed)]);
    check("jekyll__jekyll-8761", &[("f.feature", Passed)]);
    check("jekyll__jekyll-1", &[]);
    let log = "  ✓ a\n[PASSED] b";
    let check = |id: &str, expect: &[(&str, LoggedStatus)]| {
        check_with("parse_log_immutable_js", &Rules::ALL, (id, "1"), log, expect);
    };
    check("immutable-js__immutable-js-2006", &[("a", Passed)]);
    check("immutable-js__immutable-js-2005", &[("b", Passed)]);
    check("immutable-js__immutable-js-1", &[]);
}

#[test]
fn suites_stand_before_their_tests() {
    check(
        "parse_log_karma",
        "  ✔ x\nStarting browser Chrome\n  A\n    ✔ a\n    B\n      ✖ b\nSUMMARY:\n  ✔ y",
        &[("A > a", Passed), ("A > B > b", Failed)],
    );
    check(
        "parse_log_calypso",
        "  ✓ x\n+ ./node_modules/.bin/jest a\n  A\n    ✓ b (12ms)\n    ✕ c\n  ● A\n    ✓ d",
        &[("A - b", Passed), ("A - c", Failed)],
    );
    check(
        "parse_log_highlightjs",
        "  A\n    B\n      ✓ a (3ms)\n      1) b\n\n  1 passing (2s)\n  1) A",
        &[("B.a", Passed), ("B.b", Failed)],
    );
    let mocha = "running 2 test files\nx\n  A\n    B\n      ✔ a (3ms)\n    1) c\n  1 passing\n  ✔ d";
    check_with(
        "parse_log_lighthouse",
        &Rules::ALL,
        ("a__b-1", "9.5"),
        mocha,
        &[("A - B - a", Passed), ("A - B - c", Failed)],
    );
    check_with(
        "parse_log_lighthouse",
        &Rules::ALL,
        ("a__b-1", "3.0"),
        "PASS a.js (1.2 s)",
        &[("a.js", Passed)],
    );
    let json = "+ ./node_modules/.bin/mocha --reporter json\n\"failures\": [\n{\"fullTitle\": \"c\",\n}],\n\"passes\": [\n{\"fullTitle\": \"a b\",\n}]\n";
    check_with(
        "parse_log_lighthouse",
        &Rules::ALL,
        ("a__b-1", "2.3"),
        json,
        &[("a b", Passed), ("c", Failed)],
    );
    let karma = "+ xvfb-run x\nStarting browser Chrome\n  A\n    \u{1b}[32m✓\u{1b}[0m a\n  LOG: ✓ x\n    ✗ b\nTOTAL\n✓ c";
    check_with(
        "parse_log_next",
        &Rules::ALL,
        ("a__b-1", "1.25"),
        karma,
        &[("A - a", Passed), ("A - b", Failed)],
    );
    let cypress = "Running: a.js (1 of 1)\n\n\n  A\n    ✓ a (3ms)\n    1) b\n";
    check_with(
        "parse_log_next",
        &Rules::ALL,
        ("a__b-1", "1.27"),
        cypress,
        &[("A: b", Failed), ("A: a", Passed)],
    );
}

#[test]
fn whole_files_pass_or_fail() {
    for parser in ["parse_log_carbon", "parse_log_react_pdf"] {
        check(
            parser,
            "PASS a.js (12ms)\nFAIL b.js (1.2 s)\nPASS c.js (3s)\nPASS d.js\n PASS e.js\nPASSED f",
            &[("a.js", Passed), ("b.js", Failed), ("c.js", Passed), ("d.js", Passed)],
        );
    }
    check(
        "parse_log_grommet",
        "PASS a.js (1.2 s)\nFAIL b.js\nPASS b.js",
        &[("b.js", Passed), ("a.js", Passed)],
    );
    check(
        "parse_log_prismjs",
        "+ ./node_modules/.bin/mocha tests/run.js --reporter json\n{\"passes\": [{\"fullTitle\": \"a\"}], \"failures\": [{\"fullTitle\": \"b\"}]}\n",
        &[("b", Failed), ("a", Passed)],
    );
    check(
        "parse_log_quarto_cli",
        "[unit] > a /tmp/x1.qmd ... \u{1b}[32mok\n[smoke] b /tmp/x1.qmd ... \u{1b}[31mFAILED\n[unit] c ...\nx\nERRORS\n[unit] d ... 32mok",
        &[("[unit] > a /tmp/0", Passed), ("[smoke] b /tmp/0", Failed), ("[unit] c", Failed)],
    );
}

#[test]
fn some_parsers_find_failures_only() {
    check(
        "parse_log_chart_js",
        "\u{1b}[31mChrome 1.2 (Linux x86_64) a b FAILED\u{1b}[0m\nChrome 1.2 (Linux) c SUCCESS",
        &[("a b ", Failed)],
    );
    check("parse_log_marked", "1) a b \n 2) c\n3)d", &[("a b", Failed)]);
    check(
        "parse_log_eslint",
        "  1) suite\n       name:\n     TypeError: x\n  2 passing",
        &[("suite name:", Failed)],
    );
    check(
        "parse_log_bpmn_js",
        "HeadlessChrome 1.2 (Linux 0.0) a FAILED\nChrome Headless 9 (Linux x86_64) b FAILED\n",
        &[("b ", Failed), ("a ", Failed)],
    );
    check(
        "parse_log_openlayers",
        "Chrome Headless 1.2 (Linux x86_64) a b FAILED\ncase x: mismatch 3\n  1) s\n     t:\n    Error: y\n",
        &[("a b", Failed), ("s t:", Failed), ("x", Failed)],
    );
    check(
        "parse_log_p5js",
        "  1) A\n       B\n         c:\n     Error\n{\n  2) x:\n}\n<a>\n  3) y:\n</a>\n",
        &[("A:B:c", Failed)],
    );
    // A name whose lines do not go deeper is none, nor one that is too long.
    check("parse_log_p5js", "  1) A\n B\n c:\n", &[]);
    check("parse_log_p5js", &format!(" 1) {}:", "y".repeat(999)), &[(&"y".repeat(999), Failed)]);
    check("parse_log_p5js", &format!(" 1) {}:", "y".repeat(1000)), &[]);
}

#[test]
fn each_repository_has_one_parser_and_each_parser_one_name() {
    let mut names: Vec<&str> = Parser::names().collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), PARSERS.len());
    let mut repositories: Vec<&str> =
        PARSERS.iter().flat_map(|(.., repositories)| *repositories).copied().collect();
    let all = repositories.len();
    repositories.sort_unstable();
    repositories.dedup();
    assert_eq!(repositories.len(), all);
    let check = |repository: &str, expect: Option<&str>| {
        assert_eq!(Parser::of_repository(repository).map(|parser| parser.name()), expect);
    };
    check("django/django", Some("parse_log_django"));
    check("sphinx-doc/sphinx", Some("parse_log_sphinx"));
    check("psf/requests", Some("parse_log_requests"));
    check("nobody/nothing", None);
}
