//! The plain layout of a type: a struct that is built and read in place.

use super::literal::{banner, document};
use super::names;
use super::unit::{Unit, primitive};
use crate::text::Text;
use saltus_types::plain::{Plain, plain};
use saltus_types::{Dim, Extent, Field, Primitive, StructId, Type};

/// The header, if the type has a plain layout of nonzero size.
pub(crate) fn text(unit: &Unit<'_>) -> Option<String> {
    let layout = plain(unit.schema, unit.id).filter(|layout| layout.size > 0)?;
    let (name, prefix) = (format!("{}_plain", unit.name), &unit.prefix);
    let mut t = Text::new("    ");
    t.line(banner(&unit.s.file));
    t.line(format!("#ifndef SALTUS_{prefix}_PLAIN_H")).line(format!("#define SALTUS_{prefix}_PLAIN_H")).gap();
    t.line(names::include(unit.options, "saltus/plain.h"));
    for id in inner(&unit.s.fields, &layout) {
        let file = format!("{}_plain.h", unit.type_name(Type::Struct(id)));
        t.line(names::include(unit.options, &file));
    }
    t.gap();
    byte_order(&mut t);
    t.line("#ifdef __cplusplus").line("extern \"C\" {").line("#endif").gap();
    let (hash, size) = (macro_of(unit, "PLAIN_HASH"), macro_of(unit, "PLAIN_SIZE"));
    t.line("/** Hash of the layout: the first 8 bytes of every message, in the machine's order. */");
    t.line(format!("#define {hash} UINT64_C({:#018x})", layout.hash));
    t.line("/** Bytes of a message: the hash and the struct. Loan this many. */");
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

/// The hash includes the byte order, and was computed for one.
pub(crate) fn byte_order(t: &mut Text) {
    let (order, word) = if cfg!(target_endian = "little") { ("LITTLE", "little") } else { ("BIG", "big") };
    t.line(format!("#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_{order}_ENDIAN__"));
    t.line(format!("#error \"made for a {word}-endian machine: generate it on the target machine\""));
    t.line("#endif").gap();
}

/// The structs in a layout, each once.
pub(crate) fn inner(fields: &[Field], layout: &Plain) -> Vec<StructId> {
    let mut found = Vec::new();
    for place in &layout.fields {
        match fields[place.index].ty {
            Type::Struct(id) if !found.contains(&id) => found.push(id),
            _ => {}
        }
    }
    found
}

/// One member of the struct: a field of the type, or padding.
pub(crate) enum Member<'a> {
    /// A field, its name, and its offset.
    Field(&'a Field, &'a str, usize),
    /// Zero bytes: a name and a number.
    Padding(String, usize),
}

/// All members in order. `names` are those of all fields of the type.
pub(crate) fn members<'a>(fields: &'a [Field], layout: &Plain, names: &'a [String]) -> Vec<Member<'a>> {
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
        pad(&mut members, place.padding);
        members.push(Member::Field(&fields[place.index], &names[place.index], place.offset));
    }
    pad(&mut members, layout.tail);
    members
}

/// Declares the members; `inner` returns the name of a nested plain struct, `std` is the prefix of fixed-width
/// types.
pub(crate) fn declare(t: &mut Text, members: &[Member<'_>], std: &str, inner: impl Fn(StructId) -> String) {
    for member in members {
        match member {
            Member::Padding(pad, size) => {
                t.line(format!("{std}uint8_t {pad}[{size}];"));
            }
            Member::Field(field, name, _) => {
                document(t, &field.doc);
                let ty = match field.ty {
                    Type::Primitive(Primitive::Boolean) => "uint8_t".into(),
                    Type::Primitive(p) => primitive(p).into(),
                    Type::Enum(_) => "int32_t".into(),
                    Type::Struct(id) => inner(id),
                };
                t.line(format!("{ty} {name}{};", sizes(field)));
            }
        }
    }
}

/// `[2][3]`; a plain layout has only fixed sizes.
fn sizes(field: &Field) -> String {
    let fixed = |d: &Dim| if let Extent::Fixed(n) = d.extent { format!("[{n}]") } else { String::new() };
    field.dims.iter().map(fixed).collect()
}

fn structure(unit: &Unit<'_>, layout: &Plain, name: &str, t: &mut Text) {
    let names: Vec<String> = unit.s.fields.iter().map(|f| unit.member(f)).collect();
    let members = members(&unit.s.fields, layout, &names);
    document(t, &unit.s.doc);
    t.block(format!("typedef struct {name} {{"), &format!("}} {name};"), |t| {
        declare(t, &members, "", |id| unit.type_name(Type::Struct(id)) + "_plain");
    });
    t.gap();
    for member in &members {
        if let Member::Field(_, m, offset) = member {
            let right = format!("offsetof({name}, {m}) == {offset}");
            t.line(format!("SALTUS_ASSERT({name}_{m}_offset, {right});"));
        }
    }
    t.line(format!("SALTUS_ASSERT({name}_size, sizeof({name}) == {});", layout.size)).gap();
}

fn functions(layout: &Plain, name: &str, hash: &str, t: &mut Text) {
    let align = layout.align;
    t.line("/**");
    t.line(" * Begins a message in a buffer of `len` bytes, such as a loan: writes the hash, and zeros after it. Returns the struct");
    t.line(" * to fill in, or NULL if the buffer is too small or not aligned to 8.");
    t.line(" */");
    t.block(format!("static inline {name} *{name}_place(void *room, size_t len) {{"), "}", |t| {
        t.line(format!("return ({name} *)saltus_plain_place(room, len, {hash}, sizeof({name}), {align});"));
    });
    t.gap();
    t.line("/** Whether received bytes have this layout, and if not, why not. */");
    t.block(
        format!("static inline enum saltus_plain {name}_check(const void *message, size_t len) {{"),
        "}",
        |t| {
            t.line(format!("return saltus_plain_check(message, len, {hash}, sizeof({name}), {align});"));
        },
    );
    t.gap();
    t.line("/**");
    t.line(" * The struct in received bytes, in place, or NULL if the check fails. In a view, copy");
    t.line(" * the data you need, and trust it only once the view is validated.");
    t.line(" */");
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
