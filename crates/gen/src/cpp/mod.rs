//! C++17, header only, source-compatible with what LCM's generator emits, on `saltus/wire.hpp`.

mod body;
mod class;
mod enums;
mod group;
mod names;
mod plain;

use crate::c::literal::{banner, document};
use crate::c::names::include;
use crate::c::shape::Shapes;
use crate::c::{file, support};
use crate::text::Text;
use crate::{File, Options, Types, Unsupported};
use class::Class;
use names::{Place, in_namespace};
use saltus_types::{Schema, StructId, Type};
use std::collections::BTreeSet;

const STANDARD_HPP: &str = include_str!("../../runtime/saltus/standard.hpp");
const WIRE_HPP: &str = include_str!("../../runtime/saltus/wire.hpp");
const PLAIN_HPP: &str = include_str!("../../runtime/saltus/plain.hpp");

pub(crate) fn files(schema: &Schema, types: Types<'_>, options: &Options) -> Result<Vec<File>, Unsupported> {
    names::check(schema, options)?;
    let shapes = Shapes::of(schema);
    let mut files = Vec::new();
    let mut heads = BTreeSet::new();
    let mut shown = types.structs.to_vec();
    for &id in types.structs {
        let members = group::members(schema, id);
        let Some(head) = group::head(schema, &members) else { continue };
        let place = names::place(schema, id, options);
        if heads.insert(head) {
            shown.extend(&members);
            let text = header(schema, options, &shapes, head, &members);
            files.push(file(names::place(schema, head, options).file(".hpp"), text));
        }
        if id != head {
            files.push(file(place.file(".hpp"), forward(schema, options, id, head)));
        }
        if let Some(text) = plain::text(schema, options, id).filter(|_| options.plain) {
            files.push(file(place.file("_plain.hpp"), text));
        }
    }
    for id in (Types { structs: &shown, ..types }).all_enums(schema) {
        let e = schema.get_enum(id);
        files.push(file(Place::of(&e.name, options).file(".hpp"), enums::text(e, options)));
    }
    if !types.is_empty() {
        files.extend(support(options));
        files.push(file("saltus/standard.hpp".into(), STANDARD_HPP.into()));
        files.push(file("saltus/wire.hpp".into(), WIRE_HPP.into()));
        if options.plain {
            files.push(file("saltus/plain.hpp".into(), PLAIN_HPP.into()));
        }
    }
    Ok(files)
}

/// The header of a type that is defined in another type's header.
fn forward(schema: &Schema, options: &Options, id: StructId, head: StructId) -> String {
    let mut t = Text::new("    ");
    let guard = names::place(schema, id, options).guard();
    let its = names::place(schema, head, options).file(".hpp");
    t.line(banner(&schema.get(id).file));
    t.line(format!("#ifndef SALTUS_{guard}_HPP")).line(format!("#define SALTUS_{guard}_HPP")).gap();
    t.line("// The two contain each other, so they share a header.");
    t.line(include(options, &its)).gap();
    t.line(format!("#endif // SALTUS_{guard}_HPP"));
    t.finish()
}

fn header(
    schema: &Schema,
    options: &Options,
    shapes: &Shapes<'_>,
    head: StructId,
    group: &[StructId],
) -> String {
    let mut t = Text::new("    ");
    let guard = names::place(schema, head, options).guard();
    t.line(banner(&schema.get(head).file));
    document(&mut t, &schema.get(head).file_doc);
    t.line(format!("#ifndef SALTUS_{guard}_HPP")).line(format!("#define SALTUS_{guard}_HPP")).gap();
    for file in included(schema, options, group) {
        t.line(include(options, &file));
    }
    t.gap();
    t.line("#if SALTUS_WIRE_VERSION != 1");
    t.line("#error \"saltus/wire.h is of another version: generate again\"");
    t.line("#endif").gap();
    let classes: Vec<Class<'_>> = group.iter().map(|&id| Class::new(schema, options, shapes, id)).collect();
    if let [class] = classes.as_slice() {
        in_namespace(&mut t, &class.place, |t| {
            class.declare(t);
            t.gap();
            body::emit(class, t);
        });
    } else {
        for class in &classes {
            in_namespace(&mut t, &class.place, |t| {
                t.line(format!("class {};", class.place.name));
            });
        }
        for class in &classes {
            in_namespace(&mut t, &class.place, |t| class.declare(t));
        }
        for class in &classes {
            in_namespace(&mut t, &class.place, |t| body::emit(class, t));
        }
    }
    t.line(format!("#endif // SALTUS_{guard}_HPP"));
    t.finish()
}

/// The files that a group includes, the support headers first.
fn included(schema: &Schema, options: &Options, group: &[StructId]) -> Vec<String> {
    let mut files = vec!["saltus/wire.hpp".to_owned()];
    files.extend(
        group::outside(schema, group).iter().map(|&id| names::place(schema, id, options).file(".hpp")),
    );
    for field in group.iter().flat_map(|&id| &schema.get(id).fields) {
        if let Type::Enum(id) = field.ty {
            let file = Place::of(&schema.get_enum(id).name, options).file(".hpp");
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    files
}
