//! What code of `Style::Lcm` must count in nested structs. Where it need not, it calls what LCM's classes have too, so that classes of both
//! generators contain each other.

use saltus_types::{Field, Schema, StructId, Type};

/// Whether levels of struct `id` are counted: it can contain itself, or is part of a struct that can, or has one.
pub(crate) fn is_counted(schema: &Schema, id: StructId) -> bool {
    let has = |s: StructId, ty| schema.get(s).fields.iter().any(|f| f.ty == ty);
    let recursive = |root| schema.closure(root).into_iter().any(|s| has(s, Type::Struct(root)));
    schema.closure(id).into_iter().any(recursive)
        || schema.ids().any(|root| recursive(root) && schema.closure(root).contains(&id))
}

/// Whether struct `id` can have array elements or rows of zero size, which decoders count.
pub(crate) fn may_be_empty(schema: &Schema, id: StructId) -> bool {
    let counts = |f: &Field| f.is_array() && (f.dims.len() > 1 || schema.min_size(f.ty) == 0);
    schema.closure(id).into_iter().any(|s| schema.get(s).fields.iter().any(counts))
}
