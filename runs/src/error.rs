//! The reasons why a run cannot begin or go on.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::difference::Difference;
use super::log::LogError;

/// The reason why a run cannot begin or go on. The message names the file or the field, and the cure.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RunError {
    /// Another process has the run.
    #[error("{} is being run by process {pid}; wait for it, end it, or give another folder with --out", folder.display())]
    Locked {
        /// The run's folder.
        folder: PathBuf,
        /// The process, as far as it is known.
        pid: String,
    },
    /// There is a run already.
    #[error("{} holds a run already; resume it, or give another folder with --out", .0.display())]
    Exists(PathBuf),
    /// There is something else.
    #[error("{} is not empty; give a new or an empty folder with --out", .0.display())]
    NotEmpty(PathBuf),
    /// There is no run.
    #[error("{} holds no run: there is no run.toml in it; give the folder that `bench run` made, as its --out named it", .0.display())]
    NoRun(PathBuf),
    /// The parts of a run are there, each a run of its own.
    #[error("{} holds the parts of a run, and this is done for one of them: give its folder, such as {}", root.display(), part.display())]
    IsInParts {
        /// The folder.
        root: PathBuf,
        /// The folder of a part.
        part: PathBuf,
    },
    /// Parts that are not of one run.
    #[error(
        "{} and {} are no parts of one run:\n{}begin the one again with what the other has, or keep them in folders of their own",
        one.display(), other.display(), listed(differences)
    )]
    PartsDiffer {
        /// The folder of a part.
        one: PathBuf,
        /// The folder of another.
        other: PathBuf,
        /// What the second has otherwise.
        differences: Vec<Difference>,
    },
    /// `run.toml` cannot be understood.
    #[error("{}: {message}", path.display())]
    RunFile {
        /// The file.
        path: PathBuf,
        /// The mistake, with the field.
        message: String,
    },
    /// The run was started with other settings.
    #[error(
        "the run was started with other settings:\n{}give the same, or begin a new run with another --out",
        listed(.0)
    )]
    Differs(Vec<Difference>),
    /// Files that the run was started with are not what they were: why, with the option that names each.
    #[error(
        "what the run was started with has changed:\n{}put it back as it was, or begin a new run with another --out",
        listed(.0)
    )]
    FilesChanged(Vec<String>),
    /// A run without cases.
    #[error("the run has no case; look at the suite and at what --filter and --slice leave")]
    NoCases,
    /// A run whose suite does not have one of its cases any more.
    #[error("the suite has no case `{0}`, which run.toml names; give the suite as it was when the run began")]
    MissingCase(String),
    /// An id that can be no folder, or is there twice.
    #[error("the case id `{id}` {message}")]
    BadId {
        /// The id.
        id: String,
        /// The mistake in it.
        message: String,
    },
    /// A budget that cannot be kept.
    #[error("{0}")]
    Budget(String),
    /// There is too little room to begin.
    #[error("{} has {} free, and the run needs {}; free some space, or say that it needs less", folder.display(), Bytes(*free), Bytes(*needed))]
    Disk {
        /// The folder.
        folder: PathBuf,
        /// Bytes that are free.
        free: u64,
        /// Bytes that are needed.
        needed: u64,
    },
    /// The log cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A file or folder cannot be used.
    #[error("cannot use {}: {message}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The message of the system.
        message: String,
    },
}

impl RunError {
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        Self::Io { path: path.to_owned(), message: error.to_string() }
    }
}

fn listed(items: &[impl fmt::Display]) -> String {
    items.iter().fold(String::new(), |lines, item| format!("{lines}  {item}\n"))
}

/// Bytes for people: `3.2 GB`.
pub(super) struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as f64;
        match self.0 {
            0..1_000_000 => write!(formatter, "{:.0} kB", bytes / 1e3),
            1_000_000..1_000_000_000 => write!(formatter, "{:.0} MB", bytes / 1e6),
            _ => write!(formatter, "{:.1} GB", bytes / 1e9),
        }
    }
}
