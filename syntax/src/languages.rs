//! The table of languages; one file per entry.

mod java;
mod python;

use crate::language::LanguageEntry;

/// All entries, in the order in which they are tried.
pub(crate) static ENTRIES: [&LanguageEntry; 2] = [&java::ENTRY, &python::ENTRY];
