//! libFuzzer on [`saltus_fuzz::text`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::text::attack(data));
