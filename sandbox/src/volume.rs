//! Lanes of a bounded size: each a file system in a file of its own, mounted where nobody else sees it.
//!
//! Only root may mount one. Neither the file, which has no name any more, nor the mount outlives this process, however it ends: both
//! are held by mounts that belong to it and to what it starts.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use rustix::mount::{MountPropagationFlags, UnmountFlags, mount_change, unmount};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Set once the mounts of this process are its own.
static ON_OUR_OWN: OnceLock<()> = OnceLock::new();

const MAKE: &str = "mkfs.ext4";
const MOUNT: &str = "mount";

/// What the order hangs on in which a folder lists its files. Each lane has the same: tests may be named, and run, in that order.
const ORDER: &str = "hash_seed=7061746e-7269-4768-9470-617463687772";

/// Gives this process mounts that nobody else sees, where it may, so that lanes can have a bounded size. To be called before it has
/// a second thread.
pub fn keep_mounts_apart() {
    // SAFETY: memory, descriptors and signals stay shared as they are; only a later mount is seen by fewer.
    let apart = unsafe { unshare_unsafe(UnshareFlags::NEWNS) };
    // What the system mounts from now on is still seen here.
    let apart = apart
        .and_then(|()| mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC));
    if apart.is_ok() {
        let _ = ON_OUR_OWN.set(());
    }
}

/// That folders of a bounded size can be made here.
#[derive(Debug, Clone, Copy)]
pub struct Volumes(());

/// A folder of a bounded size. Unmounted when dropped: then it is empty.
#[derive(Debug)]
pub struct Volume {
    at: PathBuf,
}

impl Volumes {
    /// The maker of volumes, where they can be made.
    pub(super) fn find() -> Option<Self> {
        let folders: Vec<PathBuf> = std::env::split_paths(&path()).collect();
        let has = |program: &&str| folders.iter().any(|folder| folder.join(program).is_file());
        let control = fs::File::options().write(true).open("/dev/loop-control");
        let possible = ON_OUR_OWN.get().is_some() && control.is_ok();
        (possible && [MAKE, MOUNT].iter().all(has)).then_some(Self(()))
    }

    /// Bounds the empty folder `at` to about so many bytes, and to one file or folder for each 16 KiB of them. Places are taken of the
    /// disk beside it as they are used.
    ///
    /// # Errors
    /// There is less room on the disk than that, or a program that is needed has failed.
    pub fn create(&self, at: &Path, bytes: u64) -> io::Result<Volume> {
        let found = rustix::fs::statvfs(at)?;
        if found.f_bavail * found.f_frsize < bytes {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "there is no room for it"));
        }
        let image = at.with_extension("image");
        let made = Self::mount(&image, at, bytes).map(|()| Volume { at: at.to_owned() });
        // Whoever has mounted it keeps it.
        let removed = fs::remove_file(&image);
        let volume = made?;
        removed.map(|()| volume)
    }

    fn mount(image: &Path, at: &Path, bytes: u64) -> io::Result<()> {
        fs::File::create_new(image)?.set_len(bytes)?;
        // Nothing in it outlives this process: it needs no journal, and nothing is set aside for root.
        let plain = ["-q", "-F", "-O", "^has_journal", "-m", "0", "-i", "16384"];
        let extended = format!("lazy_itable_init=1,nodiscard,{ORDER}");
        run(Command::new(MAKE).args(plain).args(["-E", &extended]).arg(image))?;
        run(Command::new(MOUNT).args(["-t", "ext4", "-o", "loop,nosuid,nodev"]).args([image, at]))
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        if let Err(error) = unmount(&self.at, UnmountFlags::DETACH) {
            tracing::debug!(%error, at = %self.at.display(), "a file system was not unmounted");
        }
    }
}

/// Where programs are looked for, with the folders of those for root.
fn path() -> OsString {
    let mut path = std::env::var_os("PATH").unwrap_or_default();
    path.push(":/usr/sbin:/sbin");
    path
}

fn run(command: &mut Command) -> io::Result<()> {
    let done = command.env("PATH", path()).stdin(Stdio::null()).output()?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(io::Error::other(format!("{}: {}", command.get_program().display(), said.trim())))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::print_stderr)]
mod tests {
    use std::io::{ErrorKind, Write};

    use super::*;

    #[test]
    fn a_volume_holds_so_much_and_leaves_nothing() {
        // What a thread gives up, it gives up alone.
        let (full, left) = std::thread::spawn(|| {
            keep_mounts_apart();
            let Some(volumes) = Volumes::find() else {
                eprintln!("skipped: only root may mount");
                return (Some(ErrorKind::StorageFull), Vec::new());
            };
            let folder = tempfile::tempdir().unwrap();
            let at = folder.path().join("lane");
            fs::create_dir(&at).unwrap();
            let volume = volumes.create(&at, 64 << 20).unwrap();
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the image has no name");
            let mut file = fs::File::create(at.join("file")).unwrap();
            let full = (0..64).map(|_| file.write_all(&vec![1; 1 << 20])).find_map(Result::err);
            drop((file, volume));
            let left = fs::read_dir(&at).unwrap().map(|entry| entry.unwrap().path()).collect();
            (full.map(|error| error.kind()), left)
        })
        .join()
        .unwrap();
        assert_eq!(full, Some(ErrorKind::StorageFull));
        assert_eq!(left, Vec::<PathBuf>::new());
    }

    #[test]
    fn volumes_list_their_files_in_one_order() {
        let listings = std::thread::spawn(|| {
            keep_mounts_apart();
            let Some(volumes) = Volumes::find() else {
                eprintln!("skipped: only root may mount");
                return Vec::new();
            };
            let listing = |_| {
                let at = tempfile::tempdir().unwrap();
                let _volume = volumes.create(at.path(), 64 << 20).unwrap();
                (0..40).for_each(|number| fs::write(at.path().join(format!("{number}.json")), "").unwrap());
                fs::read_dir(at.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>()
            };
            (0..3).map(listing).collect()
        })
        .join()
        .unwrap();
        assert!(listings.iter().all(|listing| *listing == listings[0]), "{listings:?}");
    }

    #[test]
    fn what_cannot_have_room_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = Volumes(()).create(folder.path(), u64::MAX).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageFull);
    }
}
