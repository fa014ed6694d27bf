//! Reading, writing and copying one field, in LCM's style: from a `DataInput` that does not say how much is to come.

use super::layout::{call, line, loops, statement};
use super::module::{Module, number};
use saltus_types::{Field, Type};

fn words(field: &Field) -> Option<super::module::Number> {
    if matches!(field.ty, Type::Enum(_)) { None } else { number(field.ty) }
}

/// An element of a field, as many indices deep.
fn at(own: &str, dims: usize) -> String {
    (0..dims).fold(own.to_owned(), |element, n| format!("{element}[i{n}]"))
}

/// Writing a field.
pub(super) fn write(m: &Module, field: &Field) -> String {
    let (own, label, n) = (m.own(field), m.label(field), words(field));
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
    let (depth, element, n) = (2 + dim, at(own, dim), words(field));
    match (&n, field.ty) {
        (Some(_), _) if dim + 1 == field.dims.len() => {
            let arguments = ["outs".into(), element, m.size(&field.dims[dim]), label.into()];
            call(depth, "", "SaltusWire.write", &arguments)
        }
        (None, Type::Primitive(_)) if dim == field.dims.len() => {
            call(depth, "", "SaltusWire.write", &["outs".into(), element, label.into()])
        }
        (None, ty) if dim == field.dims.len() => {
            let mut arguments = vec!["outs".to_owned()];
            if !matches!(ty, Type::Enum(_)) {
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

/// Reading a field. Arrays of objects grow while their elements come.
pub(super) fn read(m: &Module, field: &Field) -> String {
    let (own, label, n) = (m.own(field), m.label(field), words(field));
    if let (Some(n), false) = (&n, field.is_array()) {
        return line(
            2,
            match n.title {
                "Boolean" => format!("{own} = ins.readByte() != 0;"),
                title => format!("{own} = ins.read{title}();"),
            },
        );
    }
    let mut text = String::new();
    if field.dims.len() > usize::from(n.is_some()) && !m.takes_nothing(field) {
        let least = n.map_or(m.schema.min_size(field.ty), |n| n.size.into()).min(i32::MAX as u64);
        let mut arguments = vec!["free".to_owned(), least.to_string(), label.clone()];
        arguments.extend(field.dims.iter().map(|d| m.size(d)));
        text += &call(2, "", "SaltusWire.check", &arguments);
    }
    text + &read_rows(m, field, 0, &own, &label)
}

fn read_rows(m: &Module, field: &Field, dim: usize, own: &str, label: &str) -> String {
    let (depth, place, n, ty) = (2 + dim, at(own, dim), words(field), m.element(field.ty));
    match (&n, field.ty) {
        (Some(n), _) if dim + 1 == field.dims.len() => {
            let head = format!("SaltusWire.read{}s", n.title);
            call(depth, &place, &head, &["ins".into(), m.size(&field.dims[dim]), label.into()])
        }
        (None, Type::Primitive(_)) if dim == field.dims.len() => {
            call(depth, &place, "SaltusWire.readString", &["ins".into(), label.into()])
        }
        (None, Type::Enum(_)) if dim == field.dims.len() => {
            call(depth, &place, &format!("{ty}._decodeRecursiveFactory"), &["ins".into()])
        }
        (None, _) if dim == field.dims.len() => {
            statement(depth, &place, &format!("new {ty}();"))
                + &call(
                    depth,
                    "",
                    &format!("{place}._decodeRecursive"),
                    &["ins".into(), "depth + 1".into(), "free".into()],
                )
        }
        _ => {
            let size = m.size(&field.dims[dim]);
            let rows = "[]".repeat(field.dims.len() - dim - 1);
            let head = format!("int i{dim} = 0; i{dim} < {size}; i{dim}++");
            statement(depth, &place, &format!("new {ty}[SaltusWire.first({size})]{rows};"))
                + &loops(depth, &[head], |inner| {
                    let arguments = [place.clone(), format!("i{dim}"), size.clone()];
                    call(inner, &place, "SaltusWire.grown", &arguments)
                        + &read_rows(m, field, dim + 1, own, label)
                })
        }
    }
}

/// Copying a field to `other`.
pub(super) fn copy(m: &Module, field: &Field) -> String {
    let (from, to, n) = (m.own(field), format!("other.{}", m.member(&field.name)), words(field));
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
