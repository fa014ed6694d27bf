//! The plain layout of a type: a struct that is built and read where it lies.

use super::literal::{banner, document};
use super::names;
use super::unit::{Unit, primitive};
use crate::text::Text;
use saltus_types::plain::{Plain, PlainField, plain};
use saltus_types::{Field, Primitive, Type};

/// The header, if the type has a plain layout that takes room.
pub(crate) fn text(unit: &Unit<'_>) -> Option<String> {
    let layout = plain(unit.schema, unit.id).filter(|layout| layout.size > 0)?;
    let (name, prefix) = (format!("{}_plain", unit.name), &unit.prefix);
    let mut t = Text::new("    ");
    t.line(banner(&unit.s.file));
    t.line(format!("#ifndef SALTUS_{prefix}_PLAIN_H")).line(format!("#define SALTUS_{prefix}_PLAIN_H")).gap();
    t.line(names::include(unit.options, "saltus/plain.h"));
    for line in includes(unit, &layout) {
        t.line(line);
    }
    t.gap();
    byte_order(&mut t);
    t.line("#ifdef __cplusplus").line("extern \"C\" {").line("#endif").gap();
    let (hash, size) = (macro_of(unit, "PLAIN_HASH"), macro_of(unit, "PLAIN_SIZE"));
    t.line("/** Hash of the layout: the first 8 bytes of every message, in the machine's order. */");
    t.line(format!("#define {hash} UINT64_C({:#018x})", layout.hash));
    t.line("/** Bytes of a message: the hash and the struct. So much is to be borrowed. */");
    t.line(format!("#define {size} {}", layout.size + 8)).gap();
    structure(unit, &layout, &name, &mut t);
    functions(&layout, &name, &hash, &mut t);
    t.line("#ifdef __cplusplus").line("}").line("#endif").gap();
    t.line(format!("#endif // SALTUS_{prefix}_PLAIN_H"));
    Some(t.finish())
}

fn macro_of(unit: &Unit<'_>, name: &str) -> String {
    format!("{}_{}", unit.prefix, unit.macros.added(name))
}

/// The hash says the byte order, and was computed for one.
pub(crate) fn byte_order(t: &mut Text) {
    let (order, word) = if cfg!(target_endian = "little") { ("LITTLE", "little") } else { ("BIG", "big") };
    t.line(format!("#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_{order}_ENDIAN__"));
    t.line(format!("#error \"made for a {word}-endian machine: generate it on the machine it is for\""));
    t.line("#endif").gap();
}

fn includes(unit: &Unit<'_>, layout: &Plain) -> Vec<String> {
    let mut lines = Vec::new();
    for field in layout.fields.iter().map(|f| &unit.s.fields[f.index]) {
        if let Type::Struct(_) = field.ty {
            let line = names::include(unit.options, &format!("{}_plain.h", unit.type_name(field.ty)));
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

/// Type of an element in the layout.
pub(crate) fn element(ty: Type) -> Option<&'static str> {
    match ty {
        Type::Primitive(Primitive::Boolean) => Some("uint8_t"),
        Type::Primitive(p) => Some(primitive(p)),
        Type::Enum(_) => Some("int32_t"),
        Type::Struct(_) => None,
    }
}

/// One member of the struct: a field of the type, or padding.
pub(crate) enum Member<'a> {
    /// A field, its place, and its dimensions as they are declared.
    Field(&'a Field, PlainField, String),
    /// Bytes that are zero: a name and a number.
    Padding(String, usize),
}

/// All members in their order. `names` are those of the fields.
pub(crate) fn members<'a>(fields: &'a [Field], layout: &Plain, names: &[String]) -> Vec<Member<'a>> {
    let (mut members, mut pads) = (Vec::new(), 0);
    let mut pad = |members: &mut Vec<Member<'a>>, size: usize| {
        if size > 0 {
            let mut name = format!("_pad{pads}");
            while names.contains(&name) {
                name.push('_');
            }
            pads += 1;
            members.push(Member::Padding(name, size));
        }
    };
    for place in &layout.fields {
        let field = &fields[place.index];
        pad(&mut members, place.padding);
        let dims = field.dims.iter().map(|d| match d.extent {
            saltus_types::Extent::Fixed(n) => format!("[{n}]"),
            saltus_types::Extent::Variable(_) => String::new(), // no plain layout has one
        });
        members.push(Member::Field(field, *place, dims.collect()));
    }
    pad(&mut members, layout.tail);
    members
}

fn structure(unit: &Unit<'_>, layout: &Plain, name: &str, t: &mut Text) {
    let names: Vec<String> = unit.s.fields.iter().map(|f| unit.member(f)).collect();
    let members = members(&unit.s.fields, layout, &names);
    document(t, &unit.s.doc);
    t.block(format!("typedef struct {name} {{"), &format!("}} {name};"), |t| {
        for member in &members {
            match member {
                Member::Padding(pad, size) => {
                    t.line(format!("uint8_t {pad}[{size}];"));
                }
                Member::Field(field, _, dims) => {
                    document(t, &field.doc);
                    let ty = element(field.ty).map(String::from);
                    let ty = ty.unwrap_or_else(|| format!("{}_plain", unit.type_name(field.ty)));
                    t.line(format!("{ty} {}{dims};", unit.member(field)));
                }
            }
        }
    });
    t.gap();
    for member in &members {
        if let Member::Field(field, place, _) = member {
            let m = unit.member(field);
            let right = format!("offsetof({name}, {m}) == {}", place.offset);
            t.line(format!("SALTUS_ASSERT({name}_{m}_offset, {right});"));
        }
    }
    t.line(format!("SALTUS_ASSERT({name}_size, sizeof({name}) == {});", layout.size)).gap();
}

fn functions(layout: &Plain, name: &str, hash: &str, t: &mut Text) {
    let align = layout.align;
    t.line("/**");
    t.line(" * Begins a message in room of `len` bytes, such as a loan: writes the hash, and zeros behind it. Returns the struct");
    t.line(" * to be filled in, or NULL if there is too little room or it does not lie at a multiple of 8.");
    t.line(" */");
    t.block(format!("static inline {name} *{name}_place(void *room, size_t len) {{"), "}", |t| {
        t.line(format!("return ({name} *)saltus_plain_place(room, len, {hash}, sizeof({name}), {align});"));
    });
    t.gap();
    t.line("/** Whether received bytes have this layout, and if not, why. */");
    t.block(
        format!("static inline enum saltus_plain {name}_check(const void *message, size_t len) {{"),
        "}",
        |t| {
            t.line(format!("return saltus_plain_check(message, len, {hash}, sizeof({name}), {align});"));
        },
    );
    t.gap();
    t.line(
        "/** The struct in received bytes, where it lies, or NULL if the check does not find them right. */",
    );
    t.block(
        format!("static inline const {name} *{name}_look(const void *message, size_t len) {{"),
        "}",
        |t| {
            t.line(format!("const bool right = {name}_check(message, len) == SALTUS_PLAIN_OK;"));
            t.line(format!(
                "return right ? (const {name} *)(const void *)((const uint8_t *)message + 8) : NULL;"
            ));
        },
    );
    t.gap();
}
