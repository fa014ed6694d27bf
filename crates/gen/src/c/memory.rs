//! Generates the functions that free a struct's memory.

use super::shape::{number_width, with_elements};
use super::unit::Unit;
use crate::text::Text;
use saltus_types::{Extent, Field, Primitive, Type};

pub(crate) fn emit(unit: &Unit<'_>, t: &mut Text) {
    if unit.shape().fixed {
        return;
    }
    let name = &unit.name;
    t.gap();
    t.block(format!("static void free_fields({name} *p) {{"), "}", |t| {
        let owners: Vec<&Field> = with_elements(unit.s).filter(|f| unit.shapes.owns(f)).collect();
        if owners.is_empty() {
            t.line("(void)p;");
        }
        for field in owners {
            let place = unit.place(field);
            if field.is_variable() {
                rows(unit, t, field, 0, &place);
                t.line(format!("{place} = NULL;"));
            } else {
                let count = unit.fixed_count(field);
                t.line(release(unit, field, &first(unit, field), &count));
            }
        }
    });
    t.gap();
    t.block(format!("void {name}_release({name} *p, size_t n) {{"), "}", |t| {
        t.block("for (size_t i = 0; p != NULL && i < n; i++) {", "}", |t| {
            t.line("free_fields(&p[i]);");
        });
    });
}

fn first(unit: &Unit<'_>, field: &Field) -> String {
    match field.ty {
        Type::Primitive(_) => unit.first(field, "char **"),
        _ => unit.first(field, &format!("{} *", unit.type_name(field.ty))),
    }
}

/// Frees the memory of `count` elements.
fn release(unit: &Unit<'_>, field: &Field, place: &str, count: &str) -> String {
    match field.ty {
        Type::Primitive(_) => format!("saltus_free_strings({place}, {count});"),
        _ => format!("{}_release({place}, {count});", unit.type_name(field.ty)),
    }
}

fn rows(unit: &Unit<'_>, t: &mut Text, field: &Field, level: usize, place: &str) {
    let count = match field.dims[level].extent {
        Extent::Fixed(0) => {
            t.line(format!("free({place});"));
            return;
        }
        Extent::Fixed(n) => n.to_string(),
        variable => format!("saltus_count({})", unit.extent(variable)),
    };
    let owns = field.ty == Type::Primitive(Primitive::String) || !unit.shapes.is_fixed(field.ty);
    if level + 1 < field.dims.len() {
        let i = format!("i{level}");
        let some = format!("{place} != NULL && {i} < {count}");
        t.block(format!("for (size_t {i} = 0; {some}; {i}++) {{"), "}", |t| {
            rows(unit, t, field, level + 1, &format!("{place}[{i}]"));
        });
    } else if owns && number_width(field.ty).is_none() {
        t.line(release(unit, field, place, &count));
    }
    t.line(format!("free({place});"));
}
