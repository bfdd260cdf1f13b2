//! The distribution of a measure over fixed and over unfixed cases: a shape as wide as there are many, with the quartiles in it.

use patchwright_protocol::counted;
use serde::Serialize;

use super::super::case_row::CaseRow;
use super::super::stats::Spread;
use super::super::units::Unit;
use super::axis::Axis;
use super::bins::{blocks, counts, outline};
use super::{FIXED, UNFIXED};

/// A measure over fixed and unfixed cases, on one axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Panel {
    title: &'static str,
    /// Round values along the axis: where, as parts of it, and as they are written.
    ticks: Vec<(f64, String)>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Row {
    name: &'static str,
    count: usize,
    /// The least, the quartiles and the greatest, as parts of the axis, and as they are written.
    at: [f64; 5],
    told: [String; 5],
    counts: Vec<u32>,
    /// The half of the shape: places along the axis and heights there, as parts of the greatest.
    outline: Vec<(f64, f64)>,
}

/// Time, tokens, cost and cycles, as far as they are known.
pub(super) fn panels(cases: &[CaseRow]) -> Vec<Panel> {
    let panel = |title, measure, value: fn(&CaseRow) -> Option<f64>| {
        let of = |counts: fn(&CaseRow) -> bool| -> Vec<f64> {
            cases.iter().filter(|case| counts(case)).filter_map(value).collect()
        };
        let (fixed, unfixed) = (of(CaseRow::is_solved), of(CaseRow::is_unfixed));
        // Without a model nothing costs anything: that is no distribution.
        let says = fixed.iter().chain(&unfixed).any(|value| *value > 0.0);
        says.then(|| Panel::of(title, Unit::of(measure), &fixed, &unfixed)).flatten()
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
        // What is no number has no place.
        let [fixed, unfixed] = [fixed, unfixed]
            .map(|values| values.iter().copied().filter(|value| value.is_finite()).collect::<Vec<f64>>());
        let greatest = fixed.iter().chain(&unfixed).copied().fold(0.0, f64::max);
        let axis = Axis::to(greatest, unit);
        let rows: Vec<Row> = [(FIXED, fixed), (UNFIXED, unfixed)]
            .into_iter()
            .filter_map(|(name, values)| Row::of(name, &values, unit, &axis))
            .collect();
        (!rows.is_empty()).then_some(Self { title, ticks: axis.ticks, rows })
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let range = match &self.ticks[..] {
            [(_, first), .., (_, last)] => format!("{first} to {last}"),
            [(_, only)] => format!("all {only}"),
            [] => String::new(),
        };
        let row = |Row { name, count, told, counts, .. }: &Row| {
            let (blocks, cases) = (blocks(counts), counted(*count as u64, "case"));
            format!("  {name:<8}|{blocks}| median {}, {cases}", told[2])
        };
        std::iter::once(format!("{}, {range}", self.title)).chain(self.rows.iter().map(row)).collect()
    }
}

impl Row {
    fn of(name: &'static str, values: &[f64], unit: Unit, axis: &Axis) -> Option<Self> {
        let Spread { count, least, lower, median, upper, greatest, .. } = Spread::of(values.iter().copied())?;
        let numbers = [least, lower, median, upper, greatest];
        let (at, told) = (numbers.map(|value| axis.part(value)), numbers.map(|value| unit.exact(value)));
        let counts = counts(values, axis);
        let outline = outline(&counts, at[0], at[4]);
        Some(Self { name, count, at, told, counts, outline })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{Chart, page};
    use super::*;

    fn shown(panel: &Panel) -> String {
        page(Chart::Spreads(vec![panel.clone()]))
    }

    #[test]
    fn a_panel_tells_what_it_shows_and_does_not_grow_with_the_values() {
        let of = |count: u32| {
            let values: Vec<f64> = (0..count).map(|place| f64::from(place % 100)).collect();
            Panel::of("Time", Unit::Seconds, &values, &[120.0, 125.0]).unwrap()
        };
        let page_of_many = shown(&of(100_000));
        assert!(page_of_many.len() < shown(&of(200)).len() + 200);
        for present in [
            "<title>Time: fixed, 100000 cases: median 0:49, half of them from 0:24 to 1:14, all from 0:00 to 1:39; unfixed, 2 cases: ",
            "<g class=\"fixed\"",
            "<g class=\"unfixed\"",
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
            let page = shown(&panel);
            assert_eq!(page.matches("class=\"dot\"").count(), marks, "{page}");
            assert_eq!(page.matches("<polygon").count(), shapes, "{page}");
            assert!(!page.contains("NaN") && !page.contains("unfixed ("), "{page}");
        };
        assert_eq!(Panel::of("Cost", Unit::Dollars, &[], &[]), None);
        check(&[0.5], 1, 0);
        check(&[0.5, 0.5, 0.5], 1, 0);
        check(&[0.0, 0.0], 1, 0);
        check(&[0.0, 0.5], 0, 1);
        check(&[f64::NAN, 0.5, f64::INFINITY], 1, 0);
        assert_eq!(Panel::of("Cost", Unit::Dollars, &[f64::NAN], &[]), None);
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
