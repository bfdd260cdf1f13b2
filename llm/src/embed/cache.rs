//! Vectors kept on disk, so that a text is paid for once.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use patchwright_folder::{LONGEST_SETTINGS, read_file};
use patchwright_protocol::Usage;

use super::{BATCH_TEXTS, Embedder, Embeddings, add, is_blank};
use crate::ModelError;

/// Bytes of the hash that stands before a vector.
const SEAL: usize = 16;

/// An [`Embedder`] that keeps vectors in a folder, by the hash of model and text: one file for each, written beside its
/// place and then put there. What is damaged is asked for again; a folder that cannot be written to keeps nothing.
pub struct CachedEmbedder {
    inner: Arc<dyn Embedder>,
    folder: PathBuf,
}

impl CachedEmbedder {
    /// Puts a folder before a model; it is made when the first vector is kept.
    pub fn new(inner: Arc<dyn Embedder>, folder: impl Into<PathBuf>) -> Self {
        Self { inner, folder: folder.into() }
    }

    fn place(&self, text: &str) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.inner.name().as_bytes()).update(&[0]).update(text.as_bytes());
        let hash = hasher.finalize().to_hex();
        let (folder, name) = hash.split_at(2);
        self.folder.join(folder).join(name)
    }
}

#[async_trait]
impl Embedder for CachedEmbedder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn embed(&self, texts: &[&str]) -> Result<Embeddings, ModelError> {
        let places: Vec<PathBuf> = texts.iter().map(|text| self.place(text)).collect();
        let mut vectors: Vec<Option<Vec<f32>>> = places.iter().map(|place| load(place)).collect();
        // Each text once, by the first place that wants it.
        let mut missing: HashMap<&str, usize> = HashMap::new();
        for (number, text) in texts.iter().enumerate() {
            if vectors[number].is_none() && !is_blank(text) {
                missing.entry(text).or_insert(number);
            }
        }
        let mut wanted: Vec<usize> = missing.values().copied().collect();
        wanted.sort_unstable();
        let mut usage = wanted.is_empty().then(Usage::default);
        // Batch by batch, so that what was paid for is kept when a later one fails.
        for batch in wanted.chunks(BATCH_TEXTS) {
            let asked: Vec<&str> = batch.iter().map(|number| texts[*number]).collect();
            let answer = self.inner.embed(&asked).await?;
            add(&mut usage, answer.usage);
            for (number, vector) in batch.iter().zip(answer.vectors) {
                if let Err(error) = save(&places[*number], &vector) {
                    tracing::debug!(%error, folder = %self.folder.display(), "a vector cannot be kept");
                }
                vectors[*number] = Some(vector);
            }
        }
        let length = vectors.iter().flatten().next().map_or(0, Vec::len);
        let found = texts.iter().enumerate().map(|(number, text)| {
            let same = missing.get(text).copied().unwrap_or(number);
            vectors.get(same).cloned().flatten().unwrap_or_else(|| vec![0.0; length])
        });
        Ok(Embeddings { vectors: found.collect(), usage })
    }
}

/// Reads a vector; `None` if there is none or it is damaged.
fn load(place: &Path) -> Option<Vec<f32>> {
    let bytes = read_file(place, LONGEST_SETTINGS).ok()?;
    let (seal, body) = bytes.split_at_checked(SEAL)?;
    if body.len() % 4 != 0 || !blake3::hash(body).as_bytes().starts_with(seal) {
        tracing::debug!(place = %place.display(), "a vector that was kept is damaged");
        return None;
    }
    let number = |bytes: &[u8]| bytes.try_into().ok().map(f32::from_le_bytes);
    body.chunks_exact(4).map(number).collect()
}

fn save(place: &Path, vector: &[f32]) -> io::Result<()> {
    let folder = place.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let body: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(blake3::hash(&body).as_bytes().get(..SEAL).unwrap_or_default())?;
    file.write_all(&body)?;
    file.persist(place).map_err(|error| error.error)?;
    Ok(())
}
