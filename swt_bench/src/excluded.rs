//! The official subsets: which cases count, and by how many the measures are divided.

use patchwright_swe_bench::Dataset;

/// Repositories, numbers, and letters of lists.
static EXCLUDED: &str = include_str!("../data/excluded.txt");

/// A set of cases by which aggregates are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subset {
    /// SWT-Bench-Lite: 276 of SWE-bench Lite's 300.
    Lite,
    /// SWT-Bench-Verified: 433 of SWE-bench Verified's 500.
    Verified,
    /// SWT-Bench: 1,983 of SWE-bench's 2,294.
    Full,
    /// The rows of a file that is none of these, as far as they are not excluded.
    Own,
}

impl Subset {
    /// All subsets.
    pub const ALL: [Self; 4] = [Self::Lite, Self::Verified, Self::Full, Self::Own];

    /// The subset that people call so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|subset| subset.name() == name)
    }

    /// `lite`, `verified`, `full`, `own`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lite => "lite",
            Self::Verified => "verified",
            Self::Full => "full",
            Self::Own => "own",
        }
    }

    /// The subset that a dataset is, by the number of its rows: the whole one of SWE-bench, or what is left of it.
    pub fn of(dataset: &Dataset) -> Self {
        let rows = dataset.rows().len();
        let is = |subset: &Self| subset.sizes().is_some_and(|(all, left)| rows == all || rows == left);
        Self::ALL.into_iter().find(is).unwrap_or(Self::Own)
    }

    /// The number of cases of SWE-bench, and of those that are left.
    fn sizes(self) -> Option<(usize, usize)> {
        let all = match self {
            Self::Lite => 300,
            Self::Verified => 500,
            Self::Full => 2294,
            Self::Own => return None,
        };
        Some((all, all - excluded().filter(|(_, _, lists)| self.has(lists)).count()))
    }

    fn has(self, lists: &str) -> bool {
        match self {
            Self::Lite => lists.contains('l'),
            Self::Verified => lists.contains('v'),
            Self::Full => lists.contains('f'),
            Self::Own => false,
        }
    }

    /// The number by which W, S, F→×, F→P and P→P are divided, however many predictions there are.
    ///
    /// Official place: `TOTAL_INSTANCE_MAP` in `src/report.py`.
    pub fn total(self, dataset: &Dataset) -> usize {
        let own = || dataset.rows().iter().filter(|row| counts(&row.instance_id)).count();
        self.sizes().map_or_else(own, |(_, left)| left)
    }
}

/// Is true if reports about a case are collected: no list of any subset has it. So two cases of Lite that only the list of Full has
/// never count, and stay below the line.
///
/// Official place: `_filter_cases` in `figures/util.py`, whose default is all lists.
pub fn counts(instance_id: &str) -> bool {
    let Some((repository, number)) = instance_id.rsplit_once('-') else { return true };
    !excluded().any(|(other, own, _)| other == repository && own == number)
}

/// Repository, number and lists of each excluded case.
fn excluded() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let lines = EXCLUDED.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| {
        let (repository, numbers) = line.split_once(' ').unwrap_or((line, ""));
        let parts = |word: &'static str| {
            word.split_at(word.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(word.len()))
        };
        numbers.split(' ').map(parts).map(move |(number, lists)| (repository, number, lists))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_the_official_ones() {
        let check = |subset: Subset, expect: Option<(usize, usize)>| assert_eq!(subset.sizes(), expect);
        check(Subset::Lite, Some((300, 276)));
        check(Subset::Verified, Some((500, 433)));
        check(Subset::Full, Some((2294, 1983)));
        check(Subset::Own, None);
        assert_eq!(excluded().count(), 338);
    }

    #[test]
    fn excluded_cases_are_known_by_their_ids() {
        let check = |id: &str, expect: bool| assert_eq!(counts(id), expect, "{id}");
        check("django__django-13658", false);
        check("astropy__astropy-7166", false);
        check("django__django-1", true);
        check("mine-1", true);
        check("mine", true);
    }
}
