//! The plain layout of a type: a struct that is built and read where it lies.

use super::in_namespace;
use super::names::{self, Members, Place};
use crate::Options;
use crate::c::literal::{banner, document};
use crate::c::names::include;
use crate::c::plain::{Member, byte_order, element, members};
use crate::text::Text;
use saltus_types::plain::{Plain, plain};
use saltus_types::{Schema, StructId, Type};

/// The header, if the type has a plain layout that takes room.
pub(crate) fn text(schema: &Schema, options: &Options, id: StructId) -> Option<String> {
    let layout = plain(schema, id).filter(|layout| layout.size > 0)?;
    let s = schema.get(id);
    let mut place = names::place(schema, id, options);
    let fields = Members::of(s, &place);
    let guard = place.guard();
    place.name.push_str("_plain");
    let mut t = Text::new("    ");
    t.line(banner(&s.file));
    t.line(format!("#ifndef SALTUS_{guard}_PLAIN_HPP"))
        .line(format!("#define SALTUS_{guard}_PLAIN_HPP"))
        .gap();
    t.line(include(options, "saltus/plain.hpp"));
    for line in includes(schema, options, id, &layout) {
        t.line(line);
    }
    t.gap();
    byte_order(&mut t);
    let names: Vec<String> = s.fields.iter().map(|f| fields.field(f)).collect();
    in_namespace(&mut t, &place, |t| structure(schema, options, id, &layout, &names, &place, t));
    let full = place.full();
    t.block(format!("template <>\nstruct saltus::plain::layout<{full}> {{"), "};", |t| {
        t.line(format!("static constexpr std::uint64_t hash = {:#018x};", layout.hash));
    });
    t.gap().line(format!("#endif // SALTUS_{guard}_PLAIN_HPP"));
    Some(t.finish())
}

fn includes(schema: &Schema, options: &Options, id: StructId, layout: &Plain) -> Vec<String> {
    let mut lines = Vec::new();
    for field in layout.fields.iter().map(|f| &schema.get(id).fields[f.index]) {
        if let Type::Struct(inner) = field.ty {
            let line = include(options, &names::place(schema, inner, options).file("_plain.hpp"));
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

fn structure(
    schema: &Schema,
    options: &Options,
    id: StructId,
    layout: &Plain,
    fields: &[String],
    place: &Place,
    t: &mut Text,
) {
    let s = schema.get(id);
    let name = &place.name;
    let members = members(&s.fields, layout, fields);
    document(t, &s.doc);
    let at = |index: usize| fields.get(index).cloned().unwrap_or_default();
    t.block(format!("struct {name} {{"), "};", |t| {
        for member in &members {
            match member {
                Member::Padding(pad, size) => {
                    t.line(format!("std::uint8_t {pad}[{size}];"));
                }
                Member::Field(field, slot, dims) => {
                    document(t, &field.doc);
                    let ty = element(field.ty).map(String::from);
                    let ty = ty.unwrap_or_else(|| inner(schema, options, field.ty));
                    t.line(format!("{ty} {}{dims};", at(slot.index)));
                }
            }
        }
    });
    for member in &members {
        if let Member::Field(_, slot, _) = member {
            let m = at(slot.index);
            t.line(format!("static_assert(offsetof({name}, {m}) == {}, \"place of {m}\");", slot.offset));
        }
    }
    t.line(format!("static_assert(sizeof({name}) == {}, \"size\");", layout.size));
    t.line(format!("static_assert(alignof({name}) == {}, \"alignment\");", layout.align));
}

/// The plain struct of a struct.
fn inner(schema: &Schema, options: &Options, ty: Type) -> String {
    match ty {
        Type::Struct(id) => names::place(schema, id, options).full() + "_plain",
        _ => String::new(),
    }
}
