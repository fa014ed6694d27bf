//! Random messages.

use super::{Options, Rng};
use crate::codec::allowed;
use crate::value::{Array, Items, Record, Text, Value, integer, memory};
use crate::wire::encoded_size;
use crate::{Dim, Extent, Field, Schema, StructId, Type};
use std::sync::Arc;

/// Approximate maximum of elements in variable-size arrays of a message.
const MAX_ELEMENTS: usize = 2000;
/// How much shorter than LCM's an encoding may be, in bytes: CDR's header has 4, LCM's fingerprint 8.
const SHORTER: usize = 4;

/// A random message of struct `id`. Its sizes are consistent, so every encoder accepts it. Every decoder that knows
/// its length accepts the result, unless the type itself has more elements in fixed arrays than decoders allow.
pub fn message(rng: &mut Rng, options: &Options, schema: &Arc<Schema>, id: StructId) -> Record {
    let mut left = MAX_ELEMENTS;
    loop {
        let mut maker = Maker { rng, options, schema, left, free: 0, memory: 0 };
        let record = maker.record(id, 0);
        let (free, memory) = allowed(schema, id, encoded_size(&record) - SHORTER);
        if (maker.free <= free && maker.memory <= memory) || left == 0 {
            return record;
        }
        left /= 10;
    }
}

struct Maker<'a> {
    rng: &'a mut Rng,
    options: &'a Options,
    schema: &'a Arc<Schema>,
    left: usize,
    /// Elements and rows so far that may have zero size. Decoders that look ahead also count all rows before a
    /// dimension of variable size, whatever their size.
    free: u64,
    /// Memory used so far, in bytes; each empty array counts as an allocation.
    memory: usize,
}

impl Maker<'_> {
    fn record(&mut self, id: StructId, depth: usize) -> Record {
        let schema = self.schema;
        let of = schema.get(id);
        let sizes = of.size_fields();
        let mut values: Vec<Value> = Vec::with_capacity(of.fields.len());
        self.memory += memory::fields(of.fields.len());
        for (i, field) in of.fields.iter().enumerate() {
            let value = match field.ty {
                Type::Primitive(p) if sizes.contains(&i) => {
                    let most = if depth > 3 || self.left == 0 { 1 } else { 4 };
                    integer(p, self.rng.below(most) as i64)
                }
                _ => None,
            };
            let value = value.unwrap_or_else(|| self.field(field, &values, depth));
            values.push(value);
        }
        Record::of(schema, id, values)
    }

    fn field(&mut self, field: &Field, so_far: &[Value], depth: usize) -> Value {
        let mut shape = Vec::with_capacity(field.dims.len());
        for dim in &field.dims {
            shape.push(match dim.extent {
                Extent::Fixed(n) => n as usize,
                Extent::Variable(i) => so_far[i].as_i64().unwrap_or(0) as usize,
            });
        }
        let count = shape.iter().product();
        self.count(field, &shape);
        if field.is_variable() {
            self.left = self.left.saturating_sub(count);
        }
        let mut items = Items::empty(field.ty);
        for _ in 0..count {
            self.push(&mut items, field.ty, depth);
        }
        let one = if field.is_array() { Array::new(&shape, items).map(Value::from) } else { items.get(0) };
        // A count that multiplies to the number of elements always forms an array.
        one.unwrap_or(Value::Boolean(false))
    }

    /// Counts what decoders count: an array's rows and elements that may have zero size, and memory.
    fn count(&mut self, field: &Field, shape: &[usize]) {
        let element = self.schema.min_size(field.ty);
        let may_be_empty = |dim: &Dim| !matches!(dim.extent, Extent::Fixed(1..));
        let mut rows = 1_usize;
        for (level, &n) in shape.iter().enumerate() {
            rows = rows.saturating_mul(n);
            if element == 0 || field.dims[level + 1..].iter().any(may_be_empty) {
                self.free += rows as u64;
            }
        }
        self.memory += match field.ty {
            _ if field.is_array() => memory::array(shape.len()) + memory::elements(field.ty, rows),
            Type::Struct(_) => memory::boxed(),
            Type::Primitive(_) | Type::Enum(_) => 0,
        };
    }

    fn push(&mut self, items: &mut Items, ty: Type, depth: usize) {
        let bits = self.bits();
        match items {
            Items::Int8(v) => v.push(bits as i8),
            Items::Int16(v) => v.push(bits as i16),
            Items::Int32(v) => v.push(bits as i32),
            Items::Int64(v) => v.push(bits as i64),
            Items::Byte(v) => v.push(bits as u8),
            Items::Float(v) => {
                let value = f32::from_bits(bits as u32);
                v.push(if value.is_nan() && !self.options.nans { -0.0 } else { value });
            }
            Items::Double(v) => {
                let value = f64::from_bits(bits);
                v.push(if value.is_nan() && !self.options.nans { -0.0 } else { value });
            }
            Items::String(v) => v.push(self.text()),
            Items::Boolean(v) => v.push(bits & 1 == 1),
            Items::Enum(v) => v.push((bits % 8) as i32),
            Items::Record(v) => {
                if let Type::Struct(id) = ty {
                    v.push(self.record(id, depth + 1));
                }
            }
        }
    }

    /// Random bits, more often than not values at limits.
    fn bits(&mut self) -> u64 {
        match self.rng.below(4) {
            0 => *self.rng.pick(&[
                0,
                1,
                u64::MAX,
                1 << 63,
                i64::MAX as u64,
                0x7f80_0000,
                0x7ff0_0000_0000_0000,
                1 << 53,
            ]),
            1 => f64::to_bits(self.rng.below(1000) as f64 / 8.0),
            2 => u64::from(f32::to_bits(self.rng.below(1000) as f32 / -10.0)),
            _ => self.rng.bits(),
        }
    }

    fn text(&mut self) -> Text {
        let text = self.any_text();
        self.memory += memory::text(text.as_bytes().len());
        text
    }

    fn any_text(&mut self) -> Text {
        match self.rng.below(5) {
            0 => Text::default(),
            1 if self.options.odd_strings => {
                let bytes: Vec<u8> = (0..self.rng.below(9)).map(|_| 1 + self.rng.below(255) as u8).collect();
                bytes.into()
            }
            2 => "naïve — 日本 \"quoted\"\\\n\t\u{1}🙂".into(),
            _ => {
                let text: String =
                    (0..self.rng.below(20)).map(|_| (b' ' + self.rng.below(95) as u8) as char).collect();
                text.into()
            }
        }
    }
}
