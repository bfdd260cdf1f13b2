//! Runs in a ledger of PostgreSQL: handed over, carried out by workers, looked at.

#[cfg(not(feature = "postgres"))]
mod absent;
#[cfg(feature = "postgres")]
mod checks;
#[cfg(feature = "postgres")]
mod coordinator;
#[cfg(feature = "postgres")]
mod lane;
#[cfg(feature = "postgres")]
mod prepared;
#[cfg(feature = "postgres")]
mod status;
#[cfg(feature = "postgres")]
mod worker;

use std::path::Path;

use patchwright_cluster::LedgerUrl;
use patchwright_protocol::Failure;
use serde::{Deserialize, Serialize};

#[cfg(not(feature = "postgres"))]
pub use absent::{cancel, check, status, submit, work};
#[cfg(feature = "postgres")]
pub use checks::check;
#[cfg(feature = "postgres")]
pub use coordinator::{cancel, submit};
#[cfg(feature = "postgres")]
pub use status::status;
#[cfg(feature = "postgres")]
pub use worker::work;

/// Where the run is whose results a folder holds: `ledger.json` in it.
#[derive(Clone, Debug)]
pub struct Pointer {
    /// The ledger, without a password.
    pub ledger: LedgerUrl,
    /// The run's name in it.
    pub run: String,
}

/// The file of a [`Pointer`].
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct PointerFile {
    ledger: String,
    run: String,
}

impl Pointer {
    const NAME: &str = "ledger.json";

    /// The pointer in a folder; none where there is none.
    pub fn read(folder: &Path) -> Result<Option<Self>, Failure> {
        let path = folder.join(Self::NAME);
        if !path.is_file() {
            return Ok(None);
        }
        let wrong = |message: String| {
            Failure::user(format!("{}: {message}", path.display()))
                .hint("the `bench run` that made the folder writes it again")
        };
        let text = crate::files::read_text(&path).map_err(|error| wrong(error.to_string()))?;
        let PointerFile { ledger, run } =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let ledger = ledger.parse().map_err(|error| wrong(format!("field `ledger`: {error}")))?;
        Ok(Some(Self { ledger, run }))
    }

    /// Writes it.
    #[cfg(feature = "postgres")]
    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        let file = PointerFile { ledger: self.ledger.to_string(), run: self.run.clone() };
        let text = serde_json::to_string(&file).map_err(Failure::defect)?;
        crate::files::create_folder(folder)
            .map_err(|error| Failure::environment(format!("cannot make {}: {error}", folder.display())))?;
        crate::files::write_whole(&folder.join(Self::NAME), |out| writeln!(out, "{text}"))
    }
}

/// The failure of a ledger, with who must act.
#[cfg(feature = "postgres")]
fn failed(error: patchwright_cluster::postgres::LedgerError) -> Failure {
    use patchwright_cluster::postgres::LedgerError;
    match &error {
        LedgerError::Url(_) => Failure::user(error).hint("give postgres://USER@HOST/DATABASE"),
        LedgerError::Away { .. } | LedgerError::Silent => Failure::environment(error)
            .hint("start the server, or check host, port and network; `patchwright doctor postgres://…` checks again"),
        LedgerError::Refused { .. } => Failure::user(error)
            .hint("check user, password (PGPASSWORD or ~/.pgpass), database and rights with psql and the same address"),
        LedgerError::NoLedger(_) => {
            Failure::user(error).hint("`patchwright bench run … --on postgres://…` makes the ledger")
        }
        LedgerError::Version { found, known } if found > known => {
            Failure::user(error).hint("use the newer program that made the ledger")
        }
        LedgerError::Version { .. } => Failure::user(error)
            .hint("`patchwright bench run … --on postgres://…` with this program brings the ledger up to date"),
        LedgerError::Migration(_) => {
            Failure::user(error).hint("the user of the database must be allowed to create a schema in it")
        }
        LedgerError::Artifacts { .. } | LedgerError::SilentArtifacts(_) => Failure::environment(error)
            .hint("check that the folder or bucket is there, and that the keys in the environment (AWS_…, GOOGLE_…, AZURE_…) may write there"),
        LedgerError::NoRun(_) => Failure::user(error),
        LedgerError::Damaged { .. } | LedgerError::Io { .. } => Failure::environment(error),
        LedgerError::Database(_) | LedgerError::Lost | LedgerError::OutOfStep => Failure::defect(error),
    }
}
