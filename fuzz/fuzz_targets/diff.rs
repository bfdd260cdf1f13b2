#![no_main]

use patchwright_code::edits::EditFormat;

libfuzzer_sys::fuzz_target!(|text: &str| patchwright_fuzz::parser(text, EditFormat::Diff));
