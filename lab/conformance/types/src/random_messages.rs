//! Random messages made from a schema alone: the bytes and their meaning are written together, independently of any
//! codec. So every codec, including the dynamic one, can be compared with them.

use crate::canonical;
use crate::rng::{Choose, Rng};
use saltus_types::{Dim, Extent, Field, Primitive, Schema, StructId, Type};

/// Bytes on the wire, and the message in [canonical JSON](crate::canonical).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// With the fingerprint.
    pub bytes: Vec<u8>,
    /// The result expected from every decoder.
    pub json: String,
}

/// The contents of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strings {
    /// UTF-8 without NUL.
    Utf8,
    /// Any bytes except NUL.
    Bytes,
}

/// Messages stay around this size, in bytes: beyond it sizes are 0.
const ENOUGH: usize = 2_000;
/// How many rows and elements of zero size a decoder accepts, besides one for each byte and those of the type
/// (`docs/wire.md`).
const FREE: u64 = 1024;

/// A random message of struct `id`. If decoders might refuse it because of elements of zero size, another, shorter
/// one is made.
pub fn message(rng: &mut Rng, schema: &Schema, id: StructId, strings: Strings) -> Message {
    let mut enough = ENOUGH;
    loop {
        let bytes = schema.get(id).fingerprint.to_be_bytes().to_vec();
        let out = Message { bytes, json: String::new() };
        let mut maker = Maker { rng, schema, strings, enough, free: 0, out };
        maker.write_struct(id, 0);
        let (free, out) = (maker.free, maker.out);
        if free <= out.bytes.len() as u64 + FREE + schema.free_elements(id) || enough == 0 {
            return out;
        }
        enough /= 4;
    }
}

struct Maker<'a> {
    rng: &'a mut Rng,
    schema: &'a Schema,
    strings: Strings,
    /// See [`ENOUGH`]. If it is 0, so are all sizes.
    enough: usize,
    /// Rows and elements that may have zero size.
    free: u64,
    out: Message,
}

impl Maker<'_> {
    fn write_struct(&mut self, id: StructId, depth: usize) {
        let schema = self.schema;
        let of = schema.get(id);
        let mut sizes = vec![0; of.fields.len()];
        self.out.json.push('{');
        for (i, field) in of.fields.iter().enumerate() {
            canonical::key(&mut self.out.json, &field.name);
            if of.sized_by(i).next().is_some() {
                sizes[i] = self.size(depth);
                self.write_integer(field.ty, sizes[i] as i64);
            } else {
                self.write_array(field, &sizes, 0, depth);
            }
        }
        self.out.json.push('}');
    }

    fn size(&mut self, depth: usize) -> usize {
        if self.out.bytes.len() > self.enough || depth > 5 {
            return 0;
        }
        match self.rng.below(10) {
            0 | 1 => 0,
            2 if depth == 0 => self.rng.below(20),
            _ => self.rng.below(4),
        }
    }

    fn write_array(&mut self, field: &Field, sizes: &[usize], at: usize, depth: usize) {
        let Some(dim) = field.dims.get(at) else { return self.write_element(field.ty, depth) };
        let count = match dim.extent {
            Extent::Fixed(n) => n as usize,
            Extent::Variable(i) => sizes[i],
        };
        let may_be_empty = |dim: &Dim| !matches!(dim.extent, Extent::Fixed(1..));
        if self.schema.min_size(field.ty) == 0 || field.dims[at + 1..].iter().any(may_be_empty) {
            self.free += count as u64;
        }
        self.out.json.push('[');
        for _ in 0..count {
            canonical::next(&mut self.out.json);
            self.write_array(field, sizes, at + 1, depth);
        }
        self.out.json.push(']');
    }

    fn write_element(&mut self, ty: Type, depth: usize) {
        match ty {
            Type::Struct(id) => self.write_struct(id, depth + 1),
            Type::Enum(id) => {
                let values = &self.schema.get_enum(id).values;
                let value = values[self.rng.below(values.len())].value;
                self.write_integer(ty, value.into());
            }
            Type::Primitive(Primitive::Float) => {
                let bits = self.float();
                self.out.bytes.extend(bits.to_be_bytes());
                canonical::float(&mut self.out.json, bits);
            }
            Type::Primitive(Primitive::Double) => {
                let bits = self.double();
                self.out.bytes.extend(bits.to_be_bytes());
                canonical::double(&mut self.out.json, bits);
            }
            Type::Primitive(Primitive::String) => self.write_string(),
            Type::Primitive(Primitive::Boolean) => {
                let value = self.rng.percent(50);
                self.out.bytes.push(value.into());
                canonical::boolean(&mut self.out.json, value);
            }
            Type::Primitive(_) => {
                let value = self.integer();
                self.write_integer(ty, value);
            }
        }
    }

    /// The low bytes of `value`, as many as the type has.
    fn write_integer(&mut self, ty: Type, value: i64) {
        let width = match ty {
            Type::Primitive(p) => p.wire_size(),
            _ => 4,
        };
        self.out.bytes.extend(&value.to_be_bytes()[8 - width..]);
        canonical::integer(&mut self.out.json, ty, value);
    }

    fn write_string(&mut self) {
        let length = if self.rng.percent(20) { 0 } else { self.rng.below(12) };
        let text: Vec<u8> = match self.strings {
            Strings::Utf8 => (0..length)
                .map(|_| {
                    *self.rng.pick(&["a", "Z", " ", "\"", "\\", "\n", "é", "€", "😀", "\u{7f}", "\u{1}"])
                })
                .collect::<String>()
                .into_bytes(),
            Strings::Bytes => (0..length).map(|_| self.rng.between(1, 255) as u8).collect(),
        };
        self.out.bytes.extend((text.len() as i32 + 1).to_be_bytes());
        self.out.bytes.extend(&text);
        self.out.bytes.push(0);
        canonical::string(&mut self.out.json, &text);
    }

    fn integer(&mut self) -> i64 {
        match self.rng.below(6) {
            0 => 0,
            1 => -1,
            2 => i64::MIN >> (8 * self.rng.below(8)),
            3 => i64::MAX >> (8 * self.rng.below(8)),
            _ => self.rng.bits() as i64,
        }
    }

    // Only the plain NaN: Java converts all others to it, as does LCM's.
    fn float(&mut self) -> u32 {
        let edges = [0.0, -0.0, 1.5, f32::MAX, f32::MIN_POSITIVE / 2.0, f32::INFINITY, f32::NEG_INFINITY];
        match self.rng.below(4) {
            0 => edges[self.rng.below(edges.len())].to_bits(),
            1 if self.rng.percent(20) => 0x7fc0_0000,
            _ => Some(self.rng.bits() as u32).filter(|b| !f32::from_bits(*b).is_nan()).unwrap_or(0),
        }
    }

    fn double(&mut self) -> u64 {
        let edges = [0.0, -0.0, 1.5, f64::MAX, f64::MIN_POSITIVE / 2.0, f64::INFINITY, f64::NEG_INFINITY];
        match self.rng.below(4) {
            0 => edges[self.rng.below(edges.len())].to_bits(),
            1 if self.rng.percent(20) => 0x7ff8_0000_0000_0000,
            _ => Some(self.rng.bits()).filter(|b| !f64::from_bits(*b).is_nan()).unwrap_or(0),
        }
    }
}
