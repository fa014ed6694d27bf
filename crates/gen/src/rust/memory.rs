//! Memory of fields, and which arrays are too large to be stored inline.
//!
//! A struct of megabytes would pass through the stack, which is small. Arrays above some size are boxed and created
//! on the heap: numbers in one piece, for any dimensions; of other arrays each row that is too large.

use saltus_types::{Dim, Extent, Field, Primitive, Schema, StructId, Type};

/// The largest array, in bytes, that is stored inline.
const LARGEST: u64 = 4096;
/// Bytes of a vector and of a string, on 64-bit machines: the types are the same on all.
const VECTOR: u64 = 24;
const POINTER: u64 = 8;

/// Approximate memory of each struct of a schema.
#[derive(Debug)]
pub(super) struct Memory(Vec<Option<u64>>);

impl Memory {
    pub fn new(schema: &Schema) -> Memory {
        let mut memory = Memory(vec![None; schema.structs().len()]);
        schema.ids().for_each(|id| memory.learn(schema, id));
        memory
    }

    /// A struct contains itself only through a vector, so this terminates.
    fn learn(&mut self, schema: &Schema, id: StructId) {
        if self.0[id.0].is_some() {
            return;
        }
        let mut size = 0u64;
        for field in &schema.get(id).fields {
            if let (Type::Struct(inner), false) = (field.ty, field.is_variable()) {
                self.learn(schema, inner);
            }
            size = size.saturating_add(self.size(field, 0).next_multiple_of(8));
        }
        self.0[id.0] = Some(size);
    }

    /// Memory of a field, or of a row of it at this level.
    fn size(&self, field: &Field, level: usize) -> u64 {
        match field.dims.get(level).map(|d| d.extent) {
            Some(Extent::Variable(_)) => VECTOR,
            Some(Extent::Fixed(n)) => {
                let inline = u64::from(n).saturating_mul(self.size(field, level + 1));
                if is_too_large(field, level, inline) { POINTER } else { inline }
            }
            None => match field.ty {
                Type::Primitive(Primitive::String) => VECTOR,
                Type::Primitive(p) => p.wire_size() as u64,
                Type::Enum(_) => 4,
                Type::Struct(id) => self.0[id.0].unwrap_or_default(),
            },
        }
    }

    /// Whether this level of a field's dimensions is a boxed array.
    pub fn is_boxed(&self, field: &Field, level: usize) -> bool {
        let Some(Extent::Fixed(n)) = field.dims.get(level).map(|d| d.extent) else { return false };
        is_too_large(field, level, u64::from(n).saturating_mul(self.size(field, level + 1)))
    }
}

/// Whether an array of this many bytes is boxed. Rows of numbers are not: they are part of a piece, or on the heap
/// already.
fn is_too_large(field: &Field, level: usize, bytes: u64) -> bool {
    bytes > LARGEST && (level == 0 || !is_one_piece(field.ty, &field.dims[level..]))
}

/// Whether rows of these dimensions consist only of elements that can be copied as memory.
pub(super) fn is_one_piece(ty: Type, inner: &[Dim]) -> bool {
    matches!(ty, Type::Primitive(p) if p != Primitive::String)
        && inner.iter().all(|d| matches!(d.extent, Extent::Fixed(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_fields_are_boxed() {
        let schema = saltus_types::parse(
            "a.lcm",
            "struct a_t { double small[512]; double large[513]; double grid[20][30]; string s[10][180]; int8_t n;
               string t[171]; string u[170]; float v[n][2000]; string w[n][171]; float x[200][n]; b_t b[2]; }
             struct b_t { double y[500]; double z[12]; int8_t k; a_t any[k]; }",
        );
        let schema = schema.unwrap_or_else(|e| panic!("{e}"));
        let memory = Memory::new(&schema);
        let of = |name: &str| {
            let (_, field) = schema.structs().iter().find_map(|s| s.field(name)).unwrap();
            (0..field.dims.len()).map(|level| memory.is_boxed(field, level)).collect::<Vec<_>>()
        };
        assert_eq!([of("small"), of("large"), of("t"), of("u")].concat(), [false, true, true, false]);
        assert_eq!(of("grid"), [true, false]);
        assert_eq!(of("s"), [false, true]);
        assert_eq!(of("v"), [false, false]);
        assert_eq!(of("w"), [false, true]);
        assert_eq!(of("x"), [true, false]);
        assert_eq!(of("b"), [true]);
    }
}
