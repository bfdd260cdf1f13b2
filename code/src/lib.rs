//! Source code as data: languages, outlines, methods, calls, search, edits, diffs, normal form.
//!
//! Everything starts from a [`Project`], a folder whose files can be listed, found and read and that no path leads out
//! of, and a [`Language`], an entry of a table. A file is read into a [`Source`]; [`outline()`] says what it declares,
//! [`methods_named`] gives the text of methods, [`calls_in`] the calls, [`statements`](statements()) what runs. [`search`](search()), [`similar_calls`](similar_calls()) and
//! [`test_code`](test_code()) work over the whole project. Nothing here runs a command or writes a file, except the writing half of
//! an applied edit.

mod applied;
mod apply;
mod assembly;
mod calls;
mod declaration_lines;
mod definitions;
pub mod diff;
mod draft;
mod edit;
pub mod edits;
#[cfg(test)]
mod fix_tests;
mod header;
mod index;
mod language;
mod languages;
mod matching;
mod methods;
mod normal;
mod outline;
pub mod parallel;
mod path;
mod project;
mod reading;
mod recent;
mod refusal;
mod replace;
mod rescue;
mod resolve;
mod retrieval;
mod rewrite;
mod rules;
mod search;
mod similar_calls;
mod skeleton;
mod source;
mod splice;
mod statements;
mod subtokens;
mod syntax;
mod tampering;
mod test_code;
mod test_files;
mod text;
mod tree;
mod walk;
mod write;

pub use applied::{Applied, Attempt, FileChange, Outcome, Status};
pub use apply::{apply, attempt};
pub use calls::{Call, calls_in, calls_in_snippet};
pub use edit::{Definition, Edit, EditRules, Insertion, Modification, Place, Replacement, Rule};
pub use index::{
    Element, ElementKind, Index, IndexProblem, IndexedFile, Located, Location, TreeOptions, Unlocated,
    windows,
};
pub use language::{ClassKind, Language, MethodKind};
pub use matching::Nearest;
pub use methods::{MethodText, method_names, methods_named};
pub use normal::normal_form;
pub use outline::{Class, Field, Method, Outline, Span, outline};
pub use path::{PathError, ProjectPath};
pub use project::{MAX_FILE_BYTES, Project, ProjectError, ReadError, Resolved};
pub use refusal::{Action, EditError, Misfit};
pub use retrieval::{Chunk, FUSION_K, Query, Retrieval, RetrievalOptions, Retrieved, fuse};
pub use search::{ClassHits, FileHits, MethodHits, Omitted, SearchCap, SearchError, SearchResult, search};
pub use similar_calls::{Scope, SimilarCalls, SimilarCallsError, similar_calls};
pub use skeleton::{Skeleton, SkeletonLine, SkeletonLineKind, SkeletonStyle, skeleton};
pub use source::{Encoding, Source, decoded};
pub use statements::{Statement, StatementKind, Statements, statements};
pub use subtokens::subtokens;
pub use syntax::{SyntaxError, syntax_errors};
pub use tampering::TamperingSign;
pub use test_code::{Elsewhere, TestCode, TestCodeError, test_code};
pub use write::WriteError;
