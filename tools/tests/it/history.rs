//! The history of lines.

use std::path::Path;

use git2::{Oid, Repository, Signature, Time};
use patchwright_tools::{GatheredInformation, Observation, last_commits};
use serde_json::{Value, json};

use crate::bench::Bench;

const DAY: i64 = 86_400;
/// 2024-03-01
const FIRST_DAY: i64 = 1_709_251_200;

/// Commits that follow one another, a day between two of them.
struct Commits {
    repository: Repository,
    day: i64,
}

impl Commits {
    fn at(folder: &Path) -> Self {
        Self { repository: Repository::init(folder).unwrap(), day: 0 }
    }

    /// Commits these files and no others, with these parents, on no branch.
    fn beside(&mut self, author: &str, message: &str, files: &[(&str, &str)], parents: &[Oid]) -> Oid {
        let mut index = git2::Index::new().unwrap();
        for (path, text) in files {
            let mut entry = entry(path);
            entry.id = self.repository.blob(text.as_bytes()).unwrap();
            index.add(&entry).unwrap();
        }
        let tree = self.repository.find_tree(index.write_tree_to(&self.repository).unwrap()).unwrap();
        let time = Time::new(FIRST_DAY + self.day * DAY, 0);
        self.day += 1;
        let author = Signature::new(author, "ann@example.org", &time).unwrap();
        let parents: Vec<_> = parents.iter().map(|id| self.repository.find_commit(*id).unwrap()).collect();
        let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
        self.repository.commit(None, &author, &author, message, &tree, &parents).unwrap()
    }

    /// The same on top of what is checked out.
    fn add(&mut self, author: &str, message: &str, files: &[(&str, &str)]) -> Oid {
        let parent = self.repository.head().ok().and_then(|head| head.target());
        let id = self.beside(author, message, files, parent.as_slice());
        self.check_out(id);
        id
    }

    fn check_out(&self, id: Oid) {
        self.repository.reference("refs/heads/main", id, true, "test").unwrap();
        self.repository.set_head("refs/heads/main").unwrap();
    }
}

fn entry(path: &str) -> git2::IndexEntry {
    let zero = git2::IndexTime::new(0, 0);
    git2::IndexEntry {
        ctime: zero,
        mtime: zero,
        dev: 0,
        ino: 0,
        mode: 0o100_644,
        uid: 0,
        gid: 0,
        file_size: 0,
        id: Oid::ZERO_SHA1,
        flags: 0,
        flags_extended: 0,
        path: path.as_bytes().to_vec(),
    }
}

fn range(first: u32, last: u32) -> Value {
    json!({ "file_path": "shop/cart.py", "start_line": first, "end_line": last })
}

#[track_caller]
fn check(seen: &Observation, expect: &str) {
    assert!(seen.outcome.advances(), "{}", seen.text);
    assert_eq!(seen.text, expect);
}

/// The name of a commit as it is shown.
fn short(id: Oid) -> String {
    id.to_string()[..10].to_owned()
}

#[tokio::test]
async fn lines_are_told_with_the_commits_that_they_come_from() {
    let mut bench = Bench::open().await;
    let now = std::fs::read_to_string(bench.root.join("shop/cart.py")).unwrap();
    let named = now.replace("total += cents\n", "total += cents * count\n");
    let first = named.replace("for _, cents, count in self.items", "for _, cents in self.items");
    let mut commits = Commits::at(&bench.root);
    let one = commits.add("Ann", "A cart", &[("old/cart.py", &first)]);
    commits.add("Bob", "Move the shop", &[("shop/cart.py", &first)]);
    let three = commits.add(
        "Bob bob@example.org",
        "Count items\n\nAsked for by <zoe@example.org>.\n\nSigned-off-by: Bob <bob@example.org>\n",
        &[("shop/cart.py", &named)],
    );
    let last = commits.add("Cid", "Make it faster", &[("shop/cart.py", &now)]);
    // What was done later, or elsewhere, is not known.
    commits.beside("Dan", "Fix the total", &[("shop/cart.py", &named)], &[last]);

    let seen = bench.run("history", range(17, 21)).await;
    let expect = format!(
        "shop/cart.py, lines 17 to 21, by the commits that last changed them, the latest first:\n\n\
         {}, 2024-03-04, Cid: Make it faster\n\
         20:             total += cents\n\
         What the commit changed there:\n\
         @@ -18,5 +18,5 @@ class Cart:\n\
         \u{20}        total = 0\n\
         \u{20}        for _, cents, count in self.items:\n\
         -            total += cents * count\n\
         +            total += cents\n\
         \u{20}        return total\n\
         \u{20}\n\n\
         {}, 2024-03-03, Bob bob: Count items\n\
         \u{20}   Asked for by <address>\n\
         19:         for _, cents, count in self.items:\n\
         What the commit changed there:\n\
         @@ -17,5 +17,5 @@ class Cart:\n\
         \u{20}        \"\"\"The sum of all prices.\"\"\"\n\
         \u{20}        total = 0\n\
         -        for _, cents in self.items:\n\
         +        for _, cents, count in self.items:\n\
         \u{20}            total += cents * count\n\
         \u{20}        return total\n\n\
         {}, 2024-03-01, Ann: A cart\n\
         17:         \"\"\"The sum of all prices.\"\"\"\n\
         18:         total = 0\n...\n\
         21:         return total\n\
         The commit added the file.\n",
        short(last),
        short(three),
        short(one)
    );
    check(&seen, &expect);
    assert_eq!(seen.gathered, Some(GatheredInformation::Text));
    let text = last_commits(&bench.root, bench.harness.project(), "shop/cart.py", 20..=20, 2_000)
        .await
        .unwrap()
        .unwrap();
    let head = "shop/cart.py, lines 20 to 20, by the commits that last changed them, the latest first";
    assert_eq!(text, format!("{head}:\n{}, 2024-03-04, Cid: Make it faster\n", short(last)));
    let short = last_commits(&bench.root, bench.harness.project(), "shop/cart.py", 1..=99, 150)
        .await
        .unwrap()
        .unwrap();
    assert!(short.len() < 200 && short.contains("left out]"), "{short}");
}

#[tokio::test]
async fn commits_that_the_project_names_for_blame_are_passed_over() {
    let mut bench = Bench::open().await;
    let now = std::fs::read_to_string(bench.root.join("shop/cart.py")).unwrap();
    let plain = now.replace("total += cents\n", "total+=cents\n");
    let mut commits = Commits::at(&bench.root);
    let first = commits.add("Ann", "A cart", &[("shop/cart.py", &plain)]);
    let formatted = commits.add("Bob", "Format the code", &[("shop/cart.py", &now)]);
    let ignored = format!("# how code is written\n{formatted}\n");
    commits.add("Cid", "Say so", &[("shop/cart.py", &now), (".git-blame-ignore-revs", &ignored)]);

    let line = now.lines().position(|line| line.ends_with("total += cents")).unwrap() as u32 + 1;
    let seen = bench.run("history", range(line, line)).await;
    assert!(seen.text.contains(&short(first)) && !seen.text.contains(&short(formatted)), "{}", seen.text);
}

#[tokio::test]
async fn what_a_merge_brought_comes_from_where_it_was_written() {
    let mut bench = Bench::open().await;
    let now = std::fs::read_to_string(bench.root.join("shop/cart.py")).unwrap();
    let (other_top, other_end) =
        (now.replace("A shopping cart", "A cart"), now.replace("return Cart()", "return None"));
    let neither = other_top.replace("return Cart()", "return None");
    let mut commits = Commits::at(&bench.root);
    let base = commits.add("Ann", "Begin", &[("shop/cart.py", &neither)]);
    let left = commits.beside("Bob", "Left", &[("shop/cart.py", &other_end)], &[base]);
    let right = commits.beside("Cid", "Right", &[("shop/cart.py", &other_top)], &[base]);
    let merge = commits.beside("Dan", "Merge", &[("shop/cart.py", &now)], &[left, right]);
    commits.check_out(merge);
    let seen = bench.run("history", range(1, 99)).await;
    for (line, message) in
        [("1: \"\"\"A shopping cart", "Bob: Left"), ("36:     return Cart()", "Cid: Right")]
    {
        let at = seen.text.find(message).unwrap();
        assert_eq!(seen.text[at..].lines().nth(1).unwrap().find(line), Some(0), "{}", seen.text);
    }
    assert!(!seen.text.contains("Merge"), "{}", seen.text);
}

#[tokio::test]
async fn the_history_of_a_submodule_is_its_own() {
    let mut bench = Bench::open().await;
    let now = std::fs::read_to_string(bench.root.join("shop/cart.py")).unwrap();
    let mut outer = Commits::at(&bench.root);
    outer.add("Ann", "The project", &[("src/app.py", "x = 1\n")]);
    // What stands in the folder of a submodule, as a folder of its own or as a file that names another one.
    let (folder, apart) = (bench.root.join("shop"), bench.root.join(".git/modules/shop"));
    let mut inner = Commits::at(&folder);
    inner.add("Bob", "The shop", &[("cart.py", &now)]);
    let expect = "Bob: The shop\n1: ";
    let seen = bench.run("history", range(1, 1)).await.text;
    assert!(seen.contains(expect) && !seen.contains("Not committed"), "{seen}");
    std::fs::create_dir_all(apart.parent().unwrap()).unwrap();
    std::fs::rename(folder.join(".git"), apart).unwrap();
    std::fs::write(folder.join(".git"), "gitdir: ../.git/modules/shop\n").unwrap();
    assert_eq!(bench.run("history", range(1, 1)).await.text, seen);
    std::fs::write(bench.root.join(".defects4j.config"), "pid=A\n").unwrap();
    assert!(bench.run("history", range(1, 1)).await.text.contains("Defects4J"));
}

#[tokio::test]
async fn what_is_in_no_commit_is_said_to_be_so() {
    let mut bench = Bench::open().await;
    check(
        &bench.run("history", range(1, 2)).await,
        "The project is in no git repository, so nothing is known of its history.",
    );
    let mut commits = Commits::at(bench.root.parent().unwrap());
    check(&bench.run("history", range(1, 2)).await, "The git repository of the project has no commit yet.");
    let now = std::fs::read_to_string(bench.root.join("shop/cart.py")).unwrap();
    let committed = now.replace("    def total(self):\n", "").replace('\n', "\r\n");
    // The project may be a folder of the repository.
    commits.add("Ann", "All", &[("shop project/shop/cart.py", &committed)]);
    let seen = bench.run("history", range(15, 17)).await;
    let (own, ann) = seen.text.split_once("Ann: All\n").unwrap();
    // Before the commit's id and day.
    insta::assert_snapshot!(own.rsplit_once('\n').unwrap().0);
    assert!(ann.starts_with("15: \n...\n17:         \"\"\"The sum"), "{}", seen.text);
    let other = json!({ "file_path": "shop/pricing.py", "start_line": 1, "end_line": 1 });
    assert!(bench.run("history", other).await.text.contains("Not committed:\n1: "));
    for (arguments, expect) in [
        (range(5, 4), "The start_line (5) lies after the end_line (4)."),
        (range(99, 100), "The file has 36 lines; there is no line 99."),
        (json!({ "file_path": "no.py", "start_line": 1, "end_line": 1 }), "There is no file `no.py`"),
        (json!({ "file_path": "../secret.py", "start_line": 1, "end_line": 1 }), ""),
    ] {
        let seen = bench.run("history", arguments).await;
        assert!(!seen.outcome.advances() && seen.text.starts_with(expect), "{}", seen.text);
    }
    std::fs::write(bench.root.parent().unwrap().join(".defects4j.config"), "pid=A\n").unwrap();
    check(
        &bench.run("history", range(1, 2)).await,
        "The project is a checkout of Defects4J, whose commits are none of its history.",
    );
}
