//! Drawings beside tables: SVG in pages, without scripts and with a text for those who do not see it; blocks in a terminal. They hold
//! counts, never single values, so that they do not grow with the run.

mod axis;
mod bars;
mod bins;
mod circles;
mod overlap;
mod spread;
mod svg;

use std::io::{self, Write};

use super::compare::Comparison;
use super::numbers::{CallRow, CaseRow};
use overlap::Regions;
use spread::Panel;

use bars::Bars;

/// What a group of cases or a run is called, with the class that colours it.
const FIXED: (&str, &str) = ("fixed", "one");
const UNFIXED: (&str, &str) = ("unfixed", "two");

/// A drawing of what a table tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawing {
    /// How time, tokens, cost and cycles are spread.
    Spreads(Vec<Panel>),
    /// How often each tool is called.
    Calls(Bars),
    /// Which runs solve the same cases.
    Overlap(Regions),
}

impl Drawing {
    /// How the sessions of these cases are spread; none where none has an answer.
    pub(super) fn spreads(cases: &[CaseRow]) -> Option<Self> {
        let panels = spread::panels(cases);
        (!panels.is_empty()).then_some(Self::Spreads(panels))
    }

    /// How often each tool is called; none where none is.
    pub(super) fn calls(calls: &[CallRow]) -> Option<Self> {
        Bars::of(calls).map(Self::Calls)
    }

    /// Which runs solve the same cases; none where nothing is solved.
    pub(super) fn overlap(comparison: &Comparison) -> Option<Self> {
        Regions::of(comparison).map(Self::Overlap)
    }

    /// Writes it into a page.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub(super) fn html(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "<div class=\"figures\">")?;
        match self {
            Self::Spreads(panels) => panels.iter().try_for_each(|panel| panel.html(out))?,
            Self::Calls(bars) => bars.html(out)?,
            Self::Overlap(regions) => regions.html(out)?,
        }
        writeln!(out, "</div>")
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
