//! libFuzzer on [`saltus_fuzz::reassembly`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::reassembly::attack(data));
