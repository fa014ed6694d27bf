//! The plain layout of a type: a struct that is built and read in place.

use super::names::{self, Members, in_namespace};
use crate::Options;
use crate::c::literal::{banner, document};
use crate::c::names::include;
use crate::c::plain::{Member, byte_order, declare, inner, members};
use crate::text::Text;
use saltus_types::plain::{Plain, plain};
use saltus_types::{Schema, StructId};

/// The header, if the type has a plain layout of nonzero size.
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
    let of = |id: StructId| names::place(schema, id, options);
    for id in inner(&s.fields, &layout) {
        t.line(include(options, &of(id).file("_plain.hpp")));
    }
    t.gap();
    byte_order(&mut t);
    let names: Vec<String> = s.fields.iter().map(|f| fields.field(f)).collect();
    let members = members(&s.fields, &layout, &names);
    in_namespace(&mut t, &place, |t| {
        document(t, &s.doc);
        structure(&place.name, &layout, &members, |id| of(id).full() + "_plain", t);
    });
    let full = place.full();
    t.block(format!("template <>\nstruct saltus::plain::layout<{full}> {{"), "};", |t| {
        t.line(format!("static constexpr std::uint64_t hash = {:#018x};", layout.hash));
    });
    t.gap().line(format!("#endif // SALTUS_{guard}_PLAIN_HPP"));
    Some(t.finish())
}

fn structure(
    name: &str,
    layout: &Plain,
    members: &[Member<'_>],
    inner: impl Fn(StructId) -> String,
    t: &mut Text,
) {
    t.block(format!("struct {name} {{"), "};", |t| declare(t, members, "std::", inner));
    for member in members {
        if let Member::Field(_, m, offset) = member {
            t.line(format!("static_assert(offsetof({name}, {m}) == {offset}, \"offset of {m}\");"));
        }
    }
    t.line(format!("static_assert(sizeof({name}) == {}, \"size\");", layout.size));
    t.line(format!("static_assert(alignof({name}) == {}, \"alignment\");", layout.align));
}
