//! libFuzzer on [`saltus_fuzz::rust`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::rust::attack(data));
