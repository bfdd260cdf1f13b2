//! A run divided into the parts that a cluster carries out.

use std::num::NonZeroU32;

use patchwright_command_line::bench::RunArgs;
use patchwright_protocol::Failure;
use patchwright_runs::{Part, RunOptions};

use crate::bench::limits::{carried, share};
use crate::bench::resolved::ResolvedSettings;

/// How a run is divided.
pub struct Divided {
    /// Cases.
    pub count: u32,
    /// Parts, no more than cases.
    pub of: u32,
    /// How a part is carried out, but for its share of what the whole may spend.
    pub options: RunOptions,
}

impl Divided {
    /// Of so many cases into as many parts as are `wanted`, else one for each case. Says what each part has of the whole run's budget.
    pub fn of(
        args: &RunArgs,
        resolved: &ResolvedSettings,
        cases: usize,
        wanted: Option<NonZeroU32>,
    ) -> Result<Self, Failure> {
        let count = u32::try_from(cases).unwrap_or(u32::MAX);
        let of = wanted.map_or(count, |parts| parts.get().min(count));
        let options = carried(&args.carrying, None, &resolved.options)?;
        let _ = share(&args.carrying, Part::all(of).next());
        Ok(Self { count, of, options })
    }
}
