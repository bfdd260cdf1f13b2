//! The selection of the cases of a suite that a run takes, and their order.

use std::collections::{BTreeMap, HashSet};

use patchwright_suites::Case;
use patchwright_syntax::similarity::by_beginning;
use regex::Regex;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::part::Part;

/// The number of ids that an error names.
const SHOWN: usize = 5;

/// The cases of a suite that a run takes. Applied in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Selection {
    /// These ids, in this order; all where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// A regular expression that an id must match somewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// The seed of a shuffled order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shuffle: Option<u64>,
    /// `A:B` as Python slices: either may be missing or negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slice: Option<String>,
    /// The share of what is left that this run takes, once it stands in its order ([`Selection::own`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
}

/// A selection that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SelectionError {
    /// The suite has no case at all.
    #[error("the suite holds no case; look at its file or folder")]
    EmptySuite,
    /// Ids that the suite does not have.
    #[error("the suite has no case {}{}", list(unknown), near(nearest))]
    Unknown {
        /// The ids.
        unknown: Vec<String>,
        /// Ids of the suite that look like them.
        nearest: Vec<String>,
    },
    /// The filter is no regular expression.
    #[error("--filter {filter}: {message}")]
    Filter {
        /// The filter.
        filter: String,
        /// The mistake in it.
        message: String,
    },
    /// The slice cannot be read.
    #[error("--slice {slice}: give A:B as in Python, such as 0:50, :10 or -20:")]
    Slice {
        /// The slice.
        slice: String,
    },
    /// There are more parts than cases.
    #[error("--part {part}: there are more parts than cases; give at most {count} parts")]
    TooManyParts {
        /// The part.
        part: Part,
        /// The number of cases.
        count: usize,
    },
    /// Nothing is left.
    #[error("{option} leaves none of {count} cases{}", near(nearest))]
    Nothing {
        /// The option that left nothing, with its value.
        option: String,
        /// The number of cases before it.
        count: usize,
        /// Ids of the suite that look like what was asked for.
        nearest: Vec<String>,
    },
}

fn list(ids: &[String]) -> String {
    let more = ids.len().saturating_sub(SHOWN);
    let shown: Vec<String> = ids.iter().take(SHOWN).map(|id| format!("`{id}`")).collect();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", shown.join(", "))
}

fn near(ids: &[String]) -> String {
    if ids.is_empty() { String::new() } else { format!("; near are {}", list(ids)) }
}

impl Selection {
    /// The cases that are meant, in the order in which they were asked for: those of all parts.
    ///
    /// # Errors
    /// When it cannot be read or leaves nothing; the message lists ids that are near.
    pub fn pick<'a>(&self, cases: &'a [Case]) -> Result<Vec<&'a Case>, SelectionError> {
        if cases.is_empty() {
            return Err(SelectionError::EmptySuite);
        }
        let mut picked = self.named(cases)?;
        if let Some(filter) = &self.filter {
            let regex = Regex::new(filter).map_err(|error| SelectionError::Filter {
                filter: filter.clone(),
                message: error.to_string(),
            })?;
            let count = picked.len();
            let all = picked.clone();
            picked.retain(|case| regex.is_match(&case.id));
            if picked.is_empty() {
                let option = format!("--filter {filter}");
                return Err(SelectionError::Nothing { option, count, nearest: nearest(filter, &all) });
            }
        }
        if let Some(seed) = self.shuffle {
            shuffle(&mut picked, seed);
        }
        if let Some(slice) = &self.slice {
            let count = picked.len();
            let (from, to) = bounds(slice, count)?;
            picked = picked[from..to].to_vec();
            if picked.is_empty() {
                let option = format!("--slice {slice}");
                return Err(SelectionError::Nothing { option, count, nearest: Vec::new() });
            }
        }
        Ok(picked)
    }

    /// The share of the part among the cases that are meant, in the order in which they are tried.
    ///
    /// # Errors
    /// When there are more parts than cases.
    pub fn own<'a>(&self, picked: Vec<&'a Case>) -> Result<Vec<&'a Case>, SelectionError> {
        let Some(part) = self.part else { return Ok(picked) };
        let count = picked.len();
        // All parts are refused, or the whole would never be complete.
        if part.of() as usize > count {
            return Err(SelectionError::TooManyParts { part, count });
        }
        Ok(part.share(picked))
    }

    fn named<'a>(&self, cases: &'a [Case]) -> Result<Vec<&'a Case>, SelectionError> {
        if self.ids.is_empty() {
            return Ok(cases.iter().collect());
        }
        let all: Vec<&Case> = cases.iter().collect();
        let mut seen = HashSet::new();
        let wanted: Vec<&String> = self.ids.iter().filter(|id| seen.insert(id.as_str())).collect();
        let by_id: BTreeMap<&str, &Case> = cases.iter().map(|case| (case.id.as_str(), case)).collect();
        let unknown: Vec<String> =
            wanted.iter().filter(|id| !by_id.contains_key(id.as_str())).map(|id| (*id).clone()).collect();
        if let Some(first) = unknown.first() {
            let nearest = nearest(first, &all);
            return Err(SelectionError::Unknown { unknown, nearest });
        }
        Ok(wanted.iter().filter_map(|id| by_id.get(id.as_str()).copied()).collect())
    }
}

/// The ids that look most like `wanted`.
fn nearest(wanted: &str, cases: &[&Case]) -> Vec<String> {
    let plain: String = wanted.chars().filter(|letter| !"^$\\()[]*+?|.{}".contains(*letter)).collect();
    let plain = plain.to_lowercase();
    let mut ranked: Vec<(f64, &str)> = cases
        .iter()
        .map(|case| {
            let id = case.id.to_lowercase();
            let held = if !plain.is_empty() && id.contains(&plain) { 1.0 } else { 0.0 };
            (held + by_beginning(&plain, &id), case.id.as_str())
        })
        .filter(|(likeness, _)| *likeness > 0.6)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    ranked.into_iter().take(SHOWN).map(|(_, id)| id.to_owned()).collect()
}

/// Sorts by the BLAKE3 hash of the seed (decimal), a line feed and the id. So a shuffled order depends on nothing but
/// seed and ids: not on the suite's order, the machine, a library's generator, or which other cases there are.
fn shuffle(cases: &mut [&Case], seed: u64) {
    cases.sort_by_cached_key(|case| *blake3::hash(format!("{seed}\n{}", case.id).as_bytes()).as_bytes());
}

/// The range that a Python slice means in a list of `count`.
fn bounds(slice: &str, count: usize) -> Result<(usize, usize), SelectionError> {
    let wrong = || SelectionError::Slice { slice: slice.to_owned() };
    let (from, to) = slice.trim().split_once(':').ok_or_else(wrong)?;
    let place = |text: &str, missing: usize| match text.trim() {
        "" => Ok(missing),
        text => {
            let number: i64 = text.parse().map_err(|_| wrong())?;
            let distance = usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX);
            Ok(if number < 0 { count.saturating_sub(distance) } else { distance.min(count) })
        }
    };
    let (from, to) = (place(from, 0)?, place(to, count)?);
    Ok((from, to.max(from)))
}

/// The cases in an order that reuses what they share (an image, a project's repository): grouped by `key`, groups in
/// the order of their first case, cases of a group in their own order.
pub fn grouped(cases: Vec<&Case>, key: impl Fn(&Case) -> String) -> Vec<&Case> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut keyed: Vec<(usize, &Case)> = cases
        .into_iter()
        .map(|case| {
            let next = places.len();
            (*places.entry(key(case)).or_insert(next), case)
        })
        .collect();
    keyed.sort_by_key(|(group, _)| *group);
    keyed.into_iter().map(|(_, case)| case).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use patchwright_suites::Truth;

    fn cases() -> Vec<Case> {
        ["Lang-1", "Lang-33", "Csv-1", "Lang-6", "Csv-4"]
            .into_iter()
            .map(|id| Case {
                id: id.to_owned(),
                project: id.split('-').next().unwrap_or_default().to_owned(),
                truth: Truth::default(),
            })
            .collect()
    }

    fn ids(cases: &[&Case]) -> Vec<String> {
        cases.iter().map(|case| case.id.clone()).collect()
    }

    fn check(selection: &Selection, expect: Result<&[&str], &str>) {
        match (selection.pick(&cases()), expect) {
            (Ok(found), Ok(expect)) => assert_eq!(ids(&found), expect, "{selection:?}"),
            (Err(error), Err(expect)) => assert_eq!(error.to_string(), expect, "{selection:?}"),
            (found, expect) => assert_eq!(format!("{found:?}"), format!("{expect:?}"), "{selection:?}"),
        }
    }

    #[test]
    fn slices_are_pythons() {
        let check = |slice: &str, expect: Result<&[&str], &str>| {
            check(&Selection { slice: Some(slice.to_owned()), ..Selection::default() }, expect);
        };
        check("0:2", Ok(&["Lang-1", "Lang-33"]));
        check(":1", Ok(&["Lang-1"]));
        check("-2:", Ok(&["Lang-6", "Csv-4"]));
        check("1:-3", Ok(&["Lang-33"]));
        check("3:99999999999", Ok(&["Lang-6", "Csv-4"]));
        check("4:2", Err("--slice 4:2 leaves none of 5 cases"));
        check("7", Err("--slice 7: give A:B as in Python, such as 0:50, :10 or -20:"));
        check("a:b", Err("--slice a:b: give A:B as in Python, such as 0:50, :10 or -20:"));
    }

    #[test]
    fn a_filter_that_matches_nothing_lists_near_ids() {
        let check = |filter: &str, expect: Result<&[&str], &str>| {
            check(&Selection { filter: Some(filter.to_owned()), ..Selection::default() }, expect);
        };
        check("^Csv", Ok(&["Csv-1", "Csv-4"]));
        check("3$", Ok(&["Lang-33"]));
        check("^lang", Err("--filter ^lang leaves none of 5 cases; near are `Lang-1`, `Lang-6`, `Lang-33`"));
        check("zzz", Err("--filter zzz leaves none of 5 cases"));
        for times in [1, 10] {
            let long = format!("Lang{}", "y".repeat(times * 1_000));
            check(&long, Err(&format!("--filter {long} leaves none of 5 cases")));
        }
        let selection = Selection { filter: Some("(".into()), ..Selection::default() };
        assert!(
            selection.pick(&cases()).unwrap_err().to_string().starts_with("--filter (: regex parse error")
        );
    }

    #[test]
    fn given_ids_keep_their_order_and_must_exist() {
        let check = |ids: &[&str], expect: Result<&[&str], &str>| {
            let ids = ids.iter().map(|id| (*id).to_owned()).collect();
            check(&Selection { ids, ..Selection::default() }, expect);
        };
        check(&["Csv-4", "Lang-1", "Csv-4"], Ok(&["Csv-4", "Lang-1"]));
        check(&["Lang-7"], Err("the suite has no case `Lang-7`; near are `Lang-1`, `Lang-6`, `Lang-33`"));
        assert_eq!(Selection::default().pick(&[]), Err(SelectionError::EmptySuite));
    }

    #[test]
    fn a_shuffled_order_is_the_same_for_ever_and_does_not_depend_on_the_other_cases() {
        let shuffled = |seed| Selection { shuffle: Some(seed), ..Selection::default() };
        check(&shuffled(1), Ok(&["Csv-1", "Csv-4", "Lang-33", "Lang-1", "Lang-6"]));
        check(&shuffled(3), Ok(&["Lang-6", "Lang-1", "Lang-33", "Csv-1", "Csv-4"]));
        let few = Selection { filter: Some("Lang".into()), ..shuffled(1) };
        check(&few, Ok(&["Lang-33", "Lang-1", "Lang-6"]));
    }

    #[test]
    fn cases_are_grouped_in_the_order_of_first_appearance() {
        let cases = cases();
        let found = grouped(cases.iter().collect(), |case| case.project.clone());
        assert_eq!(ids(&found), ["Lang-1", "Lang-33", "Lang-6", "Csv-1", "Csv-4"]);
    }
}
