//! Any bytes become a value or an error; what was understood is said again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use saltus_fuzz::{SCHEMA, choose, is_too_many, message};
use saltus_types::wire;

fuzz_target!(|data: &[u8]| {
    let Some((id, body)) = choose(data) else { return };
    let Ok(record) = wire::decode(&SCHEMA, id, &message(id, body)) else { return };
    // A string may have a NUL inside, which no encoder writes.
    let Ok(bytes) = wire::encode(&record) else { return };
    assert_eq!(bytes.len(), wire::encoded_size(&record));
    match wire::decode(&SCHEMA, id, &bytes) {
        Ok(again) => assert_eq!(wire::encode(&again).as_ref(), Ok(&bytes)),
        Err(why) => assert!(is_too_many(&why), "what was encoded is not decoded: {why}"),
    }
});
