//! The readers of what tested code writes, one by one: whatever it is, they neither panic nor go on for ever. Fuzz targets call them.

use crate::compilers;
use crate::coverage::Coverage;
use crate::report::CompilerError;
use crate::spectrum;

/// The lines that each test has executed, from the file that our recorders write.
pub fn coverage(text: &str) -> Coverage {
    spectrum::record::read(text).coverage
}

/// The errors of compilers in the output of a build.
pub fn compiler_errors(log: &str) -> Vec<CompilerError> {
    compilers::errors(log)
}
