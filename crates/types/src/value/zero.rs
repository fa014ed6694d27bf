//! Values that are all zero or empty.

use super::{Array, Items, Record, Text, Value};
use crate::{Extent, Field, Primitive, Schema, StructId, Type};
use saltus_wire::MAX_DEPTH;
use std::fmt;
use std::sync::Arc;

/// Most bytes of zeros: as many as LCM's longest message has.
const MAX_ZEROS: usize = 1 << 28;

impl Record {
    /// A record in which everything is 0, `false` or empty.
    ///
    /// # Errors
    /// The type is too large, or its structs are nested too deep.
    pub fn zero(schema: &Arc<Schema>, id: StructId) -> Result<Record, TooLarge> {
        Zeros::new(schema).record(id)
    }
}

/// Creates zeros within limits: a type of a few lines can require gigabytes.
pub(crate) struct Zeros<'s> {
    schema: &'s Arc<Schema>,
    left: usize,
    /// The depth of enclosing structs.
    pub depth: u32,
}

impl<'s> Zeros<'s> {
    pub fn new(schema: &'s Arc<Schema>) -> Zeros<'s> {
        Zeros { schema, left: MAX_ZEROS, depth: 0 }
    }
    /// A record of zeros.
    pub fn record(&mut self, id: StructId) -> Result<Record, TooLarge> {
        let schema = self.schema;
        let definition = schema.get(id);
        self.spend(definition, 1 + definition.fields.len(), size_of::<Value>())?;
        let values: Result<Vec<Value>, TooLarge> =
            definition.fields.iter().map(|field| self.field(id, field)).collect();
        Ok(Record::of(schema, id, values?))
    }
    /// The zero value of a field of struct `id`; arrays of variable size are empty.
    pub fn field(&mut self, id: StructId, field: &Field) -> Result<Value, TooLarge> {
        if field.is_array() {
            let size = |d: &crate::Dim| if let Extent::Fixed(n) = d.extent { n as usize } else { 0 };
            let shape: Vec<usize> = field.dims.iter().map(size).collect();
            return self.array(id, field, &shape);
        }
        Ok(match field.ty {
            Type::Primitive(Primitive::Int8) => Value::Int8(0),
            Type::Primitive(Primitive::Int16) => Value::Int16(0),
            Type::Primitive(Primitive::Int32) => Value::Int32(0),
            Type::Primitive(Primitive::Int64) => Value::Int64(0),
            Type::Primitive(Primitive::Byte) => Value::Byte(0),
            Type::Primitive(Primitive::Float) => Value::Float(0.0),
            Type::Primitive(Primitive::Double) => Value::Double(0.0),
            Type::Primitive(Primitive::String) => Value::String(Text::default()),
            Type::Primitive(Primitive::Boolean) => Value::Boolean(false),
            Type::Enum(_) => Value::Enum(0),
            Type::Struct(inner) => self.nested(id, inner)?.into(),
        })
    }
    fn array(&mut self, id: StructId, field: &Field, shape: &[usize]) -> Result<Value, TooLarge> {
        let definition = self.schema.get(id);
        let n = super::count(shape).ok_or_else(|| TooLarge::of(definition))?;
        let mut items = Items::empty(field.ty);
        match &mut items {
            Items::Record(v) => {
                let Type::Struct(inner) = field.ty else { return Err(TooLarge::of(definition)) };
                for _ in 0..n {
                    v.push(self.nested(id, inner)?);
                }
            }
            Items::String(v) => {
                self.spend(definition, n, size_of::<Text>())?;
                v.resize(n, Text::default());
            }
            Items::Int8(v) => self.zeros(id, v, n)?,
            Items::Int16(v) => self.zeros(id, v, n)?,
            Items::Int32(v) | Items::Enum(v) => self.zeros(id, v, n)?,
            Items::Int64(v) => self.zeros(id, v, n)?,
            Items::Byte(v) => self.zeros(id, v, n)?,
            Items::Float(v) => self.zeros(id, v, n)?,
            Items::Double(v) => self.zeros(id, v, n)?,
            Items::Boolean(v) => self.zeros(id, v, n)?,
        }
        Array::new(shape, items).map(Value::from).ok_or_else(|| TooLarge::of(definition))
    }
    fn zeros<T: Copy + Default>(&mut self, id: StructId, v: &mut Vec<T>, n: usize) -> Result<(), TooLarge> {
        self.spend(self.schema.get(id), n, size_of::<T>())?;
        v.resize(n, T::default());
        Ok(())
    }
    fn nested(&mut self, outer: StructId, id: StructId) -> Result<Record, TooLarge> {
        if self.depth == MAX_DEPTH {
            return Err(TooLarge::of(self.schema.get(outer)));
        }
        self.depth += 1;
        let record = self.record(id);
        self.depth -= 1;
        record
    }
    /// Counts `n` items of `each` bytes.
    pub fn spend(&mut self, what: &crate::Struct, n: usize, each: usize) -> Result<(), TooLarge> {
        let bytes = n.checked_mul(each);
        self.left = bytes.and_then(|b| self.left.checked_sub(b)).ok_or_else(|| TooLarge::of(what))?;
        Ok(())
    }
}

/// The zero value of a type would take more than 256 MiB, or its structs are nested more than 128 deep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// Name of the type.
    pub name: String,
}

impl TooLarge {
    fn of(what: &crate::Struct) -> TooLarge {
        TooLarge { name: what.name.to_string() }
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a value of {} is too large: more than {} MiB, or structs nested more than {MAX_DEPTH} deep",
            self.name,
            MAX_ZEROS >> 20
        )
    }
}
impl std::error::Error for TooLarge {}
