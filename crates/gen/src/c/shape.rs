//! Properties of a type that do not depend on a message: the size of its values on the wire, and whether they can
//! be copied as one array of numbers. For C and C++.

use saltus_types::{Extent, Field, Primitive, Schema, Struct, StructId, Type};
use std::collections::HashMap;

/// Properties of one struct.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    /// Least number of bytes on the wire.
    pub min: u64,
    /// Whether every value has that size, and owns no memory.
    pub fixed: bool,
    /// Rows and elements of zero size that every value has.
    pub free: u64,
    /// Whether every number in it has the same width, so that a struct is an array of them.
    pub uniform: Option<Uniform>,
    /// The number of structs nested by value, including itself.
    pub height: u32,
}

/// A struct that is an array of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Uniform {
    /// Bytes of each.
    pub width: usize,
    /// How many.
    pub count: u64,
}

/// The shapes of all structs of a schema.
#[derive(Debug)]
pub(crate) struct Shapes<'a> {
    schema: &'a Schema,
    known: HashMap<StructId, Shape>,
}

impl Shapes<'_> {
    /// Computes them, each once.
    pub fn of(schema: &Schema) -> Shapes<'_> {
        let mut shapes = Shapes { schema, known: HashMap::new() };
        for root in schema.ids() {
            // Contained structs first; not recursive, since a chain of types may be as long as the files.
            let mut path = vec![root];
            while let Some(&id) = path.last() {
                let missing = by_value(schema, id).find(|inner| !shapes.known.contains_key(inner));
                match missing {
                    Some(inner) => path.push(inner),
                    None => {
                        let shape = shapes.compute(id);
                        shapes.known.insert(id, shape);
                        path.pop();
                    }
                }
            }
        }
        shapes
    }

    /// The shape of one struct.
    pub fn get(&self, id: StructId) -> Shape {
        self.known.get(&id).copied().unwrap_or_default()
    }

    /// Least number of bytes on the wire of one value of a type.
    pub fn min(&self, ty: Type) -> u64 {
        self.schema.min_size(ty)
    }

    /// Whether values of this type own memory in C.
    pub fn owns(&self, field: &Field) -> bool {
        field.is_variable() || !self.is_fixed(field.ty)
    }

    /// Whether every value of this type has the same size on the wire.
    pub fn is_fixed(&self, ty: Type) -> bool {
        self.schema.is_fixed(ty)
    }

    /// Rows and elements of zero size that every value of this type has.
    pub fn free(&self, ty: Type) -> u64 {
        if let Type::Struct(id) = ty { self.schema.free_elements(id) } else { 0 }
    }

    /// The number of rows and elements of zero size of an array of fixed size itself.
    pub fn free_rows(&self, field: &Field) -> u64 {
        if field.is_variable() || self.min(field.ty) > 0 && !is_empty(field) {
            return 0;
        }
        let (mut rows, mut sum) = (1u64, 0u64);
        for dim in &field.dims {
            let Extent::Fixed(n) = dim.extent else { break };
            rows = rows.saturating_mul(n.into());
            sum = sum.saturating_add(rows);
        }
        sum
    }

    /// The fields that a reader must process.
    pub fn to_read<'s>(&self, s: &'s Struct) -> impl Iterator<Item = &'s Field> {
        s.fields.iter().filter(|f| !is_empty(f) || self.free_rows(f) > 0)
    }

    /// The size of the field itself, if it is fixed.
    pub fn fixed_size(&self, field: &Field) -> Option<u64> {
        let count = field.fixed_count().filter(|_| self.is_fixed(field.ty))?;
        Some(count.saturating_mul(self.min(field.ty)))
    }

    fn compute(&self, id: StructId) -> Shape {
        let ty = Type::Struct(id);
        let (min, fixed, free) = (self.min(ty), self.is_fixed(ty), self.free(ty));
        let inner = by_value(self.schema, id).map(|inner| self.get(inner).height).max().unwrap_or(0);
        // Not if something in it must be counted.
        let uniform = if fixed && free == 0 { self.uniform(&self.schema.get(id).fields) } else { None };
        Shape { min, fixed, free, uniform, height: inner.saturating_add(1) }
    }

    fn uniform(&self, fields: &[Field]) -> Option<Uniform> {
        let mut sum: Option<Uniform> = None;
        for field in fields {
            let one = match number_width(field.ty) {
                Some(width) => Uniform { width, count: 1 },
                None => match field.ty {
                    Type::Struct(inner) => self.get(inner).uniform?,
                    _ => return None,
                },
            };
            // In C an array without elements has one, and in C++ it is not an array.
            let count = field.fixed_count().filter(|&n| n > 0)?;
            let before = sum.get_or_insert(Uniform { width: one.width, count: 0 });
            if before.width != one.width {
                return None;
            }
            before.count = before.count.checked_add(one.count.checked_mul(count)?)?;
        }
        sum
    }
}

/// Structs nested in this one by value.
pub(crate) fn by_value(schema: &Schema, id: StructId) -> impl Iterator<Item = StructId> {
    schema.get(id).fields.iter().filter(|f| !f.is_variable()).filter_map(|f| match f.ty {
        Type::Struct(inner) => Some(inner),
        _ => None,
    })
}

/// Whether it is an array of fixed size without elements: one of its sizes is a constant 0.
pub(crate) fn is_empty(field: &Field) -> bool {
    field.fixed_count() == Some(0)
}

/// The fields that may have elements.
pub(crate) fn with_elements(s: &Struct) -> impl Iterator<Item = &Field> {
    s.fields.iter().filter(|f| !is_empty(f))
}

/// Bytes of a number; nothing for strings and structs.
pub(crate) fn number_width(ty: Type) -> Option<usize> {
    match ty {
        Type::Primitive(Primitive::String) | Type::Struct(_) => None,
        Type::Primitive(p) => Some(p.wire_size()),
        Type::Enum(_) => Some(4),
    }
}

/// Fields in the order of the wire. Consecutive scalar numbers form one run, since one bounds check suffices for
/// all of them.
#[derive(Debug)]
pub(crate) enum Part<'a> {
    /// Scalar numbers, each with its offset in the run, and the size of the run.
    Run(Vec<(&'a Field, usize)>, usize),
    /// Anything else.
    One(&'a Field),
}

/// The parts of these fields.
pub(crate) fn parts<'a>(fields: impl Iterator<Item = &'a Field>) -> Vec<Part<'a>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for field in fields {
        match number_width(field.ty).filter(|_| !field.is_array()) {
            Some(width) => match parts.last_mut() {
                Some(Part::Run(run, size)) => {
                    run.push((field, *size));
                    *size += width;
                }
                _ => parts.push(Part::Run(vec![(field, 0)], width)),
            },
            None => parts.push(Part::One(field)),
        }
    }
    parts
}

/// The name of a scalar number of this type in the support headers: `saltus_get_int32`.
pub(crate) fn verb(ty: Type) -> &'static str {
    match ty {
        Type::Primitive(Primitive::Int8 | Primitive::Boolean) => "int8",
        Type::Primitive(Primitive::Int16) => "int16",
        Type::Primitive(Primitive::Int64) => "int64",
        Type::Primitive(Primitive::Byte) => "byte",
        Type::Primitive(Primitive::Float) => "float",
        Type::Primitive(Primitive::Double) => "double",
        _ => "int32",
    }
}
