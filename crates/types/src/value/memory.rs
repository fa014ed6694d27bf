//! Memory of values: decoders count it before they allocate it.

use super::{Array, Record, Text, Value};
use crate::{Primitive, Type};

/// Most overhead of the allocator for a block.
const BLOCK: usize = 16;

/// The values of a record with `n` fields. The record itself is an element, or [`boxed`].
pub(crate) fn fields(n: usize) -> usize {
    block(n, size_of::<Value>())
}
/// A record that is not an element of an array.
pub(crate) fn boxed() -> usize {
    block(1, size_of::<Record>())
}
/// An array of this many dimensions, without its elements.
pub(crate) fn array(dims: usize) -> usize {
    let shared = 2 * size_of::<usize>() + size_of::<Array>();
    block(1, shared).saturating_add(block(dims, size_of::<usize>()))
}
/// The elements of an array, without the memory that they point to.
pub(crate) fn elements(ty: Type, n: usize) -> usize {
    let each = match ty {
        Type::Primitive(Primitive::String) => size_of::<Text>(),
        Type::Primitive(p) => p.wire_size(),
        Type::Enum(_) => 4,
        Type::Struct(_) => size_of::<Record>(),
    };
    block(n, each)
}
/// The bytes of a string.
pub(crate) fn text(n: usize) -> usize {
    block(n, 1)
}

fn block(n: usize, each: usize) -> usize {
    if n == 0 { 0 } else { n.saturating_mul(each).saturating_add(BLOCK) }
}
