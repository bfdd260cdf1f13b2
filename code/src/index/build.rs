//! Making an index: a walk, and a parse of each file that is not known.

use std::collections::HashSet;
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ignore::WalkState;

use super::record::Record;
use super::store::{Known, Records, Store};
use super::{Index, IndexOptions, IndexProblem, IndexedFile};
use crate::language::Language;
use crate::parallel;
use crate::path::ProjectPath;
use crate::project::{MAX_FILE_BYTES, Project, ProjectError};
use crate::source::Source;
use crate::test_files::is_test;
use crate::walk;

/// A file that was changed so shortly before it was looked at may have been changed again since, at the same time of its
/// file system's clock.
const DOUBT: Duration = Duration::from_millis(50);

/// What the operating system says of a file's content. The same answer means the same content.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stat {
    pub bytes: u64,
    /// In nanoseconds since 1970.
    pub modified: u64,
    /// 0 where there are no such numbers.
    pub inode: u64,
}

impl Stat {
    fn of(meta: &Metadata) -> Self {
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(meta);
        #[cfg(not(unix))]
        let inode = 0;
        Self { bytes: meta.len(), modified: meta.modified().map_or(0, nanoseconds), inode }
    }
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// What a walk found.
#[derive(Default)]
struct Walked {
    all: Vec<ProjectPath>,
    sources: Vec<(ProjectPath, Language, Stat)>,
    problems: Vec<IndexProblem>,
}

/// A file that was looked at.
struct Examined {
    file: IndexedFile,
    /// Whether its record was made now.
    made: bool,
    /// Whether it was read, though nothing but its content could tell that it is the same.
    doubted: bool,
}

/// See [`Index::build`].
pub(super) fn build(project: Project, options: &IndexOptions) -> Result<Index, ProjectError> {
    let begun = nanoseconds(SystemTime::now());
    let store = options.cache.as_ref().map(|folder| Store::new(folder, project.root()));
    let known = store.as_ref().map(Store::known).unwrap_or_default();
    let records = store.as_ref().map(Store::records).unwrap_or_default();
    let Walked { all, sources, mut problems } = walked(&project)?;
    let looked_at = parallel::over(&sources, |(path, language, stat)| {
        examine(&project, path, *language, *stat, &known, &records)
    });
    let (mut files, mut new, mut doubted) = (Vec::with_capacity(looked_at.len()), Vec::new(), 0);
    for one in looked_at {
        match one {
            Ok(Examined { file, made, doubted: read }) => {
                doubted += usize::from(read);
                new.extend(made.then_some(files.len()));
                files.push(file);
            }
            Err(problem) => problems.push(problem),
        }
    }
    let parsed = new.len();
    let index = Index { project, all, files, problems, parsed };
    let changed = parsed + doubted > 0 || known.files.len() != index.files.len();
    if let Some(store) = store.filter(|_| changed)
        && let Err(error) = keep(&store, begun, &index, &records, &new)
    {
        tracing::debug!(%error, "the cache of the index cannot be written");
    }
    Ok(index)
}

fn keep(
    store: &Store,
    begun: u64,
    index: &Index,
    records: &Records,
    // Places of files whose records were made now.
    new: &[usize],
) -> std::io::Result<()> {
    if !new.is_empty() {
        let needed: HashSet<&blake3::Hash> = index.files.iter().map(|file| &file.hash).collect();
        let packed = |place: &usize| index.files.get(*place).map(|file| (file.hash, file.record.pack()));
        let new: Vec<_> = parallel::over(new, packed).into_iter().flatten().collect();
        store.keep_records(records, &new, |hash| needed.contains(hash))?;
    }
    store.keep_files(begun, index.files.iter().map(|file| (file.path.as_str(), file.stat, file.hash)))
}

/// All files of a project, in parallel, sorted.
fn walked(project: &Project) -> Result<Walked, ProjectError> {
    let shared = Mutex::new((Walked::default(), None));
    walk::builder(project.root()).threads(parallel::threads()).build_parallel().run(|| {
        let shared = &shared;
        Box::new(move |entry| {
            let entry = match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => entry,
                Ok(_) => return WalkState::Continue,
                Err(error) => {
                    let (walked, fatal) = &mut *shared.lock().unwrap_or_else(PoisonError::into_inner);
                    if error.depth() == Some(0) {
                        *fatal = Some(error);
                    } else {
                        walked
                            .problems
                            .push(IndexProblem { path: String::new(), message: error.to_string() });
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

/// Finds the record of a file: by what is known of it, by its content, or by parsing it.
fn examine(
    project: &Project,
    path: &ProjectPath,
    language: Language,
    stat: Stat,
    known: &Known,
    records: &Records,
) -> Result<Examined, IndexProblem> {
    let file = |hash, record: Record| IndexedFile {
        path: path.clone(),
        language,
        lines: record.lines,
        bytes: stat.bytes,
        test: is_test(language, path),
        stat,
        hash,
        record: Arc::new(record),
    };
    let kept = |hash| records.get(hash).and_then(Record::unpack);
    let same = known.files.get(path.as_str()).filter(|(before, _)| *before == stat);
    let doubtful = stat.modified.saturating_add(DOUBT.as_nanos() as u64) >= known.written;
    if let Some((_, hash)) = same.filter(|_| !doubtful)
        && let Some(record) = kept(hash)
    {
        return Ok(Examined { file: file(*hash, record), made: false, doubted: false });
    }
    let source = read(project, path, stat)?;
    let hash = hash_of(language, &source);
    if let Some(record) = kept(&hash) {
        return Ok(Examined { file: file(hash, record), made: false, doubted: true });
    }
    let record = Record::of(language, &source);
    Ok(Examined { file: file(hash, record), made: true, doubted: false })
}

/// Reads a file that was seen a moment ago.
fn read(project: &Project, path: &ProjectPath, stat: Stat) -> Result<Source, IndexProblem> {
    let problem = |message: String| IndexProblem { path: path.to_string(), message };
    if let Some(bytes) = read_same(&project.root().join(path), stat)
        && let Some(source) = Source::decode(bytes)
    {
        return Ok(source);
    }
    project.read(path).map_err(|error| problem(error.to_string()))
}

/// The bytes of a file, if it is the one that was seen when the project was walked over: then no link was followed on the way
/// to it, and where it leads need not be worked out.
fn read_same(path: &Path, stat: Stat) -> Option<Vec<u8>> {
    if stat.inode == 0 || stat.bytes > MAX_FILE_BYTES {
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

/// The same bytes are other code in another language.
fn hash_of(language: Language, source: &Source) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(language.name().as_bytes()).update(&[0]).update(source.bytes());
    hasher.finalize()
}

/// See [`Index::update`].
pub(super) fn update(index: &mut Index, changed: &[PathBuf]) -> Vec<ProjectPath> {
    index.parsed = 0;
    let mut touched = Vec::new();
    for given in changed {
        let inside = given.strip_prefix(index.project.root()).unwrap_or(given);
        let Some(path) = inside.to_str().and_then(|inside| ProjectPath::new(inside).ok()) else { continue };
        match index.project.root().join(&path).symlink_metadata() {
            Ok(meta) if meta.is_file() => touched.extend(renew(index, path, Stat::of(&meta))),
            Ok(_) => {}
            Err(_) => touched.extend(remove(index, &path)),
        }
    }
    touched
}

/// Reads one file again; its path if its content is another one now.
fn renew(index: &mut Index, path: ProjectPath, stat: Stat) -> Option<ProjectPath> {
    let fresh = match index.all.binary_search(&path) {
        Ok(_) => false,
        Err(place) => {
            index.all.insert(place, path.clone());
            true
        }
    };
    let Some(language) = Language::of_path(path.as_path()) else { return fresh.then_some(path) };
    index.problems.retain(|problem| problem.path != path.as_str());
    let place = index.files.binary_search_by(|file| file.path.cmp(&path));
    let examined = examine(&index.project, &path, language, stat, &Known::default(), &Records::default());
    match (examined, place) {
        (Ok(one), Ok(place)) => {
            let old = std::mem::replace(&mut index.files[place], one.file);
            index.parsed += 1;
            (old.hash != index.files[place].hash).then_some(path)
        }
        (Ok(one), Err(place)) => {
            index.files.insert(place, one.file);
            index.parsed += 1;
            Some(path)
        }
        (Err(problem), place) => {
            index.problems.push(problem);
            place.ok().map(|place| index.files.remove(place).path)
        }
    }
}

/// Forgets a file, or all files of a folder.
fn remove(index: &mut Index, path: &ProjectPath) -> Vec<ProjectPath> {
    let gone = |own: &ProjectPath| own == path || own.as_path().starts_with(path.as_path() as &Path);
    let removed = index.all.iter().filter(|own| gone(own)).cloned().collect();
    index.all.retain(|own| !gone(own));
    index.files.retain(|file| !gone(&file.path));
    index.problems.retain(|problem| !Path::new(&problem.path).starts_with(path));
    removed
}
