//! Records as text for people.
//!
//! `{}` is one line, `{:#}` one field per line. With a precision (`{:.16}`) an array shows only that many elements
//! and its length.

use super::{Array, Items, Record, Value};
use crate::{Schema, Type};
use std::fmt::{self, Display, Formatter};

impl Display for Record {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if f.alternate() { lines(self, f, 0) } else { line(self, f) }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int8(v) => write!(f, "{v}"),
            Value::Int16(v) => write!(f, "{v}"),
            Value::Int32(v) | Value::Enum(v) => write!(f, "{v}"),
            Value::Int64(v) => write!(f, "{v}"),
            Value::Byte(v) => write!(f, "{v}"),
            Value::Float(v) => f.write_str(short(&format!("{v:?}"))),
            Value::Double(v) => f.write_str(short(&format!("{v:?}"))),
            Value::String(v) => write!(f, "{v}"),
            Value::Boolean(v) => write!(f, "{v}"),
            Value::Record(v) => v.fmt(f),
            Value::Array(v) => v.fmt(f),
        }
    }
}

impl Display for Array {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        elements(self, f, None)
    }
}

/// `2` rather than `2.0`.
fn short(float: &str) -> &str {
    float.strip_suffix(".0").unwrap_or(float)
}

/// `pose_t { utime: 5, pos: [1, 2, 3] }`
fn line(record: &Record, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "{} {{", record.definition().name)?;
    for (i, (field, value)) in record.fields().enumerate() {
        f.write_str(if i == 0 { " " } else { ", " })?;
        write!(f, "{}: ", field.name)?;
        inline(record.schema(), field.ty, value, f)?;
    }
    f.write_str(if record.values().is_empty() { "}" } else { " }" })
}

/// One field per line, nested structs indented.
fn lines(record: &Record, f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
    for (field, value) in record.fields() {
        match value {
            Value::Record(inner) => {
                writeln!(f, "{:1$}{2}:", "", depth * 2, field.name)?;
                lines(inner, f, depth + 1)?;
            }
            Value::Array(array) if matches!(array.items(), Items::Record(_)) => {
                let sizes: String = array.shape().iter().map(|n| format!("[{n}]")).collect();
                writeln!(f, "{:1$}{2}: {sizes}", "", depth * 2, field.name)?;
                let shown = f.precision().unwrap_or(usize::MAX);
                for (i, inner) in array.records().iter().enumerate().take(shown) {
                    writeln!(f, "{:1$}{2}:", "", depth * 2 + 2, Array::indices(array.shape(), i))?;
                    lines(inner, f, depth + 2)?;
                }
                if array.records().len() > shown {
                    writeln!(f, "{:1$}…", "", depth * 2 + 2)?;
                }
            }
            _ => {
                write!(f, "{:1$}{2}: ", "", depth * 2, field.name)?;
                inline(record.schema(), field.ty, value, f)?;
                writeln!(f)?;
            }
        }
    }
    Ok(())
}

/// A value on one line; enums by name.
fn inline(schema: &Schema, ty: Type, value: &Value, f: &mut Formatter<'_>) -> fmt::Result {
    match value {
        Value::Enum(v) => name(schema, ty, *v, f),
        Value::Record(r) => line(r, f),
        Value::Array(a) => elements(a, f, Some((schema, ty))),
        _ => value.fmt(f),
    }
}

fn name(schema: &Schema, ty: Type, number: i32, f: &mut Formatter<'_>) -> fmt::Result {
    let names = if let Type::Enum(id) = ty { &*schema.get_enum(id).values } else { &[] };
    match names.iter().find(|v| v.value == number) {
        Some(v) => f.write_str(&v.name),
        None => write!(f, "{number}"),
    }
}

/// `[[1, 2], [3, 4]]`
fn elements(array: &Array, f: &mut Formatter<'_>, enums: Option<(&Schema, Type)>) -> fmt::Result {
    let shape = array.shape();
    let total = array.items().len();
    let shown = f.precision().unwrap_or(usize::MAX).min(total);
    let mut open = 0;
    for i in 0..shown {
        // A dimension opens where all inner dimensions start again.
        let starts = starting(shape, i);
        f.write_str(if i == 0 { "" } else { ", " })?;
        for _ in 0..starts {
            f.write_str("[")?;
        }
        open += starts;
        match (array.items(), enums) {
            (Items::Enum(v), Some((schema, ty))) => name(schema, ty, v[i], f)?,
            (Items::Record(v), _) => line(&v[i], f)?,
            (items, _) => items.get(i).map_or(Ok(()), |v| v.fmt(f))?,
        }
        if i + 1 < shown {
            let ends = starting(shape, i + 1);
            for _ in 0..ends {
                f.write_str("]")?;
            }
            open -= ends;
        }
    }
    match (total, shown == total) {
        (0, _) => f.write_str("[]"),
        (_, true) => (0..open).try_for_each(|_| f.write_str("]")),
        (_, false) => {
            let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
            f.write_str(if open == 0 { "[…" } else { ", …" })?;
            (1..open).try_for_each(|_| f.write_str("]"))?;
            write!(f, " {} elements]", sizes.join("×"))
        }
    }
}

/// How many dimensions start with element `i`, which exists.
pub(crate) fn starting(shape: &[usize], mut i: usize) -> usize {
    if i == 0 {
        return shape.len();
    }
    let mut starts = 0;
    for &n in shape.iter().rev() {
        if !i.is_multiple_of(n) {
            break;
        }
        starts += 1;
        i /= n;
    }
    starts
}
