//! Messages for views: JSON, with long arrays of numbers as bytes after it; and shapes of types.
//!
//! ```text
//! length of the JSON (4, little endian) │ JSON │ nothing, up to a multiple of 8 │ arrays, each at a multiple of 8
//! ```

use saltus_types::value::{Array, Items};
use saltus_types::{Extent, Field, Record, Schema, StructId, Type, Value};
use serde_json::{Map, Value as Json, json};

/// Arrays of at least this many numbers are sent as bytes.
const LONG: usize = 16;
/// Longest frame. For a longer one, an error is sent instead.
pub(crate) const LONGEST: usize = 32 << 20;
/// Most values in JSON.
const MOST: usize = 100_000;
/// Deepest nesting of structs in a shape.
const DEEPEST: usize = 6;
/// Most fields of a shape.
const FIELDS: usize = 2000;

/// The frame of a record, inside `about`. `None` if it is too large.
pub(crate) fn frame(record: &Record, mut about: Map<String, Json>) -> Option<Vec<u8>> {
    let mut packer = Packer { blobs: Vec::new(), left: MOST };
    about.insert("value".into(), packer.record(record)?);
    let text = serde_json::to_vec(&Json::Object(about)).ok()?;
    let mut frame = u32::try_from(text.len()).ok()?.to_le_bytes().to_vec();
    frame.extend(text);
    frame.resize(frame.len().next_multiple_of(8), 0);
    frame.extend(packer.blobs);
    (frame.len() <= LONGEST).then_some(frame)
}

struct Packer {
    blobs: Vec<u8>,
    left: usize,
}

impl Packer {
    fn record(&mut self, record: &Record) -> Option<Json> {
        let mut fields = Map::new();
        for (field, value) in record.fields() {
            fields.insert(field.name.clone(), self.value(value)?);
        }
        Some(Json::Object(fields))
    }

    fn value(&mut self, value: &Value) -> Option<Json> {
        self.left = self.left.checked_sub(1)?;
        Some(match value {
            Value::Record(record) => self.record(record)?,
            Value::Array(array) => self.array(array)?,
            Value::String(text) => json!(text.to_str_lossy()),
            Value::Boolean(v) => json!(v),
            Value::Float(v) => json!(v),
            Value::Double(v) => json!(v),
            // JavaScript numbers are not exact beyond 2^53; views only draw them.
            whole => json!(whole.as_i64()),
        })
    }

    fn array(&mut self, array: &Array) -> Option<Json> {
        let (items, shape) = (array.items(), array.shape());
        let kind = match items {
            Items::Int8(_) => "i8",
            Items::Int16(_) => "i16",
            Items::Int32(_) | Items::Enum(_) => "i32",
            Items::Byte(_) => "u8",
            Items::Float(_) => "f32",
            Items::Int64(_) | Items::Double(_) => "f64",
            Items::String(_) | Items::Boolean(_) | Items::Record(_) => "",
        };
        if kind.is_empty() || (items.len() < LONG && shape.len() == 1) {
            let all = (0..items.len()).map(|i| match items {
                Items::Record(records) => self.record(&records[i]),
                _ => items.get(i).and_then(|item| self.value(&item)),
            });
            return all.collect::<Option<Vec<Json>>>().map(Json::Array);
        }
        self.blobs.resize(self.blobs.len().next_multiple_of(8), 0);
        let at = self.blobs.len();
        let blobs = &mut self.blobs;
        match items {
            Items::Int8(v) => blobs.extend(v.iter().map(|n| *n as u8)),
            Items::Byte(v) => blobs.extend_from_slice(v),
            Items::Int16(v) => v.iter().for_each(|n| blobs.extend(n.to_le_bytes())),
            Items::Int32(v) | Items::Enum(v) => v.iter().for_each(|n| blobs.extend(n.to_le_bytes())),
            Items::Float(v) => v.iter().for_each(|n| blobs.extend(n.to_le_bytes())),
            Items::Int64(v) => v.iter().for_each(|n| blobs.extend((*n as f64).to_le_bytes())),
            Items::Double(v) => v.iter().for_each(|n| blobs.extend(n.to_le_bytes())),
            Items::String(_) | Items::Boolean(_) | Items::Record(_) => {}
        }
        let fits = self.blobs.len() <= LONGEST;
        fits.then(|| json!({ "$": kind, "at": at, "n": items.len(), "shape": shape }))
    }
}

/// The shape of a type, by which views decide whether they fit.
pub(crate) fn shape(schema: &Schema, id: StructId) -> Json {
    fields(schema, id, DEEPEST, &mut FIELDS.clone())
}

fn fields(schema: &Schema, id: StructId, depth: usize, left: &mut usize) -> Json {
    let of = schema.get(id);
    let mut all = Vec::new();
    for field in &of.fields {
        if *left == 0 {
            break;
        }
        *left -= 1;
        all.push(self::field(schema, field, depth, left));
    }
    json!({ "name": of.name.to_string(), "comment": of.doc, "fields": all })
}

fn field(schema: &Schema, field: &Field, depth: usize, left: &mut usize) -> Json {
    let dims = field.dims.iter().map(|dim| match dim.extent {
        Extent::Fixed(n) => json!(n),
        Extent::Variable(_) => json!("*"),
    });
    let mut json = json!({
        "name": field.name,
        "type": schema.type_name(field.ty),
        "dims": dims.collect::<Vec<_>>(),
        "unit": saltus_spy::unit(&field.doc),
        "comment": field.doc,
    });
    if let Type::Struct(id) = field.ty
        && depth > 0
    {
        json["fields"] = fields(schema, id, depth - 1, left)["fields"].take();
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn long_arrays_are_bytes_at_multiples_of_eight() {
        let text = "struct scan_t { int32_t n; byte b[17]; float r[n]; double few[2]; string s; }";
        let schema = Arc::new(saltus_types::parse("scan", text).unwrap());
        let id = schema.find("scan_t").unwrap();
        let ranges: Vec<String> = (0..20).map(|i| format!("{i}.5")).collect();
        let text = format!(r#"{{"r":[{}],"few":[1.5,"NaN"],"s":"x"}}"#, ranges.join(","));
        let record = saltus_types::json::from_str(&schema, id, &text).unwrap();
        let frame = frame(&record, Map::new()).unwrap();
        let length = u32::from_le_bytes(frame[..4].try_into().unwrap()) as usize;
        let json: Json = serde_json::from_slice(&frame[4..4 + length]).unwrap();
        let value = &json["value"];
        assert_eq!((&value["n"], &value["few"], &value["s"]), (&json!(20), &json!([1.5, null]), &json!("x")));
        assert_eq!(value["b"], json!({ "$": "u8", "at": 0, "n": 17, "shape": [17] }));
        assert_eq!(value["r"], json!({ "$": "f32", "at": 24, "n": 20, "shape": [20] }));
        let start = (4 + length).next_multiple_of(8) + 24;
        assert_eq!(frame[start + 4..start + 8], 1.5f32.to_le_bytes());
        assert_eq!(frame.len(), start + 80);
        let shape = shape(&schema, id);
        assert_eq!((&shape["fields"][2]["dims"], &shape["fields"][1]["dims"]), (&json!(["*"]), &json!([17])));
    }
}
