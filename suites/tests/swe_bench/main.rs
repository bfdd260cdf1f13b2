//! SWE-bench from the outside: what needs no container.

mod conformance;
mod folders;
mod grading;
mod predictions;
mod rows;
mod scripts;
mod support;
