#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;

use super::*;

const FILES: [(&str, &str); 3] = [
    ("a.py", "class A:\n    def f(self):\n        return 1\n"),
    ("b.py", "def g(:\n"),
    ("C.java", "class C {\n    int x;\n}\n"),
];

/// The declarations of a file.
fn told(index: &Index, path: &str) -> Vec<String> {
    index.elements(path).iter().map(|element| element.qualified.clone()).collect()
}

#[test]
fn texts_beyond_the_bound_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in FILES {
        fs::write(folder.path().join(path), text).unwrap();
    }
    let index = |bound: u64| build::build(Project::open(folder.path()).unwrap(), bound).unwrap();
    // In the order of their paths: the Java file, then `a.py`.
    let bound = (FILES[2].1.len() + FILES[0].1.len()) as u64;
    let (all, some, none) = (index(HELD_BYTES), index(bound), index(0));
    let held = |index: &Index| -> Vec<bool> {
        index.files().map(|file| matches!(file.source().unwrap(), std::borrow::Cow::Borrowed(_))).collect()
    };
    assert_eq!([held(&all), held(&some), held(&none)], [[true; 3], [true, true, false], [false; 3]]);
    for (path, _) in FILES {
        assert_eq!(told(&all, path), told(&none, path));
    }
    fs::write(folder.path().join("C.java"), "class D { }\n").unwrap();
    fs::remove_file(folder.path().join("a.py")).unwrap();
    let parsed_before = told(&none, "C.java");
    assert_eq!(parsed_before, ["C", "C.x"], "parsed once");
    assert_eq!(told(&some, "C.java"), ["C", "C.x"], "held");
    let unparsed = index(0);
    fs::remove_file(folder.path().join("C.java")).unwrap();
    assert_eq!(told(&unparsed, "C.java"), [""; 0], "gone");
    assert!(unparsed.file("C.java").unwrap().source().is_none());
}

#[test]
fn files_are_parsed_when_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in FILES {
        fs::write(folder.path().join(path), text).unwrap();
    }
    let index = Index::build(folder.path()).unwrap();
    let parsed = || -> Vec<&str> {
        let files = index.files().filter(|file| file.parsed.get().is_some());
        files.map(|file| file.path.as_str()).collect()
    };
    assert_eq!(parsed(), [""; 0]);
    assert_eq!(index.elements("C.java").len(), 2);
    assert_eq!(parsed(), ["C.java"]);
    index.parse(["b.py", "nowhere.py", "C.java", "b.py"]);
    assert_eq!(parsed(), ["C.java", "b.py"]);
}
