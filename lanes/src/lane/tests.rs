//! Copies keep what a build needs, and lanes come back to what they were.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use patchwright_folder::{DEEPEST_GLOB, Folder, FolderError, GlobTooLarge, LONGEST_GLOB};

use crate::activity::Activity;

use super::{CopyRules, LaneError, Lanes, Manifest, Tools, copy_project};

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn listing(root: &Path) -> Vec<String> {
    Manifest::of(&Folder::open(root).unwrap(), &|| false).unwrap().files().collect()
}

fn copy(from: &Path, to: &Path, rules: &CopyRules) -> Vec<String> {
    let open = |path| Folder::open(path).unwrap();
    copy_project(&open(from), &open(to), rules, &|| false, None).unwrap()
}

/// Runs git in a folder.
#[track_caller]
fn git(folder: &Path, words: &str) -> String {
    let mut command = std::process::Command::new("git");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Ann").env(format!("GIT_{role}_EMAIL"), "ann@example.org");
    }
    let done = command.current_dir(folder).args(words.split(' ')).output().unwrap();
    assert!(done.status.success(), "git {words}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

#[tokio::test]
async fn what_git_did_in_a_lane_is_undone() {
    let (source, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(source.path(), "app.py", "x = 1");
    git(source.path(), "init -q -b main .");
    git(source.path(), "add -A");
    git(source.path(), "commit -q -m told-to-nobody");
    let rules = CopyRules::plain();
    let opened =
        Lanes::open(source.path(), work.path(), rules, Tools::new(), 1, None, &Activity::default()).await;
    let (lanes, notes) = opened.unwrap();
    assert_eq!(notes, Vec::<String>::new());
    let lease = lanes.take().await.unwrap();
    let project = lease.lane().real_place().join("project");
    let state = || git(&project, "log --all --format=%H%s") + &git(&project, "status --porcelain");
    let before = state();
    // Behind the hash.
    insta::assert_snapshot!(&before[40..]);
    write(&project, "new.py", "");
    write(&project, ".git/hooks/post-checkout", "#!/bin/sh\n");
    git(&project, "add -A");
    git(&project, "commit -q -m by-a-test");
    git(&project, "tag by-a-test");
    lease.give_back();
    let lease = lanes.take().await.unwrap();
    assert_eq!(lease.lane().real_place().join("project"), project);
    assert_eq!(state(), before);
    assert!(!project.join(".git/hooks").exists() && !project.join("new.py").exists());
    assert_eq!(git(source.path(), "log --all --format=%s"), "told-to-nobody\n");
    drop(lease);
    lanes.close().await.unwrap();
}

#[test]
fn a_copy_holds_what_belongs_to_the_project() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = from.path();
    for path in [
        "a b/file.py",
        ".git/config",
        ".jj/repo/store",
        "vendor/.bzr/branch/location",
        ".patchwright/sessions/x",
        "pkg/__pycache__/x.pyc",
        ".venv/pyvenv.cfg",
        ".venv/lib/x.py",
        "envs/conda/conda-meta/history",
        "envs/conda/lib/x.py",
        "target/classes/A.class",
        "pom.xml",
        "build/A.class",
        "bin/tool.py",
        "bin/tool.pyc",
        "dist/readme.txt",
        "golden/fix.patch",
        "notes.secret",
        ".github/workflows/ci.yml",
    ] {
        write(root, path, path);
    }
    fs::set_permissions(root.join("a b/file.py"), fs::Permissions::from_mode(0o755)).unwrap();
    let hidden = ["golden/".to_owned(), "**/*.secret".to_owned()];
    let notes = copy(root, to.path(), &CopyRules::new(&hidden).unwrap());
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(
        listing(to.path()),
        [
            ".github/workflows/ci.yml",
            "a b/file.py",
            "bin/tool.py",
            "bin/tool.pyc",
            "dist/readme.txt",
            "pom.xml"
        ]
    );
    let of = |root: &Path| root.join("a b/file.py").metadata().unwrap();
    assert_eq!(of(to.path()).permissions().mode() & 0o777, 0o755);
    assert_eq!(of(to.path()).modified().unwrap(), of(root).modified().unwrap());
    let error = CopyRules::new(&["[".to_owned()]).unwrap_err();
    assert!(matches!(&error, LaneError::Pattern { glob, .. } if glob == "["), "{error}");
    let error = CopyRules::new(&["{".repeat(10 * DEEPEST_GLOB)]).unwrap_err();
    let deep = GlobTooLarge::Deep.to_string();
    assert!(matches!(&error, LaneError::Pattern { reason, .. } if *reason == deep), "{error}");
    let error = CopyRules::new(&["a".repeat(10 * LONGEST_GLOB)]).unwrap_err().to_string();
    assert!(error.len() < 400 && error.ends_with("it is longer than 4096 bytes"), "{error}");
    // Whatever is within the bounds can be compiled.
    for word in ["{a,b}", "?", "[!a-z]", "[é-ü]", "**/"] {
        CopyRules::new(&[word.repeat(LONGEST_GLOB / word.len())]).unwrap();
    }
}

#[test]
fn a_copy_inside_of_what_is_copied() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "a.txt", "one");
    write(root.path(), "runs/old.txt", "two");
    let to = root.path().join("runs/work/pristine");
    fs::create_dir_all(&to).unwrap();
    copy(root.path(), &to, &CopyRules::plain());
    assert_eq!(listing(&to), ["a.txt", "runs/old.txt"]);
}

#[test]
fn a_full_disk_is_told_plainly() {
    let source = std::io::ErrorKind::StorageFull.into();
    let error = LaneError::from(FolderError::Io { doing: "write", path: "/data/lane".into(), source });
    assert!(error.to_string().starts_with("no space left on the disk of /data/lane\nhint: "), "{error}");
}

#[test]
fn links_and_pipes() {
    let (from, to, other) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = from.path();
    write(other.path(), "secret", "s");
    write(root, "data/real.txt", "r");
    write(root, "golden/fix", "g");
    symlink("../data/real.txt", root.join("data/../data/inside.txt")).unwrap();
    symlink(root.join("data"), root.join("absolute")).unwrap();
    symlink(other.path(), root.join("outside")).unwrap();
    symlink("gone", root.join("dangling")).unwrap();
    symlink("golden/fix", root.join("hole")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(root.join("pipe")).status().unwrap();
    assert!(pipe.success());
    let notes = copy(root, to.path(), &CopyRules::new(&["golden".to_owned()]).unwrap());
    assert_eq!(
        notes,
        [
            "left out of the copies: `dangling` is a link that leads out of the project",
            "left out of the copies: `hole` is a link that leads out of the project",
            "left out of the copies: `outside` is a link that leads out of the project",
            "left out of the copies: `pipe` is neither a file nor a folder",
        ]
    );
    assert_eq!(fs::read_link(to.path().join("absolute")).unwrap(), Path::new("data"));
    assert_eq!(fs::read_to_string(to.path().join("data/inside.txt")).unwrap(), "r");
    for gone in ["outside", "dangling", "hole", "pipe"] {
        assert!(fs::symlink_metadata(to.path().join(gone)).is_err(), "{gone}");
    }
}

#[tokio::test]
async fn a_lane_is_reset_before_it_is_used_again() {
    let (source, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(source.path(), "a.txt", "one");
    write(source.path(), "data/b.txt", "two");
    symlink("a.txt", source.path().join("link")).unwrap();
    let tools = Tools::from([("runner.py".to_owned(), b"run".to_vec())]);
    let (lanes, _) =
        Lanes::open(source.path(), work.path(), CopyRules::plain(), tools, 1, None, &Activity::default())
            .await
            .unwrap();

    let taken = lanes.take().await.unwrap();
    let lane = taken.lane().clone();
    let project = lane.place().join("project");
    let time = project.join("a.txt").metadata().unwrap().modified().unwrap();
    // The same size and the same time: only the time of change tells.
    fs::write(project.join("a.txt"), "ONE").unwrap();
    fs::File::options().write(true).open(project.join("a.txt")).unwrap().set_modified(time).unwrap();
    fs::remove_dir_all(project.join("data")).unwrap();
    fs::write(project.join("data"), "a file where a folder was").unwrap();
    fs::remove_file(project.join("link")).unwrap();
    write(&project, "new/deep/c.txt", "new");
    fs::set_permissions(project.join("new/deep"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::write(lane.place().join("tools/runner.py"), "changed").unwrap();
    write(&lane.place().join("out"), "results.jsonl", "old");
    taken.give_back();

    let taken = lanes.take().await.unwrap();
    assert_eq!(taken.lane().place(), lane.place(), "the same lane");
    assert_eq!(fs::read_to_string(project.join("a.txt")).unwrap(), "one");
    assert_eq!(fs::read_to_string(project.join("data/b.txt")).unwrap(), "two");
    assert_eq!(fs::read_link(project.join("link")).unwrap(), Path::new("a.txt"));
    assert_eq!(listing(&project), ["a.txt", "data/b.txt"]);
    assert_eq!(fs::read_to_string(lane.place().join("tools/runner.py")).unwrap(), "run");
    assert_eq!(listing(&lane.place().join("out")), Vec::<String>::new());
    // A lane whose run broke off is not used again, nor one that must be new.
    drop(taken);
    let other = lanes.take().await.unwrap();
    assert_ne!(other.lane().place(), lane.place());
    other.give_back();
    let fresh = lanes.fresh().await.unwrap();
    let root = fresh.lane().place().to_owned();
    fresh.remove().await.unwrap();
    assert!(!root.exists());
    lanes.close().await.unwrap();
    assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0);
    assert_eq!(listing(source.path()), ["a.txt", "data/b.txt"]);
}

#[tokio::test]
async fn what_is_forgotten_is_removed() {
    let (source, parent) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(source.path(), "a.txt", "one");
    let work = parent.path().join("deep/work");
    let (lanes, _) =
        Lanes::open(source.path(), &work, CopyRules::plain(), Tools::new(), 2, None, &Activity::default())
            .await
            .unwrap();
    lanes.add_tools(Tools::from([("late/A.class".to_owned(), b"x".to_vec())]));
    let taken = lanes.take().await.unwrap();
    assert!(taken.lane().place().join("tools/late/A.class").is_file());
    drop((taken, lanes));
    assert!(!work.exists());
}

/// The states that a hostile program may make of a lane while nobody looks.
fn attack(lane: &Path, outside: &Path, which: usize) {
    let project = lane.join("project");
    match which {
        0 => {
            fs::rename(&project, lane.join("away")).unwrap();
            symlink(outside, &project).unwrap();
        }
        1 => {
            fs::remove_dir_all(project.join("data")).unwrap();
            symlink(outside, project.join("data")).unwrap();
        }
        2 => {
            for folder in ["out", "tools"] {
                fs::remove_dir_all(lane.join(folder)).unwrap();
                symlink(outside, lane.join(folder)).unwrap();
            }
        }
        3 => {
            fs::remove_dir_all(&project).unwrap();
            fs::write(&project, "a file").unwrap();
        }
        4 => {
            fs::remove_file(project.join("a.txt")).unwrap();
            symlink(outside.join("a.txt"), project.join("a.txt")).unwrap();
            symlink(outside, lane.join("more")).unwrap();
        }
        _ => {
            let mut deep = Folder::open(&project).unwrap();
            for _ in 0..3_000 {
                deep = deep.make("d").unwrap();
            }
        }
    }
}

#[tokio::test]
async fn whatever_is_made_of_a_lane_the_next_is_whole_and_nothing_outside_is_touched() {
    for which in 0..6 {
        let (source, top) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let outside = top.path().join("outside");
        for root in [source.path(), &outside] {
            write(root, "a.txt", "one");
            write(root, "data/b.txt", "two");
        }
        write(&outside, "precious", "kept");
        let work = top.path().join("work");
        let (lanes, _) = Lanes::open(
            source.path(),
            &work,
            CopyRules::plain(),
            Tools::new(),
            1,
            None,
            &Activity::default(),
        )
        .await
        .unwrap();
        let taken = lanes.take().await.unwrap();
        attack(taken.lane().place(), &outside, which);
        taken.give_back();
        let taken = lanes.take().await.unwrap();
        assert_eq!(listing(&taken.lane().place().join("project")), ["a.txt", "data/b.txt"], "{which}");
        assert!(!taken.lane().place().join("more").exists());
        // The command of a worker goes on to have the lane: what cannot be reset is told.
        attack(taken.lane().place(), &outside, which);
        let woken = lanes.wake(taken.rest(), lanes.permit().await.unwrap()).await.unwrap();
        let taken = match woken {
            Ok(taken) => taken,
            Err((resting, permit)) => lanes.hand_out(permit, Some(resting)).await.unwrap(),
        };
        assert_eq!(listing(&taken.lane().place().join("project")), ["a.txt", "data/b.txt"], "{which}");
        drop(taken);
        lanes.close().await.unwrap();
        assert!(!work.exists(), "{which}");
        assert_eq!(listing(&outside), ["a.txt", "data/b.txt", "precious"], "{which}");
    }
}

/// Moves folders and links of a lane about, so that they lead to `outside`, until it is `over`; tells how often it tried.
fn move_about(lane: &Mutex<PathBuf>, outside: &Path, over: &AtomicBool) -> usize {
    let mut tries = 0;
    while !over.load(Ordering::Relaxed) {
        let lane = lane.lock().unwrap().clone();
        let project = lane.join("project");
        // Any of these fails where the reset was quicker.
        let _ = match tries % 4 {
            0 => fs::rename(project.join("data"), lane.join("data"))
                .and_then(|()| symlink(outside, project.join("data"))),
            1 => fs::rename(&project, lane.join("away")).and_then(|()| symlink(outside, &project)),
            2 => fs::remove_file(&project).and_then(|()| fs::rename(lane.join("away"), &project)),
            _ => symlink(outside, project.join("new")),
        };
        tries += 1;
    }
    tries
}

#[tokio::test]
async fn nothing_outside_is_touched_while_somebody_moves_things_about() {
    const RESETS: usize = 1_000;
    let (source, top) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let outside = top.path().join("outside");
    for root in [source.path(), &outside] {
        write(root, "a.txt", "one");
        write(root, "data/b.txt", "two");
    }
    let work = top.path().join("work");
    let (lanes, _) =
        Lanes::open(source.path(), &work, CopyRules::plain(), Tools::new(), 1, None, &Activity::default())
            .await
            .unwrap();
    let mut taken = lanes.take().await.unwrap();
    let place = Arc::new(Mutex::new(taken.lane().place().to_owned()));
    let over = Arc::new(AtomicBool::new(false));
    let mover = thread::spawn({
        let (place, outside, over) = (Arc::clone(&place), outside.clone(), Arc::clone(&over));
        move || move_about(&place, &outside, &over)
    });
    for _ in 0..RESETS {
        taken.give_back();
        taken = loop {
            match lanes.take().await {
                Ok(taken) => break taken,
                // What somebody changes all the time may not be made anew at once.
                Err(error) => assert!(error.is_of_the_lane(), "{error}"),
            }
        };
        taken.lane().place().clone_into(&mut place.lock().unwrap());
    }
    over.store(true, Ordering::Relaxed);
    assert!(mover.join().unwrap() > RESETS);
    drop(taken);
    lanes.close().await.unwrap();
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 2);
    assert_eq!(fs::read_to_string(outside.join("a.txt")).unwrap(), "one");
    assert_eq!(fs::read_to_string(outside.join("data/b.txt")).unwrap(), "two");
}
