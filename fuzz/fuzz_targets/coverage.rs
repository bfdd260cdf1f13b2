#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| patchwright_fuzz::coverage(text));
