//! What both kinds of schema text say in the same words.

use crate::{Const, ConstValue, EnumId, Schema};

/// A constant's value as a literal; nothing if there is none for it.
pub(crate) fn literal(c: &Const) -> Option<String> {
    match c.value {
        ConstValue::Int(n) => Some(n.to_string()),
        ConstValue::Float(x) => x.is_finite().then(|| format!("{x:?}")),
    }
}

/// A constant as the type file says it.
pub(crate) fn declaration(c: &Const) -> String {
    format!("const {} {} = {}", c.ty.name(), c.name, c.text)
}

/// `RED=1, GREEN=5`
pub(crate) fn enum_values(schema: &Schema, id: EnumId) -> String {
    let values = &schema.get_enum(id).values;
    values.iter().map(|v| format!("{}={}", v.name, v.value)).collect::<Vec<_>>().join(", ")
}
