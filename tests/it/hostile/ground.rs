//! A place of our own for one session, with all that must come through it unharmed.

use std::fs;
use std::os::unix::fs::{PermissionsExt, lchown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, mpsc};
use std::time::{Duration, Instant};

use super::canary::{Canary, SECRET};
use super::language::Language;
use super::place::{NOBODY, Place, USER_PATH, Who};
use crate::kit::{Model, Run, program};

/// What the program may hold in its memory, in KiB: more than a sandbox gives a command, because that inherits it.
const MEMORY: u32 = 5 << 20;
/// A session that takes longer hangs.
pub const LIMIT: Duration = Duration::from_mins(2);

/// A folder of the system's in the place of which sessions see one of ours, with private files in it.
pub static SYSTEM: LazyLock<&'static Path> = LazyLock::new(|| {
    let places = ["/usr/local/src", "/usr/local/games", "/usr/src", "/opt"].map(Path::new);
    let is_empty = |place: &Path| place.read_dir().is_ok_and(|mut entries| entries.next().is_none());
    places.into_iter().find(|place| is_empty(place)).unwrap_or(places[3])
});

/// Folders for the project, its lanes and the canary.
pub struct Ground {
    folder: tempfile::TempDir,
    place: Place,
}

impl Ground {
    /// The folders, filled. Not in `/tmp`, which Landlock alone leaves to anybody.
    pub fn new(language: &Language, place: Place) -> Self {
        let folder = tempfile::Builder::new().prefix("hostile-").tempdir_in("/var/tmp").unwrap();
        let ground = Self { folder, place };
        for name in ["project", "lanes", "home", "canary", "system", "system/closed"] {
            fs::create_dir(ground.path(name)).unwrap();
        }
        for (name, mode) in
            [("public.txt", 0o644), ("private.txt", 0o600), ("group.txt", 0o640), ("closed/inner.txt", 0o644)]
        {
            let path = ground.path("system").join(name);
            fs::write(&path, "of the system\n").unwrap();
            fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        }
        // Not every file system has attributes.
        let flags = rustix::fs::XattrFlags::empty();
        let _ = rustix::fs::setxattr(ground.path("system/public.txt"), "user.of-the-host", b"x", flags);
        fs::set_permissions(ground.path("system/closed"), PermissionsExt::from_mode(0o700)).unwrap();
        // However slow the machine is, our runners do not end an attack.
        fs::write(ground.path("settings.toml"), "[env]\nPATCHWRIGHT_TEST_SECONDS = \"100\"\n").unwrap();
        language.put_project(&ground.path("project"));
        Canary::make(&ground.path("canary"));
        ground
    }

    /// Makes the project a worktree of a repository in the canary. Its message is a secret, because no lane needs it.
    pub fn make_worktree(&self) {
        let (project, main) = (self.path("project"), self.path("canary/main"));
        fs::rename(&project, &main).unwrap();
        let project = project.to_str().unwrap();
        let identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
        for words in [
            &["init", "-q", "-b", "main", "."][..],
            &["add", "-A"],
            &["commit", "-q", "-m", SECRET],
            &["worktree", "add", "-q", "-b", "side", project],
        ] {
            let mut git = Command::new("git");
            let done = git.args(identity).args(words).current_dir(&main).status().unwrap();
            assert!(done.success(), "git {words:?}");
        }
    }

    /// A text with the paths of what it names between `@`.
    pub fn named(&self, text: &str) -> String {
        let names = [
            ("@main@", "canary/main"),
            ("@canary@", "canary"),
            ("@project@", "project"),
            ("@results@", "results"),
        ];
        let put =
            |text: String, (word, name): (&str, &str)| text.replace(word, self.path(name).to_str().unwrap());
        names.into_iter().fold(text.to_owned(), put)
    }

    /// All files in what the program writes for its user, and whether each is a regular one.
    pub fn found(&self) -> Vec<(PathBuf, bool)> {
        let mut found = Vec::new();
        let mut open = vec![self.path("project/.patchwright"), self.path("results")];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    open.push(entry.path());
                } else {
                    found.push((entry.path(), kind.is_file()));
                }
            }
        }
        found
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Gives everything to the user who runs the program, and looks at the canary.
    pub fn hand_over(&self) -> Canary {
        if self.place.who == Who::Nobody {
            fs::set_permissions(self.folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
            give(self.folder.path());
            // Folders above the program may be closed to others.
            let (program, here) = (env!("CARGO_BIN_EXE_patchwright"), self.path("patchwright"));
            fs::hard_link(program, &here).or_else(|_| fs::copy(program, &here).map(drop)).unwrap();
        }
        Canary::of(&self.path("canary"))
    }

    /// The command that runs the program with these words.
    pub fn command(&self, words: &[String]) -> Command {
        self.limited(&format!("-d {MEMORY}"), words)
    }

    /// The same within another limit of the shell's.
    pub fn limited(&self, limit: &str, words: &[String]) -> Command {
        let own = program();
        let mut command = Command::new("unshare");
        let line = format!("mount --bind \"$1\" \"$2\" && shift 2 && ulimit {limit} && exec \"$@\"");
        // Who is not root becomes it where mounts are seen by nobody else.
        command.args(if is_root() { &["--mount"][..] } else { &["--mount", "--user", "--map-root-user"] });
        command
            .args(["sh", "-c", &line, "sh"])
            .arg(self.path("system"))
            .arg(*SYSTEM)
            .args(self.place.prefix());
        match self.place.who {
            Who::Tester => command.arg(own.get_program()),
            Who::Nobody => {
                command.env("HOME", self.path("home")).env("PATH", USER_PATH);
                command.arg(self.path("patchwright"))
            }
        };
        for (name, value) in own.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let (name, value) = Canary::variable();
        command.env("PATCHWRIGHT_CONFIG", self.path("settings.toml"));
        command.args(words).env(name, value).env("PATCHWRIGHT_LANES", self.path("lanes")).current_dir("/");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts a session with a model.
    pub fn repair(&self, model: &Model, words: &[&str]) -> Child {
        let mut all = self.place.words();
        all.extend(["--lanes", "2"]);
        if !words.contains(&"--timeout") {
            all.extend(["--timeout", "20s"]);
        }
        all.extend(words);
        self.command(&model.words(&self.path("project"), &all)).spawn().unwrap()
    }

    /// What is left in the folder for lanes.
    pub fn left(&self) -> Vec<PathBuf> {
        self.path("lanes").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    /// All that the sessions so far have recorded.
    pub fn recorded(&self) -> String {
        let regular = self.found().into_iter().filter(|(_, is_regular)| *is_regular);
        regular.map(|(path, _)| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()).collect()
    }
}

fn give(path: &Path) {
    lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.symlink_metadata().unwrap().is_dir() {
        path.read_dir().unwrap().for_each(|entry| give(&entry.unwrap().path()));
    }
}

/// What became of a session, and how long it took; `None` where it had to be killed after `limit`.
pub fn end(child: Child, limit: Duration) -> Option<(Run, Duration)> {
    let (began, process) = (Instant::now(), child.id());
    let (tell, told) = mpsc::channel();
    let waiting = std::thread::spawn(move || tell.send(child.wait_with_output()));
    let output = told.recv_timeout(limit);
    if output.is_err() {
        signal(process, "KILL");
    }
    waiting.join().unwrap().unwrap_or_default();
    Some((output.ok()?.unwrap().into(), began.elapsed()))
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Sends a signal to a process of ours.
pub fn signal(process: u32, name: &str) {
    Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status().unwrap();
}
