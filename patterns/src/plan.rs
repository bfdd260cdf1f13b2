//! The plan of a repair for many suspicious lines: the likeliest edits first, materialized no further than they are asked for.

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering as Access};

use patchwright_edits::Edit;
use patchwright_syntax::{Project, parallel};
use serde::Deserialize;

use crate::expansion::{Expansion, Queue, WindowCache};
use crate::propose::expand;
use crate::{FixLocation, Ingredients, Proposal, combine};

/// The number of the likeliest edits that each pass takes, and of the most suspicious lines; further passes take as many
/// as the last. The first is small: it is tried while the second is thought of.
const PASSES: [(usize, usize); 4] = [(24, 48), (120, 240), (120, 480), (120, 960)];
/// Single edits that are tried; what is less likely than that is given up.
const SINGLES: usize = 2_400;
/// The likeliest single edits, which are combined in pairs.
const PAIRED: usize = 48;
/// Pairs that are tried.
const PAIRS: usize = 480;
/// Edits of a kind that often fits the tests and nothing else.
const MAX_OVERFITTING: usize = 480;
/// Lines that are looked at between two looks at whether to go on, for each thread.
const STRIDE: usize = 4;

/// A line that the localisation suspects.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct SuspiciousLine {
    /// The file, relative to the root of the project.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// From 0 to 1; lines that a person named are certain.
    #[serde(default = "certain")]
    pub suspiciousness: f64,
    /// Is true if it is rather that code is missing before the line.
    #[serde(default)]
    pub omission: bool,
}

fn certain() -> f64 {
    1.0
}

/// The kind of all edits of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassKind {
    /// Each is one small change.
    Single,
    /// Each is two small changes.
    Pair,
    /// Each is likely to overfit: to suit the tests only.
    Overfitting,
}

/// An edit with its place in the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedEdit {
    /// The edit.
    pub proposal: Proposal,
    /// Suspiciousness of the line × likelihood of the proposal.
    pub score: f64,
    /// That of the line.
    pub suspiciousness: f64,
    /// The method that it changes, with the names of the classes and methods around it; `None` outside of any.
    pub method: Option<String>,
}

/// The edits that are to be tried next, the likeliest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// The kind of all of them.
    pub kind: PassKind,
    /// The edits; never none.
    pub edits: Vec<PlannedEdit>,
}

/// Edits for suspicious lines, in passes over all of them: first single edits, then pairs of the likeliest, then what is
/// [likely to overfit](crate::OverfitReason). The same project and lines give the same plan.
///
/// Lines are looked at when a pass needs them, and a mutation becomes an edit when no likelier one is left, so that the first
/// pass takes no longer for a thousand suspicious lines than for a few.
pub struct RepairPlan {
    project: Project,
    ingredients: Arc<Ingredients>,
    lines: Vec<SuspiciousLine>,
    windows: WindowCache,
    /// Of the lines that were looked at; those without code have none.
    expansions: Vec<Option<Expansion>>,
    singles: Frontier,
    overfitting: Frontier,
    /// Edits that were planned, or tried before.
    known: BTreeSet<String>,
    passes: usize,
    /// The likeliest single edits.
    best: Vec<PlannedEdit>,
    planned_pairs: bool,
}

/// The next mutation of each line, the likeliest on top.
struct Frontier {
    queue: fn(&mut Expansion) -> &mut Queue,
    entries: BinaryHeap<FrontierEntry>,
    /// The number of edits that may still be planned.
    room: usize,
}

/// The next mutation of a line.
#[derive(PartialEq)]
struct FrontierEntry {
    score: f64,
    /// The line's place among all.
    index: usize,
}

impl Ord for FrontierEntry {
    /// The likelier one is greater; among equals that of the more suspicious line.
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.index.cmp(&self.index))
    }
}

impl PartialOrd for FrontierEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for FrontierEntry {}

impl Frontier {
    fn of(queue: fn(&mut Expansion) -> &mut Queue, room: usize) -> Self {
        Self { queue, entries: BinaryHeap::new(), room }
    }

    fn push(&mut self, index: usize, suspiciousness: f64, expansion: &mut Expansion) {
        if let Some(likelihood) = (self.queue)(expansion).likelihood() {
            self.entries.push(FrontierEntry { score: suspiciousness * likelihood, index });
        }
    }
}

impl RepairPlan {
    /// A plan for lines, which are given the most suspicious first. Edits that were `tried` before are no part of it.
    pub fn new(
        project: Project,
        ingredients: Arc<Ingredients>,
        lines: Vec<SuspiciousLine>,
        tried: &[Edit],
    ) -> Self {
        Self {
            project,
            ingredients,
            lines,
            windows: WindowCache::default(),
            expansions: Vec::new(),
            singles: Frontier::of(|expansion| &mut expansion.plain, SINGLES),
            overfitting: Frontier::of(|expansion| &mut expansion.overfitting, MAX_OVERFITTING),
            known: tried.iter().map(name_of).collect(),
            passes: 0,
            best: Vec::new(),
            planned_pairs: false,
        }
    }

    /// The next pass; `None` when all is planned, or as soon as it is `cancelled`.
    pub fn next_pass(&mut self, cancelled: &AtomicBool) -> Option<Pass> {
        let (lines, size) = PASSES[self.passes.min(PASSES.len() - 1)];
        self.passes += 1;
        self.expand(lines, cancelled);
        let kinds = [PassKind::Single, PassKind::Pair, PassKind::Overfitting];
        kinds.into_iter().find_map(|kind| {
            let edits = match kind {
                PassKind::Single => self.next_singles(size, cancelled),
                PassKind::Pair => self.next_pairs(cancelled),
                PassKind::Overfitting => self.likeliest(|plan| &mut plan.overfitting, size, cancelled),
            };
            (!edits.is_empty() && !cancelled.load(Access::Relaxed)).then_some(Pass { kind, edits })
        })
    }

    /// Looks at the most suspicious lines, as many at once as there are threads.
    fn expand(&mut self, lines: usize, cancelled: &AtomicBool) {
        let upto = lines.min(self.lines.len());
        while self.expansions.len() < upto && !cancelled.load(Access::Relaxed) {
            let from = self.expansions.len();
            let next = &self.lines[from..upto.min(from + STRIDE * parallel::threads())];
            let expanded = parallel::over(next, |line| {
                let location =
                    FixLocation { path: line.path.clone(), line: line.line, omission: line.omission };
                expand(&self.project, &self.ingredients, &location, &self.windows)
            });
            for (offset, mut expansion) in expanded.into_iter().enumerate() {
                let suspiciousness = self.lines[from + offset].suspiciousness;
                if let Some(expansion) = &mut expansion {
                    self.singles.push(from + offset, suspiciousness, expansion);
                    self.overfitting.push(from + offset, suspiciousness, expansion);
                }
                self.expansions.push(expansion);
            }
        }
    }

    fn next_singles(&mut self, size: usize, cancelled: &AtomicBool) -> Vec<PlannedEdit> {
        let edits = self.likeliest(|plan| &mut plan.singles, size, cancelled);
        let missing = PAIRED.saturating_sub(self.best.len());
        self.best.extend(edits.iter().take(missing).cloned());
        edits
    }

    /// The likeliest edits of a source.
    fn likeliest(
        &mut self,
        source: fn(&mut Self) -> &mut Frontier,
        size: usize,
        cancelled: &AtomicBool,
    ) -> Vec<PlannedEdit> {
        let room = size.min(source(self).room);
        let mut edits = Vec::new();
        while edits.len() < room
            && !cancelled.load(Access::Relaxed)
            && let Some(FrontierEntry { score, index }) = source(self).entries.pop()
        {
            let queue = source(self).queue;
            let (suspiciousness, Some(Some(expansion))) =
                (self.lines[index].suspiciousness, self.expansions.get_mut(index))
            else {
                continue;
            };
            let proposal = queue(expansion).materialize();
            let method = expansion.method.clone();
            if let Some(likelihood) = queue(expansion).likelihood() {
                source(self).entries.push(FrontierEntry { score: suspiciousness * likelihood, index });
            }
            // A statement of several lines is proposed for at each of them.
            if let Some(proposal) = proposal.filter(|proposal| self.known.insert(name_of(&proposal.edit))) {
                edits.push(PlannedEdit { proposal, score, suspiciousness, method });
            }
        }
        source(self).room -= edits.len();
        edits
    }

    /// The likeliest pairs of the likeliest single edits.
    fn next_pairs(&mut self, cancelled: &AtomicBool) -> Vec<PlannedEdit> {
        if std::mem::replace(&mut self.planned_pairs, true) {
            return Vec::new();
        }
        let best = std::mem::take(&mut self.best);
        let mut pairs: Vec<(usize, usize)> =
            (0..best.len()).flat_map(|one| (one + 1..best.len()).map(move |other| (one, other))).collect();
        let score = |(one, other): (usize, usize)| best[one].score * best[other].score;
        pairs.sort_by(|left, right| score(*right).total_cmp(&score(*left)));
        let combined = pairs.into_iter().filter_map(|pair| {
            let (one, other) = (&best[pair.0], &best[pair.1]);
            Some(PlannedEdit {
                proposal: combine(&one.proposal, &other.proposal)?,
                score: score(pair),
                suspiciousness: one.suspiciousness.max(other.suspiciousness),
                method: one.method.clone(),
            })
        });
        combined.take_while(|_| !cancelled.load(Access::Relaxed)).take(PAIRS).collect()
    }
}

/// The text that tells edits apart.
fn name_of(edit: &Edit) -> String {
    serde_json::to_string(edit).unwrap_or_default()
}
