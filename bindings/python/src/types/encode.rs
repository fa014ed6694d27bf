//! Encodes Python objects to messages. It only accepts values that decode to the same value, except for the precision of numbers.

use super::classes::{Class, Classes, error_at, letter, unexpected};
use crate::buffer::with_bytes;
use crate::names;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString};
use saltus_types::value::{Array, Items, Text};
use saltus_types::{Extent, Field, Primitive, Record, StructId, Type, Value};
use saltus_wire::MAX_DEPTH;

/// A struct: an object of its class, or a dict of some of its fields. Fields that a dict leaves out are zero, and size fields are the
/// lengths of the arrays. `at` is its name in errors.
pub(super) fn record(
    classes: &Classes,
    id: StructId,
    object: &Bound<'_, PyAny>,
    at: &str,
    depth: u32,
) -> PyResult<Record> {
    let py = object.py();
    if depth > MAX_DEPTH {
        return Err(error_at(at, format_args!("structs are nested more than {MAX_DEPTH} deep")));
    }
    let mut record = Record::zero(&classes.schema, id).map_err(|e| error_at(at, e))?;
    let (definition, class) = (classes.schema.get(id), classes.class(id)?);
    let dict = object.cast::<PyDict>().ok();
    if dict.is_none() && !object.is_instance(class.class.bind(py))? {
        return Err(unexpected(at, &format!("a {} or a dict", definition.name), object));
    }
    let mut given = vec![false; definition.fields.len()];
    for (i, (field, name)) in definition.fields.iter().zip(&class.names).enumerate() {
        let name = name.bind(py);
        let value = match dict {
            Some(dict) => dict.get_item(name)?,
            None => Some(
                object
                    .getattr(name)
                    .map_err(|_| error_at(at, format_args!("`{}` is not set", field.name)))?,
            ),
        };
        let Some(value) = value else { continue };
        given[i] = true;
        let at = format!("{at}.{}", field.name);
        let value = match field.is_array() {
            true => array(classes, field, &value, &at, depth)?,
            false => scalar(classes, field.ty, &value, &at, depth)?,
        };
        record
            .set(&field.name, value)
            .map_err(|e| error_at(&at, format_args!("expected {}, found {}", e.expected, e.found)))?;
    }
    if let Some(dict) = dict {
        if dict.len() > given.iter().filter(|given| **given).count() {
            return Err(unknown_key(class, dict, at)?);
        }
        let sizes = definition.size_fields();
        if !sizes.is_empty() && !sizes.iter().any(|&i| given[i]) {
            record.set_sizes();
        }
    }
    Ok(record)
}

/// The error for a dict with a key that is not a field.
#[cold]
fn unknown_key(class: &Class, dict: &Bound<'_, PyDict>, at: &str) -> PyResult<PyErr> {
    for key in dict.keys() {
        let mut is_field = false;
        for name in &class.names {
            is_field |= key.eq(name.bind(dict.py()))?;
        }
        if !is_field {
            return Ok(error_at(at, format_args!("there is no field {}", key.repr()?)));
        }
    }
    Ok(error_at(at, "a dict that changes meanwhile"))
}

fn scalar(classes: &Classes, ty: Type, value: &Bound<'_, PyAny>, at: &str, depth: u32) -> PyResult<Value> {
    let number = |e: PyErr| {
        error_at(at, format_args!("expected {}: {}", classes.schema.type_name(ty), e.value(value.py())))
    };
    Ok(match ty {
        Type::Primitive(Primitive::Int8) => Value::Int8(value.extract().map_err(number)?),
        Type::Primitive(Primitive::Int16) => Value::Int16(value.extract().map_err(number)?),
        Type::Primitive(Primitive::Int32) => Value::Int32(value.extract().map_err(number)?),
        Type::Primitive(Primitive::Int64) => Value::Int64(value.extract().map_err(number)?),
        Type::Primitive(Primitive::Byte) => Value::Byte(value.extract().map_err(number)?),
        Type::Enum(_) => Value::Enum(value.extract().map_err(number)?),
        Type::Primitive(Primitive::Double) => Value::Double(value.extract().map_err(number)?),
        Type::Primitive(Primitive::Float) => {
            let wide: f64 = value.extract().map_err(number)?;
            let narrow = wide as f32;
            if wide.is_finite() && !narrow.is_finite() {
                return Err(error_at(at, format_args!("{wide} is too large for a float")));
            }
            Value::Float(narrow)
        }
        Type::Primitive(Primitive::Boolean) => Value::Boolean(value.is_truthy()?),
        Type::Primitive(Primitive::String) => Value::String(text(value, at)?),
        Type::Struct(id) => record(classes, id, value, at, depth + 1)?.into(),
    })
}

fn text(value: &Bound<'_, PyAny>, at: &str) -> PyResult<Text> {
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        return Ok(names::to_bytes(value)?.into());
    }
    Err(unexpected(at, "a str", value))
}

fn array(
    classes: &Classes,
    field: &Field,
    value: &Bound<'_, PyAny>,
    at: &str,
    depth: u32,
) -> PyResult<Value> {
    let rank = field.dims.len();
    let (mut shape, items) = match letter(field.ty) {
        Some(letter) => numbers(field.ty, letter, rank, value, at)?,
        None => {
            let (mut shape, mut elements) = (Vec::new(), Vec::new());
            flatten(value, rank, 0, &mut shape, &mut elements, at)?;
            let items = match field.ty {
                Type::Struct(id) => {
                    let one = |(i, v): (usize, &Bound<'_, PyAny>)| {
                        record(classes, id, v, &format!("{at}[{i}]"), depth + 1)
                    };
                    Items::Record(elements.iter().enumerate().map(one).collect::<PyResult<_>>()?)
                }
                _ => Items::String(elements.iter().map(|v| text(v, at)).collect::<PyResult<_>>()?),
            };
            (shape, items)
        }
    };
    // Without rows, lists do not show the width of a row.
    if let Some(empty) = shape.iter().position(|&n| n == 0) {
        shape.truncate(empty + 1);
        shape.extend(field.dims.iter().skip(empty + 1).map(|dim| match dim.extent {
            Extent::Fixed(n) => n as usize,
            Extent::Variable(_) => 0,
        }));
    }
    let array = Array::new(&shape, items).filter(|array| array.shape().len() == rank);
    array.map(Value::from).ok_or_else(|| {
        error_at(at, format_args!("expected an array of {rank} dimensions, found the shape {shape:?}"))
    })
}

/// The elements of lists that are nested `rank` deep, and the lengths of each level.
fn flatten<'py>(
    value: &Bound<'py, PyAny>,
    rank: usize,
    level: usize,
    shape: &mut Vec<usize>,
    out: &mut Vec<Bound<'py, PyAny>>,
    at: &str,
) -> PyResult<()> {
    if level == rank {
        out.push(value.clone());
        return Ok(());
    }
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyDict>() {
        return Err(unexpected(at, "a list", value));
    }
    let elements: Vec<Bound<'py, PyAny>> =
        value.try_iter().and_then(Iterator::collect).map_err(|_| unexpected(at, "a list", value))?;
    match shape.get(level) {
        None => shape.push(elements.len()),
        Some(n) if *n == elements.len() => {}
        Some(n) => return Err(error_at(at, format_args!("rows of {n} and of {} elements", elements.len()))),
    }
    elements.iter().try_for_each(|element| flatten(element, rank, level + 1, shape, out, at))
}

/// Numbers from a NumPy array or from lists.
fn numbers(
    ty: Type,
    letter: &str,
    rank: usize,
    value: &Bound<'_, PyAny>,
    at: &str,
) -> PyResult<(Vec<usize>, Items)> {
    static TO_BYTES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let to_bytes = TO_BYTES.import(py, "saltus._arrays", "to_bytes")?;
    let result = to_bytes.call1((value, PyString::intern(py, letter), rank));
    let made = result.map_err(|e| error_at(at, e.value(py)))?;
    let (object, shape): (Bound<'_, PyAny>, Vec<usize>) = made.extract()?;
    let items = with_bytes(&object, |bytes, _| {
        macro_rules! read {
            ($ty:ty) => {
                bytes.as_chunks().0.iter().map(|chunk| <$ty>::from_ne_bytes(*chunk)).collect()
            };
        }
        match ty {
            Type::Primitive(Primitive::Int8) => Items::Int8(read!(i8)),
            Type::Primitive(Primitive::Int16) => Items::Int16(read!(i16)),
            Type::Primitive(Primitive::Int64) => Items::Int64(read!(i64)),
            Type::Primitive(Primitive::Byte) => Items::Byte(bytes.to_vec()),
            Type::Primitive(Primitive::Float) => Items::Float(read!(f32)),
            Type::Primitive(Primitive::Double) => Items::Double(read!(f64)),
            Type::Primitive(Primitive::Boolean) => Items::Boolean(bytes.iter().map(|&b| b != 0).collect()),
            Type::Enum(_) => Items::Enum(read!(i32)),
            _ => Items::Int32(read!(i32)),
        }
    })?;
    Ok((shape, items))
}
