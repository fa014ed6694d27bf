//! C99, source-compatible with what LCM's generator emits, on `saltus/wire.h`.
//!
//! A type has two files. The header has the struct, the functions for programs, and below them the support
//! functions for types that contain this one; the source file has the bodies. The C++ generator shares names,
//! shapes, comments and constants.

mod api;
mod enums;
mod header;
mod lcm;
pub(crate) mod literal;
mod memory;
pub(crate) mod names;
pub(crate) mod plain;
mod read;
pub(crate) mod shape;
pub(crate) mod unit;
mod write;

use crate::text::Text;
use crate::{File, Options, Style, Types, Unsupported};
use saltus_types::Schema;
use shape::Shapes;
use unit::Unit;

/// The support headers, which are written next to the generated code.
pub(crate) const WIRE_H: &str = include_str!("../../runtime/saltus/wire.h");
const NUMBERS_H: &str = include_str!("../../runtime/saltus/numbers.h");
const PLAIN_H: &str = include_str!("../../runtime/saltus/plain.h");

pub(crate) fn files(schema: &Schema, types: Types<'_>, options: &Options) -> Result<Vec<File>, Unsupported> {
    names::check(schema, options)?;
    let shapes = Shapes::of(schema);
    let mut files = Vec::new();
    for &id in types.structs {
        let unit = Unit::new(schema, options, &shapes, id);
        files.push(file(format!("{}.h", unit.name), header::text(&unit)));
        files.push(file(format!("{}.c", unit.name), source(&unit)));
        if let Some(text) = plain::text(&unit).filter(|_| options.plain) {
            files.push(file(format!("{}_plain.h", unit.name), text));
        }
    }
    for id in types.all_enums(schema) {
        files.push(file(format!("{}.h", enums::name(schema, id, options)), enums::text(schema, id, options)));
    }
    if !types.is_empty() {
        files.extend(support(options));
    }
    Ok(files)
}

/// The support headers of C.
pub(crate) fn support(options: &Options) -> Vec<File> {
    let mut files =
        vec![file("saltus/wire.h".into(), WIRE_H.into()), file("saltus/numbers.h".into(), NUMBERS_H.into())];
    if options.plain {
        files.push(file("saltus/plain.h".into(), PLAIN_H.into()));
    }
    files
}

pub(crate) fn file(path: String, text: String) -> File {
    File { path: path.into(), text }
}

/// The source file of a type.
fn source(unit: &Unit<'_>) -> String {
    let mut t = Text::new("    ");
    t.line(unit.banner());
    t.line(names::include(unit.options, &format!("{}.h", unit.name)));
    if unit.options.style == Style::Lcm {
        t.line("#include <stdio.h>");
    }
    t.gap();
    t.line(format!("const char {}_schema[] =", unit.name));
    let literals = literal::text_literals(&unit.schema.to_lcm(unit.id));
    for (i, line) in literals.iter().enumerate() {
        let end = if i + 1 == literals.len() { ";" } else { "" };
        t.line(format!("    {line}{end}"));
    }
    write::emit(unit, &mut t);
    read::emit(unit, &mut t);
    memory::emit(unit, &mut t);
    api::bodies(unit, &mut t);
    if unit.options.style == Style::Lcm {
        lcm::bodies(unit, &mut t);
    }
    t.finish()
}
