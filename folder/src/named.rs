//! Files that the user names, or that lie beside one: read whole, up to a bound.

use std::fs::File;
use std::io::{Error, Read, Result};
use std::path::Path;

/// Bytes of a file of settings: keys, prices, templates, an issue.
pub const LONGEST_SETTINGS: u64 = 1 << 20;
/// Bytes of any other file that a person names: a reply, a patch, a manifest, a run.
pub const LONGEST_FILE: u64 = 64 << 20;
/// Bytes of a log that a run of all tests leaves.
pub const LONGEST_LOG: u64 = 256 << 20;
/// Bytes of a data set.
pub const LONGEST_DATA_SET: u64 = 1 << 30;

/// The bytes of a file that holds no more than `most`. Links are followed and pipes are read: it is the user's own.
///
/// # Errors
/// It cannot be read, or holds more, of which no more is read.
pub fn read_file(path: &Path, most: u64) -> Result<Vec<u8>> {
    read_from(File::open(path)?, most)
}

/// The text of a file that holds no more than `most` bytes.
///
/// # Errors
/// As [`read_file`], or it is not UTF-8.
pub fn read_text_file(path: &Path, most: u64) -> Result<String> {
    String::from_utf8(read_file(path, most)?).map_err(Error::other)
}

/// As [`read_file`], from what is open already.
///
/// # Errors
/// As [`read_file`].
pub fn read_from(input: impl Read, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(Error::other(format!(
            "it has more than {most} bytes, and no more are read; give a smaller file"
        )));
    }
    Ok(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::{Read, repeat};

    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_bound_and_not_beyond() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        for (bytes, fits) in [(0, true), (1_000, true), (1_001, false), (10_000, false)] {
            std::fs::write(&path, vec![b'x'; bytes]).unwrap();
            let read = read_text_file(&path, 1_000);
            assert_eq!(read.as_ref().is_ok_and(|text| text.len() == bytes), fits, "{bytes}: {read:?}");
            if let Err(error) = read {
                assert!(error.to_string().contains("1000"), "{error}");
            }
        }
        let mut endless = repeat(b'x').take(10_000);
        assert!(read_from(&mut endless, 1_000).is_err());
        assert_eq!(endless.limit(), 8_999, "one byte more tells that it is too long");
        assert!(read_file(Path::new("/dev/zero"), 1_000).is_err());
    }
}
