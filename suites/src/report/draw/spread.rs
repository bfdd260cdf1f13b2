//! How a measure is spread over fixed and over unfixed cases: a shape as wide as there are many, with the quartiles in it.

use std::io::{self, Write};

use super::super::numbers::CaseRow;
use super::super::stats::Spread;
use super::super::units::Unit;
use super::axis::Axis;
use super::bins::{BINS, blocks, counts, smooth};
use super::svg::{Anchor, Svg};
use super::{FIXED, UNFIXED};
use crate::run::counted;

const WIDTH: f64 = 420.0;
/// Where the axis begins and ends.
const LEFT: f64 = 96.0;
const RIGHT: f64 = 396.0;
/// The height of a row, and half that of a shape.
const ROW: f64 = 58.0;
const HALF: f64 = 22.0;

/// A measure over fixed and unfixed cases, on one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    title: &'static str,
    unit: Unit,
    axis: Axis,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq)]
struct Row {
    name: &'static str,
    class: &'static str,
    spread: Spread,
    counts: Vec<u32>,
}

/// Time, tokens, cost and cycles, as far as they are known.
pub(super) fn panels(cases: &[CaseRow]) -> Vec<Panel> {
    let panel = |title, measure, value: fn(&CaseRow) -> Option<f64>| {
        let of = |counts: fn(&CaseRow) -> bool| -> Vec<f64> {
            cases.iter().filter(|case| counts(case)).filter_map(value).collect()
        };
        Panel::of(title, Unit::of(measure), &of(CaseRow::is_plausible), &of(CaseRow::is_unfixed))
    };
    [
        panel("Time", "seconds", |case| Some(case.seconds)),
        panel("Tokens", "tokens", |case| Some(case.tokens as f64)),
        panel("Cost", "usd", |case| case.usd),
        panel("Cycles", "cycles", |case| Some(f64::from(case.cycles))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl Panel {
    fn of(title: &'static str, unit: Unit, fixed: &[f64], unfixed: &[f64]) -> Option<Self> {
        let groups = [(FIXED, fixed), (UNFIXED, unfixed)];
        let greatest = fixed.iter().chain(unfixed).copied().fold(0.0, f64::max);
        let axis = Axis::to(greatest, unit);
        let rows: Vec<Row> = groups
            .into_iter()
            .filter_map(|((name, class), values)| {
                let spread = Spread::of(values.iter().copied())?;
                Some(Row { name, class, spread, counts: counts(values, &axis) })
            })
            .collect();
        (!rows.is_empty()).then_some(Self { title, unit, axis, rows })
    }

    /// In words.
    fn told(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(|row| row.told(self.unit)).collect();
        format!("{}: {}", self.title, rows.join("; "))
    }

    pub(super) fn html(&self, out: &mut dyn Write) -> io::Result<()> {
        let bottom = ROW * self.rows.len() as f64 + 4.0;
        let mut svg = Svg::new(WIDTH, bottom + 22.0, &self.told());
        for (value, shown) in &self.axis.ticks {
            let x = self.x(*value);
            svg.line((x, 4.0), (x, bottom), "grid");
            svg.text((x, bottom + 15.0), "soft", Anchor::Middle, shown);
        }
        for (place, row) in self.rows.iter().enumerate() {
            let middle = ROW * (place as f64 + 0.5) + 2.0;
            svg.text((0.0, middle - 2.0), "", Anchor::Start, &format!("{} ({})", row.name, row.spread.count));
            let median = format!("median {}", self.unit.exact(row.spread.median));
            svg.text((0.0, middle + 13.0), "soft small", Anchor::Start, &median);
            self.violin(row, middle, &mut svg);
        }
        svg.figure(self.title, &[], out)
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + self.axis.part(value) * (RIGHT - LEFT)
    }

    fn violin(&self, row: &Row, middle: f64, svg: &mut Svg) {
        let Spread { least, lower, median, upper, greatest, .. } = row.spread;
        let class = row.class;
        let at = |value: f64| self.x(value);
        // A shape of no width would be nothing: where all values are one, its mark alone is drawn.
        if greatest > least {
            svg.shape(&self.outline(row, middle), &format!("area {class}"));
            svg.line((at(least), middle), (at(greatest), middle), &format!("mark {class}"));
            svg.rect(
                (at(lower), middle - 5.0),
                ((at(upper) - at(lower)).max(1.0), 10.0),
                &format!("box {class}"),
            );
            svg.line((at(median), middle - 9.0), (at(median), middle + 9.0), &format!("median {class}"));
        } else {
            svg.circle((at(median), middle), 5.0, &format!("dot {class}"));
        }
    }

    /// The shape: above the middle from the least to the greatest, and back below.
    fn outline(&self, row: &Row, middle: f64) -> Vec<(f64, f64)> {
        let Spread { least, greatest, .. } = row.spread;
        let heights = smooth(&row.counts);
        let width = self.axis.top / BINS as f64;
        let inner = heights.iter().enumerate().filter_map(|(place, height)| {
            let centre = (place as f64 + 0.5) * width;
            (least < centre && centre < greatest).then_some((self.x(centre), height * HALF))
        });
        let ends = |value: f64| (self.x(value), heights[bin(value, width)] * HALF);
        let half: Vec<(f64, f64)> =
            std::iter::once(ends(least)).chain(inner).chain([ends(greatest)]).collect();
        let above = half.iter().map(|(x, height)| (*x, middle - height));
        let below = half.iter().rev().map(|(x, height)| (*x, middle + height));
        above.chain(below).collect()
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let ends: Vec<&str> = self.axis.ticks.iter().map(|(_, shown)| shown.as_str()).collect();
        let range = match ends[..] {
            [first, .., last] => format!("{first} to {last}"),
            [only] => format!("all {only}"),
            [] => String::new(),
        };
        let mut lines = vec![format!("{}, {range}", self.title)];
        for row in &self.rows {
            let (median, cases) = (self.unit.exact(row.spread.median), row.cases());
            lines.push(format!("  {:<8}|{}| median {median}, {cases}", row.name, blocks(&row.counts)));
        }
        lines
    }
}

/// The part of the axis that holds a value.
fn bin(value: f64, width: f64) -> usize {
    // Values are not negative.
    #[allow(clippy::cast_sign_loss)]
    let bin = (value / width) as usize;
    bin.min(BINS - 1)
}

impl Row {
    fn cases(&self) -> String {
        counted(self.spread.count as u64, "case")
    }

    fn told(&self, unit: Unit) -> String {
        let Spread { least, lower, median, upper, greatest, .. } = self.spread;
        let [least, lower, median, upper, greatest] =
            [least, lower, median, upper, greatest].map(|value| unit.exact(value));
        format!(
            "{}, {}: median {median}, half of them from {lower} to {upper}, all from {least} to {greatest}",
            self.name,
            self.cases()
        )
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn page(panel: &Panel) -> String {
        let mut out = Vec::new();
        panel.html(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_panel_tells_what_it_shows_and_does_not_grow_with_the_values() {
        let of = |count: u32| {
            let values: Vec<f64> = (0..count).map(|place| f64::from(place % 100)).collect();
            Panel::of("Time", Unit::Seconds, &values, &[120.0, 125.0]).unwrap()
        };
        let page_of_many = page(&of(100_000));
        assert!(page_of_many.len() < page(&of(200)).len() + 200);
        for present in [
            "<title>Time: fixed, 100000 cases: median 0:49, half of them from 0:24 to 1:14, all from 0:00 to 1:39; unfixed, 2 cases: ",
            "class=\"area one\"",
            "class=\"median two\"",
            ">fixed (100000)</text>",
            ">3:00</text>",
        ] {
            assert!(page_of_many.contains(present), "{present}\n{page_of_many}");
        }
        assert!(!page_of_many.contains("NaN") && !page_of_many.contains("inf"));
    }

    #[test]
    fn none_one_and_equal_values_are_drawn_as_what_they_are() {
        let check = |fixed: &[f64], marks: usize, shapes: usize| {
            let panel = Panel::of("Cost", Unit::Dollars, fixed, &[]).unwrap();
            let page = page(&panel);
            assert_eq!(page.matches("class=\"dot one\"").count(), marks, "{page}");
            assert_eq!(page.matches("<polygon").count(), shapes, "{page}");
            assert!(!page.contains("NaN") && !page.contains("unfixed"), "{page}");
        };
        assert_eq!(Panel::of("Cost", Unit::Dollars, &[], &[]), None);
        check(&[0.5], 1, 0);
        check(&[0.5, 0.5, 0.5], 1, 0);
        check(&[0.0, 0.0], 1, 0);
        check(&[0.0, 0.5], 0, 1);
        let free = Panel::of("Cost", Unit::Dollars, &[0.0], &[]).unwrap();
        let bar = format!("  fixed   |█{}| median $0.000, 1 case", " ".repeat(31));
        assert_eq!(free.lines(), ["Cost, all $0".to_owned(), bar]);
    }

    #[test]
    fn a_terminal_shows_blocks_on_one_axis() {
        let panel = Panel::of("Cycles", Unit::Count, &[1.0, 1.0, 39.0], &[40.0]).unwrap();
        let empty = " ".repeat(30);
        assert_eq!(
            panel.lines(),
            [
                "Cycles, 0 to 40".to_owned(),
                format!("  fixed   |█{empty}▄| median 1.0, 3 cases"),
                format!("  unfixed | {empty}█| median 40.0, 1 case"),
            ]
        );
    }
}
