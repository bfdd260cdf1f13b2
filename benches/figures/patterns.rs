//! The fix patterns on the small samples: which bugs they repair, as the developer did or otherwise, and how long it takes;
//! and where the localisation ranks the first buggy line, by spectrum and by stack traces alone.
//!
//! `PATCHWRIGHT_SAMPLES` names other bugs: files in the format of `samples/manifest.toml`, with `:` between.

use std::path::{Path, PathBuf};
use std::process::Command;

use patchwright_syntax::{Language, normal_form};
use serde_json::Value;

use crate::quantile;

/// Seconds that a session may take.
const LIMIT: u64 = 300;

pub fn measure() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/small");
    let manifests: Vec<PathBuf> = match std::env::var_os("PATCHWRIGHT_SAMPLES") {
        Some(files) => std::env::split_paths(&files).collect(),
        None => ["python.toml", "java.toml"].map(|name| here.join(name)).to_vec(),
    };
    println!(
        "bug                        one change  result      golden  candidates  /min  s      rank by spectrum (EXAM)  by traces"
    );
    let mut rows: Vec<Row> = Vec::new();
    for manifest in manifests {
        let text = std::fs::read_to_string(&manifest).unwrap();
        let changes = text.lines().filter_map(|line| {
            line.strip_prefix("# one change")
                .map(|_| true)
                .or_else(|| line.strip_prefix("# several changes").map(|_| false))
        });
        let table: toml::Table = text.parse().unwrap();
        let bugs = table["bug"].as_array().unwrap();
        for (bug, single) in bugs.iter().zip(changes.map(Some).chain(std::iter::repeat(None))) {
            let row = repair(manifest.parent().unwrap(), bug.as_table().unwrap(), single);
            row.print();
            rows.push(row);
        }
    }
    summary(&rows);
}

/// What came of one bug.
struct Row {
    id: String,
    single: Option<bool>,
    plausible: bool,
    golden: bool,
    tried: u64,
    seconds: f64,
    /// Rank of the first buggy line and the share of lines to look at until it.
    spectrum: Option<(f64, f64)>,
    traces: Option<(f64, f64)>,
}

impl Row {
    fn print(&self) {
        let single = match self.single {
            Some(true) => "yes",
            Some(false) => "no",
            None => "?",
        };
        let rank = |found: Option<(f64, f64)>| {
            found.map_or("-".to_owned(), |(rank, exam)| format!("{rank:.1} ({exam:.3})"))
        };
        println!(
            "{:<26} {single:<11} {:<11} {:<7} {:>10} {:>5.0} {:>6.1}  {:<23}  {}",
            self.id,
            if self.plausible { "plausible" } else { "none" },
            if self.golden { "equal" } else { "-" },
            self.tried,
            self.tried as f64 / self.seconds * 60.0,
            self.seconds,
            rank(self.spectrum),
            rank(self.traces),
        );
    }
}

fn summary(rows: &[Row]) {
    let of = |wanted: fn(&&Row) -> bool| rows.iter().filter(wanted).collect::<Vec<_>>();
    for (words, part) in [
        ("repaired by one change", of(|row| row.single == Some(true))),
        ("needing several changes", of(|row| row.single == Some(false))),
        ("all", of(|_| true)),
    ] {
        if part.is_empty() {
            continue;
        }
        let mut seconds: Vec<f64> = part.iter().filter(|row| row.plausible).map(|row| row.seconds).collect();
        let median = if seconds.is_empty() { 0.0 } else { quantile(&mut seconds, 0.5) };
        println!(
            "{words}: {} bugs, {} plausible (median {median:.1} s), {} equal to the golden patch; first buggy line within the first \
             1/5/10 lines: by spectrum {}, by traces {}",
            part.len(),
            part.iter().filter(|row| row.plausible).count(),
            part.iter().filter(|row| row.golden).count(),
            within(&part, |row| row.spectrum),
            within(&part, |row| row.traces),
        );
    }
}

fn within(rows: &[&Row], found: fn(&Row) -> Option<(f64, f64)>) -> String {
    let count = |rank: f64| rows.iter().filter(|row| found(row).is_some_and(|(at, _)| at <= rank)).count();
    format!("{}/{}/{}", count(1.0), count(5.0), count(10.0))
}

fn repair(base: &Path, bug: &toml::Table, single: Option<bool>) -> Row {
    let id = bug["id"].as_str().unwrap().to_owned();
    let work = tempfile::tempdir().unwrap();
    let project = work.path().join(&id);
    let dir = base.join(bug["dir"].as_str().unwrap());
    let golden = base.join(bug["golden"].as_str().unwrap());
    // What a session must not see is not copied at all.
    copy(&dir, &project, &["golden.patch", "issue.md", "patchwright.toml", "trajectory.jsonl"]);
    let out = work.path().join("session");
    let limit = LIMIT.to_string();
    let result = program(
        &["repair", "--model", "patterns", "--json", "--time-limit", &limit, "--out", out.to_str().unwrap()],
        &project,
    );
    let patch = result["patch"].as_str();
    let rank = |more: &[&str]| {
        let golden = golden.to_str().unwrap();
        let found = program(&[&["localize", "--json", "--truth", golden], more].concat(), &project);
        Some((found["truth"]["rank"].as_f64()?, found["truth"]["exam"].as_f64()?))
    };
    Row {
        single,
        plausible: result["status"] == "plausible",
        golden: patch.is_some_and(|patch| same(&project, patch, &std::fs::read_to_string(&golden).unwrap())),
        tried: result["candidates"]["tried"].as_u64().unwrap_or_default(),
        seconds: result["seconds"]["total"].as_f64().unwrap_or_default(),
        spectrum: rank(&[]),
        traces: rank(&["--stack-traces"]),
        id,
    }
}

fn program(arguments: &[&str], project: &Path) -> Value {
    let output =
        Command::new(env!("CARGO_BIN_EXE_patchwright")).args(arguments).arg(project).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// Whether two patches make the same code of a project, comments and formatting aside.
fn same(project: &Path, one: &str, other: &str) -> bool {
    let of = |patch: &str| {
        let copied = tempfile::tempdir().unwrap();
        copy(project, copied.path(), &[]);
        let file = copied.path().join("the.patch");
        std::fs::write(&file, patch).unwrap();
        let applied =
            Command::new("git").args(["apply", "the.patch"]).current_dir(copied.path()).status().unwrap();
        assert!(applied.success(), "the patch does not apply");
        std::fs::remove_file(file).unwrap();
        forms(copied.path())
    };
    of(one) == of(other)
}

/// The normal forms of all files of a folder.
fn forms(folder: &Path) -> Vec<(String, String)> {
    let mut forms: Vec<(String, String)> = files(folder)
        .iter()
        .map(|path| {
            let text = std::fs::read(folder.join(path)).unwrap();
            (path.clone(), normal_form(Language::of_path(Path::new(path)), &text))
        })
        .collect();
    forms.sort();
    forms
}

fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with(".patchwright") || path.ends_with("__pycache__") {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found
}

fn copy(from: &Path, to: &Path, hidden: &[&str]) {
    for file in files(from).iter().filter(|file| !hidden.contains(&file.as_str())) {
        let target = to.join(file);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(from.join(file), target).unwrap();
    }
}
