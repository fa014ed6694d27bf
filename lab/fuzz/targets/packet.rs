//! libFuzzer on [`saltus_fuzz::packet`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::packet::attack(data));
