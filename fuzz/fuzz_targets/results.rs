//! The target `results` for `cargo fuzz`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| patchwright_fuzz::run("results", input));
