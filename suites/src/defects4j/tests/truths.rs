//! The ground truth.

use super::*;

#[test]
fn active_bugs_are_cases_with_their_fix_and_its_lines() {
    let checkout = Checkout::new("Widget", "widget.git", 3);
    let home = checkout.folder.path().to_owned();
    for dir in [home.clone(), home.join("framework/projects"), home.join("framework/projects/Widget")] {
        let suite = Defects4j::load(&dir, Defects4jOptions::default()).unwrap();
        assert!(suite.is_withdrawn("Widget-9") && !suite.is_withdrawn("Widget-3"));
        let [case] = suite.cases() else { panic!("{:?}", suite.cases()) };
        assert_eq!((case.id.as_str(), case.project.as_str()), ("Widget-3", "Widget"));
        let patch = case.truth.patch.as_deref().unwrap();
        let (old, new) = ("a/src/java/widget/Gauge.java", "b/src/java/widget/Gauge.java");
        assert!(patch.starts_with(&format!("diff --git {old} {new}\nindex 2..1 100644\n")), "{patch}");
        assert!(patch.contains(&format!("\n--- {old}\n+++ {new}\n")), "{patch}");
        assert!(patch.contains("-        return raw - 1;\n+        return raw + 1;\n"), "{patch}");
        assert_eq!(case.truth.lines, ["src/java/widget/Gauge.java#6"]);
        assert!(case.truth.alternatives.is_empty());
    }
}

#[tokio::test]
async fn one_project_is_loaded_by_its_folder_alone() {
    let checkout = Checkout::new("Widget", "widget.git", 3);
    write(&checkout.folder.path().join("framework/projects/Other/active-bugs.csv"), b"nothing");
    let suite = Defects4j::load(&checkout.project, Defects4jOptions::default()).unwrap();
    assert_eq!((suite.cases().len(), suite.warnings().len()), (1, 0), "{:?}", suite.warnings());
    // The repositories of the checkout are found from there.
    let out = tempfile::tempdir().unwrap();
    suite.prepare(&suite.cases()[0], out.path()).await.unwrap();
    // A project whose list cannot be read leaves the others alone.
    let suite = checkout.load().unwrap();
    let [warning] = suite.warnings() else { panic!("{:?}", suite.warnings()) };
    assert!(warning.contains("Other/active-bugs.csv") && warning.contains("left out"), "{warning}");
}

#[test]
fn bugs_that_cannot_be_used_are_left_out_and_told() {
    let checkout = Checkout::new("Widget", "widget.git", 3);
    let revision = &checkout.revision;
    let line = |number: u32| format!("{number},0,{revision},W-7,http://example.org\r\n");
    let lines: String = [3, 4, 5, 6].map(line).concat();
    checkout.put(
        "active-bugs.csv",
        format!(
            "bug.id,revision.id.buggy,revision.id.fixed,report.id,report.url\r\n{lines}7,0,elsewhere,x,y\r\n"
        ),
    );
    checkout.put("dir-layout.csv", format!("\u{feff}{revision},src/java,src/test\r\n"));
    checkout.put("patches/5.src.patch", b"--- a/A.java\n+++ b/A.java\n@@ -1,9 +1 @@\n-x\n");
    checkout.put("patches/6.src.patch", SOURCE_PATCH);
    checkout.put("patches/7.src.patch", SOURCE_PATCH);
    let lists = tempfile::tempdir().unwrap();
    write(&lists.path().join("Widget-6.buggy.lines"), b"widget/Gauge.java\n");
    let options =
        Defects4jOptions { buggy_lines: Some(lists.path().to_owned()), ..Defects4jOptions::default() };
    let suite = Defects4j::load(checkout.folder.path(), options).unwrap();
    assert_eq!(suite.cases().iter().map(|case| case.id.as_str()).collect::<Vec<_>>(), ["Widget-3"]);
    let expect = ["4.src.patch", "5.src.patch", "Widget-6.buggy.lines", "dir-layout.csv: Widget-7"];
    assert_eq!(suite.warnings().len(), expect.len(), "{:?}", suite.warnings());
    for (warning, part) in suite.warnings().iter().zip(expect) {
        assert!(warning.contains(part) && warning.contains("left out"), "{part}: {warning}");
    }
}

#[test]
fn names_in_patches_lead_into_the_prepared_project() {
    let row = Row {
        project: "Time".to_owned(),
        number: 1,
        fixed: "r".to_owned(),
        layout: Some(("src/java".to_owned(), "src/test".to_owned())),
        folder: PathBuf::new(),
    };
    let check = |name: &str, expect: &str| assert_eq!(place(&row, name), expect);
    check("a/src/java/A.java", "src/java/A.java");
    check("b/Old/src/java/A.java", "src/java/A.java");
    check("src/java/A.java", "src/java/A.java");
    check("a/other/A.java", "other/A.java");
}

#[test]
fn lists_of_buggy_lines_come_first() {
    let checkout = Checkout::new("Widget", "widget.git", 3);
    let lists = tempfile::tempdir().unwrap();
    write(
        &lists.path().join("Widget-3.buggy.lines"),
        b"widget/Gauge.java#6#  return \"#\"; // \xca\nwidget/Gauge.java#7#FAULT_OF_OMISSION\n",
    );
    let load = || {
        let options =
            Defects4jOptions { buggy_lines: Some(lists.path().to_owned()), ..Defects4jOptions::default() };
        Defects4j::load(checkout.folder.path(), options)
    };
    let truth = load().unwrap().cases()[0].truth.clone();
    assert_eq!(truth.lines, ["widget/Gauge.java#6", "widget/Gauge.java#7#FAULT_OF_OMISSION"]);
    assert!(truth.alternatives.is_empty());
    let candidates = lists.path().join("Widget-3.candidates");
    write(&candidates, b"widget/Gauge.java#7,widget/Gauge.java#5\n");
    let truth = load().unwrap().cases()[0].truth.clone();
    assert_eq!(truth.alternatives, [("widget/Gauge.java#7".to_owned(), "widget/Gauge.java#5".to_owned())]);
    write(&candidates, b"widget/Gauge.java#7\n");
    let error = load().unwrap_err();
    assert!(error.place.ends_with("Widget-3.candidates: line 1"), "{error}");
    fs::remove_file(&candidates).unwrap();
    write(&lists.path().join("Widget-3.buggy.lines"), b"widget/Gauge.java\n");
    let error = load().unwrap_err();
    assert!(error.place.ends_with("Widget-3.buggy.lines") && error.message.contains("path#line"), "{error}");
}

#[test]
fn patches_that_cannot_be_used_are_named() {
    let check = |bytes: &[u8], message: &str| {
        let checkout = Checkout::new("Widget", "widget.git", 3);
        checkout.put("patches/3.src.patch", bytes);
        let error = checkout.load().unwrap_err();
        assert!(error.place.ends_with("patches/3.src.patch: Widget-3"), "{error}");
        assert!(error.message.contains(message), "{error}");
    };
    check(b"", "changes nothing");
    check(b"--- a/A.java\n+++ b/A.java\n@@ -1,9 +1 @@\n-x\n", "no unified diff: line 5");
    let checkout = Checkout::new("Widget", "widget.git", 3);
    fs::remove_file(checkout.project.join("patches/3.src.patch")).unwrap();
    insta::assert_snapshot!(checkout.load().unwrap_err().message);
}

/// Real lists, where somebody has them: `PATCHWRIGHT_CORPUS` names the folder.
#[test]
fn real_lists_are_read_whole() {
    let Some(corpus) = std::env::var_os("PATCHWRIGHT_CORPUS") else {
        eprintln!("left out, because PATCHWRIGHT_CORPUS is not set");
        return;
    };
    let folder = PathBuf::from(corpus).join("repairagent/buggy_lines");
    let mut files = 0;
    for file in crate::folder::files_below(&folder) {
        let path = folder.join(&file);
        let bytes = fs::read(&path).unwrap();
        let written = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
        let missing = bytes.windows(18).filter(|part| part == b"#FAULT_OF_OMISSION").count();
        let lines = read_lines(&path).unwrap();
        assert_eq!(lines.len(), written, "{}", file.display());
        assert_eq!(
            lines.iter().filter(|line| line.ends_with("#FAULT_OF_OMISSION")).count(),
            missing,
            "{}",
            file.display()
        );
        files += 1;
    }
    assert!(files > 80, "{files} files in {}", folder.display());
}
