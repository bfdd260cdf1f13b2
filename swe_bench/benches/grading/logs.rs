//! Logs in the style of each test tool, with noise.

use std::fs;
use std::path::{Path, PathBuf};

use patchwright_swe_bench::{Parser, Row};
use serde_json::{Value, json};

/// Repositories with a version that the official program knows.
const REPOSITORIES: &[(&str, &str)] = &[
    ("django/django", "3.0"),
    ("sympy/sympy", "1.5"),
    ("matplotlib/matplotlib", "3.5"),
    ("scikit-learn/scikit-learn", "0.20"),
    ("pytest-dev/pytest", "5.4"),
    ("sphinx-doc/sphinx", "3.2"),
    ("astropy/astropy", "4.3"),
    ("psf/requests", "2.3"),
    ("pylint-dev/pylint", "2.15"),
    ("pydata/xarray", "0.12"),
    ("mwaskom/seaborn", "0.12"),
    ("pallets/flask", "2.0"),
];

/// The file of a row's log.
pub fn file(folder: &Path, row: &Row) -> PathBuf {
    folder.join("logs/run_evaluation/bench/gold").join(&row.instance_id).join("test_output.txt")
}

/// Writes logs and `rows.json`. One case in three is resolved, one in part, one not.
pub fn write(folder: &Path, cases: usize) -> Vec<Row> {
    let rows: Vec<Row> = (0..cases).map(|case| row(case, REPOSITORIES[case % REPOSITORIES.len()])).collect();
    for (case, row) in rows.iter().enumerate() {
        let path = file(folder, row);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, log(row, case)).unwrap();
    }
    let objects: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "instance_id": row.instance_id,
                "repo": row.repo,
                "version": row.version,
                "log_parser": row.log_parser,
                "FAIL_TO_PASS": row.fail_to_pass,
                "PASS_TO_PASS": row.pass_to_pass,
            })
        })
        .collect();
    fs::write(folder.join("rows.json"), Value::Array(objects).to_string()).unwrap();
    rows
}

fn row(case: usize, (repo, version): (&str, &str)) -> Row {
    let tests: Vec<String> = (0..300 + case * 7 % 900).map(|number| id(repo, number)).collect();
    let (fixed, kept) = tests.split_at(4);
    Row {
        repo: repo.to_owned(),
        instance_id: format!("{}-{case}", repo.replace('/', "__")),
        version: version.to_owned(),
        patch: "x\n".to_owned(),
        fail_to_pass: fixed.to_vec(),
        pass_to_pass: kept.to_vec(),
        log_parser: Parser::of_repository(repo).map(|parser| parser.name().to_owned()),
        ..Row::default()
    }
}

fn id(repo: &str, number: usize) -> String {
    match repo {
        "django/django" => format!("test_case_{number} (app.tests_{}.SomeTests)", number % 17),
        "sympy/sympy" => format!("test_case_{number}"),
        _ => format!("lib/tests/test_{}.py::TestSome::test_case_{number}[value{}]", number % 17, number % 5),
    }
}

/// The log of a case. Which tests fail depends on its number.
fn log(row: &Row, case: usize) -> String {
    let mut log = String::from("+ source /opt/miniconda3/bin/activate\n++ _CONDA_ROOT=/opt/miniconda3\n");
    for line in 0..300 {
        log.push_str(&format!("Requirement already satisfied: package{line}>=1.{line} in ./lib/python3.9\n"));
    }
    log.push_str("+ : '>>>>> Start Test Output'\n");
    let tests: Vec<&String> = row.fail_to_pass.iter().chain(&row.pass_to_pass).collect();
    let fails = |number: usize| match case % 3 {
        0 => false,
        1 => number == 1,
        _ => number % 50 == 7,
    };
    match row.repo.as_str() {
        "django/django" => {
            for (number, test) in tests.iter().enumerate() {
                let result = if fails(number) { "FAIL" } else { "ok" };
                log.push_str(&format!("{test} ... {result}\n"));
                noise(&mut log, number);
            }
        }
        "sympy/sympy" => {
            for (number, test) in tests.iter().enumerate() {
                log.push_str(&format!("{test} {}\n", if fails(number) { "F" } else { "ok" }));
                noise(&mut log, number);
            }
        }
        repo => {
            let (open, close) =
                if repo == "sphinx-doc/sphinx" { ("\u{1b}[32m", "\u{1b}[0m") } else { ("", "") };
            for (number, test) in tests.iter().enumerate() {
                log.push_str(&format!(
                    "{} .................... [ {}%]\n",
                    test.split("::").next().unwrap(),
                    number % 100
                ));
                noise(&mut log, number);
            }
            log.push_str("==== short test summary info ====\n");
            for (number, test) in tests.iter().enumerate() {
                if fails(number) {
                    log.push_str(&format!(
                        "{open}FAILED{close} {test} - AssertionError: assert {number} == 7\n"
                    ));
                } else {
                    log.push_str(&format!("{open}PASSED{close} {test}\n"));
                }
            }
        }
    }
    log.push_str("+ : '>>>>> End Test Output'\n");
    log
}

/// What tests print: warnings, traces, numbers.
fn noise(log: &mut String, number: usize) {
    log.push_str(
        "  /opt/lib/python3.9/site-packages/some/module.py:120: DeprecationWarning: old is deprecated\n",
    );
    if number.is_multiple_of(3) {
        log.push_str(&format!(
            "    assert result == expected[{number}], f'got {{result}}'\nE   AssertionError: {number}\n"
        ));
    }
    if number.is_multiple_of(7) {
        log.push_str("---------------------------- Captured stdout call ----------------------------\n");
    }
}
