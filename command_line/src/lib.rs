//! What can be typed: commands and their options, and the settings files below them. What is done then is up to the program.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod bench;
pub mod cli;
pub mod options;
pub mod settings;
pub mod suite;
