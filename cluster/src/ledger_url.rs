//! The address of a ledger, which may hold a password.

use std::fmt;
use std::str::FromStr;

/// `postgres://USER@HOST/DATABASE`. A password in it is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct LedgerUrl(String);

impl LedgerUrl {
    /// Whether a text is meant as the address of a ledger.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// The whole address, with the password.
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "who connects needs it"))]
    pub(crate) fn secret(&self) -> &str {
        &self.0
    }

    /// The same without a password; where there was one, `PGPASSWORD` or a password file (`~/.pgpass`) has to hold it.
    #[must_use]
    pub fn without_password(&self) -> Self {
        let hidden = self.parts().map(|(before, _, behind)| format!("{before}{behind}"));
        Self(hidden.unwrap_or_else(|| self.0.clone()))
    }

    /// What stands before a password, with it and its colon, and behind it.
    fn parts(&self) -> Option<(&str, &str, &str)> {
        let begin = self.0.find("://")? + 3;
        let authority = self.0[begin..].find(['/', '?', '#']).map_or(self.0.len(), |end| begin + end);
        let at = begin + self.0[begin..authority].rfind('@')?;
        let colon = begin + self.0[begin..at].find(':')?;
        Some((&self.0[..colon], &self.0[colon..at], &self.0[at..]))
    }
}

impl FromStr for LedgerUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = "an address of a ledger looks like postgres://USER@HOST/DATABASE";
        if !Self::is_meant(text) {
            return Err(wrong.to_owned());
        }
        // A query may hold a password, too, and would be shown.
        if text.split_once('?').is_some_and(|(_, query)| query.contains("password=")) {
            return Err(
                "write no password behind `?`: use PGPASSWORD, or a password file (~/.pgpass)".to_owned()
            );
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for LedgerUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.without_password().0)
    }
}

impl fmt::Debug for LedgerUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let shown = |text: &str| text.parse::<LedgerUrl>().unwrap().to_string();
        assert_eq!(
            shown("postgres://me:s3:cr@t@db.example:5433/runs?sslmode=require"),
            "postgres://me@db.example:5433/runs?sslmode=require"
        );
        assert_eq!(shown("postgres://me@db/runs"), "postgres://me@db/runs");
        assert_eq!(shown("postgresql:///runs?host=/run/a:b@c"), "postgresql:///runs?host=/run/a:b@c");
        assert!("postgres://me@db/runs?password=x".parse::<LedgerUrl>().unwrap_err().contains("PGPASSWORD"));
        assert!("mysql://me@db/runs".parse::<LedgerUrl>().is_err());
    }
}
