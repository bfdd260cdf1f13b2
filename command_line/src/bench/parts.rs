//! Runs in parts, on clusters and elsewhere: what can be typed.

use std::convert::Infallible;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use patchwright_cluster::{ArtifactUrl, LedgerUrl};

use crate::bench::{RunArgs, Views, is_of_cases};
use crate::options::HumanDuration;

/// How a cluster is used.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Cluster")]
pub struct ClusterOptions {
    /// Hand the run over in parts. `slurm` submits tasks and comes back at once; the same command again submits what is neither done nor in the
    /// queue. `postgres://USER@HOST/DATABASE` puts the run into a ledger, for `patchwright worker`, and waits for the results; it can be ended,
    /// and the same command again goes on waiting
    #[arg(long, value_name = "CLUSTER", requires = "out", conflicts_with_all = ["part", "go_on"])]
    pub on: Option<Cluster>,

    /// Parts, which are tasks of the cluster or what a worker claims at once [default: one for each case]
    #[arg(long, value_name = "N", requires = "on")]
    pub parts: Option<NonZeroU32>,

    /// Tasks of Slurm at once [default: as many as the cluster lets run]
    #[arg(long, value_name = "N", requires = "on")]
    pub at_once: Option<NonZeroU32>,

    /// Words for sbatch, as in a shell: `--partition=long --mem=8G`
    #[arg(long, value_name = "WORDS", requires = "on", allow_hyphen_values = true)]
    pub sbatch: Option<String>,

    /// With a ledger: GiB of memory that a lane of a worker must have [default: any]
    #[arg(long, value_name = "GIB", requires = "on")]
    pub session_memory: Option<u64>,

    /// With a ledger: keep the files of parts that are done in this folder, which all machines share, or in this object store, instead of in
    /// the database: /DIR, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX. Keys come from the environment of each machine
    #[arg(long, value_name = "PLACE", requires = "on")]
    pub artifacts: Option<ArtifactUrl>,

    /// With a ledger: after how long without a sign of life a worker counts as dead
    #[arg(long, value_name = "TIME", requires = "on", default_value = "60s")]
    pub lease: HumanDuration,
}

impl Default for ClusterOptions {
    fn default() -> Self {
        Self {
            on: None,
            parts: None,
            at_once: None,
            sbatch: None,
            session_memory: None,
            artifacts: None,
            lease: HumanDuration(Duration::from_mins(1)),
        }
    }
}

/// What carries the parts of a run out.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Cluster {
    /// Slurm, by an array of tasks; the run's folder is on a disk that all nodes share.
    Slurm,
    /// Workers that claim parts from a ledger in PostgreSQL.
    Ledger(LedgerUrl),
}

impl FromStr for Cluster {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "slurm" => Ok(Self::Slurm),
            text if LedgerUrl::is_meant(text) => text.parse().map(Self::Ledger),
            _ => Err("give slurm, or postgres://USER@HOST/DATABASE".to_owned()),
        }
    }
}

/// `patchwright worker`
#[derive(Args, Debug)]
pub struct WorkerArgs {
    /// The ledger: postgres://USER@HOST/DATABASE; a password comes from PGPASSWORD or a password file (~/.pgpass)
    #[arg(value_name = "LEDGER")]
    pub ledger: LedgerUrl,

    /// Parts worked on at once [default: 1]
    #[arg(long, value_name = "N", default_value = "1", hide_default_value = true)]
    pub lanes: NonZeroU32,

    /// Only the runs of these names, comma-separated or one by one [default: all of the ledger, the oldest first]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub run: Vec<String>,

    /// Where the suite of the runs lies on this machine, if not where it lay when the run was put into the ledger; its content must be the same
    #[arg(long, value_name = "KIND:PATH")]
    pub suite: Option<String>,

    /// End after so many parts
    #[arg(long, value_name = "N")]
    pub max_sessions: Option<NonZeroU32>,

    /// End when there was nothing to claim for so long [default: wait for more]
    #[arg(long, value_name = "TIME")]
    pub idle_exit: Option<HumanDuration>,

    /// File with API keys (`NAME=value` a line), readable by you alone
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
}

/// What `bench status` and `bench cancel` are about.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum RunPlace {
    /// The folder of a run, or the one that holds its parts.
    Folder(PathBuf),
    /// All runs of a ledger.
    Ledger(LedgerUrl),
}

impl FromStr for RunPlace {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        // What looks like an address and is none is the name of a folder that is not there, and is told as such.
        Ok(text.parse().map_or_else(|_| Self::Folder(text.into()), Self::Ledger))
    }
}

/// `patchwright bench manifests`
#[derive(Args, Debug)]
#[command(mut_args(|option| if is_of_cases(option.get_id().as_str()) { option.hide(true) } else { option }))]
pub struct ManifestArgs {
    /// For Kubernetes: an Indexed Job, and a claim of a volume where none is named
    #[arg(long, required = true, help_heading = "Manifests")]
    pub kubernetes: bool,

    /// The image of pods, with the program, the suite and what its projects need
    #[arg(long, value_name = "IMAGE", help_heading = "Manifests")]
    pub pod_image: String,

    /// Pods, which are parts of the run [default: one for each case]
    #[arg(long, value_name = "N", help_heading = "Manifests")]
    pub pods: Option<NonZeroU32>,

    /// Pods at once [default: all]
    #[arg(long, value_name = "N", help_heading = "Manifests")]
    pub pods_at_once: Option<NonZeroU32>,

    /// Memory of a pod
    #[arg(long, value_name = "QUANTITY", default_value = "8Gi", help_heading = "Manifests")]
    pub pod_memory: String,

    /// The claim of the volume that holds the run; pods write into it side by side [default: one that is made]
    #[arg(long, value_name = "NAME", help_heading = "Manifests")]
    pub claim: Option<String>,

    /// The disk of the claim that is made
    #[arg(long, value_name = "QUANTITY", default_value = "50Gi", help_heading = "Manifests")]
    pub claim_size: String,

    /// The secret with the keys, by the names of their variables
    #[arg(long, value_name = "NAME", help_heading = "Manifests")]
    pub secret: Option<String>,

    /// The run as `bench run` would be told; its --out names it, and stands below /runs in the pods.
    #[command(flatten)]
    pub run: RunArgs,
}

/// `patchwright bench status`
#[derive(Args, Debug)]
pub struct StatusArgs {
    /// The folder of the run, or the one that holds its parts; or a ledger, postgres://…, for all runs in it
    #[arg(value_name = "RUN")]
    pub run: RunPlace,

    /// Look again and again until nothing runs any more; a page of --html loads itself anew
    #[arg(long)]
    pub watch: bool,

    /// How it is shown.
    #[command(flatten)]
    pub views: Views,
}

/// `patchwright bench cancel`
#[derive(Args, Debug)]
pub struct CancelArgs {
    /// The folder that holds its parts
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
}

/// `patchwright bench merge`
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// Their folders, or folders that hold parts
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,

    /// The folder of the whole, which is new or empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Print what was put together as one JSON object
    #[arg(long)]
    pub json: bool,
}
