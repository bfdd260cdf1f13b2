//! The host's tool chain: which folders a build or a test needs to read, and which must never be shown.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::environment::{TOOL_FOLDERS, TOOL_PATHS};

/// The system's own folders, shown as they are. `/etc` is shown in part.
pub(crate) const SYSTEM: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/gnu"];

/// Tool chains in a user's home. Of those that also keep credentials only the harmless parts are named.
const IN_HOME: &[&str] = &[
    ".ant/lib",
    ".asdf",
    ".bun/bin",
    ".cargo/bin",
    ".cargo/git",
    ".cargo/registry",
    ".conda/envs",
    ".conda/pkgs",
    ".deno/bin",
    ".gradle/caches",
    ".gradle/jdks",
    ".gradle/wrapper",
    ".ivy2/cache",
    ".jabba/jdk",
    ".jdks",
    ".jenv",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/uv",
    ".m2/repository",
    ".m2/wrapper",
    ".nix-profile",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman/candidates",
    ".volta",
    "anaconda3",
    "go/bin",
    "go/pkg",
    "mambaforge",
    "micromamba",
    "miniconda3",
    "miniforge3",
];

/// Places in a home that hold secrets: not shown even when a variable or a request points there.
const SECRET_IN_HOME: &[&str] = &[
    ".aws",
    ".azure",
    ".config",
    ".docker",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".local/share/keyrings",
    ".mozilla",
    ".netrc",
    ".password-store",
    ".ssh",
    ".thunderbird",
];

/// Programs that need what lies beside their `bin`, and a part of that by which it is known.
const TOOLS: &[(&str, &str)] = &[
    ("java", "release"),
    ("javac", "release"),
    ("mvn", "boot"),
    ("ant", "lib/ant.jar"),
    ("gradle", "lib/plugins"),
];

/// The part of the host that is shown besides [`SYSTEM`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Toolchain {
    /// The user's home, of which only the tool chains are shown.
    pub(crate) home: Option<PathBuf>,
    /// Existing files and folders to show read-only, sorted, none inside another or inside [`SYSTEM`].
    pub(crate) readable: Vec<PathBuf>,
    /// Those of them that only a variable names and that lie outside the home: what is private in them is not needed.
    pub(crate) shared: Vec<PathBuf>,
    /// Existing files and folders inside [`SYSTEM`] that are needed, also where they are private.
    pub(crate) in_system: Vec<PathBuf>,
    /// The paths that were asked for and are not shown, and why.
    pub(crate) notes: Vec<String>,
}

impl Toolchain {
    /// Finds the tool chain from the parent's variables and the paths asked for.
    pub(crate) fn find(variable: impl Fn(&str) -> Option<String>, asked: &[PathBuf]) -> Self {
        let home =
            variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute() && home.parent().is_some());
        let mut toolchain = Self { home: home.clone(), ..Self::default() };
        let mut wanted = BTreeSet::new();
        if let Some(home) = &home {
            wanted.extend(IN_HOME.iter().map(|folder| home.join(folder)));
        }
        let path = variable("PATH").unwrap_or_default();
        let path: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let programs = path.iter().flat_map(|folder| TOOLS.iter().map(|(program, _)| folder.join(program)));
        let homes: Vec<PathBuf> =
            programs.chain(asked.iter().cloned()).filter_map(|program| tool_home(&program)).collect();
        let named = TOOL_FOLDERS.iter().filter_map(|name| variable(name)).map(PathBuf::from);
        let listed: Vec<PathBuf> = TOOL_PATHS
            .iter()
            .filter_map(|name| variable(name))
            .flat_map(|list| std::env::split_paths(&list).collect::<Vec<_>>())
            .collect();
        let hidden = |path: &Path| toolchain.hides(path);
        // What the variables point to is shown where it may be, in silence: nobody asked for it by name.
        let all = path.into_iter().chain(named).chain(listed).chain(homes);
        wanted.extend(all.filter(|path| !hidden(path)));
        let (refused, granted): (Vec<_>, Vec<_>) = asked.iter().cloned().partition(|path| hidden(path));
        wanted.extend(granted);
        toolchain.notes.extend(
            refused
                .into_iter()
                .map(|path| format!("{} is not shown inside: secrets may lie there", path.display())),
        );
        let (existing, asked) = (with_targets(wanted), with_targets(asked.iter().cloned().collect()));
        toolchain.in_system = existing.iter().filter(|path| is_of_system(path)).cloned().collect();
        toolchain.readable = outermost(&existing);
        let is_shared = |path: &&PathBuf| {
            let in_home = home.as_ref().is_some_and(|home| path.starts_with(home));
            !in_home && !asked.iter().any(|asked| asked.starts_with(path) || path.starts_with(asked))
        };
        toolchain.shared = toolchain.readable.iter().filter(is_shared).cloned().collect();
        toolchain
    }

    /// Is true if showing this path would show the home itself or a secret in it.
    fn hides(&self, path: &Path) -> bool {
        let Some(home) = &self.home else { return path.parent().is_none() };
        let reaches = |path: &Path| {
            path.parent().is_none()
                || home.starts_with(path)
                || SECRET_IN_HOME.iter().any(|secret| path.starts_with(home.join(secret)))
        };
        reaches(path) || path.canonicalize().is_ok_and(|real| reaches(&real))
    }
}

/// The folder that a program of [`TOOLS`] was installed in, links followed.
fn tool_home(program: &Path) -> Option<PathBuf> {
    let name = program.file_name()?;
    let (_, part) = TOOLS.iter().find(|(tool, _)| name == *tool)?;
    let home = program.canonicalize().ok()?.ancestors().nth(2)?.to_owned();
    home.join(part).exists().then_some(home)
}

impl Toolchain {
    /// Is true if a folder is neither a part of what is shown nor holds all of it, so that something else may stand in its place.
    pub(crate) fn leaves_free(&self, folder: &Path) -> bool {
        let is_within = |other: &Path| folder.starts_with(other) || folder == Path::new("/");
        let own = ["/etc", "/proc", "/dev", "/sys", "/run"].map(Path::new);
        let shown = SYSTEM.iter().map(Path::new).chain(own).chain(self.readable.iter().map(PathBuf::as_path));
        folder.is_absolute() && !shown.into_iter().any(is_within) && self.home.as_deref() != Some(folder)
    }
}

/// Keeps what exists, and adds where symbolic links lead.
fn with_targets(wanted: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut all = BTreeSet::new();
    for path in wanted {
        if !path.is_absolute() || path.to_str().is_none() {
            continue;
        }
        if let Ok(real) = path.canonicalize() {
            all.insert(real);
            all.insert(path);
        }
    }
    all
}

fn is_of_system(path: &Path) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system))
}

/// Drops what lies inside something else, or is shown or made anyway.
fn outermost(all: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let inside = |path: &Path, other: &Path| path != other && path.starts_with(other);
    let needed = |path: &&PathBuf| {
        !is_of_system(path)
            && !path.starts_with("/etc")
            && !path.starts_with("/proc")
            && !path.starts_with("/dev")
            && !all.iter().any(|other| inside(path, other))
    };
    all.iter().filter(needed).cloned().collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn shows_tool_chains_and_no_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let home = root.join("home/some one");
        for path in [
            ".m2/repository",
            ".ssh",
            ".pyenv/shims",
            ".config/tool/bin",
            "bin",
            "opt/node_modules",
            "work/venv/bin",
        ] {
            fs::create_dir_all(home.join(path)).unwrap();
        }
        fs::create_dir_all(root.join("tools/bin")).unwrap();
        for file in ["jdk/bin/java", "jdk/release", "maven/bin/mvn", "maven/boot/plexus.jar", "misc/bin/ant"]
        {
            let file = home.join("opt").join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        symlink(home.join("opt/maven/bin/mvn"), home.join("bin/mvn")).unwrap();
        symlink(root.join("tools"), home.join(".rustup")).unwrap();
        let join = |paths: &[&Path]| std::env::join_paths(paths).unwrap().into_string().unwrap();
        let variables = |name: &str| match name {
            "HOME" => home.to_str().map(str::to_owned),
            "PATH" => Some(join(&[
                Path::new("/usr/bin"),
                &home.join(".pyenv/shims"),
                &home.join("bin"),
                &home.join(".config/tool/bin"),
                &home,
                Path::new("relative"),
                &root.join("nowhere"),
            ])),
            "NODE_PATH" => Some(join(&[
                &home.join("opt/node_modules"),
                &home.join(".ssh"),
                Path::new("lib"),
                Path::new("/usr/share/nodejs"),
            ])),
            "VIRTUAL_ENV" => home.join("work/venv").to_str().map(str::to_owned),
            _ => None,
        };
        let asked = [
            home.join(".ssh"),
            home.join(".."),
            root.join("tools/bin"),
            home.join("opt/jdk/bin/java"),
            home.join("opt/misc/bin/ant"),
        ];
        let found = Toolchain::find(variables, &asked);
        let mut expect: Vec<_> = [
            ".m2/repository",
            ".pyenv",
            ".rustup",
            "bin",
            "opt/jdk",
            "opt/maven",
            "opt/misc/bin/ant",
            "opt/node_modules",
            "work/venv",
        ]
        .map(|path| home.join(path))
        .into();
        expect.push(root.join("tools"));
        assert_eq!(found.readable, expect);
        assert_eq!(found.notes.len(), 2, "{:?}", found.notes);
        assert_eq!(found.home, Some(home.clone()));
    }

    #[test]
    fn without_a_home_nothing_of_one_is_shown() {
        for home in [None, Some("/"), Some("relative")] {
            let variables = |name: &str| (name == "HOME").then_some(home?.to_owned());
            assert_eq!(Toolchain::find(variables, &[PathBuf::from("/")]).readable, Vec::<PathBuf>::new());
        }
    }
}
