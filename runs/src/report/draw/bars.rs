//! The calls of each tool: a bar for fixed and one for unfixed cases.

use serde::Serialize;

use super::super::numbers::CallRow;
use super::bins::bar;
use super::{FIXED, UNFIXED, cut, limit};

/// Tools that are drawn; the table has all.
const SHOWN: usize = 16;
/// Letters of a name, and of the longest bar, in a terminal.
const NAME: usize = 24;
const LETTERS: u32 = 30;

/// The calls of each tool in a session, on average, the most frequent first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bars {
    rows: Vec<Tool>,
    /// Of tools that are left out.
    more: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Tool {
    tool: String,
    /// None where there are no such cases.
    bars: Vec<Bar>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Bar {
    name: &'static str,
    /// As a part of the greatest.
    part: f64,
    mean: String,
}

impl Bars {
    pub(super) fn of(calls: &[CallRow]) -> Option<Self> {
        let most = |row: &CallRow| row.fixed.unwrap_or(0.0).max(row.unfixed.unwrap_or(0.0));
        let mut calls: Vec<&CallRow> = calls.iter().filter(|row| most(row) > 0.0).collect();
        calls.sort_by(|one, other| most(other).total_cmp(&most(one)));
        let greatest = calls.first().map(|row| most(row))?;
        let more = limit(&mut calls, SHOWN);
        let bar = |(name, mean): (_, Option<f64>)| {
            mean.map(|mean| Bar { name, part: mean / greatest, mean: format!("{mean:.2}") })
        };
        let tool = |row: &CallRow| Tool {
            tool: row.tool.clone(),
            bars: [(FIXED, row.fixed), (UNFIXED, row.unfixed)].into_iter().filter_map(bar).collect(),
        };
        Some(Self { rows: calls.into_iter().map(tool).collect(), more })
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let width = self.rows.iter().map(|row| row.tool.chars().count().min(NAME)).max().unwrap_or(0);
        let mut lines = Vec::new();
        for row in &self.rows {
            let mut tool = cut(&row.tool, NAME);
            for Bar { name, part, mean } in &row.bars {
                lines.push(format!("{tool:<width$}  {name:<8}{} {mean}", bar(*part, LETTERS)));
                tool.clear();
            }
        }
        lines.extend(self.more.clone());
        lines
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{Chart, page};
    use super::*;

    fn row(tool: &str, fixed: Option<f64>, unfixed: Option<f64>) -> CallRow {
        CallRow { tool: tool.to_owned(), fixed, unfixed }
    }

    #[test]
    fn tools_stand_by_how_often_they_are_called_and_a_group_without_cases_has_no_bar() {
        assert_eq!(Bars::of(&[]), None);
        assert_eq!(Bars::of(&[row("a", None, Some(0.0))]), None);
        let bars = Bars::of(&[row("rare", Some(0.0), Some(1.0)), row("often", Some(4.0), None)]).unwrap();
        assert_eq!(
            bars.lines(),
            [
                format!("often  fixed   {} 4.00", "█".repeat(30)),
                "rare   fixed    0.00".to_owned(),
                format!("       unfixed {}▌ 1.00", "█".repeat(7)),
            ]
        );
        let page = page(Chart::Calls(bars));
        assert_eq!(page.matches("<rect").count(), 3);
        assert!(page.contains(
            "<title>Calls in a session, on average: often 4.00 fixed; rare 0.00 fixed, 1.00 unfixed</title>"
        ));
        assert!(page.contains("<span class=\"key unfixed\">unfixed</span>"), "{page}");
    }

    #[test]
    fn many_tools_and_long_names_are_cut() {
        let rows: Vec<CallRow> =
            (0..20).map(|place| row(&format!("{place}-{}", "<".repeat(40)), Some(1.0), Some(2.0))).collect();
        let bars = Bars::of(&rows).unwrap();
        let more = bars.lines().pop().unwrap();
        let page = page(Chart::Calls(bars));
        assert!(more.contains('4') && page.contains(&format!(">{more}</text>")), "{page}");
        assert!(page.contains(&format!(">0-{}…</text>", "&lt;".repeat(21))), "{page}");
    }
}
