//! The time grows with the length of the text and no faster, whatever stands in it.

use std::time::{Duration, Instant};

use patchwright_replies::recover;

use crate::generate::Dice;

const PIECES: &[&str] = &[
    "[",
    "{",
    "\"",
    "\\",
    "'",
    "`",
    "/*",
    "//",
    "(",
    "#",
    "“",
    "“ [",
    "[“",
    "]}",
    "}{",
    "[[],",
    "[[1,",
    "[(",
    "{\"",
    "[\"",
    "\\\"",
    "\"\"\"",
    "[\"\"\"",
    "{\"a\":",
    "[\"a\" ",
    "{'a': \"b\", ",
    "{\"a\": \"\n",
    "{\"a\": \"x\", \"b",
    "{\"a\": [\"f(\"",
    "{\"name\": \"x, ",
    "{\"file_name\":",
    "{\"file_name\": \"a[",
    "[{\"file_name\": \"a",
    "{\"file_name\": \"a\", ",
    "{\"file_name\": \"a\", \"insertions\": [",
    "\"new_lines\": [\"",
    "print(\"a\", \"b\"); ",
    "[\"print(\"a\", \"b\");",
    "{'a': None, ",
    "{\"file_name\":\"a\",",
    "[{\"file_name\": \"x\", \"",
    "{\"a\":\"}",
    "{'a': '''",
    "```",
    "```[",
    "[{\"a\":1 ``` ",
    "'\\N{",
    "['''\\",
    "\"m\": [{\"file_name\": \"a\"}], ",
    "{\"m\": [{\"file_name\": \"a\"}], ",
    "{\"file_name\": \"a\"}, ",
    "{\"file_name\": \"a\"} ",
    "[{\"file_name\": \"a\"}, ",
    "{\"file_name\": \"a\", \"a\": [1}, ",
    "{\"new_lines\": \"a\", ",
    "\"modified_line\": \"a\", \"b\", ",
    "{\"line_number\": 1, \"new_lines\": [], ",
];

fn time(text: &str) -> Duration {
    let started = Instant::now();
    recover(text);
    started.elapsed()
}

/// Four times the text takes about four times as long. Machines are busy: only what is absurd fails.
fn check(name: &str, text: &str) {
    let short = time(&text[..text.floor_char_boundary(text.len() / 4)]);
    let long = time(text);
    assert!(long < short * 40 + Duration::from_secs(2), "{name:?}: {short:?}, four times as much: {long:?}");
}

#[test]
fn one_thing_again_and_again() {
    for piece in PIECES {
        for piece in [(*piece).to_owned(), format!("{piece}\n")] {
            check(&piece, &piece.repeat(400_000 / piece.len()));
        }
    }
}

#[test]
fn one_thing_again_and_again_in_what_is_open() {
    for begin in ["[", "{\"m\": [", "{\"m\": [1}, ", "[{\"file_name\": \"a\", ", "{\"new_lines\": \"a\", "] {
        for piece in PIECES {
            check(&format!("{begin}{piece}"), &format!("{begin}{}", piece.repeat(40_000 / piece.len())));
        }
    }
}

#[test]
fn many_things_in_any_order() {
    let tokens = [
        "[",
        "]",
        "{",
        "}",
        "\"",
        "\\",
        "'",
        "`",
        "/*",
        "*/",
        "//",
        "#",
        "(",
        ")",
        ",",
        ":",
        " ",
        "\n",
        "“",
        "”",
        "1",
        "abc",
        "\"file_name\": ",
        "{\"file_name\": \"x",
        "\"line_number\": 5",
        "\"new_lines\": [\"",
        "}, {",
        "],[",
        "]}",
        "[[",
        "print(\"a\")",
        "\"\"\"",
    ];
    let mut dice = Dice::new(3);
    for _ in 0..25 {
        let some: Vec<&str> = (0..2 + dice.below(6)).map(|_| dice.one(&tokens)).collect();
        let mut text = String::new();
        while text.len() < 150_000 {
            text.push_str(dice.one(&some));
        }
        check(&some.join(" "), &text);
    }
}
