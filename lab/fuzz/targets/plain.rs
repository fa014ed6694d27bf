//! libFuzzer on [`saltus_fuzz::plain`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::plain::attack(data));
