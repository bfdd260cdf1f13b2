//! Drawings beside tables: in pages SVG made by templates, without scripts and with a text for those who do not see it; blocks in a
//! terminal. They hold counts, never single values, so that they do not grow with the run.

mod axis;
mod bars;
mod bins;
mod overlap;
mod spread;

use bars::Bars;
use overlap::Regions;
use serde::Serialize;
use spread::Panel;

use super::case_row::CaseRow;
use super::compare::RunComparison;
use super::numbers::CallRow;

/// The names of groups of cases; pages have a colour for each.
const FIXED: &str = "fixed";
const UNFIXED: &str = "unfixed";

/// A drawing of what a table tells. Each has a template of its name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Chart {
    /// The distributions of time, tokens, cost and cycles.
    Spreads(Vec<Panel>),
    /// The calls of each tool.
    Calls(Bars),
    /// The overlap of the cases that runs solve.
    Overlap(Regions),
}

impl Chart {
    /// The distributions over the sessions of these cases; none where none has an answer.
    pub(super) fn spreads(cases: &[CaseRow]) -> Option<Self> {
        let panels = spread::panels(cases);
        (!panels.is_empty()).then_some(Self::Spreads(panels))
    }

    /// The calls of each tool; none where there is none.
    pub(super) fn calls(calls: &[CallRow]) -> Option<Self> {
        Bars::of(calls).map(Self::Calls)
    }

    /// The overlap of the cases that runs solve; none where nothing is solved.
    pub(super) fn overlap(comparison: &RunComparison) -> Option<Self> {
        Regions::of(comparison).map(Self::Overlap)
    }

    /// The lines that a terminal shows.
    pub(super) fn lines(&self) -> Vec<String> {
        match self {
            Self::Spreads(panels) => panels.iter().flat_map(Panel::lines).collect(),
            Self::Calls(bars) => bars.lines(),
            Self::Overlap(regions) => regions.lines(),
        }
    }
}

/// A text cut to so many letters.
pub(super) fn cut(text: &str, letters: usize) -> String {
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    text.chars().take(letters.saturating_sub(1)).chain(['…']).collect()
}

/// Takes off what is more than is drawn, and says so.
fn limit<T>(rows: &mut Vec<T>, most: usize) -> Option<String> {
    let more = rows.len().saturating_sub(most);
    rows.truncate(most);
    (more > 0).then(|| format!("and {more} more in the table"))
}

/// A drawing as a page shows it, without the page's style.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
fn page(drawing: Chart) -> String {
    let table = super::Table { drawing: Some(drawing), ..super::Table::default() };
    let mut out = Vec::new();
    super::html_tables("", &[table], None, &mut out).unwrap();
    let page = String::from_utf8(out).unwrap();
    page.split_once("</style>").unwrap().1.to_owned()
}
