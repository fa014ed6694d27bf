//! Decodes bytes to records.

use super::limits::Limits;
use super::{Counts, DecodeCause, DecodeError, Format, Order};
use crate::value::{Array, Items, Record, Text, Value, count, memory};
use crate::{Extent, Field, Primitive, Schema, StructId, Type};
use saltus_wire::{DecodeError as BytesError, MAX_DEPTH, Reader};
use std::sync::Arc;

/// Most empty arrays remembered: one of each type, and some shapes.
const EMPTIES: usize = 16;

/// Decodes records. Trusts neither the bytes nor the schema: memory and time are bounded by the number of bytes and
/// by the minimum size of the type.
pub(crate) struct Decoder<'a, F> {
    schema: &'a Arc<Schema>,
    reader: Reader<'a>,
    format: F,
    depth: u32,
    limits: Limits,
    /// Empty arrays, which are shared.
    empties: Vec<Arc<Array>>,
}

/// The next number, with the byte order of the format.
macro_rules! one {
    ($self:ident, $ty:ty) => {{
        let raw = $self.raw(size_of::<$ty>(), 1)?;
        let mut bytes = [0; size_of::<$ty>()];
        bytes.copy_from_slice(raw);
        match $self.format.order() {
            Order::Big => <$ty>::from_be_bytes(bytes),
            Order::Little => <$ty>::from_le_bytes(bytes),
        }
    }};
}

/// Appends the next numbers to a vector.
macro_rules! many {
    ($self:ident, $to:expr, $n:expr, $ty:ty) => {{
        let (numbers, _) = $self.raw(size_of::<$ty>(), $n)?.as_chunks();
        match $self.format.order() {
            Order::Big => $to.extend(numbers.iter().map(|&b| <$ty>::from_be_bytes(b))),
            Order::Little => $to.extend(numbers.iter().map(|&b| <$ty>::from_le_bytes(b))),
        }
    }};
}

impl<'a, F: Format> Decoder<'a, F> {
    /// Reads the struct at the reader's position, within a message or at its start.
    pub fn message(
        schema: &'a Arc<Schema>,
        id: StructId,
        reader: Reader<'a>,
        format: F,
    ) -> Result<Record, DecodeError> {
        let limits = Limits::new(schema, id, reader.position() + reader.remaining());
        Decoder { schema, reader, format, depth: 0, limits, empties: Vec::new() }.record(id)
    }

    /// Reads a struct.
    fn record(&mut self, id: StructId) -> Result<Record, DecodeError> {
        let schema = self.schema;
        let fields = &schema.get(id).fields;
        self.limits.spend(memory::fields(fields.len()))?;
        self.format.enter(id, self.reader.position());
        let mut values = Vec::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            let skip = self.format.field(index, self.reader.position());
            self.reader.take(skip)?;
            let value = self.field(field, &values).map_err(|e| e.within(&field.name))?;
            values.push(value);
        }
        if fields.is_empty() && self.format.dummy() {
            self.reader.take(1)?;
        }
        let skip = self.format.leave(self.reader.position());
        self.reader.take(skip)?;
        Ok(Record::of(schema, id, values))
    }

    fn nested(&mut self, id: StructId) -> Result<Record, DecodeError> {
        if self.depth == MAX_DEPTH {
            return Err(BytesError::TooDeep { at: self.reader.position() }.into());
        }
        self.depth += 1;
        let record = self.record(id);
        self.depth -= 1;
        record
    }

    fn field(&mut self, field: &Field, so_far: &[Value]) -> Result<Value, DecodeError> {
        if field.is_array() {
            return self.array(field, so_far);
        }
        Ok(match field.ty {
            Type::Primitive(Primitive::Int8) => Value::Int8(one!(self, i8)),
            Type::Primitive(Primitive::Int16) => Value::Int16(one!(self, i16)),
            Type::Primitive(Primitive::Int32) => Value::Int32(one!(self, i32)),
            Type::Primitive(Primitive::Int64) => Value::Int64(one!(self, i64)),
            Type::Primitive(Primitive::Byte) => Value::Byte(one!(self, u8)),
            Type::Primitive(Primitive::Float) => Value::Float(one!(self, f32)),
            Type::Primitive(Primitive::Double) => Value::Double(one!(self, f64)),
            Type::Primitive(Primitive::String) => Value::String(self.text()?),
            Type::Primitive(Primitive::Boolean) => Value::Boolean(one!(self, u8) != 0),
            Type::Enum(_) => Value::Enum(one!(self, i32)),
            Type::Struct(id) => {
                self.limits.spend(memory::boxed())?;
                self.nested(id)?.into()
            }
        })
    }

    fn array(&mut self, field: &Field, so_far: &[Value]) -> Result<Value, DecodeError> {
        let shape = self.shape(field, so_far)?;
        let total = count(&shape).ok_or(DecodeCause::TooMuchMemory)?;
        self.limits.spend(memory::elements(field.ty, total))?;
        let mut items = Items::with_capacity(field.ty, total);
        if self.format.counts() == Counts::Each {
            self.rows(field, &shape, 0, &mut items)?;
        } else {
            if self.format.counts() == Counts::Whole && field.is_variable() {
                self.count(total)?;
            }
            self.items(field.ty, &shape, total, &mut items)?;
        }
        // The shape's product is the number of elements read, so this never fails.
        let array = Array::new(&shape, items).ok_or(DecodeCause::TooMuchMemory)?;
        self.share(array).map(Value::Array)
    }

    /// An array; if it is empty, a shared one.
    fn share(&mut self, array: Array) -> Result<Arc<Array>, DecodeError> {
        let empty = array.items().is_empty();
        if empty && let Some(known) = self.empties.iter().find(|known| ***known == array) {
            return Ok(known.clone());
        }
        self.limits.spend(memory::array(array.shape().len()))?;
        let array = Arc::new(array);
        if empty && self.empties.len() < EMPTIES {
            self.empties.push(array.clone());
        }
        Ok(array)
    }

    /// Sizes of the dimensions, checked against the bytes left.
    fn shape(&mut self, field: &Field, so_far: &[Value]) -> Result<Vec<usize>, DecodeError> {
        let mut shape = Vec::with_capacity(field.dims.len());
        for dim in &field.dims {
            let size = match dim.extent {
                Extent::Fixed(n) => i64::from(n),
                Extent::Variable(i) => so_far.get(i).and_then(Value::as_i64).unwrap_or(0),
            };
            if size < 0 {
                return Err(BytesError::NegativeSize { at: self.reader.position(), size }.into());
            }
            shape.push(usize::try_from(size).unwrap_or(usize::MAX));
        }
        self.limits.sizes(&shape, self.min_size(field.ty), &self.reader)?;
        Ok(shape)
    }

    /// Least number of bytes of a value, without padding.
    fn min_size(&self, ty: Type) -> usize {
        let least = usize::try_from(self.schema.min_size(ty)).unwrap_or(usize::MAX);
        // At worst all of it is strings, each of which may take 4 bytes instead of 5.
        if self.format.bare_strings() { least - least / 5 } else { least }
    }

    /// Reads sequences of sequences: a count before each variable dimension.
    fn rows(
        &mut self,
        field: &Field,
        shape: &[usize],
        dim: usize,
        items: &mut Items,
    ) -> Result<(), DecodeError> {
        if matches!(field.dims[dim].extent, Extent::Variable(_)) {
            self.count(shape[dim])?;
        }
        if field.dims[dim + 1..].iter().all(|d| matches!(d.extent, Extent::Fixed(_))) {
            return self.items(field.ty, shape, shape[dim..].iter().product(), items);
        }
        (0..shape[dim]).try_for_each(|_| self.rows(field, shape, dim + 1, items))
    }

    fn count(&mut self, says: usize) -> Result<(), DecodeError> {
        let found = one!(self, u32);
        if usize::try_from(found) == Ok(says) {
            Ok(())
        } else {
            Err(DecodeCause::Count { says, found }.into())
        }
    }

    /// Appends the next `n` elements.
    fn items(&mut self, ty: Type, shape: &[usize], n: usize, items: &mut Items) -> Result<(), DecodeError> {
        match items {
            Items::Int8(v) => many!(self, v, n, i8),
            Items::Int16(v) => many!(self, v, n, i16),
            Items::Int32(v) | Items::Enum(v) => many!(self, v, n, i32),
            Items::Int64(v) => many!(self, v, n, i64),
            Items::Byte(v) => many!(self, v, n, u8),
            Items::Float(v) => many!(self, v, n, f32),
            Items::Double(v) => many!(self, v, n, f64),
            Items::Boolean(v) => v.extend(self.raw(1, n)?.iter().map(|&b| b != 0)),
            Items::String(v) => {
                for _ in 0..n {
                    v.push(self.text().map_err(|e| e.within(&Array::indices(shape, v.len())))?);
                }
            }
            Items::Record(v) => {
                let Type::Struct(id) = ty else { return Ok(()) };
                for _ in 0..n {
                    v.push(self.nested(id).map_err(|e| e.within(&Array::indices(shape, v.len())))?);
                }
            }
        }
        Ok(())
    }

    fn text(&mut self) -> Result<Text, DecodeError> {
        let length = one!(self, i32);
        let at = self.reader.position();
        if length == 0 && self.format.bare_strings() {
            return Ok(Text::default());
        }
        if length < 1 {
            return Err(BytesError::StringLength { at: at - 4, length }.into());
        }
        match self.reader.take(length as usize)?.split_last() {
            Some((0, text)) => {
                self.limits.spend(memory::text(text.len()))?;
                Ok(text.into())
            }
            _ => Err(BytesError::StringEnd { at: self.reader.position() - 1 }.into()),
        }
    }

    /// The bytes of the next `n` numbers of `size` bytes, after their padding.
    fn raw(&mut self, size: usize, n: usize) -> Result<&'a [u8], DecodeError> {
        if n > 0 {
            self.reader.take(self.format.padding(self.reader.position(), size))?;
        }
        Ok(self.reader.take(size.saturating_mul(n))?)
    }
}
