//! TDD-Bench-Verified.
