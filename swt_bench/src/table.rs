//! Aggregates over the cases of a run, and the paper's table of methods.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::excluded::counts;
use crate::report::{CaseReport, RunReport};

/// The measures of a run in per cent, as the tables of the paper (arXiv 2406.12952, section 5) have them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Aggregates {
    /// W: predictions that leave the tests runnable.
    pub well_formed: f64,
    /// S: predictions that resolve their cases.
    pub resolved: f64,
    /// F→×: predictions with a test that fails before.
    pub fails_before: f64,
    /// F→P: predictions with a test that fails before and passes after.
    pub fail_to_pass: f64,
    /// P→P: predictions with a test that passes both times.
    pub pass_to_pass: f64,
    /// ΔC of all cases, of those that are resolved, and of the others; none where nothing was traced.
    pub delta: Option<[f64; 3]>,
    /// S with a strict look at failures, where it was asked for.
    pub strict: Option<f64>,
}

impl Aggregates {
    /// The names of the measures.
    const NAMES: [&str; 5] = ["W", "S", "F→×", "F→P", "P→P"];
    /// The names of the shares of coverage.
    const DELTAS: [&str; 3] = ["ΔC all", "ΔC S", "ΔC ¬S"];

    /// As JSON; the names are those of the table.
    pub fn json(&self) -> Value {
        let [all, resolved, others] = self.delta.map_or([None; 3], |delta| delta.map(Some));
        json!({
            "W": self.well_formed,
            "S": self.resolved,
            "F->X": self.fails_before,
            "F->P": self.fail_to_pass,
            "P->P": self.pass_to_pass,
            "coverage_delta_all": all,
            "coverage_delta_resolved": resolved,
            "coverage_delta_unresolved": others,
            "S_strict": self.strict,
        })
    }

    fn measures(&self) -> [f64; 5] {
        [self.well_formed, self.resolved, self.fails_before, self.fail_to_pass, self.pass_to_pass]
    }
}

impl RunReport {
    /// The measures of this run.
    ///
    /// Cases of any official list of exclusions do not count, and the number of the subset's cases is below the line however many
    /// predictions there are. ΔC of all cases is divided by the cases of a run of the golden tests whose golden patch can be covered, or,
    /// where there is none, by those of this run; that of resolved cases by those of them, and that of the others by the rest.
    ///
    /// Official place: `main` in `src/report.py` and the counts of `figures/util.py`.
    pub fn aggregates(&self) -> Aggregates {
        let cases: Vec<&CaseReport> = self.cases.iter().filter(|case| counts(&case.instance_id)).collect();
        let share = |count: usize| 100.0 * count as f64 / self.total.max(1) as f64;
        let count = |holds: &dyn Fn(&crate::Verdict) -> bool| {
            share(cases.iter().filter_map(|case| case.verdict()).filter(|verdict| holds(verdict)).count())
        };
        let measured = |resolved: bool| {
            let own = cases.iter().filter(move |case| case.resolved() == resolved);
            let deltas: Vec<f64> =
                own.filter_map(|case| case.coverage()).map(|coverage| coverage.delta_predicted).collect();
            // A sum of nothing is -0.
            (deltas.iter().sum::<f64>() + 0.0, deltas.len())
        };
        let ((of_resolved, resolved), (of_others, others)) = (measured(true), measured(false));
        let possible = self.possible.unwrap_or(resolved + others);
        let mean = |sum: f64, count: usize| if count > 0 { 100.0 * sum / count as f64 } else { 0.0 };
        // Where nothing was traced, as of scripts, nothing is known.
        let delta = (possible > 0 && resolved + others > 0).then(|| {
            [
                mean(of_resolved + of_others, possible),
                mean(of_resolved, resolved),
                mean(of_others, possible.saturating_sub(resolved)),
            ]
        });
        let strictly =
            |verdict: &crate::Verdict| verdict.strict.as_ref().is_some_and(|strict| strict.resolved);
        Aggregates {
            well_formed: count(&crate::Verdict::is_well_formed),
            resolved: count(&|verdict| verdict.added.resolved),
            fails_before: count(&|verdict| verdict.added.fails_before),
            fail_to_pass: count(&|verdict| verdict.added.fail_to_pass > 0),
            pass_to_pass: count(&|verdict| verdict.added.pass_to_pass),
            delta,
            strict: self.strict.then(|| count(&strictly)),
        }
    }
}

/// The form of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableForm {
    /// Columns of text.
    #[default]
    Text,
    /// Markdown.
    Markdown,
}

/// The table of methods: a row for each run, in per cent with one place behind the point.
pub fn table(reports: &[RunReport], form: TableForm) -> String {
    let strict = reports.iter().any(|report| report.strict);
    let mut head: Vec<&str> = vec!["Method"];
    head.extend(Aggregates::NAMES);
    head.extend(Aggregates::DELTAS);
    if strict {
        head.push("S strict");
    }
    let rows = reports.iter().map(|report| {
        let all = report.aggregates();
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"));
        let mut row = vec![report.model.clone()];
        row.extend(all.measures().map(|value| number(Some(value))));
        row.extend(all.delta.map_or([None; 3], |delta| delta.map(Some)).map(number));
        if strict {
            row.push(number(all.strict));
        }
        row
    });
    let head = head.into_iter().map(str::to_owned).collect();
    let lines: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    drawn(&lines, form)
}

/// Lines of cells, the first of which is the head, drawn with the first column to the left and the others to the right.
pub(crate) fn drawn(lines: &[Vec<String>], form: TableForm) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let cell = if form == TableForm::Markdown { cell.replace('|', "\\|") } else { cell.clone() };
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        let cells: Vec<String> = cells.collect();
        // Texts are only written to memory, which cannot fail.
        let _ = match form {
            TableForm::Text => writeln!(text, "{}", cells.join("  ").trim_end()),
            TableForm::Markdown => writeln!(text, "| {} |", cells.join(" | ")),
        };
        if index == 0 && form == TableForm::Markdown {
            let rule = widths.iter().enumerate().map(|(column, width)| {
                let dashes = "-".repeat((*width).max(3));
                if column == 0 { dashes } else { format!("{}:", &dashes[1..]) }
            });
            let _ = writeln!(text, "| {} |", rule.collect::<Vec<_>>().join(" | "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::ChangeCoverage;
    use crate::excluded::Subset;
    use crate::grade::Verdict;
    use crate::report::CaseOutcome;
    use crate::transitions::{Added, Transitions};

    fn case(id: &str, resolved: bool, delta: Option<f64>) -> CaseReport {
        let coverage =
            delta.map(|delta_predicted| ChangeCoverage { delta_predicted, ..ChangeCoverage::default() });
        let added =
            Added { resolved, fail_to_pass: usize::from(resolved), fails_before: true, ..Added::default() };
        let none = Transitions::default;
        let verdict =
            Verdict { added, predicted: none(), golden: none(), base: none(), coverage, strict: None };
        CaseReport { outcome: CaseOutcome::Graded(Box::new(verdict)), ..CaseReport::not_run(id) }
    }

    fn report(cases: Vec<CaseReport>, possible: Option<usize>) -> RunReport {
        RunReport {
            model: "some|model".to_owned(),
            run_id: "r".to_owned(),
            subset: Subset::Own,
            total: 4,
            possible,
            strict: false,
            cases,
            warnings: Vec::new(),
        }
    }

    #[test]
    fn shares_are_those_of_the_official_report() {
        let missing = CaseReport::not_run("a-4");
        let cases = || {
            vec![
                case("a-1", true, Some(1.0)),
                case("a-2", false, Some(0.5)),
                case("a-3", false, None),
                missing.clone(),
                // Excluded, so that it does not count anywhere.
                case("django__django-13658", true, Some(1.0)),
            ]
        };
        let check = |possible: Option<usize>, expect: [f64; 3]| {
            let found = report(cases(), possible).aggregates();
            assert_eq!(found.delta, Some(expect), "{possible:?}");
            assert_eq!(found.measures().map(|value| format!("{value}")), ["75", "25", "75", "25", "0"]);
        };
        check(None, [75.0, 100.0, 50.0]);
        check(Some(3), [50.0, 100.0, 25.0]);
        let untraced = report(vec![case("a-1", true, None)], Some(3));
        assert_eq!(untraced.aggregates().delta, None, "scripts are not traced");
    }

    #[test]
    fn tables_in_both_forms() {
        let reports = [report(vec![case("a-1", true, Some(1.0))], None)];
        let check = |form: TableForm, expect: &str| assert_eq!(table(&reports, form), expect);
        check(
            TableForm::Text,
            "Method         W     S   F→×   F→P  P→P  ΔC all   ΔC S  ΔC ¬S\nsome|model  25.0  25.0  25.0  25.0  0.0   100.0  100.0    0.0\n",
        );
        check(
            TableForm::Markdown,
            "| Method     |    W |    S |  F→× |  F→P | P→P | ΔC all |  ΔC S | ΔC ¬S |\n| ---------- | ---: | ---: | ---: | ---: | --: | -----: | ----: | ----: |\n| some\\|model | 25.0 | 25.0 | 25.0 | 25.0 | 0.0 |  100.0 | 100.0 |   0.0 |\n",
        );
    }
}
