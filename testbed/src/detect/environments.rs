//! The Python environments of the host in which a project's tests may run, and what they need of the host.
//!
//! The project is not trusted: its files may name places, but only what looks like an environment is taken, and tools that would
//! run code of the project to answer (PDM's local plugins, Hatch's required ones) are not asked.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use super::survey::bytes_of;
use crate::pattern::{Pattern, pattern};

/// Names of folders in which people keep an environment, likeliest first.
const USUAL: &[&str] = &[".venv", "venv", "env", ".env"];
/// Folders of tools that keep an environment for each of their tasks.
const OF_TASKS: &[&str] = &[".tox", ".nox", ".hatch"];
/// Environments of tasks that are looked at, at most.
const TASKS: usize = 12;
/// What makes a folder an environment.
const MARKS: &[&str] = &["pyvenv.cfg", "conda-meta"];
/// A tool of the host answers by then, or is not waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Absolute paths in the finder that setuptools makes for an editable installation.
static FINDER_PATH: Pattern = pattern!(r"'(/[^']+)'");
static PROJECT_NAME: Pattern = pattern!(r#"(?m)^name\s*=\s*["']([^"']+)["']"#);
static CONDA_NAME: Pattern = pattern!(r"(?m)^name:\s*([\w.-]+)");

/// A Python environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonEnvironment {
    /// For people: `the environment .venv`, `Poetry's environment /home/…`.
    pub name: String,
    /// Its folder, absolute.
    pub prefix: PathBuf,
}

impl PythonEnvironment {
    /// The interpreter.
    pub fn interpreter(&self) -> PathBuf {
        self.prefix.join("bin/python")
    }
}

/// What of the host a project's tests may use, besides the system's own folders.
#[derive(Clone, Debug, Default)]
pub struct HostEnvironments {
    /// Python environments, the likeliest first.
    pub python: Vec<PythonEnvironment>,
    /// Files and folders that commands may need to read.
    pub readable: Vec<PathBuf>,
}

impl HostEnvironments {
    /// Looks for the environments of the project at `root` (absolute), and for what a given test command names.
    pub async fn find(root: &Path, test: Option<&str>) -> Self {
        let mut found = Self::default();
        for word in test.unwrap_or_default().split_whitespace() {
            found.add_named(root, word);
        }
        for name in USUAL {
            found.add(&format!("the environment {name}"), &root.join(name));
        }
        for (folder, name) in folders(root) {
            found.add(&format!("the environment {name}"), &folder);
        }
        found.add_of_tools(root).await;
        for variable in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
            if let Some(prefix) = std::env::var_os(variable) {
                found.add("the active environment", Path::new(&prefix));
            }
        }
        for (folder, name) in OF_TASKS.iter().flat_map(|tool| folders(&root.join(tool))).take(TASKS) {
            let tool = folder.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
            found.add(&format!("the environment {tool}/{name}"), &folder);
        }
        let readable = found.python.iter().flat_map(|environment| needed_by(root, &environment.prefix));
        let readable: BTreeSet<PathBuf> = readable.chain(found.readable.clone()).collect();
        found.readable = readable.into_iter().collect();
        found
    }

    /// Adds an environment, if the folder is one that is not known yet.
    fn add(&mut self, name: &str, prefix: &Path) {
        let known = self.python.iter().any(|known| known.prefix == prefix);
        if !known && is_environment(prefix) {
            self.python.push(PythonEnvironment { name: name.to_owned(), prefix: prefix.to_owned() });
        }
    }

    /// Adds what a word of a command names: a program of an environment, or one that lies where only the user has programs.
    fn add_named(&mut self, root: &Path, word: &str) {
        let Some(program) = host_path(root, word).filter(|path| path.is_file()) else { return };
        let Some(folder) = program.parent() else { return };
        if let Some(prefix) = folder.parent().filter(|prefix| is_environment(prefix)) {
            self.add(&format!("the environment {}", prefix.display()), prefix);
        } else if !program.starts_with(root) {
            self.readable.extend(chain(&program));
            if let Some(interpreter) = shebang(&program)
                && let Some(prefix) = interpreter.ancestors().nth(2).filter(|prefix| is_environment(prefix))
            {
                self.add(&format!("the environment {}", prefix.display()), prefix);
            }
        }
    }

    /// Adds the environments that the project's tool for them knows.
    async fn add_of_tools(&mut self, root: &Path) {
        let text = |name: &str| text_of(&root.join(name));
        let (home, pyproject) = (home(), text("pyproject.toml"));
        let project = PROJECT_NAME.captures(&pyproject).map(|found| found[1].to_lowercase());
        if root.join("poetry.lock").exists() || pyproject.contains("[tool.poetry") {
            // Plugins that the project holds would run outside of any sandbox.
            let told = ask(root, "poetry", &["--no-plugins", "env", "info", "--path"]).await;
            self.add_told("Poetry's environment", &told);
            if let (Some(home), Some(project)) = (&home, project) {
                let mine = |name: &str| name.to_lowercase().starts_with(&format!("{project}-"));
                for (folder, name) in folders(&home.join(".cache/pypoetry/virtualenvs")) {
                    if mine(&name) {
                        self.add(&format!("Poetry's environment {name}"), &folder);
                    }
                }
            }
        }
        if root.join("Pipfile").exists() {
            self.add_told("Pipenv's environment", &ask(root, "pipenv", &["--venv"]).await);
        }
        // What names the project it was made for belongs to it: Pipenv's and virtualenvwrapper's.
        let shelves = [std::env::var_os("WORKON_HOME").map(PathBuf::from)];
        let at_home = [".local/share/virtualenvs", ".virtualenvs"];
        let at_home = at_home.iter().filter_map(|folder| Some(home.as_ref()?.join(folder)));
        for (folder, name) in shelves.into_iter().flatten().chain(at_home).flat_map(|shelf| folders(&shelf)) {
            let project = text_of(&folder.join(".project"));
            if Path::new(project.trim()) == root {
                self.add(&format!("the environment {name}, made for this folder"), &folder);
            }
        }
        let pdm = text(".pdm-python");
        if let Some(prefix) = Path::new(pdm.trim()).ancestors().nth(2) {
            self.add("PDM's environment", prefix);
        }
        let hatch = text("hatch.toml");
        let requires = [&pyproject, &hatch].iter().any(|text| text.contains("requires-plugins"));
        if (pyproject.contains("[tool.hatch.env") || !hatch.is_empty()) && !requires {
            for environment in ["hatch-test", "default"] {
                for line in ask(root, "hatch", &["env", "find", environment]).await.lines() {
                    self.add("Hatch's environment", Path::new(line.trim()));
                }
            }
        }
        if let Some(folder) = std::env::var_os("UV_PROJECT_ENVIRONMENT") {
            self.add("uv's environment", &root.join(folder));
        }
        let conda = [text("environment.yml"), text("environment.yaml")].concat();
        if let (Some(named), Some(home)) = (CONDA_NAME.captures(&conda), &home) {
            let known = text_of(&home.join(".conda/environments.txt"));
            for prefix in known.lines().map(Path::new).filter(|prefix| prefix.ends_with(&named[1])) {
                self.add(&format!("conda's environment {}", &named[1]), prefix);
            }
        }
        let version = text(".python-version");
        let versions =
            std::env::var_os("PYENV_ROOT").map(PathBuf::from).or(home.map(|home| home.join(".pyenv")));
        if let (Some(version), Some(pyenv)) = (version.lines().next().map(str::trim), versions)
            && !version.is_empty()
            && !version.contains('/')
        {
            self.add(&format!("pyenv's environment {version}"), &pyenv.join("versions").join(version));
        }
    }

    fn add_told(&mut self, name: &str, told: &str) {
        let folder = told.lines().next().unwrap_or_default().trim();
        self.add(&format!("{name} {folder}"), Path::new(folder));
    }
}

/// The path on the host that a word of a command names; `None` if it names none, or one that is the same in every copy of the project.
pub(super) fn host_path(root: &Path, word: &str) -> Option<PathBuf> {
    let word = word.trim_matches(['"', '\'']);
    let at_home = word.strip_prefix("~/").or_else(|| word.strip_prefix("$HOME/"));
    if let Some(rest) = at_home.or_else(|| word.strip_prefix("${HOME}/")) {
        return Some(home()?.join(rest));
    }
    if word.starts_with('/') {
        return Some(PathBuf::from(word));
    }
    let full = word.contains('/').then(|| root.join(word))?;
    // Copies of the project hold no environments, and nothing that lies beside it.
    let environment = full.ancestors().nth(2).is_some_and(|prefix| prefix != root && is_environment(prefix));
    if environment && full.starts_with(root) && !word.contains("..") {
        return Some(full);
    }
    let folder = full.parent().filter(|_| word.starts_with("../"))?.canonicalize().ok()?;
    Some(folder.join(full.file_name()?)).filter(|full| !full.starts_with(root))
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

fn is_environment(prefix: &Path) -> bool {
    prefix.is_absolute()
        && prefix.join("bin/python").exists()
        && (MARKS.iter().any(|mark| prefix.join(mark).exists()) || is_installation(prefix))
}

/// Whether a folder holds a Python with its library.
fn is_installation(prefix: &Path) -> bool {
    libraries(prefix).any(|library| library.join("os.py").is_file())
}

/// `lib/python3.11` and its like.
fn libraries(prefix: &Path) -> impl Iterator<Item = PathBuf> {
    let found = folders(&prefix.join("lib")).into_iter();
    found.filter(|(_, name)| name.starts_with("python3")).map(|(folder, _)| folder)
}

/// The folders in a folder with their names, in order; none if it cannot be read.
fn folders(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| (entry.path(), entry.file_name().to_string_lossy().into_owned()))
        .collect();
    found.sort();
    found
}

/// What an environment needs to be shown: itself, the Python that it was made from, and what it has installed from elsewhere.
fn needed_by(root: &Path, prefix: &Path) -> Vec<PathBuf> {
    let mut needed = vec![prefix.to_owned()];
    let config = text_of(&prefix.join("pyvenv.cfg"));
    let base = config.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "home").then(|| PathBuf::from(value.trim()))
    });
    // `home` is the folder of the interpreter; its library lies beside that.
    let base = base.as_deref().and_then(Path::parent).filter(|base| is_installation(base));
    needed.extend(base.map(Path::to_owned));
    for link in chain(&prefix.join("bin/python")) {
        needed.extend(link.ancestors().nth(2).filter(|base| is_installation(base)).map(Path::to_owned));
    }
    for packages in libraries(prefix).map(|library| library.join("site-packages")) {
        needed.extend(editable(&packages).into_iter().filter(|path| {
            // Copies of the project stand for the project itself. What an untrusted file names has to look like a project.
            let projects = || path.ancestors().take(2).any(is_project);
            !path.starts_with(root) && path.is_dir() && (!prefix.starts_with(root) || projects())
        }));
    }
    needed
}

fn is_project(folder: &Path) -> bool {
    ["pyproject.toml", "setup.py", "setup.cfg"].iter().any(|file| folder.join(file).is_file())
}

/// The folders elsewhere that a folder of packages names: by `.pth` files, or the finder of an editable installation.
fn editable(packages: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(packages).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_finder = entry.file_name().to_string_lossy().starts_with("__editable__");
        match path.extension().and_then(OsStr::to_str) {
            Some("pth" | "egg-link") => {
                found.extend(text_of(&path).lines().filter(|line| line.starts_with('/')).map(PathBuf::from));
            }
            Some("py") if is_finder => {
                found
                    .extend(FINDER_PATH.captures_iter(&text_of(&path)).map(|found| PathBuf::from(&found[1])));
            }
            Some(_) | None => {}
        }
    }
    found
}

/// The text of a file that the project may have made; nothing of what is no regular file of a bearable size.
fn text_of(path: &Path) -> String {
    String::from_utf8_lossy(&bytes_of(path)).into_owned()
}

/// A file and the files that lead to it as links, one after the other.
fn chain(file: &Path) -> Vec<PathBuf> {
    let mut all = vec![file.to_owned()];
    while all.len() < 16
        && let Some(last) = all.last()
        && let Ok(target) = std::fs::read_link(last)
    {
        let next = last.parent().unwrap_or(Path::new("/")).join(target);
        all.push(next);
    }
    all
}

/// The interpreter that a script names in its first line.
fn shebang(script: &Path) -> Option<PathBuf> {
    let mut start = [0; 256];
    let read = std::io::Read::read(&mut std::fs::File::open(script).ok()?, &mut start).ok()?;
    let line = String::from_utf8_lossy(&start[..read]);
    let interpreter = line.lines().next()?.strip_prefix("#!")?.split_whitespace().next()?;
    Some(PathBuf::from(interpreter))
}

/// What a tool of the host prints; nothing if it is not there or fails. It is never looked for inside of the project.
async fn ask(root: &Path, tool: &str, arguments: &[&str]) -> String {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut folders =
        std::env::split_paths(&folders).filter(|folder| folder.is_absolute() && !folder.starts_with(root));
    let Some(program) =
        folders.find_map(|folder| Some(folder.join(tool)).filter(|program| program.is_file()))
    else {
        return String::new();
    };
    let command = tokio::process::Command::new(program)
        .args(arguments)
        .current_dir(root)
        // Pipenv would load the project's `.env` file.
        .env("PIPENV_DONT_LOAD_ENV", "1")
        .env("PIPENV_VERBOSITY", "-1")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output();
    match tokio::time::timeout(PATIENCE, command).await {
        Ok(Ok(output)) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        _ => String::new(),
    }
}
