//! libFuzzer on [`saltus_fuzz::tcpq`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::tcpq::attack(data));
