//! `patchwright reply`: what is read in a reply, from a file or standard input.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::kit::{Run, folder, program, run, write};

/// The answer for a file with these bytes.
fn answer(bytes: &[u8]) -> Value {
    let folder = folder(&[]);
    let file = folder.path().join("reply.txt");
    write(&file, bytes);
    let run = reply(&file, &["--json"]);
    assert_eq!(run.code, 0, "{run:?}");
    run.json()
}

fn reply(file: &Path, words: &[&str]) -> Run {
    let mut all = vec!["reply", file.to_str().unwrap()];
    all.extend(words);
    run(&all)
}

#[test]
fn the_values_of_a_reply_with_what_was_done_to_read_them() {
    let text = "Two fixes:\n[{\"file_name\": \"A.java\", \"deletions\": [1,]}]\n{'file_name': 'B.java', 'new_lines': ['x";
    let answer = answer(text.as_bytes());
    assert_eq!(answer["attempted"], 2);
    assert_eq!(answer["entries"], json!({"recovered": 1, "damaged": 1}));
    let values = answer["values"].as_array().unwrap();
    assert_eq!(values.len(), 2);
    assert_eq!(values[0]["value"], json!([{"file_name": "A.java", "deletions": [1]}]));
    assert_eq!(values[0]["repairs"], json!(["trailing_comma"]));
    assert_eq!(values[0]["damaged"], false);
    assert_eq!((&values[0]["line"], &values[0]["column"]), (&json!(2), &json!(1)));
    let span = |value: &Value| {
        let place = |name: &str| value[name].as_u64().unwrap() as usize;
        place("start")..place("end")
    };
    assert_eq!(&text[span(&values[0])], "[{\"file_name\": \"A.java\", \"deletions\": [1,]}]");
    assert_eq!(values[1]["damaged"], true);
    assert_eq!(values[1]["damage"][0]["kind"], "cut");
    assert_eq!(values[1]["damage"][0]["pointer"], "/new_lines/0");
}

#[test]
fn places_are_those_of_the_file_as_it_is_on_disk() {
    let value = |bytes: &[u8]| {
        let answer = answer(bytes);
        let one = &answer["values"][0];
        (one["start"].as_u64().unwrap(), one["end"].as_u64().unwrap(), answer["invalid_utf8"].clone())
    };
    assert_eq!(value(b"\xef\xbb\xbf [1, 2] "), (4, 10, json!(0)));
    assert_eq!(value(b"\xff\xfe caf\xe9: [1, 2] x"), (9, 15, json!(3)));
    assert_eq!(value(b"[\"\xe9\", 2] x"), (0, 8, json!(1)));
}

#[test]
fn a_reply_without_values_and_an_empty_one() {
    for bytes in [b"nothing to see".as_slice(), b"", b"\n"] {
        let answer = answer(bytes);
        assert_eq!(answer["values"], json!([]));
        assert_eq!(answer["attempted"], 0);
    }
    // A file that is one JSON value as a whole is that value.
    assert_eq!(answer(b"12\n")["values"][0]["value"], 12);
}

#[test]
fn for_reading_each_value_has_its_place_and_what_happened() {
    let folder =
        folder(&[("reply.txt", "See:\n  {\"file_name\": \"A\", \"new_lines\": [\"a\u{1b}[1m\", \"b")]);
    let run = reply(&folder.path().join("reply.txt"), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    for part in [
        "2:3 (bytes 7 to ",
        "{\"file_name\":\"A\"",
        "repaired: ",
        "damaged: new_lines[1]: cut off, at byte ",
        "1 value, 1 repaired, 1 damaged; entries that name a file: 1 attempted, 0 recovered, 1 damaged",
    ] {
        assert!(run.stdout.contains(part), "{part:?} is missing in {run:?}");
    }
    assert!(!run.stdout.contains('\u{1b}'));
}

#[test]
fn standard_input_is_read() {
    let mut child = program()
        .args(["reply", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"{\"a\": 1}").unwrap();
    let run: Run = child.wait_with_output().unwrap().into();
    assert_eq!(run.json()["values"][0]["value"], json!({"a": 1}));
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = folder(&[]);
    for path in [folder.path().join("nowhere.txt"), folder.path().to_owned()] {
        let run = reply(&path, &["--json"]);
        assert_eq!(run.code, 2, "{run:?}");
        assert_eq!(run.stdout, "");
        assert!(run.stderr.contains(path.to_str().unwrap()) && run.stderr.contains("hint:"), "{run:?}");
    }
}
