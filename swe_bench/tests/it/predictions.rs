//! Predictions, good and bad.

use patchwright_swe_bench::{PredictedPatch, Prediction, Predictions, Rules, folder_of};
use serde_json::{Value, json};

use crate::support::{dataset, row, write};

fn load(file: &str, text: &str) -> Result<Predictions, String> {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset([row("a__a-1", &[], &[]), row("b__b-2", &[], &[])]);
    Predictions::load(&write(folder.path(), file, text), &data).map_err(|error| error.to_string())
}

fn prediction(id: &str, patch: &Value) -> Value {
    json!({"instance_id": id, "model_name_or_path": "org/model", "model_patch": patch, "cost": 3})
}

#[test]
fn a_list_an_object_and_lines_hold_the_same_predictions() {
    let (a, b) = (prediction("a__a-1", &json!("x\n")), prediction("b__b-2", &Value::Null));
    let list = load("p.json", &json!([a, b]).to_string()).unwrap();
    let object = load("p.json", &json!({"a__a-1": a, "b__b-2": b}).to_string()).unwrap();
    let lines = load("p.jsonl", &format!("{a}\n{b}\n")).unwrap();
    assert_eq!(list.list(), object.list());
    assert_eq!(list.list(), lines.list());
    assert_eq!(list.get("a__a-1").unwrap().patch, PredictedPatch::Text("x\n".to_owned()));
    assert_eq!(list.get("b__b-2").unwrap().patch, PredictedPatch::Null);
    assert_eq!(folder_of(&list.list()[0].model), "org__model");
}

#[test]
fn the_last_of_two_predictions_counts_and_a_warning_says_so() {
    let (a, b) = (prediction("a__a-1", &json!("x")), prediction("a__a-1", &json!("y")));
    let loaded = load("p.jsonl", &format!("{a}\n{b}")).unwrap();
    assert_eq!(loaded.list().len(), 1);
    assert_eq!(loaded.list()[0].patch, PredictedPatch::Text("y".to_owned()));
    assert!(loaded.warnings()[0].contains("line 2") && loaded.warnings()[0].contains("a__a-1"));
}

#[test]
fn predictions_for_other_datasets_are_left_out_with_one_warning() {
    let lines: Vec<String> =
        ["c", "d", "a__a-1", "e", "f", "g", "h"].map(|id| prediction(id, &json!("x")).to_string()).to_vec();
    let loaded = load("p.jsonl", &lines.join("\n")).unwrap();
    assert_eq!(loaded.list().len(), 1);
    let [warning] = loaded.warnings() else { panic!("{:?}", loaded.warnings()) };
    insta::assert_snapshot!(&warning[warning.find("p.jsonl").unwrap()..]);
}

#[test]
fn several_models_are_told_apart() {
    let of = |id: &str, model: &str, patch: &str| {
        json!({"instance_id": id, "model_name_or_path": model, "model_patch": patch}).to_string()
    };
    let lines = [of("a__a-1", "one", "x"), of("a__a-1", "org/two", "y"), of("b__b-2", "one", "z")].join("\n");
    let loaded = load("p.jsonl", &lines).unwrap();
    assert!(loaded.warnings().is_empty(), "{:?}", loaded.warnings());
    let groups = loaded.by_model();
    let ids = |group: &Predictions| -> Vec<String> {
        group
            .list()
            .iter()
            .map(|prediction| format!("{} {}", prediction.model, prediction.instance_id))
            .collect()
    };
    assert_eq!(groups.len(), 2);
    assert_eq!(ids(&groups[0]), ["one a__a-1", "one b__b-2"]);
    assert_eq!(ids(&groups[1]), ["org/two a__a-1"]);
    assert_eq!(groups[1].get("a__a-1").unwrap().patch, PredictedPatch::Text("y".to_owned()));
    assert!(groups[1].get("b__b-2").is_none());
    // Their reports would have one name.
    let same = load("p.jsonl", &[of("a__a-1", "o/m", "x"), of("b__b-2", "o__m", "x")].join("\n")).unwrap();
    assert_eq!(same.by_model().len(), 1);
    assert_eq!(Predictions::default().by_model().len(), 1);
}

#[test]
fn bad_predictions_are_named_with_the_field_and_the_cure() {
    let check = |file: &str, text: &str, parts: &[&str]| {
        let error = load(file, text).unwrap_err();
        for part in parts {
            assert!(error.contains(part), "{part:?} is not in {error:?}");
        }
    };
    check("p.jsonl", &prediction("c__c-3", &json!("")).to_string(), &["c__c-3", "not in the dataset"]);
    check("p.jsonl", "{\"model_patch\": \"x\"}", &["line 1", "`instance_id`", "missing"]);
    check(
        "p.json",
        "{\"a__a-1\": {\"instance_id\": 1, \"model_patch\": \"x\"}}",
        &["key `a__a-1`", "`instance_id`"],
    );
    let row = "{\"instance_id\": \"a__a-1\", \"base_commit\": \"0\", \"patch\": \"x\"}";
    check("p.jsonl", row, &["line 1", "a row of a dataset", "`model_patch`"]);
    check("p.json", "[3]", &["prediction 1", "an object"]);
    check("p.json", "3", &["a list of predictions"]);
    check(
        "p.jsonl",
        &prediction("a__a-1", &json!(["x"])).to_string(),
        &["(a__a-1)", "`model_patch`", "not a list"],
    );
    check("p.jsonl", "{", &["line 1", "no JSON"]);
    check("p.txt", "", &[".jsonl"]);
    let by_key = load("p.json", "{\"a__a-1\": {\"model_patch\": \"x\"}}").unwrap();
    assert_eq!(by_key.get("a__a-1").unwrap().patch, PredictedPatch::Text("x".to_owned()));
    let loaded = load("p.jsonl", "{\"instance_id\": \"a__a-1\"}").unwrap();
    assert_eq!((loaded.list()[0].model.as_str(), &loaded.list()[0].patch), ("None", &PredictedPatch::Null));
    assert_eq!(loaded.warnings().len(), 2);
}

#[test]
fn empty_patches_are_never_run() {
    let check = |patch: PredictedPatch, rules: Rules, expect: bool| {
        let prediction = Prediction { instance_id: "a".to_owned(), model: "m".to_owned(), patch };
        assert_eq!(prediction.is_empty(rules), expect, "{prediction:?} {rules}");
    };
    for rules in Rules::ALL {
        check(PredictedPatch::Null, rules, true);
        check(PredictedPatch::Text(String::new()), rules, true);
        check(PredictedPatch::Text("x".to_owned()), rules, false);
        check(PredictedPatch::Unknown, rules, false);
        check(PredictedPatch::Text(" \n".to_owned()), rules, rules == Rules::V1);
    }
}

#[test]
fn a_patch_gets_its_final_newline_where_it_is_applied_and_stays_as_it_is() {
    let check = |text: &str, expect: &str, noted: bool| {
        let prediction = Prediction {
            instance_id: "a__a-1".to_owned(),
            model: "m".to_owned(),
            patch: PredictedPatch::Text(text.to_owned()),
        };
        assert_eq!(prediction.applicable(), expect);
        assert_eq!(prediction.patch, PredictedPatch::Text(text.to_owned()));
        let notes = prediction.notes(&row("a__a-1", &[], &[]));
        assert_eq!(notes.iter().any(|note| note.contains("newline")), noted);
    };
    check("x", "x\n", true);
    check("x\n", "x\n", false);
    check("", "", false);
}

#[test]
fn patches_that_touch_tests_are_noticed() {
    let check = |path: &str, noted: bool| {
        let patch =
            format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x\n+y\n");
        let prediction = Prediction {
            instance_id: "a".to_owned(),
            model: "m".to_owned(),
            patch: PredictedPatch::Text(patch),
        };
        let notes = prediction.notes(&row("a__a-1", &[], &[]));
        assert_eq!(notes.iter().any(|note| note.contains(path)), noted, "{path}");
    };
    check("tests/test_a.py", true);
    check("tests/data.json", true);
    check("src/test_other.py", true);
    check("src/other_test.py", true);
    check("conftest.py", true);
    check("a/tests/helper.py", true);
    check("src/a.py", false);
    check("src/latest.py", false);
}
