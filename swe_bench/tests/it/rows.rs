//! Datasets, good and bad.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use patchwright_swe_bench::{Dataset, EvalType, Rules, parser};
use serde_json::{Value, json};

use crate::support::{object, write};

#[track_caller]
fn check_error(file: &str, text: &str, parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), file, text);
    let error = Dataset::load(&path).unwrap_err().to_string();
    for part in parts.iter().chain(&[file]) {
        assert!(error.contains(part), "{part:?} is not in {error:?}");
    }
}

#[test]
fn lists_and_lines_hold_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (object("a__a-1"), object("b__b-2"));
    let list = write(folder.path(), "rows.json", json!([a, b]).to_string());
    let lines = write(folder.path(), "rows.jsonl", format!("{a}\n\n{b}\r\n"));
    let (list, lines) = (Dataset::load(&list).unwrap(), Dataset::load(&lines).unwrap());
    assert_eq!(list.rows(), lines.rows());
    assert_eq!(list.rows()[0].pass_to_pass, ["t.py::b", "t.py::é"]);
    assert_eq!(list.get("b__b-2").unwrap().base_commit, "0123abc");
    assert!(list.get("c__c-3").is_none());
}

#[test]
fn tests_are_a_list_or_a_text_with_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let mut row = object("a__a-1");
    row["FAIL_TO_PASS"] = json!(["x", "y z"]);
    row["PASS_TO_PASS"] = json!("[]");
    let loaded = Dataset::load(&write(folder.path(), "rows.jsonl", row.to_string())).unwrap();
    assert_eq!(loaded.rows()[0].fail_to_pass, ["x", "y z"]);
    assert!(loaded.rows()[0].pass_to_pass.is_empty());
}

#[test]
fn newer_rows_say_how_they_are_evaluated() {
    let folder = tempfile::tempdir().unwrap();
    let mut row = object("a__a-1");
    row["image"] = json!("x/y:latest");
    row["eval_script"] = json!("#!/bin/bash\n");
    row["log_parser"] = json!("parse_log_eslint");
    row["eval_type"] = json!("fail_only");
    row["difficulty"] = json!("<15 min fix");
    row["hints_text"] = Value::Null;
    let loaded = Dataset::load(&write(folder.path(), "rows.jsonl", row.to_string())).unwrap();
    let row = &loaded.rows()[0];
    assert_eq!(row.image.as_deref(), Some("x/y:latest"));
    assert_eq!(row.eval_script.as_deref(), Some("#!/bin/bash\n"));
    assert_eq!(row.log_parser.as_deref(), Some("parse_log_eslint"));
    assert_eq!(row.eval_type, Some(EvalType::FailOnly));
    assert_eq!(row.hints_text, "");
}

#[test]
fn bad_rows_are_named_with_the_field_and_the_cure() {
    let without = |field: &str| {
        let mut row = object("a__a-1");
        row.as_object_mut().unwrap().remove(field);
        format!("\n{row}")
    };
    for field in ["repo", "base_commit", "patch", "test_patch", "problem_statement", "version"] {
        check_error("rows.jsonl", &without(field), &["line 2 (a__a-1)", &format!("`{field}`"), "missing"]);
    }
    check_error("rows.jsonl", &without("instance_id"), &["line 2", "`instance_id`", "missing"]);
    check_error("rows.jsonl", &without("FAIL_TO_PASS"), &["line 2 (a__a-1)", "`FAIL_TO_PASS`", "list"]);
    let with = |field: &str, value: Value| {
        let mut row = object("a__a-1");
        row[field] = value;
        row.to_string()
    };
    check_error(
        "rows.jsonl",
        &with("version", json!([1.5])),
        &["`version`", "a text is expected, not a list"],
    );
    check_error("rows.jsonl", &with("patch", Value::Null), &["`patch`", "is null"]);
    check_error("rows.jsonl", &with("FAIL_TO_PASS", json!("t.py::a")), &["`FAIL_TO_PASS`", "cannot be read"]);
    check_error("rows.jsonl", &with("PASS_TO_PASS", json!({"a": 1})), &["`PASS_TO_PASS`", "not an object"]);
    check_error("rows.jsonl", &with("PASS_TO_PASS", json!("{}")), &["`PASS_TO_PASS`", "not an object"]);
    check_error("rows.jsonl", &with("PASS_TO_PASS", json!(["a", 2])), &["number 2 of the list is a number"]);
    check_error("rows.jsonl", &with("eval_type", json!("other")), &["`eval_type`", "`fail_only`"]);
    let mut unknown = object("a__a-1");
    (unknown["repo"], unknown["log_parser"]) = (json!("x/y"), json!("mine"));
    check_error("rows.jsonl", &unknown.to_string(), &["`log_parser`", "`mine`", "parse_log_django"]);
    check_error("rows.jsonl", &with("instance_id", json!("../x")), &["`instance_id`", "folder"]);
    check_error("rows.json", &json!([3]).to_string(), &["row 1", "an object is expected"]);
    check_error("rows.jsonl", "{", &["line 1", "no JSON"]);
    check_error("rows.jsonl", "[]", &["line 1", "an object is expected"]);
    check_error("rows.json", "{}", &["a list of objects"]);
    check_error("rows.json", "[", &["no JSON"]);
    check_error("rows.csv", "", &[".parquet"]);
    check_error("rows.parquet", "no parquet", &["Parquet", ".jsonl"]);
}

/// The rows that remain of a file, and the warnings.
fn remaining(file: &str, bytes: impl AsRef<[u8]>) -> (Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let loaded = Dataset::load(&write(folder.path(), file, bytes)).unwrap();
    let ids = loaded.rows().iter().map(|row| row.instance_id.clone()).collect();
    (ids, loaded.warnings().to_vec())
}

#[test]
fn what_no_verdict_depends_on_keeps_no_row_out() {
    let mut row = object("a__a-1");
    (row["version"], row["created_at"], row["hints_text"]) = (json!(3.0), json!(1_600_000_000), json!(["x"]));
    (row["eval_type"], row["image"], row["eval_script"]) = (json!(""), json!(""), json!(" "));
    let folder = tempfile::tempdir().unwrap();
    let loaded = Dataset::load(&write(folder.path(), "rows.jsonl", row.to_string())).unwrap();
    let row = &loaded.rows()[0];
    assert_eq!((row.version.as_str(), row.created_at.as_str()), ("3.0", "1600000000"));
    assert_eq!((&row.eval_type, &row.image, &row.eval_script), (&None, &None, &None));
    let warnings = loaded.warnings();
    assert!(
        warnings.len() == 1 && warnings[0].contains("`version`") && warnings[0].contains("\"3.10\""),
        "{warnings:?}"
    );
}

#[test]
fn an_odd_row_is_left_out_and_told() {
    let (good, other) = (object("a__a-1").to_string(), object("b__b-2").to_string());
    let check = |odd: &[u8], parts: &[&str]| {
        let lines = [good.as_bytes(), odd, other.as_bytes()].join(b"\n".as_slice());
        let (ids, warnings) = remaining("rows.jsonl", lines);
        assert_eq!(ids, ["a__a-1", "b__b-2"]);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        for part in parts.iter().chain(&["rows.jsonl, line 2", "left out"]) {
            assert!(warnings[0].contains(part), "{part:?} is not in {warnings:?}");
        }
    };
    let with = |field: &str, value: Value| {
        let mut row = object("c__c-3");
        row[field] = value;
        row.to_string().into_bytes()
    };
    check(b"{\"instance_id\": ", &["no JSON"]);
    check(b"{\"instance_id\": \"\xff\"}", &["no UTF-8"]);
    check(b"[]", &["an object is expected"]);
    check(b"{}", &["`instance_id`", "missing"]);
    check(&with("version", json!([3.1])), &["(c__c-3)", "`version`", "not a list"]);
    check(&with("patch", Value::Null), &["(c__c-3)", "`patch`", "null"]);
    check(&with("FAIL_TO_PASS", json!("t.py::a")), &["(c__c-3)", "`FAIL_TO_PASS`", "cannot be read"]);
    let mut unknown = object("c__c-3");
    (unknown["repo"], unknown["log_parser"]) = (json!("x/y"), json!("mine"));
    check(unknown.to_string().as_bytes(), &["(c__c-3)", "`log_parser`", "`mine`"]);
    let (ids, warnings) = remaining("rows.json", format!("[{good}, 3, {other}]"));
    assert_eq!((ids.len(), warnings.len()), (2, 1), "{warnings:?}");
}

#[test]
fn of_rows_with_one_id_the_first_counts() {
    let (row, mut other) = (object("a__a-1"), object("a__a-1"));
    other["version"] = json!("8.0");
    let folder = tempfile::tempdir().unwrap();
    let loaded =
        Dataset::load(&write(folder.path(), "rows.json", json!([row, row, other]).to_string())).unwrap();
    assert_eq!(loaded.rows().len(), 1);
    assert_eq!(loaded.get("a__a-1").unwrap().version, "7.0");
    // Nobody needs to hear of what is the same.
    let [warning] = loaded.warnings() else { panic!("{:?}", loaded.warnings()) };
    insta::assert_snapshot!(&warning[warning.find("rows.json").unwrap()..]);
}

#[test]
fn a_parser_that_nobody_knows_gives_way_to_that_of_the_repository() {
    let folder = tempfile::tempdir().unwrap();
    let mut row = object("a__a-1");
    row["log_parser"] = json!("parse_log_of_tomorrow");
    let loaded = Dataset::load(&write(folder.path(), "rows.jsonl", row.to_string())).unwrap();
    assert_eq!(parser(&loaded.rows()[0], Rules::V5).unwrap().name(), "parse_log_pytest");
    assert_eq!(loaded.rows()[0].log_parser, None);
    let [warning] = loaded.warnings() else { panic!("{:?}", loaded.warnings()) };
    assert!(
        warning.contains("`parse_log_of_tomorrow`") && warning.contains("pytest-dev/pytest"),
        "{warning}"
    );
}

#[test]
fn files_as_python_and_editors_write_them_are_read() {
    let line = object("a__a-1").to_string();
    let python = line.replacen('{', "{\"score\": NaN, \"most\": -Infinity, \"hints_text\": NaN, ", 1);
    let python = python.replace(",\"hints_text\":\"\"", "");
    for text in [format!("\u{feff}{line}"), python] {
        assert_eq!(remaining("rows.jsonl", &text), (vec!["a__a-1".to_owned()], vec![]), "{text}");
    }
    let list = format!("\u{feff}[{line}]");
    assert_eq!(remaining("rows.json", list).0, ["a__a-1"]);
}

#[test]
fn a_folder_holds_its_split_in_one_of_several_forms() {
    let check = |files: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        for (number, file) in files.iter().enumerate() {
            let row = object(&format!("a__a-{number}"));
            let path = write(folder.path(), file, row.to_string());
            if file.ends_with(".parquet") {
                write_parquet(&path, &[row], false, Compression::SNAPPY);
            }
        }
        let loaded = Dataset::load(folder.path());
        loaded.map(|loaded| loaded.rows().len()).map_err(|error| error.to_string())
    };
    assert_eq!(check(&["test.jsonl", "dev.jsonl"]), Ok(1));
    assert_eq!(check(&["data/test.jsonl"]), Ok(1));
    assert_eq!(check(&["test/0000.parquet", "test/0001.parquet", "dev/0000.parquet"]), Ok(2));
    assert_eq!(
        check(&["default/test/0000.parquet", "default/test/0001.parquet", "other/dev/0.parquet"]),
        Ok(2)
    );
    let several = check(&["one/test/0000.parquet", "two/test/0000.parquet"]).unwrap_err();
    assert!(
        several.contains("/one") && several.contains("/two") && several.contains("name one"),
        "{several}"
    );
    let tasks = check(&["tasks/a__a-1/task.yaml"]).unwrap_err();
    assert!(tasks.contains("tasks") && tasks.contains(".jsonl"), "{tasks}");
    assert!(check(&["train.jsonl"]).unwrap_err().contains("`test.jsonl`"));
}

/// Writes rows with texts in all columns, and lists in those of the tests if that is asked for.
fn write_parquet(path: &Path, rows: &[Value], lists: bool, compression: Compression) {
    let columns: Vec<String> = rows[0].as_object().unwrap().keys().cloned().collect();
    let is_list = |column: &str| lists && column.ends_with("_TO_PASS");
    let mut schema = "message schema {".to_owned();
    for column in &columns {
        schema += &if is_list(column) {
            format!(
                "OPTIONAL GROUP {column} (LIST) {{ REPEATED GROUP list {{ OPTIONAL BYTE_ARRAY element (UTF8); }} }} "
            )
        } else {
            format!("OPTIONAL BYTE_ARRAY {column} (UTF8); ")
        };
    }
    let schema = Arc::new(parse_message_type(&(schema + "}")).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut file = SerializedFileWriter::new(File::create(path).unwrap(), schema, properties).unwrap();
    let mut group = file.next_row_group().unwrap();
    for column in &columns {
        let mut writer = group.next_column().unwrap().unwrap();
        let (mut values, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            let text = row[column].as_str();
            if is_list(column) {
                let items: Vec<String> = serde_json::from_str(text.unwrap()).unwrap();
                for (index, item) in items.iter().enumerate() {
                    values.push(ByteArray::from(item.as_str()));
                    definitions.push(3);
                    repetitions.push(i16::from(index > 0));
                }
            } else {
                values.extend(text.map(ByteArray::from));
                definitions.push(i16::from(text.is_some()));
            }
        }
        let repetitions = is_list(column).then_some(repetitions.as_slice());
        writer.typed::<ByteArrayType>().write_batch(&values, Some(&definitions), repetitions).unwrap();
        writer.close().unwrap();
    }
    group.close().unwrap();
    file.close().unwrap();
}

#[test]
fn parquet_holds_the_same_rows_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let mut second = object("b__b-2");
    second["hints_text"] = Value::Null;
    let rows = [object("a__a-1"), second];
    let expect = Dataset::load(&write(folder.path(), "rows.json", json!(rows).to_string())).unwrap();
    let zstd = Compression::ZSTD(ZstdLevel::try_new(3).unwrap());
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        zstd,
        Compression::GZIP(GzipLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
    ] {
        for lists in [false, true] {
            let path = folder.path().join("test.parquet");
            write_parquet(&path, &rows, lists, compression);
            assert_eq!(Dataset::load(&path).unwrap().rows(), expect.rows(), "{compression} {lists}");
            // The folder stands for its split `test`.
            assert_eq!(Dataset::load(folder.path()).unwrap().rows(), expect.rows());
        }
    }
}

#[test]
fn a_split_may_be_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    write_parquet(&data.join("dev-00000-of-00002.parquet"), &[object("a__a-1")], false, Compression::SNAPPY);
    write_parquet(&data.join("dev-00001-of-00002.parquet"), &[object("b__b-2")], false, Compression::SNAPPY);
    let loaded = Dataset::load_split(folder.path(), "dev").unwrap();
    let ids: Vec<&str> = loaded.rows().iter().map(|row| row.instance_id.as_str()).collect();
    assert_eq!(ids, ["a__a-1", "b__b-2"]);
    let error = Dataset::load(folder.path()).unwrap_err().to_string();
    assert!(error.contains("test.parquet"), "{error}");
}
