//! libFuzzer on [`saltus_fuzz::json`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::json::attack(data));
