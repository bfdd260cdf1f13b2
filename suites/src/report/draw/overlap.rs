//! Which runs solve the same cases: circles for two and three runs, else a list of bars with a mark for each run.

use std::io::{self, Write};

use super::super::compare::Comparison;
use super::bins::bar;
use super::circles;
use super::svg::{Anchor, Svg, cut};

/// Regions that are drawn of many; the table has all.
const SHOWN: usize = 20;
/// Letters of the longest bar in a terminal.
const LETTERS: u32 = 30;
/// Columns and rows of the marks.
const COLUMN: f64 = 18.0;
const ROW: f64 = 20.0;
const LONGEST: f64 = 240.0;
/// Letters of a run's name that are shown.
const NAME: usize = 48;
const CLASSES: [&str; 3] = ["one", "two", "three"];

/// How many cases exactly these runs solve, the most first.
#[derive(Clone, Debug, PartialEq)]
pub struct Regions {
    /// The names of the runs, and how many cases each solves.
    runs: Vec<(String, u64)>,
    regions: Vec<(Vec<usize>, u64)>,
}

impl Regions {
    pub(super) fn of(comparison: &Comparison) -> Option<Self> {
        let mut regions: Vec<(Vec<usize>, u64)> =
            comparison.overlap.iter().map(|region| (region.runs.clone(), region.cases)).collect();
        // As before among those with as many cases.
        regions.sort_by_key(|(_, cases)| std::cmp::Reverse(*cases));
        let solved = |place: usize| {
            let of_run = regions.iter().filter(|(runs, _)| runs.contains(&place));
            of_run.map(|(_, cases)| cases).sum()
        };
        let runs =
            comparison.runs.iter().enumerate().map(|(place, name)| (name.clone(), solved(place))).collect();
        (!regions.is_empty()).then_some(Self { runs, regions })
    }

    /// How many cases exactly these runs solve.
    pub(super) fn cases(&self, runs: &[usize]) -> u64 {
        self.regions.iter().find(|region| region.0 == runs).map_or(0, |(_, cases)| *cases)
    }

    fn told(&self) -> String {
        let regions = self.shown().map(|(runs, cases)| {
            let names: Vec<&str> = runs.iter().map(|run| self.runs[*run].0.as_str()).collect();
            format!("{cases} by {}", names.join(" and "))
        });
        format!("Cases solved by exactly these runs: {}", regions.collect::<Vec<_>>().join("; "))
    }

    fn shown(&self) -> impl Iterator<Item = &(Vec<usize>, u64)> {
        self.regions.iter().take(SHOWN)
    }

    fn left_out(&self) -> Option<String> {
        let more = self.regions.len().saturating_sub(SHOWN);
        (more > 0).then(|| format!("and {more} more in the table"))
    }

    fn keys(&self) -> Vec<(String, &'static str)> {
        let coloured = self.runs.len() <= CLASSES.len();
        let key = |(place, (name, solved)): (usize, &(String, u64))| {
            let class = CLASSES.get(place).filter(|_| coloured).copied().unwrap_or("");
            (format!("{}: {}, {solved} solved", letter(place), cut(name, NAME)), class)
        };
        self.runs.iter().enumerate().map(key).collect()
    }

    pub(super) fn html(&self, out: &mut dyn Write) -> io::Result<()> {
        let svg = match self.runs.len() {
            2 => circles::two(self, &self.told()),
            3 => circles::three(self, &self.told()),
            _ => self.listed(),
        };
        svg.figure("Cases solved by", &self.keys(), out)
    }

    /// A row for each region: marks for its runs, and a bar.
    fn listed(&self) -> Svg {
        let left = COLUMN * self.runs.len() as f64 + 8.0;
        let count = self.shown().count();
        let bottom = ROW * (count + 1) as f64;
        let mut svg = Svg::new(left + LONGEST + 40.0, bottom + 18.0, &self.told());
        let column = |run: usize| COLUMN * (run as f64 + 0.5);
        for run in 0..self.runs.len() {
            svg.text((column(run), 14.0), "soft", Anchor::Middle, &letter(run));
        }
        for (place, (runs, cases)) in self.shown().enumerate() {
            let y = ROW * (place as f64 + 1.5);
            for run in 0..self.runs.len() {
                let class = if runs.contains(&run) { "dot one" } else { "dot off" };
                svg.circle((column(run), y), 5.0, class);
            }
            if let (Some(first), Some(last)) = (runs.first(), runs.last()) {
                svg.line((column(*first), y), (column(*last), y), "mark one");
            }
            let length = self.part(*cases) * LONGEST;
            svg.rect((left, y - 6.0), (length, 12.0), "bar one");
            svg.text((left + length + 5.0, y + 4.0), "", Anchor::Start, &cases.to_string());
        }
        if let Some(text) = self.left_out() {
            svg.text((left, bottom + 12.0), "soft", Anchor::Start, &text);
        }
        svg
    }

    /// As a part of the greatest region.
    fn part(&self, cases: u64) -> f64 {
        let greatest = self.regions.first().map_or(1, |(_, cases)| *cases);
        cases as f64 / greatest.max(1) as f64
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let name = |runs: &[usize]| runs.iter().map(|run| letter(*run)).collect::<Vec<_>>().join(" ");
        let width = self.shown().map(|(runs, _)| name(runs).chars().count()).max().unwrap_or(0);
        let keys = self.keys().into_iter().map(|(key, _)| key);
        let bars = self.shown().map(|(runs, cases)| {
            format!("{:<width$}  {} {cases}", name(runs), bar(self.part(*cases), LETTERS))
        });
        keys.chain(bars).chain(self.left_out()).collect()
    }
}

/// A run's letter; its number where there are no more letters.
pub(super) fn letter(run: usize) -> String {
    match u8::try_from(run) {
        Ok(place @ 0..26) => char::from(b'A' + place).to_string(),
        Ok(_) | Err(_) => (run + 1).to_string(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::super::compare::Overlap;
    use super::*;

    fn regions(runs: usize, overlap: &[(&[usize], u64)]) -> Option<Regions> {
        Regions::of(&Comparison {
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
        let mut out = Vec::new();
        regions.html(&mut out).unwrap();
        String::from_utf8(out).unwrap()
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
        assert!(page(&regions(30, &many).unwrap()).contains(">and 10 more in the table</text>"));
        assert_eq!((letter(25), letter(26)), ("Z".to_owned(), "27".to_owned()));
    }
}
