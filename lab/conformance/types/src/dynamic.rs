//! The codec without generated code, called like the drivers.

use crate::canonical as write;
use crate::driver::Answer;
use saltus_types::value::Array;
use saltus_types::{Record, Schema, StructId, Value, wire};
use std::sync::Arc;

/// Its answer for a message.
pub fn answer(schema: &Arc<Schema>, id: StructId, bytes: &[u8]) -> Answer {
    match wire::decode(schema, id, bytes) {
        Err(_) => Answer::Refused,
        Ok(record) => Answer::Accepted { json: json(&record), bytes: wire::encode(&record).ok() },
    }
}

/// A record in canonical form.
pub fn json(record: &Record) -> String {
    let mut out = String::new();
    write_record(&mut out, record);
    out
}

fn write_record(out: &mut String, record: &Record) {
    out.push('{');
    for (field, value) in record.fields() {
        write::key(out, &field.name);
        match value {
            Value::Array(array) => write_array(out, array, &mut Vec::new()),
            value => write_value(out, value),
        }
    }
    out.push('}');
}

fn write_array(out: &mut String, array: &Array, at: &mut Vec<usize>) {
    let Some(&count) = array.shape().get(at.len()) else {
        if let Some(value) = array.at(at) {
            write_value(out, &value);
        }
        return;
    };
    out.push('[');
    for i in 0..count {
        write::next(out);
        at.push(i);
        write_array(out, array, at);
        at.pop();
    }
    out.push(']');
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Float(v) => write::float(out, v.to_bits()),
        Value::Double(v) => write::double(out, v.to_bits()),
        Value::String(v) => write::string(out, v.as_bytes()),
        Value::Boolean(v) => write::boolean(out, *v),
        Value::Record(v) => write_record(out, v),
        value => out.push_str(&value.as_i64().unwrap_or_default().to_string()),
    }
}
