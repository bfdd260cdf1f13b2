//! The files of parts that are done, as archives in a folder or an object store instead of the database.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use url::Url;

use super::error::LedgerError;
use crate::ArtifactUrl;

/// Variables of the environment with these beginnings are options of a store, such as its keys and its address.
const OPTIONS: [&str; 3] = ["AWS_", "GOOGLE_", "AZURE_"];
/// The longest that a store is waited for when it is checked.
const PATIENCE: Duration = Duration::from_secs(30);

/// A store of archives.
#[derive(Clone)]
pub struct ArtifactStore {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    url: ArtifactUrl,
}

impl ArtifactStore {
    /// The store at an address; it is not asked yet. Keys come from the environment, under the names that the tools of its provider use.
    ///
    /// # Errors
    /// The address or a variable cannot be understood.
    pub fn open(url: &ArtifactUrl) -> Result<Self, LedgerError> {
        let text = url.as_str();
        if text.starts_with('/') {
            let prefix = Path::from_absolute_path(text)
                .map_err(|error| failed(url, object_store::Error::InvalidPath { source: error }))?;
            let store = Arc::new(LocalFileSystem::new().with_fsync(true));
            return Ok(Self { store, prefix, url: url.clone() });
        }
        let address = Url::parse(text).map_err(|error| LedgerError::Url(format!("{url}: {error}")))?;
        // Another part of the program may have done so already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let options = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| OPTIONS.iter().any(|begin| name.starts_with(begin)));
        let (store, prefix) =
            object_store::parse_url_opts(&address, options).map_err(|source| failed(url, source))?;
        Ok(Self { store: store.into(), prefix, url: url.clone() })
    }

    /// Checks that archives can be written here, read and deleted.
    ///
    /// # Errors
    /// They cannot, or the store does not answer.
    pub async fn check(&self) -> Result<(), LedgerError> {
        let probe = self.path(&format!(".probe-{}", std::process::id()));
        let checking = async {
            self.store.put(&probe, PutPayload::from_static(b"probe")).await?;
            self.store.get(&probe).await?.bytes().await?;
            self.store.delete(&probe).await
        };
        match tokio::time::timeout(PATIENCE, checking).await {
            Ok(checked) => checked.map_err(|source| failed(&self.url, source)),
            Err(_) => Err(LedgerError::SilentArtifacts(self.url.clone())),
        }
    }

    pub(super) async fn put(&self, name: &str, archive: Vec<u8>) -> Result<(), LedgerError> {
        let put = self.store.put(&self.path(name), archive.into()).await;
        put.map(drop).map_err(|source| failed(&self.url, source))
    }

    pub(super) async fn get(&self, name: &str) -> Result<Vec<u8>, LedgerError> {
        let archive = async { self.store.get(&self.path(name)).await?.bytes().await };
        archive.await.map(Into::into).map_err(|source| failed(&self.url, source))
    }

    fn path(&self, name: &str) -> Path {
        self.prefix.parts().chain(Path::from(name).parts()).collect()
    }
}

fn failed(url: &ArtifactUrl, source: object_store::Error) -> LedgerError {
    LedgerError::Artifacts { place: url.clone(), source }
}

impl fmt::Debug for ArtifactStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A store shows its keys.
        formatter.debug_tuple("ArtifactStore").field(&self.url).finish()
    }
}
