//! What the fuzz targets share: a schema with every construct of the language.

use saltus_types::{DecodeCause, DecodeError, Schema, StructId};
use saltus_wire::DecodeError as BytesError;
use std::sync::{Arc, LazyLock};

/// The generated code of that schema.
pub mod types {
    include!(concat!(env!("OUT_DIR"), "/types/mod.rs"));
}

/// Every construct of the language.
pub static SCHEMA: LazyLock<Arc<Schema>> = LazyLock::new(|| {
    let text = include_str!("../../crates/gen/tests/rust/constructs.lcm");
    match saltus_types::parse("constructs.lcm", text) {
        Ok(schema) => Arc::new(schema),
        Err(wrong) => panic!("{wrong}"),
    }
});

/// The first byte chooses a type by its place, the others are for its decoder.
pub fn choose(data: &[u8]) -> Option<(StructId, &[u8])> {
    let (&first, rest) = data.split_first()?;
    Some((StructId(usize::from(first) % SCHEMA.structs().len()), rest))
}

/// The fingerprint of a type, and these bytes: a fuzzer would never find eight right bytes.
pub fn message(id: StructId, body: &[u8]) -> Vec<u8> {
    [&SCHEMA.get(id).fingerprint.to_be_bytes(), body].concat()
}

/// Whether an error is about elements that take no room. How many there may be depends on the length of the message, to
/// which bytes behind it count: without those the same message may have too many.
pub fn is_too_many(error: &DecodeError) -> bool {
    matches!(error.cause, DecodeCause::Bytes(BytesError::TooMany { .. }))
}
