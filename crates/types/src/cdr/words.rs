//! Text shared by both schema languages.

use super::dialect::Dialect;
use crate::{Const, ConstValue, EnumId, Primitive, Schema};

/// The name of a primitive type.
pub(crate) fn primitive(p: Primitive, dialect: Dialect) -> &'static str {
    match (p, dialect) {
        (Primitive::Int8, _) => "int8",
        (Primitive::Int16, _) => "int16",
        (Primitive::Int32, _) => "int32",
        (Primitive::Int64, _) => "int64",
        (Primitive::Byte, Dialect::OmgIdl) => "octet",
        (Primitive::Byte, Dialect::Ros2Msg) => "uint8",
        (Primitive::Float, Dialect::OmgIdl) => "float",
        (Primitive::Float, Dialect::Ros2Msg) => "float32",
        (Primitive::Double, Dialect::OmgIdl) => "double",
        (Primitive::Double, Dialect::Ros2Msg) => "float64",
        (Primitive::String, _) => "string",
        (Primitive::Boolean, Dialect::OmgIdl) => "boolean",
        (Primitive::Boolean, Dialect::Ros2Msg) => "bool",
    }
}

/// A constant's value as a literal; `None` if it has none.
pub(crate) fn literal(c: &Const) -> Option<String> {
    match c.value {
        ConstValue::Int(n) => Some(n.to_string()),
        ConstValue::Float(x) => x.is_finite().then(|| format!("{x:?}")),
    }
}

/// A constant as declared in the type file.
pub(crate) fn declaration(c: &Const) -> String {
    format!("const {} {} = {}", c.ty.name(), c.name, c.text)
}

/// `RED=1, GREEN=5`
pub(crate) fn enum_values(schema: &Schema, id: EnumId) -> String {
    let values = &schema.get_enum(id).values;
    values.iter().map(|v| format!("{}={}", v.name, v.value)).collect::<Vec<_>>().join(", ")
}
