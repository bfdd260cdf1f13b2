use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use patchwright_syntax::{Encoding, PathError, Project, ProjectError, ProjectPath, ProjectReadError};

use crate::{project, write};

const FILES: &[(&str, &str)] = &[
    ("pom.xml", "<project/>"),
    ("src/main/java/org/x/Foo.java", "class Foo {}"),
    ("src/main/java/org/x/BarFoo.java", "class BarFoo {}"),
    ("src/main/java/org/x/build/Task.java", "class Task {}"),
    ("src/main/java/org/y/Task.java", "class Task {}"),
    ("src/test/java/org/x/FooTest.java", "class FooTest {}"),
    ("module a/lib/with space.py", "x = 1"),
    ("pkg/__init__.py", ""),
    ("pkg/mod.py", ""),
    ("pkg/sub/__init__.py", ""),
    ("pkg/tokenizer_v1.py", ""),
    ("README.md", "hi"),
];

#[test]
fn files_are_listed_sorted_without_output_and_ignored_ones() {
    let (folder, project) = project(FILES);
    let root = folder.path();
    write(root, ".gitignore", b"*.log\n/secret/\n");
    for hidden in [
        "a.log",
        "secret/a.py",
        "target/classes/Foo.java",
        ".git/config",
        ".patchwright/x.py",
        ".venv/a.py",
        "env/pyvenv.cfg",
        "env/lib/a.py",
        "pkg/__pycache__/mod.py",
        "node_modules/a/b.py",
    ] {
        write(root, hidden, b"x");
    }
    symlink(root.join("README.md"), root.join("LINK.md")).unwrap();
    let mut expect: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
    expect.sort_unstable();
    let found: Vec<String> = project.files().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(found, expect);
}

#[test]
fn files_are_found_as_people_name_them() {
    let (_folder, project) = project(FILES);
    let absolute = project.root().join("pkg/mod.py").to_str().unwrap().to_owned();
    let foo = "src/main/java/org/x/Foo.java";
    let check = |asked: &str, expect: &str, noted: bool| {
        let found = project.resolve(asked).unwrap_or_else(|error| panic!("{asked}: {error}"));
        assert_eq!((found.path.as_str(), found.note.is_some()), (expect, noted), "{asked}: {:?}", found.note);
    };
    // exact
    check(foo, foo, false);
    check("./pkg/mod.py", "pkg/mod.py", false);
    check("pkg/../pkg/./mod.py", "pkg/mod.py", false);
    check(&absolute, "pkg/mod.py", false);
    check(" `module a/lib/with space.py`\n", "module a/lib/with space.py", false);
    // dotted names
    check("org.x.Foo", foo, true);
    check("org.x.Foo$Inner", foo, true);
    check("org.x.Foo.Inner", foo, true);
    check("org.x.Foo.java", foo, true);
    check("org.x.Foo::method", foo, true);
    check("Foo", foo, true);
    check("pkg.mod", "pkg/mod.py", true);
    check("pkg.mod.Class", "pkg/mod.py", true);
    check("pkg.sub", "pkg/sub/__init__.py", true);
    check("org.y.Task", "src/main/java/org/y/Task.java", true);
    // the end of a path, by whole parts
    check("Foo.java", foo, true);
    check("x/Foo.java", foo, true);
    check("y/Task.java", "src/main/java/org/y/Task.java", true);
    check("x\\Foo.java", foo, true);
    check("lib/with space.py", "module a/lib/with space.py", true);
    check("foo.java", foo, true);
    // with folders that are not there
    check("project/pkg/mod.py", "pkg/mod.py", true);
    check("src/org/x/BarFoo.java", "src/main/java/org/x/BarFoo.java", true);
    // with a place in the file behind
    check("src/main/java/org/x/Foo.java:12", foo, true);
    check("x/Foo.java:12:3", foo, true);
    check("pkg/mod.py#L7", "pkg/mod.py", true);
    check("pkg/mod.py::TestA::test_a", "pkg/mod.py", true);
    // misspelt
    check("pkg/tokeniser_v1.py", "pkg/tokenizer_v1.py", true);
    check("BarFooo.java", "src/main/java/org/x/BarFoo.java", true);
    check("REDME.md", "README.md", true);
}

#[test]
fn what_cannot_be_one_file_is_refused_with_a_reason() {
    let (folder, project) = project(FILES);
    write(folder.path(), ".git/config", b"x");
    let check = |asked: &str, expect: &str| {
        let error = project.resolve(asked).map(|found| panic!("{asked} is {found:?}")).unwrap_err();
        assert_eq!(error.to_string(), expect, "{asked}");
    };
    let outside = |asked: &str| {
        format!(
            "`{asked}` is outside of the project; give a path relative to the project's root, without `..`"
        )
    };
    check("", "no file was named; give a path relative to the project's root");
    check("  ", "no file was named; give a path relative to the project's root");
    check("../etc/passwd", &outside("../etc/passwd"));
    check("pkg/../../mod.py", &outside("pkg/../../mod.py"));
    check("/etc/passwd", &outside("/etc/passwd"));
    check("/nowhere/at/all.py", &outside("/nowhere/at/all.py"));
    check(".git/config", "`.git/config` is not part of the project's source");
    check(
        "pkg",
        "`pkg` is a folder, not a file; files in it: pkg/__init__.py, pkg/mod.py, pkg/sub/__init__.py, pkg/tokenizer_v1.py",
    );
    check(
        "Task.java",
        "`Task.java` could be any of 2 files; give more of the path: src/main/java/org/x/build/Task.java, \
         src/main/java/org/y/Task.java",
    );
    check(
        "Task",
        "`Task` could be any of 2 files; give more of the path: src/main/java/org/x/build/Task.java, \
         src/main/java/org/y/Task.java",
    );
    // Another number is another file, not a misspelling.
    check(
        "pkg/tokenizer_v2.py",
        "there is no file `pkg/tokenizer_v2.py` in the project; the nearest names are: pkg/tokenizer_v1.py, pkg/__init__.py",
    );
    check("quite_different.rs", "there is no file `quite_different.rs` in the project");
}

#[test]
fn links_are_followed_inside_and_refused_outside() {
    let (folder, project) = project(&[("a/real.py", "x = 1\n")]);
    let other = tempfile::tempdir().unwrap();
    write(other.path(), "secret.py", b"key = 1\n");
    let root = folder.path();
    symlink(other.path().join("secret.py"), root.join("file.py")).unwrap();
    symlink(other.path(), root.join("folder")).unwrap();
    symlink(root.join("a/real.py"), root.join("inside.py")).unwrap();
    symlink(root.join("nothing"), root.join("broken.py")).unwrap();
    for asked in ["file.py", "folder/secret.py"] {
        assert!(matches!(project.resolve(asked), Err(PathError::Outside { .. })), "{asked}");
        let read = project.read(&ProjectPath::new(asked).unwrap());
        assert!(matches!(read, Err(ProjectReadError::Outside { .. })), "{asked}");
    }
    let inside = project.resolve("inside.py").unwrap();
    assert_eq!(
        (inside.path.as_str(), inside.note.as_deref()),
        ("a/real.py", Some("`inside.py` is a link to `a/real.py`"))
    );
    assert!(matches!(project.resolve("broken.py"), Err(PathError::NotFound { .. })));

    // A project that is itself reached through a link: both ways to write a path are inside.
    let link = other.path().join("project");
    symlink(root, &link).unwrap();
    let linked = Project::open(&link).unwrap();
    assert_eq!(linked.resolve(link.join("a/real.py").to_str().unwrap()).unwrap().path.as_str(), "a/real.py");
}

#[test]
fn files_are_read_as_they_are_now() {
    let (folder, project) = project(&[("a.py", "x = 1\n")]);
    let path = ProjectPath::new("a.py").unwrap();
    assert_eq!(project.read(&path).unwrap().text(), "x = 1\n");
    write(folder.path(), "a.py", b"# caf\xe9\r\n");
    let source = project.read(&path).unwrap();
    assert_eq!((source.encoding(), source.lines()), (Encoding::Latin1, vec!["# caf\u{e9}"]));
    assert_eq!(source.bytes(), b"# caf\xe9\r\n");

    let check = |path: &str, expect: &str| {
        let error = project.read(&ProjectPath::new(path).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), expect);
    };
    write(folder.path(), "a.class", b"\xca\xfe\xba\xbe\0\0");
    check("a.class", "`a.class` is a binary file");
    fs::File::create(folder.path().join("huge.py")).unwrap().set_len(9 * 1024 * 1024).unwrap();
    check("huge.py", "`huge.py` has 9437184 bytes; files above 8388608 bytes are not read");
    fs::create_dir(folder.path().join("folder")).unwrap();
    check("folder", "`folder` is not a regular file");
    let _pipe = std::os::unix::net::UnixListener::bind(folder.path().join("pipe")).unwrap();
    check("pipe", "`pipe` is not a regular file");
    let gone = project.read(&ProjectPath::new("gone.py").unwrap()).unwrap_err();
    assert!(matches!(gone, ProjectReadError::Io { .. }), "{gone}");
}

#[test]
fn only_a_folder_is_a_project() {
    let (folder, _) = project(&[("a.py", "")]);
    let open = |path: &Path| Project::open(path).map(|_| ()).unwrap_err();
    assert!(matches!(open(&folder.path().join("none")), ProjectError::Missing { .. }));
    assert!(matches!(open(&folder.path().join("a.py")), ProjectError::NotAFolder { .. }));
}

#[test]
fn a_project_path_stays_inside_by_its_spelling() {
    let check = |text: &str, expect: Option<&str>| {
        assert_eq!(ProjectPath::new(text).ok().as_ref().map(ProjectPath::as_str), expect, "{text}");
    };
    check("a/b.py", Some("a/b.py"));
    check("./a//b.py", Some("a/b.py"));
    check("a/../b.py", Some("b.py"));
    check("../b.py", None);
    check("a/../../b.py", None);
    check("/b.py", None);
    check("", None);
    check(".", None);
    let path = ProjectPath::new("a.b/c.d.py").unwrap();
    assert_eq!((path.file_name(), path.folder(), path.without_extension()), ("c.d.py", "a.b", "a.b/c.d"));
    let path = ProjectPath::new(".hidden").unwrap();
    assert_eq!((path.file_name(), path.folder(), path.without_extension()), (".hidden", "", ".hidden"));
}

#[test]
fn a_path_is_that_of_the_file_itself() {
    let folder = tempfile::tempdir().unwrap();
    for path in ["shop/cart.py", "tests/test_cart.py"] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x = 1\n").unwrap();
    }
    let link = |to: &str, at: &str| symlink(to, folder.path().join(at)).unwrap();
    link("../shop", "tests/link");
    link("../shop/cart.py", "tests/test_link.py");
    link("/", "tests/out");
    let project = Project::open(folder.path()).unwrap();
    let check = |path: &str, expect: Result<&str, &str>| match (project.itself(path), expect) {
        (Ok(place), Ok(expect)) => assert_eq!(place.as_str(), expect),
        (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{error}"),
        (found, expect) => panic!("{path}: {found:?}, not {expect:?}"),
    };
    check("./tests/test_cart.py", Ok("tests/test_cart.py"));
    check("tests/new/test_a.py", Ok("tests/new/test_a.py"));
    check("tests/../shop/cart.py", Ok("shop/cart.py"));
    check("tests/link/cart.py", Err("the file itself is `shop/cart.py`"));
    check("tests/link/test_new.py", Err("the file itself is `shop/test_new.py`"));
    check("tests/test_link.py", Err("the file itself is `shop/cart.py`"));
    check("tests/out/test_a.py", Err("outside of the project"));
    check(&"a".repeat(256), Err("at most 255"));
}
