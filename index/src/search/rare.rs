//! Words that stand in few files, or as such, so that common ones and parts of names do not bury these.

use std::collections::HashSet;

use super::pass::{File, Pass};
use super::words::{Match, Quality, Words};

/// Words that can be told apart, as bits.
const MOST_WORDS: usize = 64;

/// The rare ones of the words that are looked for.
pub(super) struct Rare {
    /// As bits, by their places among the words.
    words: u64,
}

impl Rare {
    /// Takes the words that stand as such in some files, and in at most `most` of them.
    pub fn of(files: &[File], most: usize) -> Self {
        let mut counts = [0_usize; MOST_WORDS];
        for file in files {
            let held = held(file);
            for (place, count) in counts.iter_mut().enumerate() {
                *count += usize::from(held >> place & 1 == 1);
            }
        }
        let is_rare = |count: &usize| (1..=most).contains(count);
        let rare = counts.iter().enumerate().filter(|(_, count)| is_rare(count));
        Self { words: rare.fold(0, |bits, (place, _)| bits | 1 << place) }
    }

    /// Those of the rare words that stand in a file or in its name, as bits.
    pub fn within(&self, file: &File) -> u64 {
        held(file) & self.words
    }
}

/// Is true if the name of a file is one of the words that no text has by chance: with a digit or an underscore in it.
pub(super) fn is_named(name: &[Match], words: &Words) -> bool {
    let coded = |found: &Match| {
        let asked = words.asked.get(found.asked);
        asked
            .is_some_and(|asked| asked.text.contains(|letter: char| letter.is_ascii_digit() || letter == '_'))
    };
    name.iter().any(|found| found.quality == Quality::Whole && coded(found))
}

/// Leaves out where only parts of a name stand that stands elsewhere as such.
pub(super) fn exact(mut pass: Pass, words: &Words) -> Pass {
    let all =
        pass.files.iter().flat_map(|file| file.lines.iter().flat_map(|line| &line.matches).chain(&file.name));
    let known: HashSet<usize> =
        all.filter(|found| found.quality == Quality::Whole).map(|found| found.asked).collect();
    let is_part = |found: &Match| {
        let asked = words.asked.get(found.asked);
        let all = asked
            .into_iter()
            .flat_map(|asked| asked.places.iter().flatten())
            .fold(0, |bits, place| bits | 1 << place);
        found.quality == Quality::Loose
            && found.parts != all
            && asked.is_some_and(|asked| asked.parts.len() > 1)
    };
    let counts = |found: &Match| !known.contains(&found.asked) || !is_part(found);
    for file in &mut pass.files {
        file.lines.iter_mut().for_each(|line| line.matches.retain(counts));
        file.lines.retain(|line| !line.matches.is_empty());
        file.name.retain(counts);
    }
    pass.files.retain(|file| !file.lines.is_empty() || !file.name.is_empty());
    pass
}

/// Puts what holds a rare word that nothing before it holds behind the first; all else keeps its order.
pub(super) fn first<T>(ranked: Vec<(u64, T)>) -> Vec<T> {
    let mut seen = ranked.first().map_or(0, |(words, _)| *words);
    let (mut kept, mut rest) = (Vec::new(), Vec::new());
    for (place, (words, one)) in ranked.into_iter().enumerate() {
        if place == 0 || words & !seen != 0 {
            seen |= words;
            kept.push(one);
        } else {
            rest.push(one);
        }
    }
    kept.extend(rest);
    kept
}

/// The words that stand as such in a file or in its name, as bits.
fn held(file: &File) -> u64 {
    let matches = file.lines.iter().flat_map(|line| &line.matches).chain(&file.name);
    let whole = matches.filter(|found| found.quality == Quality::Whole && found.asked < MOST_WORDS);
    whole.fold(0, |bits, found| bits | 1 << found.asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_a_word_of_its_own_comes_early() {
        let check = |given: &[(u64, char)], expect: &str| {
            assert_eq!(first(given.to_vec()).iter().collect::<String>(), expect);
        };
        check(&[], "");
        check(&[(0, 'a'), (0, 'b'), (1, 'c')], "acb");
        check(&[(3, 'a'), (1, 'b'), (2, 'c'), (4, 'd')], "adbc");
        check(&[(0, 'a'), (1, 'b'), (0, 'c'), (1, 'd'), (2, 'e')], "abecd");
    }
}
