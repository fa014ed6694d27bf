//! The functions that measure, write and read a struct's fields.
//!
//! An array whose inner dimensions are fixed, and whose elements are numbers or booleans, is one piece of memory and
//! one call. Others are gone through row by row.

use super::code::Code;
use super::fields::{Fields, is_large, primitive};
use saltus_types::{Dim, Extent, Field, Primitive, StructId, Type};

/// What a field is to be called with: `self.x`, with or without a reference, or the row of a loop.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// As an argument.
    argument: &'a str,
    /// With a dot behind it.
    value: &'a str,
}

const ROW: Place<'_> = Place { argument: "row", value: "row" };

impl Fields<'_> {
    /// `MIN_SIZE` and `body_size`.
    pub fn sizes(&self, code: &mut Code) {
        let min = self.schema.min_size(Type::Struct(self.id));
        code.line(format!("const MIN_SIZE: usize = {min};"));
        code.comment([""]);
        let fixed = self.def.fields.iter().filter_map(|f| self.wire_size(f)).fold(0, u64::saturating_add);
        let varies = |f: &&Field| self.wire_size(f).is_none() && self.takes_room(f);
        let varying: Vec<&Field> = self.def.fields.iter().filter(varies).collect();
        code.block("fn body_size(&self) -> usize {", "}", |code| {
            if varying.is_empty() {
                return code.line(fixed.to_string());
            }
            code.line(format!("let mut size = {fixed};"));
            for field in varying {
                let value = format!("self.{}", self.ident(&field.name));
                let argument = format!("&{value}");
                self.size_of(code, field, &field.dims, Place { argument: &argument, value: &value });
            }
            code.line("size");
        });
    }

    /// Whether it can take any bytes at all.
    fn takes_room(&self, field: &Field) -> bool {
        let nothing = self.schema.is_fixed(field.ty) && self.schema.min_size(field.ty) == 0;
        !nothing && field.dims.iter().all(|d| d.extent != Extent::Fixed(0))
    }

    fn size_of(&self, code: &mut Code, field: &Field, dims: &[Dim], place: Place<'_>) {
        let inner = dims.get(1..).unwrap_or_default();
        let inner_count = inner.iter().try_fold(1u64, |n, d| match d.extent {
            Extent::Fixed(k) => Some(n.saturating_mul(u64::from(k))),
            Extent::Variable(_) => None,
        });
        let element = self.schema.is_fixed(field.ty).then(|| self.schema.min_size(field.ty));
        match (dims.len(), inner_count.zip(element)) {
            (0, _) if field.ty == Type::Primitive(Primitive::String) => {
                code.call("size += wire::string_size", &[place.argument], ";");
            }
            (0, _) => code.call("size += wire::Body::body_size", &[place.argument], ";"),
            (_, Some((1, 1))) => code.line(format!("size += {}.len();", place.value)),
            (_, Some((n, bytes))) => {
                code.line(format!("size += {} * {}.len();", n.saturating_mul(bytes), place.value));
            }
            (1, None) if field.ty == Type::Primitive(Primitive::String) => {
                code.call("size += wire::strings_size", &[place.argument], ";");
            }
            (1, None) => code.call("size += wire::bodies_size", &[place.argument], ";"),
            (_, None) => code.block(format!("for row in {} {{", place.argument), "}", |code| {
                self.size_of(code, field, inner, ROW);
            }),
        }
    }

    /// `write`.
    pub fn write(&self, code: &mut Code) {
        let out = if self.def.fields.is_empty() { "_" } else { "out" };
        let head =
            format!("fn write(&self, {out}: &mut wire::Writer<'_>) -> Result<(), wire::EncodeError> {{");
        code.block(head, "}", |code| {
            for field in &self.def.fields {
                let value = format!("self.{}", self.ident(&field.name));
                let argument = format!("&{value}");
                self.write_field(code, field, &field.dims, Place { argument: &argument, value: &value });
            }
            code.line("Ok(())");
        });
    }

    fn write_field(&self, code: &mut Code, field: &Field, dims: &[Dim], place: Place<'_>) {
        let Some((outer, inner)) = dims.split_first() else {
            return match field.ty {
                Type::Struct(_) => code.call("out.body", &[place.argument], "?;"),
                Type::Enum(_) => code.call("out.int32", &[&format!("{}.0", place.value)], "?;"),
                Type::Primitive(Primitive::String) => code.call("out.string", &[place.argument], "?;"),
                Type::Primitive(p) => code.call(&format!("out.{}", scalar(p)), &[place.value], "?;"),
            };
        };
        if let Extent::Variable(by) = outer.extent {
            let size_field = &self.def.fields[by].name;
            let what = format!("{:?}", format!("{}.{}", self.def.name.name, field.name));
            let has = format!("{}.len()", place.value);
            code.call("out.size", &[&what, &format!("{size_field:?}"), &self.size(by), &has], "?;");
        }
        if inner.is_empty() || is_one_piece(field.ty, inner) {
            code.call(&format!("out.{}", plural(field.ty)), &[place.argument], "?;");
        } else {
            code.block(format!("for row in {} {{", place.argument), "}", |code| {
                self.write_field(code, field, inner, ROW);
            });
        }
    }

    /// `read`.
    pub fn read(&self, code: &mut Code) {
        let from = if self.def.fields.is_empty() { "_" } else { "from" };
        let head =
            format!("fn read(&mut self, {from}: &mut wire::Reader<'_>) -> Result<(), wire::DecodeError> {{");
        code.block(head, "}", |code| {
            for field in &self.def.fields {
                let value = format!("self.{}", self.ident(&field.name));
                let argument = format!("&mut {value}");
                self.read_field(code, field, &field.dims, Place { argument: &argument, value: &value });
            }
            code.line("Ok(())");
        });
    }

    fn read_field(&self, code: &mut Code, field: &Field, dims: &[Dim], place: Place<'_>) {
        let Some((outer, inner)) = dims.split_first() else {
            return match field.ty {
                Type::Struct(_) => code.call("from.body", &[place.argument], "?;"),
                Type::Enum(_) => code.line(format!("{}.0 = from.int32()?;", place.value)),
                Type::Primitive(Primitive::String) => code.call("from.string", &[place.argument], "?;"),
                Type::Primitive(p) => code.line(format!("{} = from.{}()?;", place.value, scalar(p))),
            };
        };
        let at_once = inner.is_empty() || is_one_piece(field.ty, inner);
        match outer.extent {
            Extent::Fixed(_) if at_once => {
                code.call(&format!("from.{}", plural(field.ty)), &[place.argument], "?;");
            }
            Extent::Variable(by) if at_once => {
                let head = format!("from.{}_vec", singular(field.ty));
                code.call(&head, &[place.argument, &self.size(by)], "?;");
            }
            Extent::Fixed(_) => code.block(format!("for row in {} {{", place.argument), "}", |code| {
                self.read_field(code, field, inner, ROW);
            }),
            Extent::Variable(by) => {
                let min = self.row_min_size(field, inner).to_string();
                code.call("let rows = from.rows", &[place.argument, &self.size(by), &min], "?;");
                code.block("for at in 0..rows {", "}", |code| {
                    if is_large(inner) {
                        let new = format!("|| {}", self.default_value(field.ty, inner));
                        code.call("let row = wire::element_at_with", &[place.argument, "at", &new], ";");
                    } else {
                        code.call("let row = wire::element_at", &[place.argument, "at"], ";");
                    }
                    self.read_field(code, field, inner, ROW);
                });
            }
        }
    }

    /// Least number of bytes of a row of an array, whose dimensions are `dims`.
    fn row_min_size(&self, field: &Field, dims: &[Dim]) -> u64 {
        let count = dims.iter().fold(1u64, |n, d| match d.extent {
            Extent::Fixed(k) => n.saturating_mul(u64::from(k)),
            Extent::Variable(_) => 0,
        });
        count.saturating_mul(self.schema.min_size(field.ty))
    }

    /// A size field as an int64.
    fn size(&self, index: usize) -> String {
        let int64 = self.def.fields[index].ty == Type::Primitive(Primitive::Int64);
        format!("self.{}{}", self.ident_of(index), if int64 { "" } else { ".into()" })
    }

    /// Whether a struct, or any in it, has size fields.
    pub fn has_sizes(&self, id: StructId) -> bool {
        self.schema.closure(id).iter().any(|&id| !self.schema.get(id).size_fields().is_empty())
    }

    /// `set_sizes`.
    pub fn set_sizes(&self, code: &mut Code) {
        code.comment(["/// Sets every size field to what its array has, in the structs within too."]);
        code.block("pub fn set_sizes(&mut self) {", "}", |code| {
            for by in self.def.size_fields() {
                // Best from an outermost dimension: the others cannot be known where there are no rows.
                let Some((at, dim)) = self.def.sized_by(by).min_by_key(|&(_, dim)| dim) else { continue };
                let field = &self.def.fields[at];
                let array = format!("self.{}", self.ident(&field.name));
                let Type::Primitive(p) = self.def.fields[by].ty else { continue };
                let outer = &field.dims[..dim];
                let set = format!("self.{} = ", self.ident_of(by));
                if outer.iter().any(|d| d.extent == Extent::Fixed(0)) {
                    code.line(format!("{set}0;"));
                } else {
                    code.chained(&set, &length(&array, outer), &format!(" as {};", primitive(p)));
                }
            }
            for field in &self.def.fields {
                let Type::Struct(inner) = field.ty else { continue };
                if self.has_sizes(inner) {
                    let value = format!("self.{}", self.ident(&field.name));
                    set_sizes_of(code, &value, &format!("&mut {value}"), field.dims.len());
                }
            }
        });
    }
}

fn set_sizes_of(code: &mut Code, value: &str, argument: &str, dims: usize) {
    if dims == 0 {
        return code.line(format!("{value}.set_sizes();"));
    }
    code.block(format!("for row in {argument} {{"), "}", |code| set_sizes_of(code, "row", "row", dims - 1));
}

/// Length of an array that lies in arrays of `outer` dimensions, none of which is fixed to 0.
fn length(array: &str, outer: &[Dim]) -> String {
    match outer.split_first().map(|(dim, inner)| (dim.extent, inner)) {
        None => format!("{array}.len()"),
        Some((Extent::Fixed(_), inner)) => length(&format!("{array}[0]"), inner),
        Some((Extent::Variable(_), inner)) => {
            format!("{array}.first().map_or(0, |row| {})", length("row", inner))
        }
    }
}

/// Whether rows of these dimensions are nothing but elements that lie in memory as they are copied.
fn is_one_piece(ty: Type, inner: &[Dim]) -> bool {
    matches!(ty, Type::Primitive(p) if p != Primitive::String)
        && inner.iter().all(|d| matches!(d.extent, Extent::Fixed(_)))
}

fn scalar(p: Primitive) -> &'static str {
    match p {
        Primitive::Int8 => "int8",
        Primitive::Int16 => "int16",
        Primitive::Int32 => "int32",
        Primitive::Int64 => "int64",
        Primitive::Byte => "byte",
        Primitive::Float => "float",
        Primitive::Double => "double",
        Primitive::String => "string",
        Primitive::Boolean => "boolean",
    }
}

fn singular(ty: Type) -> &'static str {
    match ty {
        Type::Primitive(p) => scalar(p),
        Type::Struct(_) => "body",
        Type::Enum(_) => "enum",
    }
}

fn plural(ty: Type) -> String {
    match ty {
        Type::Struct(_) => "bodies".into(),
        other => format!("{}s", singular(other)),
    }
}
