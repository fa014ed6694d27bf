//! Messages made from JSON, by their type.

use std::path::PathBuf;
use std::sync::Arc;

use saltus_channel::Description;
use saltus_types::{Type, json};

use crate::dictionary::{Dictionary, Reading};
use crate::failure::{Code, Failure, Outcome};
use crate::schemas;

/// Makes messages of one type.
pub struct Encoder {
    reading: Reading,
}

impl Encoder {
    /// For the type of that name: in these directories, or, where none is given, as it was left with the channel: that is
    /// what `known` asks for.
    pub fn new(
        name: &str,
        include: &[PathBuf],
        plain: bool,
        known: impl FnOnce() -> Outcome<Dictionary>,
    ) -> Outcome<Encoder> {
        let found = if include.is_empty() {
            let dictionary = known()?;
            dictionary.named(name).ok_or_else(|| dictionary.lacks(name))?
        } else {
            schemas::find(name, &[], include)?
        };
        let schema = Arc::new(found.schema);
        let reading = if plain {
            let words =
                || format!("`{name}` has no plain layout: it has strings, or arrays whose size varies");
            Reading::plain(&schema, found.id).ok_or_else(|| Failure::new(Code::Failed, words()))?
        } else {
            Reading::lcm(&schema, found.id)
        };
        Ok(Encoder { reading })
    }

    /// The message that this JSON says. Size fields may be left out: they are the sizes of the arrays.
    pub fn encode(&self, text: &[u8]) -> Outcome<Vec<u8>> {
        let Reading { schema, id, .. } = &self.reading;
        let failed = |why: String| {
            let words =
                format!("this is no `{}`: {why}; `saltus types show` tells its fields", self.reading.name());
            Failure::new(Code::Failed, words)
        };
        let text = str::from_utf8(text).map_err(|_| failed("not JSON: not even text".into()))?;
        let record = json::from_str(schema, *id, text).map_err(|e| failed(e.to_string()))?;
        self.reading.encode(&record).map_err(failed)
    }

    /// Whether messages of the type may have different sizes.
    pub fn varies(&self) -> bool {
        !self.reading.schema.is_fixed(Type::Struct(self.reading.id))
    }

    /// What the messages are, to be left with their channel.
    pub fn description(&self) -> Description {
        let Reading { schema, id, .. } = &self.reading;
        let name = schema.get(*id).name.to_string();
        Description { name, fingerprint: self.reading.fingerprint(), schema: schema.to_lcm(*id) }
    }
}
