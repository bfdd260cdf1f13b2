//! What holds of the repository as a whole: how long files are, that what the pages name is there, and that modules need one another in one
//! direction only.

#![allow(clippy::unwrap_used)]

mod circles;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use regex::Regex;

/// Lines from which a source file wants a reason, and from which it wants to be split.
const LONG: usize = 400;
const TOO_LONG: usize = 600;

/// Files between the two, or above, each with its reason.
const REASONS: &[(&str, &str)] = &[
    ("agent/src/agent_loop.rs", "one cycle, read from top to bottom"),
    ("folder/src/folder.rs", "all that a folder nobody trusts may be asked for, in one place to be read"),
    ("patterns/src/site.rs", "one type, which every generator takes"),
    ("prompts/src/stages.rs", "one stage after the other"),
    ("command_line/src/options.rs", "the options, a flat table of fields"),
    ("src/plan.rs", "all errors of usage, in the order in which they are found"),
    ("runs/src/log.rs", "half of it is tests"),
    ("src/renderer.rs", "a line for each event, a flat table"),
    ("src/setup.rs", "the order of what happens before the first cycle"),
    ("syntax/src/language.rs", "the descriptor of a language, field by field"),
    ("detection/src/detect/environments.rs", "the kinds of environments, one after the other"),
    ("validation/src/execution.rs", "one command of tests from its making to its results"),
    ("validation/src/reproduction.rs", "the life of a written test"),
];

/// All files of the repository with one of these ends that we have written, by their paths from the root.
fn files(ends: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![PathBuf::new()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root.join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = folder.join(&name);
            let kind = entry.file_type().unwrap();
            if kind.is_dir() && !name.starts_with('.') && name != "target" {
                folders.push(path);
            } else if kind.is_file() && ends.iter().any(|end| name.ends_with(end)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn text(path: &Path) -> String {
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    // Some sources of tests are damaged on purpose.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Tables of tests may be as long as files may be at all.
fn is_test(path: &Path) -> bool {
    path.iter().any(|part| part == "tests" || part == "benches" || part.to_string_lossy().ends_with("tests"))
        || path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
}

#[test]
fn long_files_have_a_reason() {
    let mut wrong = Vec::new();
    for path in files(&[".rs"]) {
        let lines = text(&path).lines().count();
        let reason = REASONS.iter().find(|(file, _)| Path::new(file) == path);
        let wants = lines > TOO_LONG || lines > LONG && !is_test(&path);
        match (wants, reason) {
            (true, None) => wrong.push(format!("{} has {lines} lines: split it", path.display())),
            (false, Some(_)) => wrong.push(format!("{} wants no reason any more", path.display())),
            (true, Some(_)) | (false, None) => {}
        }
    }
    for (file, _) in REASONS {
        if !Path::new(env!("CARGO_MANIFEST_DIR")).join(file).is_file() {
            wrong.push(format!("{file} is gone"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// To look for examples takes a second in each crate, whether there are any or not.
#[test]
fn examples_are_looked_for_where_there_are_any() {
    let example = Regex::new(r"(?m)^\s*//[/!] ```(?:no_run|rust)?$").unwrap();
    let sources = files(&[".rs"]);
    for manifest in files(&["Cargo.toml"]) {
        let source = manifest.with_file_name("src");
        let has_examples =
            sources.iter().any(|path| path.starts_with(&source) && example.is_match(&text(path)));
        let looks = !text(&manifest).contains("doctest = false");
        assert_eq!(looks, has_examples, "{}: `doctest` of [lib]", manifest.display());
    }
}

/// Links of pages, and paths in them between back quotes, lead to what is there.
#[test]
fn pages_name_what_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let link = Regex::new(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)").unwrap();
    let path =
        Regex::new(r"`([A-Za-z_.][\w.-]*(?:/[\w.-]+)*/(?:[\w-]+\.(?:rs|md|toml|py|java|js|sh))?)`").unwrap();
    let folders: Vec<String> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("Cargo.toml").is_file() || entry.file_name() == "samples")
        .map(|entry| entry.file_name().into_string().unwrap())
        .chain(["src", "tests", "benches", ".ci"].map(str::to_owned))
        .collect();
    let mut missing = Vec::new();
    for page in files(&[".md"]) {
        let beside = root.join(page.parent().unwrap());
        let text = text(&page);
        for found in link.captures_iter(&text).map(|found| found.get(1).unwrap().as_str()) {
            if !beside.join(found).exists() {
                missing.push(format!("{}: link to {found}", page.display()));
            }
        }
        for found in path.captures_iter(&text).map(|found| found.get(1).unwrap().as_str()) {
            let first = found.split('/').next().unwrap();
            let ours = folders.iter().any(|folder| folder == first);
            // What is in capitals stands for a name.
            let is_meant = !found.split(['/', '.']).any(|part| part == "NAME" || part == "FILE");
            if ours && is_meant && !root.join(found).exists() && !beside.join(found).exists() {
                missing.push(format!("{}: {found}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "these are not there:\n{}", missing.join("\n"));
}

/// The map in ARCHITECTURE.md says of each crate what it depends on.
#[test]
fn the_map_names_what_crates_depend_on() {
    let row = Regex::new(r"(?m)^\| `(\w+)/` \|.*\| ([^|]*) \|$").unwrap();
    let ours = Regex::new(r"(?m)^patchwright-([\w-]+)(?:\.workspace| = \{ workspace)").unwrap();
    let map = text(Path::new("ARCHITECTURE.md"));
    let told: BTreeMap<&str, &str> =
        row.captures_iter(&map).map(|row| row.extract()).map(|(_, [folder, told])| (folder, told)).collect();
    for manifest in files(&["Cargo.toml"]) {
        let Some(folder) = manifest.parent().and_then(Path::to_str).filter(|folder| !folder.is_empty())
        else {
            continue;
        };
        let manifest = text(&manifest);
        let manifest = manifest.split("[dev-dependencies]").next().unwrap();
        let needed: BTreeSet<String> =
            ours.captures_iter(manifest).map(|found| found[1].replace('-', "_")).collect();
        let needed = needed.into_iter().collect::<Vec<_>>().join(", ");
        let told = told.get(folder).map(|told| told.trim_matches('–'));
        assert_eq!(told, Some(needed.as_str()), "{folder}");
    }
}

/// The tests that the rows of SECURITY.md name are there.
#[test]
fn attacks_are_shown_by_tests_that_are_there() {
    let test = Regex::new(r"`([a-z_]+)`").unwrap();
    let page = text(Path::new("SECURITY.md"));
    let rows = page.lines().filter_map(|line| line.strip_suffix("` |")?.rsplit_once("| `"));
    let named: BTreeSet<String> = rows
        .flat_map(|(_, names)| {
            test.captures_iter(&format!("`{names}`")).map(|found| found[1].to_owned()).collect::<Vec<_>>()
        })
        .collect();
    assert!(named.len() > 10, "{named:?}");
    let sources = files(&[".rs"]).iter().map(|path| text(path)).collect::<String>();
    let missing: Vec<&String> =
        named.iter().filter(|name| !sources.contains(&format!("fn {name}()"))).collect();
    assert!(missing.is_empty(), "SECURITY.md names tests that are not there: {missing:?}");
}

/// A file, a part of its lines, and why these may name a place.
type Place = (&'static str, &'static str, &'static str);

/// Texts of tests that name a place of the machine which the test has not made, each with its reason.
const PLACES: &[Place] = &[
    ("agent/src/check.rs", "took ", "a text that is compared"),
    ("benches/figures/lanes.rs", "/dev/shm", "a folder is made there"),
    ("benches/figures/search.rs", "drop_caches", "what is measured is how long a cold search takes"),
    ("fuzz/src/applier.rs", "/dev/shm", "a folder is made there"),
    ("index/tests/it/test_codes.rs", "ROOT =", "a text that is read"),
    ("sandbox/src/environment.rs", "SSH_AUTH_SOCK", "a value that is compared"),
    ("sandbox/src/local/tests.rs", "for dir in", "a folder that is refused"),
    ("sandbox/src/secrets.rs", "SSH_AUTH_SOCK", "a value that is compared"),
    ("sandbox/src/docker/transfer.rs", "symlink(", "a link that nobody follows"),
    ("sandbox/tests/it/checks.rs", "/{own}", "a folder is made there"),
    ("sandbox/tests/it/docker.rs", "check(\"", "a container's own"),
    ("sandbox/tests/it/docker.rs", "/tmp/kept", "a container's own"),
    ("sandbox/tests/it/private.rs", "TMPDIR", "the folder for folders that are made"),
    ("sandbox/tests/it/private.rs", "/etc/", "seen by the test alone, in the place of the system's"),
    ("test_writing/src/cluster.rs", "check(", "a text that is compared"),
    ("test_results/src/failure_signature.rs", "check(", "a text that is compared"),
    ("test_results/src/normalize.rs", "tmp", "texts that are compared"),
    ("tests/hostile/java/Shout.java", "longest", "a text"),
    ("tests/hostile/python/reach.py", "LIBRARY.mount", "what is to be refused"),
    ("tests/hostile/python/shout.py", "LONG", "a text"),
    ("swe_bench/src/container.rs", "replace(", "a text that is replaced"),
    ("swe_bench/src/parsers/tests.rs", "[unit]", "texts that are compared"),
];

/// The part of a source that is a test, line by line; comments are empty.
fn tested(path: &Path) -> Vec<String> {
    let text = text(path);
    let begins = if is_test(path) || path.starts_with("fuzz") { Some(0) } else { text.find("\nmod tests {") };
    let lines = text[begins.unwrap_or(text.len())..].lines();
    let is_comment = |line: &str| ["//", "#", "*", "/*", "\"\"\""].iter().any(|mark| line.starts_with(mark));
    lines.map(|line| if is_comment(line.trim()) { String::new() } else { line.to_owned() }).collect()
}

/// A test may delete, change or stumble over what users have: it writes into folders that it makes. Folders that all share are named where one
/// is made in them, and no test writes at an absolute path.
#[test]
fn tests_write_into_folders_of_their_own() {
    let shared = Regex::new(r"(?:^|[^\w.}/-])(?:/tmp|/var/tmp|/dev/shm)(?:/[\w.$*{%<-]|[^\w./-]|$)").unwrap();
    // What is made has a name of its own.
    let named = Regex::new(r"(?:/tmp|/var/tmp|/dev/shm)/[\w.$*{%<-]").unwrap();
    let makes = Regex::new(r"tempdir_in|new_in|createTemp|mktemp|shared_folder").unwrap();
    let absolute = Regex::new(
        r#"(?:write|create|create_new|create_dir|create_dir_all|remove_\w+|set_permissions|mkdir|rmtree|touch)\(\s*["']/\w"#,
    )
    .unwrap();
    let joined = Regex::new(r"temp_dir\(\)\s*\.join").unwrap();
    let mut wrong = Vec::new();
    let mut used: BTreeSet<&Place> = BTreeSet::new();
    for path in files(&[".rs", ".py", ".java", ".js", ".sh"]) {
        if path == Path::new(file!()) || path.starts_with("samples") || path.starts_with("benches/wild") {
            continue;
        }
        let lines = tested(&path);
        for (index, line) in lines.iter().enumerate() {
            let next = lines.get(index + 1).map_or("", |next| next.trim());
            let pair = format!("{line} {next}");
            let bare = shared.is_match(line) && (named.is_match(line) || !makes.is_match(&pair));
            if !bare && !absolute.is_match(line) && !joined.is_match(&format!("{}{next}", line.trim_end())) {
                continue;
            }
            let reasons: Vec<&Place> = PLACES
                .iter()
                .filter(|(file, part, _)| Path::new(file) == path && line.contains(part))
                .collect();
            if reasons.is_empty() {
                wrong.push(format!("{}: {}", path.display(), line.trim()));
            }
            used.extend(reasons);
        }
    }
    wrong.extend(
        PLACES
            .iter()
            .filter(|place| !used.contains(place))
            .map(|place| format!("{place:?} wants no reason any more")),
    );
    assert!(wrong.is_empty(), "make a folder (`tempfile`, `mktemp -d`):\n{}", wrong.join("\n"));
}
