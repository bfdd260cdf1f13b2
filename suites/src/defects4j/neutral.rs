//! Tests that fail with the fix too are made harmless: they neither run nor count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use patchwright_folder::{LONGEST_FILE, read_file};
use patchwright_protocol::Failure;
use patchwright_syntax::{Class, Language, Method, Source, outline};

use crate::suite::disk;

/// A text that is put into a line of a file, at a byte of it.
type Insertion = (usize, usize, String);

/// Makes the listed tests of a folder of tests harmless. Those that are not there at this revision are passed over.
///
/// # Errors
/// A file cannot be written.
pub(super) fn neutralise(tests: &Path, listed: &BTreeSet<String>) -> Result<(), Failure> {
    let mut by_file: BTreeMap<PathBuf, Vec<(&str, Option<&str>)>> = BTreeMap::new();
    for test in listed {
        let (class, method) =
            test.split_once("::").map_or((test.as_str(), None), |(class, method)| (class, Some(method)));
        let outer = class.split('$').next().unwrap_or(class);
        let file = tests.join(format!("{}.java", outer.replace('.', "/")));
        by_file.entry(file).or_default().push((class, method));
    }
    for (file, wanted) in by_file {
        let Some(source) = read_file(&file, LONGEST_FILE).ok().and_then(Source::decode) else { continue };
        let Some(edited) = without(&source, &wanted) else { continue };
        fs::write(&file, edited).map_err(|error| disk(&file, &error))?;
    }
    Ok(())
}

/// The bytes of a source whose listed tests do nothing; `None` where nothing changes.
fn without(source: &Source, wanted: &[(&str, Option<&str>)]) -> Option<Vec<u8>> {
    let outline = outline(Language::by_name("java")?, source);
    let lines: Vec<&[u8]> = source.bytes().split_inclusive(|byte| *byte == b'\n').collect();
    let whole: Vec<&str> =
        wanted.iter().filter(|(_, method)| method.is_none()).map(|(class, _)| *class).collect();
    let mut insertions: Vec<Insertion> = Vec::new();
    for (class, method) in wanted {
        let name = class.rsplit('.').next().unwrap_or(class).replace('$', ".");
        let Some(found) = outline.all_classes().into_iter().find(|class| class.qualified == name) else {
            continue;
        };
        match method {
            None => insertions.extend(ignored(&lines, found.declaration_line, &found.decorations, "class ")),
            Some(_) if whole.contains(class) => {}
            Some(method) => insertions.extend(harmless(&lines, found, method)),
        }
    }
    if insertions.is_empty() {
        return None;
    }
    insertions.sort();
    let mut bytes = Vec::with_capacity(source.bytes().len());
    for (index, line) in lines.iter().enumerate() {
        let mut done = 0;
        for (_, at, text) in insertions.iter().filter(|(number, _, _)| *number == index) {
            bytes.extend_from_slice(&line[done..*at]);
            bytes.extend_from_slice(text.as_bytes());
            done = *at;
        }
        bytes.extend_from_slice(&line[done..]);
    }
    Some(bytes)
}

/// The insertions that make a test method do nothing.
fn harmless(lines: &[&[u8]], class: &Class, name: &str) -> Vec<Insertion> {
    let own: Vec<&Method> =
        class.methods.iter().filter(|method| method.name == name && method.parameters.is_empty()).collect();
    if own.is_empty() && !class.supers.is_empty() {
        return overridden(lines, class, name).into_iter().collect();
    }
    let insertion = |method: &&Method| {
        let annotated = method
            .decorations
            .iter()
            .any(|text| text.starts_with("Test") || text.starts_with("org.junit.Test"));
        let ignored = if annotated {
            ignored(lines, method.declaration_line, &method.decorations, "void ")
        } else {
            None
        };
        // Without a body that runs, a test that expects an exception would fail: hence the annotation, where there can be one.
        ignored.or_else(|| left_early(lines, method))
    };
    own.iter().filter_map(insertion).collect()
}

/// JUnit's `@Ignore` before a declaration whose line holds a word that follows its modifiers.
fn ignored(lines: &[&[u8]], declaration: u32, decorations: &[String], word: &str) -> Option<Insertion> {
    let index = (declaration as usize).checked_sub(1)?;
    let line = lines.get(index)?;
    let start = line.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let fits = line[start] == b'@' || line[start].is_ascii_alphabetic();
    let known =
        decorations.iter().any(|text| text.starts_with("Ignore") || text.starts_with("org.junit.Ignore"));
    let at = if index == 0 { start.max(mark(line)) } else { start };
    (fits && !known && position(line, word.as_bytes()).is_some())
        .then(|| (index, at, "@org.junit.Ignore ".to_owned()))
}

/// The length of a byte order mark.
fn mark(line: &[u8]) -> usize {
    if line.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }
}

/// A return at the beginning of the method's body.
fn left_early(lines: &[&[u8]], method: &Method) -> Option<Insertion> {
    let first = (method.declaration_line as usize).checked_sub(1)?;
    let mut from = position(lines.get(first)?, method.name.as_bytes())?;
    for index in first..method.lines.last as usize {
        let line = lines.get(index)?;
        if let Some(brace) = line[from..].iter().position(|byte| *byte == b'{') {
            return Some((index, from + brace + 1, " if (true) return;".to_owned()));
        }
        from = 0;
    }
    None
}

/// A method that does nothing instead of the inherited one.
fn overridden(lines: &[&[u8]], class: &Class, name: &str) -> Option<Insertion> {
    let index = (class.lines.last as usize).checked_sub(1)?;
    let brace = lines.get(index)?.iter().rposition(|byte| *byte == b'}')?;
    Some((index, brace, format!("public void {name}() {{}} ")))
}

fn position(line: &[u8], word: &[u8]) -> Option<usize> {
    line.windows(word.len()).position(|part| part == word)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, test: &str, after: &str) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        let file = folder.path().join("a/BTest.java");
        // A byte of ISO-8859-1, which has to stay.
        let bytes = |text: &str| [b"// \xe9\r\n".as_slice(), text.as_bytes()].concat();
        fs::write(&file, bytes(before)).unwrap();
        neutralise(folder.path(), &BTreeSet::from([test.to_owned()])).unwrap();
        let found = fs::read(&file).unwrap();
        assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(&bytes(after)));
    }

    const OLD: &str = "package a;\npublic class BTest extends TestCase {\n  /** x { */\n  public void testA()\n      throws E {\n    f();\n  }\n  public void testB() { }\n}\n";

    #[test]
    fn methods_of_old_tests_return_at_once() {
        check(OLD, "a.BTest::testA", &OLD.replace("E {", "E { if (true) return;"));
        check(OLD, "a.BTest::testB", &OLD.replace("testB() {", "testB() { if (true) return;"));
    }

    #[test]
    fn inherited_methods_are_overridden() {
        let after = format!("{}public void testC() {{}} }}\n", &OLD[..OLD.len() - 2]);
        check(OLD, "a.BTest::testC", &after);
    }

    #[test]
    fn annotated_methods_and_classes_are_ignored() {
        let new = "package a;\n@X\npublic class BTest {\n  @Test(expected = E.class)\n  public void a() { f(); }\n  @Ignore @Test public void b() { f(); }\n  static class C {\n    @Test public void c() {}\n  }\n}\n";
        check(new, "a.BTest::a", &new.replace("  public void a", "  @org.junit.Ignore public void a"));
        check(new, "a.BTest::b", &new.replace("b() {", "b() { if (true) return;"));
        check(new, "a.BTest", &new.replace("public class", "@org.junit.Ignore public class"));
        check(
            new,
            "a.BTest$C::c",
            &new.replace("@Test public void c", "@org.junit.Ignore @Test public void c"),
        );
    }

    #[test]
    fn what_is_not_there_is_passed_over() {
        check(OLD, "a.OtherTest::testA", OLD);
        check(OLD, "a.BTest$C::testA", OLD);
        check("package a;\nclass BTest { }\n", "a.BTest::testA", "package a;\nclass BTest { }\n");
    }
}
