//! The tables of a ledger, by migrations.

use std::borrow::Cow;

use sqlx::migrate::{Migration, MigrationType, Migrator};

use super::PostgresLedger;
use super::error::LedgerError;

/// The schema that holds everything.
const SCHEMA: &str = "patchwright";
/// The migrations in their order. One that was published never changes.
const MIGRATIONS: [(&str, &str); 2] = [
    ("ledger", include_str!("../../migrations/1_ledger.sql")),
    ("views", include_str!("../../migrations/2_views.sql")),
];

impl PostgresLedger {
    /// Makes the tables, or brings those of an older program up to date.
    ///
    /// # Errors
    /// They are of a newer program, or the server refuses.
    pub async fn migrate(&self) -> Result<(), LedgerError> {
        let migration = |(number, (name, sql)): (i64, &(&'static str, &'static str))| {
            Migration::new(
                number,
                Cow::Borrowed(*name),
                MigrationType::Simple,
                sqlx::SqlStr::from_static(sql),
                false,
            )
        };
        let mut migrator = Migrator::with_migrations((1..).zip(&MIGRATIONS).map(migration).collect());
        migrator.create_schema(SCHEMA);
        migrator.dangerous_set_table_name(format!("{SCHEMA}.migrations"));
        self.wait(async {
            migrator.run(&self.pool).await.map_err(|error| match error {
                sqlx::migrate::MigrateError::VersionMissing(found) => {
                    LedgerError::Version { found, known: known() }
                }
                sqlx::migrate::MigrateError::Execute(error) => LedgerError::Database(error),
                error => LedgerError::Migration(error.to_string()),
            })
        })
        .await
    }

    /// Checks that the tables are those of this program.
    ///
    /// # Errors
    /// There are none, they are of another program, or the server cannot be reached.
    pub async fn check_version(&self) -> Result<(), LedgerError> {
        self.wait(async {
            let found: Option<i64> =
                sqlx::query_scalar("SELECT max(version) FROM patchwright.migrations WHERE success")
                    .fetch_one(&self.pool)
                    .await?;
            match found {
                Some(found) if found == known() => Ok(()),
                Some(found) => Err(LedgerError::Version { found, known: known() }),
                None => Err(LedgerError::NoLedger(self.url.to_string())),
            }
        })
        .await
    }
}

fn known() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}
