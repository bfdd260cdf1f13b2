//! Runs on clusters: the parts of a run are handed to a scheduler that is there and trusted, and it is asked what became of them.

mod artifact_url;
mod doctor;
mod jobs;
mod kubernetes;
mod ledger_url;
#[cfg(feature = "postgres")]
pub mod postgres;
mod script;
mod slurm;
mod tasks;

pub use artifact_url::ArtifactUrl;
pub use doctor::{Check, check};
pub use jobs::Job;
pub use kubernetes::{Manifests, Pods};
pub use ledger_url::LedgerUrl;
pub use script::Submission;
pub use slurm::{SlurmError, cancel, release, submit, tasks};
pub use tasks::Task;
