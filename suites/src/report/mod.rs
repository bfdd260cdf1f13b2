//! What runs came to: numbers ([`Report`], [`Comparison`]), and views of them for terminals, as Markdown and as HTML.
//!
//! `report.json` holds the numbers; every view is made of the same [`Table`]s.

mod compare;
mod html;
mod numbers;
mod page;
mod stats;
mod tables;
mod text;
mod trail;

pub use compare::{ComparedCase, ComparedEnd, Comparison, Overlap, Pair};
pub use html::{html, html_tables};
pub use numbers::{CallRow, CaseRow, Group, LocatedCounts, Report, SpentRow, SpreadRow};
pub use stats::{Spread, mcnemar};
pub use tables::{Table, compared, tables};
pub use text::{markdown, plain, text};
