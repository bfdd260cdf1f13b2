//! Making an index: a walk, and a look at each file.

use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use ignore::WalkState;
use patchwright_folder::{WorkFlag, checkpoint};
use patchwright_syntax::{
    Language, MAX_FILE_BYTES, Project, ProjectError, ProjectPath, Source, is_test, parallel, walk::Walk,
};

use super::file::Text;
use super::{Index, IndexProblem, IndexedFile};

/// Bytes of a file that is worth minifying: below it, one line may be the whole source.
const LEAST_MINIFIED: usize = 4_096;

/// The operating system's facts about a file's content. The same answer means the same content.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Stat {
    bytes: u64,
    /// `None` where there are no such times.
    modified: Option<SystemTime>,
    inode: u64,
}

impl Stat {
    fn of(meta: &Metadata) -> Self {
        Self { bytes: meta.len(), modified: meta.modified().ok(), inode: meta.ino() }
    }
}

/// The findings of a walk.
#[derive(Default)]
struct Walked {
    all: Vec<ProjectPath>,
    sources: Vec<(ProjectPath, Language, Stat)>,
    problems: Vec<IndexProblem>,
}

/// See [`Index::build`]. The texts that come to so many bytes together are held in memory, those of the first files.
pub(super) fn build(project: Project, held_bytes: u64) -> Result<Index, ProjectError> {
    let project = Arc::new(project);
    let Walked { all, sources, mut problems } = walked(&project)?;
    let mut files = Vec::with_capacity(sources.len());
    let mut room = held_bytes;
    let is_held = |stat: &Stat| {
        let rest = room.checked_sub(stat.bytes);
        room = rest.unwrap_or(room);
        rest.is_some()
    };
    let held: Vec<bool> = sources.iter().map(|(_, _, stat)| stat).map(is_held).collect();
    let sources: Vec<_> = sources.into_iter().zip(held).collect();
    for one in parallel::over(&sources, |((path, language, stat), held)| {
        let source = read(&project, path, *stat)?;
        if is_minified(*language, &source) {
            let message = "minified: nobody reads or changes it".to_owned();
            return Err(IndexProblem { path: path.to_string(), message });
        }
        Ok(IndexedFile {
            path: path.clone(),
            language: *language,
            lines: u32::try_from(source.line_count()).unwrap_or(u32::MAX),
            test: is_test(*language, path),
            text: if *held { Text::Held(Arc::new(source)) } else { Text::OnDisk(Arc::clone(&project)) },
            parsed: Arc::new(OnceLock::new()),
        })
    }) {
        match one {
            Ok(file) => files.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    Ok(Index { project, all, files, problems })
}

/// Whether a file is the output of a program that takes the white space out of scripts.
fn is_minified(language: Language, source: &Source) -> bool {
    let bytes = source.text().len();
    let line = bytes / source.line_count().max(1);
    bytes >= LEAST_MINIFIED && language.entry().minified_line.is_some_and(|least| line >= least)
}

/// All files of a project, in parallel, sorted.
fn walked(project: &Project) -> Result<Walked, ProjectError> {
    let shared = Mutex::new((Walked::default(), None));
    let walk = Walk::new(project.root());
    let flag = WorkFlag::current();
    walk.builder().threads(parallel::threads()).build_parallel().run(|| {
        let (shared, flag) = (&shared, &flag);
        Box::new(move |entry| {
            if flag.is_set() {
                return WalkState::Quit;
            }
            let entry = match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => entry,
                Ok(_) => return WalkState::Continue,
                Err(error) => {
                    let (walked, fatal) = &mut *shared.lock().unwrap_or_else(PoisonError::into_inner);
                    if error.depth() == Some(0) {
                        *fatal = Some(error);
                    } else {
                        let problem = IndexProblem { path: String::new(), message: error.to_string() };
                        walked.problems.push(problem);
                    }
                    return WalkState::Continue;
                }
            };
            let Some(path) = project.path_of(entry.path()) else { return WalkState::Continue };
            let source = Language::of_path(path.as_path())
                .and_then(|language| Some((path.clone(), language, Stat::of(&entry.metadata().ok()?))));
            let (walked, _) = &mut *shared.lock().unwrap_or_else(PoisonError::into_inner);
            walked.all.push(path);
            walked.sources.extend(source);
            WalkState::Continue
        })
    });
    checkpoint();
    walk.end()?;
    match shared.into_inner().unwrap_or_else(PoisonError::into_inner) {
        (_, Some(source)) => Err(ProjectError::Walk { path: project.root().to_path_buf(), source }),
        (mut walked, None) => {
            walked.all.sort();
            walked.sources.sort_by(|left, right| left.0.cmp(&right.0));
            walked.problems.sort_by(|left, right| left.message.cmp(&right.message));
            Ok(walked)
        }
    }
}

/// Reads a file that was seen a moment ago.
fn read(project: &Project, path: &ProjectPath, stat: Stat) -> Result<Source, IndexProblem> {
    if let Some(bytes) = read_same(&project.root().join(path), stat)
        && let Some(source) = Source::decode(bytes)
    {
        return Ok(source);
    }
    project.read(path).map_err(|error| IndexProblem { path: path.to_string(), message: error.to_string() })
}

/// The bytes of a file, if it is the one that was seen when the project was walked over: then no link was followed on the way
/// to it, and where it leads need not be worked out.
fn read_same(path: &Path, stat: Stat) -> Option<Vec<u8>> {
    if stat.bytes > MAX_FILE_BYTES {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || Stat::of(&meta) != stat {
        return None;
    }
    // One more, so that the end is seen at once.
    let mut bytes = Vec::with_capacity(usize::try_from(stat.bytes).ok()? + 1);
    Read::by_ref(&mut file).take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MAX_FILE_BYTES).then_some(bytes)
}
