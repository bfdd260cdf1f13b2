//! The address of a store of artifacts.

use std::fmt;
use std::str::FromStr;

/// Schemes of object stores: those of Amazon and what speaks like it, of Google, and of Azure.
const SCHEMES: [&str; 6] = ["s3", "gs", "az", "azure", "abfs", "abfss"];

/// A folder that all machines share, or an object store: `/shared/artifacts`, `s3://BUCKET/PREFIX`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactUrl(String);

impl ArtifactUrl {
    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ArtifactUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.strip_prefix("file://").filter(|path| path.starts_with('/')).unwrap_or(text);
        if text.starts_with('/') {
            return Ok(Self(format!("/{}", text.trim_matches('/'))));
        }
        let Some((_, place)) = text.split_once("://").filter(|(scheme, _)| SCHEMES.contains(scheme)) else {
            return Err(
                "give the absolute path of a folder, or s3://BUCKET/PREFIX, gs://… or az://…".to_owned()
            );
        };
        let bucket = place.split('/').next().unwrap_or_default();
        if bucket.contains(':') || place.contains('?') {
            return Err(
                "write no key into it: workers take keys from the environment, such as AWS_ACCESS_KEY_ID"
                    .to_owned(),
            );
        }
        if bucket.is_empty() {
            return Err("it names no bucket".to_owned());
        }
        Ok(Self(text.trim_end_matches('/').to_owned()))
    }
}

impl fmt::Display for ArtifactUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_buckets_are_addresses_and_keys_are_refused() {
        let read = |text: &str| text.parse::<ArtifactUrl>();
        for (text, expected) in [
            ("/a/b/", "/a/b"),
            ("file:///a b", "/a b"),
            ("s3://runs/lite/", "s3://runs/lite"),
            ("gs://runs", "gs://runs"),
        ] {
            assert_eq!(read(text).unwrap().as_str(), expected);
        }
        for text in ["a/b", "http://host/runs", "s3://", "s3:///a", "file://host/a"] {
            assert!(read(text).is_err(), "{text}");
        }
        for text in ["s3://me:secret@runs/a", "s3://runs/a?key=secret"] {
            assert!(read(text).unwrap_err().contains("AWS_ACCESS_KEY_ID"), "{text}");
        }
    }
}
