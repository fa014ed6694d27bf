//! Arrays: elements of one type in a row, and a shape.

use super::{Record, Text, Value};
use crate::{Primitive, Type};

/// The elements of an array, all dimensions in one vector, the last dimension fastest.
#[derive(Clone, Debug)]
pub enum Items {
    /// `int8_t`
    Int8(Vec<i8>),
    /// `int16_t`
    Int16(Vec<i16>),
    /// `int32_t`
    Int32(Vec<i32>),
    /// `int64_t`
    Int64(Vec<i64>),
    /// `byte`
    Byte(Vec<u8>),
    /// `float`
    Float(Vec<f32>),
    /// `double`
    Double(Vec<f64>),
    /// `string`
    String(Vec<Text>),
    /// `boolean`
    Boolean(Vec<bool>),
    /// Of an enum.
    Enum(Vec<i32>),
    /// Of a struct.
    Record(Vec<Record>),
}

/// The same for the elements of any type: `$v` is the vector.
macro_rules! with_items {
    ($items:expr, $v:ident => $body:expr) => {
        match $items {
            Items::Int8($v) => $body,
            Items::Int16($v) => $body,
            Items::Int32($v) => $body,
            Items::Int64($v) => $body,
            Items::Byte($v) => $body,
            Items::Float($v) => $body,
            Items::Double($v) => $body,
            Items::String($v) => $body,
            Items::Boolean($v) => $body,
            Items::Enum($v) => $body,
            Items::Record($v) => $body,
        }
    };
}

impl Items {
    /// No elements of this type.
    pub fn empty(ty: Type) -> Items {
        Items::with_capacity(ty, 0)
    }
    /// No elements of this type, and room for `n`.
    pub(crate) fn with_capacity(ty: Type, n: usize) -> Items {
        match ty {
            Type::Primitive(Primitive::Int8) => Items::Int8(Vec::with_capacity(n)),
            Type::Primitive(Primitive::Int16) => Items::Int16(Vec::with_capacity(n)),
            Type::Primitive(Primitive::Int32) => Items::Int32(Vec::with_capacity(n)),
            Type::Primitive(Primitive::Int64) => Items::Int64(Vec::with_capacity(n)),
            Type::Primitive(Primitive::Byte) => Items::Byte(Vec::with_capacity(n)),
            Type::Primitive(Primitive::Float) => Items::Float(Vec::with_capacity(n)),
            Type::Primitive(Primitive::Double) => Items::Double(Vec::with_capacity(n)),
            Type::Primitive(Primitive::String) => Items::String(Vec::with_capacity(n)),
            Type::Primitive(Primitive::Boolean) => Items::Boolean(Vec::with_capacity(n)),
            Type::Enum(_) => Items::Enum(Vec::with_capacity(n)),
            Type::Struct(_) => Items::Record(Vec::with_capacity(n)),
        }
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        with_items!(self, v => v.len())
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Element `i`.
    pub fn get(&self, i: usize) -> Option<Value> {
        Some(match self {
            Items::Int8(v) => Value::Int8(*v.get(i)?),
            Items::Int16(v) => Value::Int16(*v.get(i)?),
            Items::Int32(v) => Value::Int32(*v.get(i)?),
            Items::Int64(v) => Value::Int64(*v.get(i)?),
            Items::Byte(v) => Value::Byte(*v.get(i)?),
            Items::Float(v) => Value::Float(*v.get(i)?),
            Items::Double(v) => Value::Double(*v.get(i)?),
            Items::String(v) => Value::String(v.get(i)?.clone()),
            Items::Boolean(v) => Value::Boolean(*v.get(i)?),
            Items::Enum(v) => Value::Enum(*v.get(i)?),
            Items::Record(v) => v.get(i)?.clone().into(),
        })
    }
    /// The elements from `start` to before `end`, copied.
    fn part(&self, start: usize, end: usize) -> Option<Items> {
        Some(match self {
            Items::Int8(v) => Items::Int8(v.get(start..end)?.into()),
            Items::Int16(v) => Items::Int16(v.get(start..end)?.into()),
            Items::Int32(v) => Items::Int32(v.get(start..end)?.into()),
            Items::Int64(v) => Items::Int64(v.get(start..end)?.into()),
            Items::Byte(v) => Items::Byte(v.get(start..end)?.into()),
            Items::Float(v) => Items::Float(v.get(start..end)?.into()),
            Items::Double(v) => Items::Double(v.get(start..end)?.into()),
            Items::String(v) => Items::String(v.get(start..end)?.into()),
            Items::Boolean(v) => Items::Boolean(v.get(start..end)?.into()),
            Items::Enum(v) => Items::Enum(v.get(start..end)?.into()),
            Items::Record(v) => Items::Record(v.get(start..end)?.into()),
        })
    }
    /// What the elements are, as [`Value::kind`] says it.
    pub fn kind(&self) -> &'static str {
        match self {
            Items::Int8(_) => "int8_t",
            Items::Int16(_) => "int16_t",
            Items::Int32(_) => "int32_t",
            Items::Int64(_) => "int64_t",
            Items::Byte(_) => "byte",
            Items::Float(_) => "float",
            Items::Double(_) => "double",
            Items::String(_) => "string",
            Items::Boolean(_) => "boolean",
            Items::Enum(_) => "enum",
            Items::Record(_) => "struct",
        }
    }
}

/// Floats by their bits, as in [`Value`].
impl PartialEq for Items {
    fn eq(&self, other: &Items) -> bool {
        match (self, other) {
            (Items::Int8(a), Items::Int8(b)) => a == b,
            (Items::Int16(a), Items::Int16(b)) => a == b,
            (Items::Int32(a), Items::Int32(b)) => a == b,
            (Items::Int64(a), Items::Int64(b)) => a == b,
            (Items::Byte(a), Items::Byte(b)) => a == b,
            (Items::Float(a), Items::Float(b)) => {
                a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits()))
            }
            (Items::Double(a), Items::Double(b)) => {
                a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits()))
            }
            (Items::String(a), Items::String(b)) => a == b,
            (Items::Boolean(a), Items::Boolean(b)) => a == b,
            (Items::Enum(a), Items::Enum(b)) => a == b,
            (Items::Record(a), Items::Record(b)) => a == b,
            _ => false,
        }
    }
}

/// Elements and the sizes of their dimensions, outermost first.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    shape: Box<[usize]>,
    items: Items,
}

impl Array {
    /// An array of this shape; nothing if `shape` does not multiply to the number of `items`, or is empty.
    pub fn new(shape: &[usize], items: Items) -> Option<Array> {
        (!shape.is_empty() && count(shape) == Some(items.len())).then(|| Array { shape: shape.into(), items })
    }
    /// An array of one dimension.
    pub fn flat(items: Items) -> Array {
        Array { shape: [items.len()].into(), items }
    }
    /// Sizes of its dimensions, outermost first. Behind one of size 0 the others may be anything.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// All elements, the last dimension fastest.
    pub fn items(&self) -> &Items {
        &self.items
    }
    /// Its elements, if they are structs.
    pub fn records(&self) -> &[Record] {
        if let Items::Record(v) = &self.items { v } else { &[] }
    }
    pub(super) fn records_mut(&mut self) -> &mut [Record] {
        if let Items::Record(v) = &mut self.items { v } else { &mut [] }
    }
    /// What lies at these indices: an element, or an array of the dimensions that are left. A copy.
    pub fn at(&self, indices: &[usize]) -> Option<Value> {
        let rest = self.shape.get(indices.len()..)?;
        let start = self.offset(indices)?;
        if rest.is_empty() {
            return self.items.get(start);
        }
        let items = self.items.part(start, start + count(rest)?)?;
        Some(Array { shape: rest.into(), items }.into())
    }
    /// Position of the first element at these indices, of which there may be fewer than dimensions.
    pub(super) fn offset(&self, indices: &[usize]) -> Option<usize> {
        let mut offset = 0usize;
        for (&i, &n) in indices.iter().zip(&self.shape) {
            offset = offset.checked_mul(n)?.checked_add(Some(i).filter(|&i| i < n)?)?;
        }
        offset.checked_mul(count(self.shape.get(indices.len()..)?)?)
    }
    /// `[1][2]`, the indices of element `i`.
    pub(crate) fn indices(shape: &[usize], mut i: usize) -> String {
        let mut parts = Vec::with_capacity(shape.len());
        for &n in shape.iter().skip(1).rev() {
            parts.push(i.checked_rem(n).unwrap_or(0));
            i = i.checked_div(n).unwrap_or(0);
        }
        parts.push(i);
        parts.iter().rev().map(|i| format!("[{i}]")).collect()
    }
}

/// How many elements a shape has, if a `usize` can say it. 0 if any dimension is 0.
pub(crate) fn count(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1usize, |n, &k| n.checked_mul(k))
}
