//! libFuzzer on [`saltus_fuzz::report`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::report::attack(data));
