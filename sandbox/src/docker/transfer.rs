//! Files between a lane and a container that does not see it: packed into a tar on the way in, and out.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tar::{Archive, Builder, EntryType, Header, HeaderMode};

use crate::command::stays_inside;

/// What tells that a file has changed: its kind and mode, its length, its time in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    mode: u32,
    length: u64,
    modified: (i64, i64),
}

/// The files and folders of a lane, by their path in it.
pub(super) type Survey = BTreeMap<PathBuf, Stamp>;

/// Looks at everything in a lane.
pub(super) fn survey(lane: &Path) -> io::Result<Survey> {
    let mut found = Survey::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(lane.join(&folder))? {
            let entry = entry?;
            let (path, state) = (folder.join(entry.file_name()), entry.metadata()?);
            // The time of a folder changes with every file in it, and tells nothing of its own.
            let modified = if state.is_dir() { (0, 0) } else { (state.mtime(), state.mtime_nsec()) };
            let length = if state.is_dir() { 0 } else { state.len() };
            if state.is_dir() {
                open.push(path.clone());
            }
            found.insert(path, Stamp { mode: state.mode(), length, modified });
        }
    }
    Ok(found)
}

/// What has to be done so that a container which holds `before` holds `now`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// To be packed and sent, folders before what is in them.
    pub(super) send: Vec<PathBuf>,
    /// To be removed, nothing inside another.
    pub(super) remove: Vec<PathBuf>,
}

/// Compares two surveys of a lane.
pub(super) fn changes(before: &Survey, now: &Survey) -> Changes {
    let mut changes = Changes::default();
    for (path, stamp) in now {
        if before.get(path) != Some(stamp) {
            changes.send.push(path.clone());
        }
    }
    for path in before.keys().filter(|path| !now.contains_key(*path)) {
        if !changes.remove.iter().any(|removed| path.starts_with(removed)) {
            changes.remove.push(path.clone());
        }
    }
    changes
}

/// Packs files of a lane, as if they belonged to `owner`.
pub(super) fn pack(lane: &Path, paths: &[PathBuf], owner: (u64, u64), into: &mut File) -> io::Result<()> {
    let mut builder = Builder::new(into);
    for path in paths {
        let source = lane.join(path);
        let state = fs::symlink_metadata(&source)?;
        let mut header = Header::new_gnu();
        header.set_metadata_in_mode(&state, HeaderMode::Complete);
        header.set_uid(owner.0);
        header.set_gid(owner.1);
        if state.is_symlink() {
            header.set_size(0);
            builder.append_link(&mut header, path, fs::read_link(&source)?)?;
        } else if state.is_dir() {
            header.set_size(0);
            builder.append_data(&mut header, path, io::empty())?;
        } else if state.is_file() {
            let file = File::open(&source)?;
            header.set_size(file.metadata()?.len());
            builder.append_data(&mut header, path, file)?;
        }
        // Sockets and the like are nothing that can be sent.
    }
    builder.finish()
}

/// Unpacks what came from a container into a folder of a lane. Only files and folders: who made the archive is
/// not trusted.
pub(super) fn unpack(archive: File, lane: &Path, folder: &Path) -> io::Result<()> {
    let target = lane.join(folder);
    fs::create_dir_all(&target)?;
    if !stays_inside(folder) || !target.canonicalize()?.starts_with(lane.canonicalize()?) {
        return Err(io::Error::other("an output leads out of the lane"));
    }
    for entry in Archive::new(archive).entries()? {
        let mut entry = entry?;
        match entry.header().entry_type() {
            // `unpack_in` refuses paths that climb or pass through links.
            EntryType::Regular | EntryType::Directory => drop(entry.unpack_in(&target)?),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};
    use std::os::unix::fs::symlink;

    fn names(paths: &[PathBuf]) -> Vec<&str> {
        paths.iter().map(|path| path.to_str().unwrap()).collect()
    }

    #[test]
    fn only_what_changed_is_sent() {
        let lane = tempfile::tempdir().unwrap();
        let at = |path: &str| lane.path().join(path);
        fs::create_dir_all(at("src/old")).unwrap();
        fs::write(at("src/kept"), "kept").unwrap();
        fs::write(at("src/old/gone"), "gone").unwrap();
        symlink("kept", at("src/link")).unwrap();
        let before = survey(lane.path()).unwrap();
        let everything = changes(&Survey::new(), &before);
        assert_eq!(names(&everything.send), ["src", "src/kept", "src/link", "src/old", "src/old/gone"]);
        fs::remove_dir_all(at("src/old")).unwrap();
        fs::write(at("src/new"), "new").unwrap();
        let found = changes(&before, &survey(lane.path()).unwrap());
        assert_eq!(names(&found.send), ["src/new"]);
        assert_eq!(names(&found.remove), ["src/old"]);
    }

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let (lane, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let long = format!("a folder/{}", "long".repeat(40));
        fs::create_dir(lane.path().join("a folder")).unwrap();
        fs::write(lane.path().join(&long), b"caf\xe9").unwrap();
        symlink("/etc/passwd", lane.path().join("a folder/link")).unwrap();
        let mut file = tempfile::tempfile().unwrap();
        let found = changes(&Survey::new(), &survey(lane.path()).unwrap());
        pack(lane.path(), &found.send, (7, 8), &mut file).unwrap();
        file.rewind().unwrap();
        unpack(file, other.path(), Path::new("in")).unwrap();
        assert_eq!(fs::read(other.path().join("in").join(&long)).unwrap(), b"caf\xe9");
        assert!(!other.path().join("in/a folder/link").exists(), "links of a container are not taken over");
    }

    #[test]
    fn an_archive_cannot_leave_the_lane() {
        let lane = tempfile::tempdir().unwrap();
        let mut file = tempfile::tempfile().unwrap();
        let mut header = [0_u8; 512];
        // Written by hand: the library refuses to make such an archive.
        let mut sound = Header::new_gnu();
        sound.set_size(0);
        sound.set_entry_type(EntryType::Regular);
        header.copy_from_slice(sound.as_bytes());
        header[..14].copy_from_slice(b"../outside-it\0");
        let mut evil = Header::from_byte_slice(&header).clone();
        evil.set_cksum();
        file.write_all(evil.as_bytes()).unwrap();
        file.write_all(&[0; 1024]).unwrap();
        file.rewind().unwrap();
        unpack(file.try_clone().unwrap(), lane.path(), Path::new("")).unwrap();
        assert!(!lane.path().parent().unwrap().join("outside-it").exists());
        symlink("/tmp", lane.path().join("link")).unwrap();
        assert!(unpack(file, lane.path(), Path::new("link")).is_err());
    }
}
