//! The weights of matches. Whole numbers only, so that every machine ranks alike.

use super::pass::{File, Pass};
use super::words::{Match, Quality, Words};

/// A match in a name against one in a body.
const NAME: u64 = 3;

/// The weight of each word and part: the rarer, the more.
pub(super) struct Weights<'w> {
    words: &'w Words,
    /// Of each part.
    parts: Vec<u64>,
    /// Of each asked word of which no part counts by itself.
    whole: Vec<u64>,
}

impl<'w> Weights<'w> {
    /// Weighs by the number of files in which something occurs.
    pub fn of(words: &'w Words, pass: &Pass) -> Self {
        let holds = |file: &File, fits: &dyn Fn(&Match) -> bool| {
            let in_lines = || file.lines.iter().flat_map(|line| &line.matches).any(fits);
            file.name.iter().any(fits) || in_lines()
        };
        let weight = |fits: &dyn Fn(&Match) -> bool| {
            let files = pass.files.iter().filter(|file| holds(file, fits)).count();
            rarity(files as u64, pass.looked_at as u64)
        };
        let parts =
            (0..words.parts.len()).map(|place| weight(&|found| found.parts >> place & 1 == 1)).collect();
        let whole = (0..words.asked.len()).map(|asked| weight(&|found| found.asked == asked)).collect();
        Self { words, parts, whole }
    }

    /// The score of one match.
    pub fn one(&self, found: &Match) -> u64 {
        let parts = self.parts.iter().enumerate().filter(|(place, _)| found.parts >> place & 1 == 1);
        let parts: u64 = parts.map(|(_, weight)| *weight).sum();
        let weight = if found.parts == 0 { self.whole.get(found.asked).copied().unwrap_or(1) } else { parts };
        let quality = match found.quality {
            Quality::Loose => 1,
            Quality::Run => 6,
            Quality::Whole => 8,
        };
        weight * quality
    }

    /// The score of several matches in one line together.
    pub fn line(&self, matches: &[Match]) -> u64 {
        matches.iter().map(|found| self.one(found)).sum()
    }

    /// The score of a name and the lines below it: each word once, at its best, and all the more the more distinct
    /// words there are.
    pub fn unit<'m>(&self, name: &[Match], lines: impl IntoIterator<Item = &'m [Match]>) -> u64 {
        let mut best = vec![0_u64; self.words.asked.len()];
        let mut certain = vec![false; self.words.asked.len()];
        let mut raise = |found: &Match, worth: u64| {
            if let (Some(best), Some(certain)) = (best.get_mut(found.asked), certain.get_mut(found.asked)) {
                *best = (*best).max(worth);
                *certain |= found.quality > Quality::Loose;
            }
        };
        for found in name {
            raise(found, NAME * self.one(found));
        }
        let mut count = 0;
        for found in lines.into_iter().inspect(|_| count += 1).flatten() {
            raise(found, self.one(found));
        }
        let present = best.iter().filter(|best| **best > 0).count();
        let distinct = (present + certain.iter().filter(|certain| **certain).count()) as u64;
        let sum: u64 = best.iter().sum();
        // Many matching lines say a little more than one.
        sum * distinct * 8 + sum * distinct * u64::min(count, 8) / 2
    }
}

/// From 2 for what is in every file to about 4 + log2 of the number of files for what is in one.
fn rarity(with: u64, all: u64) -> u64 {
    let with = with.max(1);
    u64::from((16 * (all.max(with) + with) / with).ilog2()).saturating_sub(3)
}

#[cfg(test)]
mod tests {
    use super::rarity;

    #[test]
    fn what_is_rarer_weighs_more() {
        let check = |with, all, expect| assert_eq!(rarity(with, all), expect, "{with} of {all}");
        check(0, 0, 2);
        check(10, 10, 2);
        check(5, 10, 2);
        check(1, 10, 4);
        check(1, 1000, 10);
        check(100, 1000, 4);
    }
}
