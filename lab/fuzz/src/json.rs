//! Any text gives a value or an error; values are written again.

use crate::{SCHEMA, choose};
use saltus_types::{Type, json};

/// See the module.
pub fn attack(data: &[u8]) {
    let Some((id, bytes)) = choose(data) else { return };
    // Omitted fields are zero: megabytes of them would only be slow.
    if SCHEMA.min_size(Type::Struct(id)) > 1 << 16 {
        return;
    }
    let Ok(record) = json::from_str(&SCHEMA, id, &String::from_utf8_lossy(bytes)) else { return };
    let said = json::to_string(&record);
    let again = json::from_str(&SCHEMA, id, &said).unwrap_or_else(|e| panic!("{e}\n{said}"));
    assert_eq!(json::to_string(&again), said);
}
