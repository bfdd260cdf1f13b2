//! Facade.
pub use patchwright_edits::formats as edits;
pub use patchwright_edits::*;
pub use patchwright_index::*;
pub use patchwright_syntax::*;
