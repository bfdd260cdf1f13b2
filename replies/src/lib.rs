//! A tolerant reader of what models write.
//!
//! [`recover()`] finds the JSON values in any text and repairs what is broken in them; [`match_name`] says which of the
//! names that exist a nearly right one stands for; [`EntryCount`] counts the
//! objects that name a file; [`markup_calls`] finds tool calls in tags or after special tokens; [`answer`] reads lists and
//! code; [`Repair`] tells in one short line what was done on the way. All of it is
//! pure: no file, no clock, no panic.

pub mod answer;
mod entries;
mod markup;
mod names;
mod numbers;
mod recover;
mod repair;
mod writing;

pub use entries::{Entry, EntryCount, attempted, entries, names_a_file};
pub use markup::{CallBody, MarkupCall, MarkupFault, markup_calls};
pub use names::{ARGUMENT_NAMES, Match, NameMatching, bare_name, is_file_key, match_name};
pub use numbers::whole_number;
pub use recover::{
    DEPTH, Damage, DamageKind, JsonRepair, Recovered, RepairMade, pointer_part, recover, recover_each,
    recover_with,
};
pub use repair::{Repair, ValueChange, dotted, end_of, join};
pub use writing::write_json;
