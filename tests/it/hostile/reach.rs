//! What code under test reaches of the machine, in each sandbox: measured, and compared with the table in SECURITY.md.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use super::ground::{Ground, LIMIT, SYSTEM, end};
use super::is_thorough;
use super::language::{JAVA, Language, PYTHON};
use super::place::{NOBODY, Place, Sandbox, Who};
use super::share::of_today;
use crate::kit::{Model, goal, hypothesis, root, write};

/// Names of attacks.
type Names = BTreeSet<String>;

/// Makes attacks in a place: gives all, and those that got what they wanted.
type Attacks = fn(&Language, Place) -> (Names, Names);

/// Things of the host that attacks reach for; gone with this value.
struct Targets {
    process: Child,
    terminal: Child,
    _folders: [tempfile::TempDir; 2],
    segment: u32,
    given: String,
    _listeners: (UnixListener, UnixListener, TcpListener),
}

impl Targets {
    fn new(ground: &Ground, place: Place) -> Self {
        let name = format!("patchwright-target-{}-{:?}-{:?}", std::process::id(), place.sandbox, place.who);
        let folders = ["/tmp", "/dev/shm"].map(shared_folder);
        let files = folders.each_ref().map(|folder| folder.path().join(&name));
        for file in &files {
            write(file, b"of the host\n");
        }
        let (terminal, terminal_at) = terminal(place);
        // Of the user who runs the program, who may do with it what he likes.
        let prefix = place.user();
        let words: Vec<&str> = prefix.iter().copied().chain(["sleep", "600"]).collect();
        let process = Command::new(words[0]).args(&words[1..]).stdin(Stdio::null()).spawn().unwrap();
        let canary = ground.path("canary");
        let by_path = UnixListener::bind(canary.join("socket")).unwrap();
        std::fs::set_permissions(canary.join("socket"), PermissionsExt::from_mode(0o777)).unwrap();
        let by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let segment = 0x7061_0000 + process.id() % 0xffff;
        python(&format!("assert ctypes.CDLL(None).shmget({segment}, 4096, 0o1666) >= 0"));
        let given = [
            ("canary", canary.display().to_string()),
            ("system", SYSTEM.display().to_string()),
            ("terminal", terminal_at),
            ("temporary", files[0].display().to_string()),
            ("shared", files[1].display().to_string()),
            ("pid", process.id().to_string()),
            ("abstract", name),
            ("tcp", tcp.local_addr().unwrap().port().to_string()),
            ("udp", udp.local_addr().unwrap().port().to_string()),
            ("segment", segment.to_string()),
        ];
        let given = given.map(|(name, value)| format!("{name}={value}")).join("|");
        std::thread::spawn(move || {
            while let Ok((_, from)) = udp.recv_from(&mut [0]) {
                let _ = udp.send_to(b"y", from);
            }
        });
        let listeners = (by_path, by_name, tcp);
        Self { process, terminal, _folders: folders, segment, given, _listeners: listeners }
    }
}

impl Drop for Targets {
    fn drop(&mut self) {
        for process in [&mut self.process, &mut self.terminal] {
            let _ = process.kill();
            let _ = process.wait();
        }
        // IPC_RMID
        python(&format!(
            "library = ctypes.CDLL(None); library.shmctl(library.shmget({}, 0, 0), 0, None)",
            self.segment
        ));
    }
}

/// A folder of ours in one that all users share, in which they may write.
fn shared_folder(at: &str) -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("patchwright-target-").tempdir_in(at).unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    folder
}

/// Holds a terminal of the user's open; gives its path.
fn terminal(place: Place) -> (Child, String) {
    let owner = if place.who == Who::Nobody { NOBODY.to_string() } else { "os.getuid()".to_owned() };
    let line = format!(
        "import os, pty, sys; name = os.ttyname(pty.openpty()[1]); os.chown(name, {owner}, -1); \
         print(name, flush=True); sys.stdin.read()"
    );
    let mut command = Command::new("python3");
    let mut child = command.args(["-c", &line]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut name = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut name).unwrap();
    (child, name.trim().to_owned())
}

fn python(line: &str) {
    let status = Command::new("python3").args(["-c", &format!("import ctypes; {line}")]).status().unwrap();
    assert!(status.success(), "{line}");
}

/// The attacks that were made in a place, and those that reached what they wanted.
fn reached(language: &Language, place: Place) -> (Names, Names) {
    let ground = Ground::new(language, place);
    let targets = Targets::new(&ground, place);
    let source = language.source("reach", &[("given", &targets.given)]);
    let (record, run) = session(&ground, language, ("reach", &source), &[]);
    let baseline = record
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find(|event| event["event"] == "baseline")
        .unwrap_or_else(|| panic!("{run}"));
    let open: Names = baseline["known_failing"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    let total = usize::try_from(baseline["total"].as_u64().unwrap()).unwrap() - 1;
    let all: Names = names(&source);
    assert_eq!(all.len(), total, "all were made: {run}");
    (all, open)
}

/// What a session records whose only test is a program, with these candidates; and what was seen of the session.
fn session(
    ground: &Ground,
    language: &Language,
    (name, source): (&str, &str),
    candidates: &[String],
) -> (String, String) {
    let file = language.file(name);
    write(&ground.path("project").join(&file), source.as_bytes());
    ground.hand_over();
    let model = Model::saying(&[&[hypothesis()], candidates, &[goal()]].concat());
    let cycles = (candidates.len() + 1).to_string();
    let test = format!("{} {file}", language.interpreter);
    let words = ["--cycles", &cycles, "--test", &test, "--results", "lines", "--failing", "always"];
    let (run, took) = end(ground.repair(&model, &words), LIMIT * 2).expect("it ends");
    (ground.recorded(), format!("{} s: {run:?}", took.as_secs()))
}

/// The names of the attacks of a source.
fn names(source: &str) -> Names {
    let python = source.lines().filter_map(|line| line.strip_prefix("def ")?.strip_suffix("():"));
    let java = source.lines().filter_map(|line| line.trim().split_once("s.put(\"")?.1.split('"').next());
    python.chain(java).filter(|name| *name != "attack").map(str::to_owned).collect()
}

/// The places that were tried to the bounds of what a command may spend.
static SPENT: AtomicU32 = AtomicU32::new(0);
/// What a record keeps of one attack at most, in bytes.
const KEPT: usize = 4 << 20;

/// The attacks that take more than a command may have, one candidate each, and those that got it.
fn spent(language: &Language, place: Place) -> (Names, Names) {
    let ground = Ground::new(language, place);
    // So long that nobody else sleeps, and no other place that is tried at the same time.
    let number = SPENT.fetch_add(1, Ordering::Relaxed);
    let seconds = format!("{}{number}", 100_000 + std::process::id());
    let folder = shared_folder("/tmp");
    let folder = folder.path().to_str().unwrap();
    let source = language.source("spend", &[("seconds", &seconds), ("folder", folder)]);
    let all = names(&source);
    let candidates: Vec<String> = all.iter().map(|name| language.quote(name)).collect();
    let (record, run) = session(&ground, language, ("spend", &source), &candidates);
    let tried = record.matches("\"event\":\"candidate\"").count();
    assert_eq!(tried, all.len(), "{run}");
    println!("{place:?}, {}: {} bytes", language.name, record.len());
    let sleeps = Command::new("pgrep").args(["-f", &format!("sleep {seconds}")]).output().unwrap();
    let is_open = |name: &&String| match name.as_str() {
        "leaves_a_daemon_behind" => !sleeps.stdout.is_empty(),
        "prints_without_end" => record.len() > KEPT * all.len(),
        name => record.contains(&format!("reached: {name}")),
    };
    let open = all.iter().filter(is_open).cloned().collect();
    (all, open)
}

/// What SECURITY.md says: whether each attack, in words, is held in namespaces, by Landlock alone, and in containers.
fn table() -> BTreeMap<String, [bool; 3]> {
    let mut text = String::new();
    std::fs::File::open(root().join("SECURITY.md")).unwrap().read_to_string(&mut text).unwrap();
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let rows = text.lines().filter(|line| line.starts_with('|')).map(cells).filter(|cells| cells.len() == 4);
    let judged = rows.filter(|cells| cells[1..].iter().all(|cell| cell == "held" || cell == "open"));
    judged.map(|cells| (cells[0].clone(), [1, 2, 3].map(|column| cells[column] == "held"))).collect()
}

/// The languages in which a place is tried to the bounds of what a command may spend, which takes long: each sandbox once and each user,
/// or all of them.
fn spenders(place: Place) -> Vec<&'static Language> {
    if is_thorough() {
        return vec![&PYTHON, &JAVA];
    }
    match (place.sandbox, place.who) {
        (Sandbox::Namespaces | Sandbox::Docker, Who::Tester) | (Sandbox::Landlock, Who::Nobody) => {
            vec![&PYTHON]
        }
        (Sandbox::Namespaces, Who::Nobody) => vec![&JAVA],
        (Sandbox::Landlock, Who::Tester) | (Sandbox::Docker, Who::Nobody) | (Sandbox::Host, _) => Vec::new(),
    }
}

/// Makes the attacks of today in the places of a sandbox, and compares what they reach with the table.
fn holds(sandbox: Sandbox, column: usize) {
    let table = table();
    let mut worse = Vec::new();
    let mut rows: Vec<(Place, &Language, Attacks)> = Vec::new();
    for place in Place::all().iter().copied().filter(|place| place.sandbox == sandbox) {
        rows.extend([&PYTHON, &JAVA].map(|language| (place, language, reached as Attacks)));
        rows.extend(spenders(place).into_iter().map(|language| (place, language, spent as Attacks)));
    }
    let is_of_today = of_today(&format!("{sandbox:?}"));
    for (_, (place, language, made)) in rows.into_iter().enumerate().filter(|(row, _)| is_of_today(*row)) {
        let (all, open) = made(language, place);
        println!(
            "{place:?}, {}: {} of {} held; open: {open:?}",
            language.name,
            all.len() - open.len(),
            all.len()
        );
        let is_worse = |name: &&String| {
            table.get(&in_words(name)).is_some_and(|held| held[column] && open.contains(*name))
        };
        let told = |name: &String| format!("{place:?}, {}: {}", language.name, in_words(name));
        worse.extend(all.iter().filter(is_worse).map(told));
    }
    assert!(worse.is_empty(), "{}", worse.join("\n"));
}

fn in_words(name: &str) -> String {
    name.replace('_', " ")
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn namespaces_hold_what_is_said_of_them() {
    holds(Sandbox::Namespaces, 0);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn landlock_holds_what_is_said_of_it() {
    holds(Sandbox::Landlock, 1);
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn containers_hold_what_is_said_of_them() {
    holds(Sandbox::Docker, 2);
}

#[test]
fn all_that_is_said_is_tried_and_all_that_is_tried_is_said() {
    let sources = [&PYTHON, &JAVA].into_iter().flat_map(|language| {
        [language.source("reach", &[("given", "")]), language.source("spend", &[("seconds", "")])]
    });
    let tried: Names = sources.flat_map(|source| names(&source)).map(|name| in_words(&name)).collect();
    let said: Names = table().into_keys().collect();
    assert_eq!(tried, said);
}
