//! libFuzzer on [`saltus_fuzz::foxglove`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| saltus_fuzz::foxglove::attack(data));
