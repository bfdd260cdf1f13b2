//! Real data, where it is at hand: the folder that `PATCHWRIGHT_CORPUS` names has `swebench/lite_dev.jsonl` and
//! `swebench/swebench_specs_v4.1.0.json`. The tests say so when it is not set.

use std::path::PathBuf;

use patchwright_swe_bench::{
    Dataset, EvaluationClass, Logs, Predictions, Reset, Rules, Specs, classic, eval_script, grade, image,
    parser,
};

use crate::support::marked;

fn corpus(file: &str) -> Option<PathBuf> {
    let found = std::env::var_os("PATCHWRIGHT_CORPUS")
        .map(|folder| PathBuf::from(folder).join("swebench").join(file));
    if found.is_none() {
        eprintln!("skipped: PATCHWRIGHT_CORPUS names no folder with {file}");
    }
    found
}

#[test]
fn our_table_says_what_the_official_specs_say() {
    let Some(path) = corpus("swebench_specs_v4.1.0.json") else { return };
    let (official, ours) = (Specs::load(&path).unwrap(), Specs::builtin());
    let mut compared = 0;
    for (repository, version, spec) in official.read() {
        // These two are in no dataset that is evaluated.
        if matches!(repository, "swe-bench/humaneval" | "dbt-labs/dbt-core") {
            continue;
        }
        let mut spec = spec.clone();
        // Only images need them.
        spec.pre_install.clear();
        assert_eq!(ours.get(repository, version), Some(spec), "{repository} {version}");
        compared += 1;
    }
    assert!(compared > 280, "{compared} versions");
}

#[test]
fn rebuilt_scripts_are_those_of_the_rows() {
    let Some(path) = corpus("lite_dev.jsonl") else { return };
    let dataset = Dataset::load(&path).unwrap();
    assert_eq!(dataset.rows().len(), 23);
    let mut same = 0;
    for row in dataset.rows() {
        let rebuilt = classic(row, &Specs::builtin(), Reset::Official).unwrap();
        let official = row.eval_script.clone().unwrap();
        // The newer scripts name files that the test patch adds in the reset, which then does nothing.
        let without_resets = |script: &str| -> Vec<String> {
            let reset = format!("git checkout {}", row.base_commit);
            script.lines().filter(|line| !line.starts_with(&reset)).map(str::to_owned).collect()
        };
        assert_eq!(without_resets(&rebuilt), without_resets(&official), "{}", row.instance_id);
        same += usize::from(rebuilt == official);
        assert!(rebuilt == official || row.test_patch.contains("new file mode"), "{}", row.instance_id);
        let repaired = classic(row, &Specs::builtin(), Reset::Repaired).unwrap();
        assert_eq!(eval_script(row, &Specs::builtin(), Reset::Repaired).unwrap(), repaired);
        assert_eq!(Some(image(row, Some("swebench"))), row.image);
        assert_eq!(parser(row, Rules::V5).map(|parser| parser.name()), row.log_parser.as_deref());
    }
    assert_eq!(same, 20);
}

#[test]
fn real_rows_are_resolved_by_a_log_in_which_all_required_tests_pass() {
    let Some(path) = corpus("lite_dev.jsonl") else { return };
    let dataset = Dataset::load(&path).unwrap();
    for row in dataset.rows() {
        let required = row.fail_to_pass.iter().chain(&row.pass_to_pass);
        let log = required.map(|test| format!("PASSED {test}")).collect::<Vec<_>>().join("\n");
        for rules in Rules::ALL {
            let graded = grade(row, parser(row, rules).unwrap(), &marked(&log), rules);
            assert!(graded.resolved(), "{} {rules}: {graded:?}", row.instance_id);
        }
    }
    let none = patchwright_swe_bench::grade_logs(
        &dataset,
        &Predictions::gold(&dataset),
        &Logs::default(),
        Rules::V5,
        |_, _| {},
    )
    .unwrap();
    assert_eq!(none.count(EvaluationClass::Infrastructure), 23);
}
