//! What code under test may do to the machine that tests it: nothing, whatever it leaves in its lane.
//!
//! Each attack is a small source in `tests/hostile/`, in Python, Java and JavaScript, made by a candidate or by a test of the project
//! itself. A run makes a third of them, by the day (`share.rs`), each once, in turn in all places. `PATCHWRIGHT_ALL_ATTACKS=1` makes each in all
//! languages and places, and `PATCHWRIGHT_ALL_ATTACKS='in python, Host'` those whose names hold that text.

mod canary;
mod forgery;
mod ground;
mod language;
mod misleading;
mod place;
mod reach;
mod share;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use crate::kit::{Model, Run, call, goal, hypothesis, prompt_text, snapshot};
use canary::Canary;
use ground::{Ground, LIMIT, end, signal};
use language::{LANGUAGES, Language, PYTHON};
use place::Place;
use share::of_today;

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

/// Files of git that name other repositories and commands.
const GIT_FILES: &str = "project/.git/HEAD project/.git/config project/.git/index project/.git/packed-refs \
                         project/.git/objects/info/alternates";
const HOOKS: &str =
    "project/.git/hooks/pre-commit project/.git/hooks/post-checkout project/.git/hooks/post-index-change";
const COMMANDS: &str = r"[core]\n\tfsmonitor = touch @canary@/planted\n\tsshCommand = touch @canary@/planted\n[include]\n\tpath = @main@/.git/config\n";

/// Ways from the lane of a worktree to the repository that it belongs to.
const REPOSITORIES: &[Attack] = &[
    Attack { source: "repository", kind: "", target: "", places: "", made: Made::Anyhow },
    Attack {
        source: "repository",
        kind: "",
        target: "@main@",
        places: "@main@ @project@",
        made: Made::Anyhow,
    },
    put("link", "@main@/.git", "project/.git"),
    put("text", "gitdir: @main@/.git", "project/.git"),
    put("text", "@main@/.git/objects", "project/.git/objects/info/alternates project/.git/commondir"),
    put("text", COMMANDS, "project/.git/config project/.git/config.worktree"),
    put("text", r"#!/bin/sh\ntouch @canary@/planted\n", HOOKS),
    put("fifo", "", GIT_FILES),
];

/// Files that the host looks for in a project.
const LOOKED_FOR: &str = "project/.gitignore project/data/.gitignore project/data/.ignore project/.gitmodules \
                          project/patchwright.toml project/.patchwright-files project/pyproject.toml project/setup.cfg \
                          project/package.json project/pom.xml project/build.xml project/lib/a.jar";

/// Files that are looked for and cannot be read to their end.
const ENDLESS: &[Attack] =
    &[put("fifo", "", LOOKED_FOR), put("link", "/dev/zero", LOOKED_FOR), put("sparse", "", LOOKED_FOR)];

/// Files that other tools obey, and those that the program reads and writes.
const OBEYED: &str = "project/.envrc project/till/.envrc project/.vscode/tasks.json project/.idea/workspace.xml project/.husky/pre-commit \
                      project/.github/workflows/planted.yml project/.pre-commit-config.yaml project/.gitattributes \
                      project/.GIT/hooks/pre-commit project/pytest.toml project/sitecustomize.py";
const OWN: &str = "project/patchwright.toml project/.patchwright/.gitignore project/.patchwright/sessions/planted/trajectory.jsonl \
                   project/.patchwright/planted.journal project/.patchwright-files";

/// What a lane may try to bring to its user beside the fix.
const DELIVERED: &[Attack] = &[
    put("text", "touch @canary@/planted", OBEYED),
    put("text", "sandbox = 'host'", OWN),
    put("link", "@canary@/secret.txt", OWN),
    Attack {
        source: "deliver",
        kind: "",
        target: "@canary@/secret.txt",
        places: "@project@ @results@ @project@/till",
        made: Made::Anyhow,
    },
    Attack { source: "shout", kind: "orders", target: "", places: "", made: Made::Anyhow },
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

impl Attack {
    /// Is true if all that it does is done to its lane, so that no sandbox is needed to hold it.
    fn keeps_to_its_lane(&self) -> bool {
        let words = [self.target, self.places].concat();
        matches!(self.source, "put" | "fill" | "repository") && !words.contains("@project@")
    }

    /// Is true if it is about the repository of a project that is a worktree.
    fn is_about_git(&self) -> bool {
        self.source == "repository" || self.places.contains("/.git/") || self.places.ends_with("/.git")
    }
}

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
        if self.attack.is_about_git() {
            ground.make_worktree();
        }
        let [target, places] = [self.attack.target, self.attack.places].map(|words| ground.named(words));
        let values = [("kind", self.attack.kind), ("target", &target), ("places", &places)];
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
        let results = ground.path("results");
        let out: &[&str] = if self.attack.places.contains("@results@") {
            &["--out", results.to_str().unwrap()]
        } else {
            &[]
        };
        let before = snapshot(&ground.path("project"));
        // A test may take half of the time, and a slow disk takes its own for so many files.
        let (time, limit): (&[&str], _) = match self.attack.source {
            "fill" => (&["--timeout", "220s"], LIMIT * 3),
            _ => (&[], LIMIT),
        };
        let words = [&["--apply", "--cycles", &cycles], custom, out, time].concat();
        let Some((run, took)) = end(ground.repair(&model, &words), limit) else {
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
        harm.extend(brought(self.language, &before, &ground));
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
    let obeyed = |line: &&str| is_heading(line) || line.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']);
    let lines = prompts
        .iter()
        .flat_map(|prompt| outside_fences(prompt))
        .filter(is_heading)
        .chain(run.stderr.lines().filter(obeyed));
    lines.map(|line| format!("forged: {line:?}")).collect()
}

/// What came out of a lane to the project and to the folder of results, beside the fix.
fn brought(language: &Language, before: &BTreeMap<PathBuf, Vec<u8>>, ground: &Ground) -> BTreeSet<String> {
    let now = snapshot(&ground.path("project"));
    let differs = |path: &&PathBuf| before.get(*path) != now.get(*path);
    let is_fix = |path: &PathBuf| now.get(path).is_some_and(|text| language.is_fixed(path, text));
    let changed = before.keys().chain(now.keys()).filter(differs).filter(|path| !is_fix(path));
    let planted = ground.found().into_iter().filter(|(path, is_regular)| {
        !is_regular || path.file_name().is_some_and(|name| name.to_string_lossy().contains("planted"))
    });
    let planted = planted.map(|(path, _)| format!("brought: {}", path.display()));
    changed.map(|path| format!("changed: {}", path.display())).chain(planted).collect()
}

/// Whether all attacks are tried in all languages and places.
fn is_thorough() -> bool {
    std::env::var_os("PATCHWRIGHT_ALL_ATTACKS").is_some()
}

/// Whether a trial is among those that are asked for, where not all are.
fn is_wanted(trial: &Trial<'_>) -> bool {
    let wanted = std::env::var("PATCHWRIGHT_ALL_ATTACKS").unwrap_or_default();
    wanted == "1" || trial.name().contains(&wanted)
}

/// Today's share of the attacks, each once, in turn in all languages and places; or all of it. `first` is the number of the first attack.
fn trials(first: usize, attacks: &[Attack]) -> Vec<Trial<'_>> {
    let mut trials = Vec::new();
    let is_of_today = of_today(attacks[0].source);
    for (number, attack) in attacks.iter().enumerate().filter(|(number, _)| is_of_today(first + number)) {
        let by: &[By] = match attack.made {
            Made::Anyhow | Made::Custom => &[By::Candidate, By::Test],
            Made::Candidate => &[By::Candidate],
            Made::Test => &[By::Test],
        };
        let mut ways: Vec<Trial<'_>> = Vec::new();
        let places = if attack.keeps_to_its_lane() { Place::with_host() } else { Place::all() };
        for place in places {
            for language in LANGUAGES.into_iter().filter(|language| language.has(attack.source, *place)) {
                ways.extend(by.iter().map(|by| Trial { attack, language, place: *place, by: *by }));
            }
        }
        // Eleven ways on all differ, and it takes long until one comes again.
        let turn = (first + number) * 11 % ways.len();
        if is_thorough() {
            trials.extend(ways.into_iter().filter(is_wanted));
        } else {
            trials.push(ways.swap_remove(turn));
        }
    }
    trials
}

fn withstands(first: usize, attacks: &[Attack]) {
    let mut harm = Vec::new();
    for trial in trials(first, attacks) {
        let done: Vec<String> =
            trial.harm().into_iter().map(|what| format!("{}: {what}", trial.name())).collect();
        // All of them take long: nobody has to wait for the end.
        for what in &done {
            println!("{what}");
        }
        harm.extend(done);
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
fn no_lane_reaches_the_repository_of_its_user() {
    withstands(0, REPOSITORIES);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn what_is_looked_for_is_read_within_bounds() {
    withstands(8, ENDLESS);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn nothing_but_the_fix_leaves_a_lane() {
    withstands(11, DELIVERED);
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

/// A session that a hostile candidate keeps at work.
fn under_attack(attack: &Attack) -> Trial<'_> {
    Trial { attack, language: &PYTHON, place: Place::first(), by: By::Candidate }
}

/// Interrupts sessions under attack, at moments spread over the time that one takes, and looks at each.
fn interrupted(attack: &Attack, name: &str, look: impl Fn(&Ground, Run, Duration)) {
    let trial = under_attack(attack);
    let number = |text: String| text.parse::<u32>().ok();
    let wanted = std::env::var("PATCHWRIGHT_INTERRUPTIONS").ok().and_then(number);
    let times = wanted.unwrap_or(6);
    let is_of_today = of_today(name);
    let (ground, replies) = trial.prepare();
    let canary = ground.hand_over();
    let start = || {
        let model = Model::saying(&replies);
        (ground.repair(&model, &[]), model)
    };
    let (child, _model) = start();
    let (_, whole) = end(child, LIMIT).expect("a session that nobody interrupts ends");
    for time in (0..times).filter(|time| wanted.is_some() || is_of_today(*time as usize)) {
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
