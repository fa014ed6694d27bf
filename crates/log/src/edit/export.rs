//! Exports the messages of a log for other programs.

use super::{Meanings, ReadError, Selection, Source};
use crate::{Damage, Event};
use saltus_decode::Meaning;
use saltus_text::{escape::escaped, human::signed_timestamp};
use saltus_types::{Extent, Field, Record, Schema, StructId, Type, json};
use serde_json::Value;
use std::io::{self, Read, Write};

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A table of messages of one type: a line for each message; a column for each field, each element of an array
    /// of fixed size, and each array of variable size.
    Csv,
    /// One JSON object per line.
    Json,
}

/// The result of an export.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exported {
    /// The number of messages written.
    pub rows: u64,
    /// The number of messages not written, because their type is unknown or they are invalid.
    pub left_out: u64,
    /// The unreadable parts.
    pub damage: Damage,
}

/// An error of an export.
#[derive(Debug)]
pub enum ExportError {
    /// The output failed.
    Write(io::Error),
    /// Messages of these two types do not fit into one table.
    TwoTypes(String, String),
}

/// Writes all selected messages that can be decoded. Calls `progress` with the number of bytes read; it returns
/// whether to continue.
///
/// # Errors
/// The source is not a log or cannot be read, or the messages cannot be written.
pub fn export<R: Read, W: Write>(
    source: Source<R>,
    mut selection: Selection<'_>,
    mut meanings: Meanings,
    layout: Layout,
    mut out: W,
    progress: impl FnMut(u64) -> bool,
) -> Result<Exported, ReadError<ExportError>> {
    let (mut table, mut exported) = (None, Exported::default());
    let rest = source.each(progress, |event| {
        if !selection.takes(event) {
            return Ok(true);
        }
        let Meaning::Record { record, .. } = meanings.of(event) else {
            exported.left_out += 1;
            return Ok(true);
        };
        match layout {
            Layout::Json => object(&mut out, event, &record).map_err(ExportError::Write)?,
            Layout::Csv => {
                let table = table.get_or_insert_with(|| Table::of(&record));
                table.row(&mut out, event, &record, exported.rows == 0)?;
            }
        }
        exported.rows += 1;
        Ok(true)
    })?;
    out.flush().map_err(|e| ReadError::Take(ExportError::Write(e)))?;
    Ok(Exported { damage: rest.damage, ..exported })
}

/// Writes an object on one line.
fn object(out: &mut impl Write, event: &Event<'_>, record: &Record) -> io::Result<()> {
    let channel = Value::from(escaped(event.channel));
    let kind = Value::from(record.definition().name.to_string());
    // JSON readers would round numbers of nanoseconds.
    let published = event.publish_time.map_or(Value::Null, |time| Value::from(signed_timestamp(time)));
    let (logged, value) = (Value::from(signed_timestamp(event.log_time)), json::to_string(record));
    writeln!(
        out,
        "{{\"channel\":{channel},\"logged\":{logged},\"published\":{published},\"type\":{kind},\"value\":{value}}}"
    )
}

/// A table of messages of one type.
struct Table {
    fingerprint: u64,
    name: String,
}

impl Table {
    fn of(record: &Record) -> Table {
        let definition = record.definition();
        Table { fingerprint: definition.fingerprint, name: definition.name.to_string() }
    }

    fn row(
        &self,
        out: &mut impl Write,
        event: &Event<'_>,
        record: &Record,
        first: bool,
    ) -> Result<(), ExportError> {
        let other = record.definition();
        if other.fingerprint != self.fingerprint {
            return Err(ExportError::TwoTypes(self.name.clone(), other.name.to_string()));
        }
        let mut cells = vec![
            ("time".to_owned(), signed_timestamp(event.log_time)),
            ("channel".to_owned(), escaped(event.channel)),
        ];
        let value = serde_json::from_str(&json::to_string(record)).unwrap_or(Value::Null);
        walk(record.schema(), record.id(), &value, "", &mut cells);
        let line = |part: fn(&(String, String)) -> &String| {
            let quoted: Vec<String> = cells.iter().map(|cell| quoted(part(cell))).collect();
            quoted.join(",")
        };
        let heading = if first { writeln!(out, "{}", line(|cell| &cell.0)) } else { Ok(()) };
        heading.and_then(|()| writeln!(out, "{}", line(|cell| &cell.1))).map_err(ExportError::Write)
    }
}

/// Calls `cell` for each number in it, with its name.
fn walk(schema: &Schema, id: StructId, value: &Value, prefix: &str, cells: &mut Vec<(String, String)>) {
    for field in &schema.get(id).fields {
        let inner = value.get(&field.name).unwrap_or(&Value::Null);
        elements(schema, field, 0, inner, format!("{prefix}{}", field.name), cells);
    }
}

/// The elements of a field, from this dimension on.
fn elements(
    schema: &Schema,
    field: &Field,
    dim: usize,
    value: &Value,
    name: String,
    cells: &mut Vec<(String, String)>,
) {
    match (field.dims.get(dim), field.ty) {
        (Some(_), _) if field.fixed_count().is_none() => cells.push((name, value.to_string())),
        (Some(of), _) => {
            if let Extent::Fixed(count) = of.extent {
                for i in 0..count as usize {
                    let element = value.get(i).unwrap_or(&Value::Null);
                    elements(schema, field, dim + 1, element, format!("{name}[{i}]"), cells);
                }
            }
        }
        (None, Type::Struct(id)) => walk(schema, id, value, &format!("{name}."), cells),
        (None, _) => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            cells.push((name, text));
        }
    }
}

/// A CSV cell, in quotes if necessary.
fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Output;
    use crate::{Format, WriterOptions};
    use saltus_decode::{Decoder, Kind};
    use std::sync::Arc;

    const TYPES: &str =
        "struct a_t { int32_t n; double x[2]; string s; int8_t v[n]; } struct b_t { int8_t y; }";

    fn exported(types: &[&str], layout: Layout) -> Result<(String, Exported), ReadError<ExportError>> {
        let schema = Arc::new(saltus_types::parse("a test", TYPES).unwrap());
        let mut log = Vec::new();
        let mut out = Output::new(&mut log, Format::Lcm, WriterOptions::new()).unwrap();
        for name in types {
            let data = match schema.find(name) {
                Some(id) => Kind::lcm(&schema, id).encode(&Record::zero(&schema, id).unwrap()).unwrap(),
                None => b"of no type".to_vec(),
            };
            out.add(&Event { channel: b"A,B", data: &data, log_time: 1000, ..Event::default() }).unwrap();
        }
        out.finish().unwrap();
        let mut decoder = Decoder::new();
        decoder.dictionary.add_all(&schema);
        let (mut text, source) = (Vec::new(), Source::new(&log[..]).unwrap());
        let done = export(source, Selection::all(), Meanings::new(decoder), layout, &mut text, |_| true)?;
        Ok((String::from_utf8(text).unwrap(), done))
    }

    #[test]
    fn a_table_has_a_column_for_each_field_and_element() {
        let (text, done) = exported(&["a_t", "", "a_t"], Layout::Csv).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "time,channel,n,x[0],x[1],s,v");
        assert!(lines[1].ends_with(",\"A,B\",0,0.0,0.0,,[]"), "{}", lines[1]);
        assert_eq!((lines.len(), done.rows, done.left_out), (3, 2, 1));
    }

    #[test]
    fn messages_of_two_types_are_objects_but_make_no_table() {
        let (text, done) = exported(&["a_t", "b_t"], Layout::Json).unwrap();
        assert_eq!((text.lines().count(), done.rows), (2, 2));
        assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{text}");
        let both = exported(&["a_t", "b_t"], Layout::Csv);
        assert!(
            matches!(both, Err(ReadError::Take(ExportError::TwoTypes(a, b))) if a == "a_t" && b == "b_t")
        );
    }
}
