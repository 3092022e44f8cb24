//! See `properties::records`.
#![no_main]

#[path = "../../tests/all/properties.rs"]
#[allow(dead_code, reason = "each target tries one")]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::records(bytes));
