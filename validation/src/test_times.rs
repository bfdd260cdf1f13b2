//! What the tests of a project took in earlier sessions, by which later ones are planned. It decides about no candidate, and a session that
//! is repeated does not ask it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use patchwright_blocking::lock;
use patchwright_folder::atomic::TEMPORARY_PREFIX;
use patchwright_folder::{Folder, FolderError};
use patchwright_protocol::TestId;
use patchwright_test_results::TestReport;
use serde::{Deserialize, Serialize};

use crate::baseline::{Baseline, file_of};

/// The form of what is kept: another one is another file.
const FORM: &str = "test times 1";
/// Bounds of what is kept and believed: the names are the project's.
const MOST_BYTES: u64 = 4 << 20;
const MOST_FILES: usize = 10_000;
const LONGEST_NAME: usize = 300;
const MOST_SECONDS: f64 = 1e6;
/// Projects that are remembered; beyond these the oldest are forgotten.
const MOST_PROJECTS: usize = 500;
/// Entries of the folder that are looked at.
const MOST_ENTRIES: usize = 100_000;

/// What the tests of a project took.
#[derive(Debug, Default)]
pub struct TestTimes {
    place: Option<Place>,
    earlier: Times,
    seen: Mutex<Times>,
}

#[derive(Debug)]
struct Place {
    folder: Folder,
    name: String,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
struct Times {
    whole: Option<WholeRun>,
    /// Seconds of the tests of each file, module or class.
    files: BTreeMap<String, f64>,
}

/// A run of all tests.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct WholeRun {
    /// What it took; where it did not come to its end, what it would have taken by the share that had, or at least.
    pub seconds: f64,
    /// Whether it came to its end.
    pub ended: bool,
    /// The number of all tests, where their tool tells it.
    pub tests: Option<u64>,
}

impl WholeRun {
    /// That of which this is the report. What had no turn takes as long as what had, without what comes before the first test.
    pub(crate) fn of(report: &TestReport, ended: bool) -> Self {
        let (done, tested) = (report.test_seconds.len() as f64, report.test_seconds.values().sum::<f64>());
        let tests = report.collected.or_else(|| ended.then_some(report.outcomes.len() as u64));
        let left = if ended { 0.0 } else { tests.map_or(0.0, |all| all as f64 - done).max(0.0) };
        Self { seconds: report.seconds + left * tested / done.max(1.0), ended, tests }
    }
}

impl TestTimes {
    /// Those of a project that is tested by this command, in a folder of the user's. What is damaged, too large or of another form counts as
    /// nothing.
    pub fn of(folder: Folder, project: &Path, command: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in [FORM.as_bytes(), project.as_os_str().as_encoded_bytes(), command.as_bytes()] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        let name = format!("{}.json", hasher.finalize().to_hex());
        let read = folder.read(&name, MOST_BYTES).ok();
        let kept = read.and_then(|bytes| serde_json::from_slice::<Times>(&bytes).ok());
        let earlier = kept.unwrap_or_default().bounded();
        Self { place: Some(Place { folder, name }), seen: Mutex::new(earlier.clone()), earlier }
    }

    /// The last run of all tests in an earlier session.
    pub fn whole(&self) -> Option<WholeRun> {
        self.earlier.whole
    }

    /// Whether all tests took longer than this in an earlier session.
    pub fn exceed(&self, limit: Duration) -> bool {
        self.earlier.whole.is_some_and(|whole| whole.seconds > limit.as_secs_f64())
    }

    /// Those of some test files, modules or classes that are known to take no more together, the first ones first, and those of which nothing
    /// is known.
    pub fn fitting<'a>(&self, files: impl IntoIterator<Item = &'a TestId>, mut seconds: f64) -> Vec<TestId> {
        let seen = lock(&self.seen);
        let fits = |file: &&TestId| {
            let takes = seen.files.get(file.as_str()).copied().unwrap_or_default();
            let fits = takes <= seconds;
            seconds -= if fits { takes } else { 0.0 };
            fits
        };
        files.into_iter().filter(fits).cloned().collect()
    }

    /// Those of some test files, modules or classes that are known from earlier sessions, the quickest first.
    pub fn quickest(&self, among: Vec<TestId>) -> Vec<TestId> {
        let seconds = |file: TestId| Some((*self.earlier.files.get(file.as_str())?, file));
        let mut known: Vec<(f64, TestId)> = among.into_iter().filter_map(seconds).collect();
        known.sort_by(|one, other| one.0.total_cmp(&other.0));
        known.into_iter().map(|(_, file)| file).collect()
    }

    /// Remembers what tests took before any change; `whole` if all were begun.
    pub(crate) fn note(&self, baseline: &Baseline, whole: Option<WholeRun>) {
        let mut seen = lock(&self.seen);
        let some: BTreeSet<&TestId> = baseline.nearest.iter().collect();
        let mut files: BTreeMap<String, f64> = BTreeMap::new();
        for outcome in &baseline.report.outcomes {
            let file = file_of(&outcome.id);
            if some.is_empty() || some.contains(&file) {
                let seconds = baseline.report.test_seconds.get(&outcome.id).copied().unwrap_or_default();
                *files.entry(file.as_str().to_owned()).or_default() += seconds;
            }
        }
        if whole.is_some_and(|whole| whole.ended) {
            seen.files.clear();
        }
        seen.files.extend(files);
        // What did not come to its end says less than what did.
        let tells_more = |whole: &WholeRun| {
            whole.ended || seen.whole.is_none_or(|known| known.seconds < whole.seconds || !known.ended)
        };
        if let Some(whole) = whole.filter(tells_more) {
            seen.whole = Some(whole);
        }
        *seen = std::mem::take(&mut *seen).bounded();
        if let Some(place) = &self.place
            && let Err(error) = place.keep(&seen)
        {
            tracing::debug!(%error, "what the tests took cannot be remembered");
        }
    }
}

impl Times {
    /// What may be believed of it.
    fn bounded(mut self) -> Self {
        let is_sound = |seconds: f64| (0.0..=MOST_SECONDS).contains(&seconds);
        self.whole = self.whole.filter(|whole| is_sound(whole.seconds));
        self.files.retain(|file, seconds| file.len() <= LONGEST_NAME && is_sound(*seconds));
        if let Some(beyond) = self.files.keys().nth(MOST_FILES).cloned() {
            drop(self.files.split_off(&beyond));
        }
        self
    }
}

impl Place {
    /// Writes it whole or not at all.
    fn keep(&self, times: &Times) -> Result<(), FolderError> {
        let bytes = serde_json::to_vec(times).unwrap_or_default();
        let made = format!("{TEMPORARY_PREFIX}{}-{}", std::process::id(), self.name);
        self.folder.write(&made, &bytes)?;
        self.folder.rename(&made, &self.name)?;
        let mut kept = self.folder.list(MOST_ENTRIES)?;
        kept.sort_by_key(|(_, entry)| entry.modified);
        for (name, _) in kept.iter().rev().skip(MOST_PROJECTS) {
            self.folder.unlink(name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::baseline::testing::baseline_of;

    fn opened(folder: &Path, command: &str) -> TestTimes {
        TestTimes::of(Folder::open(folder).unwrap(), Path::new("/home/somebody/shop"), command)
    }

    fn names(tests: &[TestId]) -> Vec<&str> {
        tests.iter().map(TestId::as_str).collect()
    }

    #[test]
    fn a_later_session_knows_what_tests_took() {
        let folder = tempfile::tempdir().unwrap();
        let files = || ["a.py", "b.py", "c.py"].map(TestId::new).to_vec();
        let first = opened(folder.path(), "pytest");
        assert!(
            first.whole().is_none() && !first.exceed(Duration::ZERO) && first.quickest(files()).is_empty()
        );
        let mut ended = baseline_of(&[], &[("a.py::x", 30.0), ("b.py::x[1]", 1.0), ("b.py::y", 2.0)]);
        ended.nearest = vec![TestId::new("a.py"), TestId::new("b.py")];
        first.note(&ended, Some(WholeRun { seconds: 90.0, ended: false, tests: Some(9) }));
        let later = opened(folder.path(), "pytest");
        assert!(later.exceed(Duration::from_secs(89)) && !later.exceed(Duration::from_secs(90)));
        assert_eq!(names(&later.quickest(files())), ["b.py", "a.py"]);
        assert_eq!(names(&later.fitting(&files(), 10.0)), ["b.py", "c.py"]);
        assert_eq!(opened(folder.path(), "pytest tests").whole(), None);
        // A run that came to its end tells more than one that did not, and that nothing of what is gone.
        let all = baseline_of(&[], &[("b.py::y", 2.0)]);
        later.note(&all, Some(WholeRun { seconds: 120.0, ended: true, tests: Some(9) }));
        later.note(&all, Some(WholeRun { seconds: 20.0, ended: false, tests: None }));
        let last = opened(folder.path(), "pytest");
        assert_eq!(last.whole(), Some(WholeRun { seconds: 120.0, ended: true, tests: Some(9) }));
        assert_eq!(names(&last.quickest(files())), ["b.py"]);
    }

    #[test]
    fn what_is_damaged_or_cannot_be_kept_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let whole = Some(WholeRun { seconds: 5.0, ended: true, tests: None });
        let baseline = baseline_of(&[], &[("a.py::x", 1.0)]);
        opened(folder.path(), "pytest").note(&baseline, whole);
        let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        for text in
            ["", "[1]", "{\"whole\": 3}", "{\"whole\": {\"seconds\": -1, \"ended\": true, \"tests\": null}}"]
        {
            std::fs::write(&file, text).unwrap();
            assert_eq!(opened(folder.path(), "pytest").whole(), None, "{text}");
        }
        std::fs::write(&file, vec![b' '; (MOST_BYTES + 1) as usize]).unwrap();
        assert_eq!(opened(folder.path(), "pytest").whole(), None);
        // Another project of the same user is none of its concern, and a link is not followed.
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &file).unwrap();
        let times = opened(folder.path(), "pytest");
        std::fs::remove_dir_all(folder.path()).unwrap();
        times.note(&baseline, whole);
        assert_eq!(names(&times.fitting(&baseline.nearest, 1.0)), Vec::<&str>::new());
    }

    #[test]
    fn the_oldest_projects_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..MOST_PROJECTS + 3 {
            std::fs::write(folder.path().join(format!("{number}.json")), "{}").unwrap();
        }
        let whole = Some(WholeRun { seconds: 5.0, ended: true, tests: None });
        opened(folder.path(), "pytest").note(&baseline_of(&[], &[]), whole);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), MOST_PROJECTS);
        assert_eq!(opened(folder.path(), "pytest").whole(), whole);
    }
}
