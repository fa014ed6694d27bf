//! What the fuzz targets share: a schema with every construct of the language, and the decoder that others are held
//! against.

mod memory;

pub use memory::bounded;

use saltus_types::{DecodeCause, Schema, StructId, wire};
use std::sync::{Arc, LazyLock};

/// The generated code of that schema.
pub mod types {
    include!(concat!(env!("OUT_DIR"), "/types/mod.rs"));
}

/// Every construct of the language.
pub static SCHEMA: LazyLock<Arc<Schema>> = LazyLock::new(|| {
    let text = include_str!("../../../crates/gen/tests/rust/constructs.lcm");
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

/// What a decoder under test says to a message.
pub enum Verdict {
    /// It took so many bytes, and encoded what it found.
    Taken(usize, Option<Vec<u8>>),
    /// It is no such message.
    Refused,
    /// It has a reason of its own to refuse it.
    Excused,
}

/// Holds a decoder against the one that needs no generated code: it must take and refuse the same messages, without an
/// exception, with and without bytes behind them, and say the same of those that it takes.
pub fn agree(id: StructId, body: &[u8], decode: impl Fn(&[u8]) -> Verdict) {
    let bytes = message(id, body);
    let Some((len, ..)) = verdict(id, &bytes, &decode) else { return };
    // Bytes behind count for how many elements may take no room; without them it may be refused, by both.
    let Some((_, theirs, record)) = verdict(id, &bytes[..len], &decode) else { return };
    // A string may have a NUL inside, which no encoder writes.
    let Ok(ours) = wire::encode(&record) else { return };
    let theirs = theirs.expect("it encodes what it decoded");
    // In C and C++ a boolean stays what it was, such as 2.
    let theirs = wire::decode(&SCHEMA, id, &theirs).expect("what it encoded can be decoded");
    assert_eq!(wire::encode(&theirs), Ok(ours));
}

type Both = (usize, Option<Vec<u8>>, saltus_types::Record);

/// What both made of a message that they take.
fn verdict(id: StructId, bytes: &[u8], decode: impl Fn(&[u8]) -> Verdict) -> Option<Both> {
    let dynamic = wire::decode(&SCHEMA, id, bytes);
    match (decode(bytes), dynamic) {
        (Verdict::Taken(len, made), Ok(record)) => Some((len, made, record)),
        // Its values have a size of their own.
        (_, Err(why)) if why.cause == DecodeCause::TooMuchMemory => None,
        (Verdict::Refused, Err(_)) | (Verdict::Excused, _) => None,
        (Verdict::Taken(..), Err(why)) => panic!("generated code took it: {why}"),
        (Verdict::Refused, Ok(_)) => panic!("generated code refused it"),
    }
}
