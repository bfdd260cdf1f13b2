//! The table of languages; one file per entry.

mod java;
mod python;

use crate::language::Entry;

/// All entries, in the order in which they are tried.
pub(crate) static ENTRIES: [&Entry; 2] = [&java::ENTRY, &python::ENTRY];
