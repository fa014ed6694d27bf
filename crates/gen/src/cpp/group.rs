//! Which classes share a header.
//!
//! Types that contain each other through arrays need each other's complete class before any function body. So they
//! share one header: that of the first of them by name. The headers of the others only include it.

use crate::c::shape::by_value;
use saltus_types::{Schema, StructId, Type};

/// The structs that share a header with `id`, those contained by value first. Only `id`, if none refers back to it.
pub(crate) fn members(schema: &Schema, id: StructId) -> Vec<StructId> {
    let comes_back = |other: &StructId| *other == id || schema.closure(*other).contains(&id);
    let mut group: Vec<StructId> = schema.closure(id).into_iter().filter(comes_back).collect();
    group.sort_by_key(|&m| &schema.get(m).name);
    let mut order = Vec::new();
    for &member in &group {
        place(schema, &group, member, &mut order);
    }
    order
}

/// The struct whose header has the group.
pub(crate) fn head(schema: &Schema, group: &[StructId]) -> Option<StructId> {
    group.iter().copied().min_by_key(|&m| &schema.get(m).name)
}

fn place(schema: &Schema, group: &[StructId], root: StructId, order: &mut Vec<StructId>) {
    let mut path = vec![root];
    while let Some(&id) = path.last() {
        let missing = by_value(schema, id).find(|inner| group.contains(inner) && !order.contains(inner));
        match missing {
            Some(inner) => path.push(inner),
            None => {
                path.pop();
                if !order.contains(&id) {
                    order.push(id);
                }
            }
        }
    }
}

/// Structs outside the group that its classes contain, in the order of the fields.
pub(crate) fn outside(schema: &Schema, group: &[StructId]) -> Vec<StructId> {
    let mut found = Vec::new();
    for field in group.iter().flat_map(|&id| &schema.get(id).fields) {
        match field.ty {
            Type::Struct(inner) if !group.contains(&inner) && !found.contains(&inner) => found.push(inner),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_contain_each_other_share_a_header() {
        let text = "struct b_t { int32_t n; c_t cs[n]; d_t d; }
                    struct c_t { int32_t n; b_t bs[n]; c_t more[n]; }
                    struct d_t { int32_t x; }
                    struct a_t { b_t b; int32_t n; a_t as[n]; }";
        let schema = saltus_types::parse("x.lcm", text).unwrap();
        let id = |name| schema.find(name).unwrap();
        assert_eq!(members(&schema, id("c_t")), [id("b_t"), id("c_t")]);
        assert_eq!(members(&schema, id("b_t")), members(&schema, id("c_t")));
        assert_eq!(members(&schema, id("a_t")), [id("a_t")]);
        assert_eq!(head(&schema, &members(&schema, id("c_t"))), Some(id("b_t")));
        assert_eq!(outside(&schema, &members(&schema, id("c_t"))), [id("d_t")]);
    }
}
