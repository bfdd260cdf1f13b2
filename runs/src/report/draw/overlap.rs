//! The overlap of the cases that runs solve: circles for two and three runs, else a list of bars with a mark for each run.

use std::cmp::Reverse;

use serde::Serialize;

use super::super::compare::{Overlap, RunComparison};
use super::bins::bar;
use super::{cut, limit};

/// Regions that are drawn of many; the table has all.
const SHOWN: usize = 20;
/// Letters of a run's name, and of the longest bar, in a terminal.
const NAME: usize = 48;
const LETTERS: u32 = 30;

/// The number of cases that exactly these runs solve, the greatest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Regions {
    runs: Vec<Run>,
    rows: Vec<Overlap>,
    /// Of regions that are left out.
    more: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Run {
    letter: String,
    name: String,
    /// The number of cases that it solves.
    solved: u64,
}

impl Regions {
    pub(super) fn of(comparison: &RunComparison) -> Option<Self> {
        let mut regions = comparison.overlap.clone();
        // As before among those with as many cases.
        regions.sort_by_key(|region| Reverse(region.cases));
        let solved = |place: usize| {
            let of_run = regions.iter().filter(|region| region.runs.contains(&place));
            of_run.map(|region| region.cases).sum()
        };
        let run = |(place, name): (usize, &String)| Run {
            letter: letter(place),
            name: name.clone(),
            solved: solved(place),
        };
        let runs = comparison.runs.iter().enumerate().map(run).collect();
        let more = limit(&mut regions, SHOWN);
        (!regions.is_empty()).then_some(Self { runs, rows: regions, more })
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let letters =
            |region: &Overlap| region.runs.iter().map(|run| letter(*run)).collect::<Vec<_>>().join(" ");
        let width = self.rows.iter().map(|region| letters(region).chars().count()).max().unwrap_or(0);
        let greatest = self.rows.first().map_or(1, |region| region.cases.max(1)) as f64;
        let key =
            |Run { letter, name, solved }: &Run| format!("{letter}: {}, {solved} solved", cut(name, NAME));
        let row = |region: &Overlap| {
            let bar = bar(region.cases as f64 / greatest, LETTERS);
            format!("{:<width$}  {bar} {}", letters(region), region.cases)
        };
        let rows = self.rows.iter().map(row);
        self.runs.iter().map(key).chain(rows).chain(self.more.clone()).collect()
    }
}

/// A run's letter; its number where there are no more letters.
fn letter(run: usize) -> String {
    match u8::try_from(run) {
        Ok(place @ 0..26) => char::from(b'A' + place).to_string(),
        Ok(_) | Err(_) => (run + 1).to_string(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::Chart;
    use super::*;

    fn regions(runs: usize, overlap: &[(&[usize], u64)]) -> Option<Regions> {
        Regions::of(&RunComparison {
            differences: Vec::new(),
            runs: (0..runs).map(|run| format!("run <{run}>")).collect(),
            cases: Vec::new(),
            pairs: Vec::new(),
            overlap: overlap
                .iter()
                .map(|(runs, cases)| Overlap { runs: runs.to_vec(), cases: *cases })
                .collect(),
        })
    }

    fn page(regions: &Regions) -> String {
        super::super::page(Chart::Overlap(regions.clone()))
    }

    #[test]
    fn two_and_three_runs_are_circles_with_the_number_of_every_region() {
        assert_eq!(regions(2, &[]), None);
        let two = page(&regions(2, &[(&[0], 17), (&[0, 1], 5)]).unwrap());
        assert_eq!(two.matches("<circle").count(), 2);
        for present in [
            ">17</text>",
            ">5</text>",
            ">0</text>",
            "A: run &lt;0&gt;, 22 solved",
            "5 by run &lt;0&gt; and run &lt;1&gt;",
        ] {
            assert!(two.contains(present), "{present}\n{two}");
        }
        let three = page(&regions(3, &[(&[0], 11), (&[1, 2], 12), (&[0, 1, 2], 13)]).unwrap());
        assert_eq!((three.matches("<circle").count(), three.matches(">0</text>").count()), (3, 4));
    }

    #[test]
    fn more_runs_are_a_list_of_bars_the_most_first() {
        let four = regions(4, &[(&[3], 1), (&[0, 2], 8)]).unwrap();
        let shown = page(&four);
        assert_eq!((shown.matches("dot one").count(), shown.matches("dot off").count()), (3, 5));
        assert_eq!(
            four.lines(),
            [
                "A: run <0>, 8 solved".to_owned(),
                "B: run <1>, 0 solved".to_owned(),
                "C: run <2>, 8 solved".to_owned(),
                "D: run <3>, 1 solved".to_owned(),
                format!("A C  {} 8", "█".repeat(30)),
                format!("D    {}▊ 1", "█".repeat(3)),
            ]
        );
        let many: Vec<(Vec<usize>, u64)> = (0..30).map(|run| (vec![run], 1)).collect();
        let many: Vec<(&[usize], u64)> = many.iter().map(|(runs, cases)| (runs.as_slice(), *cases)).collect();
        let shown = page(&regions(30, &many).unwrap());
        let (shown, _) = shown.rsplit_once("</text>").unwrap();
        insta::assert_snapshot!(shown.rsplit_once('>').unwrap().1);
        assert_eq!((letter(25), letter(26)), ("Z".to_owned(), "27".to_owned()));
    }
}
