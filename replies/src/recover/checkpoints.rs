//! Places to go back to: the entries before the one that is broken are not read again, nor with repairs those behind it.
//!
//! After each entry of a list, where the next one begins with the same key or the reply ends, reading tries again to do without
//! repairs. Where it stops, it goes back to the end of the entry before, and only what follows there is read with repairs, up to the next such place.
//! So most of a broken reply is read once and fast, and no part of it more than twice.

use super::RepairMade;
use super::frame::{Expect, Frame};
use super::lookahead::first_key;
use super::parser::{Mode, ParseStop, Parser};
use crate::names::is_file_key;

/// The state of reading behind an entry of a list.
pub(super) struct Checkpoint {
    at: usize,
    /// The number of open containers, the list included, and that of its elements.
    depth: usize,
    elements: usize,
    repairs: Vec<RepairMade>,
    damage: usize,
    moves: usize,
}

impl Parser<'_, '_> {
    /// A bracket has closed a container. Without repairs that is trusted to be the end of an entry only where one like it
    /// follows, once something was broken; otherwise reading stops.
    pub(super) fn closed(&mut self) -> Result<(), ParseStop> {
        if self.set_checkpoint() || self.mode == Mode::Lenient {
            return Ok(());
        }
        match &self.checkpoint {
            Some(checkpoint) if self.repairs_made && checkpoint.depth == self.stack.len() => Err(self.at),
            Some(checkpoint) if checkpoint.depth > self.stack.len() => {
                self.checkpoint = None;
                Ok(())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Sets a checkpoint and reads on without repairs, if an entry of a list has ended here, is not nested in another entry, and is followed by a
    /// similar entry or by the end of the reply.
    fn set_checkpoint(&mut self) -> bool {
        let (Some(mode), Some(Frame::Array { elements })) = (self.without_repairs, self.stack.last()) else {
            return false;
        };
        let Some(element) = elements.last().filter(|_| self.at >= self.stopped) else { return false };
        let like = |key: &String| is_file_key(key) && first_key(self.text, self.at) == Some(key);
        match element.as_object() {
            Some(entry) if entry.keys().next().is_some_and(like) => {
                if self.mode != Mode::Lenient {
                    self.memory.shapes.note(entry);
                }
            }
            // What was read with repairs says nothing about the end of the reply.
            _ if self.mode != Mode::Lenient && self.reply_ends_behind(element) => {}
            Some(_) | None => return false,
        }
        if self.is_below_entry() {
            return false;
        }
        self.checkpoint = Some(Checkpoint {
            at: self.at,
            depth: self.stack.len(),
            elements: elements.len(),
            repairs: self.repairs.clone(),
            damage: self.damage.len(),
            moves: self.moves,
        });
        self.mode = mode;
        true
    }

    /// Goes back to the checkpoint, and reads on with repairs; where there is none, reading has stopped.
    pub(super) fn go_back(&mut self, stop: ParseStop) -> Result<(), ParseStop> {
        let Some(checkpoint) = self.checkpoint.take() else { return Err(stop) };
        self.stopped = stop;
        self.stack.truncate(checkpoint.depth);
        if let Some(Frame::Array { elements }) = self.stack.last_mut() {
            elements.truncate(checkpoint.elements);
        }
        self.repairs = checkpoint.repairs;
        self.damage.truncate(checkpoint.damage);
        self.moves = checkpoint.moves;
        self.at = checkpoint.at;
        self.expect = Expect::Comma;
        self.mode = Mode::Lenient;
        self.repairs_made = true;
        Ok(())
    }
}
