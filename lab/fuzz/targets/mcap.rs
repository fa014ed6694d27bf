//! libFuzzer on [`saltus_fuzz::mcap`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::mcap::attack(data));
