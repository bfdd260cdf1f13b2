//! Why a ledger does not do what it is asked.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::{ArtifactUrl, LedgerUrl};

/// An error of a ledger, or of what it is asked by.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// The address cannot be understood.
    #[error("the address of the ledger cannot be understood: {0}")]
    Url(String),
    /// The server cannot be reached, has no room, or broke off. It may be well later.
    #[error("the ledger {place} cannot be reached: {}", said(source))]
    Away {
        /// Its address.
        place: String,
        /// The reason.
        source: sqlx::Error,
    },
    /// The server does not answer in time. It may be well later.
    #[error("the ledger does not answer")]
    Silent,
    /// The server refuses: credentials, rights, a database that is not there.
    #[error("the ledger {place} refuses: {}", said(source))]
    Refused {
        /// Its address.
        place: String,
        /// The reason.
        source: sqlx::Error,
    },
    /// An answer of the server, before its place is known.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// There is no ledger in this database.
    #[error("there is no ledger in the database {0}")]
    NoLedger(String),
    /// There is no such run.
    #[error("the ledger holds no run {0}")]
    NoRun(String),
    /// The ledger was made by a newer program, or by an older one.
    #[error("the ledger has version {found} of its tables, and this program works with version {known}")]
    Version {
        /// The newest migration that was made.
        found: i64,
        /// The newest one that this program knows.
        known: i64,
    },
    /// A migration failed.
    #[error("the tables of the ledger cannot be made: {0}")]
    Migration(String),
    /// The claim is void: another worker has the part, or may have it.
    #[error("the claim of the part is void: another worker goes on with it")]
    Lost,
    /// The ledger holds less of a file, or more, than was thought.
    #[error("the ledger holds another length of a file")]
    OutOfStep,
    /// A file that the ledger holds cannot be what a worker wrote.
    #[error("the ledger holds a damaged file of part {part} of {run}: {path}")]
    Damaged {
        /// The run.
        run: String,
        /// The part.
        part: u32,
        /// The path in the folder of the part.
        path: String,
    },
    /// The store of artifacts refuses, or cannot be reached.
    #[error("the store of artifacts {place} cannot be used: {}", said_by_store(source))]
    Artifacts {
        /// Its address.
        place: ArtifactUrl,
        /// The reason.
        source: object_store::Error,
    },
    /// The store of artifacts does not answer in time.
    #[error("the store of artifacts {0} does not answer")]
    SilentArtifacts(ArtifactUrl),
    /// A file cannot be read or written.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
}

impl LedgerError {
    /// Whether the same may succeed later without anyone's help.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Away { .. } | Self::Silent | Self::SilentArtifacts(_) | Self::OutOfStep => true,
            // The network, the server, or a disk that is full.
            Self::Artifacts { source, .. } => matches!(source, object_store::Error::Generic { .. }),
            Self::Database(error) => is_transient(error),
            Self::Url(_)
            | Self::Refused { .. }
            | Self::NoLedger(_)
            | Self::NoRun(_)
            | Self::Version { .. }
            | Self::Migration(_)
            | Self::Lost
            | Self::Damaged { .. }
            | Self::Io { .. } => false,
        }
    }

    /// The same, with the place of the server that gave it.
    pub(super) fn at(self, url: &LedgerUrl) -> Self {
        let Self::Database(source) = self else { return self };
        let place = url.to_string();
        match &source {
            source if is_missing_table(source) => Self::NoLedger(place),
            _ if is_transient(&source) => Self::Away { place, source },
            _ => Self::Refused { place, source },
        }
    }
}

/// The server's own words, or those of the system.
fn said(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        sqlx::Error::Io(error) => error.to_string(),
        sqlx::Error::PoolTimedOut => "no connection was free in time".to_owned(),
        error => error.to_string(),
    }
}

/// The reason without the document that servers send with it.
fn said_by_store(error: &object_store::Error) -> String {
    let text = error.to_string();
    text.split(": <").next().unwrap_or_default().to_owned()
}

fn is_transient(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(error) => {
            // https://www.postgresql.org/docs/current/errcodes-appendix.html: connection, resources, an operator or a crash, a server that
            // only reads for now, two transactions that were in each other's way.
            let code = error.code().unwrap_or_default();
            ["08", "53", "57", "58", "40"].iter().any(|class| code.starts_with(class)) || code == "25006"
        }
        sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::Protocol(_)
        | sqlx::Error::WorkerCrashed => true,
        _ => false,
    }
}

/// Whether the schema or a table is not there.
fn is_missing_table(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| ["42P01", "3F000"].contains(&&*code))
}
