//! Java: a class for each type, in a directory for each package, and in each package the runtime of its classes.
//!
//! ```text
//! exlcm/pose_t.java        public final class pose_t
//! exlcm/SaltusWire.java    what the classes of this package stand on; nobody else sees it
//! lcmtypes/plain_t.java    a type without a package
//! ```
//!
//! The text is formatted as by clang-format in Google's style; only ASCII, so that no compiler needs an encoding
//! option.

mod layout;
mod lcm;
mod lcm_arrays;
mod modern;
mod module;
mod read;

use crate::{File, Options, Style, Types, Unsupported, levels};
use layout::{javadoc, statement};
pub(crate) use module::Module;
use module::Place;
use saltus_types::{EnumId, Schema};
use std::collections::BTreeSet;
use std::path::PathBuf;

const WIRE_MODERN: &str = include_str!("wire_modern.java");
const WIRE_LCM: &str = include_str!("wire_lcm.java");

pub(crate) fn files(schema: &Schema, types: Types<'_>, options: &Options) -> Result<Vec<File>, Unsupported> {
    let mut files = Vec::new();
    let mut packages = BTreeSet::new();
    let plain = if options.style == Style::Lcm { levels::plain(schema) } else { Vec::new() };
    for &id in types.structs {
        let text = match options.style {
            Style::Modern => modern::class(schema, id, options),
            Style::Lcm => lcm::class(schema, id, options, &plain),
        };
        let place = Place::of(&schema.get(id).name, options);
        files.push(File { path: place.file(), text });
        packages.insert(place.package);
    }
    for e in types.all_enums(schema) {
        let place = Place::of(&schema.get_enum(e).name, options);
        let text = match options.style {
            Style::Modern => numbers(schema, e, &place),
            Style::Lcm => lcm::enumeration(schema, e, &place),
        };
        files.push(File { path: place.file(), text });
        packages.insert(place.package);
    }
    let wire = if options.style == Style::Lcm { WIRE_LCM } else { WIRE_MODERN };
    for package in packages {
        let path = package.split('.').collect::<PathBuf>().join("SaltusWire.java");
        files.push(File { path, text: wire.replace("package PACKAGE;", &format!("package {package};")) });
    }
    Ok(files)
}

/// A class with the numbers of an enum of the old language; fields hold them as `int`.
fn numbers(schema: &Schema, id: EnumId, place: &Place) -> String {
    let e = schema.get_enum(id);
    let names = module::scope(&[], e.values.iter().map(|v| v.name.as_str()));
    let mut text = module::head(&e.file, place, &[]);
    text += &javadoc(0, &e.doc);
    text += &format!("public final class {} {{\n", place.class);
    for value in &e.values {
        text += &javadoc(1, &value.doc);
        let left = format!("public static final int {}", names.of(&value.name));
        text += &statement(1, &left, &format!("{};", value.value));
        text.push('\n');
    }
    text + &format!("  private {}() {{}}\n}}\n", place.class)
}
