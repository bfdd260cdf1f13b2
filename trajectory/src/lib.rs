//! The append-only event log of a session: its events, writer and reader.
//!
//! A trajectory is a file of JSON lines, one [`Record`] a line. The set of events is closed ([`Event`]); everything
//! that is shown to a user, printed with `--json`, reported or replayed is derived from these events alone.
//!
//! * [`Writer`] is the single owner of a file: every event is a whole line on disk before the call returns, known
//!   secrets are replaced before anything is written, and an I/O error leaves the file valid up to its last line.
//! * [`Reader`] and [`read`] give the events back. A last line that was cut (a killed session) is reported, not an
//!   error; damage anywhere else names the file, the line and the field.
//! * [`PromptStore`] keeps prompts as differences to the previous prompt of the same purpose, so that a trajectory
//!   grows with what is new and never with the square of the cycles.
//! * [`schema`] is the published JSON schema of a line; it is committed as `trajectory/schema.json`.

mod delta;
mod event;
mod json_lines;
mod payload;
mod reader;
mod redact;
mod schema;
#[cfg(test)]
#[path = "../tests/small_disk/mod.rs"]
mod small_disk;
mod writer;

pub use delta::{DeltaError, Piece, PromptDelta, PromptStore, StoredMessage};
pub use event::{Event, FORMAT, Record, VERSION};
pub use json_lines::{
    JsonLines, LONGEST_LINE, LineReader, MOST_BYTES, MOST_VALUES, Storage, excess, is_full,
};
pub use payload::{Change, InterventionKind, Level, Purpose, RefusalReason};
pub use reader::{Log, Reader, RebuiltPrompt, TornLine, TrajectoryReadError, read};
pub use redact::{REDACTED, Redactor};
pub use schema::{schema, schema_text};
pub use writer::{TrajectoryWriteError, Writer};
