//! What the table of languages holds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::*;

#[test]
fn every_entry_fits_its_grammar() {
    for language in Language::all() {
        let entry = language.entry();
        let grammar = (entry.grammar)();
        assert!(language.parse("").is_some(), "{language}");
        // All at once: whoever writes an entry wants to know the others, too.
        let missing = RefCell::new(BTreeSet::new());
        let kind = |kind: &str| {
            if grammar.id_for_node_kind(kind, true) == 0 {
                missing.borrow_mut().insert(format!("kind {kind}"));
            }
        };
        let field = |field: &str| {
            if grammar.field_id_for_name(field).is_none() {
                missing.borrow_mut().insert(format!("field {field}"));
            }
        };
        for (name, role) in &entry.roles {
            kind(name);
            match role {
                SyntaxRole::Field(name) | SyntaxRole::ClassIfBody(name) => field(name),
                SyntaxRole::Bound(name, value) => [*name, *value].into_iter().for_each(field),
                _ => {}
            }
        }
        entry.statements.keys().for_each(|name| kind(name));
        for rule in &entry.placements {
            rule.statements.iter().chain(&rule.inside).chain(&rule.ends).for_each(|name| kind(name));
        }
        entry.supers.iter().chain(&entry.names).chain(&entry.functions).for_each(|name| kind(name));
        [entry.body, entry.parameters, "name"].into_iter().for_each(field);
        kind(entry.block);
        for rule in &entry.calls {
            kind(rule.node);
            rule.sole_argument.into_iter().for_each(kind);
            rule.receiver.into_iter().chain([rule.callee, rule.arguments]).for_each(field);
        }
        for (name, shape) in &entry.bindings.nodes {
            kind(name);
            let fields = match *shape {
                NodeShape::Member(one, other)
                | NodeShape::Item(one, other)
                | NodeShape::Declare(one, other)
                | NodeShape::Assign(one, other)
                | NodeShape::Each(one, other)
                | NodeShape::Parameter(one, other)
                | NodeShape::Specifier(one, other)
                | NodeShape::Pair(one, other) => vec![one, other],
                NodeShape::Change(one) => vec![one],
                _ => Vec::new(),
            };
            fields.into_iter().filter(|name| !name.is_empty()).for_each(field);
        }
        Some(entry.bindings.import_source).filter(|name| !name.is_empty()).into_iter().for_each(field);
        let tampering = &entry.tampering;
        let rules =
            [&tampering.words, &tampering.mentions, &tampering.loading, &tampering.lines, &tampering.files];
        let patterns = rules.into_iter().flatten().map(|(pattern, _)| pattern);
        let sets = [&tampering.circumstances, &tampering.settable, &tampering.polyfills];
        for pattern in patterns.chain(sets.into_iter().flatten()) {
            assert!(Regex::new(pattern).is_ok(), "{language}: {pattern}");
        }
        if let Some(member) = &entry.member {
            kind(member.node);
            [member.object, member.name].into_iter().for_each(field);
        }
        assert!(missing.borrow().is_empty(), "{language} has no {:?}", missing.borrow());
        for (pattern, _) in &entry.declaration_lines {
            let pattern = Regex::new(pattern).unwrap();
            assert!(pattern.capture_names().flatten().any(|name| name == "name"), "{pattern}");
        }
        assert!(
            Regex::new(entry.tests.runnable).is_ok() && entry.tests.new_file.contains("{}"),
            "{language}"
        );
        if let Some(trace) = &entry.trace {
            let pattern = Regex::new(trace.frame).unwrap();
            let names: Vec<_> = pattern.capture_names().flatten().collect();
            assert!(names.contains(&"path") && names.contains(&"line"), "{names:?}");
        }
    }
}

#[test]
fn languages_are_known_by_name_and_extension() {
    let check = |path: &str, expect: Option<&str>| {
        assert_eq!(Language::of_path(Path::new(path)).map(Language::name), expect, "{path}");
    };
    check("a/B.java", Some("java"));
    check("a/b.PY", Some("python"));
    check("stubs/b.pyi", Some("python"));
    check("a/b.mjs", Some("javascript"));
    check("a/b.ts", Some("typescript"));
    check("java", None);
    check(".java", None);
    check("b.rs", None);
    let of = |path: &str| (Language::of_path(Path::new(path)).unwrap(), ProjectPath::new(path).unwrap());
    for (path, module, is_stub) in [
        ("a/b.py", "a/b", false),
        ("a/__init__.pyi", "a", true),
        ("__init__.py", "", false),
        ("a/my__init__.py", "a/my__init__", false),
        ("a/b.d.ts", "a/b.d", true),
    ] {
        let (language, path) = of(path);
        assert_eq!((language.module_of(&path), language.is_stub(&path)), (module, is_stub), "{path}");
    }
    assert_eq!(Language::by_name(" Java "), Language::of_path(Path::new("A.java")));
    assert_eq!(Language::by_name("cobol"), None);
    let names: Vec<_> = Language::all().map(Language::name).collect();
    assert!(names.is_sorted() && names.contains(&"python"), "{names:?}");
}

#[test]
fn what_nests_too_deeply_has_no_tree() {
    let python = Language::by_name("python").unwrap();
    let terms = |count: usize| format!("x = 1{}\n", " + 1".repeat(count));
    assert!(python.parse(&terms(DEEPEST / 2)).is_some());
    for times in [1, 10] {
        let text = terms(times * DEEPEST);
        assert!(python.parse(&text).is_none());
        assert_eq!(crate::outline(python, &crate::Source::from_text(text)).classes.len(), 0);
    }
}

#[test]
fn parsing_ends_when_nobody_waits() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    let python = Language::by_name("python").unwrap();
    let text = "def f():\n    return 1\n".repeat(1_000);
    let cancelled = WorkFlag::from(Arc::new(AtomicBool::new(true)));
    let ended = catch_unwind(AssertUnwindSafe(|| cancelled.within(|| python.parse(&text))));
    assert!(ended.unwrap_err().is::<patchwright_folder::Cancelled>());
}
