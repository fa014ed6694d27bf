//! libFuzzer on [`saltus_fuzz::index`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::index::attack(data));
