//! How often each tool is called: two bars for each, one over the other.

use std::io::{self, Write};

use super::super::numbers::CallRow;
use super::bins::bar;
use super::svg::{Anchor, Svg, cut};
use super::{FIXED, UNFIXED};

const WIDTH: f64 = 435.0;
/// Where bars begin, and how long the longest is; what is left is for its number.
const LEFT: f64 = 182.0;
const LONGEST: f64 = 205.0;
/// The heights of a group of bars and of a bar.
const GROUP: f64 = 32.0;
const BAR: f64 = 13.0;
/// Groups that are drawn; the table has all.
const SHOWN: usize = 16;
/// Letters of a name that fit.
const NAME: usize = 24;
/// Letters of the longest bar in a terminal.
const LETTERS: u32 = 30;

/// How often each tool is called in a session, on average, the most frequent first.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    rows: Vec<CallRow>,
    /// Tools that are left out.
    more: usize,
    greatest: f64,
}

impl Bars {
    pub(super) fn of(calls: &[CallRow]) -> Option<Self> {
        let most = |row: &CallRow| row.fixed.unwrap_or(0.0).max(row.unfixed.unwrap_or(0.0));
        let mut rows: Vec<CallRow> = calls.iter().filter(|row| most(row) > 0.0).cloned().collect();
        rows.sort_by(|one, other| most(other).total_cmp(&most(one)));
        let greatest = rows.first().map(most)?;
        let more = rows.len().saturating_sub(SHOWN);
        rows.truncate(SHOWN);
        Some(Self { rows, more, greatest })
    }

    /// The bars of a tool: whose, and how often; none where there are no such cases.
    fn bars(row: &CallRow) -> impl Iterator<Item = ((&'static str, &'static str), f64)> {
        [(FIXED, row.fixed), (UNFIXED, row.unfixed)].into_iter().filter_map(|(who, mean)| Some((who, mean?)))
    }

    fn told(&self) -> String {
        let rows = self.rows.iter().map(|row| {
            let bars: Vec<String> =
                Self::bars(row).map(|((name, _), mean)| format!("{mean:.2} {name}")).collect();
            format!("{} {}", row.tool, bars.join(", "))
        });
        format!("Calls in a session, on average: {}", rows.collect::<Vec<_>>().join("; "))
    }

    fn left_out(&self) -> Option<String> {
        (self.more > 0).then(|| format!("and {} more in the table", self.more))
    }

    pub(super) fn html(&self, out: &mut dyn Write) -> io::Result<()> {
        let bottom = GROUP * self.rows.len() as f64;
        let room = if self.more > 0 { 18.0 } else { 0.0 };
        let mut svg = Svg::new(WIDTH, bottom + room, &self.told());
        for (place, row) in self.rows.iter().enumerate() {
            let top = GROUP * place as f64;
            svg.text((LEFT - 8.0, top + 19.0), "", Anchor::End, &cut(&row.tool, NAME));
            for (below, ((_, class), mean)) in Self::bars(row).enumerate() {
                let y = top + 2.0 + BAR * below as f64;
                let length = mean / self.greatest * LONGEST;
                svg.rect((LEFT, y), (length, BAR - 1.0), &format!("bar {class}"));
                svg.text((LEFT + length + 5.0, y + 10.0), "soft small", Anchor::Start, &format!("{mean:.2}"));
            }
        }
        svg.line((LEFT, 0.0), (LEFT, bottom), "grid");
        if let Some(text) = self.left_out() {
            svg.text((LEFT, bottom + 14.0), "soft", Anchor::Start, &text);
        }
        let keys = [FIXED, UNFIXED].map(|(name, class)| (name.to_owned(), class));
        svg.figure("Calls in a session", &keys, out)
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let name = |row: &CallRow| cut(&row.tool, NAME);
        let width = self.rows.iter().map(|row| name(row).chars().count()).max().unwrap_or(0);
        let mut lines = Vec::new();
        for row in &self.rows {
            for (place, ((who, _), mean)) in Self::bars(row).enumerate() {
                let tool = if place == 0 { name(row) } else { String::new() };
                let bar = bar(mean / self.greatest, LETTERS);
                lines.push(format!("{tool:<width$}  {who:<8}{bar} {mean:.2}"));
            }
        }
        lines.extend(self.left_out());
        lines
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
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
        let mut out = Vec::new();
        bars.html(&mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert_eq!(page.matches("<rect").count(), 3);
        assert!(page.contains(
            "<title>Calls in a session, on average: often 4.00 fixed; rare 0.00 fixed, 1.00 unfixed"
        ));
        assert!(page.contains("<span class=\"key two\">unfixed</span>"), "{page}");
    }

    #[test]
    fn many_tools_and_long_names_are_cut() {
        let rows: Vec<CallRow> =
            (0..20).map(|place| row(&format!("{place}-{}", "<".repeat(40)), Some(1.0), Some(2.0))).collect();
        let bars = Bars::of(&rows).unwrap();
        assert_eq!(bars.lines().last().unwrap(), "and 4 more in the table");
        let mut out = Vec::new();
        bars.html(&mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert!(page.contains(">and 4 more in the table</text>"));
        assert!(page.contains(&format!(">0-{}…</text>", "&lt;".repeat(21))), "{page}");
    }
}
