//! Generates code to read one field, in either style. Arrays of objects grow as their elements are read: sizes are
//! not trusted.

use super::layout::{call, line, loops, statement};
use super::module::{Module, Number};
use saltus_types::{Dim, Extent, Field, Type};

/// An element of a field, indexed this many times.
pub(super) fn at(own: &str, dims: usize) -> String {
    (0..dims).fold(own.to_owned(), |element, n| format!("{element}[i{n}]"))
}

/// Heads of loops over all elements of an array, and the innermost element.
pub(super) fn over(m: &Module, field: &Field, dims: usize) -> (Vec<String>, String) {
    let own = m.own(field);
    let head = |n: usize| format!("int i{n} = 0; i{n} < {}.length; i{n}++", at(&own, n));
    ((0..dims).map(head).collect(), at(&own, dims))
}

/// The length of rows that are so short that, in LCM's style, their numbers are read and written one by one.
pub(super) fn few(field: &Field, number: &Number) -> Option<u64> {
    match field.dims.last()?.extent {
        Extent::Fixed(n) if n < 16 && !["Byte", "Boolean"].contains(&number.title) => Some(n.into()),
        _ => None,
    }
}

/// Reading a field.
pub(super) fn read(m: &Module, field: &Field) -> String {
    let n = m.number(field.ty);
    let reader = Reader { m, field, own: m.own(field), label: m.label(field), number: n };
    match &reader.number {
        Some(n) if !field.is_array() => line(2, format!("{} = {};", reader.own, reader.scalar(n))),
        // The modern constructor has created it already.
        _ if m.is_modern() && !field.is_variable() => reader.check() + &reader.fill(),
        _ => reader.check() + &reader.rows(0),
    }
}

struct Reader<'a> {
    m: &'a Module<'a>,
    field: &'a Field,
    own: String,
    label: String,
    number: Option<Number>,
}

impl Reader<'_> {
    /// The source of the bytes.
    fn input(&self) -> String {
        if self.m.is_modern() { "in".into() } else { "ins".into() }
    }

    fn scalar(&self, n: &Number) -> String {
        match (self.m.is_modern(), n.title) {
            (true, "Byte") => "in.get()".into(),
            (true, "Boolean") => "in.get() != 0".into(),
            (true, title) => format!("in.get{title}()"),
            (false, "Boolean") => "ins.readByte() != 0".into(),
            (false, title) => format!("ins.read{title}()"),
        }
    }

    /// The check of all sizes. A single row of numbers checks its own size, and fixed sizes need no check.
    fn check(&self) -> String {
        let Reader { m, field, .. } = self;
        let least = self.m.schema.min_size(field.ty);
        let empty = |d: &Dim| d.extent == Extent::Fixed(0);
        let reported = field.is_variable() || least == 0 || field.dims.iter().any(empty);
        if field.dims.len() <= usize::from(self.number.is_some()) || !reported {
            return String::new();
        }
        if m.is_plain_level() {
            // No element or row can be without content: only a negative size is wrong.
            let sizes = field.dims.iter().filter(|d| matches!(d.extent, Extent::Variable(_)));
            return sizes
                .map(|d| m.size(d))
                .map(|size| call(2, "", "SaltusWire.check", &[size, self.label.clone()]))
                .collect();
        }
        let mut arguments = if m.is_modern() { vec![self.input()] } else { vec![] };
        arguments.extend(["free".into(), least.to_string(), self.label.clone()]);
        arguments.extend(field.dims.iter().map(|d| m.size(d)));
        call(2, "", "SaltusWire.check", &arguments)
    }

    /// Reads into existing arrays.
    fn fill(&self) -> String {
        let outer = self.field.dims.len() - usize::from(self.number.is_some());
        let (heads, place) = over(self.m, self.field, outer);
        loops(2, &heads, |depth| match (&self.number, self.field.ty) {
            (Some(_), _) => line(depth, format!("SaltusWire.read(in, {place});")),
            (None, Type::Struct(_)) => self.nested(depth, &place),
            (None, _) => self.string(depth, &place),
        })
    }

    /// Reads the rows of a dimension, or one element after the last.
    fn rows(&self, dim: usize) -> String {
        let Reader { m, field, own, label, number } = self;
        let (depth, place, ty) = (2 + dim, at(own, dim), m.element(field.ty));
        if dim == field.dims.len() {
            return match field.ty {
                Type::Struct(_) => {
                    statement(depth, &place, &format!("new {ty}();")) + &self.nested(depth, &place)
                }
                Type::Enum(_) => {
                    call(depth, &place, &format!("{ty}._decodeRecursiveFactory"), &[self.input()])
                }
                Type::Primitive(_) => self.string(depth, &place),
            };
        }
        let size = m.size(&field.dims[dim]);
        if let (Some(n), true) = (number, dim + 1 == field.dims.len()) {
            if let (Some(few), false) = (few(field, n), m.is_modern()) {
                let head = format!("int i{dim} = 0; i{dim} < {few}; i{dim}++");
                return statement(depth, &place, &format!("new {ty}[{few}];"))
                    + &loops(depth, &[head], |depth| {
                        statement(depth, &at(own, dim + 1), &format!("{};", self.scalar(n)))
                    });
            }
            let head = format!("SaltusWire.read{}s", n.title);
            return call(depth, &place, &head, &[self.input(), size, label.clone()]);
        }
        let inner = "[]".repeat(field.dims.len() - dim - 1);
        let head = format!("int i{dim} = 0; i{dim} < {size}; i{dim}++");
        // Structs that contain each other would allocate again at each level.
        let first = match m.is_plain_level() {
            true => format!("SaltusWire.first(ins, {size}, {})", m.schema.min_size(field.ty)),
            false => format!("SaltusWire.first({size})"),
        };
        statement(depth, &place, &format!("new {ty}[{first}]{inner};"))
            + &loops(depth, &[head], |depth| {
                let arguments = [place.clone(), format!("i{dim}"), size.clone()];
                call(depth, &place, "SaltusWire.grown", &arguments) + &self.rows(dim + 1)
            })
    }

    fn nested(&self, depth: usize, place: &str) -> String {
        if self.m.has_plain_levels(self.field.ty) {
            return call(depth, "", &format!("{place}._decodeRecursive"), &[self.input()]);
        }
        let method = if self.m.is_modern() { "_read" } else { "_decodeRecursive" };
        let arguments = [self.input(), "depth + 1".into(), "free".into()];
        call(depth, "", &format!("{place}.{method}"), &arguments)
    }

    fn string(&self, depth: usize, place: &str) -> String {
        call(depth, place, "SaltusWire.readString", &[self.input(), self.label.clone()])
    }
}
