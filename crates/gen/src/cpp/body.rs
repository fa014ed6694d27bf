//! The functions of a class.

use super::class::Class;
use crate::c::literal::{line_comment, text_literals};
use crate::c::shape::{Part, is_empty, parts, verb, with_elements};
use crate::text::Text;
use saltus_types::{Extent, Field, Type};

pub(crate) fn emit(class: &Class<'_>, t: &mut Text) {
    api(class, t);
    write(class, t);
    read(class, t);
    measure(class, t);
    set_sizes(class, t);
}

/// The functions that LCM programs call. Parameters have names that no field has.
fn api(class: &Class<'_>, t: &mut Text) {
    let (name, m) = (&class.place.name, &class.members);
    let (buf, offset, maxlen) = (m.added("buf"), m.added("offset"), m.added("maxlen"));
    let fingerprint = m.added("FINGERPRINT");
    let own = m.added("fingerprint");
    let (into, from) = (
        format!("(void *{buf}, int {offset}, int {maxlen}) const"),
        format!("(const void *{buf}, int {offset}, int {maxlen})"),
    );
    let place = format!("{buf}, {offset}, {maxlen}");
    let mut function = |head: String, lines: &[String]| {
        t.block(format!("inline {head} {{"), "}", |t| {
            for line in lines {
                t.line(line);
            }
        });
        t.gap();
    };
    let local = format!("const std::uint64_t {own} = {fingerprint};");
    let call = |what: &str, hash: &str| format!("return ::saltus::wire::{what}(*this, {hash}, {place});");
    let hash = format!("&{own}");
    function(format!("int {name}::encode{into}"), &[local.clone(), call("encode", &hash)]);
    function(format!("int {name}::decode{from}"), &[local, call("decode", &hash)]);
    function(format!("int {name}::_encodeNoHash{into}"), &[call("encode", "nullptr")]);
    function(format!("int {name}::_decodeNoHash{from}"), &[call("decode", "nullptr")]);
    let size = |with| format!("return ::saltus::wire::encoded_size(*this, {with});");
    function(format!("int {name}::getEncodedSize() const"), &[size("true")]);
    function(format!("int {name}::_getEncodedSizeNoHash() const"), &[size("false")]);
    function(format!("int64_t {name}::getHash()"), &[format!("return static_cast<int64_t>({fingerprint});")]);
    function(format!("uint64_t {name}::_computeHash(const void *)"), &[format!("return {fingerprint};")]);
    let short = text_literals(&class.s.name.name).concat();
    function(format!("const char *{name}::getTypeName()"), &[format!("return {short};")]);
}

/// Returns false if `condition` holds.
fn refuse(t: &mut Text, condition: &str) {
    t.block(format!("if ({condition}) {{"), "}", |t| {
        t.line("return false;");
    });
}

/// `ranges, num_ranges`, `rows, {height, 3}`, or only the member if it has a fixed size.
fn arguments(class: &Class<'_>, field: &Field) -> String {
    let member = class.members.field(field);
    if !field.is_variable() {
        return member;
    }
    let sizes = field.dims.iter().map(|d| match d.extent {
        Extent::Fixed(n) => n.to_string(),
        Extent::Variable(i) => class.members.field(&class.s.fields[i]),
    });
    let sizes = sizes.collect::<Vec<_>>();
    if let [one] = sizes.as_slice() {
        return format!("{member}, {one}");
    }
    format!("{member}, {{{}}}", sizes.join(", "))
}

/// A run of numbers at `at`; `one` returns the statement for a field, its member, and its offset.
fn run(
    class: &Class<'_>,
    t: &mut Text,
    at: &str,
    numbers: &[(&Field, usize)],
    one: impl Fn(&Field, String, String) -> String,
) {
    refuse(t, &format!("{at} == nullptr"));
    for &(field, offset) in numbers {
        let place = if offset == 0 { at.to_owned() } else { format!("{at} + {offset}") };
        let comment = line_comment(&class.field_text(field));
        t.line(format!("{} {comment}", one(field, class.members.field(field), place)));
    }
}

fn write(class: &Class<'_>, t: &mut Text) {
    let (out, at) = (class.members.added("out"), class.members.added("at"));
    let parts = parts(with_elements(class.s));
    let used = if parts.is_empty() { "" } else { out.as_str() };
    let head = format!("inline bool {}::_write(saltus_writer &{used}) const {{", class.place.name);
    t.block(head, "}", |t| {
        let mut declared = false;
        for part in parts {
            let field = match part {
                Part::One(field) => field,
                Part::Run(numbers, size) => {
                    let ty = if std::mem::replace(&mut declared, true) { "" } else { "std::uint8_t *" };
                    t.line(format!("{ty}{at} = saltus_room(&{out}, {size});"));
                    run(class, t, &at, &numbers, |field, member, place| {
                        let value = match field.ty {
                            Type::Enum(_) => format!("static_cast<std::int32_t>({member})"),
                            _ => member,
                        };
                        format!("saltus_put_{}({place}, {value});", verb(field.ty))
                    });
                    continue;
                }
            };
            t.line(line_comment(&class.field_text(field)));
            refuse(t, &format!("!::saltus::wire::write({out}, {})", arguments(class, field)));
        }
        t.line("return true;");
    });
    t.gap();
}

fn read(class: &Class<'_>, t: &mut Text) {
    let (input, at) = (class.members.added("in"), class.members.added("at"));
    let parts = parts(class.shapes.to_read(class.s));
    let used = if parts.is_empty() { "" } else { input.as_str() };
    t.block(format!("inline bool {}::_read(saltus_reader &{used}) {{", class.place.name), "}", |t| {
        let mut declared = false;
        for part in parts {
            let field = match part {
                Part::One(field) => field,
                Part::Run(numbers, size) => {
                    let ty = if std::mem::replace(&mut declared, true) { "" } else { "const std::uint8_t *" };
                    t.line(format!("{ty}{at} = saltus_take(&{input}, {size});"));
                    run(class, t, &at, &numbers, |field, member, place| {
                        let value = format!("saltus_get_{}({place})", verb(field.ty));
                        match field.ty {
                            Type::Enum(_) => {
                                format!("{member} = static_cast<{}>({value});", class.element(field.ty))
                            }
                            _ => format!("{member} = {value};"),
                        }
                    });
                    continue;
                }
            };
            t.line(line_comment(&class.field_text(field)));
            let free = class.shapes.free_rows(field);
            if free > 0 {
                refuse(t, &format!("!saltus_count_free(&{input}, {free})"));
            }
            if !is_empty(field) {
                refuse(t, &format!("!::saltus::wire::read({input}, {})", arguments(class, field)));
            }
        }
        t.line("return true;");
    });
    t.gap();
}

fn measure(class: &Class<'_>, t: &mut Text) {
    let size = class.members.added("size");
    let fixed = class.s.fields.iter().filter_map(|f| class.shapes.fixed_size(f));
    let fixed = fixed.fold(0u64, u64::saturating_add);
    t.block(format!("inline bool {}::_measure(saltus_size &{size}) const {{", class.place.name), "}", |t| {
        for field in with_elements(class.s).filter(|f| class.shapes.fixed_size(f).is_none()) {
            t.line(line_comment(&class.field_text(field)));
            refuse(t, &format!("!::saltus::wire::measure({size}, {})", class.members.field(field)));
        }
        t.line("// The part of fixed size.");
        t.line(format!("return saltus_add(&{size}, 1, {fixed});"));
    });
    t.gap();
}

fn set_sizes(class: &Class<'_>, t: &mut Text) {
    let s = class.s;
    t.block(format!("inline void {}::set_sizes() {{", class.place.name), "}", |t| {
        for i in s.size_fields() {
            // The array that it sizes in its outermost dimension is preferred.
            let Some((array, level)) = s.sized_by(i).min_by_key(|&(_, level)| level) else { continue };
            let array = class.members.field(&s.fields[array]);
            let member = class.members.field(&s.fields[i]);
            t.line(format!("::saltus::wire::set_size<{level}>({member}, {array});"));
        }
        for field in with_elements(s).filter(|f| matches!(f.ty, Type::Struct(_))) {
            t.line(format!("::saltus::wire::set_sizes({});", class.members.field(field)));
        }
    });
}
