#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod command;
mod plain_ways;
mod truths;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;
use crate::fixture::commit;

/// The sources of a project at the revision of a fix: one in ISO-8859-1, one in UTF-8, one that does not compile.
const GAUGE: &[u8] = b"package widget;\n\n/** Caf\xe9. */\npublic class Gauge {\n    public int read(int raw) {\n        return raw + 1;\n    }\n}\n";
const BUGGY: &[u8] = b"        return raw - 1;\n";
const LABEL: &[u8] =
    "package widget;\n\npublic class Label {\n    public static final String PI = \"π\";\n}\n".as_bytes();
const BROKEN: &[u8] = b"package widget;\n\npublic class Broken {\n    int x = ;\n}\n";
const GAUGE_TEST: &[u8] = b"package widget;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class GaugeTest {
    @Test
    public void reads() {
        assertEquals(3, new Gauge().read(2));
    }

    @Test
    public void labels() {
        assertEquals(1, Label.PI.length());
        assertEquals(\"America/Los_Angeles\", java.util.TimeZone.getDefault().getID());
    }

    @Test(expected = IllegalStateException.class)
    public void neverWorks() {
        new Gauge().read(0);
    }
}
";
const OLD_TEST: &[u8] = b"package widget;

public class OldTest extends junit.framework.TestCase {
    public void testFine() {
        // Today's Java takes this for a keyword.
        Integer yield = new Integer(1);
        assertNotNull(yield);
    }

    public void testByChance() {
        fail();
    }
}
";
const MOODY_TEST: &[u8] = b"package widget;

public class MoodyTest extends junit.framework.TestCase {
    public void testAny() {
        fail();
    }
}
";
const SOURCE_PATCH: &[u8] = b"diff --git a/src/java/widget/Gauge.java b/src/java/widget/Gauge.java\nindex 1..2 100644\n--- a/src/java/widget/Gauge.java\n+++ b/src/java/widget/Gauge.java\n@@ -3,5 +3,5 @@\n /** Caf\xe9. */\n public class Gauge {\n     public int read(int raw) {\n-        return raw + 1;\n+        return raw - 1;\n     }\n";
const COMPILE_PATCH: &[u8] =
    b"--- src/java/widget/Broken.java\n+++ src/java/widget/Broken.java\n@@ -3,3 +3,2 @@\n public class Broken {\n-    int x = ;\n }\n";
const TRIGGERS: &str = "--- widget.GaugeTest::reads\njava.lang.AssertionError: expected:<3> but was:<1>\n\tat org.junit.Assert.fail(Assert.java:88)\n";

/// A checkout of Defects4J with one project, and a repository of it.
struct Checkout {
    folder: TempDir,
    project: PathBuf,
    revision: String,
}

impl Checkout {
    /// With the project `name`, whose repository is `project_repos/<mirror>`; the bug has this number.
    fn new(name: &str, mirror: &str, number: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("framework/projects").join(name);
        let place = folder.path().join("project_repos").join(mirror);
        let repository = git2::Repository::init_bare(&place).unwrap();
        let revision = commit(
            &repository,
            &[
                ("src/java/widget/Gauge.java", GAUGE),
                ("src/java/widget/Label.java", LABEL),
                ("src/java/widget/Broken.java", BROKEN),
                ("src/test/widget/GaugeTest.java", GAUGE_TEST),
                ("src/test/widget/OldTest.java", OLD_TEST),
                ("src/test/widget/MoodyTest.java", MOODY_TEST),
                ("pom.xml", b"<project/>\n"),
            ],
        );
        commit(&repository, &[("src/java/widget/Gauge.java", b"class Later {}\n")]);
        let checkout = Self { folder, project, revision };
        let revision = &checkout.revision;
        checkout.put(
            "active-bugs.csv",
            format!(
                "bug.id,revision.id.buggy,revision.id.fixed,report.id,report.url\n{number},0,{revision},W-7,http://example.org\n"
            ),
        );
        checkout.put("deprecated-bugs.csv", "bug.id,a,b,c,d,e,f\n9,0,0,x,y,3.0,z\n");
        checkout.put("dir-layout.csv", format!("{revision},src/java,src/test\n"));
        checkout.put(&format!("patches/{number}.src.patch"), SOURCE_PATCH);
        checkout.put(&format!("trigger_tests/{number}"), TRIGGERS);
        checkout.put(
            &format!("failing_tests/{revision}"),
            "## why ##\n--- widget.GaugeTest::neverWorks\nx\n--- widget.GaugeTest::reads\n--- widget.MoodyTest\n",
        );
        checkout.put(
            "random_tests",
            "--- widget.GaugeTest\n--- widget.OldTest::testByChance\n--- widget.GoneTest::x\n",
        );
        checkout.put("compile-errors/broken-source-1-50.diff", COMPILE_PATCH);
        checkout.put("compile-errors/other-51-60.diff", "nothing");
        checkout
    }

    /// Writes a file of the project's metadata.
    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        write(&self.project.join(name), bytes.as_ref());
    }

    fn load(&self) -> Result<Defects4j, LoadError> {
        Defects4j::load(self.folder.path(), Defects4jOptions::default())
    }

    /// Prepares the only bug.
    async fn prepare(&self) -> Result<(TempDir, Bug), Failure> {
        let suite = self.load().unwrap();
        let out = tempfile::tempdir().unwrap();
        let bug = suite.prepare(&suite.cases()[0], out.path()).await?;
        Ok((out, bug))
    }
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}
