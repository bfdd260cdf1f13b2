//! The home of the user who runs the program.

use std::path::PathBuf;

/// The folder that `HOME` names.
pub(super) fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}
