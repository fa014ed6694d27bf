//! From JSON to a record.

use super::{JsonCause, JsonError, rows::Rows};
use crate::suggest::nearest;
use crate::value::{Array, Items, Record, TooLarge, Value, Zeros, declaration, integer};
use crate::{Extent, Field, Primitive, Schema, Struct, StructId, Type};
use serde_json::{Map, Value as Json};
use std::sync::Arc;

pub(super) struct Reader<'s> {
    pub schema: &'s Arc<Schema>,
    zeros: Zeros<'s>,
}

/// What is read of a field: a value, or an array whose shape may not be known yet.
enum Part {
    Value(Value),
    Rows(Rows),
}

impl<'s> Reader<'s> {
    pub fn new(schema: &'s Arc<Schema>) -> Reader<'s> {
        Reader { schema, zeros: Zeros::new(schema) }
    }

    pub fn record(&mut self, id: StructId, json: &Json) -> Result<Record, JsonError> {
        let schema = self.schema;
        let of = schema.get(id);
        let Json::Object(object) = json else {
            return Err(expected(format!("an object with a {}", of.name), json));
        };
        if let Some(name) = object.keys().find(|k| of.field(k).is_none()) {
            return Err(unknown(of, name).within(name));
        }
        self.zeros.spend(of, 1 + of.fields.len(), size_of::<Value>())?;
        let mut parts = Vec::with_capacity(of.fields.len());
        for field in &of.fields {
            let part = self.part(id, field, object.get(&field.name)).map_err(|e| e.within(&field.name))?;
            parts.push(part);
        }
        let sizes = sizes(of, object, &mut parts)?;
        let mut values = Vec::with_capacity(parts.len());
        for (field, part) in of.fields.iter().zip(parts) {
            let value = match part {
                Part::Value(value) => value,
                Part::Rows(rows) => shaped(of, field, rows, &sizes).map_err(|e| e.within(&field.name))?,
            };
            values.push(value);
        }
        Ok(Record::of(schema, id, values))
    }

    /// Reads a struct in a struct.
    pub fn nested(&mut self, id: StructId, json: &Json) -> Result<Record, JsonError> {
        if self.zeros.depth == saltus_wire::MAX_DEPTH {
            return Err(JsonCause::TooDeep.into());
        }
        self.zeros.depth += 1;
        let record = self.record(id, json);
        self.zeros.depth -= 1;
        record
    }

    fn part(&mut self, id: StructId, field: &Field, json: Option<&Json>) -> Result<Part, JsonError> {
        Ok(match json {
            Some(json) if field.is_array() => Part::Rows(self.rows(field, json)?),
            Some(json) => Part::Value(self.value(field, json)?),
            None if field.is_variable() => Part::Rows(Rows::missing(field)),
            None => Part::Value(self.zeros.field(id, field)?),
        })
    }

    fn value(&mut self, field: &Field, json: &Json) -> Result<Value, JsonError> {
        if let Type::Struct(id) = field.ty {
            return Ok(self.nested(id, json)?.into());
        }
        let mut one = Items::empty(field.ty);
        self.push(&mut one, field.ty, json)?;
        one.get(0).ok_or_else(|| expected(declaration(self.schema, field), json))
    }
}

/// What the size fields say, by field index: what they were given, or else what the first of their arrays has.
fn sizes(of: &Struct, object: &Map<String, Json>, parts: &mut [Part]) -> Result<Vec<i64>, JsonError> {
    let mut sizes = vec![0; parts.len()];
    for i in of.size_fields() {
        let field = &of.fields[i];
        let known = of.sized_by(i).find_map(|(at, dim)| match &parts[at] {
            Part::Rows(rows) => rows.shape[dim],
            Part::Value(_) => None,
        });
        let Part::Value(value) = &mut parts[i] else { continue };
        if let (Some(n), false, Type::Primitive(p)) = (known, object.contains_key(&field.name), field.ty) {
            let fitting = i64::try_from(n).ok().and_then(|n| integer(p, n));
            *value = fitting.ok_or_else(|| too_many(p, n).within(&field.name))?;
        }
        sizes[i] = value.as_i64().unwrap_or(0);
        if sizes[i] < 0 {
            let found = sizes[i].to_string();
            let cause = JsonCause::Expected { expected: "a size, which is not negative".into(), found };
            return Err(JsonError::from(cause).within(&field.name));
        }
    }
    Ok(sizes)
}

/// An array of the sizes that its size fields say.
fn shaped(of: &Struct, field: &Field, rows: Rows, sizes: &[i64]) -> Result<Value, JsonError> {
    let mut shape = Vec::with_capacity(field.dims.len());
    for (dim, known) in field.dims.iter().zip(&rows.shape) {
        let size = match dim.extent {
            Extent::Fixed(n) => i64::from(n),
            Extent::Variable(i) => sizes[i],
        };
        let n = known.unwrap_or(usize::try_from(size).unwrap_or(usize::MAX));
        if let Extent::Variable(i) = dim.extent
            && i64::try_from(n) != Ok(size)
        {
            let size_field = of.fields[i].name.clone();
            return Err(JsonCause::Size { size_field, says: size, has: n }.into());
        }
        shape.push(n);
    }
    let has = rows.items.len();
    // Only an array that is missing has fewer elements than its size fields say.
    let array = Array::new(&shape, rows.items).ok_or_else(|| {
        let size = |d: &crate::Dim| if let Extent::Variable(i) = d.extent { Some(i) } else { None };
        let i = field.dims.iter().find_map(size).unwrap_or(0);
        JsonCause::Size { size_field: of.fields[i].name.clone(), says: sizes[i], has }
    })?;
    Ok(array.into())
}

fn too_many(p: Primitive, n: usize) -> JsonError {
    let expected = format!("arrays that a size of {} can count", p.name());
    JsonCause::Expected { expected, found: format!("{n} elements") }.into()
}

fn unknown(of: &Struct, name: &str) -> JsonError {
    let meant = nearest(name, of.fields.iter().map(|f| f.name.as_str())).map(String::from);
    JsonCause::Unknown { of: of.name.to_string(), meant }.into()
}

/// Something else than what was expected.
pub(super) fn expected(expected: impl Into<String>, json: &Json) -> JsonError {
    let found = match json {
        Json::Null => "null".into(),
        Json::Array(list) => format!("an array of {}", list.len()),
        Json::Object(_) => "an object".into(),
        Json::String(s) if s.chars().count() > 40 => {
            format!("a string of {} characters", s.chars().count())
        }
        short => short.to_string(),
    };
    JsonCause::Expected { expected: expected.into(), found }.into()
}

impl From<TooLarge> for JsonError {
    fn from(_: TooLarge) -> JsonError {
        JsonCause::TooLarge.into()
    }
}
