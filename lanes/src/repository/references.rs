//! Which commits names stand for.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path};

use patchwright_folder::{EntryKind, Folder, FolderEntry, FolderError, WalkBounds};

use super::id::ObjectId;
use super::{Head, RepositoryError};

/// The most bytes of a file that holds one reference.
const MOST_REFERENCE: u64 = 4 << 10;
/// The most bytes of the file that holds those of all packed ones: some hundred thousand.
const MOST_PACKED: u64 = 64 << 20;
/// References that name one another.
const MOST_STEPS: usize = 5;
/// Folders in one another below `refs/tags`, and tags that have a file of their own.
const TAGS: WalkBounds = WalkBounds { depth: 8, entries: 20_000 };

const PACKED: &str = "packed-refs";
const BRANCHES: &str = "refs/heads/";
const TAG_FOLDER: &str = "refs/tags";

/// Refuses repositories that are kept in ways that this reader does not know.
pub(super) fn check_format(common: &Folder) -> Result<(), RepositoryError> {
    match common.entry("reftable") {
        Ok(_) => Err(RepositoryError::Format(
            "the git repository keeps its references as a reftable, which Patchwright does not read; `git refs migrate --ref-format=files` changes that",
        )),
        Err(error) if error.is_not_found() => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// What is checked out.
pub(super) fn head(own: &Folder, common: &Folder) -> Result<Head, RepositoryError> {
    match Reference::parse(&own.read("HEAD", MOST_REFERENCE)?)? {
        Reference::Object(id) => Ok(Head { branch: None, commit: Some(id) }),
        Reference::Name(name) => {
            let branch = name.strip_prefix(BRANCHES).map(str::to_owned);
            Ok(Head { branch, commit: resolve(common, name)? })
        }
    }
}

/// What the file of a reference says.
enum Reference {
    Object(ObjectId),
    Name(String),
}

impl Reference {
    fn parse(bytes: &[u8]) -> Result<Self, RepositoryError> {
        let text = bytes.trim_ascii();
        if let Some(name) = text.strip_prefix(b"ref:") {
            let name = std::str::from_utf8(name.trim_ascii()).map_err(|_| RepositoryError::Damaged)?;
            return if is_name(name) {
                Ok(Self::Name(name.to_owned()))
            } else {
                Err(RepositoryError::Damaged)
            };
        }
        if text.len() == 64 && text.iter().all(u8::is_ascii_hexdigit) {
            return Err(RepositoryError::Format(
                "the git repository names its objects by SHA-256, which Patchwright does not read",
            ));
        }
        ObjectId::from_hex(text).map(Self::Object).ok_or(RepositoryError::Damaged)
    }
}

/// Is true for `refs/heads/main` and the like: names that git allows, and that lead nowhere but into `refs`.
pub(super) fn is_name(name: &str) -> bool {
    #[allow(clippy::case_sensitive_file_extension_comparisons, reason = "git compares it so")]
    let is_allowed = |part: &str| {
        !part.is_empty() && !part.starts_with('.') && !part.ends_with('.') && !part.ends_with(".lock")
    };
    let is_plain = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
    let forbidden = |letter: char| letter.is_ascii_control() || " ~^:?*[\\".contains(letter);
    name.starts_with("refs/")
        && name.split('/').all(is_allowed)
        && is_plain(Path::new(name))
        && !name.contains(forbidden)
        && !name.contains("..")
        && !name.contains("@{")
}

/// The commit that a reference stands for; none where there is no such reference.
fn resolve(common: &Folder, mut name: String) -> Result<Option<ObjectId>, RepositoryError> {
    for _ in 0..MOST_STEPS {
        match common.read(&name, MOST_REFERENCE) {
            Ok(bytes) => match Reference::parse(&bytes)? {
                Reference::Object(id) => return Ok(Some(id)),
                Reference::Name(next) => name = next,
            },
            Err(error) if is_absent(common, &name, &error) => {
                return Ok(packed(common)?.into_iter().find(|one| one.name == name).map(|one| one.id));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(RepositoryError::Damaged)
}

/// Is true if a reference has no file of its own: there is none of its name, or a folder of other references.
fn is_absent(common: &Folder, name: &str, error: &FolderError) -> bool {
    error.is_not_found() || common.entry(name).is_ok_and(|entry| entry.kind == EntryKind::Folder)
}

/// A reference that stands in the list of packed ones.
struct PackedReference {
    name: String,
    id: ObjectId,
    /// What the tag is on, where it is an object of its own.
    peeled: Option<ObjectId>,
}

fn packed(common: &Folder) -> Result<Vec<PackedReference>, RepositoryError> {
    let bytes = match common.read(PACKED, MOST_PACKED) {
        Ok(bytes) => bytes,
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut found: Vec<PackedReference> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
        if let Some(id) = line.strip_prefix(b"^") {
            if let Some(tag) = found.last_mut() {
                tag.peeled = ObjectId::from_hex(id);
            }
            continue;
        }
        let Some((id, name)) = line.split_at_checked(40) else { continue };
        if let (Some(id), Ok(name)) = (ObjectId::from_hex(id), std::str::from_utf8(name.trim_ascii()))
            && is_name(name)
        {
            found.push(PackedReference { name: name.to_owned(), id, peeled: None });
        }
    }
    Ok(found)
}

/// What a tag stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) id: ObjectId,
    /// What a tag that is an object of its own is on, where that is known already.
    pub(super) peeled: Option<ObjectId>,
}

/// The tags, by their names without `refs/tags/`.
pub(super) fn tags(
    common: &Folder,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<BTreeMap<String, Tag>, RepositoryError> {
    let mut tags = BTreeMap::new();
    for PackedReference { name, id, peeled } in packed(common)? {
        if let Some(name) = name.strip_prefix("refs/tags/") {
            tags.insert(name.to_owned(), Tag { id, peeled });
        }
    }
    let folder = match common.below(TAG_FOLDER) {
        Ok(folder) => folder,
        Err(error) if error.is_not_found() => return Ok(tags),
        Err(error) => return Err(error.into()),
    };
    let mut look = |above: &Folder, path: &Path, entry: &FolderEntry| {
        let file = path.file_name().unwrap_or(OsStr::new(""));
        let name = path.to_str().filter(|name| is_name(&format!("refs/tags/{name}")));
        if let (EntryKind::File, Some(name)) = (entry.kind, name)
            && let Ok(Reference::Object(id)) = Reference::parse(&above.read(file, MOST_REFERENCE)?)
        {
            tags.insert(name.to_owned(), Tag { id, peeled: None });
        }
        Ok(true)
    };
    folder.walk(TAGS, is_cancelled, &mut look)?;
    Ok(tags)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn names_of_references_lead_nowhere_else() {
        for name in ["refs/heads/main", "refs/tags/v1.0", "refs/heads/fix/a-b_c", "refs/heads/fuß"] {
            assert!(is_name(name), "{name}");
        }
        for name in [
            "main",
            "/etc/passwd",
            "refs/../config",
            "refs/heads/../../x",
            "refs//a",
            "refs/heads/.git",
            "refs/a.lock",
            "refs/heads/a b",
            "refs/heads/a\n",
            "refs/heads/",
            "refs/@{1}",
        ] {
            assert!(!is_name(name), "{name}");
        }
    }
}
