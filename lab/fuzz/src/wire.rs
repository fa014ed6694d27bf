//! Any bytes give a value or an error; values are encoded again.

use crate::{SCHEMA, bounded, choose, message};
use saltus_types::wire;

/// See the module.
pub fn attack(data: &[u8]) {
    let Some((id, body)) = choose(data) else { return };
    let bytes = message(id, body);
    let Ok(record) = bounded(bytes.len(), || wire::decode(&SCHEMA, id, &bytes)) else { return };
    // A string may have a NUL inside, which no encoder writes.
    let Ok(again) = wire::encode(&record) else { return };
    assert_eq!(again.len(), wire::encoded_size(&record));
    // Trailing bytes count for the number of elements of zero size: with the same ones, it is accepted again.
    let padded = [&again, &bytes[again.len()..]].concat();
    let record = wire::decode(&SCHEMA, id, &padded).expect("what was encoded can be decoded");
    assert_eq!(wire::encode(&record), Ok(again));
}
