//! Repositories made by git, and what a stranger may make of them.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use patchwright_folder::Folder;

use super::files::NearestTag;
use super::id::ObjectId;
use super::object_kind::ObjectKind;
use super::objects::Objects;
use super::*;

const NEVER: &dyn Fn() -> bool = &|| false;

/// Runs git without anybody's settings.
#[track_caller]
fn git(folder: &Path, words: &str) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(words.split(' '));
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Ann").env(format!("GIT_{role}_EMAIL"), "ann@example.org");
    }
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_ALLOW_PROTOCOL", "file").env("HOME", "/nonexistent");
    let done = command.output().unwrap();
    assert!(done.status.success(), "git {words}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn write(path: PathBuf, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A folder with the repository `shop`, which has one commit with one file.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("shop");
    write(root.join("src/cart.py"), "total = 0\n");
    git(&root, "init -q -b main .");
    commit(&root, "first");
    (folder, root)
}

fn commit(root: &Path, message: &str) {
    git(root, "add -A");
    git(root, &format!("commit -q --allow-empty -m {message}"));
}

fn opened(root: &Path) -> ProjectRepository<'static> {
    ProjectRepository::around(root, Path::new("src/cart.py"), NEVER).unwrap().unwrap()
}

/// The message of the commit that is checked out, as far as the project may know it.
fn message(root: &Path) -> Result<String, RepositoryError> {
    let repository = ProjectRepository::around(root, Path::new("src/cart.py"), NEVER)?;
    let Some(repository) = repository else { return Ok("no repository".to_owned()) };
    let Some(id) = repository.head()?.commit else { return Ok("no commit".to_owned()) };
    Ok(repository.commit(id)?.message.trim().to_owned())
}

#[test]
fn every_object_is_read_as_git_wrote_it() {
    let (_folder, root) = place();
    let mut text = String::new();
    for number in 0..40 {
        text.push_str(&format!("line {number} of a file that grows\n").repeat(20));
        write(root.join("src/cart.py"), &text);
        commit(&root, "grow");
    }
    git(&root, "tag -a v1 -m one");
    git(&root, "repack -q -a -d --depth=30");
    write(root.join("a/b/c.txt"), vec![7; 100_000]);
    commit(&root, "loose");
    let objects = Objects::open(Folder::open(&root.join(".git/objects")).unwrap()).unwrap();
    let listed = git(&root, "cat-file --batch-all-objects --batch-check");
    assert!(listed.lines().count() > 120, "{listed}");
    for line in listed.lines() {
        let mut words = line.split(' ');
        let id = ObjectId::from_hex(words.next().unwrap().as_bytes()).unwrap();
        let (kind, bytes) = objects.object(id, NEVER).unwrap();
        assert_eq!((kind.word(), ObjectId::of(kind.word(), &bytes)), (words.next().unwrap(), id));
    }
    assert!(matches!(objects.object(ObjectId([7; 20]), NEVER), Err(RepositoryError::Missing)));
    let id = ObjectId::from_hex(git(&root, "rev-parse HEAD~3").trim().as_bytes()).unwrap();
    assert!(matches!(objects.object(id, &|| true), Err(RepositoryError::Folder(FolderError::Cancelled))));
}

#[test]
fn tracked_files_are_those_that_git_lists() {
    let (_folder, root) = place();
    write(root.join("README"), "");
    write(root.join("tools/run"), "#!/bin/sh\n");
    write(root.join("a file\twith a name/ü"), "x");
    symlink("README", root.join("LINK")).unwrap();
    write(root.join(".gitignore"), "*.log\n");
    write(root.join("x.log"), "");
    commit(&root, "more");
    write(root.join("new.py"), "");
    let check = |root: &Path| {
        let expect = git(root, "ls-files -z");
        let expect: Vec<&str> = expect.split_terminator('\0').collect();
        let mut found: Vec<String> = opened(root)
            .tracked()
            .unwrap()
            .into_iter()
            .map(|file| file.path.to_str().unwrap().to_owned())
            .collect();
        found.sort();
        assert_eq!(found, expect);
    };
    check(&root);
    git(&root, "update-index --index-version 4");
    check(&root);
    git(&root, "add -N new.py");
    check(&root);
    git(&root, "update-index --index-version 3");
    check(&root);
    git(&root, "add -A");
    commit(&root, "all");
    // Kept in two files, or damaged: then the commit tells.
    git(&root, "update-index --split-index");
    check(&root);
    for bytes in [
        b"DIRC".as_slice(),
        b"DIRC\0\0\0\x02\xff\xff\xff\xff",
        b"DIRC\0\0\0\x04\0\0\0\x01aaaaaaaaaaaaaaaaaaaaaaaa",
    ] {
        let (_folder, root) = place();
        write(root.join(".git/index"), bytes);
        assert_eq!(opened(&root).tracked().unwrap().len(), 1);
    }
}

#[test]
fn what_is_checked_out_and_its_nearest_tag() {
    let (_folder, root) = place();
    let head = || opened(&root).head().unwrap();
    let tag =
        || opened(&root).nearest_tag().unwrap().map(|NearestTag { name, is_annotated }| (name, is_annotated));
    assert_eq!(head().branch.as_deref(), Some("main"));
    assert_eq!(tag(), None);
    git(&root, "tag v1.0");
    commit(&root, "two");
    git(&root, "tag -a nightly -m n");
    commit(&root, "three");
    assert_eq!(tag(), Some(("v1.0".to_owned(), false)));
    git(&root, "tag -a v1.1 -m n HEAD~1");
    git(&root, "checkout -q -b fix/total");
    for _ in 0..2 {
        assert_eq!(tag(), Some(("v1.1".to_owned(), true)));
        let commit = ObjectId::from_hex(git(&root, "rev-parse HEAD").trim().as_bytes());
        assert_eq!(head(), Head { branch: Some("fix/total".to_owned()), commit });
        git(&root, "pack-refs --all");
    }
    git(&root, "checkout -q --detach");
    assert_eq!(head().branch, None);
    git(&root, "checkout -q --orphan empty");
    assert_eq!(head(), Head { branch: Some("empty".to_owned()), commit: None });
}

#[test]
fn repositories_that_belong_to_the_project_are_opened() {
    let (folder, root) = place();
    let beside = |name: &str| folder.path().canonicalize().unwrap().join(name);
    let check = |root: &Path, expect: &str| assert_eq!(message(root).unwrap(), expect, "{root:?}");
    check(&root, "first");
    git(&root, "worktree add -q ../tree");
    commit(&beside("tree"), "in-a-worktree");
    check(&beside("tree"), "in-a-worktree");
    git(&root, "worktree add -q trees/inner");
    check(&root.join("trees/inner"), "first");
    // Shallow, packed, a folder of a larger one.
    git(folder.path(), &format!("clone -q --depth 1 file://{} shallow", root.display()));
    check(&beside("shallow"), "first");
    git(&root, "gc -q");
    check(&root, "first");
    write(root.join("part/src/cart.py"), "");
    check(&root.join("part"), "first");
    // Submodules, from outside and from inside.
    write(beside("outer/src/cart.py"), "");
    git(&beside("outer"), "init -q -b main .");
    let add = format!("-c protocol.file.allow=always submodule --quiet add {} sub", root.display());
    git(&beside("outer"), &add);
    commit(&beside("outer"), "outer");
    check(&beside("outer/sub"), "first");
    let inner =
        ProjectRepository::around(&beside("outer"), Path::new("sub/src/cart.py"), NEVER).unwrap().unwrap();
    assert_eq!(inner.top(), beside("outer/sub"));
    check(&beside("outer"), "outer");
    write(beside("src/cart.py"), "");
    check(&beside(""), "no repository");
}

#[test]
fn repositories_elsewhere_are_not_opened() {
    let check = |expect: &str, attack: &dyn Fn(&Path, &Path)| {
        // That of somebody else, and the project.
        let (_others, other) = place();
        let (folder, root) = place();
        let secret = "told-to-nobody";
        commit(&other, secret);
        attack(&root, &other);
        let found = message(&root);
        assert!(!matches!(&found, Ok(text) if text == secret), "{expect}");
        let refused = found.unwrap_err().to_string();
        assert!(refused.contains(expect), "{refused:?} instead of {expect:?}");
        drop(folder);
    };
    let instead = |root: &Path| fs::remove_dir_all(root.join(".git")).unwrap();
    check("is a link", &|root, other| {
        instead(root);
        symlink(other.join(".git"), root.join(".git")).unwrap();
    });
    let elsewhere = "does not name this folder back";
    check(elsewhere, &|root, other| {
        instead(root);
        write(root.join(".git"), format!("gitdir: {}\n", other.join(".git").display()));
    });
    check(elsewhere, &|root, other| {
        let up = "../".repeat(root.components().count());
        instead(root);
        write(root.join(".git"), format!("gitdir: {up}{}\n", other.join(".git").display()));
    });
    // A worktree of the other one, which lists another folder.
    check(elsewhere, &|root, other| {
        instead(root);
        git(other, "worktree add -q ../tree");
        fs::copy(other.join("../tree/.git"), root.join(".git")).unwrap();
    });
    // A folder that poses as a worktree of the other one.
    check(elsewhere, &|root, other| {
        let own = root.parent().unwrap().join("poser/.git/worktrees/shop");
        fs::remove_dir_all(root.join(".git")).unwrap();
        write(root.join(".git"), format!("gitdir: {}\n", own.display()));
        write(own.join("gitdir"), format!("{}\n", root.join(".git").display()));
        write(own.join("HEAD"), "ref: refs/heads/main\n");
        write(own.join("commondir"), format!("{}\n", other.join(".git").display()));
    });
    check(elsewhere, &|root, other| {
        write(root.join(".git/commondir"), format!("{}\n", other.join(".git").display()));
    });
    check("the objects of another repository", &|root, other| {
        write(
            root.join(".git/objects/info/alternates"),
            format!("{}\n", other.join(".git/objects").display()),
        );
    });
    for part in ["objects", "refs", "refs/heads", "refs/heads/main", "HEAD"] {
        let expect = if part.ends_with("HEAD") || part.ends_with("main") {
            "no regular file"
        } else {
            "through a link"
        };
        check(expect, &|root, other| {
            fs::rename(root.join(".git").join(part), root.join("moved")).unwrap();
            symlink(other.join(".git").join(part), root.join(".git").join(part)).unwrap();
        });
    }
    check("no regular file", &|root, other| {
        fs::remove_file(root.join(".git/refs/heads/main")).unwrap();
        symlink(other.join(".git/packed-refs"), root.join(".git/packed-refs")).unwrap();
    });
    check("damaged", &|root, _| write(root.join(".git/HEAD"), "ref: ../../other/.git/refs/heads/main\n"));
    check("reftable", &|root, _| fs::create_dir(root.join(".git/reftable")).unwrap());
    check("SHA-256", &|root, _| write(root.join(".git/HEAD"), "1".repeat(64)));
    check("Defects4J", &|root, _| write(root.join(".defects4j.config"), ""));
}

#[test]
fn configurations_are_not_read() {
    let (_folder, root) = place();
    let (_others, other) = place();
    commit(&other, "told-to-nobody");
    let configuration = format!("[core]\nworktree = {0}\n[include]\npath = /dev/zero\n", other.display());
    write(root.join(".git/config"), configuration);
    write(root.join(".git/info/grafts"), "x");
    assert_eq!(message(&root).unwrap(), "first");
}

#[test]
fn pipes_and_endless_files_are_refused_at_once() {
    let names = [
        ".git",
        ".git/HEAD",
        ".git/commondir",
        ".git/objects/info/alternates",
        ".git/objects/pack/pack-1.pack",
        ".git/packed-refs",
        ".git/refs/heads/main",
        ".git/index",
    ];
    for name in names {
        for kind in ["pipe", "zeros"] {
            let (_folder, root) = place();
            write(root.join(".git/objects/pack/pack-1.idx"), vec![0; 2_000]);
            let at = root.join(name);
            if at.is_dir() {
                fs::remove_dir_all(&at).unwrap();
            } else {
                let _ = fs::remove_file(&at);
            }
            if name == ".git/packed-refs" {
                fs::remove_file(root.join(".git/refs/heads/main")).unwrap();
            }
            if !name.contains("/pack/") && name != ".git" {
                fs::remove_file(root.join(".git/objects/pack/pack-1.idx")).unwrap();
            }
            match kind {
                "pipe" => assert!(Command::new("mkfifo").arg(&at).status().unwrap().success()),
                // Sparse: a terabyte, which takes no room.
                _ => fs::File::create(&at).unwrap().set_len(1 << 40).unwrap(),
            }
            let tracked = |repository: Option<ProjectRepository<'_>>| {
                repository.unwrap().tracked().map(|_| String::new())
            };
            let found = match name {
                ".git/index" => ProjectRepository::around(&root, Path::new("a"), NEVER).and_then(tracked),
                _ => message(&root),
            };
            assert!(found.is_err(), "{name}, {kind}: {found:?}");
        }
    }
}

/// A pack of these entries, each a head with what follows it, under names that begin with their numbers.
fn pack(root: &Path, entries: &[Vec<u8>]) -> Objects {
    let folder = root.join(".git/objects/pack");
    let mut bytes = b"PACK\0\0\0\x02\0\0\0\0".to_vec();
    let mut offsets = Vec::new();
    for entry in entries {
        offsets.push(u32::try_from(bytes.len()).unwrap());
        bytes.extend(entry);
    }
    let count = u32::try_from(entries.len()).unwrap();
    let mut index = super::pack::INDEX_HEAD.to_vec();
    index.extend((0..256_u32).flat_map(|first| (first + 1).min(count).to_be_bytes()));
    index.extend((0..count).flat_map(|number| [number as u8; 20]));
    index.extend((0..count).flat_map(|_| [0; 4]));
    index.extend(offsets.iter().flat_map(|offset| offset.to_be_bytes()));
    fs::remove_dir_all(&folder).unwrap();
    write(folder.join("pack-1.pack"), bytes);
    write(folder.join("pack-1.idx"), index);
    Objects::open(Folder::open(&root.join(".git/objects")).unwrap()).unwrap()
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A head of an entry: its kind and its size.
fn head(kind: u8, mut size: usize) -> Vec<u8> {
    let mut bytes = vec![kind << 4 | (size & 15) as u8];
    size >>= 4;
    while size > 0 {
        *bytes.last_mut().unwrap() |= 0x80;
        bytes.push((size & 0x7f) as u8);
        size >>= 7;
    }
    bytes
}

#[test]
fn objects_that_never_end_are_refused() {
    let (_folder, root) = place();
    let zeros = deflated(&vec![0; 64 << 20]);
    let small = [8, 8, 0x90, 8];
    let change = [small.len() as u8];
    let of = |id: u8| [head(7, small.len()), vec![id; 20], deflated(&small)].concat();
    let objects = pack(
        &root,
        &[
            [head(3, 8), deflated(b"12345678")].concat(),
            // A change of itself; two of one another.
            of(1),
            of(3),
            of(2),
            // More than is read, said so or not.
            [head(3, 64 << 20), zeros.clone()].concat(),
            [head(3, 100), zeros.clone()].concat(),
            // A change of what is too large; of a place before the beginning.
            of(4),
            [head(6, 4), vec![0xff, 0xff, 0x7f], deflated(&small)].concat(),
            // A change that is right, of one that is not there, and no kind at all.
            of(0),
            of(200),
            [head(5, 4), deflated(&change)].concat(),
        ],
    );
    let read = |id: u8| objects.object(ObjectId([id; 20]), NEVER).map(|(kind, bytes)| (kind, bytes.len()));
    assert_eq!(read(0).unwrap(), (ObjectKind::Blob, 8));
    assert_eq!(read(8).unwrap(), (ObjectKind::Blob, 8));
    for id in [4, 6] {
        assert!(matches!(read(id), Err(RepositoryError::TooLarge(_))), "{id}");
    }
    for id in [1, 2, 3, 5, 7, 9, 10] {
        assert!(matches!(read(id), Err(RepositoryError::Damaged)), "{id}");
    }
    let loose = |size: &str, body: &[u8]| {
        let bytes = deflated(&[format!("blob {size}\0").as_bytes(), body].concat());
        write(root.join(".git/objects/aa").join("aa".repeat(19)), bytes);
        read(0xaa)
    };
    assert_eq!(loose("3", b"abc").unwrap(), (ObjectKind::Blob, 3));
    assert!(matches!(loose("67108864", &vec![0; 64 << 20]), Err(RepositoryError::TooLarge(_))));
    assert!(matches!(loose("3", &vec![0; 64 << 20]), Err(RepositoryError::Damaged)));
    assert!(matches!(loose(&"9".repeat(99), b""), Err(RepositoryError::Damaged)));
}

/// The repository that lanes get of the project at `root`, in a copy of it.
fn planted(root: &Path) -> (tempfile::TempDir, Option<String>) {
    let (copy, _, note) = planted_in(root);
    (copy, note)
}

fn planted_in(root: &Path) -> (tempfile::TempDir, Option<PlantedRepository>, Option<String>) {
    let copy = tempfile::tempdir().unwrap();
    let (from, to) = (Folder::open(root).unwrap(), Folder::open(copy.path()).unwrap());
    let rules = crate::CopyRules::new(&["hidden.py".to_owned()]).unwrap();
    crate::lane::copy_project(&from, &to, &rules, NEVER, None).unwrap();
    let (planted, note) = plant(root, &to, NEVER).unwrap();
    (copy, planted, note)
}

#[test]
fn a_lane_has_a_repository_of_its_own() {
    let (folder, root) = place();
    for name in ["a/b.py", "a.py", "a-b.py", "hidden.py", "long/".repeat(40).as_str()] {
        write(root.join(name.trim_end_matches('/')), "x = 1\n".repeat(100));
    }
    write(root.join("run"), "#!/bin/sh\n");
    fs::set_permissions(root.join("run"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    symlink("a.py", root.join("link")).unwrap();
    write(root.join(".gitignore"), "*.log\n");
    commit(&root, "second");
    git(&root, "tag -a v1.2 -m told-to-nobody");
    git(&root, "remote add origin https://example.org/told-to-nobody");
    git(&root, "config user.name told-to-nobody");
    write(root.join("x.log"), "");
    write(root.join("a.py"), "x = 2\n");
    let (copy, note) = planted(&root);
    assert_eq!(note, None);
    let git_in = |words: &str| git(copy.path(), words);
    git_in("fsck --strict --no-dangling");
    let ours = git(&root, "ls-files").replace("hidden.py\n", "");
    assert_eq!(git_in("ls-files"), ours);
    assert_eq!(git_in("status --porcelain"), "");
    assert_eq!(git_in("diff-index HEAD"), "", "times are known without a look at the files");
    assert_eq!(git_in("describe --dirty"), "v1.2\n");
    assert_eq!(git_in("rev-parse --abbrev-ref HEAD"), "main\n");
    assert_eq!(git_in("log --format=%s%d"), "The project as it was given (HEAD -> main, tag: v1.2)\n");
    assert_eq!(git_in("show HEAD:a.py"), "x = 2\n");
    assert_eq!(git_in("remote"), "");
    assert_eq!(git_in("rev-list --count --all"), "1\n");
    assert_eq!(git_in("ls-files -s run link").matches("100755").count(), 1);
    for entry in walkdir(&copy.path().join(".git")) {
        let bytes = fs::read(&entry).unwrap();
        assert!(!bytes.windows(14).any(|part| part == b"told-to-nobody"), "{entry:?}");
    }
    write(copy.path().join("a.py"), "x = 3\n");
    assert_eq!(git_in("status --porcelain"), " M a.py\n");
    // Each session makes the same.
    let (other, _) = planted(&root);
    assert_eq!(git(other.path(), "rev-parse HEAD v1.2"), git_in("rev-parse HEAD v1.2"));
    drop(folder);
}

#[test]
fn a_change_is_in_the_commit_of_its_lane() {
    let (_folder, root) = place();
    for name in ["a.py", "b/c.py", "b/d.py", "e/f.py", "run"] {
        write(root.join(name), name);
    }
    write(root.join(".gitignore"), "*.log\n");
    commit(&root, "second");
    git(&root, "tag -a v1.2 -m told-to-nobody");
    write(root.join("note.txt"), "");
    let (copy, planted, _) = planted_in(&root);
    let at = copy.path();
    let lane = Folder::open(at).unwrap();
    let before = git(at, "rev-parse HEAD");
    // Changed, new (beside a folder of like name, and ignored), a file in place of a folder, a folder in place of a file, and gone.
    write(at.join("a.py"), "changed");
    write(at.join("b.py"), "");
    write(at.join("b/new/g.py"), "");
    write(at.join("x.log"), "");
    fs::remove_dir_all(at.join("e")).unwrap();
    write(at.join("e"), "");
    fs::remove_file(at.join("run")).unwrap();
    write(at.join("run/it.py"), "");
    fs::remove_file(at.join("b/d.py")).unwrap();
    let changed = ["a.py", "b.py", "b/new/g.py", "x.log", "e/f.py", "e", "run", "run/it.py", "b/d.py"];
    planted.unwrap().commit(&lane, &changed.map(PathBuf::from), NEVER).unwrap();
    git(at, "fsck --strict --no-dangling");
    assert_eq!(git(at, "status --porcelain"), "?? note.txt\n");
    assert_eq!(git(at, "describe --dirty"), "v1.2\n");
    assert_eq!(git(at, "rev-list --count --all"), "1\n");
    assert_ne!(git(at, "rev-parse HEAD"), before);
    let listed = git(at, "ls-files");
    assert_eq!(listed, git(at, "ls-tree -r --name-only HEAD"));
    let wanted = [".gitignore", "a.py", "b.py", "b/c.py", "b/new/g.py", "e", "run/it.py", "x.log"];
    assert!(wanted.iter().all(|name| listed.lines().any(|line| line == *name)), "{listed}");
    assert!(!["b/d.py", "e/f.py", "run"].iter().any(|name| listed.lines().any(|line| line == *name)));
    assert_eq!(git(at, "show HEAD:a.py"), "changed");
}

/// The files below a folder.
fn walkdir(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walkdir(&path) } else { vec![path] }).collect()
}

#[test]
fn lanes_of_worktrees_and_parts_and_without_repositories() {
    let (folder, root) = place();
    write(root.join("part/src/cart.py"), "");
    write(root.join("part/x.py"), "");
    commit(&root, "parts");
    git(&root, "checkout -q --detach");
    git(&root, "worktree add -q ../tree -b side");
    let (copy, _) = planted(&root.join("../tree").canonicalize().unwrap());
    assert_eq!(git(copy.path(), "rev-parse --abbrev-ref HEAD"), "side\n");
    git(copy.path(), "commit -q --allow-empty -m told");
    assert!(!git(&root, "log --all --format=%s").contains("told"));
    let (copy, _) = planted(&root);
    assert_eq!(git(copy.path(), "rev-parse --abbrev-ref HEAD"), "HEAD\n");
    let (copy, _) = planted(&root.join("part"));
    assert_eq!(git(copy.path(), "ls-files"), "src/cart.py\nx.py\n");
    // What is in no repository, or in one that does not know of it, has none.
    write(root.join("untracked/x.py"), "");
    for place in [root.join("untracked"), tempfile::tempdir().unwrap().keep()] {
        let (copy, note) = planted(&place);
        assert_eq!((copy.path().join(".git").exists(), note), (false, None));
        if !place.starts_with(&root) {
            fs::remove_dir_all(place).unwrap();
        }
    }
    // A way to the user's repository is no project's file, at any depth and however it is spelled.
    fs::remove_dir_all(root.join(".git")).unwrap();
    for name in [".git", "sub/.git", "sub/.GIT", "a/b/.Git", "c/git~1"] {
        write(root.join(name), "gitdir: /nowhere\n");
    }
    symlink("/nowhere", root.join("part/.git")).unwrap();
    let (copy, note) = planted(&root);
    insta::assert_snapshot!(note.unwrap());
    let left = walkdir(copy.path());
    assert!(!left.is_empty() && left.iter().all(|path| !path.ends_with(".git")), "{left:?}");
    assert_eq!(left.iter().filter(|path| path.to_str().unwrap().to_lowercase().contains("git")).count(), 0);
    drop(folder);
}
