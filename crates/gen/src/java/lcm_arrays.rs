//! Writing and copying one field, in LCM's style.

use super::layout::{call, line, loops, statement};
use super::module::Module;
use super::read::{at, few};
use saltus_types::{Field, Type};

/// Writing a field.
pub(super) fn write(m: &Module, field: &Field) -> String {
    let (own, label, n) = (m.own(field), m.label(field), m.number(field.ty));
    if let (Some(n), false) = (&n, field.is_array()) {
        return line(
            2,
            match n.title {
                "Boolean" => format!("outs.writeByte({own} ? 1 : 0);"),
                title => format!("outs.write{title}({own});"),
            },
        );
    }
    write_rows(m, field, 0, &own, &label)
}

fn write_rows(m: &Module, field: &Field, dim: usize, own: &str, label: &str) -> String {
    let (depth, element, n) = (2 + dim, at(own, dim), m.number(field.ty));
    match (&n, field.ty) {
        (Some(n), _) if dim + 1 == field.dims.len() => {
            if let Some(few) = few(field, n) {
                let head = format!("int i{dim} = 0; i{dim} < {few}; i{dim}++");
                return call(depth, "", "SaltusWire.check", &[element, few.to_string(), label.into()])
                    + &loops(depth, &[head], |depth| {
                        line(depth, format!("outs.write{}({});", n.title, at(own, dim + 1)))
                    });
            }
            let arguments = ["outs".into(), element, m.size(&field.dims[dim]), label.into()];
            call(depth, "", "SaltusWire.write", &arguments)
        }
        (None, Type::Primitive(_)) if dim == field.dims.len() => {
            call(depth, "", "SaltusWire.write", &["outs".into(), element, label.into()])
        }
        (None, ty) if dim == field.dims.len() => {
            let mut arguments = vec!["outs".to_owned()];
            if !matches!(ty, Type::Enum(_)) && !m.has_plain_levels(ty) {
                arguments.push("depth + 1".into());
            }
            call(depth, "", "SaltusWire.present", &[element.clone(), label.into()])
                + &call(depth, "", &format!("{element}._encodeRecursive"), &arguments)
        }
        _ => {
            let size = m.size(&field.dims[dim]);
            let head = format!("int i{dim} = 0; i{dim} < {size}; i{dim}++");
            call(depth, "", "SaltusWire.check", &[element, size, label.into()])
                + &loops(depth, &[head], |_| write_rows(m, field, dim + 1, own, label))
        }
    }
}

/// Copying a field to `other`.
pub(super) fn copy(m: &Module, field: &Field) -> String {
    let (from, to, n) = (m.own(field), format!("other.{}", m.member(&field.name)), m.number(field.ty));
    let plain = n.is_some() || matches!(field.ty, Type::Primitive(_));
    if plain && !field.is_array() {
        return statement(2, &to, &format!("{from};"));
    }
    copy_rows(field, plain, 0, &from, &to)
}

fn copy_rows(field: &Field, plain: bool, dim: usize, from: &str, to: &str) -> String {
    let (depth, source, target) = (2 + 2 * dim, at(from, dim), at(to, dim));
    let mut inner = if dim == field.dims.len() {
        statement(depth + 1, &target, &format!("{source}.copy();"))
    } else {
        statement(depth + 1, &target, &format!("{source}.clone();"))
    };
    if dim < field.dims.len() && !(plain && dim + 1 == field.dims.len()) {
        let head = format!("int i{dim} = 0; i{dim} < {source}.length; i{dim}++");
        inner += &loops(depth + 1, &[head], |_| copy_rows(field, plain, dim + 1, from, to));
    }
    line(depth, format!("if ({source} != null) {{")) + &inner + &line(depth, "}")
}
