//! Building an index of good and bad trees.

use std::path::Path;

use patchwright_index::{ElementKind, Index};
use patchwright_syntax::ProjectError;
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
    Index::build(root).unwrap()
}

fn names(index: &Index, path: &str) -> Vec<String> {
    index.elements(path).iter().map(|element| element.qualified.clone()).collect()
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
    assert_eq!(names(&index, "pkg/a.py"), ["A", "A.f"]);
    assert_eq!(names(&index, "nowhere.py"), [""; 0]);
    let kinds: Vec<(ElementKind, &str)> =
        index.elements("src/B.java").iter().map(|element| (element.kind, element.name())).collect();
    assert_eq!(kinds, [(ElementKind::Class, "B"), (ElementKind::Variable, "x")]);
    let skeleton = index.skeleton("pkg/a.py").unwrap().render();
    assert_eq!(skeleton, "1|import os\n3|class A:\n4|    def f(self):\n5|        ...\n");
    assert!(index.skeleton("README.md").is_none());
    assert_eq!(index.problems(), []);
}

#[test]
fn bad_files_and_folders_cost_nothing_but_themselves() {
    let deep = format!("x = {}1{}\n", "(\n".repeat(20_000), ")\n".repeat(20_000));
    let data: Vec<String> = (0..400_000).map(|number| format!("    {number:09},\n")).collect();
    let data = data.concat();
    let folder = tree(&[
        ("good.py", MODULE.as_bytes()),
        ("latin.py", b"# caf\xe9\ndef f():\n    return '\xff'\n"),
        ("binary.py", b"def f():\0\n"),
        ("rates.py", format!("RATES = {{{}}}\n", "'a': 1, ".repeat(4_000)).as_bytes()),
        ("least.min.js", "function f(){return 1};".repeat(400).as_bytes()),
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
    assert_eq!(index.files().len(), 10);
    let problems: Vec<&str> = index.problems().iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(problems, ["binary.py", "least.min.js"]);
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
    assert_eq!(index.files().len(), 0);
    assert_eq!(index.tree(&patchwright_index::TreeOptions::default()), "");
    let missing = Index::build(&folder.path().join("nowhere"));
    assert!(matches!(missing, Err(ProjectError::Missing { .. })), "{missing:?}");
}
