//! Messages of any type, without generated code.
//!
//! A message is a [`Record`]: a struct of a schema with a [`Value`] for each field. It refers to its schema, so it
//! can name its fields, print itself and be converted to any encoding. Arrays of numbers are vectors of numbers
//! ([`Items`]), not of values, for any number of dimensions.
//!
//! A record always fits its struct: each value has the type of its field, and each array has the dimensions of its
//! field, with the fixed sizes. Only size fields may differ from the arrays that they count, until
//! [`Record::set_sizes`] sets them; encoders refuse such a record.

mod display;
pub(crate) mod memory;
mod path;
mod text;
mod zero;

pub(crate) use display::starting;
pub use text::Text;
pub use zero::TooLarge;
pub(crate) use zero::Zeros;

use crate::{Extent, Field, Primitive, Schema, Struct, StructId, Type};
use std::fmt;
use std::sync::Arc;

/// Calls a macro with all kinds of values: the primitive ones, then the others.
macro_rules! kinds {
    ($name:ident!($($more:tt)*)) => {
        $name!([Int8 Int16 Int32 Int64 Byte Float Double String Boolean] [Enum Record] $($more)*)
    };
}

/// Evaluates an expression for the elements of an array: `$v` is the vector.
macro_rules! with_items {
    ([$($primitive:ident)*] [$($other:ident)*] $items:expr, $v:ident => $body:expr) => {
        match $items { $(Items::$primitive($v) => $body,)* $(Items::$other($v) => $body,)* }
    };
}

/// Evaluates an expression for the elements of an array: a vector of the same type.
macro_rules! map_items {
    ([$($primitive:ident)*] [$($other:ident)*] $items:expr, $v:ident => $body:expr) => {
        match $items {
            $(Items::$primitive($v) => Items::$primitive($body),)*
            $(Items::$other($v) => Items::$other($body),)*
        }
    };
}

/// A vector for elements of a type.
macro_rules! new_items {
    ([$($primitive:ident)*] [$($other:ident)*] $ty:expr, $new:expr) => {
        match $ty {
            $(Type::Primitive(Primitive::$primitive) => Items::$primitive($new),)*
            Type::Enum(_) => Items::Enum($new),
            Type::Struct(_) => Items::Record($new),
        }
    };
}

/// Whether two values, or two vectors, are equal; `$bits` compares floats.
macro_rules! equal {
    ($of:ident, $pair:expr, $bits:ident, [$($exact:ident)*]) => {
        match $pair {
            ($of::Float(a), $of::Float(b)) => $bits(a, b, |v| v.to_bits().into()),
            ($of::Double(a), $of::Double(b)) => $bits(a, b, |v| v.to_bits()),
            $(($of::$exact(a), $of::$exact(b)) => a == b,)*
            _ => false,
        }
    };
}

/// The name of a kind, in the terms of the language.
macro_rules! kind {
    ($of:ident, $value:expr $(, $more:ident $name:literal)*) => {
        match $value {
            $of::Int8(_) => "int8_t",
            $of::Int16(_) => "int16_t",
            $of::Int32(_) => "int32_t",
            $of::Int64(_) => "int64_t",
            $of::Byte(_) => "byte",
            $of::Float(_) => "float",
            $of::Double(_) => "double",
            $of::String(_) => "string",
            $of::Boolean(_) => "boolean",
            $of::Enum(_) => "enum",
            $of::Record(_) => "struct",
            $($of::$more(_) => $name,)*
        }
    };
}

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
    /// Its kind, in the terms of the language: `int32_t`, `struct`, `array`.
    pub fn kind(&self) -> &'static str {
        kind!(Value, self, Array "array")
    }
}

/// Floats are equal if their bits are: a NaN equals itself, and 0.0 differs from -0.0.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        fn bits<T: Copy>(a: &T, b: &T, of: fn(T) -> u64) -> bool {
            of(*a) == of(*b)
        }
        equal!(Value, (self, other), bits, [Int8 Int16 Int32 Int64 Byte String Boolean Enum Record Array])
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

impl Items {
    /// No elements of this type.
    pub fn empty(ty: Type) -> Items {
        Items::with_capacity(ty, 0)
    }
    /// No elements of this type, with capacity for `n`.
    pub(crate) fn with_capacity(ty: Type, n: usize) -> Items {
        kinds!(new_items!(ty, Vec::with_capacity(n)))
    }
    /// The number of elements.
    pub fn len(&self) -> usize {
        kinds!(with_items!(self, v => v.len()))
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Element `i`.
    pub fn get(&self, i: usize) -> Option<Value> {
        Some(match self {
            Items::Enum(v) => Value::Enum(*v.get(i)?),
            _ => kinds!(with_items!(self, v => v.get(i).cloned()?.into())),
        })
    }
    /// The elements from `start` to before `end`, copied.
    fn part(&self, start: usize, end: usize) -> Option<Items> {
        Some(kinds!(map_items!(self, v => v.get(start..end)?.into())))
    }
    /// The kind of the elements, as [`Value::kind`].
    pub fn kind(&self) -> &'static str {
        kind!(Items, self)
    }
}

/// Floats are compared by their bits, as in [`Value`].
impl PartialEq for Items {
    fn eq(&self, other: &Items) -> bool {
        fn bits<T: Copy>(a: &[T], b: &[T], of: fn(T) -> u64) -> bool {
            a.iter().map(|v| of(*v)).eq(b.iter().map(|v| of(*v)))
        }
        equal!(Items, (self, other), bits, [Int8 Int16 Int32 Int64 Byte String Boolean Enum Record])
    }
}

/// Elements and the sizes of their dimensions, outermost first.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    shape: Box<[usize]>,
    items: Items,
}

impl Array {
    /// An array of this shape; `None` if the product of `shape` is not the number of `items`, or `shape` is empty.
    pub fn new(shape: &[usize], items: Items) -> Option<Array> {
        (!shape.is_empty() && count(shape) == Some(items.len())).then(|| Array { shape: shape.into(), items })
    }
    /// An array of one dimension.
    pub fn flat(items: Items) -> Array {
        Array { shape: [items.len()].into(), items }
    }
    /// Sizes of its dimensions, outermost first. After one of size 0, the others are arbitrary.
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
    /// The value at these indices: an element, or an array of the remaining dimensions. A copy.
    pub fn at(&self, indices: &[usize]) -> Option<Value> {
        let rest = self.shape.get(indices.len()..)?;
        let start = self.offset(indices)?;
        if rest.is_empty() {
            return self.items.get(start);
        }
        let items = self.items.part(start, start + count(rest)?)?;
        Some(Array { shape: rest.into(), items }.into())
    }
    /// Position of the first element at these indices, which may be fewer than the dimensions.
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

/// The number of elements of a shape, if it fits into a `usize`. 0 if any dimension is 0.
pub(crate) fn count(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1usize, |n, &k| n.checked_mul(k))
}

/// A value for each field of a struct.
#[derive(Clone)]
pub struct Record {
    schema: Arc<Schema>,
    id: StructId,
    values: Box<[Value]>,
}

impl Record {
    /// A record of values that fit.
    pub(crate) fn of(schema: &Arc<Schema>, id: StructId, values: Vec<Value>) -> Record {
        debug_assert_eq!(schema.get(id).fields.len(), values.len());
        Record { schema: schema.clone(), id, values: values.into() }
    }
    /// The schema of its types.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    /// Its struct.
    pub fn id(&self) -> StructId {
        self.id
    }
    /// The definition of its struct: name, fields, fingerprint.
    pub fn definition(&self) -> &Struct {
        self.schema.get(self.id)
    }
    /// All values, in the order of the fields.
    pub fn values(&self) -> &[Value] {
        &self.values
    }
    /// All fields with their values.
    pub fn fields(&self) -> impl Iterator<Item = (&Field, &Value)> {
        self.definition().fields.iter().zip(&*self.values)
    }
    /// The value of a field.
    pub fn field(&self, name: &str) -> Option<&Value> {
        let (i, _) = self.definition().field(name)?;
        self.values.get(i)
    }
    /// Sets the value of a field.
    ///
    /// # Errors
    /// The field does not exist, or the value has another type or other fixed sizes. Records must be of the same
    /// schema: the same `Arc`.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) -> Result<(), Misfit> {
        let misfit = |expected: String, found: String| Misfit { field: name.into(), expected, found };
        let Some((i, field)) = self.schema.get(self.id).field(name) else {
            return Err(misfit(format!("a field of {}", self.definition().name), "no such field".into()));
        };
        let value = value.into();
        if let Err(found) = fits(&self.schema, field, &value) {
            return Err(misfit(declaration(&self.schema, field), found));
        }
        self.values[i] = value;
        Ok(())
    }
    /// Sets every size field, at any depth, to the size of the first array that it counts and that has elements. A
    /// size that does not fit its type is left alone; encoding then returns an error.
    pub fn set_sizes(&mut self) {
        let schema = self.schema.clone();
        let definition = schema.get(self.id);
        for i in definition.size_fields() {
            let sizes = definition.sized_by(i).filter_map(|(at, dim)| match &self.values[at] {
                // Inner sizes after a dimension of size 0 do not count, unless all do.
                Value::Array(a) => Some((a.shape()[..dim].contains(&0), *a.shape().get(dim)?)),
                _ => None,
            });
            let size = sizes.min_by_key(|(hidden, _)| *hidden).map(|(_, size)| size);
            if let (Some(size), Type::Primitive(p)) = (size, definition.fields[i].ty)
                && let Some(value) = i64::try_from(size).ok().and_then(|n| integer(p, n))
            {
                self.values[i] = value;
            }
        }
        for value in &mut self.values {
            match value {
                Value::Record(r) => r.set_sizes(),
                Value::Array(a) if !a.records().is_empty() => {
                    Arc::make_mut(a).records_mut().iter_mut().for_each(Record::set_sizes)
                }
                _ => {}
            }
        }
    }
}

/// An integer of that type, if `n` fits into it.
pub(crate) fn integer(ty: Primitive, n: i64) -> Option<Value> {
    match ty {
        Primitive::Int8 => n.try_into().ok().map(Value::Int8),
        Primitive::Int16 => n.try_into().ok().map(Value::Int16),
        Primitive::Int32 => n.try_into().ok().map(Value::Int32),
        Primitive::Int64 => Some(Value::Int64(n)),
        Primitive::Byte => n.try_into().ok().map(Value::Byte),
        _ => None,
    }
}

/// Checks that a value fits a field; otherwise returns what it is instead.
fn fits(schema: &Arc<Schema>, field: &Field, value: &Value) -> Result<(), String> {
    let same = |r: &Record, id: StructId| Arc::ptr_eq(&r.schema, schema) && r.id == id;
    match value {
        Value::Array(array) => {
            let Items::Record(records) = array.items() else {
                let kind = Items::empty(field.ty).kind();
                return if array.items().kind() == kind {
                    shaped(field, array)
                } else {
                    Err(shape_name(array))
                };
            };
            let Type::Struct(id) = field.ty else { return Err(shape_name(array)) };
            match records.iter().find(|r| !same(r, id)) {
                Some(other) => Err(format!("an array with a {}", other.definition().name)),
                None => shaped(field, array),
            }
        }
        _ if field.is_array() => Err(value.kind().into()),
        Value::Record(r) => match field.ty {
            Type::Struct(id) if same(r, id) => Ok(()),
            _ => Err(r.definition().name.to_string()),
        },
        _ if value.kind() == Items::empty(field.ty).kind() => Ok(()),
        _ => Err(value.kind().into()),
    }
}

fn shaped(field: &Field, array: &Array) -> Result<(), String> {
    let fixed = |(dim, &n): (&crate::Dim, &usize)| match dim.extent {
        Extent::Fixed(k) => k as usize == n,
        Extent::Variable(_) => true,
    };
    if field.dims.len() == array.shape().len() && field.dims.iter().zip(array.shape()).all(fixed) {
        Ok(())
    } else {
        Err(shape_name(array))
    }
}

/// `float[2][3]`
fn shape_name(array: &Array) -> String {
    let sizes: String = array.shape().iter().map(|n| format!("[{n}]")).collect();
    format!("{}{sizes}", array.items().kind())
}

/// `float[n][3]`
pub(crate) fn declaration(schema: &Schema, field: &Field) -> String {
    let sizes: String = field.dims.iter().map(|d| format!("[{}]", d.text)).collect();
    format!("{}{sizes}", schema.type_name(field.ty))
}

/// Records are equal if their types have the same name and fingerprint, and their values are equal.
impl PartialEq for Record {
    fn eq(&self, other: &Record) -> bool {
        let (a, b) = (self.definition(), other.definition());
        let same_type = (Arc::ptr_eq(&self.schema, &other.schema) && self.id == other.id)
            || (a.name == b.name && a.fingerprint == b.fingerprint);
        same_type && self.values == other.values
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct(&self.definition().name.to_string());
        for (field, value) in self.fields() {
            out.field(&field.name, value);
        }
        out.finish()
    }
}

/// A value that does not fit a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Name of the field.
    pub field: String,
    /// The expected value.
    pub expected: String,
    /// The value given.
    pub found: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: expected {}, found {}", self.field, self.expected, self.found)
    }
}
impl std::error::Error for Misfit {}
