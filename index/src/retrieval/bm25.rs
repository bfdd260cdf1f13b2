//! BM25 (Robertson and Zaragoza, 2009) over counted words.

use std::collections::HashMap;

use super::words::words;

/// The saturation of repeated words.
const K1: f64 = 1.2;

/// The weight of the length of a chunk.
const B: f64 = 0.75;

/// The words of some chunks, counted by one thread.
pub(super) struct Group {
    /// The terms of a word.
    of_word: fn(&str) -> Vec<String>,
    /// Numbers of terms, by the order in which they were met.
    terms: HashMap<String, u32>,
    /// The terms of words that were met.
    words: HashMap<String, Vec<u32>>,
    /// Of each chunk, how often it holds each of its terms.
    chunks: Vec<HashMap<u32, u32>>,
}

impl Group {
    /// No chunks, whose words are counted by these terms.
    pub fn of(of_word: fn(&str) -> Vec<String>) -> Self {
        Self { of_word, terms: HashMap::new(), words: HashMap::new(), chunks: Vec::new() }
    }

    /// Begins a chunk.
    pub fn begin(&mut self) {
        self.chunks.push(HashMap::new());
    }

    /// Counts the words of a text in the chunk begun last.
    pub fn add(&mut self, text: &str) {
        let Some(counts) = self.chunks.last_mut() else { return };
        for word in words(text) {
            if !self.words.contains_key(word) {
                let own = (self.of_word)(word).into_iter().map(|term| {
                    let next = u32::try_from(self.terms.len()).unwrap_or(u32::MAX);
                    *self.terms.entry(term).or_insert(next)
                });
                self.words.insert(word.to_owned(), own.collect());
            }
            for term in self.words.get(word).into_iter().flatten() {
                *counts.entry(*term).or_default() += 1;
            }
        }
    }
}

/// The places of each term, and the lengths of the chunks.
#[derive(Default)]
pub(super) struct Postings {
    /// Of each term, the chunks that hold it, and how often.
    terms: HashMap<String, Vec<(u32, u32)>>,
    lengths: Vec<f64>,
    average: f64,
}

impl Postings {
    /// Puts the groups together, their chunks in order.
    pub fn of(groups: Vec<Group>) -> Self {
        let mut postings = Self::default();
        for group in groups {
            let mut own: Vec<Vec<(u32, u32)>> = vec![Vec::new(); group.terms.len()];
            for counts in group.chunks {
                let chunk = u32::try_from(postings.lengths.len()).unwrap_or(u32::MAX);
                postings.lengths.push(f64::from(counts.values().sum::<u32>()));
                for (term, count) in counts {
                    own[term as usize].push((chunk, count));
                }
            }
            for (term, number) in group.terms {
                let found = std::mem::take(&mut own[number as usize]);
                postings.terms.entry(term).or_default().extend(found);
            }
        }
        postings.average = postings.lengths.iter().sum::<f64>() / postings.lengths.len().max(1) as f64;
        postings
    }

    /// The score of every chunk.
    pub fn scores(&self, query: &HashMap<String, f64>) -> Vec<f64> {
        let mut scores = vec![0.0; self.lengths.len()];
        // Sums of fractions depend on their order.
        let mut terms: Vec<(&String, &f64)> = query.iter().collect();
        terms.sort_by_key(|(term, _)| *term);
        for (term, weight) in terms {
            let Some(found) = self.terms.get(term) else { continue };
            let with = found.len() as f64;
            let rarity = (1.0 + (self.lengths.len() as f64 - with + 0.5) / (with + 0.5)).ln();
            for (chunk, count) in found {
                let (chunk, count) = (*chunk as usize, f64::from(*count));
                let length = 1.0 - B + B * self.lengths[chunk] / self.average;
                scores[chunk] += weight * rarity * count * (K1 + 1.0) / (count + K1 * length);
            }
        }
        scores
    }
}
