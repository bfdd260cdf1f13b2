//! The Python environments of the host in which a project's tests may run, and what they need of the host.
//!
//! The project is not trusted: its files may name places, but only what looks like an environment is taken. Tools that keep environments
//! run code of the project when they are asked in its folder (plugins, collectors, the interpreter of an environment): they are asked for
//! their settings alone, in an empty folder.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use patchwright_protocol::Failure;
use patchwright_syntax::pattern::{Pattern, pattern};
use patchwright_syntax::walk::ENVIRONMENT_MARKS;
use tokio::runtime::Handle;

use super::home::home;
use super::survey::bytes_of;
use super::wrapper::Wrapper;
use crate::shell::QUOTES;

/// Names of folders in which people keep an environment, likeliest first.
const USUAL: &[&str] = &[".venv", "venv", "env", ".env"];
/// Folders of tools that keep an environment for each of their tasks.
const OF_TASKS: &[&str] = &[".tox", ".nox", ".hatch"];
/// Environments of tasks that are looked at, at most.
const TASKS: usize = 12;
/// Folders above a project that are looked into.
const ABOVE: usize = 3;
/// A tool of the host answers by then, or is not waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Absolute paths in the finder that setuptools makes for an editable installation.
static FINDER_PATH: Pattern = pattern!(r"'(/[^']+)'");
static PROJECT_NAME: Pattern = pattern!(r#"(?m)^name\s*=\s*["']([^"']+)["']"#);
static REPOSITORY_OPTION: Pattern = pattern!(r#"-Dmaven\.repo\.local=["']?([^\s"']+)"#);
static XML_COMMENT: Pattern = pattern!(r"(?s)<!--.*?-->");
static LOCAL_REPOSITORY: Pattern = pattern!(r"<localRepository>\s*([^<]*[^<\s])\s*</localRepository>");
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
    /// Where Maven keeps what it has downloaded, if it was told another place than the usual one.
    pub maven_repository: Option<PathBuf>,
    /// Files and folders that commands may need to read.
    pub readable: Vec<PathBuf>,
}

impl HostEnvironments {
    /// Looks for the environments of the project at `root` (absolute, without links), and for the environments and programs that a given
    /// test command names. Other files that it names are not shown.
    ///
    /// # Errors
    /// [`Failure::defect`] where the thread was lost that looks.
    pub async fn find(root: &Path, test: Option<&str>) -> Result<Self, Failure> {
        let (root, test) = (root.to_owned(), test.unwrap_or_default().to_owned());
        let runtime = Handle::current();
        // Tools are asked between reads of files.
        patchwright_blocking::spawn(move |_| runtime.block_on(Self::look(&root, &test))).await
    }

    async fn look(root: &Path, test: &str) -> Self {
        let mut found = Self::default();
        for word in test.split_whitespace() {
            found.add_named(root, word);
        }
        for name in USUAL {
            found.add(&format!("the environment {name}"), &root.join(name));
        }
        for (folder, name) in folders(root) {
            found.add(&format!("the environment {name}"), &folder);
        }
        for above in above(root) {
            for name in &USUAL[..2] {
                let folder = above.join(name);
                found.add(&format!("the environment {}", folder.display()), &folder);
            }
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
        let [args, opts] = ["MAVEN_ARGS", "MAVEN_OPTS"].map(|name| std::env::var(name).unwrap_or_default());
        found.maven_repository = home()
            .and_then(|home| named_repository(&[test, &args, &opts], &home))
            .filter(|folder| !folder.starts_with(root));
        found.readable.extend(found.maven_repository.clone());
        found.readable.extend(Wrapper::ALL.into_iter().filter_map(|wrapper| wrapper.unpacked(root)));
        let readable = found.python.iter().flat_map(|environment| needed_by(root, &environment.prefix));
        let readable: BTreeSet<PathBuf> = readable.chain(found.readable.clone()).collect();
        found.readable = readable.into_iter().collect();
        found
    }

    /// Adds an environment, if the folder is one that is not known yet.
    fn add(&mut self, name: &str, prefix: &Path) {
        let Ok(prefix) = prefix.canonicalize() else { return };
        let known = self.python.iter().any(|known| known.prefix == prefix);
        if !known && is_environment(&prefix) {
            self.python.push(PythonEnvironment { name: name.to_owned(), prefix });
        }
    }

    /// Adds what a word of a command names: a program of an environment, or one that lies where only the user has programs.
    fn add_named(&mut self, root: &Path, word: &str) {
        let Some(program) = host_path(root, word.trim_matches(QUOTES)).filter(|path| path.is_file()) else {
            return;
        };
        let Some(folder) = program.parent() else { return };
        if let Some(prefix) = folder.parent().filter(|prefix| is_environment(prefix)) {
            self.add(&format!("the environment {}", prefix.display()), prefix);
        } else if !program.starts_with(root) && is_executable(&program) {
            self.readable.extend(chain(&program));
            if let Some(interpreter) = shebang(&program)
                && let Some(prefix) = interpreter.ancestors().nth(2).filter(|prefix| is_environment(prefix))
            {
                self.add(&format!("the environment {}", prefix.display()), prefix);
            }
        }
    }

    /// Adds the environments that the project's tool keeps for it.
    async fn add_of_tools(&mut self, root: &Path) {
        let text = |name: &str| text_of(&root.join(name));
        let (home, pyproject) = (home(), text("pyproject.toml"));
        let at_home = |folder: &str| Some(home.as_ref()?.join(folder));
        let project = PROJECT_NAME.captures(&pyproject).map(|found| found[1].to_lowercase());
        if let Some(project) = project
            .as_ref()
            .filter(|_| root.join("poetry.lock").exists() || pyproject.contains("[tool.poetry"))
        {
            let told = ask(root, "poetry", &["config", "virtualenvs.path"]).await;
            let told = Some(PathBuf::from(told.trim())).filter(|folder| folder.is_absolute());
            for shelf in told.into_iter().chain(at_home(".cache/pypoetry/virtualenvs")) {
                for (folder, name) in folders(&shelf) {
                    if name.to_lowercase().starts_with(&format!("{project}-")) {
                        self.add(&format!("Poetry's environment {name}"), &folder);
                    }
                }
            }
        }
        // What names the project it was made for belongs to it: Pipenv's and virtualenvwrapper's.
        let shelves = std::env::var_os("WORKON_HOME").map(PathBuf::from).into_iter();
        let shelves = shelves.chain(at_home(".local/share/virtualenvs")).chain(at_home(".virtualenvs"));
        for (folder, name) in shelves.flat_map(|shelf| folders(&shelf)) {
            if Path::new(text_of(&folder.join(".project")).trim()) == root {
                self.add(&format!("the environment {name}, made for this folder"), &folder);
            }
        }
        if let Some(prefix) = Path::new(text(".pdm-python").trim()).ancestors().nth(2) {
            self.add("PDM's environment", prefix);
        }
        if let Some(project) = &project {
            let data =
                std::env::var_os("HATCH_DATA_DIR").map(PathBuf::from).or(at_home(".local/share/hatch"));
            let shelf = data.map(|data| data.join("env/virtual").join(project.replace(['_', '.'], "-")));
            for (folder, name) in
                shelf.iter().flat_map(|shelf| folders(shelf)).flat_map(|(shelf, _)| folders(&shelf))
            {
                self.add(&format!("Hatch's environment {name}"), &folder);
            }
        }
        if let Some(folder) = std::env::var_os("UV_PROJECT_ENVIRONMENT") {
            self.add("uv's environment", &root.join(folder));
        }
        let conda = [text("environment.yml"), text("environment.yaml")].concat();
        if let (Some(named), Some(known)) = (CONDA_NAME.captures(&conda), at_home(".conda/environments.txt"))
        {
            let known = text_of(&known);
            for prefix in known.lines().map(Path::new).filter(|prefix| prefix.ends_with(&named[1])) {
                self.add(&format!("conda's environment {}", &named[1]), prefix);
            }
        }
        let version = text(".python-version");
        let version = version.lines().next().unwrap_or_default().trim();
        let pyenv = std::env::var_os("PYENV_ROOT").map(PathBuf::from).or(at_home(".pyenv"));
        if let Some(pyenv) = pyenv.filter(|_| !version.is_empty() && !version.contains('/')) {
            self.add(&format!("pyenv's environment {version}"), &pyenv.join("versions").join(version));
        }
    }
}

/// The folders above a project, as far as they may be of the same repository: one that keeps several projects may keep an environment for all.
/// A folder that anybody may write to is nobody's.
fn above(root: &Path) -> impl Iterator<Item = &Path> {
    let is_top = |folder: &Path| folder.join(".git").exists() || Some(folder) == home().as_deref();
    let is_own = |folder: &Path| folder.metadata().is_ok_and(|found| found.permissions().mode() & 0o002 == 0);
    let mut below = root;
    root.ancestors().skip(1).take(ABOVE).take_while(move |folder| {
        let is_above = !is_top(below) && folder.parent().is_some() && is_own(folder);
        below = folder;
        is_above
    })
}

/// The path on the host that a word of a command names; `None` if it names none, or one that is the same in every copy of the project.
pub(crate) fn host_path(root: &Path, word: &str) -> Option<PathBuf> {
    let at_home = word.strip_prefix("~/").or_else(|| word.strip_prefix("$HOME/"));
    if let Some(rest) = at_home.or_else(|| word.strip_prefix("${HOME}/")) {
        return Some(home()?.join(rest));
    }
    if word.starts_with('/') {
        return Some(PathBuf::from(word));
    }
    word.contains('/').then_some(())?;
    // Copies of the project hold no environments, and nothing that lies beside it.
    let of_environment = |inside: &str| {
        let full = root.join(inside);
        let prefix = full.ancestors().nth(2)?;
        (prefix != root && !inside.contains("..") && is_environment(prefix)).then_some(full)
    };
    let Some(outside) = word.strip_prefix("../") else { return of_environment(word) };
    let full = root.join(word);
    let beside = full.parent().and_then(|folder| folder.canonicalize().ok()).zip(full.file_name());
    let beside = beside.map(|(folder, name)| folder.join(name));
    beside
        .filter(|full| !full.starts_with(root) && full.exists())
        // A command that changes into a folder of the project looks up from there.
        .or_else(|| of_environment(outside.trim_start_matches("../")))
}

/// The local repository that Maven was told: by a line of options, or by the settings of the user, which themselves are not shown, for
/// they may hold passwords (maven.apache.org/settings.html).
fn named_repository(lines: &[&str], home: &Path) -> Option<PathBuf> {
    let option = lines.iter().find_map(|line| Some(REPOSITORY_OPTION.captures(line)?[1].to_owned()));
    let named = option.or_else(|| {
        let settings = text_of(&home.join(".m2/settings.xml"));
        let settings = XML_COMMENT.replace_all(&settings, "");
        Some(LOCAL_REPOSITORY.captures(&settings)?[1].replace("${user.home}", &home.to_string_lossy()))
    })?;
    Some(PathBuf::from(named)).filter(|folder| folder.is_absolute() && folder.is_dir())
}

fn is_environment(prefix: &Path) -> bool {
    prefix.is_absolute()
        && prefix.join("bin/python").exists()
        && (ENVIRONMENT_MARKS.iter().any(|mark| prefix.join(mark).exists()) || is_installation(prefix))
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
    let base = base
        .as_deref()
        .and_then(Path::parent)
        .filter(|base| base.parent().is_some() && is_installation(base));
    needed.extend(base.map(Path::to_owned));
    for link in chain(&prefix.join("bin/python")) {
        needed.extend(link.ancestors().nth(2).filter(|base| is_installation(base)).map(Path::to_owned));
    }
    let is_inside = prefix.starts_with(root);
    for packages in libraries(prefix).map(|library| library.join("site-packages")) {
        let named = editable(&packages).into_iter().filter_map(|path| path.canonicalize().ok());
        // Copies of the project stand for the project itself. What an untrusted file names has to be a project or its sources.
        needed.extend(named.filter(|path| {
            !path.starts_with(root) && path.is_dir() && (!is_inside || is_project(path) || is_sources(path))
        }));
    }
    needed
}

/// Is true for the folder of sources of a project.
fn is_sources(folder: &Path) -> bool {
    folder.ends_with("src")
        && folder.parent().is_some_and(|above| Some(above) != home().as_deref() && is_project(above))
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
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

/// What a tool of the host prints about its settings; nothing if it is not there or fails. Neither the tool nor what it calls is looked
/// for inside of the project.
async fn ask(root: &Path, tool: &str, arguments: &[&str]) -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let outside = |folder: &PathBuf| {
        folder.is_absolute() && folder.canonicalize().is_ok_and(|folder| !folder.starts_with(root))
    };
    let folders: Vec<PathBuf> = std::env::split_paths(&path).filter(outside).collect();
    let program = folders.iter().map(|folder| folder.join(tool)).find(|program| program.is_file());
    let (Some(program), Ok(path), Ok(empty)) = (program, std::env::join_paths(&folders), tempfile::tempdir())
    else {
        return String::new();
    };
    let command = tokio::process::Command::new(program)
        .args(arguments)
        .current_dir(empty.path())
        .env("PATH", path)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output();
    match tokio::time::timeout(PATIENCE, command).await {
        Ok(Ok(output)) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn put(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Makes an environment that has installed something from each of these folders.
    fn environment(prefix: &Path, named: &[&Path]) {
        put(&prefix.join("bin/python"), "");
        put(&prefix.join("pyvenv.cfg"), "home = /root/.ssh/bin\n");
        let lines: Vec<String> = named.iter().map(|path| format!("{}\n", path.display())).collect();
        put(&prefix.join("lib/python3.11/site-packages/x.pth"), &lines.concat());
    }

    #[test]
    fn what_a_command_names_of_environments_is_found_from_its_folders_too() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let root = base.join("shop");
        environment(&root.join(".venv"), &[]);
        environment(&base.join("beside"), &[]);
        let check = |word: &str, expect: Option<&str>| {
            assert_eq!(host_path(&root, word), expect.map(|path| base.join(path)), "{word}");
        };
        check(".venv/bin/python", Some("shop/.venv/bin/python"));
        check("../.venv/bin/python", Some("shop/.venv/bin/python"));
        check("../../.venv/bin/python", Some("shop/.venv/bin/python"));
        check("../beside/bin/python", Some("beside/bin/python"));
        check("../src/../.venv/bin/python", None);
        check("../setup.py", None);
        check("tests/run.py", None);
    }

    #[tokio::test]
    async fn what_a_project_names_is_shown_as_far_as_it_is_an_environment_or_a_project() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (root, secret, other) = (base.join("shop"), base.join("secret"), base.join("other"));
        put(&secret.join("key"), "");
        put(&other.join("pyproject.toml"), "");
        put(&other.join("src/other.py"), "");
        put(&root.join("setup.py"), "");
        symlink(&secret, root.join("link")).unwrap();
        environment(&root.join(".venv"), &[&secret, &other.join("src"), &root.join("link"), &root]);
        // By another name the same folder of the project.
        environment(&root.join("evil"), &[&secret]);
        put(&root.join(".pdm-python"), &base.join("other/../shop/evil/bin/python").display().to_string());

        let host = HostEnvironments::find(&root, None).await.unwrap();
        let prefixes: Vec<&Path> = host.python.iter().map(|found| found.prefix.as_path()).collect();
        assert!(prefixes.starts_with(&[&root.join(".venv"), &root.join("evil")]), "{prefixes:?}");
        assert!(host.readable.contains(&other.join("src")), "{:?}", host.readable);
        let shows = |path: &Path| host.readable.iter().any(|shown| path.starts_with(shown));
        assert!(!shows(&secret.join("key")) && !shows(Path::new("/root/.ssh/key")), "{:?}", host.readable);

        // Of what the user names outside the environment is trusted.
        environment(&base.join("outside"), &[&secret]);
        let test = format!(
            "{} -m pytest {}",
            base.join("outside/bin/python").display(),
            secret.join("key").display()
        );
        let host = HostEnvironments::find(&root, Some(&test)).await.unwrap();
        assert_eq!(host.python[0].prefix, base.join("outside"));
        assert!(host.readable.contains(&secret) && !host.readable.contains(&secret.join("key")));
    }

    #[test]
    fn mavens_repository_is_where_options_or_settings_say() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let (first, second) = (home.join("first"), home.join("second"));
        fs::create_dir_all(&first).unwrap();
        fs::create_dir_all(&second).unwrap();
        assert_eq!(named_repository(&["mvn test"], home), None);
        let settings = "<settings>\n<!-- <localRepository>/usr</localRepository> -->\n\
                        <localRepository>\n ${user.home}/first </localRepository></settings>";
        put(&home.join(".m2/settings.xml"), settings);
        assert_eq!(named_repository(&["mvn test"], home), Some(first));
        let option = format!("mvn -q '-Dmaven.repo.local={}' test", second.display());
        assert_eq!(named_repository(&["", &option], home), Some(second));
        assert_eq!(named_repository(&["mvn -Dmaven.repo.local=/nowhere test"], home), None);
    }
}
