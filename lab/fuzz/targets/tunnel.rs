//! libFuzzer on [`saltus_fuzz::tunnel`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::tunnel::attack(data));
