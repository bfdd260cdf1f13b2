//! The search of search_code_base over a large public tree, beside ripgrep with the same words. The tree, a
//! Django source distribution, is downloaded with pip; without network or pip the figure is left out.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use patchwright_index::SearchCap;
use patchwright_syntax::Project;

use crate::{quantile, times};

const DJANGO: &str = "Django==4.2.16";
const WORDS: [&str; 5] = ["queryset", "annotate", "prefetch", "resolver", "middleware"];

pub fn measure() {
    let Some(tree) = tree() else {
        println!("left out: {DJANGO} cannot be downloaded with pip");
        return;
    };
    let project = Project::open(&tree).unwrap();
    let words: Vec<String> = WORDS.iter().map(|word| (*word).to_owned()).collect();
    let ours = || {
        let found = patchwright_index::search(&project, &words, &SearchCap::default()).unwrap();
        assert!(!found.files.is_empty());
    };
    let theirs = || {
        let pattern = WORDS.join("|");
        let words = ["-i", "-n", "--no-config", &pattern, "."];
        let status = Command::new("rg").args(words).current_dir(&tree).stdout(Stdio::null()).status();
        assert!(status.unwrap().success());
    };
    let ripgrep = Command::new("rg").arg("--version").stdout(Stdio::null()).status().is_ok();
    if let Some(seconds) = cold(&tree, &ours) {
        println!("ours, cold: {:.0} ms", seconds * 1e3);
    }
    ours();
    let mut own = times(15, ours);
    println!(
        "ours, warm: {:.0} ms (median of 15; with outlines, ranking, grouping)",
        quantile(&mut own, 0.5) * 1e3
    );
    if !ripgrep {
        println!("ripgrep is not installed: no comparison");
        return;
    }
    if let Some(seconds) = cold(&tree, &theirs) {
        println!("ripgrep, cold: {:.0} ms", seconds * 1e3);
    }
    theirs();
    let mut other = times(15, theirs);
    let (own, other) = (quantile(&mut own, 0.5), quantile(&mut other, 0.5));
    println!("ripgrep, warm: {:.0} ms; ratio ours : ripgrep {:.2}", other * 1e3, own / other);
}

/// The time of one run with an empty page cache, where this process may empty it.
fn cold(tree: &Path, work: &dyn Fn()) -> Option<f64> {
    assert!(tree.is_dir());
    Command::new("sync").status().ok()?;
    std::fs::write("/proc/sys/vm/drop_caches", "3").ok()?;
    Some(times(1, work)[0])
}

fn tree() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench-data");
    std::fs::create_dir_all(&folder).ok()?;
    let found = || {
        let entries = folder.read_dir().ok()?.filter_map(Result::ok).map(|entry| entry.path());
        entries.into_iter().find(|path| path.is_dir())
    };
    if let Some(tree) = found() {
        return Some(tree);
    }
    let script = format!(
        "python3 -m pip download --quiet --no-deps --no-binary :all: --no-build-isolation {DJANGO} -d . && tar xzf *.tar.gz"
    );
    let done = Command::new("sh").args(["-c", &script]).current_dir(&folder).status().ok()?.success();
    done.then(found).flatten()
}
