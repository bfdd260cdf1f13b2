//! Which modules of a crate need which: what a module needs stands below it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regex::{Captures, Regex};

use super::{files, text};

/// The folder of a crate, modules of it that need one another, and why they may.
type Circle = (&'static str, &'static [&'static str], &'static str);

/// Circles of modules that are not parent and child.
const CIRCLES: &[Circle] = &[
    (
        "patterns",
        &["file", "ingredients", "mutation", "name_usage", "scope", "site", "types", "view"],
        "a parsed file holds what is known of its names and methods, and that is read from the file",
    ),
    (
        "replies",
        &[
            "recover::checkpoints",
            "recover::doubtful_quotes",
            "recover::frame",
            "recover::lookahead",
            "recover::missing_tokens",
            "recover::parser",
            "recover::provisional",
            "recover::resync",
            "recover::shape",
            "recover::strings",
        ],
        "the steps of one parser: what a step keeps is a field of the parser, declared beside the step",
    ),
    (
        "validation",
        &["harness", "warm_workers"],
        "a worker judges for the harness that holds it, through the seam `WarmWorkers`",
    ),
];

/// The path of a module from the root of its crate; empty for the root.
type ModulePath = Vec<String>;

/// The module that a file below the folder of sources holds.
fn module_of(path: &Path) -> ModulePath {
    let stem = path.with_extension("");
    let parts = stem.iter().map(|part| part.to_str().unwrap().to_owned());
    parts.filter(|part| !["lib", "main", "mod"].contains(&part.as_str())).collect()
}

/// A source without comments, and without what is compiled for tests alone.
fn without_tests(text: &str) -> String {
    let comment = Regex::new("//.*").unwrap();
    let mut kept = String::new();
    // The indentation of what is left out, until it ends.
    let mut left_out = None;
    for line in comment.replace_all(text, "").lines() {
        let code = line.trim();
        let depth = line.len() - line.trim_start().len();
        if code == "#[cfg(test)]" {
            left_out = left_out.or(Some(depth));
        }
        match left_out {
            None => kept.extend([line, "\n"]),
            Some(own) if depth == own && !code.starts_with("#[") && code.ends_with([';', '}', ',']) => {
                left_out = None;
            }
            Some(_) => {}
        }
    }
    kept
}

/// The modules that each module of a crate names, by its sources; but for those around it and in it.
fn named_modules(sources: &BTreeMap<ModulePath, String>) -> BTreeMap<&ModulePath, BTreeSet<ModulePath>> {
    let group = Regex::new(r"(\w+(?:::\w+)*)::\{([^{}]*)\}").unwrap();
    let path = Regex::new(r"\b(?:crate|super|self)(?:::\w+)*").unwrap();
    let mut named = BTreeMap::new();
    for (own, text) in sources {
        let mut text = without_tests(text);
        // `a::{b, c}` is `a::b, a::c`.
        while group.is_match(&text) {
            let each = |found: &Captures| {
                let parts = found[2].split(',').map(|part| format!("{}::{}", &found[1], part.trim()));
                parts.collect::<Vec<_>>().join(", ")
            };
            text = group.replace_all(&text, each).into_owned();
        }
        let modules = path.find_iter(&text).map(|found| {
            let mut module = own.clone();
            for part in found.as_str().split("::") {
                match part {
                    "crate" => module.clear(),
                    "super" => drop(module.pop()),
                    "self" => {}
                    name => module.push(name.to_owned()),
                }
            }
            while !sources.contains_key(&module) {
                module.pop().unwrap();
            }
            module
        });
        let is_apart = |module: &ModulePath| !module.starts_with(own) && !own.starts_with(module);
        named.insert(own, modules.filter(is_apart).collect());
    }
    named
}

/// Sets of modules each of which needs all others of its set.
fn circles(named: &BTreeMap<&ModulePath, BTreeSet<ModulePath>>) -> BTreeSet<Vec<String>> {
    let reached = |from: &ModulePath| {
        let mut found = BTreeSet::new();
        let mut left: Vec<&ModulePath> = named[from].iter().collect();
        while let Some(module) = left.pop() {
            if found.insert(module) {
                left.extend(&named[module]);
            }
        }
        found
    };
    let reached: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> =
        named.keys().map(|module| (*module, reached(module))).collect();
    let circle = |module: &&ModulePath| -> Vec<String> {
        let back = reached[module].iter().filter(|other| reached[**other].contains(module));
        back.map(|other| other.join("::")).collect()
    };
    reached.keys().map(circle).filter(|circle| !circle.is_empty()).collect()
}

/// What a module needs stands below it: it is read, tested and changed without what is above.
#[test]
fn modules_have_no_circles() {
    let mut wrong = Vec::new();
    let mut used: BTreeSet<&Circle> = BTreeSet::new();
    let all = files(&[".rs"]);
    for manifest in files(&["Cargo.toml"]) {
        let folder = manifest.parent().unwrap();
        let mut sources: BTreeMap<ModulePath, String> = BTreeMap::from([(Vec::new(), String::new())]);
        for path in &all {
            if let Ok(below) = path.strip_prefix(folder.join("src")) {
                sources.entry(module_of(below)).or_default().push_str(&text(path));
            }
        }
        for circle in circles(&named_modules(&sources)) {
            let is_listed =
                |(listed, modules, _): &&Circle| Path::new(listed) == folder && circle == *modules;
            match CIRCLES.iter().find(is_listed) {
                Some(listed) => drop(used.insert(listed)),
                None => wrong.push(format!("{}: {}", folder.display(), circle.join(", "))),
            }
        }
    }
    let gone = CIRCLES.iter().filter(|circle| !used.contains(circle));
    wrong.extend(gone.map(|circle| format!("{circle:?} is gone")));
    assert!(wrong.is_empty(), "move what both need below both:\n{}", wrong.join("\n"));
}
