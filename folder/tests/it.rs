//! A capability to a folder, against a model and against a hostile neighbour.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use patchwright_folder::{EntryKind, Folder, FolderEntry, FolderError, WalkBounds};
use proptest::prelude::*;

const MOST: u64 = 1_000;

fn go_on() -> impl Fn() -> bool {
    || false
}

fn listing(folder: &Folder) -> Vec<(String, EntryKind)> {
    let mut found = Vec::new();
    let mut look = |_: &Folder, path: &Path, entry: &FolderEntry| {
        found.push((path.display().to_string(), entry.kind));
        Ok(true)
    };
    folder.walk(WalkBounds::PROJECT, &go_on(), &mut look).unwrap();
    found
}

#[test]
fn nothing_leads_out() {
    let top = tempfile::tempdir().unwrap();
    let (root, outside) = (top.path().join("in"), top.path().join("out"));
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("secret"), "secret").unwrap();
    symlink(&outside, root.join("a/link")).unwrap();
    symlink(outside.join("secret"), root.join("a/file")).unwrap();
    symlink("b", root.join("a/near")).unwrap();
    let folder = Folder::open(&root).unwrap();
    let paths = ["../out/secret", "/etc/hostname", "a/../../out/secret", "a/link/secret", "a/file"];
    for path in paths {
        let errors =
            [folder.read(path, MOST).map(drop), folder.file(path).map(drop), folder.below(path).map(drop)];
        assert!(errors.iter().all(Result::is_err), "{path}: {errors:?}");
    }
    for path in &paths[..4] {
        let errors = [
            folder.write(path, b"changed"),
            folder.create(path).map(drop),
            folder.make(path).map(drop),
            folder.entry(path).map(drop),
            folder.target(path).map(drop),
            folder.set_mode(path, 0o777),
            folder.link(Path::new("x"), path),
            folder.remove(path, &go_on()),
        ];
        assert!(errors.iter().all(Result::is_err), "{path}: {errors:?}");
    }
    assert!(folder.set_mode("a/file", 0o777).is_err());
    // Also a link to something inside is none to go through.
    assert!(folder.below("a/near").is_err());
    // A new file stands where the link stood.
    folder.write("a/file", b"own").unwrap();
    assert_eq!(folder.read("a/file", MOST).unwrap(), b"own");
    folder.remove("a", &go_on()).unwrap();
    assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "secret");
    assert_eq!(fs::metadata(outside.join("secret")).unwrap().permissions().mode() & 0o777, 0o644);
    assert_eq!(listing(&folder), []);
}

#[test]
fn only_regular_files_of_a_bearable_size_are_read() {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::open(root.path()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(root.path().join("pipe")).status().unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(root.path().join("socket")).unwrap();
    fs::create_dir(root.path().join("folder")).unwrap();
    symlink("/dev/zero", root.path().join("zero")).unwrap();
    let began = Instant::now();
    for name in ["pipe", "socket", "folder", "zero"] {
        assert!(matches!(folder.read(name, MOST), Err(FolderError::NotRegular(_))), "{name}");
    }
    assert!(began.elapsed() < Duration::from_secs(5));
    let sparse = fs::File::create(root.path().join("sparse")).unwrap();
    sparse.set_len(15 << 30).unwrap();
    assert!(
        matches!(folder.read("sparse", MOST), Err(FolderError::TooLarge { bytes, .. }) if bytes == 15 << 30)
    );
    fs::write(root.path().join("full"), [7; 1_000]).unwrap();
    assert_eq!(folder.read("full", MOST).unwrap(), [7; 1_000]);
    assert!(folder.read("full", MOST - 1).is_err());
    assert!(folder.read("none", MOST).unwrap_err().is_not_found());
}

#[test]
fn what_is_written_is_seen_by_no_other_name() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("one"), "old").unwrap();
    fs::hard_link(root.path().join("one"), root.path().join("other")).unwrap();
    let folder = Folder::open(root.path()).unwrap();
    folder.write("one", b"new").unwrap();
    folder.write("deep/er/file", b"x").unwrap();
    assert_eq!(folder.read("other", MOST).unwrap(), b"old");
    let (file, inner) = (EntryKind::File, EntryKind::Folder);
    let expect =
        [("deep", inner), ("deep/er", inner), ("deep/er/file", file), ("one", file), ("other", file)];
    assert_eq!(listing(&folder), expect.map(|(name, kind)| (name.to_owned(), kind)));
    assert!(matches!(folder.list(2), Err(FolderError::TooMany { most: 2, .. })));
}

#[test]
fn walks_and_removals_have_bounds() {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::open(root.path()).unwrap();
    let mut inner = folder.make("top").unwrap();
    for _ in 0..3_000 {
        inner = inner.make("d").unwrap();
    }
    inner.write("file", b"x").unwrap();
    inner.set_mode("", 0o000).unwrap();
    let mut count = 0;
    let mut look = |_: &Folder, _: &Path, _: &FolderEntry| {
        count += 1;
        Ok(true)
    };
    let found = folder.walk(WalkBounds { depth: 40, entries: 100 }, &go_on(), &mut look);
    assert!(matches!(found, Err(FolderError::TooDeep { most: 40, .. })), "{found:?}");
    assert_eq!(count, 41);
    assert!(matches!(folder.remove("top", &|| true), Err(FolderError::Cancelled)));
    folder.remove("top", &go_on()).unwrap();
    folder.remove("top", &go_on()).unwrap();
    assert_eq!(listing(&folder), []);
    for number in 0..50 {
        folder.write(format!("{number}"), b"").unwrap();
    }
    let found = folder.walk(
        WalkBounds { depth: 1, entries: 49 },
        &go_on(),
        &mut |_: &Folder, _: &Path, _: &FolderEntry| Ok(true),
    );
    assert!(matches!(found, Err(FolderError::TooMany { .. })), "{found:?}");
}

/// Somebody moves folders and links about while we read, write and remove: nothing outside is ever touched.
#[test]
fn a_race_is_never_won() {
    let top = tempfile::tempdir().unwrap();
    let (root, outside) = (top.path().join("in"), top.path().join("out"));
    fs::create_dir_all(outside.join("inner")).unwrap();
    fs::write(outside.join("inner/file"), "canary").unwrap();
    fs::create_dir_all(root.join("a/inner")).unwrap();
    fs::write(root.join("a/inner/file"), "own").unwrap();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let _ = fs::rename(root.join("a"), root.join("b"));
                let _ = symlink(&outside, root.join("a"));
                let _ = fs::remove_file(root.join("a"));
                let _ = fs::rename(root.join("b"), root.join("a"));
                let _ = fs::create_dir_all(root.join("a/inner"));
                let _ = fs::write(root.join("a/inner/file"), "own");
            }
        });
        let folder = Folder::open(&root).unwrap();
        for number in 0..2_000 {
            if let Ok(bytes) = folder.read("a/inner/file", MOST) {
                assert_ne!(bytes, b"canary");
            }
            let _ = folder.write("a/inner/file", b"changed");
            let _ = folder.set_mode("a/inner", 0o755);
            if number % 3 == 0 {
                let _ = folder.remove("a", &go_on());
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_to_string(outside.join("inner/file")).unwrap(), "canary");
    assert_eq!(fs::read_dir(outside.join("inner")).unwrap().count(), 1);
}

#[derive(Clone, Debug)]
enum Deed {
    Write(usize, Vec<u8>),
    Make(usize),
    Link(usize),
    Remove(usize),
    Read(usize),
}

/// Paths that stand in each other's way.
const PATHS: [&str; 6] = ["a", "a/b", "a/b/c", "a/d", "e", "e/b"];

#[derive(Clone, Debug, PartialEq)]
enum Thing {
    File(Vec<u8>),
    Folder,
    Link,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let path = 0..PATHS.len();
    let deed = prop_oneof![
        (path.clone(), proptest::collection::vec(any::<u8>(), 0..4))
            .prop_map(|(path, bytes)| Deed::Write(path, bytes)),
        path.clone().prop_map(Deed::Make),
        path.clone().prop_map(Deed::Link),
        path.clone().prop_map(Deed::Remove),
        path.prop_map(Deed::Read),
    ];
    proptest::collection::vec(deed, 1..40)
}

/// What a folder would hold, by path.
#[derive(Default)]
struct Model(BTreeMap<PathBuf, Thing>);

impl Model {
    fn are_folders(&self, path: &Path) -> bool {
        let mut above = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        above.all(|above| self.0.get(above) == Some(&Thing::Folder))
    }

    fn make(&mut self, path: &Path) -> bool {
        let mut all: Vec<&Path> = path.ancestors().filter(|part| !part.as_os_str().is_empty()).collect();
        all.reverse();
        all.into_iter().all(|part| *self.0.entry(part.to_owned()).or_insert(Thing::Folder) == Thing::Folder)
    }

    fn write(&mut self, path: &Path, bytes: &[u8]) -> bool {
        let above = path.parent().unwrap();
        let is_free =
            (above.as_os_str().is_empty() || self.make(above)) && self.0.get(path) != Some(&Thing::Folder);
        if is_free {
            self.0.insert(path.to_owned(), Thing::File(bytes.to_vec()));
        }
        is_free
    }

    fn link(&mut self, path: &Path) -> bool {
        let is_free = self.are_folders(path) && !self.0.contains_key(path);
        if is_free {
            self.0.insert(path.to_owned(), Thing::Link);
        }
        is_free
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        match self.0.get(path) {
            Some(Thing::File(bytes)) => Some(bytes.clone()),
            Some(Thing::Folder | Thing::Link) | None => None,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_folder_does_what_a_model_does(deeds in deeds()) {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let mut model = Model::default();
        for deed in deeds {
            match deed {
                Deed::Write(path, bytes) => {
                    let path = Path::new(PATHS[path]);
                    prop_assert_eq!(folder.write(path, &bytes).is_ok(), model.write(path, &bytes));
                }
                Deed::Make(path) => {
                    let path = Path::new(PATHS[path]);
                    prop_assert_eq!(folder.make(path).is_ok(), model.make(path));
                }
                Deed::Link(path) => {
                    let path = Path::new(PATHS[path]);
                    prop_assert_eq!(folder.link(Path::new("/etc"), path).is_ok(), model.link(path));
                }
                Deed::Remove(path) => {
                    // Only names in the folder itself are removed.
                    let path = Path::new(PATHS[path]);
                    let name = path.components().next().unwrap();
                    folder.remove(name.as_os_str(), &go_on()).unwrap();
                    model.0.retain(|path, _| path.components().next() != Some(name));
                }
                Deed::Read(path) => {
                    let path = Path::new(PATHS[path]);
                    prop_assert_eq!(folder.read(path, MOST).ok(), model.read(path));
                }
            }
        }
        let expect: Vec<(String, EntryKind)> = model.0.iter().map(|(path, thing)| {
            let kind = match thing {
                Thing::File(_) => EntryKind::File,
                Thing::Folder => EntryKind::Folder,
                Thing::Link => EntryKind::Link,
            };
            (path.display().to_string(), kind)
        }).collect();
        prop_assert_eq!(listing(&folder), expect);
    }
}
