//! The part of `/etc` that may be shown. An ordinary user sees what he may read anyway; root would see
//! passwords and keys, so of root's view everything is taken out that not everybody may read.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

/// Folders that hold secrets although everybody may list them.
const SECRET: &[&str] =
    &["NetworkManager", "docker", "kubernetes", "openvpn", "ssh", "sudoers.d", "wireguard"];

/// `/etc`, divided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Etc {
    /// The largest folders, and the files, that hold nothing secret.
    pub(super) shown: Vec<PathBuf>,
    /// The largest folders, and the files, that must not be seen, each with whether it is a folder.
    pub(super) hidden: Vec<(PathBuf, bool)>,
}

impl Etc {
    /// Divides `/etc` for the current user.
    pub(super) fn of_current_user() -> io::Result<Self> {
        let root = Path::new("/etc");
        if geteuid().is_root() {
            Self::divide(root, 0)
        } else {
            Ok(Self { shown: vec![root.to_owned()], hidden: Vec::new() })
        }
    }

    fn divide(folder: &Path, owner: u32) -> io::Result<Self> {
        let mut parts = Self::default();
        let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (path, found) = (entry.path(), entry.metadata()?);
            let secret = entry.file_name().to_str().is_none_or(|name| SECRET.contains(&name));
            // A link shows nothing that what it leads to does not show, and without its capabilities root
            // reads of others' files what everybody may.
            let open = found.is_symlink() || found.mode() & 0o4 != 0 || found.uid() != owner;
            if secret || !open {
                parts.hidden.push((path, found.is_dir()));
            } else if found.is_dir() && (found.mode() & 0o5 == 0o5 || found.uid() == owner) {
                let inner = Self::divide(&path, owner)?;
                parts.shown.extend(inner.shown);
                parts.hidden.extend(inner.hidden);
            } else {
                parts.shown.push(path);
            }
        }
        if parts.hidden.is_empty() {
            parts.shown = vec![folder.to_owned()];
        }
        Ok(parts)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn takes_out_what_not_everybody_may_read() {
        let folder = tempfile::tempdir().unwrap();
        let make = |path: &str, mode: u32| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "x").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        };
        for (path, mode) in [
            ("java/security", 0o644),
            ("shadow", 0o640),
            ("ssh/key", 0o600),
            ("ssl/private/key", 0o600),
            ("ssl/pem", 0o644),
        ] {
            make(path, mode);
        }
        let private = folder.path().join("ssl/private");
        fs::set_permissions(private, fs::Permissions::from_mode(0o710)).unwrap();
        let parts = Etc::divide(folder.path(), geteuid().as_raw()).unwrap();
        let relative = |path: &Path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_owned();
        let shown: Vec<_> = parts.shown.iter().map(|path| relative(path)).collect();
        let hidden: Vec<_> = parts.hidden.iter().map(|(path, folder)| (relative(path), *folder)).collect();
        assert_eq!(shown, ["java", "ssl/pem"]);
        let expect = [("shadow", false), ("ssh", true), ("ssl/private", true)];
        assert_eq!(hidden, expect.map(|(path, folder)| (path.to_owned(), folder)));
    }
}
