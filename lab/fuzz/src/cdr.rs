//! Any bytes give a value or an error, in both dialects; values are encoded again.

use crate::{SCHEMA, bounded, choose};
use saltus_types::cdr::{Dialect, Endian, decode, encode};

/// See the module.
pub fn attack(data: &[u8]) {
    let Some((id, bytes)) = choose(data) else { return };
    for dialect in [Dialect::OmgIdl, Dialect::Ros2Msg] {
        let decoded = bounded(bytes.len(), || decode(&SCHEMA, id, dialect, bytes));
        let Ok(record) = decoded else { continue };
        for endian in [Endian::Little, Endian::Big] {
            // A string may have a NUL inside, which no encoder writes.
            let Ok(encoded) = encode(&record, dialect, endian) else { continue };
            // Trailing bytes count for the number of elements of zero size: with as many, it is accepted again.
            let padded = [&encoded, &vec![0; bytes.len()][..]].concat();
            let again = decode(&SCHEMA, id, dialect, &padded).expect("what was encoded can be decoded");
            assert_eq!(encode(&again, dialect, endian), Ok(encoded));
        }
    }
}
