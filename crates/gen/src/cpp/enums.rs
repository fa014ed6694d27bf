//! Enums of the old language.

use super::names::{Place, in_namespace};
use crate::Options;
use crate::c::literal::{banner, document};
use crate::names::Scope;
use crate::text::Text;
use saltus_types::Enum;

/// The header of an enum.
pub(crate) fn text(e: &Enum, options: &Options) -> String {
    let place = Place::of(&e.name, options);
    let guard = place.guard();
    let scope = Scope::new(&[super::names::KEYWORDS], e.values.iter().map(|v| v.name.as_str()));
    let mut t = Text::new("    ");
    t.line(banner(&e.file));
    t.line(format!("#ifndef SALTUS_{guard}_HPP")).line(format!("#define SALTUS_{guard}_HPP")).gap();
    t.line("#include <cstdint>").gap();
    in_namespace(&mut t, &place, |t| {
        document(t, &e.doc);
        t.line("// Any number may be received, and is kept.");
        t.block(format!("enum class {} : std::int32_t {{", place.name), "};", |t| {
            for v in &e.values {
                document(t, &v.doc);
                let value = if v.value == i32::MIN { "-2147483647 - 1".into() } else { v.value.to_string() };
                t.line(format!("{} = {value},", scope.of(&v.name)));
            }
        });
    });
    t.line(format!("#endif // SALTUS_{guard}_HPP"));
    t.finish()
}
