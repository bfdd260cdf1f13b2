//! A quick way to what an index keeps of a Python file, without a tree.
//!
//! Parsing takes most of the time of an index, though it keeps little of what a tree says. So most files are read here in one
//! pass that knows lines, blocks and what an expression is. It gives what the tree would give, to the byte, or
//! nothing: whatever is damaged, old, very new, or read by the parser in a way of its own is left to the parser. That this
//! is so is tested by comparison (`tests.rs`); nothing else may depend on it.

mod brackets;
mod compound;
mod expression;
mod lexer;
mod literal;
mod reader;
mod statement;
mod string;
mod token;

use self::reader::Reader;
use crate::assembly;
use crate::language::Entry;
use crate::outline::Outline;
use crate::skeleton::{Sheet, Skeleton};

/// What a sound file declares, and its skeleton; `None` where only the parser can tell. The declarations have no
/// signatures, decorations, parameters and supers, and there are no imports.
pub(crate) fn scan(entry: &'static Entry, text: &str) -> Option<(Outline, Skeleton)> {
    let mut reader = Reader::new(text, Sheet::new(entry, text));
    reader.file()?;
    let outline = assembly::assemble(reader.found, entry.constructor_names);
    Some((outline, reader.sheet.finish()))
}

#[cfg(test)]
mod tests;
