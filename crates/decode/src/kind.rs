//! A type with an encoding, and lossless conversion of its messages to CDR.

use saltus_types::cdr::{self, Dialect, Endian};
use saltus_types::plain::PlainCodec;
use saltus_types::{Extent, Field, Record, Schema, StructId, wire};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Names with values, as in MCAP's metadata.
pub(crate) type Map = BTreeMap<String, String>;

/// A description of a message type in a schema language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SchemaText {
    /// The type's name in that language.
    pub name: String,
    /// The language: `omgidl`, `ros2msg`, `lcm`, `protobuf`, ….
    pub encoding: String,
    /// The schema that declares the type.
    pub text: Vec<u8>,
}

/// A type, and the encoding of its published messages.
#[derive(Clone, Debug)]
pub struct Kind {
    schema: Arc<Schema>,
    id: StructId,
    /// The plain layout; `None` means LCM's encoding.
    plain: Option<PlainCodec>,
    /// Whether CDR has a schema for it, after the first query.
    has_cdr: OnceLock<bool>,
}

impl Kind {
    /// The type in LCM's encoding.
    pub fn lcm(schema: &Arc<Schema>, id: StructId) -> Kind {
        Kind { schema: schema.clone(), id, plain: None, has_cdr: OnceLock::new() }
    }
    /// The type in the plain layout; `None` if it has none.
    pub fn plain(schema: &Arc<Schema>, id: StructId) -> Option<Kind> {
        let plain = Some(PlainCodec::new(schema, id)?);
        Some(Kind { plain, ..Kind::lcm(schema, id) })
    }
    /// The type in each of its encodings.
    pub fn all(schema: &Arc<Schema>, id: StructId) -> impl Iterator<Item = Kind> + use<> {
        [Some(Kind::lcm(schema, id)), Kind::plain(schema, id)].into_iter().flatten()
    }
    /// The schema that declares the type.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    /// Its ID in the schema.
    pub fn id(&self) -> StructId {
        self.id
    }
    /// Its full name.
    pub fn name(&self) -> String {
        self.schema.get(self.id).name.to_string()
    }
    /// Its LCM fingerprint.
    pub fn fingerprint(&self) -> u64 {
        self.schema.get(self.id).fingerprint
    }
    /// The first eight bytes of its messages.
    pub fn key(&self) -> [u8; 8] {
        match &self.plain {
            None => self.fingerprint().to_be_bytes(),
            Some(codec) => codec.hash().to_ne_bytes(),
        }
    }
    /// The key as the number that publishers store with channels: big endian for LCM's encoding, native for the plain layout.
    pub fn number(&self) -> u64 {
        match &self.plain {
            None => self.fingerprint(),
            Some(codec) => codec.hash(),
        }
    }
    /// Whether its messages have the plain layout instead of LCM's encoding.
    pub fn is_plain(&self) -> bool {
        self.plain.is_some()
    }
    /// MCAP's name for the encoding of its published messages: `lcm` or `saltus-plain`.
    pub fn encoding(&self) -> &'static str {
        if self.is_plain() { "saltus-plain" } else { "lcm" }
    }
    /// Decodes a published message.
    ///
    /// # Errors
    /// The bytes are not a message of the type. The text is the error.
    pub fn decode(&self, data: &[u8]) -> Result<Record, String> {
        match &self.plain {
            None => wire::decode(&self.schema, self.id, data).map_err(|e| e.to_string()),
            Some(codec) => codec.decode(data).map_err(|e| e.to_string()),
        }
    }
    /// Encodes a message for publishing.
    ///
    /// # Errors
    /// The encoding cannot represent it. The text is the error.
    pub fn encode(&self, record: &Record) -> Result<Vec<u8>, String> {
        match &self.plain {
            None => wire::encode(record).map_err(|e| e.to_string()),
            Some(codec) => codec.encode(record).map_err(|e| e.to_string()),
        }
    }

    /// Converts a published message to CDR. Returns `None` if that could not be reversed exactly: the bytes are not a message of the type,
    /// have trailing bytes, or use an unusual representation.
    pub fn to_cdr(&self, dialect: Dialect, data: &[u8]) -> Option<Vec<u8>> {
        let record = self.decode(data).ok()?;
        let cdr = cdr::encode(&record, dialect, Endian::Little).ok()?;
        (self.encode(&record).ok()? == data).then_some(cdr)
    }
    /// The published message that [`to_cdr`](Kind::to_cdr) converted to these bytes.
    ///
    /// # Errors
    /// The bytes are not a message of the type. The text is the error.
    pub fn from_cdr(&self, dialect: Dialect, cdr: &[u8]) -> Result<Vec<u8>, String> {
        let record = cdr::decode(&self.schema, self.id, dialect, cdr).map_err(|e| e.to_string())?;
        self.encode(&record)
    }

    /// The schema text for tools that read CDR. `None` for a type that contains itself, or has an array of fixed size 0, which those tools
    /// do not support.
    pub fn cdr_schema(&self, dialect: Dialect) -> Option<SchemaText> {
        let has_none = |f: &Field| f.dims.iter().any(|dim| dim.extent == Extent::Fixed(0));
        if self.schema.closure(self.id).iter().any(|id| self.schema.get(*id).fields.iter().any(has_none)) {
            return None;
        }
        let schema = cdr::schema(&self.schema, self.id, dialect).ok()?;
        let (encoding, text) = (schema.encoding.into(), schema.text.into_bytes());
        Some(SchemaText { name: schema.name, encoding, text })
    }
    /// Whether there is a schema, in either language. The result is cached.
    pub fn cdr_schema_exists(&self) -> bool {
        *self.has_cdr.get_or_init(|| self.cdr_schema(Dialect::Ros2Msg).is_some())
    }
    /// The schema in LCM's type language.
    pub fn lcm_schema(&self) -> SchemaText {
        let text = self.schema.to_lcm(self.id).into_bytes();
        SchemaText { name: self.name(), encoding: "lcm".into(), text }
    }

    /// The metadata of a channel from which its messages can be restored exactly.
    pub fn metadata(&self) -> Map {
        Map::from([
            ("lcm.type".into(), self.name()),
            ("lcm.fingerprint".into(), format!("{:016x}", self.fingerprint())),
            ("lcm.schema".into(), self.schema.to_lcm(self.id)),
            ("saltus.encoding".into(), self.encoding().into()),
        ])
    }
    /// Parses that metadata; `None` if it is invalid.
    pub(crate) fn of_metadata(metadata: &Map) -> Option<Kind> {
        let name = metadata.get("lcm.type")?;
        let schema = Arc::new(saltus_types::parse("the log", metadata.get("lcm.schema")?).ok()?);
        let id = schema.find(name)?;
        let kind = match metadata.get("saltus.encoding")?.as_str() {
            "lcm" => Kind::lcm(&schema, id),
            "saltus-plain" => Kind::plain(&schema, id)?,
            _ => return None,
        };
        (metadata.get("lcm.fingerprint")? == &format!("{:016x}", kind.fingerprint())).then_some(kind)
    }
}
