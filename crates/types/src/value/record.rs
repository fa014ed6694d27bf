//! A message, or a struct in one.

use super::{Array, Items, TooLarge, Value, Zeros, path};
use crate::{Extent, Field, Primitive, Schema, Struct, StructId, Type};
use std::fmt;
use std::sync::Arc;

/// A value for each field of a struct.
#[derive(Clone)]
pub struct Record {
    schema: Arc<Schema>,
    id: StructId,
    values: Box<[Value]>,
}

impl Record {
    /// A record in which all is 0, `false` or empty.
    ///
    /// # Errors
    /// The type is absurdly large, or its structs lie in each other too deep.
    pub fn zero(schema: &Arc<Schema>, id: StructId) -> Result<Record, TooLarge> {
        Zeros::new(schema).record(id)
    }
    /// A record of values that fit.
    pub(crate) fn of(schema: &Arc<Schema>, id: StructId, values: Vec<Value>) -> Record {
        debug_assert_eq!(schema.get(id).fields.len(), values.len());
        Record { schema: schema.clone(), id, values: values.into() }
    }
    /// The schema that its types are of.
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
    /// What lies at `pose.position[2]`, in any depth: a copy. An array may be given fewer indices than it has dimensions.
    pub fn get(&self, path: &str) -> Option<Value> {
        path::find(self, path)
    }
    /// Gives a field another value.
    ///
    /// # Errors
    /// There is no such field, or the value has another type or other fixed sizes. Records must be of the same schema:
    /// the same `Arc`.
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
    /// Gives every size field, in any depth, the size of the first array that it counts and that has elements. A size that its type cannot
    /// say is left alone; then encoding tells.
    pub fn set_sizes(&mut self) {
        let schema = self.schema.clone();
        let definition = schema.get(self.id);
        for i in definition.size_fields() {
            let sizes = definition.sized_by(i).filter_map(|(at, dim)| match &self.values[at] {
                // What lies behind a dimension of size 0 says nothing, unless all do.
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

/// An integer of that type, if it can say `n`.
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

/// Whether a value is one of a field; else what it is instead.
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
    /// What it takes.
    pub expected: String,
    /// What it was given.
    pub found: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: expected {}, found {}", self.field, self.expected, self.found)
    }
}
impl std::error::Error for Misfit {}
