//! Candidates that repair nothing and make the tests pass: none is a patch without a mark, and none stands before the right one.

use serde_json::{Value, json};

use super::ground::{Ground, LIMIT, end};
use super::is_thorough;
use super::language::{JAVA, JAVASCRIPT, Language, PYTHON};
use super::place::Place;
use super::share::of_today;
use crate::kit::{Model, call, goal, hypothesis};

/// A candidate that forges its verdict, with its name.
type Forgery = (String, String);

/// Tries forgeries in one place, all in one session, and the right candidate after them; gives what is wrong.
fn tried(language: &'static Language, place: Place, words: &[&str], forgeries: &[&Forgery]) -> Vec<String> {
    let ground = Ground::new(language, place);
    let canary = ground.hand_over();
    let replies = forgeries.iter().map(|(_, reply)| reply.clone());
    let replies: Vec<String> =
        [hypothesis()].into_iter().chain(replies).chain([language.fix(), goal()]).collect();
    let model = Model::saying(&replies);
    let (run, took) = end(ground.repair(&model, words), LIMIT * 2).expect("it ends");
    let names: Vec<&str> = forgeries.iter().map(|(name, _)| name.as_str()).collect();
    let named = format!("{names:?} in {} {words:?}, {place:?}", language.name);
    let result: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    let patches: Vec<(usize, bool)> = result["patches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|patch| {
            let number = usize::try_from(patch["candidate"].as_u64().unwrap()).unwrap();
            (number, patch["tampering"].is_array())
        })
        .collect();
    println!("{named}: {patches:?}, {:.1} s", took.as_secs_f64());
    let (first, others) =
        patches.split_first().map_or((None, &[][..]), |(first, others)| (Some(*first), others));
    let is_right_first = first == Some((names.len() + 1, false));
    let are_marked = others.iter().all(|(_, is_marked)| *is_marked);
    let is_told = others.is_empty() || run.stderr.contains("marked");
    let mut harm: Vec<String> = canary.harm().into_iter().collect();
    if !(is_right_first && are_marked && is_told) {
        harm.push(format!("{named}: {patches:?}: {run:?}"));
    }
    harm
}

/// Deals forgeries to all places: to our runner in every other one, and to a command of the user's in the others; or tries each everywhere.
/// A session takes all that its place is dealt, so that the days take turns at places.
fn marks_forgery(language: &'static Language, forgeries: &[Forgery]) {
    let places: Vec<Place> =
        Place::all().iter().copied().filter(|place| language.has("forge", *place)).collect();
    let mut harm = Vec::new();
    let is_of_today = of_today(language.name);
    for (shift, words) in [&[][..], &language.custom].into_iter().enumerate() {
        // Where there is one place, it is used for both.
        let first = shift.min(places.len().saturating_sub(1));
        let used = places.iter().skip(first).step_by(2).count();
        for (at, place) in places.iter().enumerate() {
            let is_used = at % 2 == first;
            let is_dealt = |number: &usize| is_thorough() || is_used && number % used == at / 2;
            let dealt: Vec<&Forgery> =
                (0..forgeries.len()).filter(is_dealt).map(|number| &forgeries[number]).collect();
            if !dealt.is_empty() && is_of_today(at) {
                harm.extend(tried(language, *place, words, &dealt));
            }
        }
    }
    assert!(harm.is_empty(), "{}", harm.join("\n"));
}

/// The forgeries of these kinds.
fn forgeries(language: &Language, kinds: &[&str]) -> Vec<Forgery> {
    let of_kind = |kind: &&str| {
        let source = language.source("forge", &[("kind", kind)]);
        ((*kind).to_owned(), language.attack_at_load("forge", &source))
    };
    kinds.iter().map(of_kind).collect()
}

fn whole_file(name: &str, path: &str, content: &str) -> Forgery {
    (name.to_owned(), call("write_fix", json!({"edits": [{"file_path": path, "content": content}]})))
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_forged_verdict_in_python_is_none_or_marked() {
    let kinds = [
        "assertion",
        "instance",
        "run",
        "lines",
        "words",
        "leave",
        "main_module",
        "encoder",
        "frames",
        "objects",
        "file",
        "equal",
        "looks",
    ];
    let tool = "import unittest\nunittest.TestCase.run = lambda test, result=None: None\n";
    let mut all = forgeries(&PYTHON, &kinds);
    all.push(whole_file("a module of Python's", "json.py", tool));
    all.push(whole_file("what is loaded first", "sitecustomize.py", tool));
    marks_forgery(&PYTHON, &all);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_forged_verdict_in_java_is_none_or_marked() {
    let assert = "package org.junit;\n\npublic class Assert {\n    public static void assertEquals(long one, long other) {}\n}\n";
    let mut all = forgeries(&JAVA, &["lines", "words", "leave", "provider", "access", "classes"]);
    all.push(whole_file("a class of JUnit", "src/main/java/org/junit/Assert.java", assert));
    marks_forgery(&JAVA, &all);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_forged_verdict_in_javascript_is_none_or_marked() {
    let kinds =
        ["assertion", "assign", "stringify", "frames", "reporter", "emit", "equal", "file", "lines", "leave"];
    marks_forgery(&JAVASCRIPT, &forgeries(&JAVASCRIPT, &kinds));
}
