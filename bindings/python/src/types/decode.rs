//! Decodes messages to Python objects.

use super::classes::Classes;
use crate::names::to_str;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyList, PyString};
use saltus_types::value::{Array, Items};
use saltus_types::{Record, Value};

/// An object of the struct's class.
pub(super) fn record<'py>(
    py: Python<'py>,
    classes: &Classes,
    record: &Record,
) -> PyResult<Bound<'py, PyAny>> {
    let class = classes.class(record.id())?;
    let object = class.new.bind(py).call1((&class.class,))?;
    fields(classes, record, &object)?;
    Ok(object)
}

/// Sets these fields of an object.
pub(super) fn fields(classes: &Classes, record: &Record, object: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = object.py();
    let names = &classes.class(record.id())?.names;
    names
        .iter()
        .zip(record.values())
        .try_for_each(|(name, v)| object.setattr(name.bind(py), value(py, classes, v)?))
}

fn value<'py>(py: Python<'py>, classes: &Classes, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Int8(v) => v.into_pyobject(py)?.into_any(),
        Value::Int16(v) => v.into_pyobject(py)?.into_any(),
        Value::Int32(v) | Value::Enum(v) => v.into_pyobject(py)?.into_any(),
        Value::Int64(v) => v.into_pyobject(py)?.into_any(),
        Value::Byte(v) => v.into_pyobject(py)?.into_any(),
        Value::Float(v) => f64::from(*v).into_pyobject(py)?.into_any(),
        Value::Double(v) => v.into_pyobject(py)?.into_any(),
        Value::Boolean(v) => v.into_pyobject(py)?.to_owned().into_any(),
        Value::String(v) => to_str(py, v.as_bytes())?,
        Value::Record(v) => record(py, classes, v)?,
        Value::Array(v) => array(py, classes, v)?,
    })
}

fn array<'py>(py: Python<'py>, classes: &Classes, array: &Array) -> PyResult<Bound<'py, PyAny>> {
    macro_rules! numbers {
        ($v:expr, $letter:literal) => {{
            let v = $v;
            let width = v.first().map_or(1, size_of_val);
            let bytes = PyByteArray::new_with(py, width * v.len(), |out| {
                for (place, v) in out.chunks_exact_mut(width).zip(v) {
                    place.copy_from_slice(&v.to_ne_bytes());
                }
                Ok(())
            })?;
            numbers(bytes, $letter, array.shape())
        }};
    }
    match array.items() {
        Items::Int8(v) => numbers!(v, "b"),
        Items::Int16(v) => numbers!(v, "h"),
        Items::Int32(v) | Items::Enum(v) => numbers!(v, "i"),
        Items::Int64(v) => numbers!(v, "q"),
        Items::Float(v) => numbers!(v, "f"),
        Items::Double(v) => numbers!(v, "d"),
        Items::Byte(v) => numbers(PyByteArray::new(py, v), "B", array.shape()),
        Items::Boolean(v) => {
            let bytes: Vec<u8> = v.iter().map(|&v| v.into()).collect();
            numbers(PyByteArray::new(py, &bytes), "?", array.shape())
        }
        Items::String(v) => {
            let elements: PyResult<Vec<_>> = v.iter().map(|text| to_str(py, text.as_bytes())).collect();
            lists(py, &elements?, array.shape())
        }
        Items::Record(v) => {
            let elements: PyResult<Vec<_>> = v.iter().map(|inner| record(py, classes, inner)).collect();
            lists(py, &elements?, array.shape())
        }
    }
}

/// Numbers as a NumPy array, or as lists without NumPy.
fn numbers<'py>(
    bytes: Bound<'py, PyByteArray>,
    letter: &str,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    static FROM_BYTES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = bytes.py();
    let from_bytes = FROM_BYTES.import(py, "saltus._arrays", "from_bytes")?;
    from_bytes.call1((bytes, PyString::intern(py, letter), shape.to_vec()))
}

/// Elements in nested lists, one level per dimension.
fn lists<'py>(
    py: Python<'py>,
    elements: &[Bound<'py, PyAny>],
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let [outer, inner @ ..] = shape else {
        return elements
            .first()
            .cloned()
            .ok_or_else(|| pyo3::exceptions::PyValueError::new_err("no element"));
    };
    if inner.is_empty() {
        return Ok(PyList::new(py, elements)?.into_any());
    }
    // After a size of 0 the other sizes have no meaning.
    let width = elements.len().checked_div(*outer).unwrap_or(0);
    let rows = (0..*outer)
        .map(|row| lists(py, elements.get(row * width..(row + 1) * width).unwrap_or_default(), inner));
    let rows: PyResult<Vec<_>> = rows.collect();
    Ok(PyList::new(py, rows?)?.into_any())
}
