//! The canonical text of a message, to which the output of every driver is converted before it is compared.
//!
//! Integers in decimal, booleans as `true` and `false`, floats as the digits of their bits, strings as the digits
//! of their bytes after `s:`, structs as objects with the names of the wire. The drivers' output is nearly the
//! same; differences of languages are corrected by the schema: Java's `byte` is signed, C's boolean is a number,
//! Python's floats are all doubles, and names that are keywords are changed.

use saltus_types::{Extent, Field, Primitive, Schema, StructId, Type};
use serde::Deserialize;
use serde_json::Value as Json;
use std::fmt::Write;

/// Begins the next member of a list or an object.
pub fn next(out: &mut String) {
    if !out.ends_with(['[', '{']) {
        out.push(',');
    }
}
/// Begins the next field.
pub fn key(out: &mut String, name: &str) {
    next(out);
    let _ = write!(out, "\"{name}\":");
}
/// An integer of type `ty`, reduced to the bytes of the type.
pub fn integer(out: &mut String, ty: Type, value: i64) {
    let value = match ty {
        Type::Primitive(Primitive::Int8) => i64::from(value as i8),
        Type::Primitive(Primitive::Byte) => i64::from(value as u8),
        Type::Primitive(Primitive::Int16) => i64::from(value as i16),
        Type::Primitive(Primitive::Int64) => value,
        _ => i64::from(value as i32),
    };
    let _ = write!(out, "{value}");
}
/// A boolean.
pub fn boolean(out: &mut String, value: bool) {
    out.push_str(if value { "true" } else { "false" });
}
/// A float, by its bits. A signaling NaN is written as a quiet one: languages with only doubles convert it.
pub fn float(out: &mut String, bits: u32) {
    let bits = if f32::from_bits(bits).is_nan() { bits | 0x0040_0000 } else { bits };
    let _ = write!(out, "\"{bits:08x}\"");
}
/// A double, by its bits.
pub fn double(out: &mut String, bits: u64) {
    let _ = write!(out, "\"{bits:016x}\"");
}
/// A string, by its bytes.
pub fn string(out: &mut String, bytes: &[u8]) {
    let _ = write!(out, "\"s:{}\"", hex(bytes));
}

/// The bytes of all strings in a message in canonical form.
pub fn strings(json: &str) -> impl Iterator<Item = Vec<u8>> {
    json.split('"').filter_map(|text| text.strip_prefix("s:")).filter_map(unhex)
}

/// Whether any float in a message in canonical form is not a number.
pub fn has_nan(json: &str) -> bool {
    let bits = |text: &str| u64::from_str_radix(text, 16).unwrap_or_default();
    json.split('"').any(|text| match text.len() {
        8 => f32::from_bits(bits(text) as u32).is_nan(),
        16 => f64::from_bits(bits(text)).is_nan(),
        _ => false,
    })
}

/// Two digits for each byte.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, b| {
        let _ = write!(text, "{b:02x}");
        text
    })
}
/// The bytes of digits; `None` if they are invalid.
pub fn unhex(digits: &str) -> Option<Vec<u8>> {
    let pair = |at| digits.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    (0..digits.len()).step_by(2).map(pair).collect()
}

/// The output of a driver for a message of struct `id`, in canonical form.
///
/// # Errors
/// Output that is not JSON, or does not match the type; with the position.
pub fn of_driver(schema: &Schema, id: StructId, words: &str) -> Result<String, String> {
    let mut reader = serde_json::Deserializer::from_str(words);
    // Structs are nested up to 128 deep, and each is two levels of JSON.
    reader.disable_recursion_limit();
    let json = Json::deserialize(&mut reader).map_err(|e| format!("not JSON: {e}: {words}"))?;
    let mut out = String::with_capacity(words.len());
    write_struct(&mut out, schema, id, &json)?;
    Ok(out)
}

fn write_struct(out: &mut String, schema: &Schema, id: StructId, json: &Json) -> Result<(), String> {
    let of = schema.get(id);
    let members = json.as_object().ok_or_else(|| format!("{}: no object: {json}", of.name))?;
    if members.len() != of.fields.len() {
        return Err(format!("{} has {} fields, not {}", of.name, of.fields.len(), members.len()));
    }
    // The size fields of each array.
    let mut sizes = vec![0; of.fields.len()];
    out.push('{');
    for (i, (field, (name, value))) in of.fields.iter().zip(members).enumerate() {
        let place = |why: String| format!("{}.{}: {why}", of.name, field.name);
        if !is_name_of(name, &field.name) {
            return Err(place(format!("called `{name}`")));
        }
        sizes[i] = value.as_i64().unwrap_or(0);
        key(out, &field.name);
        write_array(out, schema, field, &sizes, 0, value).map_err(place)?;
    }
    out.push('}');
    Ok(())
}

/// Whether `printed` may be a language's form of `name`: odd characters become `_`, and `_` is added to keywords.
fn is_name_of(printed: &str, name: &str) -> bool {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    printed.trim_end_matches('_') == plain.trim_end_matches('_')
}

fn write_array(
    out: &mut String,
    schema: &Schema,
    field: &Field,
    sizes: &[i64],
    at: usize,
    json: &Json,
) -> Result<(), String> {
    let Some(dim) = field.dims.get(at) else { return write_element(out, schema, field.ty, json) };
    let count = match dim.extent {
        Extent::Fixed(n) => i64::from(n),
        Extent::Variable(i) => sizes[i],
    };
    let items = json.as_array().ok_or_else(|| format!("no list: {json}"))?;
    if items.len() as i64 != count {
        return Err(format!("{} elements, not {count}", items.len()));
    }
    out.push('[');
    for item in items {
        next(out);
        write_array(out, schema, field, sizes, at + 1, item)?;
    }
    out.push(']');
    Ok(())
}

fn write_element(out: &mut String, schema: &Schema, ty: Type, json: &Json) -> Result<(), String> {
    let wrong = || format!("no {}: {json}", schema.type_name(ty));
    let digits = || json.as_str().ok_or_else(wrong);
    match ty {
        Type::Struct(id) => write_struct(out, schema, id, json)?,
        // An enum is a number, or an object with one.
        Type::Enum(_) => integer(out, ty, json.get("value").unwrap_or(json).as_i64().ok_or_else(wrong)?),
        Type::Primitive(Primitive::Boolean) => match json.as_bool() {
            Some(value) => boolean(out, value),
            None => boolean(out, json.as_i64().ok_or_else(wrong)? != 0),
        },
        Type::Primitive(Primitive::Float) => float(out, float_bits(digits()?).ok_or_else(wrong)?),
        Type::Primitive(Primitive::Double) => {
            double(out, u64::from_str_radix(digits()?, 16).map_err(|_| wrong())?);
        }
        Type::Primitive(Primitive::String) => string(out, &unhex(digits()?).ok_or_else(wrong)?),
        Type::Primitive(_) => integer(out, ty, json.as_i64().ok_or_else(wrong)?),
    }
    Ok(())
}

/// The bits of a float that was printed as a float, or as the double that it became.
fn float_bits(digits: &str) -> Option<u32> {
    if digits.len() == 8 {
        return u32::from_str_radix(digits, 16).ok();
    }
    let double = f64::from_bits(u64::from_str_radix(digits, 16).ok()?);
    Some((double as f32).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_between_languages_are_normalized() {
        let text = "struct a_t { int8_t n; byte class; boolean yes; float f; string s[n]; }";
        let schema = saltus_types::parse("a.lcm", text).expect("a right type");
        let id = schema.find("a_t").expect("the type");
        let c = r#"{"n":1,"class_":255,"yes":7,"f":"3fc00000","s":["6162"]}"#;
        let java = r#"{"n":1,"class_":-1,"yes":true,"f":"3fc00000","s":["6162"]}"#;
        let python = r#"{"n":1,"class_":255,"yes":true,"f":"3ff8000000000000","s":["6162"]}"#;
        let right = r#"{"n":1,"class":255,"yes":true,"f":"3fc00000","s":["s:6162"]}"#;
        for words in [c, java, python] {
            assert_eq!(of_driver(&schema, id, words).as_deref(), Ok(right));
        }
    }

    #[test]
    fn other_forms_are_refused() {
        let schema =
            saltus_types::parse("a.lcm", "struct a_t { int8_t n; byte b[n]; }").expect("a right type");
        let id = schema.find("a_t").expect("the type");
        for words in [r#"{"n":2,"b":[1]}"#, r#"{"b":[],"n":0}"#, r#"{"n":0}"#, r#"{"n":0,"b":null}"#, "{"] {
            assert!(of_driver(&schema, id, words).is_err(), "{words}");
        }
    }
}
