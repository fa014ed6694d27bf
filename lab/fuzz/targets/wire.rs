//! libFuzzer on [`saltus_fuzz::wire`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::wire::attack(data));
