//! What code of `Style::Lcm` must count in nested structs. Where it need not, it calls what LCM's classes have too, so that classes of both
//! generators contain each other.

use saltus_types::{Dim, Extent, Field, Schema, StructId, Type};

/// For each struct, whether its levels are counted: it can contain itself, or is part of a struct that can, or has one.
pub(crate) fn counted(schema: &Schema) -> Vec<bool> {
    let has = |s: StructId, ty| schema.get(s).fields.iter().any(|f| f.ty == ty);
    let recursive = |root| schema.closure(root).into_iter().any(|s| has(s, Type::Struct(root)));
    let recursive: Vec<bool> = schema.ids().map(recursive).collect();
    let mut counted = containing(schema, &recursive);
    for root in schema.ids().filter(|root| recursive[root.0]) {
        schema.closure(root).into_iter().for_each(|s| counted[s.0] = true);
    }
    counted
}

/// For each struct, whether it needs no depth and no count of empty elements: neither levels nor elements are counted in it or in any struct
/// that it contains.
pub(crate) fn plain(schema: &Schema) -> Vec<bool> {
    let counted = counted(schema);
    let counts =
        |id: StructId| counted[id.0] || schema.get(id).fields.iter().any(|field| may_be_empty(schema, field));
    let counts: Vec<bool> = schema.ids().map(counts).collect();
    containing(schema, &counts).into_iter().map(|contains| !contains).collect()
}

/// For each struct, whether it or a struct in it is one of `such`.
fn containing(schema: &Schema, such: &[bool]) -> Vec<bool> {
    schema.ids().map(|id| schema.closure(id).into_iter().any(|s| such[s.0])).collect()
}

/// Whether an array can have elements or rows of zero size, which decoders count.
fn may_be_empty(schema: &Schema, field: &Field) -> bool {
    let some = |d: &Dim| matches!(d.extent, Extent::Fixed(n) if n > 0);
    field.is_array() && (schema.min_size(field.ty) == 0 || !field.dims[1..].iter().all(some))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_count_where_a_struct_or_one_in_it_needs_it() {
        let text = "
            struct shared_t { int8_t x; }
            struct beside_t { shared_t shared; }
            struct around_t { beside_t beside; }
            struct circle_t { shared_t shared; int32_t n; circle_t inner[n]; }
            struct rows_t { int32_t n; double turn[3][3]; int16_t grid[n][2][4]; string names[n]; }
            struct holds_t { rows_t rows; int32_t n; rows_t many[n][2]; }
            struct wide_t { int32_t n; int8_t grid[2][n]; }
            struct empty_t {}
            struct empties_t { empty_t two[2]; }
            struct outer_t { rows_t rows; empties_t empties; }";
        let schema = saltus_types::parse("levels.lcm", text).unwrap_or_else(|e| panic!("{e}"));
        let (counted, plain) = (counted(&schema), plain(&schema));
        let names = |of: &dyn Fn(StructId) -> bool| -> Vec<String> {
            schema.ids().filter(|id| of(*id)).map(|id| schema.get(id).name.to_string()).collect()
        };
        assert_eq!(names(&|id| counted[id.0]), ["shared_t", "circle_t"]);
        assert_eq!(names(&|id| plain[id.0]), ["rows_t", "holds_t", "empty_t"]);
        for id in schema.ids().filter(|id| plain[id.0]) {
            assert!(schema.closure(id).into_iter().all(|inner| plain[inner.0]));
        }
    }
}
