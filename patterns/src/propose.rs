//! From a location to proposals, and from two proposals to one.

use std::collections::BTreeSet;

use patchwright_edits::Edit;
use patchwright_syntax::{Project, ProjectPath};
use serde::Serialize;

use crate::Pattern;
use crate::expansion::{Expansion, WindowCache};
use crate::ingredients::Ingredients;

/// A location where a fix may go: a line, or the gap before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct FixLocation {
    /// The file, relative to the root of the project.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// Is true if it is rather that code is missing before the line.
    pub omission: bool,
}

/// The reason why a proposal is likely to overfit: to satisfy the tests without repairing the bug.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OverfitReason {
    /// It takes code away.
    Deletion,
    /// It makes a condition always or never hold.
    ConstantCondition,
    /// It returns a constant that nothing near speaks for.
    ConstantReturn,
}

impl OverfitReason {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deletion => "deletion",
            Self::ConstantCondition => "constant_condition",
            Self::ConstantReturn => "constant_return",
        }
    }
}

/// One edit that a pattern proposes for a location.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proposal {
    /// The pattern.
    pub pattern: &'static Pattern,
    /// The file.
    pub path: String,
    /// The first line that changes.
    pub line: u32,
    /// The edit, by line numbers.
    pub edit: Edit,
    /// The pattern's weight and how near its ingredients are, in (0, 1]; nothing of the place's suspiciousness.
    pub likelihood: f64,
    /// Is true if it is likely to suit the tests only.
    pub overfit: Option<OverfitReason>,
    /// The change, as half a sentence: "`<` becomes `<=`".
    pub what: String,
}

/// The proposals of the patterns for a location, the best first and those likely to overfit last. No two give the same text, all
/// apply, and the same project gives the same proposals. A file that cannot be read, or in a language without
/// generators, gives none.
pub fn propose(project: &Project, ingredients: &Ingredients, location: &FixLocation) -> Vec<Proposal> {
    let Some(mut expansion) = expand(project, ingredients, location, &WindowCache::default()) else {
        return Vec::new();
    };
    let mut found = expansion.plain.materialize_all();
    found.extend(expansion.overfitting.materialize_all());
    found
}

/// The mutations of a place; `None` where there is no code.
pub(crate) fn expand(
    project: &Project,
    ingredients: &Ingredients,
    location: &FixLocation,
    windows: &WindowCache,
) -> Option<Expansion> {
    let path = ProjectPath::new(&location.path).ok()?;
    let source = project.read(&path).ok()?;
    let file = ingredients.file(path.as_str(), source.text())?;
    let row = usize::try_from(location.line).ok()?.checked_sub(1)?;
    (row <= file.rows()).then(|| Expansion::of(&file, ingredients, row, location.omission, windows))
}

/// Two proposals for one file as one; `None` if they touch the same lines. Whether they parse together is seen when they are
/// applied: apart they do.
pub fn combine(one: &Proposal, other: &Proposal) -> Option<Proposal> {
    if one.path != other.path || !touched(&one.edit).is_disjoint(&touched(&other.edit)) {
        return None;
    }
    let (first, second) = if one.line <= other.line { (one, other) } else { (other, one) };
    let mut edit = first.edit.clone();
    edit.insertions.extend(second.edit.insertions.iter().cloned());
    edit.deletions.extend(&second.edit.deletions);
    edit.modifications.extend(second.edit.modifications.iter().cloned());
    let likelier = if one.likelihood >= other.likelihood { one } else { other };
    Some(Proposal {
        pattern: likelier.pattern,
        path: one.path.clone(),
        line: first.line,
        edit,
        likelihood: (one.likelihood * other.likelihood).max(f64::MIN_POSITIVE),
        overfit: one.overfit.or(other.overfit),
        what: format!("{}; {}", first.what, second.what),
    })
}

/// The lines that an edit changes or puts something before.
fn touched(edit: &Edit) -> BTreeSet<u32> {
    let inserted = edit.insertions.iter().map(|insertion| insertion.line_number);
    let modified = edit.modifications.iter().map(|modification| modification.line_number);
    inserted.chain(modified).chain(edit.deletions.iter().copied()).collect()
}
