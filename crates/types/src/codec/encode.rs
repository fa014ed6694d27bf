//! Encodes records to bytes.

use super::{Counts, EncodeCause, EncodeError, Format, Order};
use crate::value::{Array, Items, Record, Text, Value};
use crate::{Extent, Field, Struct};
use saltus_wire::{EncodeError as ValueError, MAX_DEPTH};
use std::ops::Range;

/// Appends records to existing bytes.
pub(crate) struct Encoder<F> {
    pub out: Vec<u8>,
    format: F,
    depth: u32,
}

/// Appends a slice of numbers, with the byte order of the format.
macro_rules! many {
    ($self:ident, $numbers:expr) => {{
        let numbers = $numbers;
        $self.pad(numbers.first().map_or(0, size_of_val));
        let start = $self.out.len();
        $self.zeros(size_of_val(numbers));
        let (places, _) = $self.out[start..].as_chunks_mut();
        let pairs = places.iter_mut().zip(numbers);
        match $self.format.order() {
            Order::Big => pairs.for_each(|(place, v)| *place = v.to_be_bytes()),
            Order::Little => pairs.for_each(|(place, v)| *place = v.to_le_bytes()),
        }
    }};
}

impl<F: Format> Encoder<F> {
    /// Appends to `out`.
    pub fn new(out: Vec<u8>, format: F) -> Encoder<F> {
        Encoder { out, format, depth: 0 }
    }

    /// Writes a struct.
    pub fn record(&mut self, record: &Record) -> Result<(), EncodeError> {
        self.format.enter(record.id(), self.out.len());
        let definition = record.definition();
        for (index, value) in record.values().iter().enumerate() {
            let skip = self.format.field(index, self.out.len());
            self.zeros(skip);
            let field = &definition.fields[index];
            self.field(definition, field, value, record.values()).map_err(|e| e.within(&field.name))?;
        }
        if record.values().is_empty() && self.format.dummy() {
            self.out.push(0);
        }
        let skip = self.format.leave(self.out.len());
        self.zeros(skip);
        Ok(())
    }

    fn nested(&mut self, record: &Record) -> Result<(), EncodeError> {
        if self.depth == MAX_DEPTH {
            return Err(ValueError::TooDeep.into());
        }
        self.depth += 1;
        let done = self.record(record);
        self.depth -= 1;
        done
    }

    fn field(&mut self, of: &Struct, field: &Field, value: &Value, all: &[Value]) -> Result<(), EncodeError> {
        match value {
            Value::Int8(v) => many!(self, &[*v]),
            Value::Int16(v) => many!(self, &[*v]),
            Value::Int32(v) | Value::Enum(v) => many!(self, &[*v]),
            Value::Int64(v) => many!(self, &[*v]),
            Value::Byte(v) => many!(self, &[*v]),
            Value::Float(v) => many!(self, &[*v]),
            Value::Double(v) => many!(self, &[*v]),
            Value::Boolean(v) => many!(self, &[u8::from(*v)]),
            Value::String(v) => self.text(v)?,
            Value::Record(v) => self.nested(v)?,
            Value::Array(v) => self.array(of, field, v, all)?,
        }
        Ok(())
    }

    fn array(&mut self, of: &Struct, field: &Field, array: &Array, all: &[Value]) -> Result<(), EncodeError> {
        for (dim, &has) in field.dims.iter().zip(array.shape()) {
            if let Extent::Variable(i) = dim.extent {
                let says = all.get(i).and_then(Value::as_i64).unwrap_or(0);
                if usize::try_from(says) != Ok(has) {
                    let size_field = of.fields[i].name.clone();
                    return Err(EncodeCause::Size { size_field, says, has }.into());
                }
            }
            if has == 0 {
                // After a dimension of size 0 nothing is written, so nothing can be wrong.
                break;
            }
        }
        match self.format.counts() {
            Counts::Each => {
                let mut next = 0;
                self.rows(field, array, 0, &mut next)
            }
            counts => {
                let total = array.items().len();
                if counts == Counts::Whole && field.is_variable() {
                    self.count(total)?;
                }
                self.items(array, 0..total)
            }
        }
    }

    /// Writes sequences of sequences: a count before each variable dimension. `next` is the first element to write.
    fn rows(
        &mut self,
        field: &Field,
        array: &Array,
        dim: usize,
        next: &mut usize,
    ) -> Result<(), EncodeError> {
        let shape = array.shape();
        if matches!(field.dims[dim].extent, Extent::Variable(_)) {
            self.count(shape[dim])?;
        }
        if field.dims[dim + 1..].iter().all(|d| matches!(d.extent, Extent::Fixed(_))) {
            let start = *next;
            *next += shape[dim..].iter().product::<usize>();
            return self.items(array, start..*next);
        }
        (0..shape[dim]).try_for_each(|_| self.rows(field, array, dim + 1, next))
    }

    fn count(&mut self, n: usize) -> Result<(), EncodeError> {
        let n = u32::try_from(n).map_err(|_| EncodeCause::TooLong(n))?;
        many!(self, &[n]);
        Ok(())
    }

    fn items(&mut self, array: &Array, range: Range<usize>) -> Result<(), EncodeError> {
        match array.items() {
            Items::Int8(v) => many!(self, &v[range]),
            Items::Int16(v) => many!(self, &v[range]),
            Items::Int32(v) | Items::Enum(v) => many!(self, &v[range]),
            Items::Int64(v) => many!(self, &v[range]),
            Items::Byte(v) => many!(self, &v[range]),
            Items::Float(v) => many!(self, &v[range]),
            Items::Double(v) => many!(self, &v[range]),
            Items::Boolean(v) => self.out.extend(v[range].iter().map(|&b| u8::from(b))),
            Items::String(v) => {
                for i in range {
                    self.text(&v[i]).map_err(|e| e.within(&Array::indices(array.shape(), i)))?;
                }
            }
            Items::Record(v) => {
                for i in range {
                    self.nested(&v[i]).map_err(|e| e.within(&Array::indices(array.shape(), i)))?;
                }
            }
        }
        Ok(())
    }

    fn text(&mut self, text: &Text) -> Result<(), EncodeError> {
        let bytes = text.as_bytes();
        if bytes.contains(&0) {
            return Err(ValueError::Nul.into());
        }
        let length = i32::try_from(bytes.len() + 1).map_err(|_| ValueError::TooLong(bytes.len()))?;
        many!(self, &[length]);
        self.out.extend_from_slice(bytes);
        self.out.push(0);
        Ok(())
    }

    fn pad(&mut self, size: usize) {
        if size > 0 {
            let padding = self.format.padding(self.out.len(), size);
            self.zeros(padding);
        }
    }

    fn zeros(&mut self, n: usize) {
        self.out.resize(self.out.len() + n, 0);
    }
}
