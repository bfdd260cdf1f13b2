//! What it costs that a lane is touched through a capability alone: copying a project of 10,000 files and resetting a lane of it, beside
//! the same by paths, as programs do that trust what they find.

use std::fs::{self, FileTimes};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use patchwright_edits::{Edit, Modification, apply};
use patchwright_folder::Folder;
use patchwright_lanes::{CopyRules, copy_project};
use patchwright_validation::Probe;

use crate::{quantile, times};

const FOLDERS: usize = 100;
const FILES: usize = 100;
const RUNS: usize = 9;

pub fn measure() {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let work = tempfile::tempdir_in(place).unwrap();
    let project = work.path().join("project");
    make(&project);
    copying(work.path(), &project);
    tokio::runtime::Runtime::new().unwrap().block_on(resetting(work.path(), &project));
}

/// A project of 10,000 files in 100 folders, with one test.
fn make(project: &Path) {
    for folder in 0..FOLDERS {
        let folder = project.join(format!("package{folder}"));
        fs::create_dir_all(&folder).unwrap();
        for file in 0..FILES {
            fs::write(folder.join(format!("module{file}.py")), format!("VALUE = {file}\n").repeat(40))
                .unwrap();
        }
    }
    fs::write(project.join("test_values.py"), "def test_nothing():\n    pass\n").unwrap();
}

fn copying(work: &Path, project: &Path) {
    let to = work.join("copy");
    let mut ours = Vec::new();
    let mut by_paths = Vec::new();
    for _ in 0..RUNS {
        by_paths.extend(times(1, || copy_by_paths(project, &to)));
        fs::remove_dir_all(&to).unwrap();
        fs::create_dir(&to).unwrap();
        ours.extend(times(1, || {
            let (from, to) = (Folder::open(project).unwrap(), Folder::open(&to).unwrap());
            copy_project(&from, &to, &CopyRules::plain(), &|| false, None).unwrap();
        }));
        fs::remove_dir_all(&to).unwrap();
    }
    tell("copying", &mut ours, &mut by_paths);
}

/// A run of `true` in a lane that is used again: nearly all of it is the reset, which looks at every file twice.
async fn resetting(work: &Path, project: &Path) {
    let harness = crate::validation::open(project, &work.join("lanes"), 1).await;
    let change = Modification { line_number: 1, modified_line: "VALUE = -1".to_owned() };
    let edit =
        Edit { file_path: "package0/module0.py".to_owned(), modifications: vec![change], ..Edit::default() };
    let candidate = apply(harness.project(), &[edit], &harness.rules()).unwrap();
    let probe = Probe { applied: Some(&candidate), limit: Duration::from_mins(1), output_bytes: 1_000 };
    let lane = work.join("by-paths");
    copy_by_paths(project, &lane);
    let (mut ours, mut by_paths) = (Vec::new(), Vec::new());
    for run in 0..=RUNS {
        let began = Instant::now();
        harness.probe("true", &probe).await.unwrap();
        let seconds = began.elapsed().as_secs_f64();
        // The first makes the lane.
        if run > 0 {
            ours.push(seconds);
            by_paths.extend(times(1, || (0..3).for_each(|_| look_by_paths(&lane))));
        }
    }
    tell("resetting", &mut ours, &mut by_paths);
    harness.close().await.unwrap();
}

fn tell(name: &str, ours: &mut [f64], by_paths: &mut [f64]) {
    let (ours, by_paths) = (quantile(ours, 0.5), quantile(by_paths, 0.5));
    println!(
        "{name} {} files: {:.0} ms through a capability, {:.0} ms by paths: {:.2} times",
        FOLDERS * FILES,
        ours * 1e3,
        by_paths * 1e3,
        ours / by_paths
    );
}

fn copy_by_paths(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let found = fs::symlink_metadata(&from).unwrap();
        if found.is_dir() {
            copy_by_paths(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
            let file = fs::File::options().write(true).open(&to).unwrap();
            file.set_times(FileTimes::new().set_modified(found.modified().unwrap())).unwrap();
            fs::set_permissions(&to, found.permissions()).unwrap();
        }
    }
}

/// One of the walks of a reset by paths: rights, what is there, and what is there afterwards.
fn look_by_paths(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let found = fs::symlink_metadata(&path).unwrap();
        std::hint::black_box((found.ino(), found.ctime_nsec()));
        if found.is_dir() {
            look_by_paths(&path);
        }
    }
}
