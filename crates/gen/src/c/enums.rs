//! Enums of the old language: an `int32_t` and names for some of its values.

use super::literal::{banner, document};
use super::names;
use crate::Options;
use crate::names::Scope;
use crate::text::Text;
use saltus_types::{EnumId, Schema};

/// Its name in C.
pub(crate) fn name(schema: &Schema, id: EnumId, options: &Options) -> String {
    names::type_name(&schema.get_enum(id).name, options)
}

/// Its header.
pub(crate) fn text(schema: &Schema, id: EnumId, options: &Options) -> String {
    let e = schema.get_enum(id);
    let (name, prefix) = (name(schema, id, options), names::macro_prefix(&e.name, options));
    let scope = Scope::new(&[], e.values.iter().map(|v| v.name.as_str()));
    let mut t = Text::new("    ");
    t.line(banner(&e.file));
    t.line(format!("#ifndef SALTUS_{prefix}_H")).line(format!("#define SALTUS_{prefix}_H")).gap();
    t.line("#include <stdint.h>").gap();
    document(&mut t, &e.doc);
    t.line("/* Any number may be received, so it is not an enum of C. */");
    t.line(format!("typedef int32_t {name};"));
    for v in &e.values {
        document(&mut t, &v.doc);
        let value = if v.value == i32::MIN { "(-2147483647 - 1)".into() } else { format!("{}", v.value) };
        let value = if v.value < 0 && v.value != i32::MIN { format!("({value})") } else { value };
        t.line(format!("#define {prefix}_{} {value}", scope.of(&v.name)));
    }
    t.gap().line(format!("#endif // SALTUS_{prefix}_H"));
    t.finish()
}
