//! Building and testing a project, reading results, lanes, validating candidates.
