#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;

use super::journal::{Planned, Staging};
use super::transaction::take_step;
use super::*;

fn finished() -> Recovery {
    Recovery::Finished { name: "a change".to_owned(), files: 4 }
}

fn path(name: &str) -> ProjectPath {
    ProjectPath::new(name).unwrap()
}

/// All files below a folder with their texts, sorted.
fn files(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                open.push(entry.path());
            } else {
                let name = entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.push((name, fs::read_to_string(entry.path()).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn listed(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

const BEFORE: [(&str, &str); 3] = [("a", "a"), ("d/c", "c"), ("e", "e")];
const AFTER: [(&str, &str); 3] = [("a", "A"), ("e", "E"), ("n/b", "B")];

/// A project of three files, and a change of it: one of each kind, and another.
struct Scene {
    root: tempfile::TempDir,
    folder: Folder,
    paths: [ProjectPath; 4],
}

impl Scene {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("d")).unwrap();
        for (name, text) in BEFORE {
            fs::write(root.path().join(name), text).unwrap();
        }
        let folder = Folder::open(root.path()).unwrap();
        Self { root, folder, paths: [path("a"), path("n/b"), path("d/c"), path("e")] }
    }

    fn steps(&self) -> [Step<'_>; 4] {
        let [changed, created, deleted, last] = &self.paths;
        [
            Step { path: changed, from: Some(b"a"), to: Some(b"A") },
            Step { path: created, from: None, to: Some(b"B") },
            Step { path: deleted, from: Some(b"c"), to: None },
            Step { path: last, from: Some(b"e"), to: Some(b"E") },
        ]
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.root.path().join(name), text).unwrap();
    }

    fn files(&self) -> Vec<(String, String)> {
        files(self.root.path())
    }

    /// Prepares the change and takes that many steps, as a process does that is killed then.
    fn interrupted(&self, taken: usize) {
        let steps = self.steps();
        let transaction = Transaction::prepare(&self.folder, "a change", &steps).unwrap();
        for (at, step) in steps.iter().take(taken).enumerate() {
            take_step(&self.folder, at, &Planned::new(step)).unwrap();
        }
        drop(transaction);
    }
}

#[test]
fn a_change_leaves_nothing_of_its_own() {
    let scene = Scene::new();
    write(&scene.folder, &scene.steps()).unwrap();
    assert_eq!(scene.files(), listed(&AFTER));
    assert!(!scene.root.path().join("d").exists() && !scene.root.path().join(".patchwright").exists());
    write(&scene.folder, &scene.steps().map(Step::reversed)).unwrap();
    assert_eq!(scene.files(), listed(&BEFORE));
}

#[test]
fn when_a_step_fails_the_earlier_ones_are_taken_back() {
    let scene = Scene::new();
    let steps = scene.steps();
    let transaction = Transaction::prepare(&scene.folder, "", &steps).unwrap();
    // A folder in the place of the file.
    fs::remove_file(scene.root.path().join("e")).unwrap();
    fs::create_dir_all(scene.root.path().join("e/full")).unwrap();
    let error = transaction.commit().unwrap_err();
    assert!(matches!(&error, ProjectWriteError::Changed(path) if path.as_str() == "e"), "{error}");
    assert_eq!(scene.files(), listed(&BEFORE[..2]));
}

#[test]
fn a_file_saved_between_check_and_change_is_kept() {
    let saved = |name: &str, text: &str, expected: &[(&str, &str)]| {
        let scene = Scene::new();
        let steps = scene.steps();
        let transaction = Transaction::prepare(&scene.folder, "", &steps).unwrap();
        scene.put(name, text);
        let error = transaction.commit().unwrap_err().to_string();
        assert!(error.contains(&format!("`{name}`")), "{error}");
        assert_eq!(scene.files(), listed(expected));
    };
    saved("a", "saved", &[("a", "saved"), BEFORE[1], BEFORE[2]]);
    saved("d/c", "saved", &[BEFORE[0], ("d/c", "saved"), BEFORE[2]]);
    saved("e", "saved", &[BEFORE[0], BEFORE[1], ("e", "saved")]);
}

#[test]
fn an_interrupted_change_is_finished_wherever_it_stopped() {
    for taken in 0..=4 {
        let scene = Scene::new();
        scene.interrupted(taken);
        assert_eq!(recover(&scene.folder).unwrap(), Some(finished()), "after {taken}");
        assert_eq!(scene.files(), listed(&AFTER), "after {taken}");
        assert_eq!(recover(&scene.folder).unwrap(), None);
    }
}

#[test]
fn an_interrupted_change_is_taken_back_where_a_file_was_changed_since() {
    let scene = Scene::new();
    scene.interrupted(2);
    scene.put("a", "mine");
    let changed = vec![path("a")];
    assert_eq!(recover(&scene.folder).unwrap(), Some(Recovery::TakenBack { changed }));
    assert_eq!(scene.files(), listed(&[("a", "mine"), ("a.orig", "a"), BEFORE[1], BEFORE[2]]));
}

#[test]
fn what_was_only_prepared_is_removed() {
    let scene = Scene::new();
    let staging = Staging::open(&scene.folder).unwrap();
    scene.put(".patchwright/apply/0", "A");
    scene.put(".patchwright/apply/1", "B");
    assert!(matches!(recover(&scene.folder), Err(ProjectWriteError::Busy)));
    drop(staging);
    assert_eq!(recover(&scene.folder).unwrap(), None);
    assert_eq!(scene.files(), listed(&BEFORE));
}

#[test]
fn an_unfinished_change_stands_in_the_way_of_the_next() {
    let scene = Scene::new();
    scene.interrupted(0);
    assert!(matches!(write(&scene.folder, &scene.steps()), Err(ProjectWriteError::Unfinished(_))));
    assert_eq!(recover(&scene.folder).unwrap(), Some(finished()));
}

#[test]
fn a_change_that_was_never_made_is_not_called_finished() {
    let scene = Scene::new();
    for (name, from) in [("a", Some("0")), ("new", None)] {
        let step = serde_json::json!({"path": name, "from": from, "to": "1"});
        let journal =
            serde_json::json!({"format": "patchwright-apply", "version": 1, "name": "", "steps": [step]});
        fs::create_dir_all(scene.root.path().join(".patchwright/apply")).unwrap();
        scene.put(".patchwright/apply/journal.json", &journal.to_string());
        let changed = vec![path(name)];
        assert_eq!(recover(&scene.folder).unwrap(), Some(Recovery::TakenBack { changed }));
        assert_eq!(scene.files(), listed(&BEFORE));
    }
}

#[test]
fn a_journal_that_a_project_brings_along_is_read_within_bounds() {
    let step = |path: &str| serde_json::json!({"path": path, "from": "0", "to": "1"});
    for steps in [vec![step("a"); 2], vec![step("large")]] {
        let scene = Scene::new();
        fs::create_dir_all(scene.root.path().join(".patchwright/apply")).unwrap();
        fs::File::create(scene.root.path().join("large")).unwrap().set_len(8 << 30).unwrap();
        let journal =
            serde_json::json!({"format": "patchwright-apply", "version": 1, "name": "", "steps": steps});
        scene.put(".patchwright/apply/journal.json", &journal.to_string());
        assert!(matches!(recover(&scene.folder), Err(ProjectWriteError::Unfinished(_))), "{journal}");
    }
}

#[test]
fn a_journal_that_a_project_brings_along_reaches_nothing_else() {
    let check = |name: &str| {
        let scene = Scene::new();
        let hash = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
        let step = serde_json::json!({"path": name, "from": null, "to": hash("evil")});
        let journal =
            serde_json::json!({"format": "patchwright-apply", "version": 1, "name": "", "steps": [step]});
        fs::create_dir_all(scene.root.path().join(".patchwright/apply")).unwrap();
        for folder in [".git/hooks", "shared/hooks"] {
            fs::create_dir_all(scene.root.path().join(folder)).unwrap();
        }
        scene.put(".git/commondir", "../shared\n");
        scene.put(".patchwright/apply/0", "evil");
        scene.put(".patchwright/apply/journal.json", &journal.to_string());
        assert!(matches!(recover(&scene.folder), Err(ProjectWriteError::Unfinished(_))), "{name}");
        for folder in [".git/hooks", "shared/hooks"] {
            assert!(fs::read_dir(scene.root.path().join(folder)).unwrap().next().is_none(), "{name}");
        }
    };
    for name in [
        ".git/hooks/pre-commit",
        ".GIT/hooks/x",
        ".g\u{200c}it/hooks/x",
        "shared/hooks/pre-commit",
        "../x",
        "/x",
        "a/../.git/x",
    ] {
        check(name);
    }
}
