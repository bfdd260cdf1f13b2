//! One ranking of the code that an issue leads to: by its names, by its words, and by calls.

use std::collections::HashMap;

use patchwright_index::{Index, IndexedFile, Query, fitting_functions, mentions};

use super::calls::Calls;
use super::options::{ContextOptions, ContextSource};
use crate::piece::Piece;

/// How much less each further place among the named pieces counts: the sixth counts half as much as the first.
const LATER: f64 = 0.2;
/// The pieces whose callees and callers gain.
const LEADS: usize = 10;
/// The share of the score of a piece that each of its callees and callers gains.
const NEIGHBOUR: f64 = 0.5;
/// Callees that gain a full share; of more each gains less.
const FEW_CALLEES: f64 = 4.0;

/// The pieces of the `files` that an issue leads to, the likeliest first. The first piece that the issue names counts as much as the one that
/// its words fit best; what the first pieces call, and what calls them, gains a share of their scores.
pub(super) fn ranked(
    index: &Index,
    issue: &str,
    files: &[&IndexedFile],
    wanted: &dyn Fn(&IndexedFile) -> bool,
    options: &ContextOptions,
) -> Vec<Piece> {
    let mut scores = Scores::default();
    if options.has(ContextSource::CodeReference) {
        for (place, mention) in mentions(index, issue, wanted).into_iter().enumerate() {
            *scores.of(mention.into()) += 1.0 / (1.0 + LATER * place as f64);
        }
    }
    if options.has(ContextSource::FittingFunction) {
        let fitting = fitting_functions(index, &Query::of_text(issue), wanted);
        let best = fitting.first().map_or(1.0, |function| function.score);
        for function in fitting {
            let score = function.score / best;
            *scores.of(function.into()) += score;
        }
    }
    let leads = scores.clone().sorted();
    let calls = Calls::of(files);
    let mut gains = Scores::default();
    let mut gain = |piece: Piece, share: f64| {
        let most = gains.of(piece);
        *most = most.max(share);
    };
    for (piece, score) in leads.iter().take(LEADS) {
        if options.has(ContextSource::Callee) {
            let callees = calls.callees(piece);
            let share = (FEW_CALLEES / callees.len() as f64).sqrt().min(1.0);
            for callee in callees {
                gain(callee, NEIGHBOUR * share * score);
            }
        }
        if options.has(ContextSource::Caller) {
            for caller in calls.callers(piece) {
                gain(caller, NEIGHBOUR * score);
            }
        }
    }
    for (piece, gain) in gains.pieces {
        *scores.of(piece) += gain;
    }
    scores.sorted().into_iter().map(|(piece, _)| piece).collect()
}

/// Pieces with their scores.
#[derive(Clone, Default)]
struct Scores {
    pieces: Vec<(Piece, f64)>,
    places: HashMap<Piece, usize>,
}

impl Scores {
    /// The score of a piece, which is zero at first.
    fn of(&mut self, piece: Piece) -> &mut f64 {
        let next = self.pieces.len();
        let place = *self.places.entry(piece.clone()).or_insert(next);
        if place == next {
            self.pieces.push((piece, 0.0));
        }
        &mut self.pieces[place].1
    }

    /// The highest first; equal scores in the order in which the pieces came.
    fn sorted(self) -> Vec<(Piece, f64)> {
        let mut pieces = self.pieces;
        pieces.sort_by(|left, right| right.1.total_cmp(&left.1));
        pieces
    }
}
