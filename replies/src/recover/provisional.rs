//! Damage that what follows may take back.
//!
//! Where a bracket is missing or too many, the text right there does not always tell what was meant. What comes later can: a list
//! of entries behind which its own bracket stands was written to its end, so none of them was cut off; and where all
//! brackets up to that of the container around are in their place, there is no other way to read them.

use super::frame::{self, Frame};
use super::parser::Parser;
use super::{Damage, DamageKind};

/// Damage that counts unless a container that is open is closed by its own bracket, and what else proves that there is none.
pub(super) struct Provisional {
    damage: Damage,
    /// The number of open containers up to that one.
    depth: usize,
    proof: Proof,
}

/// What it takes, beside the container's own bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// It is a list of entries and of nothing else, neither another reply nor anything that was left out.
    Entries,
    /// The brackets beside that one are in their place, too, and no bracket was moved since there had been so many moves.
    Order { moves: usize },
}

impl Parser<'_, '_> {
    /// Damage to what is read at the moment.
    pub(super) fn damage_here(&self, kind: DamageKind, at: usize) -> Damage {
        Damage { kind, pointer: frame::pointer(&self.stack), at }
    }

    /// An entry was closed without its bracket. It may lack members, unless the list around it goes on to its end.
    pub(super) fn damage_until_list_ends(&mut self, damage: Damage) {
        if matches!(self.stack.last(), Some(Frame::Array { .. })) {
            self.provisional.push(Provisional { damage, depth: self.stack.len(), proof: Proof::Entries });
        } else {
            self.damage.push(damage);
        }
    }

    /// Brackets were moved up to the innermost open container, which goes on. There are two readings, unless the rest of it is in order.
    pub(super) fn damage_until_closed(&mut self, damage: Damage) {
        let proof = Proof::Order { moves: self.moves };
        self.provisional.push(Provisional { damage, depth: self.stack.len(), proof });
    }

    /// The innermost container is closed by its own bracket; `in_order` if those beside it are in their place, too.
    pub(super) fn take_back(&mut self, in_order: bool) {
        let depth = self.stack.len();
        if self.provisional.last().is_none_or(|one| one.depth < depth) {
            return;
        }
        let entries = self.stack.last().is_some_and(Frame::holds_entries_alone);
        let now = self.moves;
        let left_out = self.left_out;
        let counts = |one: &Provisional| match one.proof {
            Proof::Entries => !entries || left_out > one.damage.at,
            Proof::Order { moves } => !in_order || moves != now,
        };
        let first = self.provisional.partition_point(|one| one.depth < depth);
        let kept = self.provisional.drain(first..).filter(counts).map(|one| one.damage);
        self.damage.extend(kept);
    }

    /// A container was closed: what it did not take back counts.
    pub(super) fn settle(&mut self) {
        while let Some(one) = self.provisional.pop_if(|one| one.depth > self.stack.len()) {
            self.damage.push(one.damage);
        }
    }
}
