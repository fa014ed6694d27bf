//! libFuzzer on [`saltus_fuzz::parser`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::parser::attack(data));
