//! A share of the cases of a run, for machines that work side by side.

use std::fmt;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use patchwright_lanes::own_files;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::budget::SpendingCap;
use super::files;

/// One of several shares of a run: `2/8`. Each is a run of its own, in a folder of its own beside the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Part {
    /// Its number, from 1.
    number: u32,
    /// The number of shares.
    of: u32,
}

/// The parts of a run that are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundParts {
    /// The number of all.
    pub of: u32,
    /// The numbers of those that are not there.
    pub missing: Vec<u32>,
}

impl fmt::Display for FoundParts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {}", self.of as usize - self.missing.len(), self.of)?;
        let missing: Vec<String> = self.missing.iter().map(u32::to_string).collect();
        if missing.is_empty() { Ok(()) } else { write!(formatter, "; not there: {}", missing.join(", ")) }
    }
}

/// A text that names no part.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no part: give I/N, the I-th of N, such as 2/8")]
pub struct NoPart(String);

impl Part {
    /// One of so many; none where there is no such one.
    pub fn new(number: u32, of: u32) -> Option<Self> {
        (1..=of).contains(&number).then_some(Self { number, of })
    }

    /// Its number, from 1.
    pub fn number(self) -> u32 {
        self.number
    }

    /// The number of shares.
    pub fn of(self) -> u32 {
        self.of
    }

    /// All of so many.
    pub fn all(of: u32) -> impl Iterator<Item = Self> {
        (1..=of).map(move |number| Self { number, of })
    }

    /// Its share of a list: every `of`-th. Neighbours are cases of one project, which take about as long, so that all shares do.
    pub fn share<T>(self, all: Vec<T>) -> Vec<T> {
        let is_own = |place: usize| place % self.of as usize == self.number as usize - 1;
        all.into_iter().enumerate().filter(|(place, _)| is_own(*place)).map(|(_, one)| one).collect()
    }

    /// The place in the whole list of what stands at `place` in its share.
    pub(super) fn place_in_all(self, place: usize) -> usize {
        place * self.of as usize + self.number as usize - 1
    }

    /// The name of its folder in that of the whole.
    pub fn folder_name(self) -> String {
        format!("part-{}-of-{}", self.number, self.of)
    }

    /// The part whose folder has this name.
    fn of_folder_name(name: &str) -> Option<Self> {
        let part: Self = name.strip_prefix("part-")?.replacen("-of-", "/", 1).parse().ok()?;
        // There is one name for each, not `part-02-of-8`.
        (part.folder_name() == name).then_some(part)
    }

    /// Its share of what the whole may spend. Time is no such thing: all parts have it at once.
    #[must_use]
    pub fn share_of_cap(self, whole: SpendingCap) -> SpendingCap {
        SpendingCap {
            usd: whole.usd.map(|usd| usd / f64::from(self.of)),
            tokens: whole.tokens.map(|tokens| tokens / u64::from(self.of)),
            seconds: whole.seconds,
        }
    }

    /// Its share of the questions a minute: one at least.
    pub fn share_of_requests(self, whole: NonZeroU32) -> NonZeroU32 {
        NonZeroU32::new(whole.get() / self.of).unwrap_or(NonZeroU32::MIN)
    }
}

/// Whether a folder holds a run of its own.
pub fn is_run(root: &Path) -> bool {
    root.join(own_files::RUN).is_file()
}

/// The folders of parts in that of the whole, in the order of their numbers; none where it is a run of its own, or there are none.
pub fn folders(root: &Path) -> Vec<(Part, PathBuf)> {
    if is_run(root) {
        return Vec::new();
    }
    let names = files::names(root);
    let parts = names.iter().filter_map(|name| Some((Part::of_folder_name(name)?, root.join(name))));
    let mut parts: Vec<(Part, PathBuf)> = parts.collect();
    parts.sort_by_key(|(part, _)| (part.of, part.number));
    parts
}

impl FromStr for Part {
    type Err = NoPart;

    fn from_str(text: &str) -> Result<Self, NoPart> {
        let wrong = || NoPart(text.to_owned());
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let count = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
        let (number, of) = (count(number)?, count(of)?);
        Self::new(number, of).ok_or_else(wrong)
    }
}

impl TryFrom<String> for Part {
    type Error = NoPart;

    fn try_from(text: String) -> Result<Self, NoPart> {
        text.parse()
    }
}

impl From<Part> for String {
    fn from(part: Part) -> Self {
        part.to_string()
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn part(text: &str) -> Part {
        text.parse().unwrap()
    }

    #[test]
    fn shares_are_all_and_none_twice() {
        let all: Vec<u32> = (0..11).collect();
        assert_eq!(part("2/3").share(all.clone()), [1, 4, 7, 10]);
        assert!(part("12/12").share(all.clone()).is_empty());
        let mut together: Vec<u32> =
            (1..=4).flat_map(|number| part(&format!("{number}/4")).share(all.clone())).collect();
        together.sort_unstable();
        assert_eq!(together, all);
        for number in 1..=4 {
            let part = part(&format!("{number}/4"));
            for (place, one) in part.share(all.clone()).into_iter().enumerate() {
                assert_eq!(part.place_in_all(place), one as usize);
            }
        }
    }

    #[test]
    fn a_part_is_named_by_its_number_and_that_of_all() {
        for wrong in ["0/4", "5/4", "4", "1/0", "a/b", "-1/4", "1/4/5", ""] {
            let told = wrong.parse::<Part>().unwrap_err().to_string();
            assert_eq!(told, format!("`{wrong}` is no part: give I/N, the I-th of N, such as 2/8"));
        }
        assert_eq!(Part::of_folder_name(&part("2/8").folder_name()), Some(part("2/8")));
        for wrong in ["part-9-of-8", "part-2", "part-2-of-8-old", "part-02-of-8", "cases"] {
            assert_eq!(Part::of_folder_name(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_the_whole_may_spend_is_shared_out() {
        let whole = SpendingCap { usd: Some(50.0), tokens: Some(1_000), seconds: Some(60.0) };
        let own = part("8/8").share_of_cap(whole);
        assert_eq!(own, SpendingCap { usd: Some(6.25), tokens: Some(125), seconds: Some(60.0) });
        let requests = |whole: u32| part("1/8").share_of_requests(NonZeroU32::new(whole).unwrap()).get();
        assert_eq!((requests(60), requests(3)), (7, 1));
    }
}
