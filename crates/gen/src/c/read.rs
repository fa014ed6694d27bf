//! Generates the functions that read a struct from a message.

use super::literal::line_comment;
use super::shape::{Part, is_empty, number_width, parts, verb};
use super::unit::Unit;
use crate::text::Text;
use saltus_types::{Extent, Field, Primitive, Type};

pub(crate) fn emit(unit: &Unit<'_>, t: &mut Text) {
    let name = &unit.name;
    let min = unit.shape().min;
    if let Some(uniform) = unit.shape().uniform {
        t.gap();
        t.line(format!("SALTUS_ASSERT({name}_has_no_padding, sizeof({name}) == {min});")).gap();
        t.block(format!("bool {name}_read(saltus_reader *in, {name} *p, size_t n) {{"), "}", |t| {
            t.line(format!("// {} numbers of {} bytes each, without padding.", uniform.count, uniform.width));
            refuse(t, &format!("in->levels < {}", unit.shape().height));
            t.line(format!("return saltus_read_array_{}(in, p, n * {});", uniform.width * 8, uniform.count));
        });
        return;
    }
    t.gap();
    t.block(format!("static bool read_fields(saltus_reader *in, {name} *p) {{"), "}", |t| fields(unit, t));
    t.gap();
    t.block(format!("bool {name}_read(saltus_reader *in, {name} *p, size_t n) {{"), "}", |t| {
        refuse(t, "!saltus_enter(&in->levels)");
        t.block("for (size_t i = 0; i < n; i++) {", "}", |t| {
            if !unit.shape().fixed {
                t.line(format!("in->promised -= {min};"));
            }
            refuse(t, "!read_fields(in, &p[i])");
        });
        t.line("in->levels++;");
        t.line("return true;");
    });
}

/// Returns false if `condition` holds.
pub(crate) fn refuse(t: &mut Text, condition: &str) {
    t.block(format!("if ({condition}) {{"), "}", |t| {
        t.line("return false;");
    });
}

fn fields(unit: &Unit<'_>, t: &mut Text) {
    let parts = parts(unit.shapes.to_read(unit.s));
    if parts.is_empty() {
        t.line("(void)in;").line("(void)p;");
    }
    let mut declared = false;
    for part in parts {
        match part {
            Part::Run(run, size) => {
                let ty = if std::mem::replace(&mut declared, true) { "" } else { "const uint8_t *" };
                t.line(format!("{ty}at = saltus_take(in, {size});"));
                refuse(t, "at == NULL");
                for (field, at) in run {
                    let at = if at == 0 { "at".into() } else { format!("at + {at}") };
                    let comment = line_comment(&unit.field_text(field));
                    t.line(format!("{} = saltus_get_{}({at}); {comment}", unit.place(field), verb(field.ty)));
                }
            }
            Part::One(field) => {
                t.line(line_comment(&unit.field_text(field)));
                if field.is_variable() {
                    variable(unit, t, field);
                } else {
                    fixed(unit, t, field);
                }
            }
        }
    }
    t.line("return true;");
}

/// A string, a struct, or an array of fixed size.
fn fixed(unit: &Unit<'_>, t: &mut Text, field: &Field) {
    let free = unit.shapes.free_rows(field);
    if free > 0 {
        refuse(t, &format!("!saltus_count_free(in, {free})"));
    }
    if is_empty(field) {
        return;
    }
    let count = unit.fixed_count(field);
    if let Some(width) = number_width(field.ty) {
        return refuse(t, &format!("!saltus_read_array_{}(in, {}, {count})", width * 8, unit.place(field)));
    }
    if field.ty == Type::Primitive(Primitive::String) {
        return refuse(t, &format!("!saltus_read_strings(in, {}, {count})", unit.first(field, "char **")));
    }
    let (ty, min) = (unit.type_name(field.ty), unit.shapes.min(field.ty));
    let first = unit.first(field, &format!("{ty} *"));
    // Only a type that allocates could use bytes that its neighbors need.
    let fixed = unit.shapes.is_fixed(field.ty);
    let promise = if fixed { String::new() } else { format!("!saltus_promise_size(in, {count}, {min}) || ") };
    refuse(t, &format!("{promise}!{ty}_read(in, {first}, {count})"));
}

/// An array that is allocated.
fn variable(unit: &Unit<'_>, t: &mut Text, field: &Field) {
    let promise = matches!(field.ty, Type::Struct(_)) && !unit.shapes.is_fixed(field.ty);
    let verb = if promise { "promise" } else { "check" };
    let min = unit.shapes.min(field.ty);
    match field.dims.as_slice() {
        [one] => refuse(t, &format!("!saltus_{verb}_size(in, {}, {min})", unit.extent(one.extent))),
        many => {
            let (sizes, n) = (unit.sizes(field), many.len());
            refuse(t, &format!("!saltus_{verb}_sizes(in, {sizes}, {n}, {min})"));
        }
    }
    // Before they are allocated, since bytes do not limit their number.
    let free = unit.shapes.free(field.ty);
    if free > 0 {
        let counts: Vec<String> =
            field.dims.iter().map(|d| format!("(uint64_t){}", unit.extent(d.extent))).collect();
        refuse(t, &format!("!saltus_check_free(in, {}, {free})", counts.join(" * ")));
    }
    rows(unit, t, field, 0, &unit.place(field));
}

/// Allocates and reads dimension `level` and those below it.
fn rows(unit: &Unit<'_>, t: &mut Text, field: &Field, level: usize, place: &str) {
    let extent = field.dims[level].extent;
    if extent == Extent::Fixed(0) {
        return;
    }
    let (size, count) = (unit.extent(extent), unit.count(extent));
    let is_last = level + 1 == field.dims.len();
    let body = |t: &mut Text| {
        match number_width(field.ty) {
            Some(_) if is_last => t.line(format!("{place} = malloc({count} * sizeof *{place});")),
            // Zeros: elements not read yet own nothing.
            _ => t.line(format!("{place} = calloc({count}, sizeof *{place});")),
        };
        if !is_last {
            refuse(t, &format!("{place} == NULL"));
            if field.dims[level + 1].extent == Extent::Fixed(0) {
                return;
            }
            let i = format!("i{level}");
            t.block(format!("for (size_t {i} = 0; {i} < {count}; {i}++) {{"), "}", |t| {
                rows(unit, t, field, level + 1, &format!("{place}[{i}]"));
            });
            return;
        }
        let read = match number_width(field.ty) {
            Some(width) => format!("saltus_read_array_{}(in, {place}, {count})", width * 8),
            None if matches!(field.ty, Type::Struct(_)) => {
                format!("{}_read(in, {place}, {count})", unit.type_name(field.ty))
            }
            None => format!("saltus_read_strings(in, {place}, {count})"),
        };
        refuse(t, &format!("{place} == NULL || !{read}"));
    };
    if matches!(extent, Extent::Variable(_)) {
        t.block(format!("if ({size} > 0) {{"), "}", body);
    } else {
        body(t);
    }
}
