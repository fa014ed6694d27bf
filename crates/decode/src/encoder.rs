//! Messages made from JSON, by their type.

use crate::Kind;
use saltus_types::{Type, json};

/// Makes messages of one type.
#[derive(Clone, Debug)]
pub struct Encoder {
    kind: Kind,
}

impl Encoder {
    /// For messages of this type and encoding.
    pub fn new(kind: Kind) -> Encoder {
        Encoder { kind }
    }

    /// The type and its encoding.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The message that this JSON says. Size fields may be left out: they are the sizes of the arrays.
    ///
    /// # Errors
    /// It says no message of the type, in words.
    pub fn encode(&self, text: &[u8]) -> Result<Vec<u8>, String> {
        let failed = |why: String| {
            format!("this is no `{}`: {why}; `saltus types show` tells its fields", self.kind.name())
        };
        let text = str::from_utf8(text).map_err(|_| failed("not JSON: not even text".into()))?;
        let record = json::from_str(self.kind.schema(), self.kind.id(), text);
        self.kind.encode(&record.map_err(|e| failed(e.to_string()))?).map_err(failed)
    }

    /// Whether messages of the type may have different sizes.
    pub fn varies(&self) -> bool {
        !self.kind.schema().is_fixed(Type::Struct(self.kind.id()))
    }
}
