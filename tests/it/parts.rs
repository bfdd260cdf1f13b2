//! A run in parts: each by itself, all of them read as one.

use std::path::Path;

use serde_json::{Value, json};

use crate::bench::{suite, words};
use crate::kit::{Run, folder, program, run, without_place};

fn part(suite: &Path, out: &Path, more: &[&str]) -> Run {
    program().args(words(suite, out, more)).output().unwrap().into()
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn parts_are_runs_of_their_own_and_are_read_as_one() {
    let (suite, out) = (suite(), folder(&[]));
    let whole = out.path().join("whole");
    let first = part(suite.path(), &whole, &["--part", "1/2", "--max-usd", "1"]);
    assert_eq!(
        (first.code, &first.json()["statuses"]),
        (0, &json!({"plausible": 1, "no_fix": 1})),
        "{first:?}"
    );
    assert!(whole.join("part-1-of-2/run.toml").is_file() && !whole.join("run.toml").exists());
    let report = || run(&["bench", "report", whole.to_str().unwrap(), "--json"]);
    let half = report();
    assert_eq!((half.code, &half.json()["total"]["plausible"]), (0, &json!(1)), "{half:?}");
    assert_eq!(
        (&half.json()["parts"], &half.json()["ended"]),
        (&json!({"of": 2, "missing": [2]}), &Value::Null)
    );
    let told = run(&["bench", "report", whole.to_str().unwrap()]).stdout;
    assert!(told.contains("1 of 2; not there: 2"), "{told}");

    let share = ["--part", "2/2", "--run-usd", "10", "--max-usd", "1"];
    let second = part(suite.path(), &whole, &share);
    assert_eq!((second.code, &second.json()["statuses"]), (0, &json!({"plausible": 1})), "{second:?}");
    assert!(
        second.stderr.contains("part 2/2 has its share of what the whole run may use: $5.00"),
        "{second:?}"
    );
    let all = report().json();
    assert_eq!((&all["total"]["plausible"], &all["total"]["correct"]), (&json!(2), &json!(2)), "{all}");
    let predictions = std::fs::read_to_string(whole.join("predictions.jsonl")).unwrap();
    let ids: Vec<Value> = predictions
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["instance_id"].take())
        .collect();
    assert_eq!(ids, ["first", "second", "sound"]);
    let page = whole.join("report.html");
    let html = run(&["bench", "report", whole.to_str().unwrap(), "--html", page.to_str().unwrap()]);
    assert_eq!(html.code, 0, "{html:?}");
    let page = std::fs::read_to_string(page).unwrap().replace("&#x2f;", "/");
    assert!(page.contains("part-2-of-2/cases/second/attempt-1/trajectory.jsonl"), "{page}");

    let resumed = run(&["bench", "resume", whole.to_str().unwrap()]);
    assert_eq!(resumed.code, 2, "{resumed:?}");
    insta::assert_snapshot!("resumed_in_parts", without_place(&resumed.stderr, out.path()));
    let other = part(suite.path(), &whole, &["--part", "3/3", "--cycles", "7"]);
    assert_eq!(other.code, 0, "{other:?}");
    let refused = report();
    assert_eq!(refused.code, 2, "{refused:?}");
    insta::assert_snapshot!("no_parts_of_one_run", without_place(&refused.stderr, out.path()));
    std::fs::rename(whole.join("part-3-of-3"), whole.join("part-2-of-3")).unwrap();
    let renamed = report();
    let expect = "it is of part 3/3, and the folder that of part 2/3; rename the folder";
    assert!(renamed.code == 2 && renamed.stderr.contains(expect), "{renamed:?}");
}

#[test]
fn what_is_no_part_is_refused() {
    let (suite, out) = (suite(), folder(&[]));
    let list = out.path().join("ids.txt");
    let place = list.to_str().unwrap();
    let check = |ids: &str, more: &[&str], expect: &str| {
        std::fs::write(&list, ids).unwrap();
        let refused = part(suite.path(), &out.path().join("run"), more);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains(expect), "{refused:?}");
        assert!(!out.path().join("run").exists());
    };
    check("", &["--part", "4/3"], "`4/3` is no part: give I/N, the I-th of N, such as 2/8");
    check("", &["--part", "9/9"], "--part 9/9 leaves none of 3 cases");
    check("# none\n", &["--cases-from", place], "it names no case: write one id to a line");
    check("first\nthird # the last\n", &["--cases-from", place], "the suite has no case `third`");
}
