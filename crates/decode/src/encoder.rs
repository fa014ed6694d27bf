//! Encoding of JSON to messages of a type.

use crate::Kind;
use saltus_types::{Type, json};

/// Encodes messages of one type.
#[derive(Clone, Debug)]
pub struct Encoder {
    kind: Kind,
}

impl Encoder {
    /// An encoder for this type and encoding.
    pub fn new(kind: Kind) -> Encoder {
        Encoder { kind }
    }

    /// The type and its encoding.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Encodes JSON. Size fields may be omitted: they are set to the sizes of the arrays.
    ///
    /// # Errors
    /// The JSON does not match the type. The text is the error.
    pub fn encode(&self, text: &[u8]) -> Result<Vec<u8>, String> {
        let failed = |why: String| {
            format!("not a `{}`: {why}; `saltus types show` lists its fields", self.kind.name())
        };
        let text = str::from_utf8(text).map_err(|_| failed("not JSON: not valid UTF-8".into()))?;
        let record = json::from_str(self.kind.schema(), self.kind.id(), text);
        self.kind.encode(&record.map_err(|e| failed(e.to_string()))?).map_err(failed)
    }

    /// Whether the size of the type's messages varies.
    pub fn varies(&self) -> bool {
        !self.kind.schema().is_fixed(Type::Struct(self.kind.id()))
    }
}
