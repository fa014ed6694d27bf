//! Generates the functions that write a struct to a message and count its bytes.

use super::literal::line_comment;
use super::read::refuse;
use super::shape::{Part, number_width, parts, verb, with_elements};
use super::unit::Unit;
use crate::text::Text;
use saltus_types::{Extent, Field, Primitive, Type};

pub(crate) fn emit(unit: &Unit<'_>, t: &mut Text) {
    write(unit, t);
    if !unit.shape().fixed {
        measure(unit, t);
    }
}

fn write(unit: &Unit<'_>, t: &mut Text) {
    let name = &unit.name;
    let head = format!("bool {name}_write(saltus_writer *out, const {name} *p, size_t n) {{");
    t.gap();
    if let Some(uniform) = unit.shape().uniform {
        t.block(head, "}", |t| {
            t.line(format!("// {} numbers of {} bytes each, without padding.", uniform.count, uniform.width));
            refuse(t, &format!("n > 0 && out->levels < {}", unit.shape().height));
            t.line(format!(
                "return saltus_write_array_{}(out, p, n * {});",
                uniform.width * 8,
                uniform.count
            ));
        });
        return;
    }
    t.block(format!("static bool write_fields(saltus_writer *out, const {name} *p) {{"), "}", |t| {
        let parts = parts(with_elements(unit.s));
        if parts.is_empty() {
            t.line("(void)out;").line("(void)p;");
        }
        let mut declared = false;
        for part in parts {
            write_part(unit, t, part, &mut declared);
        }
        t.line("return true;");
    });
    t.gap();
    t.block(head, "}", |t| each(t, "out", "write_fields(out, &p[i])"));
}

/// The loop over consecutive structs, one level down.
fn each(t: &mut Text, cursor: &str, one: &str) {
    t.block("if (n == 0) {", "}", |t| {
        t.line("return true;");
    });
    refuse(t, &format!("p == NULL || !saltus_enter(&{cursor}->levels)"));
    t.block("for (size_t i = 0; i < n; i++) {", "}", |t| refuse(t, &format!("!{one}")));
    t.line(format!("{cursor}->levels++;"));
    t.line("return true;");
}

fn write_part(unit: &Unit<'_>, t: &mut Text, part: Part<'_>, declared: &mut bool) {
    let field = match part {
        Part::Run(run, size) => {
            let ty = if std::mem::replace(declared, true) { "" } else { "uint8_t *" };
            t.line(format!("{ty}at = saltus_room(out, {size});"));
            refuse(t, "at == NULL");
            for (field, at) in run {
                let at = if at == 0 { "at".into() } else { format!("at + {at}") };
                let comment = line_comment(&unit.field_text(field));
                t.line(format!("saltus_put_{}({at}, {}); {comment}", verb(field.ty), unit.place(field)));
            }
            return;
        }
        Part::One(field) => field,
    };
    t.line(line_comment(&unit.field_text(field)));
    if !field.is_variable() {
        return refuse(
            t,
            &format!("!{}", put(unit, field, &fixed_place(unit, field), &unit.fixed_count(field))),
        );
    }
    rows(unit, t, field, &|place, count| format!("!{}", put(unit, field, place, count)));
}

/// First element of an array of fixed size.
fn fixed_place(unit: &Unit<'_>, field: &Field) -> String {
    match field.ty {
        Type::Primitive(Primitive::String) => unit.first(field, "char *const *"),
        Type::Struct(_) => unit.first(field, &format!("const {} *", unit.type_name(field.ty))),
        _ => unit.place(field),
    }
}

/// The call that writes `count` elements.
fn put(unit: &Unit<'_>, field: &Field, place: &str, count: &str) -> String {
    match number_width(field.ty) {
        Some(width) => format!("saltus_write_array_{}(out, {place}, {count})", width * 8),
        None if matches!(field.ty, Type::Struct(_)) => {
            format!("{}_write(out, {place}, {count})", unit.type_name(field.ty))
        }
        None => format!("saltus_write_strings(out, {place}, {count})"),
    }
}

/// Iterates over the rows of the last dimension of an array of variable size, if it has elements. Returns false if
/// `wrong`, given the row's address and number of elements, says so.
fn rows(unit: &Unit<'_>, t: &mut Text, field: &Field, wrong: &dyn Fn(&str, &str) -> String) {
    let mut sizes = Vec::new();
    // No message has more elements, and it prevents overflow where a size_t has 32 bits.
    let mut long = Vec::new();
    for dim in &field.dims {
        let Extent::Variable(i) = dim.extent else { continue };
        let size = unit.extent(dim.extent);
        if !sizes.contains(&size) {
            if unit.s.fields[i].ty == Type::Primitive(Primitive::Int64) {
                long.push(format!("{size} > INT32_MAX"));
            }
            sizes.push(size);
        }
    }
    let each = |sign: &str, between: &str| {
        sizes.iter().map(|s| format!("{s} {sign} 0")).collect::<Vec<_>>().join(between)
    };
    let negative = each("<", " || ");
    if let [one] = field.dims.as_slice() {
        let wrong = wrong(&unit.place(field), &unit.count(one.extent));
        return refuse(t, &[vec![negative], long, vec![wrong]].concat().join(" || "));
    }
    refuse(t, &negative);
    if field.dims.iter().any(|d| d.extent == Extent::Fixed(0)) {
        return;
    }
    t.block(format!("if ({}) {{", each(">", " && ")), "}", |t| {
        if !long.is_empty() {
            refuse(t, &long.join(" || "));
        }
        level(unit, t, field, 0, &unit.place(field), wrong);
    });
}

fn level(
    unit: &Unit<'_>,
    t: &mut Text,
    field: &Field,
    at: usize,
    place: &str,
    wrong: &dyn Fn(&str, &str) -> String,
) {
    let count = unit.count(field.dims[at].extent);
    if at + 1 == field.dims.len() {
        return refuse(t, &wrong(place, &count));
    }
    refuse(t, &format!("{place} == NULL"));
    let i = format!("i{at}");
    t.block(format!("for (size_t {i} = 0; {i} < {count}; {i}++) {{"), "}", |t| {
        level(unit, t, field, at + 1, &format!("{place}[{i}]"), wrong);
    });
}

/// Counts the bytes of a type whose values differ in size.
fn measure(unit: &Unit<'_>, t: &mut Text) {
    let name = &unit.name;
    t.gap();
    t.block(format!("static bool measure_fields(saltus_size *size, const {name} *p) {{"), "}", |t| {
        let fixed = unit.s.fields.iter().filter_map(|f| unit.shapes.fixed_size(f));
        let fixed = fixed.fold(0u64, u64::saturating_add);
        if with_elements(unit.s).next().is_none() {
            t.line("(void)size;").line("(void)p;");
        }
        if fixed > 0 {
            t.line("// The part of fixed size.");
            refuse(t, &format!("!saltus_add(size, 1, {fixed})"));
        }
        for field in with_elements(unit.s).filter(|f| unit.shapes.fixed_size(f).is_none()) {
            t.line(line_comment(&unit.field_text(field)));
            measure_field(unit, t, field);
        }
        t.line("return true;");
    });
    t.gap();
    let head = format!("bool {name}_measure(saltus_size *size, const {name} *p, size_t n) {{");
    t.block(head, "}", |t| each(t, "size", "measure_fields(size, &p[i])"));
}

fn measure_field(unit: &Unit<'_>, t: &mut Text, field: &Field) {
    if unit.shapes.is_fixed(field.ty) {
        let each = unit.shapes.min(field.ty);
        return match field.dims.as_slice() {
            [one] => refuse(t, &format!("!saltus_add(size, {}, {each})", unit.extent(one.extent))),
            many => {
                let (sizes, n) = (unit.sizes(field), many.len());
                refuse(t, &format!("!saltus_add_sizes(size, {sizes}, {n}, {each})"));
            }
        };
    }
    let add = |place: &str, count: &str| match field.ty {
        Type::Struct(_) => format!("!{}_measure(size, {place}, {count})", unit.type_name(field.ty)),
        _ => format!("!saltus_add_strings(size, {place}, {count})"),
    };
    if field.is_variable() {
        rows(unit, t, field, &add);
    } else {
        refuse(t, &add(&fixed_place(unit, field), &unit.fixed_count(field)));
    }
}
