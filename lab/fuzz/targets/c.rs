//! The generated C decoders, with sanitizers: see `native/mod.rs`.

#![no_main]

mod native;

libfuzzer_sys::fuzz_target!(|data: &[u8]| native::attack(data));
