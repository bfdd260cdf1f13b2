//! What code under test may do to the machine that tests it: nothing, whatever it leaves in its lane.
//!
//! Each attack is a small source in `tests/hostile/`, in Python and in Java, made by a candidate or by a test of the project
//! itself. Each is tried once, in turn in all places; `PATCHWRIGHT_ALL_ATTACKS=1` tries each in all languages and places.

mod canary;
mod ground;
mod language;
mod place;
mod reach;

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::Duration;

use crate::kit::{Model, Run, call, goal, hypothesis, prompt_text};
use canary::Canary;
use ground::{Ground, LIMIT, end, signal};
use language::{JAVA, Language, PYTHON};
use place::Place;

/// An attack: its source, and what stands for the words in it.
struct Attack {
    source: &'static str,
    kind: &'static str,
    target: &'static str,
    places: &'static str,
    made: Made,
}

/// Who makes an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Candidate,
    Test,
}

/// How an attack can be made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// By a candidate or a test.
    Anyhow,
    /// The same, where a command of the user's runs the tests.
    Custom,
    /// Only by a candidate.
    Candidate,
    /// Only by a test.
    Test,
}

/// An attack that puts something of a kind at places of the lane.
const fn put(kind: &'static str, target: &'static str, places: &'static str) -> Attack {
    Attack { source: "put", kind, target, places, made: Made::Anyhow }
}

const fn fill(kind: &'static str, places: &'static str) -> Attack {
    Attack { source: "fill", kind, target: "@canary@", places, made: Made::Anyhow }
}

/// Files that the host reads results from.
const RESULTS: &str = "out/results.jsonl out/coverage.jsonl out/results-1.jsonl out/results-2.jsonl out/results-3.jsonl \
                       out/results-4.jsonl out/results-5.jsonl out/results-6.jsonl";
/// Files and folders that the host writes.
const FILES: &str = "out/sources.txt out/classes.txt out/worker.json out/requests out/replies";
const FOLDERS: &str = "out/classes out/seen tools/classes";

/// Folders of a lane that become links.
const LINKS: &[Attack] = &[
    put("link", "@canary@", "project"),
    put("link", "@canary@", "out"),
    put("link", "@canary@", "tools"),
    put("link", "@canary@", "project/data"),
    put("link", "@canary@/secret.txt", FILES),
    put("link", "@canary@", FOLDERS),
];

/// Results that are no results.
const NO_RESULTS: &[Attack] = &[
    put("fifo", "", RESULTS),
    put("sparse", "", RESULTS),
    put("link", "/dev/zero", RESULTS),
    put("link", "@canary@/secret.txt", RESULTS),
    put("folder", "", RESULTS),
    put("hard", "project/data/000.txt", RESULTS),
];

/// What is too many, too deep, too strange or closed.
const TOO_MUCH: &[Attack] = &[
    fill("links", "project"),
    fill("files", "out"),
    fill("nested", "project"),
    fill("nested", "out"),
    fill("names", "project"),
    Attack { source: "lock", kind: "", target: "", places: "project/data out project", made: Made::Anyhow },
];

/// What is said, and what is done meanwhile.
const SAID: &[Attack] = &[
    Attack { source: "speak", kind: "", target: "@canary@/secret.txt", places: "", made: Made::Custom },
    Attack { source: "speak", kind: "", target: "@canary@/secret.txt", places: "", made: Made::Custom },
    Attack { source: "test_names", kind: "", target: "", places: "", made: Made::Test },
    Attack { source: "test_names", kind: "", target: "", places: "", made: Made::Test },
    Attack { source: "race", kind: "", target: "@canary@", places: "data", made: Made::Candidate },
    Attack { source: "race", kind: "", target: "@canary@", places: "data", made: Made::Candidate },
];

/// What is said at a length that nobody reads.
const LONG: &[Attack] = &[
    Attack { source: "shout", kind: "message", target: "", places: "", made: Made::Anyhow },
    Attack { source: "shout", kind: "output", target: "", places: "", made: Made::Anyhow },
    Attack { source: "shout", kind: "output", target: "", places: "", made: Made::Custom },
    Attack { source: "shout", kind: "lines", target: "", places: "", made: Made::Anyhow },
];

/// An attack in one language and place.
struct Trial<'a> {
    attack: &'a Attack,
    language: &'static Language,
    place: Place,
    by: By,
}

impl Trial<'_> {
    fn name(&self) -> String {
        let Attack { source, kind, target, places, .. } = self.attack;
        let first = places.split(' ').next().unwrap_or_default();
        let (language, place, by) = (self.language.name, self.place, self.by);
        format!(
            "{source} {kind} {target} at {first}: {by:?} in {language}, {:?}, {:?}",
            place.sandbox, place.who
        )
    }

    /// The ground, with the attack among the tests where they make it, and the model's replies.
    fn prepare(&self) -> (Ground, Vec<String>) {
        let ground = Ground::new(self.language, self.place);
        let target = self.attack.target.replace("@canary@", ground.path("canary").to_str().unwrap());
        let values = [("kind", self.attack.kind), ("target", &target), ("places", self.attack.places)];
        let source = self.language.source(self.attack.source, &values);
        let mut replies = vec![hypothesis()];
        if self.attack.places.contains("coverage") {
            replies.insert(0, call("run_fault_localization", serde_json::json!({})));
        }
        match self.by {
            By::Candidate => replies.push(self.language.attack(self.attack.source, &source)),
            By::Test => self.language.add_test(&ground.path("project"), self.attack.source, &source),
        }
        replies.extend([self.language.fix(), goal()]);
        (ground, replies)
    }

    /// Makes the attack, and says what it has done.
    fn harm(&self) -> Vec<String> {
        let (ground, replies) = self.prepare();
        let canary = ground.hand_over();
        let model = Model::saying(&replies);
        // With the last reply the session is over, whether it has found the fix or not.
        let cycles = replies.len().to_string();
        let custom: &[&str] = if self.attack.made == Made::Custom { &self.language.custom } else { &[] };
        let words = [&["--cycles", &cycles], custom].concat();
        let Some((run, took)) = end(ground.repair(&model, &words), LIMIT) else {
            return vec!["it hangs".to_owned()];
        };
        println!("{}: {:.1} s, exit code {}", self.name(), took.as_secs_f64(), run.code);
        let mut harm = Vec::new();
        harm.extend(canary.harm());
        let prompts: Vec<String> = model.requests().iter().map(prompt_text).collect();
        let recorded = ground.recorded();
        for (what, text) in [
            ("prompts", &prompts.concat()),
            ("record", &recorded),
            ("stdout", &run.stdout),
            ("stderr", &run.stderr),
        ] {
            harm.extend(Canary::leak(text).map(|secret| format!("{what}: {secret}")));
        }
        harm.extend(forged(&prompts, &run));
        harm.extend(ground.left().iter().map(|path| format!("left: {}", path.display())));
        if let Some(why) = self.language.refusal(self.attack.source, &recorded) {
            harm.push(format!("the attack was not made: {why}"));
        }
        let went_on = run.code == 0 && recorded.contains(r#""verdict":"plausible""#);
        // Tests that attack may show nothing that can be told from a bug, but the session has to say so.
        let told = matches!(run.code, 0 | 1 | 3) && !run.stderr.trim().is_empty();
        if !went_on && (self.by == By::Candidate || !told) {
            harm.push(format!("the session does not go on: {run:?}"));
        }
        harm
    }
}

/// The lines of a prompt that are not quoted.
fn outside_fences(prompt: &str) -> Vec<&str> {
    let mut open = None;
    let mut lines = Vec::new();
    for line in prompt.lines() {
        let marks = line.bytes().take_while(|byte| *byte == b'`').count();
        match open {
            None if marks >= 3 => open = Some(marks),
            None => lines.push(line),
            Some(opened) if marks >= opened && marks == line.len() => open = None,
            Some(_) => {}
        }
    }
    lines
}

/// Texts of a test that pass for ours, or that a terminal obeys.
fn forged(prompts: &[String], run: &Run) -> BTreeSet<String> {
    let is_heading = |line: &&str| line.trim_start().starts_with('#') && line.contains("Forged heading");
    let obeyed = |line: &&str| is_heading(line) || line.contains(['\u{1b}', '\u{202e}']);
    let lines = prompts
        .iter()
        .flat_map(|prompt| outside_fences(prompt))
        .filter(is_heading)
        .chain(run.stderr.lines().filter(obeyed));
    lines.map(|line| format!("forged: {line:?}")).collect()
}

/// Whether all attacks are tried in all languages and places.
fn is_thorough() -> bool {
    std::env::var_os("PATCHWRIGHT_ALL_ATTACKS").is_some()
}

/// Each attack once, in turn in all languages and places; or all of it. `first` is the number of the first attack.
fn trials(first: usize, attacks: &[Attack]) -> Vec<Trial<'_>> {
    let mut trials = Vec::new();
    for (number, attack) in attacks.iter().enumerate() {
        let by: &[By] = match attack.made {
            Made::Anyhow | Made::Custom => &[By::Candidate, By::Test],
            Made::Candidate => &[By::Candidate],
            Made::Test => &[By::Test],
        };
        let mut ways = Vec::new();
        for place in Place::all() {
            for language in [&PYTHON, &JAVA] {
                ways.extend(by.iter().map(|by| Trial { attack, language, place: *place, by: *by }));
            }
        }
        // Seven ways on all differ, and it takes long until one comes again.
        let turn = (first + number) * 7 % ways.len();
        if is_thorough() { trials.append(&mut ways) } else { trials.push(ways.swap_remove(turn)) }
    }
    trials
}

fn withstands(first: usize, attacks: &[Attack]) {
    let mut harm = Vec::new();
    for trial in trials(first, attacks) {
        harm.extend(trial.harm().into_iter().map(|what| format!("{}: {what}", trial.name())));
    }
    assert!(harm.is_empty(), "{}", harm.join("\n"));
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn links_lead_the_host_nowhere() {
    withstands(0, LINKS);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn results_that_are_none_are_not_read() {
    withstands(6, NO_RESULTS);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn what_is_too_much_ends() {
    withstands(12, TOO_MUCH);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn what_is_said_is_not_believed() {
    withstands(18, SAID);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn what_is_long_is_cut() {
    withstands(24, LONG);
}

/// Candidates that repair nothing and make the tests pass, by their names and what runs the tests: none is a patch without a mark, and none
/// stands before the right one. They are tried in turn in all places.
fn marks_forgery(language: &'static Language, candidates: Vec<(String, String, &[&str])>) {
    let forge = |place: &Place, name: String, candidate: String, words: &[&str]| -> Vec<String> {
        let ground = Ground::new(language, *place);
        let canary = ground.hand_over();
        let model = Model::saying(&[hypothesis(), candidate, language.fix(), goal()]);
        let (run, _) = end(ground.repair(&model, words), LIMIT).expect("it ends");
        let name = format!("{name} in {} {words:?}, {place:?}", language.name);
        let result: serde_json::Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"));
        let patches = result["patches"].as_array().unwrap();
        let marked: Vec<(u64, bool)> = patches
            .iter()
            .map(|patch| (patch["candidate"].as_u64().unwrap(), patch["tampering"].is_array()))
            .collect();
        println!("{name}: {marked:?}");
        let mut harm: Vec<String> = canary.harm().into_iter().collect();
        if marked != [(2, false)] && (marked != [(2, false), (1, true)] || !run.stderr.contains("marked")) {
            harm.push(format!("{name}: {run:?}"));
        }
        harm
    };
    let places = Place::all().iter().cycle();
    let harm: Vec<String> = candidates
        .into_iter()
        .zip(places)
        .flat_map(|((name, candidate, words), place)| forge(place, name, candidate, words))
        .collect();
    assert!(harm.is_empty(), "{}", harm.join("\n"));
}

/// The forgeries of these kinds, with our runner and with a command of the user's.
fn forgeries(language: &'static Language, kinds: &[&str]) -> Vec<(String, String, &'static [&'static str])> {
    let of_kind = |kind: &&str| {
        let source = language.source("forge", &[("kind", kind)]);
        let candidate = language.attack_at_load("forge", &source);
        [&[][..], &language.custom].map(|words| ((*kind).to_owned(), candidate.clone(), words))
    };
    kinds.iter().flat_map(of_kind).collect()
}

fn whole_file(path: &str, content: &str) -> String {
    call("write_fix", serde_json::json!({"edits": [{"file_path": path, "content": content}]}))
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_forged_verdict_in_python_is_none_or_marked() {
    let mut candidates = forgeries(&PYTHON, &["assertion", "instance", "run", "lines", "words", "leave"]);
    let tool = "import unittest\nunittest.TestCase.run = lambda test, result=None: None\n";
    candidates.push(("a module of Python's".to_owned(), whole_file("json.py", tool), &[]));
    candidates.push((
        "what is loaded first".to_owned(),
        whole_file("sitecustomize.py", tool),
        &PYTHON.custom,
    ));
    marks_forgery(&PYTHON, candidates);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_forged_verdict_in_java_is_none_or_marked() {
    let mut candidates = forgeries(&JAVA, &["lines", "words", "leave"]);
    let assert = "package org.junit;\n\npublic class Assert {\n    public static void assertEquals(long one, long other) {}\n}\n";
    let assert = whole_file("src/main/java/org/junit/Assert.java", assert);
    candidates.push(("a class of JUnit".to_owned(), assert.clone(), &[]));
    candidates.push(("a class of JUnit".to_owned(), assert, &JAVA.custom));
    marks_forgery(&JAVA, candidates);
}

/// A session that a hostile candidate keeps at work.
fn under_attack(attack: &Attack) -> Trial<'_> {
    Trial { attack, language: &PYTHON, place: Place::first(), by: By::Candidate }
}

/// Interrupts sessions under attack, at moments spread over the time that one takes, and looks at each.
fn interrupted(attack: &Attack, name: &str, look: impl Fn(&Ground, Run, Duration)) {
    let trial = under_attack(attack);
    let number = |text: String| text.parse::<u32>().ok();
    let default = if std::env::var_os("CI").is_some() { 10 } else { 3 };
    let times = std::env::var("PATCHWRIGHT_INTERRUPTIONS").ok().and_then(number).unwrap_or(default);
    let (ground, replies) = trial.prepare();
    let canary = ground.hand_over();
    let start = || {
        let model = Model::saying(&replies);
        (ground.repair(&model, &[]), model)
    };
    let (child, _model) = start();
    let (_, whole) = end(child, LIMIT).expect("a session that nobody interrupts ends");
    for time in 0..times {
        let (child, _model) = start();
        let moment = whole * (2 * time + 1) / (2 * times);
        let process = child.id();
        // Nothing is told: this is a wait that holds no processor.
        let (_tell, told) = std::sync::mpsc::channel::<()>();
        let _ = told.recv_timeout(moment);
        signal(process, name);
        let (run, took) = end(child, LIMIT).expect("a signal ends a session");
        println!("{name} after {:.2} s: ended in {:.2} s", moment.as_secs_f64(), took.as_secs_f64());
        look(&ground, run, took);
        assert_eq!(canary.harm(), None);
    }
    let (child, _model) = start();
    let (run, _) = end(child, LIMIT).expect("the next session ends");
    assert_eq!(run.code, 0, "the next session works: {run:?}");
    assert_eq!(Canary::leak(&ground.recorded()), None);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn ctrl_c_ends_a_session_under_attack_at_once() {
    interrupted(&fill("links", "project"), "INT", |ground, run, took| {
        // It may have been over, or so new that it did not listen yet: then the signal itself ends it.
        assert!(matches!(run.code, 130 | 0 | -1), "{run:?}");
        // A second is promised; machines that test have other things to do as well.
        assert!(took < Duration::from_secs(5), "{took:?}");
        assert_eq!(ground.left(), Vec::<std::path::PathBuf>::new());
    });
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_session_killed_under_attack_harms_nobody() {
    interrupted(&fill("nested", "project"), "KILL", |ground, _, _| {
        let clean = ground.command(&["doctor".to_owned(), "--clean".to_owned()]).output().unwrap();
        assert!(clean.status.success(), "{clean:?}");
        assert_eq!(ground.left(), Vec::<std::path::PathBuf>::new());
    });
}

/// A file may not become larger than the user's limit: that is an error of the environment, and not a silent death.
#[test]
fn a_limit_of_file_sizes_is_told() {
    let place = Place::first();
    // In blocks of 512 bytes.
    for blocks in [8, 24, 64] {
        let ground = Ground::new(&PYTHON, place);
        let model = Model::saying(&[hypothesis(), PYTHON.fix(), goal()]);
        let words = model.words(&ground.path("project"), &place.words());
        let child = ground.limited(&format!("-f {blocks}"), &words).spawn().unwrap();
        let (run, _) = end(child, LIMIT).expect("it ends");
        println!(
            "{blocks} blocks: exit code {}: {}",
            run.code,
            run.stderr.lines().last().unwrap_or_default()
        );
        assert!(run.code == 0 || run.code == 3 && run.stderr.contains("large"), "{run:?}");
    }
}

/// What something is, and what puts it into a project.
type Put<'a> = (&'a str, &'a dyn Fn(&Ground));

#[test]
fn a_project_in_python_as_it_comes_misleads_nobody() {
    misleads_nobody(&PYTHON);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_project_in_java_as_it_comes_misleads_nobody() {
    misleads_nobody(&JAVA);
}

/// What a project may hold before anything of it has run: where the program keeps its own, and where it looks for tools.
fn misleads_nobody(language: &'static Language) {
    let place = Place::first();
    let link = |ground: &Ground, name: &str, target: &str| {
        symlink(ground.path(target), ground.path("project").join(name)).unwrap();
    };
    let pipe = |ground: &Ground, name: &str| {
        let path = ground.path("project").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    };
    let puts: [Put<'_>; 6] = [
        ("a link as the folder of sessions", &|ground| link(ground, ".patchwright", "canary")),
        ("a link in the folder of sessions", &|ground| {
            std::fs::create_dir(ground.path("project/.patchwright")).unwrap();
            link(ground, ".patchwright/.gitignore", "canary/missing");
        }),
        ("a pipe as an archive", &|ground| pipe(ground, "lib/pipe.jar")),
        ("an endless archive", &|ground| {
            std::fs::create_dir(ground.path("project/lib")).unwrap();
            link(ground, "lib/zero.jar", "/dev/zero");
        }),
        ("a pipe as a build file", &|ground| pipe(ground, "build.xml")),
        ("endless settings", &|ground| {
            std::fs::remove_file(ground.path("project/patchwright.toml")).unwrap();
            link(ground, "patchwright.toml", "/dev/zero");
        }),
    ];
    let mut harm = Vec::new();
    for (name, put) in puts {
        let ground = Ground::new(language, place);
        put(&ground);
        let canary = ground.hand_over();
        let model = Model::saying(&[hypothesis(), language.fix(), goal()]);
        let Some((run, took)) = end(ground.repair(&model, &[]), LIMIT) else {
            harm.push(format!("{name}: it hangs"));
            continue;
        };
        println!("{name}: {:.1} s, exit code {}", took.as_secs_f64(), run.code);
        let refused = matches!(run.code, 2 | 3) && run.stderr.contains("project");
        if run.code != 0 && !refused {
            harm.push(format!("{name}: {run:?}"));
        }
        harm.extend(canary.harm().map(|what| format!("{name}: {what}")));
    }
    assert!(harm.is_empty(), "{}", harm.join("\n"));
}
