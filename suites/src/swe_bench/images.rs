//! The container images of cases: what they are called, having them here, and removing them again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use patchwright_sandbox::{Images, LocalImage, SandboxError};
use tokio::sync::{Mutex, OnceCell};

use super::rows::Row;
use super::script::image;

/// The registry's namespace in which the official images are.
const OFFICIAL: &str = "swebench";
/// What the official images are made for.
const PLATFORM: &str = "linux/amd64";

/// What the images of cases are called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ImageNames {
    /// As the row says, or as the official registry calls it.
    #[default]
    Official,
    /// As it is called where the official program built it on this machine: `sweb.eval.x86_64.<id>:latest`.
    Local,
    /// In this namespace, perhaps of another registry: `ghcr.io/somebody`.
    Namespace(String),
    /// With the case's id in place of `{id}`: in lower case, `__` as `_1776_`; `{instance_id}` keeps it.
    Template(String),
}

impl ImageNames {
    /// What people write: nothing, `local`, a namespace, or a template with `{id}`.
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
    /// Where the names of pulled images are kept, so that a later process knows that they are ours.
    record: Option<PathBuf>,
    pulled: Mutex<Pulled>,
}

/// Images that were pulled, by name.
#[derive(Debug, Default)]
struct Pulled {
    read: bool,
    images: BTreeMap<String, Use>,
    /// Counts uses.
    clock: u64,
}

#[derive(Debug, Default)]
struct Use {
    bytes: u64,
    /// How many cases use it now.
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

    /// An image that is used from now on, pulled if it is not here.
    ///
    /// # Errors
    /// No engine answers, or the image cannot be pulled.
    pub async fn take(&self, name: &str) -> Result<LocalImage, SandboxError> {
        let images = self.images().await?;
        let here = if let Some(here) = images.find(name).await? {
            here
        } else {
            tracing::info!(image = name, "pulling");
            images.pull(name, Some(PLATFORM)).await?;
            let here = images.find(name).await?;
            let here = here.ok_or_else(|| SandboxError::NoImage { image: name.to_owned() })?;
            let mut pulled = self.pulled().await;
            pulled.images.entry(name.to_owned()).or_default().bytes = here.bytes;
            self.write(&pulled);
            here
        };
        let mut pulled = self.pulled().await;
        pulled.clock += 1;
        let now = pulled.clock;
        if let Some(image) = pulled.images.get_mut(name) {
            (image.users, image.last, image.bytes) = (image.users + 1, now, here.bytes);
        }
        Ok(here)
    }

    /// Says that a case does not use an image any more; removes what the quota has no room for.
    pub async fn give_back(&self, name: &str) {
        let mut pulled = self.pulled().await;
        if let Some(image) = pulled.images.get_mut(name) {
            image.users = image.users.saturating_sub(1);
        }
        let (Some(quota), Ok(images)) = (self.quota, self.images().await) else { return };
        for name in pulled.surplus(quota) {
            match images.remove(&name).await {
                Ok(()) => drop(pulled.images.remove(&name)),
                Err(error) => tracing::warn!(image = name, %error, "an image is not removed"),
            }
        }
        self.write(&pulled);
    }

    /// What was pulled, by earlier processes too.
    async fn pulled(&self) -> tokio::sync::MutexGuard<'_, Pulled> {
        let mut pulled = self.pulled.lock().await;
        if !std::mem::replace(&mut pulled.read, true)
            && let Some(record) = &self.record
        {
            let text = std::fs::read_to_string(record).unwrap_or_default();
            for name in text.lines().filter(|name| !name.trim().is_empty()) {
                let bytes = match self.images().await {
                    Ok(images) => images.find(name).await.ok().flatten().map(|image| image.bytes),
                    Err(_) => None,
                };
                if let Some(bytes) = bytes {
                    pulled.images.insert(name.to_owned(), Use { bytes, ..Use::default() });
                }
            }
        }
        pulled
    }

    fn write(&self, pulled: &Pulled) {
        let Some(record) = &self.record else { return };
        let names: Vec<String> = pulled.images.keys().map(|name| format!("{name}\n")).collect();
        let folder = record.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) = folder.and_then(|()| std::fs::write(record, names.concat())) {
            tracing::warn!("{}: {error}; pulled images are not remembered", record.display());
        }
    }
}

impl Pulled {
    /// The images that have to go so that the others fit: unused ones, those that were not used for longest first.
    fn surplus(&self, quota: u64) -> Vec<String> {
        let mut total: u64 = self.images.values().map(|image| image.bytes).sum();
        let mut unused: Vec<_> = self.images.iter().filter(|(_, image)| image.users == 0).collect();
        unused.sort_by_key(|(_, image)| image.last);
        let mut surplus = Vec::new();
        for (name, image) in unused {
            if total <= quota {
                break;
            }
            total -= image.bytes;
            surplus.push(name.clone());
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
        let image = |bytes, users, last| Use { bytes, users, last };
        let images =
            [("a", image(4, 0, 3)), ("b", image(4, 0, 1)), ("c", image(4, 1, 0)), ("d", image(4, 0, 2))];
        let pulled = Pulled {
            images: images.into_iter().map(|(name, image)| (name.to_owned(), image)).collect(),
            ..Pulled::default()
        };
        assert_eq!(pulled.surplus(16), [""; 0]);
        assert_eq!(pulled.surplus(12), ["b"]);
        assert_eq!(pulled.surplus(7), ["b", "d", "a"], "what is in use stays");
    }
}
