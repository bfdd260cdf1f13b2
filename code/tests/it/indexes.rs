//! Building an index of good and bad trees, with and without its cache.

use std::fs;
use std::path::{Path, PathBuf};

use patchwright_code::{Element, ElementKind, Index, IndexOptions, ProjectError, SkeletonStyle};
use tempfile::TempDir;

use crate::write;

const MODULE: &str = "import os\n\nclass A:\n    def f(self):\n        return 1\n";

fn tree(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        write(folder.path(), path, bytes);
    }
    folder
}

fn plain(root: &Path) -> Index {
    Index::build(root, &IndexOptions::default()).unwrap()
}

fn with_cache(root: &Path, cache: &Path) -> Index {
    Index::build(root, &IndexOptions { cache: Some(cache.to_path_buf()) }).unwrap()
}

fn names(index: &Index, path: &str) -> Vec<String> {
    index.elements(path).iter().map(|element| element.qualified.clone()).collect()
}

/// Everything an index says of its files.
fn all(index: &Index) -> Vec<(String, u32, Vec<Element>, String)> {
    let one = |file: &patchwright_code::IndexedFile| {
        (
            file.path.to_string(),
            file.lines,
            file.elements().to_vec(),
            file.skeleton().render(SkeletonStyle::default()),
        )
    };
    index.files().map(one).collect()
}

/// Puts the time of a file's last change so far back that nobody doubts it.
fn age(path: &Path) {
    let file = fs::File::options().write(true).open(path).unwrap();
    let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
    file.set_modified(hour_ago).unwrap();
}

#[test]
fn files_elements_and_skeletons_are_there() {
    let folder = tree(&[
        ("pkg/a.py", MODULE.as_bytes()),
        ("tests/test_a.py", b"def test_a():\n    pass\n"),
        ("src/B.java", b"class B { int x; }\n"),
        ("README.md", b"# Read me\n"),
    ]);
    let index = plain(folder.path());
    let files: Vec<(&str, &str, u32, bool)> =
        index.files().map(|file| (file.path.as_str(), file.language.name(), file.lines, file.test)).collect();
    assert_eq!(
        files,
        [
            ("pkg/a.py", "python", 5, false),
            ("src/B.java", "java", 1, false),
            ("tests/test_a.py", "python", 2, true)
        ]
    );
    assert_eq!(index.all_files().len(), 4);
    assert_eq!(names(&index, "pkg/a.py"), ["A", "A.f"]);
    assert_eq!(names(&index, "nowhere.py"), [""; 0]);
    let kinds: Vec<(ElementKind, &str)> =
        index.elements("src/B.java").iter().map(|element| (element.kind, element.name())).collect();
    assert_eq!(kinds, [(ElementKind::Class, "B"), (ElementKind::Variable, "x")]);
    let skeleton = index.skeleton("pkg/a.py").unwrap().render(SkeletonStyle::default());
    assert_eq!(skeleton, "1|import os\n3|class A:\n4|    def f(self):\n5|        ...\n");
    assert!(index.skeleton("README.md").is_none());
    assert_eq!(index.problems(), []);
}

#[test]
fn bad_files_and_folders_cost_nothing_but_themselves() {
    let deep = format!("x = {}1{}\n", "(".repeat(20_000), ")".repeat(20_000));
    let data: Vec<String> = (0..400_000).map(|number| format!("    {number:09},\n")).collect();
    let data = data.concat();
    let folder = tree(&[
        ("good.py", MODULE.as_bytes()),
        ("latin.py", b"# caf\xe9\ndef f():\n    return '\xff'\n"),
        ("binary.py", b"def f():\0\n"),
        ("broken.py", b"def f(:\n  $$ x = (1,\n\nclass B:\n    def g(self):\n        return 1\n"),
        ("two.py", b"class A:\n    def f(self):\n        print 'x'\n        raise E, 'y'\n    def g(self, (a, b)):\n        exec a\n"),
        ("deep.py", deep.as_bytes()),
        ("huge.py", format!("TABLE = [\n{data}]\n\ndef after():\n    return 1\n").as_bytes()),
        ("empty.py", b""),
        ("crlf.py", b"def f():\r\n    return 1\r\n"),
        ("New.java", b"sealed interface S permits A {}\nrecord A(int x) implements S {\n    A {\n        check(x);\n    }\n}\n"),
    ]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path(), folder.path().join("circle")).unwrap();
        std::os::unix::fs::symlink("nowhere.py", folder.path().join("broken_link.py")).unwrap();
        std::os::unix::fs::symlink("good.py", folder.path().join("link.py")).unwrap();
    }
    let index = plain(folder.path());
    assert_eq!(index.files().len(), 9);
    let problems: Vec<&str> = index.problems().iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(problems, ["binary.py"]);
    assert!(index.problems()[0].message.contains("binary"));
    assert_eq!(names(&index, "latin.py"), ["f"]);
    assert_eq!(names(&index, "two.py"), ["A", "A.f", "A.g"]);
    assert_eq!(names(&index, "huge.py"), ["TABLE", "after"]);
    assert!(names(&index, "broken.py").contains(&"B.g".to_owned()));
    assert_eq!(names(&index, "New.java"), ["S", "A", "A.x", "A.A"]);
    assert_eq!(index.file("huge.py").unwrap().lines, 400_005);
    assert!(index.skeleton("huge.py").unwrap().lines().count() < 40);
}

#[test]
fn a_folder_without_files_has_an_empty_index_and_no_folder_has_none() {
    let folder = tree(&[]);
    let index = plain(folder.path());
    assert_eq!((index.files().len(), index.all_files().len()), (0, 0));
    assert_eq!(index.tree(&patchwright_code::TreeOptions::default()), "");
    let missing = Index::build(&folder.path().join("nowhere"), &IndexOptions::default());
    assert!(matches!(missing, Err(ProjectError::Missing { .. })), "{missing:?}");
}

#[test]
fn the_second_index_parses_what_was_changed() {
    let cache = tempfile::tempdir().unwrap();
    let folder =
        tree(&[("a.py", MODULE.as_bytes()), ("b.py", b"def b():\n    pass\n"), ("c.py", b"c = 1\n")]);
    let root = folder.path();
    for name in ["a.py", "b.py", "c.py"] {
        age(&root.join(name));
    }
    let first = with_cache(root, cache.path());
    assert_eq!(first.parsed(), 3);
    let second = with_cache(root, cache.path());
    assert_eq!((second.parsed(), all(&second)), (0, all(&first)));

    write(root, "b.py", b"def other():\n    pass\n");
    fs::remove_file(root.join("c.py")).unwrap();
    write(root, "d.py", b"d = 1\n");
    let third = with_cache(root, cache.path());
    assert_eq!(third.parsed(), 2);
    assert_eq!(all(&third), all(&plain(root)));
    assert_eq!(names(&third, "b.py"), ["other"]);

    // The same content under another name, and in another folder, is known.
    fs::rename(root.join("a.py"), root.join("e.py")).unwrap();
    assert_eq!(with_cache(root, cache.path()).parsed(), 0);
    let copy = tree(&[("x/a.py", MODULE.as_bytes())]);
    assert_eq!(with_cache(copy.path(), cache.path()).parsed(), 0);
}

#[test]
fn a_change_that_keeps_size_and_time_is_seen_where_it_may_have_been_made() {
    let cache = tempfile::tempdir().unwrap();
    let folder = tree(&[("a.py", b"def one():\n    pass\n")]);
    let path = folder.path().join("a.py");
    let modified = path.metadata().unwrap().modified().unwrap();
    assert_eq!(names(&with_cache(folder.path(), cache.path()), "a.py"), ["one"]);
    fs::write(&path, b"def two():\n    pass\n").unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    assert_eq!(names(&with_cache(folder.path(), cache.path()), "a.py"), ["two"]);
}

#[test]
fn the_same_text_in_two_languages_is_two_things() {
    let cache = tempfile::tempdir().unwrap();
    let folder = tree(&[("a.py", b"class A: pass\n")]);
    with_cache(folder.path(), cache.path());
    let other = tree(&[("a.java", b"class A: pass\n")]);
    assert_eq!(with_cache(other.path(), cache.path()).parsed(), 1);
}

#[test]
fn a_damaged_cache_is_made_anew() {
    let folder = tree(&[("a.py", MODULE.as_bytes()), ("b.py", b"def b():\n    pass\n")]);
    for name in ["a.py", "b.py"] {
        age(&folder.path().join(name));
    }
    let expect = all(&plain(folder.path()));
    let kept = |cache: &Path| -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    };
    let fresh = tempfile::tempdir().unwrap();
    with_cache(folder.path(), fresh.path());
    let whole: Vec<(PathBuf, Vec<u8>)> =
        kept(fresh.path()).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    assert_eq!(whole.len(), 2, "no temporary file is left");
    for (path, bytes) in &whole {
        let mut damages: Vec<Vec<u8>> = vec![Vec::new(), bytes[..bytes.len() / 2].to_vec(), vec![0xff; 100]];
        for place in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x20;
            damages.push(damaged);
        }
        for damaged in damages {
            fs::write(path, &damaged).unwrap();
            assert_eq!(all(&with_cache(folder.path(), fresh.path())), expect);
        }
        fs::write(path, bytes).unwrap();
    }
    assert_eq!(with_cache(folder.path(), fresh.path()).parsed(), 0);
    // A cache that cannot be a folder is done without.
    let file = folder.path().join("a.py");
    assert_eq!(all(&with_cache(folder.path(), &file)), expect);
}

#[test]
fn an_update_reads_what_it_is_told() {
    let folder = tree(&[("a.py", MODULE.as_bytes()), ("pkg/b.py", b"b = 1\n"), ("pkg/c.py", b"c = 1\n")]);
    let root = folder.path();
    let mut index = plain(root);
    let changed = |index: &mut Index, paths: &[&str]| -> Vec<String> {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        index.update(&paths).iter().map(ToString::to_string).collect()
    };
    assert_eq!(changed(&mut index, &["a.py"]), [""; 0]);
    write(root, "a.py", b"def new():\n    pass\n");
    write(root, "pkg/d.py", b"d = 1\n");
    write(root, "notes.txt", b"x\n");
    let absolute = index.project().root().join("pkg/d.py");
    assert_eq!(
        changed(&mut index, &["./a.py", absolute.to_str().unwrap(), "notes.txt"]),
        ["a.py", "pkg/d.py", "notes.txt"]
    );
    assert_eq!(index.parsed(), 2);
    assert_eq!((all(&index), index.all_files()), (all(&plain(root)), plain(root).all_files()));
    write(root, "a.py", b"\0");
    assert_eq!(changed(&mut index, &["a.py"]), ["a.py"]);
    assert_eq!((index.problems().len(), index.file("a.py").is_none()), (1, true));
    write(root, "a.py", b"a = 1\n");
    fs::remove_dir_all(root.join("pkg")).unwrap();
    assert_eq!(
        changed(&mut index, &["a.py", "pkg", "../outside.py"]),
        ["a.py", "pkg/b.py", "pkg/c.py", "pkg/d.py"]
    );
    assert_eq!((all(&index), index.all_files()), (all(&plain(root)), plain(root).all_files()));
    assert_eq!(index.problems(), []);
}
