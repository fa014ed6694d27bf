//! The header of a type.

use super::literal::{constant, document, line_comment};
use super::names;
use super::shape::is_empty;
use super::unit::Unit;
use super::{api, lcm};
use crate::Style;
use crate::text::Text;

pub(crate) fn text(unit: &Unit<'_>) -> String {
    let mut t = Text::new("    ");
    let prefix = &unit.prefix;
    let (before, after) = unit.includes();
    t.line(unit.banner());
    document(&mut t, &unit.s.file_doc);
    t.line(format!("#ifndef SALTUS_{prefix}_H")).line(format!("#define SALTUS_{prefix}_H")).gap();
    if unit.options.style == Style::Lcm {
        t.line("#include <lcm/lcm.h>").line("#include <lcm/lcm_coretypes.h>");
    }
    t.line(names::include(unit.options, "saltus/wire.h"));
    for line in before {
        t.line(line);
    }
    t.gap();
    t.line("#if SALTUS_WIRE_VERSION != 1");
    t.line("#error \"saltus/wire.h is of another version: generate again\"");
    t.line("#endif").gap();
    t.line("#ifdef __cplusplus").line("extern \"C\" {").line("#endif").gap();
    constants(unit, &mut t);
    structure(unit, &mut t);
    api::prototypes(unit, &mut t);
    if unit.options.style == Style::Lcm {
        lcm::prototypes(unit, &mut t);
    }
    t.line("#ifdef __cplusplus").line("}").line("#endif").gap();
    for line in &after {
        t.line(line);
    }
    if !after.is_empty() {
        t.gap();
    }
    t.line(format!("#endif // SALTUS_{prefix}_H"));
    t.finish()
}

fn constants(unit: &Unit<'_>, t: &mut Text) {
    let (prefix, fingerprint) = (&unit.prefix, unit.s.fingerprint);
    t.line("/** The first 8 bytes of every message, big endian. */");
    t.line(format!("#define {} UINT64_C({fingerprint:#018x})", unit.fingerprint()));
    t.line("/** The type's name in type files. */");
    let full = super::literal::text_literals(&names::prefixed(&unit.s.name, unit.options).to_string());
    t.line(format!("#define {prefix}_{} {}", unit.macros.added("TYPE_NAME"), full.concat()));
    t.line("/** This type, and all types in it, in the type language. */");
    t.line(format!("extern const char {}_schema[];", unit.name)).gap();
    for c in &unit.s.consts {
        document(t, &c.doc);
        t.line(format!("#define {prefix}_{} {}", unit.macros.constant(c), constant(c)));
    }
    if !unit.s.consts.is_empty() {
        t.gap();
    }
}

fn structure(unit: &Unit<'_>, t: &mut Text) {
    let name = &unit.name;
    t.line(format!("typedef struct _{name} {name};"));
    document(t, &unit.s.doc);
    t.block(format!("struct _{name} {{"), "};", |t| {
        for field in &unit.s.fields {
            document(t, &field.doc);
            if field.is_variable() {
                t.line(line_comment(&unit.field_text(field)));
            }
            if is_empty(field) {
                let what = unit.field_text(field);
                t.line(line_comment(&format!(
                    "{what}: C has no array without elements; this one is not on the wire."
                )));
            }
            t.line(unit.declaration(field));
        }
        if unit.s.fields.is_empty() {
            t.line("/** C has no struct without members; this one is not on the wire. */")
                .line("uint8_t nothing_;");
        }
    });
    t.gap();
}
