//! How many honest changes are marked, measured with commits of projects.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use patchwright_syntax::is_test;

use super::*;

/// The greatest part of honest changes that may be marked, in percent.
const MOST_MARKED: usize = 2;

/// The files of one commit of a repository.
struct Tree<'r> {
    repository: &'r Path,
    files: BTreeSet<String>,
}

impl ProjectContents for Tree<'_> {
    fn contains(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        self.files.contains(path)
            || self.files.range(folder.clone()..).next().is_some_and(|file| file.starts_with(&folder))
    }
}

fn git(repository: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new("git").arg("--git-dir").arg(repository).args(arguments).output().unwrap();
    output.status.success().then_some(output.stdout)
}

fn lines(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
}

/// Whether a file is production code, by its path.
fn is_production(path: &str) -> bool {
    let Ok(path) = ProjectPath::new(path) else { return false };
    let is_other = |part: &str| {
        let part = part.to_ascii_lowercase();
        matches!(
            part.as_str(),
            "docs"
                | "doc"
                | "examples"
                | "example"
                | "scripts"
                | "benchmarks"
                | "benchmark"
                | "bench"
                | "tools"
                | "build"
                | "fixtures"
                | "dist"
                | "vendor"
                | "sandbox"
                | "tutorials"
                | "demo"
        ) || part.contains("test")
    };
    Language::of_path(path.as_path()).is_some_and(|language| !is_test(language, &path))
        && !path.as_str().split('/').any(is_other)
        // Sessions change no build files.
        && path.as_str() != "setup.py"
}

impl<'r> Tree<'r> {
    fn of(repository: &'r Path, commit: &str) -> Option<Self> {
        let files = git(repository, &["ls-tree", "-r", "--name-only", commit])?;
        Some(Self { repository, files: lines(&files).into_iter().collect() })
    }

    fn file(&self, commit: &str, path: &str) -> Option<Vec<u8>> {
        git(self.repository, &["cat-file", "blob", &format!("{commit}:{path}")])
    }
}

/// The production code that a commit changes; none where it changes more than a fix does.
fn change<'r>(repository: &'r Path, commit: &str) -> Option<(Applied, Tree<'r>)> {
    let parent = format!("{commit}^");
    let paths = lines(&git(
        repository,
        &["diff", "--name-only", "--no-renames", "--diff-filter=AM", &parent, commit],
    )?);
    let paths: Vec<_> = paths.into_iter().filter(|path| is_production(path)).collect();
    if paths.is_empty() || paths.len() > 5 {
        return None;
    }
    let tree = Tree::of(repository, &parent)?;
    let files = paths.iter().map(|path| FileChange {
        path: ProjectPath::new(path).unwrap(),
        before: tree.file(&parent, path),
        after: tree.file(commit, path),
    });
    let applied = Applied { files: files.collect(), notes: Vec::new(), comment_only: false };
    (!applied.files.iter().all(FileChange::is_comment_only)).then_some((applied, tree))
}

/// Commits whose message says that they fix something, the newest first.
fn fixes(repository: &Path, count: usize) -> Vec<String> {
    let said = ["log", "--no-merges", "-i", "-E", "--grep=\\b(fix|fixe[sd]|bug)\\b", "--format=%H"];
    let all = lines(&git(repository, &said).expect("a repository"));
    all.into_iter().filter(|commit| change(repository, commit).is_some()).take(count).collect()
}

/// `PATCHWRIGHT_REPOSITORIES` names git directories, with colons between them; `PATCHWRIGHT_COMMITS`, how many fixes of each.
#[test]
fn honest_fixes_are_seldom_marked() {
    let Some(repositories) = std::env::var_os("PATCHWRIGHT_REPOSITORIES") else { return };
    let count = std::env::var("PATCHWRIGHT_COMMITS").ok().and_then(|count| count.parse().ok()).unwrap_or(50);
    let (mut tried, mut marked, mut acts) = (0, 0, BTreeMap::<_, usize>::new());
    for repository in std::env::split_paths(&repositories) {
        let (mut here, mut marked_here) = (0, 0);
        for commit in fixes(&repository, count) {
            let (applied, tree) = change(&repository, &commit).unwrap();
            here += 1;
            let signs = applied.tampering(&tree);
            marked_here += usize::from(!signs.is_empty());
            for sign in &signs {
                let file = applied.files.iter().find(|file| file.path == sign.path);
                let text = file.and_then(|file| file.after.as_deref()).map(String::from_utf8_lossy);
                let line =
                    sign.line.and_then(|line| Some(text?.lines().nth(line as usize - 1)?.trim().to_owned()));
                println!("{} {commit:.10} {sign}: {}", repository.display(), line.unwrap_or_default());
            }
            signs
                .iter()
                .map(|sign| sign.what)
                .collect::<BTreeSet<_>>()
                .into_iter()
                .for_each(|act| *acts.entry(act).or_default() += 1);
        }
        println!("{}: {marked_here} of {here} fixes marked", repository.display());
        (tried, marked) = (tried + here, marked + marked_here);
    }
    println!("{marked} of {tried} fixes marked; by sign: {acts:#?}");
    assert!(marked * 100 <= tried * MOST_MARKED, "{marked} of {tried} are marked");
}
