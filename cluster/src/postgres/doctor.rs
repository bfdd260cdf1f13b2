//! Checks whether runs can be put into a ledger from this machine.

use std::time::{SystemTime, UNIX_EPOCH};

use sqlx::Row;

use super::PostgresLedger;
use super::error::LedgerError;
use crate::LedgerUrl;
use crate::doctor::Check;

/// The oldest server that has `gen_random_uuid`.
const OLDEST: i32 = 130_000;

impl PostgresLedger {
    /// Checks the server, the user's rights, the tables, the clock, and the workers that are there. Stops at the server if it cannot be reached.
    pub async fn check(url: &LedgerUrl) -> Vec<Check> {
        let ledger = match Self::connect(url, 1).await {
            Ok(ledger) => ledger,
            Err(error) => {
                let cure = match &error {
                    LedgerError::Refused { .. } => {
                        "check user, password (PGPASSWORD or ~/.pgpass) and database with psql"
                    }
                    _ => "start the server, or check host, port and network",
                };
                return vec![Check::fails("server", error.to_string(), cure)];
            }
        };
        let mut checks = Vec::new();
        match ledger.server().await {
            Ok(found) => checks.extend(found),
            Err(error) => {
                checks.push(Check::fails("server", error.to_string(), "see the log of the server"));
                return checks;
            }
        }
        checks.push(match ledger.check_version().await {
            Ok(()) => Check::works("tables", "those of this program"),
            Err(LedgerError::NoLedger(_)) => {
                Check::works("tables", "none yet: the first `bench run --on postgres://…` makes them")
            }
            Err(error) => {
                Check::fails("tables", error.to_string(), "use one version of the program everywhere")
            }
        });
        if let Ok(workers) = ledger.workers().await {
            let there =
                workers.iter().filter(|worker| !worker.has_ended && worker.silent_seconds < 60.0).count();
            checks.push(Check::works("workers", format!("{there} there")).not_needed());
        }
        checks
    }

    /// Version, encryption, rights and clock of the server.
    async fn server(&self) -> Result<Vec<Check>, LedgerError> {
        self.wait(async {
            let row = sqlx::query(
                "SELECT current_setting('server_version_num')::integer, current_setting('server_version'), \
                 coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false), \
                 has_database_privilege(current_database(), 'CREATE') OR EXISTS (SELECT FROM pg_namespace WHERE nspname = 'patchwright'), \
                 extract(epoch FROM clock_timestamp())::float8, pg_is_in_recovery()",
            )
            .fetch_one(&self.pool)
            .await?;
            let (number, version): (i32, String) = (row.try_get(0)?, row.try_get(1)?);
            let (ssl, may_create, clock): (bool, bool, f64) = (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
            let only_reads: bool = row.try_get(5)?;
            let version = format!("PostgreSQL {version}, {}", if ssl { "encrypted" } else { "not encrypted" });
            let mut checks = vec![if number < OLDEST {
                Check::fails("server", version, "use PostgreSQL 13 or newer")
            } else if only_reads {
                Check::fails("server", format!("{version}, a replica that only reads"), "give the address of the primary server")
            } else {
                Check::works("server", version)
            }];
            checks.push(if may_create {
                Check::works("rights", "the tables can be made, or are there")
            } else {
                Check::fails(
                    "rights",
                    "this user may not create a schema in the database",
                    "GRANT CREATE ON DATABASE … TO …, or let the owner run the first `bench run --on`",
                )
            });
            let here = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
            let ahead = here - clock;
            checks.push(
                Check::works("clock", format!("{ahead:+.1} s from the server's; leases use the server's alone")).not_needed(),
            );
            Ok(checks)
        })
        .await
    }
}
