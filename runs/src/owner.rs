//! A folder that belongs to one process at a time, on a disk of this machine or of a network.
//!
//! The lock of the system is enough on one machine. Some network file systems have none, or one that other machines do not see: there an owner
//! counts as alive as long as it writes its name into the lock's file again and again.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, SystemTime};

use super::error::RunError;

/// How often an owner gives a sign of life.
const BEAT: Duration = Duration::from_secs(30);
/// After so long without one, nobody owns the folder any more.
pub const SILENT: Duration = Duration::from_secs(100);

/// The right to a folder; given back when it is dropped, and by the system when the process ends, however it does.
#[derive(Debug)]
pub(super) struct Owner {
    file: Arc<File>,
    /// Ends the thread that gives signs of life.
    _beats: Sender<()>,
}

impl Owner {
    /// Takes a folder by a file in it.
    ///
    /// # Errors
    /// Another process has it, or the file cannot be used.
    pub(super) fn of(folder: &Path, lock: &Path) -> Result<Self, RunError> {
        let failed = |error: io::Error| RunError::io(lock, &error);
        let opened = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(lock);
        let mut file = opened.map_err(failed)?;
        let held = match file.try_lock() {
            Ok(()) => Held::Here,
            Err(TryLockError::WouldBlock) => Held::Elsewhere,
            Err(TryLockError::Error(error)) if has_no_locks(&error) => Held::Unknown,
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        };
        let mut before = String::new();
        // Only to be told and compared; without it the message is a little poorer.
        let _ = file.read_to_string(&mut before);
        let (before, host) = (before.trim(), host());
        let is_ours = before.ends_with(&format!(" on {host}"));
        let is_alive = || !before.is_empty() && age(&file).is_some_and(|age| age < SILENT);
        let is_taken = match held {
            Held::Elsewhere => true,
            // The lock of this machine does not tell of others.
            Held::Here => !is_ours && is_alive(),
            Held::Unknown => is_alive(),
        };
        if is_taken {
            let pid = if before.is_empty() { "unknown" } else { before };
            return Err(RunError::Locked { folder: folder.to_owned(), pid: pid.to_owned() });
        }
        let name = format!("{} on {host}\n", std::process::id());
        file.set_len(0).and_then(|()| file.write_all_at(name.as_bytes(), 0)).map_err(failed)?;
        let file = Arc::new(file);
        let (beats, stopped) = channel::<()>();
        let beating = Arc::clone(&file);
        std::thread::Builder::new()
            .name("run lock".to_owned())
            .spawn(move || {
                while stopped.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                    // A disk that takes nothing is told by the log.
                    let _ = beating.write_all_at(name.as_bytes(), 0);
                }
            })
            .map_err(failed)?;
        Ok(Self { file, _beats: beats })
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // Who comes next need not wait until it is silent for long enough. The thread may hold the file a moment longer.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

/// Who has the lock of the system.
enum Held {
    Here,
    Elsewhere,
    /// There is none on this file system.
    Unknown,
}

fn has_no_locks(error: &io::Error) -> bool {
    let no_locks = rustix::io::Errno::NOLCK.raw_os_error();
    error.kind() == io::ErrorKind::Unsupported || error.raw_os_error() == Some(no_locks)
}

/// How long ago a file was written to; none where the clocks of two machines differ by more than that.
fn age(file: &File) -> Option<Duration> {
    let written = file.metadata().and_then(|data| data.modified()).ok()?;
    let now = SystemTime::now();
    now.duration_since(written).or_else(|_| written.duration_since(now)).ok()
}

/// The name of this machine.
fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_owner_and_a_silent_one_elsewhere_has_it_no_longer() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        let take = || Owner::of(folder.path(), &lock);
        let first = take().unwrap();
        let refused = take().unwrap_err().to_string();
        let own = format!("process {} on {}", std::process::id(), host());
        assert!(refused.contains(&own), "{refused}");
        drop(first);
        assert_eq!(std::fs::read_to_string(&lock).unwrap(), "");
        drop(take().unwrap());

        // Another machine, whose lock is not seen from here.
        std::fs::write(&lock, "7 on node-9\n").unwrap();
        let refused = take().unwrap_err().to_string();
        assert!(refused.contains("process 7 on node-9"), "{refused}");
        let long_ago = SystemTime::now() - SILENT;
        File::options().write(true).open(&lock).unwrap().set_modified(long_ago).unwrap();
        drop(take().unwrap());
    }
}
