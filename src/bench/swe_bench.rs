//! Settings of SWE-bench in the environment: where images, clones and commands are. A shell of a user's or a cluster's says it
//! once for all that is done there.

use std::path::{Path, PathBuf};

use patchwright_protocol::Failure;
use patchwright_swe_bench::{Dataset, ImageNames, ImageStore, OwnTests, Specs, SweBenchOptions};

use crate::model::cache_folder;
use crate::output::warn;

/// The names of images.
const IMAGES: &str = "PATCHWRIGHT_SWEBENCH_IMAGES";
/// A folder with git clones, in place of images.
const REPOSITORIES: &str = "PATCHWRIGHT_SWEBENCH_REPOS";
/// A JSON file with the commands of projects.
const SPECS: &str = "PATCHWRIGHT_SWEBENCH_SPECS";
/// Which of the projects' own tests sessions run.
const TESTS: &str = "PATCHWRIGHT_SWEBENCH_TESTS";

/// The settings in the environment, by variable; paths as they are seen from anywhere.
pub fn said() -> toml::Table {
    let word = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let place = |name: &str| Some(path(name)?.to_string_lossy().into_owned());
    let said = [
        (IMAGES, word(IMAGES)),
        (REPOSITORIES, place(REPOSITORIES)),
        (SPECS, place(SPECS)),
        // What holds by itself is as good as not said.
        (TESTS, word(TESTS).filter(|tests| tests != "all")),
    ];
    said.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))).collect()
}

/// The path in a variable, absolute where it exists.
fn path(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os(name).filter(|path| !path.is_empty())?);
    Some(path.canonicalize().unwrap_or(path))
}

/// Reads a dataset, and tells what is odd about it.
pub fn dataset(file: &Path, split: Option<&str>) -> Result<Dataset, Failure> {
    let dataset = match split {
        Some(split) => Dataset::load_split(file, split),
        None => Dataset::load(file),
    };
    let dataset = dataset.map_err(Failure::user)?;
    warn(dataset.warnings());
    Ok(dataset)
}

/// The names of images.
pub fn names() -> Result<ImageNames, Failure> {
    let text = std::env::var(IMAGES).unwrap_or_default();
    ImageNames::read(&text).map_err(|error| Failure::user(format!("{IMAGES}: {error}")))
}

/// The images on this machine; pulled ones take no more than so many GiB.
pub fn store(gib: Option<u64>) -> ImageStore {
    let record = cache_folder().map(|folder| folder.join("swe-bench").join("pulled-images"));
    ImageStore::new(gib.map(|gib| gib.saturating_mul(1 << 30)), record)
}

/// The commands by which projects are tested.
pub fn specs() -> Result<Specs, Failure> {
    match path(SPECS) {
        Some(file) => Specs::load(&file).map_err(|error| Failure::user(format!("{SPECS}: {error}"))),
        None => Ok(Specs::builtin()),
    }
}

/// The settings by which cases become bugs.
pub fn options(gib: Option<u64>) -> Result<SweBenchOptions, Failure> {
    let tests = match std::env::var(TESTS).unwrap_or_default().as_str() {
        "" | "all" => OwnTests::All,
        "none" => OwnTests::None,
        other => {
            return Err(Failure::user(format!("{TESTS}: `{other}` is not known; give `all` or `none`")));
        }
    };
    let repositories = path(REPOSITORIES);
    if let Some(folder) = repositories.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(Failure::user(format!("{REPOSITORIES}: there is no folder `{}`", folder.display()))
            .hint("name a folder with git clones of the projects, or unset it to use images"));
    }
    Ok(SweBenchOptions { names: names()?, store: store(gib), repositories, specs: specs()?, tests })
}
