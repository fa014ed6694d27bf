//! The fields of a struct in Rust: names, types, defaults, and documentation.

use super::keywords::VALUES;
use super::memory::{Memory, is_one_piece};
use super::names::Names;
use crate::names::Scope;
use saltus_types::{Extent, Field, Primitive, Schema, Struct, StructId, Type};

/// The largest array that implements `Default` in the standard library.
pub(super) const MAX_DEFAULT: u32 = 32;

/// A struct of a schema, seen as Rust.
pub(super) struct Fields<'a> {
    pub schema: &'a Schema,
    pub names: &'a Names,
    pub memory: &'a Memory,
    pub id: StructId,
    pub def: &'a Struct,
    scope: Scope,
}

impl<'a> Fields<'a> {
    pub fn new(schema: &'a Schema, names: &'a Names, memory: &'a Memory, id: StructId) -> Fields<'a> {
        let def = schema.get(id);
        let all =
            def.fields.iter().map(|f| f.name.as_str()).chain(def.consts.iter().map(|c| c.name.as_str()));
        Fields { schema, names, memory, id, def, scope: Scope::new(VALUES, all) }
    }
    /// Name of the struct.
    pub fn name(&self) -> &str {
        self.names.name(self.id)
    }
    /// A field or constant as an identifier.
    pub fn ident(&self, name: &str) -> String {
        self.scope.of(name)
    }
    /// A field's name after `self`.
    pub fn ident_of(&self, index: usize) -> String {
        self.ident(&self.def.fields[index].name)
    }
    /// The path of another struct in this struct's module, or of `name` in that struct's module.
    pub fn path(&self, id: StructId, name: &str) -> String {
        self.names.path(self.names.package(self.id), self.names.package(id), name)
    }
    /// Type of an element.
    pub fn element(&self, ty: Type) -> String {
        match ty {
            Type::Primitive(p) => primitive(p).into(),
            Type::Struct(id) => self.path(id, self.names.name(id)),
            Type::Enum(id) => {
                let to = self.names.enum_package(id);
                self.names.path(self.names.package(self.id), to, self.names.enum_name(id))
            }
        }
    }
    /// Type of a field.
    pub fn ty(&self, field: &Field) -> String {
        let element = (field.dims.len(), self.element(field.ty));
        let (_, ty) = field.dims.iter().rev().fold(element, |(level, inner), dim| {
            let outer = match dim.extent {
                Extent::Fixed(n) if self.memory.is_boxed(field, level - 1) => format!("Box<[{inner}; {n}]>"),
                Extent::Fixed(n) => format!("[{inner}; {n}]"),
                Extent::Variable(_) => format!("Vec<{inner}>"),
            };
            (level - 1, outer)
        });
        ty
    }
    /// Whether the struct's `Default` cannot be derived.
    pub fn needs_default(&self) -> bool {
        self.def.fields.iter().any(|f| self.is_made(f, 0))
    }
    /// Whether the standard library has no default for this level of a field's dimensions: an array outside of any
    /// vector is boxed or too large.
    pub fn is_made(&self, field: &Field, level: usize) -> bool {
        let extents = field.dims.iter().map(|d| d.extent).enumerate().skip(level);
        let mut outside = extents.map_while(|(level, extent)| match extent {
            Extent::Fixed(n) => Some(n > MAX_DEFAULT || self.memory.is_boxed(field, level)),
            Extent::Variable(_) => None,
        });
        outside.any(|made| made)
    }
    /// The default value at this level of a field's dimensions.
    pub fn default_value(&self, field: &Field, level: usize) -> String {
        let Some((outer, inner)) = field.dims[level..].split_first() else {
            return match field.ty {
                Type::Primitive(Primitive::String) => "String::new()".into(),
                Type::Primitive(Primitive::Boolean) => "false".into(),
                Type::Primitive(Primitive::Float | Primitive::Double) => "0.0".into(),
                Type::Primitive(_) => "0".into(),
                Type::Struct(_) | Type::Enum(_) => "Default::default()".into(),
            };
        };
        let inside = || self.default_value(field, level + 1);
        let one_piece = is_one_piece(field.ty, inner);
        match outer.extent {
            Extent::Variable(_) => "Vec::new()".into(),
            Extent::Fixed(_) if self.memory.is_boxed(field, level) && one_piece => "wire::zeroes()".into(),
            Extent::Fixed(_) if self.memory.is_boxed(field, level) => {
                format!("wire::boxed(|_| {})", inside())
            }
            Extent::Fixed(n) if one_piece => format!("[{}; {n}]", inside()),
            Extent::Fixed(_) if !self.is_made(field, level) => "Default::default()".into(),
            Extent::Fixed(_) => format!("std::array::from_fn(|_| {})", inside()),
        }
    }
    /// A field's type and offset on the wire, as far as it is fixed: `at` counts from the start of the message.
    /// Returns the next field's offset.
    pub fn place(&self, field: &Field, at: Option<u64>) -> (String, Option<u64>) {
        let text = self.schema.field_to_lcm(field, &self.def.name.package);
        let ty = text.split(' ').next().unwrap_or_default();
        let dims = text.get(ty.len() + 1 + field.name.len()..).unwrap_or_default();
        let ty = format!("`{ty}{dims}`");
        match (at, self.wire_size(field)) {
            (Some(at), Some(0)) => (format!("{ty}, no bytes."), Some(at)),
            (Some(at), Some(1)) => (format!("{ty}, byte {at}."), Some(at + 1)),
            (Some(at), Some(size)) => {
                let end = at.saturating_add(size);
                (format!("{ty}, bytes {at} to {}.", end - 1), Some(end))
            }
            (Some(at), None) => (format!("{ty}, from byte {at}."), None),
            (None, _) => (format!("{ty}."), None),
        }
    }
    /// Bytes that a field always takes on the wire.
    pub fn wire_size(&self, field: &Field) -> Option<u64> {
        let count = field.fixed_count()?;
        self.schema.is_fixed(field.ty).then(|| self.schema.min_size(field.ty).saturating_mul(count))
    }
}

/// A primitive type.
pub(super) fn primitive(p: Primitive) -> &'static str {
    match p {
        Primitive::Int8 => "i8",
        Primitive::Int16 => "i16",
        Primitive::Int32 => "i32",
        Primitive::Int64 => "i64",
        Primitive::Byte => "u8",
        Primitive::Float => "f32",
        Primitive::Double => "f64",
        Primitive::String => "String",
        Primitive::Boolean => "bool",
    }
}
