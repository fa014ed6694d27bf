//! What is known of a type before a message comes: what its values take on the wire, and whether they can be copied as
//! one array of numbers. For C and C++.

use saltus_types::{Field, Primitive, Schema, StructId, Type};
use std::collections::HashMap;

/// What is known of one struct.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    /// Least number of bytes on the wire.
    pub min: u64,
    /// Whether it never takes more, and owns no memory.
    pub fixed: bool,
    /// Whether every number in it has the same width, so that a struct is an array of them.
    pub uniform: Option<Uniform>,
    /// How many structs lie in each other in it, itself included; counted for structs of fixed size only.
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
pub(crate) struct Shapes(HashMap<StructId, Shape>);

impl Shapes {
    /// Computes them, each once.
    pub fn of(schema: &Schema) -> Shapes {
        let mut shapes = Shapes(HashMap::new());
        for root in schema.ids() {
            // Contained structs first; without recursion, since a chain of types may be as long as the files.
            let mut path = vec![root];
            while let Some(&id) = path.last() {
                let missing = by_value(schema, id).find(|inner| !shapes.0.contains_key(inner));
                match missing {
                    Some(inner) => path.push(inner),
                    None => {
                        let shape = shapes.compute(schema, id);
                        shapes.0.insert(id, shape);
                        path.pop();
                    }
                }
            }
        }
        shapes
    }

    /// The shape of one struct.
    pub fn get(&self, id: StructId) -> Shape {
        self.0.get(&id).copied().unwrap_or_default()
    }

    /// Least number of bytes on the wire of one value of a type.
    pub fn min(&self, ty: Type) -> u64 {
        match ty {
            Type::Primitive(p) => p.wire_size() as u64,
            Type::Enum(_) => 4,
            Type::Struct(id) => self.get(id).min,
        }
    }

    /// Whether values of this type own memory in C.
    pub fn owns(&self, field: &Field) -> bool {
        field.is_variable() || !self.is_fixed(field.ty)
    }

    /// Whether every value of this type takes the same bytes on the wire.
    pub fn is_fixed(&self, ty: Type) -> bool {
        match ty {
            Type::Primitive(p) => p != Primitive::String,
            Type::Enum(_) => true,
            Type::Struct(id) => self.get(id).fixed,
        }
    }

    /// Bytes of the field itself, if they are always the same.
    pub fn fixed_size(&self, field: &Field) -> Option<u64> {
        let count = field.fixed_count().filter(|_| self.is_fixed(field.ty))?;
        Some(count.saturating_mul(self.min(field.ty)))
    }

    fn compute(&self, schema: &Schema, id: StructId) -> Shape {
        let fields = &schema.get(id).fields;
        let mut shape = Shape { fixed: true, height: 1, ..Shape::default() };
        for field in fields {
            let count = field.fixed_count().unwrap_or(0);
            shape.min = shape.min.saturating_add(count.saturating_mul(self.min(field.ty)));
            shape.fixed &= !self.owns(field);
            if let (false, Type::Struct(inner)) = (field.is_variable(), field.ty) {
                shape.height = shape.height.max(self.get(inner).height.saturating_add(1));
            }
        }
        shape.uniform = if shape.fixed { self.uniform(fields) } else { None };
        shape
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
            let before = sum.get_or_insert(Uniform { width: one.width, count: 0 });
            if before.width != one.width {
                return None;
            }
            before.count = before.count.checked_add(one.count.checked_mul(field.fixed_count()?)?)?;
        }
        sum
    }
}

/// Structs that lie in this one by value.
pub(crate) fn by_value(schema: &Schema, id: StructId) -> impl Iterator<Item = StructId> {
    schema.get(id).fields.iter().filter(|f| !f.is_variable()).filter_map(|f| match f.ty {
        Type::Struct(inner) => Some(inner),
        _ => None,
    })
}

/// Bytes of a number; nothing for strings and structs.
pub(crate) fn number_width(ty: Type) -> Option<usize> {
    match ty {
        Type::Primitive(Primitive::String) | Type::Struct(_) => None,
        Type::Primitive(p) => Some(p.wire_size()),
        Type::Enum(_) => Some(4),
    }
}

/// Fields in the order of the wire; scalar numbers that follow each other are one run, since one check of the bounds
/// does for all of them.
#[derive(Debug)]
pub(crate) enum Part<'a> {
    /// Scalar numbers, each with its place in the run, and the bytes of the run.
    Run(Vec<(&'a Field, usize)>, usize),
    /// Anything else.
    One(&'a Field),
}

/// The parts of these fields.
pub(crate) fn parts(fields: &[Field]) -> Vec<Part<'_>> {
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

/// What the support headers call a scalar number of this type: `saltus_get_int32`.
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
