//! Source code as data: languages, outlines, methods, calls, statements, skeletons, normal form.
//!
//! Everything starts from a [`Project`], a folder whose files can be listed, found and read and that no path leads out of, and a
//! [`Language`], an entry of a table. A file is read into a [`Source`]; [`outline()`] says what it declares, [`methods_named`] gives
//! the text of methods, [`calls_in`] the calls, [`statements`](statements()) what runs. Nothing here runs a command or writes a file.

mod assembly;
mod calls;
mod changed_lines;
mod declaration_lines;
mod header;
mod language;
mod methods;
mod normal;
mod outline;
pub mod parallel;
mod path;
pub mod pattern;
mod project;
mod project_error;
pub mod reading;
mod recent;
pub mod repository;
mod rescue;
pub mod resolve;
pub mod similarity;
pub mod skeleton;
mod source;
mod statements;
mod subtokens;
mod syntax_errors;
mod test_files;
mod text;
mod tree;
pub mod walk;

pub use assembly::DeclarationKind;
pub use calls::{Call, calls_in, calls_in_snippet};
pub use changed_lines::{changed_lines, line_operations};
pub use declaration_lines::{declaration_on, indentation};
pub use language::{
    BindingRules, ComparisonRules, DEEPEST, FunctionEffects, Kinds, Language, LanguageEntry, ModuleNames,
    NodeShape, OperatorRole, PlacementRule, SyntaxRole, TamperingRules, Tells, TestRules, TitledRules,
    TraceRules,
};
pub use methods::{MethodText, bare, method_names, methods_named, name_parts, numbered};
pub use normal::{examples, form_of, normal_form};
pub use outline::{Class, ClassKind, Field, Method, MethodKind, Outline, Span};
pub use path::{PRIVATE_FOLDERS, PathError, ProjectPath};
pub use project::{MAX_FILE_BYTES, Project, ProjectReadError};
pub use project_error::ProjectError;
pub use reading::outline;
pub use rescue::may_declare_class;
pub use resolve::{Resolved, modules};
pub use skeleton::{Skeleton, SkeletonLine, SkeletonLineKind};
pub use source::{Encoding, MARK, Source, decoded};
pub use statements::{Statement, StatementKind, Statements, statements};
pub use subtokens::{subtokens, words};
pub use syntax_errors::{SyntaxError, new_syntax_error, syntax_errors};
pub use test_files::{has_extension, is_runnable, is_test};
pub use text::{line_number, shorten, tokens_of_bytes};
pub use tree::{Step, input_edit, visit, walk};
