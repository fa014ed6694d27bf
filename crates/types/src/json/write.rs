//! Converts records to JSON.

use super::options::Options;
use crate::value::{Array, Items, Record, Text, Value, starting};
use crate::{Schema, Type};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt::{Display, Write};

/// Largest integer that every reader of JSON reads exactly.
const MAX_EXACT: i64 = (1 << 53) - 1;

pub(super) struct Writer {
    pub out: String,
    pub options: Options,
    pub depth: usize,
}

impl Writer {
    pub fn record(&mut self, record: &Record) {
        self.open('{');
        for (i, (field, value)) in record.fields().enumerate() {
            self.separate(i);
            string(&mut self.out, &field.name);
            self.out.push_str(if self.options.pretty { ": " } else { ":" });
            self.value(record.schema(), field.ty, value);
        }
        self.close('}', record.values().is_empty());
    }

    fn value(&mut self, schema: &Schema, ty: Type, value: &Value) {
        match value {
            Value::Int8(v) => self.integer(*v),
            Value::Int16(v) => self.integer(*v),
            Value::Int32(v) => self.integer(*v),
            Value::Int64(v) => self.int64(*v),
            Value::Byte(v) => self.integer(*v),
            Value::Float(v) => self.float(*v),
            Value::Double(v) => self.double(*v),
            Value::String(v) => self.text(v),
            Value::Boolean(v) => self.put(v),
            Value::Enum(v) => self.number_of_enum(schema, ty, *v),
            Value::Record(v) => self.record(v),
            Value::Array(v) => self.array(schema, ty, v),
        }
    }

    fn array(&mut self, schema: &Schema, ty: Type, array: &Array) {
        let shape = array.shape();
        match array.items() {
            Items::Byte(v) if self.options.base64 => {
                // One string for each row, including empty ones.
                let (rows, width) = shape.split_at(shape.len() - 1);
                let mut at = 0;
                self.rows(rows, |w, _| {
                    w.put(format_args!("\"{}\"", STANDARD.encode(&v[at..at + width[0]])));
                    at += width[0];
                });
            }
            Items::Int8(v) => self.rows(shape, |w, i| w.integer(v[i])),
            Items::Int16(v) => self.rows(shape, |w, i| w.integer(v[i])),
            Items::Int32(v) => self.rows(shape, |w, i| w.integer(v[i])),
            Items::Int64(v) => self.rows(shape, |w, i| w.int64(v[i])),
            Items::Byte(v) => self.rows(shape, |w, i| w.integer(v[i])),
            Items::Float(v) => self.rows(shape, |w, i| w.float(v[i])),
            Items::Double(v) => self.rows(shape, |w, i| w.double(v[i])),
            Items::String(v) => self.rows(shape, |w, i| w.text(&v[i])),
            Items::Boolean(v) => self.rows(shape, |w, i| w.put(v[i])),
            Items::Enum(v) => self.rows(shape, |w, i| w.number_of_enum(schema, ty, v[i])),
            Items::Record(v) => self.rows(shape, |w, i| w.record(&v[i])),
        }
    }

    /// Nested arrays. Dimensions after one of size 0 are not visible.
    fn rows(&mut self, shape: &[usize], mut element: impl FnMut(&mut Writer, usize)) {
        // Rows of size 0 are written too, as `[]`: as many dimensions as there are before the first 0.
        let deep = shape.iter().position(|&n| n == 0).unwrap_or(shape.len());
        let Some((&width, outer)) = shape[..deep].split_last() else {
            return if shape.is_empty() { element(self, 0) } else { self.out.push_str("[]") };
        };
        let comma = if self.options.pretty { ", " } else { "," };
        let rows: usize = outer.iter().product();
        for row in 0..rows {
            if row > 0 {
                self.out.push_str(comma);
            }
            self.repeat('[', starting(outer, row) + 1);
            for i in row * width..(row + 1) * width {
                if i > row * width {
                    self.out.push_str(comma);
                }
                if deep < shape.len() { self.out.push_str("[]") } else { element(self, i) }
            }
            let ends = if row + 1 < rows { starting(outer, row + 1) } else { outer.len() };
            self.repeat(']', ends + 1);
        }
    }

    fn repeat(&mut self, bracket: char, n: usize) {
        self.out.extend(std::iter::repeat_n(bracket, n));
    }

    fn put(&mut self, value: impl Display) {
        let _ = write!(self.out, "{value}");
    }

    fn integer(&mut self, v: impl itoa::Integer) {
        self.out.push_str(itoa::Buffer::new().format(v));
    }

    fn int64(&mut self, v: i64) {
        if v.unsigned_abs() <= MAX_EXACT.unsigned_abs() {
            self.integer(v);
        } else {
            self.put(format_args!("\"{v}\""));
        }
    }

    fn float(&mut self, v: f32) {
        if v.is_finite() {
            let mut buffer = zmij::Buffer::new();
            let short = buffer.format_finite(v);
            // Most readers read a double and round it: that must restore the value as well.
            let back = short.parse::<f64>().map(|d| (d as f32).to_bits());
            if back == Ok(v.to_bits()) { self.out.push_str(short) } else { self.double(v.into()) }
        } else if v.is_nan() && v.to_bits() != f32::NAN.to_bits() {
            self.put(format_args!("\"NaN({:#010x})\"", v.to_bits()));
        } else {
            self.special(v.into());
        }
    }

    fn double(&mut self, v: f64) {
        if v.is_finite() {
            self.out.push_str(zmij::Buffer::new().format_finite(v));
        } else if v.is_nan() && v.to_bits() != f64::NAN.to_bits() {
            self.put(format_args!("\"NaN({:#018x})\"", v.to_bits()));
        } else {
            self.special(v);
        }
    }

    fn special(&mut self, v: f64) {
        self.out.push_str(match v {
            f64::INFINITY => "\"Infinity\"",
            f64::NEG_INFINITY => "\"-Infinity\"",
            _ => "\"NaN\"",
        });
    }

    fn text(&mut self, text: &Text) {
        match text.as_str() {
            Some(text) => string(&mut self.out, text),
            None => self.put(format_args!("{{\"base64\":\"{}\"}}", STANDARD.encode(text.as_bytes()))),
        }
    }

    fn number_of_enum(&mut self, schema: &Schema, ty: Type, number: i32) {
        let names = if let Type::Enum(id) = ty { &*schema.get_enum(id).values } else { &[] };
        match names.iter().find(|v| v.value == number) {
            Some(v) => string(&mut self.out, &v.name),
            None => self.integer(number),
        }
    }

    fn open(&mut self, bracket: char) {
        self.out.push(bracket);
        self.depth += 1;
    }

    fn separate(&mut self, i: usize) {
        if i > 0 {
            self.out.push(',');
        }
        self.line();
    }

    fn close(&mut self, bracket: char, empty: bool) {
        self.depth -= 1;
        if !empty {
            self.line();
        }
        self.out.push(bracket);
    }

    fn line(&mut self) {
        if self.options.pretty {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", self.depth));
        }
    }
}

/// A string in quotes, escaped where JSON requires it, and where a terminal would interpret it.
fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
