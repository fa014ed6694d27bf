//! Converts JSON to records.

use super::{JsonCause, JsonError};
use crate::suggest::nearest;
use crate::value::{Array, Items, Record, Text, TooLarge, Value, Zeros, declaration, integer as integer_of};
use crate::{Extent, Field, Primitive, Schema, Struct, StructId, Type};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value as Json};
use std::sync::Arc;

pub(super) struct Reader<'s> {
    pub schema: &'s Arc<Schema>,
    zeros: Zeros<'s>,
}

/// The result of reading a field: a value, or an array whose shape may not be known yet.
enum Part {
    Value(Value),
    Rows(Rows),
}

impl<'s> Reader<'s> {
    pub fn new(schema: &'s Arc<Schema>) -> Reader<'s> {
        Reader { schema, zeros: Zeros::new(schema) }
    }

    pub fn record(&mut self, id: StructId, json: &Json) -> Result<Record, JsonError> {
        let schema = self.schema;
        let of = schema.get(id);
        let Json::Object(object) = json else {
            return Err(expected(format!("an object with a {}", of.name), json));
        };
        if let Some(name) = object.keys().find(|k| of.field(k).is_none()) {
            return Err(unknown(of, name).within(name));
        }
        self.zeros.spend(of, 1 + of.fields.len(), size_of::<Value>())?;
        let mut parts = Vec::with_capacity(of.fields.len());
        for field in &of.fields {
            let part = self.part(id, field, object.get(&field.name)).map_err(|e| e.within(&field.name))?;
            parts.push(part);
        }
        let sizes = sizes(of, object, &mut parts)?;
        let mut values = Vec::with_capacity(parts.len());
        for (field, part) in of.fields.iter().zip(parts) {
            let value = match part {
                Part::Value(value) => value,
                Part::Rows(rows) => shaped(of, field, rows, &sizes).map_err(|e| e.within(&field.name))?,
            };
            values.push(value);
        }
        Ok(Record::of(schema, id, values))
    }

    /// Reads a struct inside a struct.
    pub fn nested(&mut self, id: StructId, json: &Json) -> Result<Record, JsonError> {
        if self.zeros.depth == saltus_wire::MAX_DEPTH {
            return Err(JsonCause::TooDeep.into());
        }
        self.zeros.depth += 1;
        let record = self.record(id, json);
        self.zeros.depth -= 1;
        record
    }

    fn part(&mut self, id: StructId, field: &Field, json: Option<&Json>) -> Result<Part, JsonError> {
        Ok(match json {
            Some(json) if field.is_array() => Part::Rows(self.rows(field, json)?),
            Some(json) => Part::Value(self.value(field, json)?),
            None if field.is_variable() => Part::Rows(Rows::missing(field)),
            None => Part::Value(self.zeros.field(id, field)?),
        })
    }

    fn value(&mut self, field: &Field, json: &Json) -> Result<Value, JsonError> {
        if let Type::Struct(id) = field.ty {
            return Ok(self.nested(id, json)?.into());
        }
        let mut one = Items::empty(field.ty);
        self.push(&mut one, field.ty, json)?;
        one.get(0).ok_or_else(|| expected(declaration(self.schema, field), json))
    }
}

/// The values of the size fields, by field index: those given, otherwise the size of the first of their arrays.
fn sizes(of: &Struct, object: &Map<String, Json>, parts: &mut [Part]) -> Result<Vec<i64>, JsonError> {
    let mut sizes = vec![0; parts.len()];
    for i in of.size_fields() {
        let field = &of.fields[i];
        let known = of.sized_by(i).find_map(|(at, dim)| match &parts[at] {
            Part::Rows(rows) => rows.shape[dim],
            Part::Value(_) => None,
        });
        let Part::Value(value) = &mut parts[i] else { continue };
        if let (Some(n), false, Type::Primitive(p)) = (known, object.contains_key(&field.name), field.ty) {
            let fitting = i64::try_from(n).ok().and_then(|n| integer_of(p, n));
            *value = fitting.ok_or_else(|| too_many(p, n).within(&field.name))?;
        }
        sizes[i] = value.as_i64().unwrap_or(0);
        if sizes[i] < 0 {
            let found = sizes[i].to_string();
            let cause = JsonCause::Expected { expected: "a size of at least 0".into(), found };
            return Err(JsonError::from(cause).within(&field.name));
        }
    }
    Ok(sizes)
}

/// An array with the sizes of its size fields.
fn shaped(of: &Struct, field: &Field, rows: Rows, sizes: &[i64]) -> Result<Value, JsonError> {
    let mut shape = Vec::with_capacity(field.dims.len());
    for (dim, known) in field.dims.iter().zip(&rows.shape) {
        let size = match dim.extent {
            Extent::Fixed(n) => i64::from(n),
            Extent::Variable(i) => sizes[i],
        };
        let n = known.unwrap_or(usize::try_from(size).unwrap_or(usize::MAX));
        if let Extent::Variable(i) = dim.extent
            && i64::try_from(n) != Ok(size)
        {
            let size_field = of.fields[i].name.clone();
            return Err(JsonCause::Size { size_field, says: size, has: n }.into());
        }
        shape.push(n);
    }
    let has = rows.items.len();
    // Only an array that is missing has fewer elements than its size fields.
    let array = Array::new(&shape, rows.items).ok_or_else(|| {
        let size = |d: &crate::Dim| if let Extent::Variable(i) = d.extent { Some(i) } else { None };
        let i = field.dims.iter().find_map(size).unwrap_or(0);
        JsonCause::Size { size_field: of.fields[i].name.clone(), says: sizes[i], has }
    })?;
    Ok(array.into())
}

fn too_many(p: Primitive, n: usize) -> JsonError {
    let expected = format!("arrays that fit a size of {}", p.name());
    JsonCause::Expected { expected, found: format!("{n} elements") }.into()
}

fn unknown(of: &Struct, name: &str) -> JsonError {
    let meant = nearest(name, of.fields.iter().map(|f| f.name.as_str())).map(String::from);
    JsonCause::Unknown { of: of.name.to_string(), meant }.into()
}

/// The error for an unexpected value.
pub(super) fn expected(expected: impl Into<String>, json: &Json) -> JsonError {
    let found = match json {
        Json::Null => "null".into(),
        Json::Array(list) => format!("an array of {}", list.len()),
        Json::Object(_) => "an object".into(),
        Json::String(s) if s.chars().count() > 40 => {
            format!("a string of {} characters", s.chars().count())
        }
        short => short.to_string(),
    };
    JsonCause::Expected { expected: expected.into(), found }.into()
}

impl From<TooLarge> for JsonError {
    fn from(_: TooLarge) -> JsonError {
        JsonCause::TooLarge.into()
    }
}

/// The elements of an array, and the known sizes of its dimensions: the inner sizes of an array without elements
/// are unknown.
struct Rows {
    pub shape: Vec<Option<usize>>,
    pub items: Items,
}

impl Rows {
    /// An array that is missing.
    pub fn missing(field: &Field) -> Rows {
        let known = |d: &crate::Dim| if let Extent::Fixed(n) = d.extent { Some(n as usize) } else { None };
        Rows { shape: field.dims.iter().map(known).collect(), items: Items::empty(field.ty) }
    }
}

impl Reader<'_> {
    /// Reads nested arrays.
    fn rows(&mut self, field: &Field, json: &Json) -> Result<Rows, JsonError> {
        let mut rows = Rows::missing(field);
        self.dimension(field, json, 0, &mut rows)?;
        Ok(rows)
    }

    fn dimension(
        &mut self,
        field: &Field,
        json: &Json,
        dim: usize,
        rows: &mut Rows,
    ) -> Result<(), JsonError> {
        let last = dim + 1 == field.dims.len();
        if let (Json::String(text), Items::Byte(v), true) = (json, &mut rows.items, last) {
            let bytes = STANDARD.decode(text).map_err(|_| expected("numbers or base64", json))?;
            v.extend_from_slice(&bytes);
            return length(&mut rows.shape[dim], bytes.len());
        }
        let Json::Array(list) = json else { return Err(expected("an array", json)) };
        length(&mut rows.shape[dim], list.len())?;
        for (i, json) in list.iter().enumerate() {
            let done = if last {
                self.push(&mut rows.items, field.ty, json)
            } else {
                self.dimension(field, json, dim + 1, rows)
            };
            done.map_err(|e| e.within(&format!("[{i}]")))?;
        }
        Ok(())
    }

    /// Appends a value to others of its type.
    pub fn push(&mut self, items: &mut Items, ty: Type, json: &Json) -> Result<(), JsonError> {
        match items {
            Items::Int8(v) => v.push(integer(json, Primitive::Int8)?),
            Items::Int16(v) => v.push(integer(json, Primitive::Int16)?),
            Items::Int32(v) => v.push(integer(json, Primitive::Int32)?),
            Items::Int64(v) => v.push(integer(json, Primitive::Int64)?),
            Items::Byte(v) => v.push(integer(json, Primitive::Byte)?),
            Items::Float(v) => v.push(float(json)?),
            Items::Double(v) => v.push(double(json)?),
            Items::String(v) => v.push(text(json)?),
            Items::Boolean(v) => v.push(json.as_bool().ok_or_else(|| expected("true or false", json))?),
            Items::Enum(v) => v.push(self.number_of_enum(ty, json)?),
            Items::Record(v) => {
                if let Type::Struct(id) = ty {
                    v.push(self.nested(id, json)?);
                }
            }
        }
        Ok(())
    }

    fn number_of_enum(&self, ty: Type, json: &Json) -> Result<i32, JsonError> {
        let names = if let Type::Enum(id) = ty { &*self.schema.get_enum(id).values } else { &[] };
        let Json::String(name) = json else { return integer(json, Primitive::Int32) };
        let value = names.iter().find(|v| v.name == *name).map(|v| v.value);
        value.ok_or_else(|| {
            let all: Vec<&str> = names.iter().map(|v| v.name.as_str()).collect();
            expected(format!("a number or one of {}", all.join(", ")), json)
        })
    }
}

/// Records the length of a row; all rows of a dimension have the same.
fn length(known: &mut Option<usize>, found: usize) -> Result<(), JsonError> {
    match *known.get_or_insert(found) {
        expected if expected != found => Err(JsonCause::Length { expected, found }.into()),
        _ => Ok(()),
    }
}

/// An integer in the range of its type: a number without a fraction, or for `int64_t` also a string.
fn integer<T: TryFrom<i64>>(json: &Json, p: Primitive) -> Result<T, JsonError> {
    let number = match json {
        Json::String(text) if p == Primitive::Int64 => text.parse().ok(),
        Json::Number(n) => n.as_i64().or_else(|| n.as_f64().filter(|_| !n.is_u64()).and_then(whole)),
        _ => None,
    };
    number.and_then(|n| T::try_from(n).ok()).ok_or_else(|| {
        let range = match p {
            Primitive::Int8 => "-128 to 127",
            Primitive::Int16 => "-32768 to 32767",
            Primitive::Byte => "0 to 255",
            Primitive::Int64 => "-2^63 to 2^63 - 1, as a number or a string",
            _ => "-2147483648 to 2147483647",
        };
        expected(format!("an integer ({range})"), json)
    })
}

/// A float without a fraction, if it is small enough to be exact.
fn whole(x: f64) -> Option<i64> {
    (x.fract() == 0.0 && x.abs() <= (1i64 << 53) as f64).then_some(x as i64)
}

fn float(json: &Json) -> Result<f32, JsonError> {
    let wrong = || expected("a number of single precision, \"NaN\", \"Infinity\" or \"-Infinity\"", json);
    match json {
        Json::String(text) => {
            let nan = || Some(f32::from_bits(u32::try_from(nan_bits(text)?).ok()?)).filter(|v| v.is_nan());
            // A cast may change the bits of a NaN.
            let narrow = |v: f64| if v.is_nan() { f32::NAN } else { v as f32 };
            special(text).map(narrow).or_else(nan).ok_or_else(wrong)
        }
        _ => json.as_f64().map(|v| v as f32).filter(|v| v.is_finite()).ok_or_else(wrong),
    }
}

fn double(json: &Json) -> Result<f64, JsonError> {
    let wrong = || expected("a number, \"NaN\", \"Infinity\" or \"-Infinity\"", json);
    match json {
        Json::String(text) => {
            let nan = || Some(f64::from_bits(nan_bits(text)?)).filter(|v| v.is_nan());
            special(text).or_else(nan).ok_or_else(wrong)
        }
        _ => json.as_f64().ok_or_else(wrong),
    }
}

fn special(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// The bits of `NaN(0x7fc00001)`.
fn nan_bits(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("NaN(0x")?.strip_suffix(')')?, 16).ok()
}

fn text(json: &Json) -> Result<Text, JsonError> {
    let wrong = || expected("a string, or {\"base64\": \"…\"} for one that is not UTF-8", json);
    match json {
        Json::String(text) => Ok(text.as_str().into()),
        Json::Object(object) if object.len() == 1 => {
            let encoded = object.get("base64").and_then(Json::as_str).ok_or_else(wrong)?;
            STANDARD.decode(encoded).map(Text::from).map_err(|_| wrong())
        }
        _ => Err(wrong()),
    }
}
