//! What the code that an issue leads to consists of, and how much of it is shown.

/// Where a shown piece of code comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextSource {
    /// The issue names it.
    CodeReference,
    /// A function that shares words with the issue.
    FittingFunction,
    /// Code that an issue leads to calls it.
    Callee,
    /// It calls code that an issue leads to.
    Caller,
    /// A class that is named in the code that is shown.
    Class,
}

/// Limits of the code that an issue leads to. `cargo bench -- context` measures each of them.
#[derive(Clone, Copy, Debug)]
pub struct ContextOptions {
    /// Lines of code, without imports.
    pub lines: u32,
    /// Ranked pieces.
    pub pieces: usize,
    /// Lines of the first piece, the second and so on, the last number for all others; of a longer one a part is shown.
    pub piece_lines: &'static [u32],
    /// Lines that are left for classes, and of one of them at most.
    pub class_lines: u32,
    /// Where pieces come from.
    pub sources: &'static [ContextSource],
}

impl Default for ContextOptions {
    fn default() -> Self {
        const ALL: &[ContextSource] = &[
            ContextSource::CodeReference,
            ContextSource::FittingFunction,
            ContextSource::Callee,
            ContextSource::Caller,
            ContextSource::Class,
        ];
        Self { lines: 170, pieces: 30, piece_lines: &[40, 25, 15, 6], class_lines: 15, sources: ALL }
    }
}

impl ContextOptions {
    /// Whether pieces may come from this source.
    pub(super) fn has(&self, source: ContextSource) -> bool {
        self.sources.contains(&source)
    }
}
