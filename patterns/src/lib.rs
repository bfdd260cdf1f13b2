//! The fix patterns: for each a name, a sentence and a buggy and a fixed example.
