//! The outcomes of runs: numbers ([`Report`], [`RunComparison`]), and views of them for terminals, as Markdown and as HTML.
//!
//! `report.json` holds the numbers; every view is made of the same [`Table`]s.

mod case_row;
mod compare;
mod draw;
mod forecast;
mod issue;
mod numbers;
mod page;
mod progress;
mod side_by_side;
mod stats;
mod table;
mod tables;
mod test_numbers;
mod test_tables;
mod text;
mod trail;
mod trajectory;
mod units;

pub use case_row::CaseRow;
pub use compare::{ComparedCase, ComparedEnd, Overlap, Pair, RunComparison, RunDifference, Split};
pub use draw::Chart;
pub use forecast::forecast_table;
pub use issue::{IssueLength, IssueTraits};
pub use numbers::{CallRow, FixCoverageCounts, Group, Report, SpentRow, SpreadRow};
pub use page::{html, html_tables};
pub use progress::{progress_tables, share};
pub use side_by_side::compared;
pub use stats::Spread;
pub use table::Table;
pub use tables::tables;
pub use test_numbers::{NamedGroup, TestGroup, TestMeasures, TestNumbers};
pub use text::{markdown, text};
pub use trail::RepliesByEffort;
