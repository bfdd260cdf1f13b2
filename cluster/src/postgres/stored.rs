//! The files of parts, in compressed pieces.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use sqlx::{PgConnection, Row};

use super::error::LedgerError;
use super::{PostgresLedger, number, size};

/// A piece of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The path of the file, relative to the folder of the part.
    pub path: String,
    /// The position of its first byte: what the ledger holds of the file must end there. At 0 it replaces what the ledger holds.
    pub position: u64,
    /// Bytes in it.
    pub length: u64,
    /// The bytes, compressed with zlib.
    pub compressed: Vec<u8>,
}

impl Piece {
    /// A piece of these bytes.
    pub(super) fn new(path: String, position: u64, bytes: &[u8]) -> Self {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        // Nothing that is written to memory fails.
        let _ = encoder.write_all(bytes);
        let compressed = encoder.finish().unwrap_or_default();
        Self { path, position, length: bytes.len() as u64, compressed }
    }

    /// The position behind its last byte.
    pub(super) fn end(&self) -> u64 {
        self.position + self.length
    }
}

/// What a worker adds to the files of a part.
#[derive(Clone, Copy, Debug)]
pub struct Addition<'a> {
    /// Bytes that the ledger holds, by file, as far as the worker stored them or knows of them.
    pub known: &'a BTreeMap<String, u64>,
    /// What is new.
    pub pieces: &'a [Piece],
    /// The name of the archive in the run's store that holds all files instead.
    pub archive: Option<&'a str>,
}

/// Adds to the files of a part whose fence was checked in the same transaction. All known files are compared, grown or not: a ledger that was set
/// back to a backup holds less of some.
///
/// # Errors
/// [`LedgerError::OutOfStep`] if the ledger holds another length of a known file.
pub(super) async fn store(
    transaction: &mut PgConnection,
    (run, part): (&str, u32),
    Addition { known, pieces, archive }: Addition<'_>,
) -> Result<(), LedgerError> {
    let stored = lengths(transaction, run, part).await?;
    if known.iter().any(|(path, length)| stored.get(path) != Some(length)) {
        return Err(LedgerError::OutOfStep);
    }
    if let Some(name) = archive {
        return keep_elsewhere(transaction, (run, part), name).await;
    }
    for piece in pieces {
        if piece.position == 0 {
            sqlx::query("DELETE FROM patchwright.files WHERE run = $1 AND part = $2 AND path = $3")
                .bind(run)
                .bind(number(part))
                .bind(&piece.path)
                .execute(&mut *transaction)
                .await?;
        }
        let stored = sqlx::query(
            "INSERT INTO patchwright.files (run, part, path, length) SELECT $1, $2, $3, $5 WHERE $4 = 0 OR EXISTS \
             (SELECT FROM patchwright.files WHERE run = $1 AND part = $2 AND path = $3) \
             ON CONFLICT (run, part, path) DO UPDATE SET length = $5 WHERE files.length = $4",
        )
        .bind(run)
        .bind(number(part))
        .bind(&piece.path)
        .bind(size(piece.position))
        .bind(size(piece.end()))
        .execute(&mut *transaction)
        .await?;
        if stored.rows_affected() == 0 {
            return Err(LedgerError::OutOfStep);
        }
        sqlx::query(
            "INSERT INTO patchwright.pieces (run, part, path, position, bytes) VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(run)
        .bind(number(part))
        .bind(&piece.path)
        .bind(size(piece.position))
        .bind(&piece.compressed)
        .execute(&mut *transaction)
        .await?;
    }
    Ok(())
}

/// Names the archive that holds the files of a part, and forgets what the ledger itself holds of them.
async fn keep_elsewhere(
    transaction: &mut PgConnection,
    (run, part): (&str, u32),
    archive: &str,
) -> Result<(), LedgerError> {
    sqlx::query("DELETE FROM patchwright.files WHERE run = $1 AND part = $2")
        .bind(run)
        .bind(number(part))
        .execute(&mut *transaction)
        .await?;
    sqlx::query("UPDATE patchwright.parts SET archive = $3 WHERE run = $1 AND part = $2")
        .bind(run)
        .bind(number(part))
        .bind(archive)
        .execute(transaction)
        .await?;
    Ok(())
}

impl PostgresLedger {
    /// The archive that holds the files of a part; none where the ledger itself does.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub(super) async fn archive(&self, run: &str, part: u32) -> Result<Option<String>, LedgerError> {
        self.wait(async {
            let archive: Option<Option<String>> =
                sqlx::query_scalar("SELECT archive FROM patchwright.parts WHERE run = $1 AND part = $2")
                    .bind(run)
                    .bind(number(part))
                    .fetch_optional(&self.pool)
                    .await?;
            Ok(archive.flatten())
        })
        .await
    }

    /// The files that are stored of a part, with their lengths in bytes.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub(super) async fn lengths(&self, run: &str, part: u32) -> Result<BTreeMap<String, u64>, LedgerError> {
        self.wait(async { lengths(&mut *self.pool.acquire().await?, run, part).await }).await
    }

    /// The compressed pieces of a file, in their order.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses.
    pub(super) async fn pieces(&self, run: &str, part: u32, path: &str) -> Result<Vec<Vec<u8>>, LedgerError> {
        self.wait(async {
            let pieces = sqlx::query_scalar(
                "SELECT bytes FROM patchwright.pieces WHERE run = $1 AND part = $2 AND path = $3 ORDER BY position",
            )
            .bind(run)
            .bind(number(part))
            .bind(path)
            .fetch_all(&self.pool)
            .await?;
            Ok(pieces)
        })
        .await
    }
}

/// The content of a file.
///
/// # Errors
/// [`io::ErrorKind::InvalidData`] if a piece is damaged.
pub(super) fn content(pieces: &[Vec<u8>]) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    for piece in pieces {
        let damaged = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        ZlibDecoder::new(piece.as_slice()).read_to_end(&mut content).map_err(damaged)?;
    }
    Ok(content)
}

async fn lengths(
    connection: &mut PgConnection,
    run: &str,
    part: u32,
) -> Result<BTreeMap<String, u64>, LedgerError> {
    let rows = sqlx::query("SELECT path, length FROM patchwright.files WHERE run = $1 AND part = $2")
        .bind(run)
        .bind(number(part))
        .fetch_all(connection)
        .await?;
    let file = |row: &sqlx::postgres::PgRow| {
        Ok((row.try_get(0)?, u64::try_from(row.try_get::<i64, _>(1)?).unwrap_or_default()))
    };
    rows.iter().map(file).collect()
}
