//! The encoding of a channel's messages for clients: CDR with a schema that viewers support, if the type is known.

use crate::protocol::Advert;
use saltus_log::{Channel, Kind};
use saltus_types::cdr::{self, Dialect, Endian};
use std::borrow::Cow;
use std::sync::Arc;

/// The encoding for clients.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// CDR.
    Cdr(Arc<Kind>, Dialect),
    /// As published, for types that are unknown, or that CDR cannot represent.
    Raw(Option<Arc<Kind>>),
}

impl Way {
    /// The encoding for messages of this type, if supported.
    pub fn of(kind: Option<&Arc<Kind>>, dialect: Dialect) -> Way {
        match kind {
            Some(kind) if kind.cdr_schema(dialect).is_some() => Way::Cdr(kind.clone(), dialect),
            kind => Way::Raw(kind.cloned()),
        }
    }
    /// The announcement of a channel with this encoding, without a number yet.
    pub fn advert(&self, topic: String) -> Advert {
        let mut advert = Advert { topic, ..Advert::default() };
        let (schema, encoding) = match self {
            Way::Cdr(kind, dialect) => (kind.cdr_schema(*dialect), "cdr"),
            Way::Raw(Some(kind)) => (Some(kind.lcm_schema()), kind.encoding()),
            Way::Raw(None) => (None, "lcm"),
        };
        advert.encoding = encoding.into();
        if let Some(schema) = schema {
            advert.set_schema(&schema.name, &schema.encoding, &schema.text);
        }
        advert
    }
    /// The type, if it is known.
    pub fn kind(&self) -> Option<&Arc<Kind>> {
        match self {
            Way::Cdr(kind, _) => Some(kind),
            Way::Raw(kind) => kind.as_ref(),
        }
    }
    /// Whether a message with this beginning can use this encoding.
    pub fn fits(&self, data: &[u8]) -> bool {
        self.kind().is_none_or(|kind| data.starts_with(&kind.key()))
    }
    /// Encodes a message.
    ///
    /// # Errors
    /// The bytes are not a message of the type. The text is the error.
    pub fn message<'a>(&self, data: &'a [u8]) -> Result<Cow<'a, [u8]>, String> {
        let Way::Cdr(kind, dialect) = self else { return Ok(Cow::Borrowed(data)) };
        let record = kind.decode(data)?;
        cdr::encode(&record, *dialect, Endian::Little).map(Cow::Owned).map_err(|e| e.to_string())
    }
}

/// The announcement of a channel of a foreign log, from the data in its file.
pub(crate) fn foreign(topic: String, about: &Channel) -> Advert {
    let mut advert = Advert { topic, encoding: about.encoding.clone(), ..Advert::default() };
    if let Some(schema) = &about.schema {
        advert.set_schema(&schema.name, &schema.encoding, &schema.text);
    }
    advert
}

/// A channel's name as text, without control characters.
pub(crate) fn topic(prefix: &str, name: &[u8]) -> String {
    let mut text = prefix.to_string();
    for chunk in name.utf8_chunks() {
        text.extend(chunk.valid().chars().flat_map(|c| {
            match c.is_control() {
                true => c.escape_default().collect::<String>(),
                false => c.to_string(),
            }
            .chars()
            .collect::<Vec<_>>()
        }));
        text.extend(chunk.invalid().iter().map(|b| format!("\\x{b:02x}")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_types::{json, wire};

    fn kind(text: &str, name: &str) -> Arc<Kind> {
        let schema = Arc::new(saltus_types::parse("a test", text).unwrap());
        Arc::new(Kind::lcm(&schema, schema.find(name).unwrap()))
    }

    #[test]
    fn known_types_go_out_as_cdr_with_a_schema() {
        let kind = kind("package p; struct t { int16_t x; double y; }", "p.t");
        let way = Way::of(Some(&kind), Dialect::Ros2Msg);
        let advert = way.advert("A".into());
        assert_eq!((&advert.encoding[..], &advert.schema_encoding[..]), ("cdr", "ros2msg"));
        assert!(advert.schema.contains("int16 x") && advert.schema.contains("float64 y"), "{advert:?}");
        let record = json::from_str(kind.schema(), kind.id(), r#"{"x":2,"y":1}"#).unwrap();
        let message = wire::encode(&record).unwrap();
        assert!(way.fits(&message) && !way.fits(&message[1..]));
        let cdr = way.message(&message).unwrap();
        assert_eq!(&cdr[..], b"\0\x01\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\xf0\x3f");
        assert!(way.message(&message[..10]).is_err());
    }

    #[test]
    fn messages_without_cdr_or_type_are_sent_unchanged() {
        let kind = kind("struct tree { int32_t n; tree child[n]; }", "tree");
        let advert = Way::of(Some(&kind), Dialect::Ros2Msg).advert("A".into());
        assert_eq!((&advert.encoding[..], &advert.schema_encoding[..]), ("lcm", "lcm"));
        let unknown = Way::of(None, Dialect::Ros2Msg);
        let advert = unknown.advert(topic("", b"\xff\x1bA"));
        assert_eq!(
            (&advert.topic[..], &advert.encoding[..], &advert.schema[..]),
            ("\\xff\\u{1b}A", "lcm", "")
        );
        assert_eq!(&unknown.message(b"anything").unwrap()[..], b"anything");
    }
}
