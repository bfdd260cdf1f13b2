#![no_main]

use patchwright_code::edits::Format;

libfuzzer_sys::fuzz_target!(|text: &str| patchwright_fuzz::parser(text, Format::Json));
