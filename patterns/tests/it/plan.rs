//! Plans for many lines.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use patchwright_edits::Edit;
use patchwright_patterns::{Ingredients, Pass, PassKind, RepairPlan, SuspiciousLine};

use crate::bed::Bed;

const SHOP: &str = "class Shop:
    def __init__(self, prices, limit):
        self.prices = prices
        self.limit = limit

    def total(self, start):
        total = start
        for price in self.prices:
            if price < self.limit:
                total += price
        return total

    def mean(self):
        return self.total(1) / len(self.prices)
";

fn lines(numbers: &[u32]) -> Vec<SuspiciousLine> {
    let line = |(at, line): (usize, &u32)| SuspiciousLine {
        path: "shop.py".to_owned(),
        line: *line,
        suspiciousness: 1.0 - at as f64 / 100.0,
        omission: false,
    };
    numbers.iter().enumerate().map(line).collect()
}

fn plan(bed: &Bed, numbers: &[u32], tried: &[Edit]) -> RepairPlan {
    let ingredients = Ingredients::gather(&bed.project, &|_| true);
    RepairPlan::new(bed.project.clone(), Arc::new(ingredients), lines(numbers), tried)
}

fn passes(plan: &mut RepairPlan) -> Vec<Pass> {
    let never = AtomicBool::new(false);
    std::iter::from_fn(|| plan.next_pass(&never)).collect()
}

fn bed() -> Bed {
    Bed::new(&[("shop.py", SHOP.as_bytes())])
}

#[test]
fn a_plan_goes_from_likely_to_unlikely_and_tries_nothing_twice() {
    let bed = bed();
    let found = passes(&mut plan(&bed, &[14, 9, 7, 10], &[]));
    let kinds: Vec<PassKind> = found.iter().map(|pass| pass.kind).collect();
    let mut sorted = kinds.clone();
    sorted.sort_by_key(|kind| match kind {
        PassKind::Single => 0,
        PassKind::Pair => 1,
        PassKind::Overfitting => 2,
    });
    assert_eq!(kinds, sorted);
    assert!(kinds.contains(&PassKind::Pair) && kinds.contains(&PassKind::Overfitting), "{kinds:?}");
    let mut seen = BTreeSet::new();
    for pass in &found {
        assert!(!pass.edits.is_empty());
        assert!(pass.edits.windows(2).all(|two| two[0].score >= two[1].score), "{:?}", pass.kind);
        for edit in &pass.edits {
            assert_eq!(edit.proposal.overfit.is_some(), pass.kind == PassKind::Overfitting, "{edit:?}");
            assert!(seen.insert(serde_json::to_string(&edit.proposal.edit).unwrap()), "twice: {edit:?}");
        }
    }
    let first = &found[0].edits[0];
    assert_eq!(first.method.as_deref(), Some("Shop.total"));
}

#[test]
fn the_same_lines_give_the_same_plan() {
    let bed = bed();
    assert!(passes(&mut plan(&bed, &[9, 7, 14], &[])) == passes(&mut plan(&bed, &[9, 7, 14], &[])));
}

#[test]
fn what_was_tried_is_no_part_of_a_plan() {
    let bed = bed();
    let mut first = plan(&bed, &[9, 14], &[]);
    let tried: Vec<Edit> =
        passes(&mut first)[0].edits.iter().map(|edit| edit.proposal.edit.clone()).collect();
    let again = passes(&mut plan(&bed, &[9, 14], &tried));
    assert!(again.iter().flat_map(|pass| &pass.edits).all(|edit| !tried.contains(&edit.proposal.edit)));
}

#[test]
fn lines_without_code_plan_nothing_and_a_cancelled_plan_ends() {
    let bed = bed();
    assert_eq!(passes(&mut plan(&bed, &[], &[])), []);
    assert_eq!(passes(&mut plan(&bed, &[99], &[])), []);
    let cancelled = AtomicBool::new(true);
    assert_eq!(plan(&bed, &[9], &[]).next_pass(&cancelled), None);
}
