//! The files of a part as one archive (tar, gzip).

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::files::{is_inside, list, write};

/// Packs the files of a folder that mean something elsewhere.
pub(super) fn pack(folder: &Path) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for path in list(folder)? {
        let content = fs::read(folder.join(&path))?;
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, &path, content.as_slice())?;
    }
    archive.into_inner()?.finish()
}

/// Unpacks them into a folder.
///
/// # Errors
/// [`io::ErrorKind::InvalidData`] if it is no such archive; or a file cannot be written.
pub(super) fn unpack(archive: &[u8], folder: &Path) -> io::Result<()> {
    let damaged = |text: String| io::Error::new(io::ErrorKind::InvalidData, text);
    let mut archive = tar::Archive::new(GzDecoder::new(archive));
    for entry in archive.entries()? {
        let mut entry = entry.map_err(|error| damaged(error.to_string()))?;
        let path = entry.path()?.to_string_lossy().into_owned();
        if !entry.header().entry_type().is_file() || !is_inside(&path) {
            return Err(damaged(format!("it holds {path}")));
        }
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(|error| damaged(error.to_string()))?;
        write(&folder.join(path), &content)?;
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_holds_the_files_of_a_folder() {
        let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let long = format!("cases/{}/attempt-1/trajectory.jsonl", "long-name-".repeat(20));
        for path in ["run.toml", "lock", "work/a", &long] {
            write(&folder.path().join(path), path.as_bytes()).unwrap();
        }
        unpack(&pack(folder.path()).unwrap(), copy.path()).unwrap();
        assert_eq!(list(copy.path()).unwrap(), [long.clone(), "run.toml".to_owned()]);
        assert_eq!(fs::read_to_string(copy.path().join(&long)).unwrap(), long);
        assert!(!copy.path().join("lock").exists() && !copy.path().join("work").exists());
    }

    #[test]
    fn what_is_no_archive_of_ours_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let packed = |path: &str, kind: tar::EntryType| {
            let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
            let mut header = tar::Header::new_gnu();
            header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_entry_type(kind);
            header.set_size(0);
            header.set_cksum();
            archive.append(&header, io::empty()).unwrap();
            archive.into_inner().unwrap().finish().unwrap()
        };
        let whole = packed("a", tar::EntryType::Regular);
        unpack(&whole, folder.path()).unwrap();
        for archive in [
            packed("../a", tar::EntryType::Regular),
            packed("/a", tar::EntryType::Regular),
            packed("a", tar::EntryType::Symlink),
            whole[..whole.len() / 2].to_vec(),
            b"no archive".to_vec(),
        ] {
            let error = unpack(&archive, folder.path()).unwrap_err();
            assert_ne!(error.kind(), io::ErrorKind::NotFound, "{error}");
        }
    }
}
