//! The container images of cases: what they are called, having them here, and removing them again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use patchwright_folder::atomic::write_atomically;
use patchwright_folder::{LONGEST_FILE, read_text_file};
use patchwright_sandbox::{Images, LocalImage, SandboxError};
use tokio::sync::{Mutex, OnceCell};

use super::rows::Row;
use super::script::image;

/// The registry's namespace in which the official images are.
const OFFICIAL: &str = "swebench";
/// The platform of the official images.
const PLATFORM: &str = "linux/amd64";

/// The names of the images of cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ImageNames {
    /// As the row says, or as the official registry calls it.
    #[default]
    Official,
    /// As it is called where the official program built it on this machine: `sweb.eval.x86_64.<id>:latest`.
    Local,
    /// In this namespace, perhaps of another registry: `ghcr.io/somebody`.
    Namespace(String),
    /// With the case's id, in lower case, in place of `{id}`, `__` written as `_1776_`, or of `{instance_id}`, where it stays.
    Template(String),
}

impl ImageNames {
    /// Reads what people write: nothing, `local`, a namespace, or a template with `{id}`.
    ///
    /// # Errors
    /// Something that is no part of an image's name; the message says what is possible.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim().trim_end_matches('/');
        let plain = |character: char| character.is_ascii_graphic() && !"\"'\\".contains(character);
        if !text.chars().all(plain) || text.contains("://") {
            return Err(format!(
                "`{text}` is no part of an image's name; give `local`, a namespace such as ghcr.io/somebody, or a \
                 template with {{id}}"
            ));
        }
        Ok(match text {
            "" => Self::Official,
            "local" => Self::Local,
            _ if text.contains("{id}") || text.contains("{instance_id}") => Self::Template(text.to_owned()),
            _ => Self::Namespace(text.to_owned()),
        })
    }

    /// The image of a row.
    pub fn of(&self, row: &Row) -> String {
        let id = row.instance_id.to_lowercase();
        match self {
            Self::Official => row.image.clone().unwrap_or_else(|| image(row, Some(OFFICIAL))),
            Self::Local => image(row, None),
            Self::Namespace(namespace) => image(row, Some(namespace)),
            Self::Template(template) => {
                template.replace("{id}", &id.replace("__", "_1776_")).replace("{instance_id}", &id)
            }
        }
    }
}

/// The images on this machine. Those that were pulled are removed again when they take too much room, those that were not
/// used for longest first; images that were here before are left alone.
#[derive(Debug, Default)]
pub struct ImageStore {
    images: OnceCell<Images>,
    /// Bytes that pulled images may take; unlimited where nothing is said.
    quota: Option<u64>,
    /// The file in which the names of pulled images are kept, so that a later process knows that they are ours.
    record: Option<PathBuf>,
    pulled: Mutex<Pulled>,
}

/// The images that are or were used, by name.
#[derive(Debug, Default)]
struct Pulled {
    read: bool,
    images: BTreeMap<String, Use>,
    /// Counts uses.
    clock: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Use {
    /// It was pulled by us, so that we may remove it.
    ours: bool,
    bytes: u64,
    /// The number of cases that use it now.
    users: usize,
    last: u64,
}

impl ImageStore {
    /// A store whose pulled images take no more than `quota` bytes while nobody uses them. Layers that images share count for
    /// each of them, so they take less. Their names are kept in the file `record`.
    pub fn new(quota: Option<u64>, record: Option<PathBuf>) -> Self {
        Self { quota, record, ..Self::default() }
    }

    /// The folder in which the container engine keeps its images, where it tells.
    ///
    /// # Errors
    /// No engine answers.
    pub async fn folder(&self) -> Result<Option<PathBuf>, SandboxError> {
        self.images().await?.folder().await
    }

    async fn images(&self) -> Result<&Images, SandboxError> {
        self.images.get_or_try_init(Images::connect).await
    }

    /// An image that is used from now on, pulled if it is not here. Whoever takes one gives it back.
    ///
    /// # Errors
    /// No engine answers, or the image cannot be pulled; then it is not used.
    pub async fn take(&self, name: &str) -> Result<LocalImage, SandboxError> {
        // In use from here on, so that nobody removes it meanwhile.
        self.count(name, true).await;
        let taken = self.have(name).await;
        match &taken {
            Ok(here) => {
                let mut pulled = self.pulled.lock().await;
                if let Some(image) = pulled.images.get_mut(name) {
                    image.bytes = here.bytes;
                }
            }
            Err(_) => self.count(name, false).await,
        }
        taken
    }

    async fn have(&self, name: &str) -> Result<LocalImage, SandboxError> {
        let images = self.images().await?;
        if let Some(here) = images.find(name).await? {
            return Ok(here);
        }
        tracing::info!(image = name, "pulling");
        images.pull(name, Some(PLATFORM)).await?;
        let mut pulled = self.pulled.lock().await;
        pulled.images.entry(name.to_owned()).or_default().ours = true;
        self.remember(&mut pulled).await;
        drop(pulled);
        images.find(name).await?.ok_or_else(|| SandboxError::NoImage { image: name.to_owned() })
    }

    /// Counts that one more case uses an image, or one less.
    async fn count(&self, name: &str, more: bool) {
        let mut pulled = self.pulled.lock().await;
        self.read(&mut pulled).await;
        pulled.clock += 1;
        let now = pulled.clock;
        let image = pulled.images.entry(name.to_owned()).or_default();
        image.users = if more { image.users + 1 } else { image.users.saturating_sub(1) };
        image.last = now;
    }

    /// Says that a case does not use an image any more; removes what the quota has no room for.
    pub async fn give_back(&self, name: &str) {
        self.count(name, false).await;
        let (Some(quota), Ok(images)) = (self.quota, self.images().await) else { return };
        let surplus = self.pulled.lock().await.take_surplus(quota);
        if surplus.is_empty() {
            return;
        }
        for (name, image) in surplus {
            let gone = images.remove(&name).await;
            if let Err(error) = &gone {
                tracing::warn!(image = name, %error, "an image is not removed");
            }
            if !matches!(gone, Ok(true)) {
                // A container of another process may use it: it stays ours.
                self.pulled.lock().await.images.entry(name).or_insert(image).ours = true;
            }
        }
        let mut pulled = self.pulled.lock().await;
        self.remember(&mut pulled).await;
    }

    /// Reads what earlier processes pulled.
    async fn read(&self, pulled: &mut Pulled) {
        let Some(record) = self.record.as_ref().filter(|_| !pulled.read) else { return };
        let Ok(images) = self.images().await else { return };
        for name in names_in(record) {
            if let Ok(Some(here)) = images.find(&name).await {
                let image = pulled.images.entry(name).or_default();
                (image.bytes, image.ours) = (here.bytes, true);
            }
        }
        pulled.read = true;
    }

    /// Keeps the names of pulled images, with those that other processes wrote meanwhile and that are still here.
    async fn remember(&self, pulled: &mut Pulled) {
        let (Some(record), Ok(images)) = (&self.record, self.images().await) else { return };
        let mut names: BTreeSet<String> =
            pulled.images.iter().filter(|(_, image)| image.ours).map(|(name, _)| name.clone()).collect();
        for name in names_in(record) {
            if matches!(images.find(&name).await, Ok(Some(_)) | Err(_)) {
                names.insert(name);
            }
        }
        let lines: Vec<String> = names.into_iter().map(|name| name + "\n").collect();
        let folder = record.parent().map_or(Ok(()), std::fs::create_dir_all);
        let written = folder.and_then(|()| write_atomically(record, lines.concat().as_bytes()));
        if let Err(error) = written {
            tracing::warn!("{}: {error}; pulled images are not remembered", record.display());
        }
    }
}

fn names_in(record: &Path) -> Vec<String> {
    let text = read_text_file(record, LONGEST_FILE).unwrap_or_default();
    text.lines().map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

impl Pulled {
    /// Takes out the images that have to go so that the others fit: of those that were pulled the unused ones, those that were not
    /// used for longest first.
    fn take_surplus(&mut self, quota: u64) -> Vec<(String, Use)> {
        let mut total: u64 = self.images.values().filter(|image| image.ours).map(|image| image.bytes).sum();
        let mut unused: Vec<(u64, String)> = self
            .images
            .iter()
            .filter(|(_, image)| image.ours && image.users == 0)
            .map(|(name, image)| (image.last, name.clone()))
            .collect();
        unused.sort_unstable();
        let mut surplus = Vec::new();
        for (_, name) in unused {
            if total <= quota {
                break;
            }
            if let Some(image) = self.images.remove(&name) {
                total -= image.bytes;
                surplus.push((name, image));
            }
        }
        surplus
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn images_are_called_as_people_say() {
        let row = Row { instance_id: "Astropy__astropy-1".to_owned(), ..Row::default() };
        let named = Row { image: Some("shop/row:3".to_owned()), ..row.clone() };
        for (text, row, expect) in [
            ("", &row, "swebench/sweb.eval.x86_64.astropy_1776_astropy-1:latest"),
            ("", &named, "shop/row:3"),
            ("local", &named, "sweb.eval.x86_64.astropy__astropy-1:latest"),
            ("ghcr.io/ann/", &named, "ghcr.io/ann/sweb.eval.x86_64.astropy_1776_astropy-1:latest"),
            ("localhost:5000/e.{id}:v2", &row, "localhost:5000/e.astropy_1776_astropy-1:v2"),
            ("e/{instance_id}", &row, "e/astropy__astropy-1"),
        ] {
            assert_eq!(ImageNames::read(text).unwrap().of(row), expect, "{text}");
        }
        for wrong in ["https://ghcr.io/ann", "a b", "\"x\""] {
            assert!(ImageNames::read(wrong).unwrap_err().contains("{id}"), "{wrong}");
        }
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let image = |ours, users, last| Use { ours, bytes: 4, users, last };
        let images = [
            ("a", image(true, 0, 3)),
            ("b", image(true, 0, 1)),
            ("c", image(true, 1, 0)),
            ("d", image(true, 0, 2)),
            ("before", image(false, 0, 0)),
        ];
        let images: BTreeMap<String, Use> =
            images.into_iter().map(|(name, image)| (name.to_owned(), image)).collect();
        for (quota, expect) in [
            (16, vec![]),
            (12, vec!["b"]),
            // What is in use stays, and what was here before.
            (7, vec!["b", "d", "a"]),
        ] {
            let mut pulled = Pulled { images: images.clone(), ..Pulled::default() };
            let surplus = pulled.take_surplus(quota);
            let names: Vec<&str> = surplus.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, expect, "{quota}");
            assert_eq!(pulled.images.len(), images.len() - names.len());
        }
    }
}
