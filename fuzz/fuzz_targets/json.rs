//! The target `json` for `cargo fuzz`.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| patchwright_fuzz::run("json", input));
