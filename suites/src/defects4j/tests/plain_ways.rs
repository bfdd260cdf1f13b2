//! Preparing from metadata and a repository, and really building and testing what was made.

use std::sync::Arc;

use patchwright_detection::{AdapterKind, HostEnvironments, SandboxToolchain, detect};
use patchwright_edits::{Applied, EditRules, apply, formats};
use patchwright_fault_localization::Localization;
use patchwright_lanes::Activity;
use patchwright_protocol::Actor;
use patchwright_protocol::{TestId, Verdict};
use patchwright_sandbox::{RequestedSandbox, SandboxRequest, choose};
use patchwright_syntax::Project;
use patchwright_validation::{TestHarness, ValidationDepth};

use super::*;
use crate::folder::files_below;

#[tokio::test]
async fn the_buggy_version_is_made_as_the_command_makes_it() {
    let checkout = Checkout::new("Widget", "widget.git", 3);
    let (out, bug) = checkout.prepare().await.unwrap();
    let read = |name: &str| String::from_utf8(fs::read(out.path().join(name)).unwrap()).unwrap();
    // Not the later commit; the bug is in; converted, because another source needs UTF-8.
    let gauge = read("src/java/widget/Gauge.java");
    assert!(gauge.contains(std::str::from_utf8(BUGGY).unwrap()) && gauge.contains("Café"), "{gauge}");
    assert!(!read("src/java/widget/Broken.java").contains("x = ;"));
    // What fails with the fix too does nothing, but the test that shows the bug stays.
    let test = read("src/test/widget/GaugeTest.java");
    assert!(test.contains("@org.junit.Ignore public void neverWorks"), "{test}");
    assert_eq!(test.matches("Ignore").count(), 1);
    assert!(read("src/test/widget/MoodyTest.java").contains("@org.junit.Ignore public class MoodyTest"));
    assert!(read("src/test/widget/OldTest.java").contains("testByChance() { if (true) return;"));
    assert!(
        files_below(out.path()).iter().all(|file| file.starts_with("src")),
        "{:?}",
        files_below(out.path())
    );

    assert_eq!(bug.input.failing, ["widget.GaugeTest::reads"]);
    let Overrides { source, tests, env, test, build, .. } = bug.overrides;
    assert_eq!((source.unwrap(), tests.unwrap()), (vec!["src/java".to_owned()], vec!["src/test".to_owned()]));
    assert_eq!((test, build), (None, None));
    let env = env.unwrap();
    assert_eq!(env["TZ"], "America/Los_Angeles");
    assert!(env["JDK_JAVA_OPTIONS"].contains("--add-opens=java.base/java.lang=ALL-UNNAMED"));
    assert!(env["JDK_JAVAC_OPTIONS"].starts_with("-source 8 -target 8"));
}

/// Is true if there is a Java to build with. Where tests are run for others to rely on, it has to be.
fn java() -> bool {
    let there = crate::on_path("javac").is_some() && Path::new("/usr/share/java/junit4.jar").is_file();
    assert!(there || std::env::var_os("CI").is_none(), "javac and JUnit 4 are not there");
    if !there {
        eprintln!("left out, because javac or JUnit 4 is not there");
    }
    there
}

#[tokio::test]
async fn the_trigger_fails_before_the_fix_and_passes_with_it() {
    if !java() {
        return;
    }
    let checkout = Checkout::new("Widget", "widget.git", 3);
    let suite = checkout.load().unwrap();
    let case = &suite.cases()[0];
    let (out, bug) = checkout.prepare().await.unwrap();
    let sandbox = choose(&SandboxRequest { wanted: RequestedSandbox::Host, ..SandboxRequest::default() })
        .await
        .unwrap()
        .sandbox;
    let work = tempfile::tempdir().unwrap();
    let asked = tempfile::tempdir().unwrap();
    let toolchain = SandboxToolchain::new(Arc::clone(&sandbox), asked.path());
    let detected = detect(&bug.dir, &bug.overrides, &HostEnvironments::default(), &toolchain).await.unwrap();
    assert_eq!(detected.spec.kind, AdapterKind::PlainJava, "{:?}", detected.reasons);
    let harness =
        TestHarness::open(detected.spec, &bug.dir, &[], sandbox, work.path(), 1, Activity::default())
            .await
            .unwrap();
    let baseline = harness.baseline(&bug.input.failing).await.unwrap();
    assert_eq!(baseline.failing, [TestId::new("widget.GaugeTest::reads")]);
    assert!(baseline.known_failing.is_empty(), "{:?}", baseline.known_failing);
    assert_eq!(baseline.passing.len(), 3, "{:?}", baseline.passing);

    // The truth applies to what was prepared, and is plausible; so are its lines where the bug is.
    let truth = case.truth.patch.as_deref().unwrap();
    let validation =
        harness.validate(&baseline, &applied(out.path(), truth), ValidationDepth::Thorough).await.unwrap();
    assert_eq!(validation.verdict, Verdict::Plausible, "{}", validation.report.log);
    assert!(crate::equals_fix(out.path(), truth, &applied(out.path(), truth).diff()).unwrap());
    let known = Localization::parse(case.truth.lines.join("\n").as_bytes()).unwrap();
    let shown = patchwright_tools::named_lines(&known, &Project::open(out.path()).unwrap()).unwrap().unwrap();
    assert!(shown.contains("return raw - 1;"), "{shown}");
    harness.close().await.unwrap();
}

fn applied(dir: &Path, patch: &str) -> Applied {
    let reading = formats::read_edits(patch, None).unwrap();
    apply(&Project::open(dir).unwrap(), &reading.edits, &EditRules::default()).unwrap()
}

#[tokio::test]
async fn keywords_of_today_are_no_packages_in_lang() {
    let checkout = Checkout::new("Lang", "commons-lang.git", 42);
    let place = checkout.folder.path().join("project_repos/commons-lang.git");
    let repository = git2::Repository::open_bare(place).unwrap();
    let old = b"package org.apache.commons.lang.enum;\n// caf\xe9\nclass Enum {}\n";
    let user = b"import org.apache.commons.lang.enum.Enum;\nimport org.apache.commons.lang.enums.Enum;\nclass User {}\n";
    let revision = commit(
        &repository,
        &[
            ("src/java/widget/Gauge.java", GAUGE),
            ("src/java/org/apache/commons/lang/enum/Enum.java", old),
            ("src/java/User.java", user),
        ],
    );
    for name in ["active-bugs.csv", "dir-layout.csv"] {
        let text = fs::read_to_string(checkout.project.join(name)).unwrap();
        checkout.put(name, text.replace(&checkout.revision, &revision));
    }
    let (out, bug) = checkout.prepare().await.unwrap();
    let read = |name: &str| fs::read(out.path().join(name)).unwrap();
    let renamed = read("src/java/org/apache/commons/lang/oldenum/Enum.java");
    assert!(renamed.starts_with(b"package org.apache.commons.lang.oldenum;\n"));
    assert!(!out.path().join("src/java/org/apache/commons/lang/enum/Enum.java").exists());
    let user = String::from_utf8(read("src/java/User.java")).unwrap();
    assert!(user.contains("lang.oldenum.Enum;") && user.contains("lang.enums.Enum;"), "{user}");
    assert!(bug.overrides.env.unwrap()["JDK_JAVAC_OPTIONS"].starts_with("--release 8"));
}

#[tokio::test]
async fn what_stands_in_the_way_is_named() {
    let check = async |checkout: &Checkout, expect: &[&str]| {
        let error = checkout.prepare().await.unwrap_err();
        assert_eq!(error.actor, Actor::Case);
        for part in expect {
            assert!(format!("{error:?}").contains(part), "{error:?}");
        }
    };
    let widget = || Checkout::new("Widget", "widget.git", 3);
    check(
        &Checkout::new("Widget", "elsewhere.git", 3),
        &["project_repos/Widget.git", "project_repos/widget.git", "PATCHWRIGHT_D4J_REPOS"],
    )
    .await;
    check(&Checkout::new("Chart", "jfreechart.git", 1), &["Chart-1", "Subversion"]).await;

    let patch = widget();
    patch.put("patches/3.src.patch", String::from_utf8_lossy(SOURCE_PATCH).replace("raw + 1", "raw * 1"));
    check(&patch, &["Widget-3", "patches/3.src.patch", "does not apply", "Gauge.java"]).await;

    let compile = widget();
    compile.put(
        "compile-errors/broken-source-1-50.diff",
        String::from_utf8_lossy(COMPILE_PATCH).replace("int x", "int y"),
    );
    check(&compile, &["Widget-3", "broken-source-1-50.diff", "does not apply"]).await;

    let revision = widget();
    let unknown = "0123456789012345678901234567890123456789";
    for name in ["active-bugs.csv", "dir-layout.csv"] {
        let text = fs::read_to_string(revision.project.join(name)).unwrap();
        revision.put(name, text.replace(&revision.revision, unknown));
    }
    check(&revision, &["project_repos/widget.git", unknown]).await;

    let layout = widget();
    layout.put("dir-layout.csv", format!("{},src/main,src/test\n", layout.revision));
    check(&layout, &["no folder `src/main`"]).await;
    layout.put("dir-layout.csv", "0,src,test\n");
    layout.put("modified_classes/3.src", "widget.Gone\n");
    check(&layout, &["Widget-3", "dir-layout.csv", &layout.revision, "hint: "]).await;

    let triggers = widget();
    triggers.put("trigger_tests/3", "none\n");
    check(&triggers, &["trigger_tests/3", "--- Class::method"]).await;
}

#[tokio::test]
async fn folders_that_no_list_names_are_told_by_the_classes_in_them() {
    let checkout = Checkout::new("Widget", "widget.git", 3);
    checkout.put("dir-layout.csv", "0,src,test\n");
    checkout.put("modified_classes/3.src", "widget.Gauge\r\n");
    checkout.put("trigger_tests/3", format!("\u{feff}{}", TRIGGERS.replace('\n', "\r\n")));
    let (out, bug) = checkout.prepare().await.unwrap();
    let Overrides { source, tests, .. } = bug.overrides;
    assert_eq!((source.unwrap(), tests.unwrap()), (vec!["src/java".to_owned()], vec!["src/test".to_owned()]));
    let test = fs::read_to_string(out.path().join("src/test/widget/GaugeTest.java")).unwrap();
    assert!(test.contains("@org.junit.Ignore public void neverWorks"), "{test}");
}

#[tokio::test]
async fn a_mirror_may_be_named_itself_and_an_old_one_gives_way() {
    // Its own mirror is under a name that nobody looks for.
    let checkout = Checkout::new("Widget", "elsewhere.git", 3);
    let own = checkout.folder.path().join("project_repos/elsewhere.git");
    let prepared = async |repositories: PathBuf| {
        let options = Defects4jOptions { repositories: Some(repositories), ..Defects4jOptions::default() };
        let suite = Defects4j::load(checkout.folder.path(), options).unwrap();
        let out = tempfile::tempdir().unwrap();
        suite.prepare(&suite.cases()[0], out.path()).await.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(prepared(own.clone()).await, Ok(()));
    let clone = tempfile::tempdir().unwrap();
    git2::Repository::clone(own.to_str().unwrap(), clone.path()).unwrap();
    assert_eq!(prepared(clone.path().to_owned()).await, Ok(()));

    let mirrors = tempfile::tempdir().unwrap();
    git2::Repository::init_bare(mirrors.path().join("Widget.git")).unwrap();
    let error = prepared(mirrors.path().to_owned()).await.unwrap_err();
    assert!(error.contains("Widget.git") && error.contains(&checkout.revision), "{error}");
    fs::rename(own, mirrors.path().join("widget.git")).unwrap();
    assert_eq!(prepared(mirrors.path().to_owned()).await, Ok(()));
}
