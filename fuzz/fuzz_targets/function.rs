#![no_main]

use patchwright_edits::formats::EditFormat;


libfuzzer_sys::fuzz_target!(|text: &str| patchwright_fuzz::parser(text, EditFormat::Function));
