//! The recoverer on recorded replies: how many of the attempted entries come back, beside a plain decoder that
//! resynchronises and beside the reference's cleaning steps; and how fast, beside serde_json on clean text. The replies
//! are those in the folder that PATCHWRIGHT_CORPUS names; without it they are made up.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use patchwright_replies::{EntryCount, Recovered, entries, names_a_file, recover};
use serde_json::Value;

use crate::{quantile, times};

#[path = "../../replies/tests/truth/generate.rs"]
mod generate;
#[path = "../../replies/tests/truth/harm.rs"]
mod harm;
#[path = "../../replies/tests/truth/judge.rs"]
mod judge;

pub fn measure() {
    let folder = folder();
    let texts = folder.as_deref().map_or_else(made_up, read);
    let found: Vec<Vec<Recovered>> = texts.iter().map(|text| recover(text)).collect();
    entries_of_ours(&texts, &found);
    let attempted: usize = texts.iter().map(|text| patchwright_replies::attempted(text)).sum();
    let plain: usize = texts.iter().map(|text| resynchronising(text)).sum();
    println!("a plain resynchronising decoder: {plain} of {attempted}, {:.2} %", share(plain, attempted));
    match folder.as_deref().and_then(reference) {
        Some(count) => {
            println!(
                "the reference's cleaning steps: {count} of {attempted}, {:.2} %",
                share(count, attempted)
            );
        }
        None => println!(
            "the reference's cleaning steps: left out, there is no corpus or no python3 with json_repair"
        ),
    }
    speed(&texts, &found);
}

/// The folder with the replies.
fn folder() -> Option<PathBuf> {
    let Some(root) = std::env::var_os("PATCHWRIGHT_CORPUS").map(PathBuf::from) else {
        println!("PATCHWRIGHT_CORPUS is not set: the replies are made up");
        return None;
    };
    let inner = root.join("repairagent/raw_replies");
    Some(if inner.is_dir() { inner } else { root })
}

fn read(folder: &Path) -> Vec<String> {
    let mut files: Vec<PathBuf> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let files = files.iter().filter(|file| file.is_file());
    files.map(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned()).collect()
}

/// Files of replies that are glued to one another, about every fourth of them broken.
fn made_up() -> Vec<String> {
    let mut dice = generate::Dice::new(11);
    let mut reply = || {
        let value = generate::reply(&mut dice);
        let (text, next) = (generate::written(&value, &mut dice), String::new());
        let broken = if dice.below(4) == 0 {
            let harm = dice.one(&harm::ALL);
            harm::harmed(harm, &value, &text, &next, &mut dice)
        } else {
            None
        };
        broken.unwrap_or(text)
    };
    (0..60).map(|_| (0..60).map(|_| reply()).collect::<Vec<_>>().join("\n")).collect()
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn entries_of_ours(texts: &[String], found: &[Vec<Recovered>]) {
    let mut total = EntryCount::default();
    let (mut corrupted, mut cut) = (0, 0);
    for (text, values) in texts.iter().zip(found) {
        let count = EntryCount::new(text, values);
        total.attempted += count.attempted;
        total.recovered += count.recovered;
        total.damaged += count.damaged;
        for value in values {
            for entry in entries(value).iter().filter(|entry| !entry.damaged) {
                corrupted += usize::from(judge::is_corrupted(entry.members));
                cut += usize::from(judge::is_cut(entry.members, text, value.span.clone()));
            }
        }
    }
    println!(
        "ours: {} of {} attempted entries recovered, {:.2} %; {} damaged and said to be; {corrupted} corrupted \
         ({:.2} %); {cut} accepted though cut",
        total.recovered,
        total.attempted,
        share(total.recovered, total.attempted),
        total.damaged,
        share(corrupted, total.recovered)
    );
}

/// The entries that a strict decoder finds which, where it fails, goes on at the next byte.
fn resynchronising(text: &str) -> usize {
    let mut at = 0;
    let mut count = 0;
    while let Some(offset) = text[at..].find(['{', '[']) {
        let start = at + offset;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        at = match values.next() {
            Some(Ok(value)) => {
                count += count_entries(&value);
                start + values.byte_offset()
            }
            Some(Err(_)) | None => start + 1,
        };
    }
    count
}

fn count_entries(value: &Value) -> usize {
    match value {
        Value::Object(members) => {
            usize::from(names_a_file(members)) + members.values().map(count_entries).sum::<usize>()
        }
        Value::Array(elements) => elements.iter().map(count_entries).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// What the reference does with a reply, done to whole files: the part in the first fence, json_repair, json.loads.
const REFERENCE: &str = r#"
import json, pathlib, sys
from json_repair import repair_json
def count(value):
    if isinstance(value, dict):
        names = any(key in ("file_name", "file_path") and isinstance(value[key], str) for key in value)
        return names + sum(map(count, value.values()))
    return sum(map(count, value)) if isinstance(value, list) else 0
total = 0
for file in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    if not file.is_file():
        continue
    text = file.read_text(errors="replace")
    if "```" in text:
        text = text[text.index("```"):]
        second = text.find("```", 3)
        if second > 0:
            text = "\n".join(text[:second].split("\n")[1:])
    try:
        total += count(json.loads(repair_json(text)))
    except Exception:
        pass
print(total)
"#;

fn reference(folder: &Path) -> Option<usize> {
    let mut command = Command::new("python3");
    let output = command.args(["-c", REFERENCE]).arg(folder).stderr(Stdio::null()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Megabytes a second, from the fastest of some runs: others use the machine, too.
fn rate(bytes: usize, work: impl FnMut()) -> f64 {
    bytes as f64 / 1e6 / quantile(&mut times(25, work), 0.0)
}

fn speed(texts: &[String], found: &[Vec<Recovered>]) {
    let mut values = Vec::new();
    for (text, found) in texts.iter().zip(found) {
        let clean = found.iter().filter(|one| one.repairs.is_empty() && one.damage.is_empty());
        values.extend(clean.map(|one| &text[one.span.clone()]));
    }
    let stream = values.join("\n");
    let strict = rate(stream.len(), || {
        let read = serde_json::Deserializer::from_str(&stream).into_iter::<Value>().filter_map(Result::ok);
        assert_eq!(std::hint::black_box(read.collect::<Vec<_>>()).len(), values.len());
    });
    println!("serde_json's stream of values, clean text: {strict:.0} MB/s");
    let tell = |name: &str, rate: f64| println!("ours, {name}: {rate:.0} MB/s, {:.2} of that", rate / strict);
    let clean = values.join("\n```\n\nThe next one (see above):\n\n```json\n");
    tell(
        "clean text between prose and fences",
        rate(clean.len(), || drop(std::hint::black_box(recover(&clean)))),
    );
    let broken: Vec<&String> = texts
        .iter()
        .zip(found)
        .filter(|(_, found)| found.iter().any(|one| !one.repairs.is_empty() || !one.damage.is_empty()))
        .map(|(text, _)| text)
        .collect();
    let bytes = broken.iter().map(|text| text.len()).sum();
    let name = format!("{} files with something broken", broken.len());
    tell(&name, rate(bytes, || broken.iter().for_each(|text| drop(std::hint::black_box(recover(text))))));
    pathological(strict);
}

/// Ten megabytes of one thing.
fn pathological(strict: f64) {
    const PIECES: &[&str] = &[
        "[",
        "{",
        "\"",
        "\\",
        "{\"a\":",
        "[\"",
        "\\\"",
        "'",
        "`",
        "/*",
        "//",
        "(",
        "[[],",
        "{\"file_name\":",
        "\"\"\"",
        "[\"print(\"a\", \"b\");\",",
        "{\"file_name\": \"a[",
    ];
    let mut slowest = (f64::MAX, String::new());
    for piece in PIECES {
        for piece in [(*piece).to_owned(), format!("{piece}\n")] {
            let text = piece.repeat(10_000_000 / piece.len());
            let seconds = times(1, || drop(std::hint::black_box(recover(&text))))[0];
            let rate = text.len() as f64 / 1e6 / seconds;
            if rate < slowest.0 {
                slowest = (rate, piece);
            }
        }
    }
    println!(
        "ours, 10 MB of one thing again and again, {} things: the slowest, {:?}, {:.0} MB/s, {:.2} of serde_json's",
        2 * PIECES.len(),
        slowest.1,
        slowest.0,
        slowest.0 / strict
    );
}
