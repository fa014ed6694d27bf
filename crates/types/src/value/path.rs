//! Finding a value by its path: `pose.position[2]`.

use super::{Array, Record, Value};

impl Record {
    /// The value at `pose.position[2]`, at any depth: a copy. An array may have fewer indices than it has
    /// dimensions.
    pub fn get(&self, path: &str) -> Option<Value> {
        find(self, path)
    }
}

/// The value at `path` below `record`, copied.
fn find(record: &Record, path: &str) -> Option<Value> {
    let (mut record, mut path) = (record, path);
    loop {
        let (value, rest) = field(record, path)?;
        let (indices, rest) = indices(rest)?;
        let array = match value {
            Value::Array(array) if !indices.is_empty() => Some(array),
            _ if !indices.is_empty() => return None,
            _ => None,
        };
        let Some(next) = rest.strip_prefix('.') else {
            // `field` and `indices` leave no other case.
            return array.map_or_else(|| Some(value.clone()), |a| a.at(&indices));
        };
        record = match array {
            Some(array) => element(array, &indices)?,
            None => value.as_record()?,
        };
        path = next;
    }
}

/// The field that `path` starts with, and the rest of the path. The longest name wins: `.` may be part of one.
fn field<'r, 'p>(record: &'r Record, path: &'p str) -> Option<(&'r Value, &'p str)> {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[']);
    record
        .fields()
        .filter_map(|(f, v)| Some((v, path.strip_prefix(f.name.as_str()).filter(|r| ends(r))?)))
        .min_by_key(|(_, rest)| rest.len())
}

/// The indices that `path` starts with, `[1][2]`, and the rest of the path, which is empty or starts with a dot.
fn indices(mut path: &str) -> Option<(Vec<usize>, &str)> {
    let mut indices = Vec::new();
    while let Some(inner) = path.strip_prefix('[') {
        let (number, rest) = inner.split_once(']')?;
        indices.push(number.parse().ok()?);
        path = rest;
    }
    (path.is_empty() || path.starts_with('.')).then_some((indices, path))
}

fn element<'a>(array: &'a Array, indices: &[usize]) -> Option<&'a Record> {
    (indices.len() == array.shape().len()).then(|| array.records().get(array.offset(indices)?))?
}
