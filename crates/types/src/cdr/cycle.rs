//! Detects types that contain themselves, which neither schema language can express.

use crate::{Schema, StructId, Type};
use std::fmt;

/// Why there is no schema text for a type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsupported {
    /// A struct contains itself, through these fields.
    Recursive {
        /// Each step: `a.tree_t.children`, from a struct to one that it contains; the last leads back to the first.
        cycle: Vec<String>,
    },
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unsupported::Recursive { cycle } = self;
        write!(
            f,
            "a type that contains itself has no CDR schema: {}, which closes the cycle; publish its messages \
             without conversion",
            cycle.join(" -> ")
        )
    }
}
impl std::error::Error for Unsupported {}

/// `root` and all structs in it, contained ones first; an error if any of them contains itself.
pub(crate) fn order(schema: &Schema, root: StructId) -> Result<Vec<StructId>, Unsupported> {
    let order = schema.closure(root);
    let mut place = vec![usize::MAX; schema.structs().len()];
    for (at, id) in order.iter().enumerate() {
        place[id.0] = at;
    }
    // In an order with contained structs first, only a cycle has a step to a later struct, or to the same one.
    for &id in &order {
        for field in &schema.get(id).fields {
            if let Type::Struct(inner) = field.ty
                && place[inner.0] >= place[id.0]
            {
                return Err(Unsupported::Recursive { cycle: cycle(schema, inner, id) });
            }
        }
    }
    Ok(order)
}

/// The steps from `start` down to `end`, which is in it, and from there back to `start`.
fn cycle(schema: &Schema, start: StructId, end: StructId) -> Vec<String> {
    // Breadth first, to find the shortest cycle. For each struct reached: the struct and field that led to it.
    let mut from: Vec<Option<(StructId, usize)>> = vec![None; schema.structs().len()];
    let mut next = std::collections::VecDeque::from([start]);
    while let Some(id) = next.pop_front() {
        for (i, field) in schema.get(id).fields.iter().enumerate() {
            if let Type::Struct(inner) = field.ty
                && inner != start
                && from[inner.0].is_none()
            {
                from[inner.0] = Some((id, i));
                next.push_back(inner);
            }
        }
    }
    let step = |id: StructId, i: usize| format!("{}.{}", schema.get(id).name, schema.get(id).fields[i].name);
    let back = schema.get(end).fields.iter().position(|f| f.ty == Type::Struct(start)).unwrap_or(0);
    let mut steps = vec![step(end, back)];
    let mut at = end;
    while let Some((outer, i)) = from[at.0].filter(|_| at != start) {
        steps.push(step(outer, i));
        at = outer;
    }
    steps.reverse();
    steps
}
