//! Files that processes hold open and that have no name any more, or never had one.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;

/// Bytes in a block, as files are counted.
pub(crate) const BLOCK: u64 = 512;

/// The bytes that processes hold in open files, each file counted once, of those that are `wanted`: files without a name in any
/// folder are called `/memfd:…` or end in ` (deleted)`.
pub(crate) fn held(
    processes: impl IntoIterator<Item = i32>,
    wanted: impl Fn(&str, &Metadata) -> bool,
) -> u64 {
    let mut files = BTreeMap::new();
    for process in processes {
        for entry in fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten() {
            let name = fs::read_link(entry.path()).unwrap_or_default();
            if let Ok(found) = fs::metadata(entry.path())
                && found.is_file()
                && wanted(&name.to_string_lossy(), &found)
            {
                files.insert((found.dev(), found.ino()), found.blocks() * BLOCK);
            }
        }
    }
    files.values().sum()
}
