//! Arrays and the values in them.

use super::read::{Reader, expected};
use super::{JsonCause, JsonError};
use crate::value::{Items, Text};
use crate::{Extent, Field, Primitive, Type};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value as Json;

/// The elements of an array, and the sizes of its dimensions as far as they are known: of an array without elements the
/// inner ones are not.
pub(super) struct Rows {
    pub shape: Vec<Option<usize>>,
    pub items: Items,
}

impl Rows {
    /// An array of which nothing is there.
    pub fn missing(field: &Field) -> Rows {
        let known = |d: &crate::Dim| if let Extent::Fixed(n) = d.extent { Some(n as usize) } else { None };
        Rows { shape: field.dims.iter().map(known).collect(), items: Items::empty(field.ty) }
    }
}

impl Reader<'_> {
    /// Reads arrays in arrays.
    pub fn rows(&mut self, field: &Field, json: &Json) -> Result<Rows, JsonError> {
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

/// Notes the length of a row; all rows of a dimension have the same.
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
