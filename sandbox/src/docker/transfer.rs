//! Files between a lane and a container that does not see it: packed into a tar on the way in, and out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use patchwright_folder::{EntryKind, Folder, FolderEntry, FolderError, WalkBounds};
use tar::{Archive, Builder, EntryType, Header};

/// The signs that a file has changed: its kind and rights, its length, its time in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    kind: EntryKind,
    mode: u32,
    length: u64,
    modified: (i64, i64),
}

/// The files and folders of a lane, by their path in it.
pub(super) type Survey = BTreeMap<PathBuf, Stamp>;

/// Looks at everything in a lane.
pub(super) fn survey(lane: &Folder, cancelled: &AtomicBool) -> Result<Survey, FolderError> {
    let mut found = Survey::new();
    let mut look = |_: &Folder, path: &Path, entry: &FolderEntry| {
        let FolderEntry { kind, mode, bytes, modified, .. } = *entry;
        // The time of a folder changes with every file in it, and tells nothing of its own.
        let (length, modified) = if kind == EntryKind::Folder { (0, (0, 0)) } else { (bytes, modified) };
        found.insert(path.to_owned(), Stamp { kind, mode, length, modified });
        Ok(true)
    };
    lane.walk(WalkBounds::PROJECT, &|| cancelled.load(Ordering::Relaxed), &mut look)?;
    Ok(found)
}

/// The steps after which a container that holds `before` holds `now`.
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
pub(super) fn pack(
    lane: &Folder,
    paths: &[PathBuf],
    owner: (u64, u64),
    into: &mut File,
) -> Result<(), FolderError> {
    let mut builder = Builder::new(into);
    let written = |path: &Path| {
        let path = lane.path().join(path);
        move |source| FolderError::Io { doing: "pack", path, source }
    };
    for path in paths {
        let entry = lane.entry(path)?;
        let mut header = Header::new_gnu();
        header.set_mode(entry.mode);
        header.set_mtime(u64::try_from(entry.modified.0).unwrap_or_default());
        header.set_uid(owner.0);
        header.set_gid(owner.1);
        header.set_size(0);
        match entry.kind {
            EntryKind::Link => {
                header.set_entry_type(EntryType::Symlink);
                builder.append_link(&mut header, path, lane.target(path)?).map_err(written(path))?;
            }
            EntryKind::Folder => {
                header.set_entry_type(EntryType::Directory);
                builder.append_data(&mut header, path, io::empty()).map_err(written(path))?;
            }
            EntryKind::File => {
                let file = lane.file(path)?;
                header.set_entry_type(EntryType::Regular);
                header.set_size(file.metadata().map_err(written(path))?.len());
                builder.append_data(&mut header, path, file).map_err(written(path))?;
            }
            // Sockets and the like are nothing that can be sent.
            EntryKind::Other => {}
        }
    }
    builder.finish().map_err(written(Path::new("")))
}

/// Makes a file or folder of a lane hold what came from a container, in an archive whose paths are relative to the folder `above`
/// it. Only files and folders are taken over: who made the archive is not trusted. What is not in it is removed.
pub(super) fn unpack(archive: File, lane: &Folder, output: &Path) -> Result<(), FolderError> {
    let above = output.parent().unwrap_or(Path::new(""));
    let target = lane.make(above)?;
    let broken = |source| FolderError::Io { doing: "unpack", path: lane.path().join(output), source };
    let mut came = BTreeSet::new();
    for entry in Archive::new(archive).entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let path = entry.path().map_err(broken)?.into_owned();
        let mode = entry.header().mode().map_err(broken)? & 0o777;
        match entry.header().entry_type() {
            EntryType::Directory => {
                clear(&target, &path, EntryKind::Folder)?;
                // We must be able to change what is in it.
                target.make(&path)?;
                target.set_mode(&path, mode | 0o700)?;
            }
            EntryType::Regular | EntryType::Continuous => {
                if let Some(above) = path.parent() {
                    target.make(above)?;
                }
                clear(&target, &path, EntryKind::File)?;
                let mut file = target.create(&path)?;
                io::copy(&mut entry, &mut file).map_err(broken)?;
                let seconds = Duration::from_secs(entry.header().mtime().map_err(broken)?);
                if let Some(modified) = SystemTime::UNIX_EPOCH.checked_add(seconds) {
                    file.set_modified(modified).map_err(broken)?;
                }
                file.set_permissions(Permissions::from_mode(mode | 0o600)).map_err(broken)?;
            }
            _ => continue,
        }
        came.insert(above.join(path));
    }
    let mut sweep = |folder: &Folder, path: &Path, _: &FolderEntry| {
        let stays = came.contains(&output.join(path));
        if !stays {
            folder.remove(path.file_name().unwrap_or_default(), &|| false)?;
        }
        Ok(stays)
    };
    match lane.entry(output)?.kind {
        EntryKind::Folder => lane.below(output)?.walk(WalkBounds::PROJECT, &|| false, &mut sweep),
        EntryKind::File | EntryKind::Link | EntryKind::Other => Ok(()),
    }
}

/// Makes room for a file or a folder where something else stands.
fn clear(folder: &Folder, path: &Path, kind: EntryKind) -> Result<(), FolderError> {
    match folder.entry(path) {
        Ok(entry) if entry.kind != kind => {
            let above = folder.below(path.parent().unwrap_or(Path::new("")))?;
            above.remove(path.file_name().unwrap_or_default(), &|| false)
        }
        Ok(_) => Ok(()),
        Err(error) if error.is_not_found() => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs;
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
        let folder = Folder::open(lane.path()).unwrap();
        let before = survey(&folder, &AtomicBool::default()).unwrap();
        let everything = changes(&Survey::new(), &before);
        assert_eq!(names(&everything.send), ["src", "src/kept", "src/link", "src/old", "src/old/gone"]);
        fs::remove_dir_all(at("src/old")).unwrap();
        fs::write(at("src/new"), "new").unwrap();
        let found = changes(&before, &survey(&folder, &AtomicBool::default()).unwrap());
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
        let (from, to) = (Folder::open(lane.path()).unwrap(), Folder::open(other.path()).unwrap());
        let found = changes(&Survey::new(), &survey(&from, &AtomicBool::default()).unwrap());
        pack(&from, &found.send, (7, 8), &mut file).unwrap();
        file.rewind().unwrap();
        // What stands there goes, and what the archive does not hold.
        to.write("in/a folder/old/file", b"old").unwrap();
        unpack(file, &to, Path::new("in/a folder")).unwrap();
        assert!(!other.path().join("in/a folder/old").exists());
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
        let folder = Folder::open(lane.path()).unwrap();
        assert!(unpack(file.try_clone().unwrap(), &folder, Path::new("out")).is_err());
        assert!(!lane.path().parent().unwrap().join("outside-it").exists());
        symlink("/tmp", lane.path().join("link")).unwrap();
        assert!(unpack(file, &folder, Path::new("link/out")).is_err());
    }
}
