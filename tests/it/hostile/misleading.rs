//! What a project may hold before anything of it has run: where the program keeps its own, where it looks for tools and settings, and where it
//! reads the history.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::canary::Canary;
use super::ground::{Ground, LIMIT, end};
use super::is_thorough;
use super::language::{LANGUAGES, Language};
use super::place::Place;
use super::share::of_today;
use crate::kit::{Model, goal, hypothesis, prompt_text, write};

/// What something is, and what puts it into a project.
struct Put {
    name: &'static str,
    kind: Kind,
    /// What it names; `@canary@` stands for the folder that nobody may read.
    target: &'static str,
    /// Where it lies in the project.
    places: &'static [&'static str],
    end: End,
}

#[derive(Clone, Copy)]
enum Kind {
    Link,
    Pipe,
    Text,
}

/// What the session may come to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// It finds the fix, or says what is wrong with the project.
    Any,
    /// The project is refused, and its settings are named.
    Refused,
    /// It finds the fix.
    Found,
}

const fn link(name: &'static str, target: &'static str, places: &'static [&'static str]) -> Put {
    Put { name, kind: Kind::Link, target, places, end: End::Any }
}

const fn pipe(name: &'static str, places: &'static [&'static str]) -> Put {
    Put { name, kind: Kind::Pipe, target: "", places, end: End::Any }
}

const fn settings(name: &'static str, text: &'static str) -> Put {
    Put { name, kind: Kind::Text, target: text, places: &["patchwright.toml"], end: End::Refused }
}

const PUTS: &[Put] = &[
    link("a link as the folder of sessions", "@canary@", &[".patchwright"]),
    link("a link in the folder of sessions", "@canary@/missing", &[".patchwright/.gitignore"]),
    link("an endless archive", "/dev/zero", &["lib/zero.jar"]),
    link("endless settings", "/dev/zero", &["patchwright.toml"]),
    pipe("a pipe as an archive", &["lib/pipe.jar"]),
    pipe("a pipe as a build file", &["build.xml"]),
    settings("a weaker sandbox", "sandbox = 'host'"),
    settings("an image", "image = 'debian:bookworm'"),
    settings("a place for results", "out = '@canary@'"),
    settings("changes that are written", "apply = true"),
    settings("a model that costs", "model = 'openai/gpt-4o'"),
    settings("prices", "prices = 'prices.toml'"),
    settings("the network", "network = true"),
    settings("an issue elsewhere", "issue = '@canary@/secret.txt'"),
    settings("an issue above", "issue = '../canary/secret.txt'"),
    Put {
        name: "an issue behind a link",
        kind: Kind::Link,
        target: "@canary@/secret.txt",
        places: &["bug/issue.md"],
        end: End::Refused,
    },
    Put {
        end: End::Found,
        ..link("endless lists of what is ignored", "/dev/zero", &[".gitignore", "data/.gitignore"])
    },
    Put {
        end: End::Found,
        ..pipe("pipes as lists of what is ignored", &[".gitignore", "data/.gitignore", "data/.ignore"])
    },
    Put { end: End::Found, ..link("another repository", "@main@/.git", &[".git"]) },
    Put {
        end: End::Found,
        ..link("the objects of another repository", "@main@/.git/objects", &[".git/objects"])
    },
    Put {
        kind: Kind::Text,
        end: End::Found,
        ..link("a worktree that nobody lists", "gitdir: @main@/.git\n", &[".git"])
    },
    Put {
        kind: Kind::Text,
        end: End::Found,
        ..link("objects that are borrowed", "@main@/.git/objects\n", &[".git/objects/info/alternates"])
    },
    Put {
        end: End::Found,
        ..pipe(
            "pipes in a repository",
            &[".git/HEAD", ".git/config", ".git/packed-refs", ".git/objects/info/alternates"],
        )
    },
];

impl Put {
    fn is_about_git(&self) -> bool {
        self.places[0].starts_with(".git/") || self.places == [".git"]
    }

    fn make(&self, ground: &Ground) {
        let project = ground.path("project");
        if self.is_about_git() {
            ground.make_worktree();
            fs::remove_file(project.join(".git")).unwrap();
        }
        if self.is_about_git() && self.places != [".git"] {
            fs::create_dir(project.join(".git")).unwrap();
            write(&project.join(".git/HEAD"), b"ref: refs/heads/main\n");
            let main = fs::read(ground.path("canary/main/.git/refs/heads/main")).unwrap();
            write(&project.join(".git/refs/heads/main"), &main);
            write(&project.join(".git/objects/info/packs"), b"");
        }
        for name in self.places {
            self.put(&project.join(name), &ground.named(self.target));
        }
        if self.places == ["bug/issue.md"] {
            write(&project.join("patchwright.toml"), b"issue = 'bug'\n");
        }
    }

    fn put(&self, path: &Path, target: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            let _ = fs::remove_file(path);
        }
        match self.kind {
            Kind::Link => symlink(target, path).unwrap(),
            Kind::Pipe => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
            Kind::Text => write(path, target.as_bytes()),
        }
    }

    /// Runs a session on a project with it, and says what it has done.
    fn harm(&self, language: &'static Language, place: Place) -> Vec<String> {
        let ground = Ground::new(language, place);
        self.make(&ground);
        let canary = ground.hand_over();
        let model = Model::saying(&[hypothesis(), language.history(), language.fix(), goal()]);
        let Some((run, took)) = end(ground.repair(&model, &[]), LIMIT) else {
            return vec!["it hangs".to_owned()];
        };
        println!(
            "{}: {place:?}, {}: {:.1} s, exit code {}",
            self.name,
            language.name,
            took.as_secs_f64(),
            run.code
        );
        let prompts: String = model.requests().iter().map(prompt_text).collect();
        let is_refused = matches!(run.code, 2 | 3) && run.stderr.contains("project");
        let is_as_it_should = match self.end {
            End::Any => run.code == 0 || is_refused,
            End::Refused => run.code == 2 && run.stderr.contains("patchwright.toml") && prompts.is_empty(),
            End::Found => run.code == 0,
        };
        let told = [("prompts", &prompts), ("stdout", &run.stdout), ("stderr", &run.stderr)];
        let leaks = told.iter().filter_map(|(what, text)| Some(format!("{what}: {}", Canary::leak(text)?)));
        let other = (!is_as_it_should).then(|| format!("{run:?}"));
        canary.harm().into_iter().chain(leaks).chain(other).collect()
    }
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_project_as_it_comes_misleads_nobody() {
    let mut harm = Vec::new();
    let is_of_today = of_today("misleading projects");
    for (number, put) in PUTS.iter().enumerate().filter(|(number, _)| is_of_today(*number)) {
        let mut ways: Vec<(&Language, Place)> = Vec::new();
        for place in Place::all() {
            ways.extend(
                LANGUAGES
                    .into_iter()
                    .filter(|language| language.has("put", *place))
                    .map(|language| (language, *place)),
            );
        }
        if !is_thorough() {
            ways = vec![ways[number * 11 % ways.len()]];
        }
        for (language, place) in ways {
            let done = put.harm(language, place).into_iter();
            let done = done.map(|what| format!("{}, {}, {place:?}: {what}", put.name, language.name));
            harm.extend(done.inspect(|what| println!("{what}")));
        }
    }
    assert!(harm.is_empty(), "{}", harm.join("\n"));
}
