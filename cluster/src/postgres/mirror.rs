//! The folder of a part on a worker's disk, and its copy in the ledger.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::artifacts::ArtifactStore;
use super::claims::{Claim, End, Spent, Standing};
use super::error::LedgerError;
use super::files::list;
use super::stored::{Addition, Piece};
use super::{PostgresLedger, archive};

/// Files that only grow, line by line: what another worker needs to go on. They are stored while the part is worked on, all others at its end.
const LOGS: [&str; 2] = ["events.jsonl", "trajectory.jsonl"];
/// The settings of the part, written once before everything else.
const SETTINGS: &str = "run.toml";
/// Bytes of a piece at most.
const LONGEST_PIECE: usize = 4 << 20;
/// Between two looks at whether the files have grown.
const LOOK: Duration = Duration::from_millis(200);
/// Between two tries to reach a store of artifacts, which has tried a few times by itself.
const RETRY: Duration = Duration::from_secs(5);

/// The folder of a claimed part, whose logs are stored in the ledger as they grow.
#[derive(Debug)]
pub struct Mirror {
    ledger: PostgresLedger,
    claim: Claim,
    folder: Arc<Path>,
    /// Where its files go when it is done; into the ledger, where there is none.
    artifacts: Option<ArtifactStore>,
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
    pub async fn restore(
        ledger: &PostgresLedger,
        claim: &Claim,
        folder: &Path,
        artifacts: Option<ArtifactStore>,
    ) -> Result<Self, LedgerError> {
        let mut stored = ledger.lengths(&claim.run, claim.part).await?;
        stored.retain(|path, _| is_streamed(path));
        ledger.write_files(&claim.run, claim.part, stored.keys(), folder).await?;
        Ok(Self {
            ledger: ledger.clone(),
            claim: claim.clone(),
            folder: folder.into(),
            artifacts,
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
        let kept = self
            .ledger
            .keep(&self.claim, Addition { known: &self.stored, pieces: &pieces, archive: None }, spent)
            .await;
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
        let archive = match (end, self.artifacts.clone()) {
            (End::Done(_), Some(artifacts)) => Some(self.archive(&artifacts, tell).await?),
            _ => None,
        };
        let mut was_away = false;
        loop {
            let ended = async {
                let Growth { pieces, spent } = self.growth(true).await?;
                let addition = Addition { known: &self.stored, pieces: &pieces, archive: archive.as_deref() };
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

    /// Puts all files into the store of artifacts, under a name that is given, and renews the claim meanwhile.
    async fn archive(
        &mut self,
        artifacts: &ArtifactStore,
        tell: &(dyn Fn(&str) + Sync),
    ) -> Result<String, LedgerError> {
        let name = self.claim.archive_name();
        let packed = self.on_disk(archive::pack).await?;
        let mut was_away = false;
        loop {
            match self.kept_meanwhile(artifacts.put(&name, packed.clone())).await? {
                Err(error) if error.is_transient() => {
                    if !was_away {
                        was_away = true;
                        tell(&format!("{error}; part {} is closed when it can be", self.claim.part));
                    }
                    self.kept_meanwhile(tokio::time::sleep(RETRY)).await?;
                }
                put => return put.map(|()| name),
            }
        }
    }

    /// Renews the claim until some work is done.
    async fn kept_meanwhile<T>(&mut self, work: impl Future<Output = T>) -> Result<T, LedgerError> {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return Ok(done),
                // Whatever else is wrong comes up when the claim is ended.
                () = tokio::time::sleep(LOOK) => if let Err(LedgerError::Lost) = self.store().await {
                    return Err(LedgerError::Lost);
                }
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
        let stored = self.stored.clone();
        self.on_disk(move |folder| growth(folder, &stored, last)).await
    }

    /// Reads the folder on a thread that may wait.
    async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> Result<T, LedgerError> {
        let folder = Arc::clone(&self.folder);
        let read = patchwright_blocking::spawn(move |_| work(&folder)).await;
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

fn is_streamed(path: &str) -> bool {
    path == SETTINGS || is_log(path)
}

fn is_log(path: &str) -> bool {
    Path::new(path).file_name().is_some_and(|name| LOGS.iter().any(|log| name == *log))
}

fn growth(folder: &Path, stored: &BTreeMap<String, u64>, last: bool) -> io::Result<Growth> {
    let mut growth = Growth::default();
    for path in list(folder)?.into_iter().filter(|path| last || is_streamed(path)) {
        let known = stored.get(&path).copied().unwrap_or_default();
        if is_log(&path) {
            growth.log(folder, &path, known)?;
        } else if path != SETTINGS || known == 0 {
            growth.whole(folder, path)?;
        }
    }
    Ok(growth)
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
}
