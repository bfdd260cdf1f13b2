//! Edits of source code: read from every format that models write, applied with bytes kept, shown as diffs.
//!
//! Every format is read into one value, [`Edit`], by [`formats`]; [`apply`](apply()) works edits out against a project, all files or
//! none, and gives what comes of them as an [`Applied`], which alone writes files. [`diff`] is the exact model of patches.

mod applied;
mod apply;
mod definitions;
pub mod diff;
mod draft;
mod edit;
mod elided;
#[cfg(test)]
mod fix_tests;
pub mod formats;
mod line_numbers;
mod located;
mod lookalike;
mod matching;
mod obeyed;
mod outcome;
mod plain;
mod readings;
mod refusal;
mod replace;
mod rewrite;
mod rules;
mod soundness;
mod splice;
mod spliced;
mod tampering;
mod write;

pub use applied::{Applied, ApplyReport, FileChange};
pub use apply::{apply, attempt};
pub use edit::{Definition, Edit, EditRules, Insertion, Modification, Placement, Replacement, Rule};
pub use outcome::{EditOutcome, EditStatus};
pub use refusal::EditError;
pub use splice::joined_lines;
pub use tampering::{ProjectContents, TamperingSign};
pub use write::{ProjectWriteError, Recovery, is_interrupted, recover};
