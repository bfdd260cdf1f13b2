//! Finding the code that a text is about: BM25 over pieces of files. No network, no model.

mod blocks;
mod bm25;
mod chunks;
mod functions;
mod fusion;
mod query;
#[cfg(test)]
mod tests;
mod words;

use patchwright_syntax::{ProjectPath, Span, parallel};
use serde::Serialize;

pub use functions::{FittingFunction, fitting_functions, fitting_part};
pub use fusion::{FUSION_K, fuse};
pub use query::Query;
pub(crate) use words::is_identifier;

use self::bm25::Postings;
use crate::index::{Index, IndexedFile};

/// Options of a [`Retrieval`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RetrievalOptions {
    /// The most tokens of a chunk, as they are estimated.
    pub chunk_tokens: usize,
    /// Tokens that a chunk shares with the one before it.
    pub overlap_tokens: usize,
    /// Is true if test code is looked through.
    pub tests: bool,
}

impl Default for RetrievalOptions {
    /// Chunks of 512 tokens without overlap, no tests.
    fn default() -> Self {
        Self { chunk_tokens: 512, overlap_tokens: 0, tests: false }
    }
}

/// A piece of a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Chunk {
    /// The file.
    pub path: ProjectPath,
    /// Its lines.
    pub lines: Span,
}

/// The findings of a search, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Retrieved {
    /// Chunks with their scores.
    pub chunks: Vec<(Chunk, f64)>,
    /// Files with their scores.
    pub files: Vec<(ProjectPath, f64)>,
}

/// The chunks of a project, ready to be searched.
pub struct Retrieval {
    chunks: Vec<Chunk>,
    postings: Postings,
}

/// The gain of a file for each part of its path that the text names, as a share of its score.
const NAMED: f64 = 0.5;

/// The share of the score of a file's further chunks that counts, each less than the one before.
const FURTHER: f64 = 0.3;

/// Groups of files for each thread: enough that none waits long for another, few enough that words are met again.
const GROUPS: usize = 8;

/// Chunks of some files, with their words.
struct Counted {
    chunks: Vec<Chunk>,
    words: bm25::Group,
}

impl Counted {
    /// Begins a chunk that holds the words of its lines, but for those that are `left_out`, and of the path of its file.
    fn begin(&mut self, file: &IndexedFile, lines: &[&str], span: Span, left_out: Option<Span>) {
        self.words.begin();
        self.words.add(file.path.without_extension());
        let is_counted = |number: &u32| left_out.is_none_or(|left_out| !left_out.contains(*number));
        let rows =
            (span.first..=span.last).filter(is_counted).filter_map(|number| lines.get(number as usize - 1));
        rows.for_each(|line| self.words.add(line));
        self.chunks.push(Chunk { path: file.path.clone(), lines: span });
    }
}

/// Cuts files into chunks, by `cut`, and counts their words, in parallel. Files that cannot be read any more are left out.
fn counted(
    files: &[&IndexedFile],
    of_word: fn(&str) -> Vec<String>,
    cut: impl Fn(&IndexedFile, &[&str], &mut Counted) + Sync,
) -> (Vec<Chunk>, Postings) {
    let size = files.len().div_ceil(parallel::threads() * GROUPS).max(1);
    let groups: Vec<&[&IndexedFile]> = files.chunks(size).collect();
    let counted = parallel::over(&groups, |files| {
        let mut counted = Counted { chunks: Vec::new(), words: bm25::Group::of(of_word) };
        for file in *files {
            if let Some(source) = file.source() {
                cut(file, &source.lines(), &mut counted);
            }
        }
        (counted.chunks, counted.words)
    });
    let (chunks, groups): (Vec<Vec<Chunk>>, Vec<bm25::Group>) = counted.into_iter().unzip();
    (chunks.concat(), Postings::of(groups))
}

impl Retrieval {
    /// Cuts the files of an index into chunks and counts their words, in parallel. Files that cannot be read any more are left
    /// out.
    pub fn build(index: &Index, options: RetrievalOptions) -> Self {
        let files: Vec<&IndexedFile> = index.files().filter(|file| options.tests || !file.test).collect();
        let (chunks, postings) = counted(&files, words::terms, |file, lines, group| {
            let blocks = blocks::blocks(file.language, lines);
            let boundaries: Vec<_> = blocks.iter().map(|block| (block.lines.first, block.depth)).collect();
            for span in chunks::cut(lines, &boundaries, options.chunk_tokens, options.overlap_tokens) {
                let around = blocks::around(&blocks, span.first).map(|block| block.name);
                group.begin(file, lines, span, None);
                around.for_each(|name| group.words.add(name));
            }
        });
        Self { chunks, postings }
    }

    /// The chunks, in the order of files and lines.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Ranks the chunks and files that share a word with the query. A file is worth its best chunk, a smaller share of each
    /// further one, and more if the query names it. Equal scores keep the order of files and lines.
    pub fn search(&self, query: &Query) -> Retrieved {
        let scored = self.chunks.iter().zip(self.postings.scores(&query.terms));
        let mut chunks: Vec<(&Chunk, f64)> = scored.filter(|(_, score)| *score > 0.0).collect();
        let mut files: Vec<(ProjectPath, f64)> = Vec::new();
        for of_file in chunks.chunk_by(|left, right| left.0.path == right.0.path) {
            let Some(path) = of_file.first().map(|(chunk, _)| chunk.path.clone()) else { continue };
            let mut scores: Vec<f64> = of_file.iter().map(|(_, score)| *score).collect();
            scores.sort_by(|left, right| right.total_cmp(left));
            let shares = std::iter::successors(Some(1.0), |share| Some(share * FURTHER));
            let content: f64 = scores.iter().zip(shares).map(|(score, share)| score * share).sum();
            let named = query.names(path.without_extension()) as f64;
            files.push((path, content * (1.0 + NAMED * named)));
        }
        files.sort_by(|left, right| right.1.total_cmp(&left.1));
        chunks.sort_by(|left, right| right.1.total_cmp(&left.1));
        Retrieved { chunks: chunks.into_iter().map(|(chunk, score)| (chunk.clone(), score)).collect(), files }
    }
}
