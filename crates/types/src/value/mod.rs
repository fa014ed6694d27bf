//! Messages of any type, without generated code.
//!
//! A message is a [`Record`]: a struct of a schema with a [`Value`] for each field. It knows its schema, so it can say what
//! its fields are called, print itself and be turned into any encoding. Arrays of numbers are vectors of numbers
//! ([`Items`]), not of values, whatever number of dimensions they have.
//!
//! A record always fits its struct: each value has the type of its field, and each array has as many dimensions as its
//! field, those of fixed size in that size. Only size fields may disagree with the arrays that they count, until
//! [`Record::set_sizes`] makes them agree; encoders refuse such a record.

pub(crate) mod array;
mod display;
pub(crate) mod memory;
mod path;
mod record;
mod text;
mod zero;

pub use array::{Array, Items};
pub(crate) use display::starting;
pub use record::{Misfit, Record};
pub(crate) use record::{declaration, integer};
pub use text::Text;
pub use zero::TooLarge;
pub(crate) use zero::Zeros;

use std::sync::Arc;

/// The value of a field, or of an element of an array.
#[derive(Clone, Debug)]
pub enum Value {
    /// `int8_t`
    Int8(i8),
    /// `int16_t`
    Int16(i16),
    /// `int32_t`
    Int32(i32),
    /// `int64_t`
    Int64(i64),
    /// `byte`
    Byte(u8),
    /// `float`
    Float(f32),
    /// `double`
    Double(f64),
    /// `string`
    String(Text),
    /// `boolean`
    Boolean(bool),
    /// Of an enum: any number, named or not.
    Enum(i32),
    /// Of a struct.
    Record(Box<Record>),
    /// Of a field with dimensions. Copies of a value share it.
    Array(Arc<Array>),
}

impl Value {
    /// An integer of any size, a `byte`, or the number of an enum.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Value::Int8(v) => Some(v.into()),
            Value::Int16(v) => Some(v.into()),
            Value::Int32(v) | Value::Enum(v) => Some(v.into()),
            Value::Int64(v) => Some(v),
            Value::Byte(v) => Some(v.into()),
            _ => None,
        }
    }
    /// Any number, for a plot: a large `int64_t` is rounded, a `boolean` is 0 or 1.
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Value::Float(v) => Some(v.into()),
            Value::Double(v) => Some(v),
            Value::Boolean(v) => Some(f64::from(u8::from(v))),
            _ => self.as_i64().map(|v| v as f64),
        }
    }
    /// A `boolean`.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Boolean(v) = self { Some(*v) } else { None }
    }
    /// A string, if it is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(v) = self { v.as_str() } else { None }
    }
    /// A struct.
    pub fn as_record(&self) -> Option<&Record> {
        if let Value::Record(v) = self { Some(v) } else { None }
    }
    /// An array.
    pub fn as_array(&self) -> Option<&Array> {
        if let Value::Array(v) = self { Some(v) } else { None }
    }
    /// What it is, in the words of the language: `int32_t`, `struct`, `array`.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Int8(_) => "int8_t",
            Value::Int16(_) => "int16_t",
            Value::Int32(_) => "int32_t",
            Value::Int64(_) => "int64_t",
            Value::Byte(_) => "byte",
            Value::Float(_) => "float",
            Value::Double(_) => "double",
            Value::String(_) => "string",
            Value::Boolean(_) => "boolean",
            Value::Enum(_) => "enum",
            Value::Record(_) => "struct",
            Value::Array(_) => "array",
        }
    }
}

/// Floats are equal if their bits are: a NaN equals itself, and 0.0 differs from -0.0.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Int8(a), Value::Int8(b)) => a == b,
            (Value::Int16(a), Value::Int16(b)) => a == b,
            (Value::Int32(a), Value::Int32(b)) => a == b,
            (Value::Int64(a), Value::Int64(b)) => a == b,
            (Value::Byte(a), Value::Byte(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Double(a), Value::Double(b)) => a.to_bits() == b.to_bits(),
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Boolean(a), Value::Boolean(b)) => a == b,
            (Value::Enum(a), Value::Enum(b)) => a == b,
            (Value::Record(a), Value::Record(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a == b,
            _ => false,
        }
    }
}

impl From<Record> for Value {
    fn from(record: Record) -> Value {
        Value::Record(Box::new(record))
    }
}
impl From<Array> for Value {
    fn from(array: Array) -> Value {
        Value::Array(Arc::new(array))
    }
}
impl From<Items> for Value {
    /// An array of one dimension.
    fn from(items: Items) -> Value {
        Array::flat(items).into()
    }
}

macro_rules! from {
    ($($ty:ty => $variant:ident,)*) => {$(
        impl From<$ty> for Value {
            fn from(value: $ty) -> Value {
                Value::$variant(value.into())
            }
        }
    )*};
}
from! {
    i8 => Int8, i16 => Int16, i32 => Int32, i64 => Int64, u8 => Byte, f32 => Float, f64 => Double, bool => Boolean,
    &str => String, String => String, Text => String,
}
