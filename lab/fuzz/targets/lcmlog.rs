//! libFuzzer on [`saltus_fuzz::lcmlog`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::lcmlog::attack(data));
