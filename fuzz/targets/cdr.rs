//! Any bytes become a value or an error, in both dialects; what was understood is said again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use saltus_fuzz::{SCHEMA, choose, is_too_many};
use saltus_types::cdr::{Dialect, Endian, decode, encode};

fuzz_target!(|data: &[u8]| {
    let Some((id, bytes)) = choose(data) else { return };
    for dialect in [Dialect::OmgIdl, Dialect::Ros2Msg] {
        let Ok(record) = decode(&SCHEMA, id, dialect, bytes) else { continue };
        for endian in [Endian::Little, Endian::Big] {
            // A string may have a NUL inside, which no encoder writes.
            let Ok(bytes) = encode(&record, dialect, endian) else { continue };
            match decode(&SCHEMA, id, dialect, &bytes) {
                Ok(again) => assert_eq!(encode(&again, dialect, endian).as_ref(), Ok(&bytes)),
                Err(why) => assert!(is_too_many(&why), "what was encoded is not decoded: {why}"),
            }
        }
    }
});
