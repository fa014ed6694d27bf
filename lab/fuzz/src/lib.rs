//! The fuzz targets, a module each, and what they share: a schema with every construct of the language, and the decoder that others
//! are compared with. libFuzzer runs them (`targets/`, with the feature `libfuzzer`), and so does an ordinary test with the stored corpus
//! (`tests/corpus.rs`). The C and C++ decoders are libFuzzer's alone: GCC's sanitizers are linked to them.

macro_rules! targets {
    ($($name:ident)*) => {
        $(pub mod $name;)*
        /// The targets, each by the name of its corpus.
        pub const TARGETS: &[(&str, fn(&[u8]))] = &[$((stringify!($name), $name::attack)),*];
    };
}

targets! { cdr foxglove index json lcmlog mcap packet parser plain reassembly report rust tcpq text tunnel wire }

mod memory;

pub use memory::bounded;

use saltus_types::{DecodeCause, Schema, StructId, wire as codec};
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

/// The first byte chooses a type by its index, the rest is for its decoder.
pub fn choose(data: &[u8]) -> Option<(StructId, &[u8])> {
    let (&first, rest) = data.split_first()?;
    Some((StructId(usize::from(first) % SCHEMA.structs().len()), rest))
}

/// The fingerprint of a type, and these bytes: a fuzzer would never find the right eight bytes.
pub fn message(id: StructId, body: &[u8]) -> Vec<u8> {
    [&SCHEMA.get(id).fingerprint.to_be_bytes(), body].concat()
}

/// The result of a decoder under test.
pub enum Verdict {
    /// It read this many bytes, and encoded the decoded message.
    Taken(usize, Option<Vec<u8>>),
    /// It refused the message.
    Refused,
    /// It has its own reason to refuse the message.
    Excused,
}

/// Compares a decoder with the one without generated code. It must accept and refuse the same messages, without
/// exceptions, with and without trailing bytes, and decode the same contents.
pub fn agree(id: StructId, body: &[u8], decode: impl Fn(&[u8]) -> Verdict) {
    let bytes = message(id, body);
    let Some((len, ..)) = verdict(id, &bytes, &decode) else { return };
    // Trailing bytes count for the number of elements of zero size; without them it may be refused, by both.
    let Some((_, theirs, record)) = verdict(id, &bytes[..len], &decode) else { return };
    // A string may have a NUL inside, which no encoder writes.
    let Ok(ours) = codec::encode(&record) else { return };
    let theirs = theirs.expect("it encodes what it decoded");
    // In C and C++ a boolean keeps its value, such as 2.
    let theirs = codec::decode(&SCHEMA, id, &theirs).expect("what it encoded can be decoded");
    assert_eq!(codec::encode(&theirs), Ok(ours));
}

type Both = (usize, Option<Vec<u8>>, saltus_types::Record);

/// Compares the results for a message that both accept.
fn verdict(id: StructId, bytes: &[u8], decode: impl Fn(&[u8]) -> Verdict) -> Option<Both> {
    let dynamic = codec::decode(&SCHEMA, id, bytes);
    match (decode(bytes), dynamic) {
        (Verdict::Taken(len, made), Ok(record)) => Some((len, made, record)),
        // Its values have a different size.
        (_, Err(why)) if why.cause == DecodeCause::TooMuchMemory => None,
        (Verdict::Refused, Err(_)) | (Verdict::Excused, _) => None,
        (Verdict::Taken(..), Err(why)) => panic!("generated code took it: {why}"),
        (Verdict::Refused, Ok(_)) => panic!("generated code refused it"),
    }
}
