//! Messages as JSON, for people, scripts and web pages. Nothing is lost in either direction.
//!
//! | value | written | read |
//! |---|---|---|
//! | struct | object, fields in their order | fields in any order, see below |
//! | array | array, arrays in arrays for several dimensions | the same |
//! | `byte` array | array of numbers; base64 with [`Options::base64`] | either |
//! | `int8_t` … `int32_t`, `byte` | number | number without a fraction (`1e3` has none) |
//! | `int64_t` | number up to ±(2^53 − 1), which every reader reads exactly; beyond as a string | number or string
//! |
//! | `float`, `double` | the shortest number that reads back to the same bits, even as a double | number |
//! | NaN, infinite | `"NaN"`, `"Infinity"`, `"-Infinity"`; a NaN of other bits `"NaN(0x7fc00001)"` | the same |
//! | `boolean` | `true`, `false` | the same |
//! | `string` | string; one that is not UTF-8 is `{"base64": "…"}` | either |
//! | enum | its name as a string; its number if it has none | either |
//!
//! **Missing fields are filled in.** An omitted field is zero, `false` or empty, or all zeros in an array of fixed
//! size. An omitted size field is set from the arrays that it counts. An unknown field is an error, with the name
//! that was probably meant. Every error names the path, the value found, and the one expected.

mod error;
mod options;
mod read;
mod write;

pub use error::{JsonCause, JsonError};
pub use options::Options;

use crate::value::Record;
use crate::{Schema, StructId};
use std::sync::Arc;

/// A message as JSON, on one line.
pub fn to_string(record: &Record) -> String {
    write(record, Options::default())
}

/// A message as JSON.
pub fn write(record: &Record, options: Options) -> String {
    let mut writer = write::Writer { out: String::new(), options, depth: 0 };
    writer.record(record);
    writer.out
}

/// Reads a message of struct `id`.
///
/// # Errors
/// Text that is not JSON, and JSON that is not such a message.
pub fn from_str(schema: &Arc<Schema>, id: StructId, text: &str) -> Result<Record, JsonError> {
    let json = parse(text)?;
    from_value(schema, id, &json)
}

/// Reads a message of struct `id` from JSON that has been parsed.
///
/// # Errors
/// JSON that is not such a message.
pub fn from_value(schema: &Arc<Schema>, id: StructId, json: &serde_json::Value) -> Result<Record, JsonError> {
    read::Reader::new(schema).record(id, json)
}

/// How deep JSON may nest. Structs may be nested 128 deep, each in an array of a struct.
const MAX_NESTING: usize = 400;

/// Parses JSON; no input can overflow the stack.
fn parse(text: &str) -> Result<serde_json::Value, JsonError> {
    if nesting(text) > MAX_NESTING {
        return Err(JsonCause::TooDeep.into());
    }
    let mut parser = serde_json::Deserializer::from_str(text);
    parser.disable_recursion_limit();
    let json = serde::Deserialize::deserialize(&mut parser).and_then(|json| parser.end().map(|()| json));
    json.map_err(|e: serde_json::Error| {
        // It ends with the location, which is reported separately.
        let why = e.to_string();
        let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why).into();
        JsonCause::Syntax { line: e.line(), column: e.column(), why }.into()
    })
}

/// The most brackets open at once. For invalid JSON it may be too high.
fn nesting(text: &str) -> usize {
    let (mut open, mut most, mut string, mut escaped) = (0usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = string,
            b'"' => string = !string,
            b'[' | b'{' if !string => {
                open += 1;
                most = most.max(open);
            }
            b']' | b'}' if !string => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}
