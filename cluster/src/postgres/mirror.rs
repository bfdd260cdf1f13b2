//! The folder of a part on a worker's disk, and its copy in the ledger.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::PostgresLedger;
use super::claims::{Claim, End, Spent, Standing};
use super::error::LedgerError;
use super::stored::{Addition, Piece, content};

/// Files that only grow, line by line: what another worker needs to go on. They are stored while the part is worked on, all others at its end.
const LOGS: [&str; 2] = ["events.jsonl", "trajectory.jsonl"];
/// The settings of the part, written once before everything else.
const SETTINGS: &str = "run.toml";
/// Neither of these means anything elsewhere.
const LOCAL: [&str; 2] = ["lock", "work"];
/// Bytes of a piece at most.
const LONGEST_PIECE: usize = 4 << 20;
/// Folders within one another that are looked into.
const DEEPEST: usize = 8;
/// Between two looks at whether the files have grown.
const LOOK: Duration = Duration::from_millis(200);

/// The folder of a claimed part, whose logs are stored in the ledger as they grow.
#[derive(Debug)]
pub struct Mirror {
    ledger: PostgresLedger,
    claim: Claim,
    folder: Arc<Path>,
    /// Bytes that the ledger holds, by file.
    stored: BTreeMap<String, u64>,
    renewed: Instant,
}

/// What the files have grown by.
#[derive(Debug, Default)]
struct Growth {
    pieces: Vec<Piece>,
    spent: Spent,
}

/// The fields of a trajectory's line that are counted.
#[derive(Deserialize)]
struct Line {
    event: String,
    #[serde(default)]
    usage: Option<patchwright_protocol::Usage>,
    #[serde(default)]
    cost_usd: Option<f64>,
}

impl Mirror {
    /// Makes the folder as the last worker left it: its settings and logs, as far as they are stored.
    ///
    /// # Errors
    /// The ledger cannot be reached or holds damaged files, or the folder cannot be written.
    pub async fn restore(ledger: &PostgresLedger, claim: &Claim, folder: &Path) -> Result<Self, LedgerError> {
        let mut stored = ledger.lengths(&claim.run, claim.part).await?;
        stored.retain(|path, _| is_streamed(path));
        ledger.write_files(&claim.run, claim.part, stored.keys(), folder).await?;
        Ok(Self {
            ledger: ledger.clone(),
            claim: claim.clone(),
            folder: folder.into(),
            stored,
            renewed: Instant::now(),
        })
    }

    /// Stores what grows and renews the claim, until the claim is void or the run is cancelled; tells which. `tell` hears why the ledger cannot
    /// be reached, once for each time that it cannot: the work goes on meanwhile.
    pub async fn keep(&mut self, tell: &(dyn Fn(&str) + Sync)) -> Kept {
        let mut was_away = false;
        loop {
            tokio::time::sleep(LOOK).await;
            match self.store().await {
                Ok(Some(Standing { is_cancelled: true })) => return Kept::Cancelled,
                Ok(Some(_)) if was_away => {
                    was_away = false;
                    tell("the ledger answers again");
                }
                Ok(_) => {}
                Err(LedgerError::Lost) => return Kept::Lost,
                Err(error) if error.is_transient() => {
                    if !was_away && !matches!(error, LedgerError::OutOfStep) {
                        was_away = true;
                        tell(&format!("{error}; sessions go on, and what they record is stored later"));
                    }
                }
                Err(error) => return Kept::Failed(error),
            }
        }
    }

    /// Stores what the logs have grown by, or renews the claim where it is time to. None where there was nothing to do.
    async fn store(&mut self) -> Result<Option<Standing>, LedgerError> {
        let Growth { pieces, spent } = self.growth(false).await?;
        if pieces.is_empty() && self.renewed.elapsed() < self.claim.lease / 4 {
            return Ok(None);
        }
        let kept =
            self.ledger.keep(&self.claim, Addition { known: &self.stored, pieces: &pieces }, spent).await;
        let standing = self.in_step(kept).await?;
        self.book(&pieces);
        self.renewed = Instant::now();
        Ok(Some(standing))
    }

    /// Stores all that is left and ends the claim; waits for a ledger that cannot be reached.
    ///
    /// # Errors
    /// [`LedgerError::Lost`] if the claim is void; or the folder cannot be read, or the server refuses.
    pub async fn end(mut self, end: &End, tell: &(dyn Fn(&str) + Sync)) -> Result<(), LedgerError> {
        let mut was_away = false;
        loop {
            let ended = async {
                let Growth { pieces, spent } = self.growth(true).await?;
                let addition = Addition { known: &self.stored, pieces: &pieces };
                self.ledger.end(&self.claim, addition, spent, end).await
            };
            let ended = ended.await;
            match self.in_step(ended).await {
                Err(error) if error.is_transient() => {
                    if !was_away {
                        was_away = true;
                        tell(&format!("{error}; part {} is closed when it can be", self.claim.part));
                    }
                    tokio::time::sleep(LOOK).await;
                }
                ended => return ended,
            }
        }
    }

    /// The result of a transaction. Where the ledger holds other lengths than was thought, because it was set back to a backup, these are asked for.
    async fn in_step<T>(&mut self, result: Result<T, LedgerError>) -> Result<T, LedgerError> {
        if matches!(result, Err(LedgerError::OutOfStep)) {
            self.stored = self.ledger.lengths(&self.claim.run, self.claim.part).await?;
            self.stored.retain(|path, _| is_streamed(path));
        }
        result
    }

    fn book(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            self.stored.insert(piece.path.clone(), piece.end());
        }
    }

    /// What the files have grown by since they were stored; of all files where it is the `last` time, else of the logs.
    async fn growth(&self, last: bool) -> Result<Growth, LedgerError> {
        let (folder, stored) = (Arc::clone(&self.folder), self.stored.clone());
        let read = patchwright_blocking::spawn(move |_| growth(&folder, &stored, last)).await;
        read.map_err(|failure| io::Error::other(failure.message))
            .and_then(std::convert::identity)
            .map_err(|source| LedgerError::Io { path: self.folder.to_path_buf(), source })
    }
}

/// Why a part is no longer kept.
#[derive(Debug)]
pub enum Kept {
    /// The claim is void: another worker goes on with the part.
    Lost,
    /// The run was cancelled.
    Cancelled,
    /// It cannot be stored.
    Failed(LedgerError),
}

impl PostgresLedger {
    /// Writes all files that are stored of a part into a folder, in the place of what is there.
    ///
    /// # Errors
    /// The ledger cannot be reached or holds damaged files, or the folder cannot be written.
    pub async fn fetch(&self, run: &str, part: u32, folder: &Path) -> Result<(), LedgerError> {
        let stored = self.lengths(run, part).await?;
        // Whoever looks meanwhile sees the part whole or not at all.
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let new = folder.with_file_name(format!(".new-{name}-{}", std::process::id()));
        let written = self.write_files(run, part, stored.keys(), &new).await;
        let placed = written.and_then(|()| {
            replace(&new, folder).map_err(|source| LedgerError::Io { path: folder.to_owned(), source })
        });
        if placed.is_err() {
            // It is in nobody's way.
            let _ = fs::remove_dir_all(&new);
        }
        placed
    }

    async fn write_files(
        &self,
        run: &str,
        part: u32,
        paths: impl Iterator<Item = &String>,
        folder: &Path,
    ) -> Result<(), LedgerError> {
        for path in paths {
            if !is_inside(path) {
                return Err(LedgerError::Damaged { run: run.to_owned(), part, path: path.clone() });
            }
            let pieces = self.pieces(run, part, path).await?;
            let file = folder.join(path);
            let target = file.clone();
            let written = patchwright_blocking::spawn(move |_| write(&target, &pieces)).await;
            match written
                .map_err(|failure| io::Error::other(failure.message))
                .and_then(std::convert::identity)
            {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                    return Err(LedgerError::Damaged { run: run.to_owned(), part, path: path.clone() });
                }
                Err(source) => return Err(LedgerError::Io { path: file, source }),
            }
        }
        Ok(())
    }
}

fn write(file: &Path, pieces: &[Vec<u8>]) -> io::Result<()> {
    let content = content(pieces).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    if let Some(above) = file.parent() {
        fs::create_dir_all(above)?;
    }
    fs::write(file, content)
}

/// Puts a folder in the place of another, which another process may do at the same time.
fn replace(new: &Path, folder: &Path) -> io::Result<()> {
    loop {
        match fs::rename(new, folder) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                match fs::remove_dir_all(folder) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            renamed => return renamed,
        }
    }
}

/// Whether a path leads to a place in the folder that it is relative to.
fn is_inside(path: &str) -> bool {
    let path = Path::new(path);
    let mut components = path.components();
    path.file_name().is_some() && components.all(|component| matches!(component, Component::Normal(_)))
}

fn is_streamed(path: &str) -> bool {
    path == SETTINGS || is_log(path)
}

fn is_log(path: &str) -> bool {
    Path::new(path).file_name().is_some_and(|name| LOGS.iter().any(|log| name == *log))
}

fn growth(folder: &Path, stored: &BTreeMap<String, u64>, last: bool) -> io::Result<Growth> {
    let mut growth = Growth::default();
    let mut paths = Vec::new();
    list(folder, "", DEEPEST, &mut paths)?;
    for path in paths.into_iter().filter(|path| last || is_streamed(path)) {
        let known = stored.get(&path).copied().unwrap_or_default();
        if is_log(&path) {
            growth.log(folder, &path, known)?;
        } else if path != SETTINGS || known == 0 {
            growth.whole(folder, path)?;
        }
    }
    Ok(growth)
}

/// The paths of the regular files in a folder, relative to it, in their order; no link is followed.
fn list(root: &Path, below: &str, deepest: usize, paths: &mut Vec<String>) -> io::Result<()> {
    let mut entries: Vec<fs::DirEntry> = fs::read_dir(root.join(below))?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        // Our own files have names that are text.
        let Ok(name) = entry.file_name().into_string() else { continue };
        if below.is_empty() && LOCAL.contains(&name.as_str()) || name.starts_with('.') {
            continue;
        }
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        let kind = entry.file_type()?;
        if kind.is_file() {
            paths.push(path);
        } else if kind.is_dir() && deepest > 0 {
            list(root, &path, deepest - 1, paths)?;
        }
    }
    Ok(())
}

impl Growth {
    /// Takes the whole lines of a log behind what is stored.
    fn log(&mut self, folder: &Path, path: &str, mut position: u64) -> io::Result<()> {
        let mut file = File::open(folder.join(path))?;
        if file.metadata()?.len() <= position {
            return Ok(());
        }
        file.seek(SeekFrom::Start(position))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        // The rest of a torn line comes later.
        bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1));
        for line in bytes.split(|byte| *byte == b'\n') {
            self.count(line);
        }
        for piece in bytes.chunks(LONGEST_PIECE) {
            let piece = Piece::new(path.to_owned(), position, piece);
            position = piece.end();
            self.pieces.push(piece);
        }
        Ok(())
    }

    /// Takes a file in the place of what is stored of it.
    fn whole(&mut self, folder: &Path, path: String) -> io::Result<()> {
        let bytes = fs::read(folder.join(&path))?;
        self.pieces.push(Piece::new(path, 0, &bytes));
        Ok(())
    }

    /// Counts an answer that was paid for; one that was taken over from an earlier attempt has used nothing.
    fn count(&mut self, line: &[u8]) {
        if let Ok(Line { event, usage: Some(usage), cost_usd }) = serde_json::from_slice(line)
            && event == "reply"
            && usage.total() > 0
        {
            self.spent.answers += 1;
            self.spent.tokens += usage.total();
            self.spent.usd += cost_usd.unwrap_or_default();
            self.spent.is_unpriced |= cost_usd.is_none();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_protocol::Usage;
    use serde_json::json;

    use super::*;

    #[test]
    fn logs_are_taken_by_whole_lines_and_other_files_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let reply = |input: u64, usd: f64| {
            let usage = Usage { input, output: input, ..Usage::default() };
            json!({ "seq": 1, "ms": 1, "event": "reply", "usage": usage, "cost_usd": usd }).to_string()
        };
        let (paid, taken_over) = (reply(5, 0.5), reply(0, 0.0));
        write("run.toml", "run = 1\n");
        write("lock", "7");
        write("work/a/events.jsonl", "{}\n");
        write("cases/a/attempt-1/patch.diff", "+1\n");
        write("cases/a/attempt-1/trajectory.jsonl", &format!("{paid}\n{taken_over}\n{{\"torn"));
        let stored = BTreeMap::from([("run.toml".to_owned(), 8)]);
        let first = growth(folder.path(), &stored, false).unwrap();
        let path = "cases/a/attempt-1/trajectory.jsonl".to_owned();
        let text = format!("{paid}\n{taken_over}\n");
        let end = text.len() as u64;
        assert_eq!(first.pieces, [Piece::new(path.clone(), 0, text.as_bytes())]);
        assert_eq!(first.spent, Spent { answers: 1, usd: 0.5, is_unpriced: false, tokens: 10 });

        let stored = BTreeMap::from([("run.toml".to_owned(), 8), (path, end)]);
        let last = growth(folder.path(), &stored, true).unwrap();
        let patch = Piece::new("cases/a/attempt-1/patch.diff".to_owned(), 0, b"+1\n");
        assert_eq!((last.pieces, last.spent), (vec![patch], Spent::default()));
    }

    #[test]
    fn a_path_leads_nowhere_else() {
        assert!(is_inside("cases/a/attempt-1/patch.diff"));
        for path in ["../a", "/etc/passwd", "a/../../b", "", ".", "a/.."] {
            assert!(!is_inside(path), "{path}");
        }
    }
}
