//! Objects of git that are written into a new pack.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use patchwright_folder::{Folder, FolderError};
use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};

use super::id::{ID_BYTES, ObjectId, finished};
use super::object_kind::ObjectKind;
use super::pack::INDEX_HEAD;

/// The objects of a pack that is made.
pub(super) struct Packing<'k> {
    /// Those of packs that are there already.
    known: &'k BTreeSet<ObjectId>,
    objects: BTreeMap<ObjectId, PackedObject>,
    pack: Vec<u8>,
}

struct PackedObject {
    offset: u32,
    checksum: u32,
}

impl<'k> Packing<'k> {
    pub(super) fn new(known: &'k BTreeSet<ObjectId>) -> Self {
        Self { known, objects: BTreeMap::new(), pack: Vec::new() }
    }

    /// What was packed.
    pub(super) fn ids(&self) -> impl Iterator<Item = ObjectId> {
        self.objects.keys().copied()
    }

    /// Packs an object, unless it is known.
    pub(super) fn add(&mut self, kind: ObjectKind, bytes: &[u8]) -> ObjectId {
        let id = ObjectId::of(kind.word(), bytes);
        if self.known.contains(&id) {
            return id;
        }
        // What was packed is a part of `MOST_BYTES`, so that its size is below what 32 bits can say.
        let offset = PACK_HEAD + u32::try_from(self.pack.len()).unwrap_or(u32::MAX);
        let std::collections::btree_map::Entry::Vacant(place) = self.objects.entry(id) else { return id };
        let start = self.pack.len();
        put_head(&mut self.pack, kind, bytes.len());
        let mut encoder = ZlibEncoder::new(&mut self.pack, Compression::fast());
        // Writing to memory does not fail.
        let _ = encoder.write_all(bytes).and_then(|()| encoder.try_finish());
        drop(encoder);
        let mut checksum = flate2::Crc::new();
        checksum.update(&self.pack[start..]);
        place.insert(PackedObject { offset, checksum: checksum.sum() });
        id
    }

    /// Writes the pack and its index into a repository.
    pub(super) fn write(&self, git: &Folder) -> Result<(), FolderError> {
        let pack = sealed(pack_head(self.objects.len()), &self.pack);
        let seal = &pack[pack.len().saturating_sub(ID_BYTES)..];
        let index = pack_index(&self.objects, seal);
        let name = ObjectId::first_of(seal).map_or_else(String::new, |seal| seal.to_string());
        let name = format!("objects/pack/pack-{name}");
        git.write(format!("{name}.pack"), &pack)?;
        git.write(format!("{name}.idx"), &index)
    }
}

/// The bytes before the objects of a pack.
const PACK_HEAD: u32 = 12;

fn pack_head(count: usize) -> Vec<u8> {
    [*b"PACK", 2_u32.to_be_bytes(), number(count)].concat()
}

/// A count of objects, which are fewer than 32 bits can say.
pub(super) fn number(count: usize) -> [u8; 4] {
    u32::try_from(count).unwrap_or(u32::MAX).to_be_bytes()
}

/// The kind and the size before an object in a pack.
fn put_head(pack: &mut Vec<u8>, kind: ObjectKind, size: usize) {
    let kind: u8 = match kind {
        ObjectKind::Commit => 1,
        ObjectKind::Tree => 2,
        ObjectKind::Blob => 3,
        ObjectKind::Tag => 4,
    };
    let mut byte = kind << 4 | (size & 0x0f) as u8;
    let mut rest = size >> 4;
    while rest > 0 {
        pack.push(byte | 0x80);
        byte = (rest & 0x7f) as u8;
        rest >>= 7;
    }
    pack.push(byte);
}

/// A head and what follows it, with their SHA-1 at the end.
pub(super) fn sealed(mut bytes: Vec<u8>, rest: &[u8]) -> Vec<u8> {
    bytes.extend(rest);
    let mut context = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    context.update(&bytes);
    bytes.extend(finished(context));
    bytes
}

/// The index of a pack that ends with a seal.
fn pack_index(objects: &BTreeMap<ObjectId, PackedObject>, seal: &[u8]) -> Vec<u8> {
    let mut bytes = INDEX_HEAD.to_vec();
    let mut counts = [0; 256];
    for id in objects.keys() {
        counts[usize::from(id.0[0])] += 1;
    }
    let mut sum = 0;
    for count in counts {
        sum += count;
        bytes.extend(number(sum));
    }
    bytes.extend(objects.keys().flat_map(|id| id.0));
    bytes.extend(objects.values().flat_map(|object| object.checksum.to_be_bytes()));
    bytes.extend(objects.values().flat_map(|object| object.offset.to_be_bytes()));
    bytes.extend(seal);
    sealed(bytes, &[])
}
