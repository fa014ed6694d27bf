//! The Python classes of structs, and the errors for other objects.

use crate::errors::{code, error};
use crate::names::kind;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use saltus_types::{Primitive, Schema, StructId, Type};
use std::sync::{Arc, OnceLock};

/// The class of a struct.
pub(crate) struct Class {
    pub class: Py<PyAny>,
    /// Makes an object without fields.
    pub new: Py<PyAny>,
    /// The names of its fields, in order.
    pub names: Vec<Py<PyString>>,
}

/// A schema, and a class for each of its structs, made by the Python module.
pub(crate) struct Classes {
    pub schema: Arc<Schema>,
    pub classes: OnceLock<Vec<Class>>,
}

impl Classes {
    pub fn class(&self, id: StructId) -> PyResult<&Class> {
        let class = self.classes.get().and_then(|classes| classes.get(id.0));
        class.ok_or_else(|| PyValueError::new_err("this schema has no classes yet"))
    }
}

/// The letter of the elements in `struct`, `array` and NumPy; none for strings and structs.
pub fn letter(ty: Type) -> Option<&'static str> {
    Some(match ty {
        Type::Primitive(Primitive::Int8) => "b",
        Type::Primitive(Primitive::Int16) => "h",
        Type::Primitive(Primitive::Int32) | Type::Enum(_) => "i",
        Type::Primitive(Primitive::Int64) => "q",
        Type::Primitive(Primitive::Byte) => "B",
        Type::Primitive(Primitive::Float) => "f",
        Type::Primitive(Primitive::Double) => "d",
        Type::Primitive(Primitive::Boolean) => "?",
        Type::Primitive(Primitive::String) | Type::Struct(_) => return None,
    })
}

/// The error for a value of another type than expected.
pub fn unexpected(at: &str, expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    let found = kind(found);
    error_at(at, format_args!("expected {expected}, not {found}"))
}

/// A value that cannot be encoded.
pub fn error_at(at: &str, what: impl std::fmt::Display) -> PyErr {
    Python::attach(|py| error(py, code::ENCODE, format_args!("{at}: {what}")))
}
