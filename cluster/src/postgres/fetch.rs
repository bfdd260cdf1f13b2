//! Files of parts, written into folders.

use std::fs;
use std::io;
use std::path::Path;

use super::artifacts::ArtifactStore;
use super::error::LedgerError;
use super::files::{is_inside, replace, write};
use super::stored::content;
use super::{PostgresLedger, archive};

impl PostgresLedger {
    /// Writes all files that are stored of a part into a folder, in the place of what is there.
    ///
    /// # Errors
    /// The ledger or the store cannot be reached or holds damaged files, or the folder cannot be written.
    pub async fn fetch(
        &self,
        run: &str,
        part: u32,
        folder: &Path,
        artifacts: Option<&ArtifactStore>,
    ) -> Result<(), LedgerError> {
        // Whoever looks meanwhile sees the part whole or not at all.
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let new = folder.with_file_name(format!(".new-{name}-{}", std::process::id()));
        let written = match (self.archive(run, part).await?, artifacts) {
            (Some(name), Some(artifacts)) => {
                let packed = artifacts.get(&name).await?;
                let target = new.clone();
                on_disk(move || archive::unpack(&packed, &target))
                    .await
                    .map_err(|error| unusable(error, (run, part), &name, &new))
            }
            (Some(name), None) => Err(LedgerError::Damaged { run: run.to_owned(), part, path: name }),
            (None, _) => {
                let stored = self.lengths(run, part).await?;
                self.write_files(run, part, stored.keys(), &new).await
            }
        };
        let placed = written.and_then(|()| {
            replace(&new, folder).map_err(|source| LedgerError::Io { path: folder.to_owned(), source })
        });
        if placed.is_err() {
            // It is in nobody's way.
            let _ = fs::remove_dir_all(&new);
        }
        placed
    }

    /// Writes files that are stored in the ledger itself.
    pub(super) async fn write_files(
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
            on_disk(move || write(&target, &content(&pieces)?))
                .await
                .map_err(|error| unusable(error, (run, part), path, &file))?;
        }
        Ok(())
    }
}

async fn on_disk(work: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<()> {
    let done = patchwright_blocking::spawn(move |_| work()).await;
    done.map_err(|failure| io::Error::other(failure.message)).and_then(std::convert::identity)
}

/// What was stored is damaged, or cannot be written here.
fn unusable(source: io::Error, (run, part): (&str, u32), path: &str, file: &Path) -> LedgerError {
    if source.kind() == io::ErrorKind::InvalidData {
        return LedgerError::Damaged { run: run.to_owned(), part, path: path.to_owned() };
    }
    LedgerError::Io { path: file.to_owned(), source }
}
