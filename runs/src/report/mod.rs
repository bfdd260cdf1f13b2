//! The outcomes of runs: numbers ([`Report`], [`RunComparison`]), and views of them for terminals, as Markdown and as HTML.
//!
//! `report.json` holds the numbers; every view is made of the same [`Table`]s.

mod compare;
mod draw;
mod issue;
mod numbers;
mod page;
mod side_by_side;
mod stats;
mod tables;
mod testing;
mod text;
mod trail;
mod trajectory;
mod units;

pub use compare::{ComparedCase, ComparedEnd, Overlap, Pair, RunComparison, RunDifference, Split};
pub use draw::Chart;
pub use issue::{IssueLength, IssueTraits};
pub use numbers::{CallRow, CaseRow, FixCoverageCounts, Group, Report, SpentRow, SpreadRow};
pub use page::{html, html_tables};
pub use side_by_side::compared;
pub use stats::Spread;
pub use tables::{Table, tables};
pub use testing::{NamedGroup, TestGroup, TestMeasures, TestNumbers};
pub use text::{markdown, plain, text};
