//! What is shown of a project before anything is asked for: the code that failures, an issue and its words lead to, and the tests near it.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod code;
mod collected_tests;
mod imports;
mod issue_words;
mod near_files;
mod near_tests;
mod piece;
mod project_index;
mod relevance;

pub use code::{
    CodeExcerpt, ContextOptions, ContextSource, IssueContext, failure_code, issue_context, referenced_code,
};
pub use collected_tests::{CollectedFile, CollectedTests, test_code_text};
pub use imports::import_spans;
pub use issue_words::{RankedFile, expanded, files_of_issue, tests_of_issue};
pub use near_files::{NearTestFiles, near_test_files, predicted_test_files, test_files};
pub use near_tests::{NearTests, TestCode};
pub use relevance::{Relevance, relevance};
