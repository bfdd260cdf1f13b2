//! Copies keep what a build needs, and lanes come back to what they were.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::{CopyRules, Lanes, Manifest, Tools, copy_project};

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn listing(root: &Path) -> Vec<String> {
    Manifest::of(root).unwrap().files().collect()
}

#[test]
fn a_copy_holds_what_belongs_to_the_project() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = from.path();
    for path in [
        "a b/file.py",
        ".git/config",
        ".patchwright/sessions/x",
        "pkg/__pycache__/x.pyc",
        ".venv/pyvenv.cfg",
        ".venv/lib/x.py",
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
    let notes =
        copy_project(root, to.path(), &CopyRules::new(&hidden).unwrap(), &AtomicBool::new(false)).unwrap();
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
    assert!(CopyRules::new(&["[".to_owned()]).unwrap_err().to_string().contains("is not valid"));
}

#[test]
fn a_copy_inside_of_what_is_copied() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "a.txt", "one");
    write(root.path(), "runs/old.txt", "two");
    let to = root.path().join("runs/work/pristine");
    copy_project(root.path(), &to, &CopyRules::plain(), &AtomicBool::new(false)).unwrap();
    assert_eq!(listing(&to), ["a.txt", "runs/old.txt"]);
}

#[test]
fn a_full_disk_is_told_plainly() {
    let error = super::failed("write", Path::new("/data/lane"))(std::io::ErrorKind::StorageFull.into());
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
    let notes = copy_project(
        root,
        to.path(),
        &CopyRules::new(&["golden".to_owned()]).unwrap(),
        &AtomicBool::new(false),
    )
    .unwrap();
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
    let (lanes, _) = Lanes::open(source.path(), work.path(), CopyRules::plain(), tools, 1).await.unwrap();

    let taken = lanes.take().await.unwrap();
    let lane = taken.lane().clone();
    let project = lane.project();
    let time = project.join("a.txt").metadata().unwrap().modified().unwrap();
    // The same size and the same time: only the time of change tells.
    fs::write(project.join("a.txt"), "ONE").unwrap();
    fs::File::options().write(true).open(project.join("a.txt")).unwrap().set_modified(time).unwrap();
    fs::remove_dir_all(project.join("data")).unwrap();
    fs::write(project.join("data"), "a file where a folder was").unwrap();
    fs::remove_file(project.join("link")).unwrap();
    write(&project, "new/deep/c.txt", "new");
    fs::set_permissions(project.join("new/deep"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::write(lane.tools().join("runner.py"), "changed").unwrap();
    write(&lane.out(), "results.jsonl", "old");
    taken.give_back();

    let taken = lanes.take().await.unwrap();
    assert_eq!(taken.lane().root(), lane.root(), "the same lane");
    assert_eq!(fs::read_to_string(project.join("a.txt")).unwrap(), "one");
    assert_eq!(fs::read_to_string(project.join("data/b.txt")).unwrap(), "two");
    assert_eq!(fs::read_link(project.join("link")).unwrap(), Path::new("a.txt"));
    assert_eq!(listing(&project), ["a.txt", "data/b.txt"]);
    assert_eq!(fs::read_to_string(lane.tools().join("runner.py")).unwrap(), "run");
    assert_eq!(listing(&lane.out()), Vec::<String>::new());
    // A lane whose run broke off is not used again, nor one that must be new.
    drop(taken);
    let other = lanes.take().await.unwrap();
    assert_ne!(other.lane().root(), lane.root());
    other.give_back();
    let fresh = lanes.fresh().await.unwrap();
    let root = fresh.lane().root().to_owned();
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
    let (lanes, _) = Lanes::open(source.path(), &work, CopyRules::plain(), Tools::new(), 2).await.unwrap();
    lanes.add_tools(Tools::from([("late/A.class".to_owned(), b"x".to_vec())]));
    let taken = lanes.take().await.unwrap();
    assert!(taken.lane().tools().join("late/A.class").is_file());
    drop((taken, lanes));
    assert!(!work.exists());
}
