//! Which files are nearest to the bug in meaning, as an embedding model sees it.

use std::sync::Arc;
use std::time::Instant;

use patchwright_llm::{Embedder, Prices, by_cosine};
use patchwright_prompts::estimate_tokens;
use patchwright_protocol::Usage;
use patchwright_session::{DriverError, Stages, Stop, WaitCategory, recorded_finding};
use patchwright_trajectory::{Event, Log};

use super::files::{Files, STAGE};
use super::map::RepositoryMap;

/// Bytes of the bug's description that are looked for: services take some thousand tokens of one text.
const QUERY_BYTES: usize = 16_000;

/// Who ranks files by meaning.
#[derive(Clone, Default)]
pub enum EmbeddingRanker {
    /// Nobody.
    #[default]
    Unasked,
    /// An embedding model, with the prices of such models.
    Model(Arc<dyn Embedder>, Prices),
    /// A recorded session, which found these files, the nearest first.
    Recorded(Vec<String>),
}

impl EmbeddingRanker {
    /// What a recorded session was told by its embedding model.
    pub fn of(log: &Log) -> Self {
        let found = recorded_finding(log, STAGE);
        found.map_or(Self::Unasked, |files: Files| Self::Recorded(files.by_meaning))
    }

    /// Is true if anybody ranks.
    pub(super) fn is_asked(&self) -> bool {
        match self {
            Self::Unasked => false,
            Self::Model(_, _) => true,
            Self::Recorded(files) => !files.is_empty(),
        }
    }

    /// The files of a map that are wanted, those nearest to the bug first; the vectors are booked as what they are, tokens.
    pub(super) async fn rank(
        &self,
        stages: &mut Stages,
        map: &RepositoryMap,
        query: &str,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, Stop> {
        let (embedder, prices) = match self {
            Self::Unasked => return Ok(Vec::new()),
            Self::Recorded(files) => return Ok(files.iter().filter(|file| wanted(file)).cloned().collect()),
            Self::Model(embedder, prices) => (embedder, prices),
        };
        let (paths, mut texts): (Vec<String>, Vec<String>) =
            map.pieces().filter(|(path, _)| wanted(path)).unzip();
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        texts.push(head(query, QUERY_BYTES).to_owned());
        let tokens = texts.iter().map(|text| estimate_tokens(text) as u64).sum();
        let worst = Usage { input: tokens, ..Usage::default() };
        stages.context.budget.reserve(worst, prices.cost(embedder.name(), &worst))?;
        let asked = Instant::now();
        let redactor = stages.context.journal.redactor();
        let texts: Vec<String> = texts.iter().map(|text| redactor.text(text)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let answer = embedder.embed(&texts).await.map_err(|error| Stop::Driver(DriverError::Model(error)))?;
        // A service that does not count is booked with the estimate; what was kept from before costs nothing.
        let usage = answer.usage.unwrap_or(worst);
        let cost = if usage.input == 0 { Some(0.0) } else { prices.cost(embedder.name(), &usage) };
        stages.context.budget.book(&usage, cost);
        stages.context.budget.wait(WaitCategory::Model, asked.elapsed().as_secs_f64());
        let told = format!("{} vectors of {}, {} tokens", texts.len(), embedder.name(), usage.input);
        stages.context.journal.record(Event::info(told))?;
        let Some((query, vectors)) = answer.vectors.split_last() else { return Ok(Vec::new()) };
        let mut ranked: Vec<String> = Vec::new();
        for (place, _) in by_cosine(query, vectors) {
            if let Some(path) = paths.get(place).filter(|path| !ranked.contains(path)) {
                ranked.push(path.clone());
            }
        }
        Ok(ranked)
    }
}

/// The beginning of a text, at most so many bytes.
fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}
