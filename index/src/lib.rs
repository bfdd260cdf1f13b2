//! A project looked through: its [`Index`], [`Retrieval`] by words, [`search`](search()), [`similar_calls`](similar_calls()),
//! [`test_code`](test_code()), [`near_tests`](near_tests()) and [`tests_outward`](tests_outward()).

mod docstring;
mod excerpt;
mod import_distance;
mod index;
mod mentions;
mod near_tests;
mod quoted_messages;
mod reported_environment;
mod retrieval;
mod search;
mod similar_calls;
mod test_code;

pub use docstring::docstring;
pub use excerpt::{GAP, excerpt, excerpt_with, has_words};
pub use import_distance::tests_outward;
pub use index::{
    Element, ElementKind, Index, IndexProblem, IndexedFile, Location, ResolvedLocations, TreeOptions,
    UnresolvedLocation, windows,
};
pub use mentions::{Mention, mentions, names_in};
pub use near_tests::{NearTest, TestSubject, is_named_for, near_tests};
pub use retrieval::{
    Chunk, FUSION_K, FittingFunction, Query, Retrieval, RetrievalOptions, Retrieved, fitting_functions,
    fitting_part, fuse,
};
pub use search::{ClassHits, FileHits, MethodHits, Omitted, SearchCap, SearchError, SearchResult, search};
pub use similar_calls::{Scope, SimilarCalls, SimilarCallsError, similar_calls};
pub use test_code::{Elsewhere, TestCode, TestCodeError, test_code};
