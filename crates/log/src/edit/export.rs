//! `saltus log export`: the messages of a log for other programs.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use saltus_decode::Meaning;
use saltus_log::Event;
use saltus_types::{Extent, Field, Record, Type, json};
use serde_json::Value;

use super::cat::Meanings;
use super::input::{Input, tell};
use super::select::{Channels, Selection, Times};
use crate::escape::escaped;
use crate::failure::{Code, Failure, Outcome, say};
use crate::flags::{Quiet, TypeDirs};
use crate::human::{plural, signed_stamp};
use crate::stop;
use crate::target::Target;

/// The options of `log export`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Export {
    /// As what
    #[arg(value_enum)]
    format: Kind,

    /// The log; - is standard input
    log: PathBuf,

    /// Where to write; - is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: PathBuf,

    #[command(flatten)]
    channels: Channels,

    #[command(flatten)]
    times: Times,

    #[command(flatten)]
    dirs: TypeDirs,

    /// Overwrite what is there
    #[arg(short, long)]
    force: bool,

    #[command(flatten)]
    quiet: Quiet,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A table
    Csv,
    /// Objects, one a line
    Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus log export csv robot.mcap -c POSE -o pose.csv
  saltus log export json lcmlog-2026-11-20.00 -I types -c 'ARM_.*' -o arm.jsonl";

/// Writes all that is chosen and understood.
pub fn run(args: Export) -> Outcome {
    stop::on_signals()?;
    let mut selection = Selection::new(&args.channels, args.times)?;
    let mut meanings = Meanings::new(&args.dirs)?;
    let input = Input::open(&args.log)?;
    let (name, quiet) = (input.name.clone(), args.quiet.quiet);
    let failed = |e: io::Error| match e.kind() {
        io::ErrorKind::BrokenPipe => Failure::Quiet,
        _ => Failure::new(Code::Failed, format!("cannot write {}: {e}; make room", args.out.display())),
    };
    let (rows, left_out, damage) = Target::new(&args.out, args.force)?.fill(|file| {
        let mut out = io::BufWriter::new(file);
        let (mut table, mut rows, mut left_out) = (None, 0, 0);
        let (_, rest) = input.each(quiet, |event| {
            if !selection.takes(event) {
                return Ok(true);
            }
            match meanings.of(event)? {
                Meaning::Record { record, .. } => {
                    if args.format == Kind::Json {
                        object(&mut out, event, &record).map_err(failed)?;
                    } else {
                        let table = table.get_or_insert_with(|| Table::of(&record));
                        table.row(&mut out, event, &record, rows == 0)?.map_err(failed)?;
                    }
                    rows += 1;
                }
                _ => left_out += 1,
            }
            Ok(true)
        })?;
        out.flush().map_err(failed)?;
        if stop::requested() {
            return Err(Failure::new(Code::Failed, "interrupted: nothing was kept of it"));
        }
        if rows == 0 && left_out > 0 {
            let words = "no message whose type is known: -I names the directory of their type files";
            return Err(Failure::new(Code::Failed, words));
        }
        Ok((rows, left_out, rest.damage))
    })?;
    tell(&name, &damage);
    if left_out > 0 {
        say(format_args!(
            "{} left out: their type is not known, or they are damaged",
            plural(left_out, "message")
        ));
    }
    if !quiet {
        say(format_args!("{} written", plural(rows, "message")));
    }
    Ok(())
}

fn object(out: &mut impl Write, event: &Event<'_>, record: &Record) -> io::Result<()> {
    let channel = Value::from(escaped(event.channel));
    let kind = Value::from(record.definition().name.to_string());
    let published = event.publish_time.map_or(Value::Null, Value::from);
    let (logged, value) = (event.log_time, json::to_string(record));
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
    ) -> Outcome<io::Result<()>> {
        let other = record.definition();
        if other.fingerprint != self.fingerprint {
            let words = format!(
                "messages of two types, {} and {}, make no table: -c chooses channels, and `saltus log info` tells them",
                self.name, other.name
            );
            return Err(Failure::new(Code::Usage, words));
        }
        let mut cells = vec![
            ("time".to_owned(), signed_stamp(event.log_time)),
            ("channel".to_owned(), escaped(event.channel)),
        ];
        let value = serde_json::from_str(&json::to_string(record)).unwrap_or(Value::Null);
        fields(record, &value, "", &mut cells);
        let line = |part: fn(&(String, String)) -> &String| {
            let quoted: Vec<String> = cells.iter().map(|cell| quoted(part(cell))).collect();
            quoted.join(",")
        };
        let heading = if first { writeln!(out, "{}", line(|cell| &cell.0)) } else { Ok(()) };
        Ok(heading.and_then(|()| writeln!(out, "{}", line(|cell| &cell.1))))
    }
}

/// A cell for each number in it, by name.
fn fields(record: &Record, value: &Value, prefix: &str, cells: &mut Vec<(String, String)>) {
    walk(record.schema(), record.id(), value, prefix, cells);
}

fn walk(
    schema: &saltus_types::Schema,
    id: saltus_types::StructId,
    value: &Value,
    prefix: &str,
    cells: &mut Vec<(String, String)>,
) {
    for field in &schema.get(id).fields {
        let inner = value.get(&field.name).unwrap_or(&Value::Null);
        elements(schema, field, 0, inner, format!("{prefix}{}", field.name), cells);
    }
}

/// The elements of a field from this dimension on.
fn elements(
    schema: &saltus_types::Schema,
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

/// As CSV has it: in quotes where it must be.
fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}
