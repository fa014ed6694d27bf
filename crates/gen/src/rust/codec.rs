//! The functions that measure, write and read a struct's fields.
//!
//! An array whose inner dimensions are fixed, and whose elements are numbers or booleans, is one piece of memory
//! and one call. Others are processed row by row.

use super::code::Code;
use super::fields::Fields;
use super::memory::is_one_piece;
use saltus_types::{Dim, Extent, Field, Primitive, StructId, Type};

/// The row of a loop, which is a reference.
const ROW: &str = "row";

impl Fields<'_> {
    /// `MIN_SIZE` and `body_size`.
    pub fn sizes(&self, code: &mut Code) {
        let min = self.schema.min_size(Type::Struct(self.id));
        code.line(format!("const MIN_SIZE: usize = {min};"));
        let free = self.schema.free_elements(self.id);
        if free > 0 {
            code.line(format!("const FREE: usize = {free};"));
        }
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
                self.size_of(code, field, 0, &self.value(field));
            }
            code.line("size");
        });
    }

    /// Whether it can have any bytes at all.
    fn takes_room(&self, field: &Field) -> bool {
        let nothing = self.schema.is_fixed(field.ty) && self.schema.min_size(field.ty) == 0;
        !nothing && field.dims.iter().all(|d| d.extent != Extent::Fixed(0))
    }

    fn value(&self, field: &Field) -> String {
        format!("self.{}", self.ident(&field.name))
    }

    /// A field, or a row of it at this level, as an argument. Boxed arrays become slices.
    fn argument(&self, field: &Field, level: usize, value: &str, reference: &str) -> String {
        match self.memory.is_boxed(field, level) {
            true => format!("{reference}{value}[..]"),
            false if value == ROW => value.into(),
            false => format!("{reference}{value}"),
        }
    }

    fn size_of(&self, code: &mut Code, field: &Field, level: usize, value: &str) {
        let argument = self.argument(field, level, value, "&");
        let dims = &field.dims[level..];
        let inner = dims.get(1..).unwrap_or_default();
        let inner_count = inner.iter().try_fold(1u64, |n, d| match d.extent {
            Extent::Fixed(k) => Some(n.saturating_mul(u64::from(k))),
            Extent::Variable(_) => None,
        });
        let element = self.schema.is_fixed(field.ty).then(|| self.schema.min_size(field.ty));
        match (dims.len(), inner_count.zip(element)) {
            (0, _) if field.ty == Type::Primitive(Primitive::String) => {
                code.call("size += wire::string_size", &[&argument], ";");
            }
            (0, _) => code.call("size += wire::Body::body_size", &[&argument], ";"),
            (_, Some((1, 1))) => code.line(format!("size += {value}.len();")),
            (_, Some((n, bytes))) => {
                code.line(format!("size += {} * {value}.len();", n.saturating_mul(bytes)));
            }
            (1, None) if field.ty == Type::Primitive(Primitive::String) => {
                code.call("size += wire::strings_size", &[&argument], ";");
            }
            (1, None) => code.call("size += wire::bodies_size", &[&argument], ";"),
            (_, None) => code.block(format!("for row in {argument} {{"), "}", |code| {
                self.size_of(code, field, level + 1, ROW);
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
                self.write_field(code, field, 0, &self.value(field));
            }
            code.line("Ok(())");
        });
    }

    fn write_field(&self, code: &mut Code, field: &Field, level: usize, value: &str) {
        let argument = self.argument(field, level, value, "&");
        let Some((outer, inner)) = field.dims[level..].split_first() else {
            return match field.ty {
                Type::Struct(_) => code.call("out.body", &[&argument], "?;"),
                Type::Enum(_) => code.call("out.int32", &[&format!("{value}.0")], "?;"),
                Type::Primitive(Primitive::String) => code.call("out.string", &[&argument], "?;"),
                Type::Primitive(p) => code.call(&format!("out.{}", scalar(p)), &[value], "?;"),
            };
        };
        if let Extent::Variable(by) = outer.extent {
            let size_field = &self.def.fields[by].name;
            let what = format!("{:?}", format!("{}.{}", self.def.name.name, field.name));
            let has = format!("{value}.len()");
            let says = format!("self.{}", self.ident_of(by));
            code.call("out.size", &[&what, &format!("{size_field:?}"), &says, &has], "?;");
        }
        if inner.is_empty() || is_one_piece(field.ty, inner) {
            code.call(&format!("out.{}", plural(field.ty)), &[&argument], "?;");
        } else {
            code.block(format!("for row in {argument} {{"), "}", |code| {
                self.write_field(code, field, level + 1, ROW);
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
                self.check_sizes(code, field);
                self.read_field(code, field, 0, &self.value(field));
            }
            code.line("Ok(())");
        });
    }

    /// Checks the sizes of an array before it is read, unless the reading function does: for one variable dimension
    /// over one contiguous piece. Fixed sizes cannot be wrong if all elements take bytes.
    fn check_sizes(&self, code: &mut Code, field: &Field) {
        if !self.is_checked(field) {
            return;
        }
        let size = |dim: &Dim| match dim.extent {
            Extent::Fixed(n) => n.to_string(),
            Extent::Variable(by) => self.size(by),
        };
        let sizes: Vec<String> = field.dims.iter().map(size).collect();
        let sizes = format!("[{}]", sizes.join(", "));
        let min = self.schema.min_size(field.ty).to_string();
        let free = if let Type::Struct(id) = field.ty { self.schema.free_elements(id) } else { 0 };
        let names: Vec<String> = (0..field.dims.len())
            .map(|level| if self.is_walked(field, level) { rows(level) } else { "_".into() })
            .collect();
        let used = names.iter().any(|name| name != "_");
        let head = if used { format!("let [{}] = ", names.join(", ")) } else { String::new() };
        code.call(&format!("{head}from.array"), &[&sizes, &min, &free.to_string()], "?;");
    }

    fn is_checked(&self, field: &Field) -> bool {
        let Some((outer, inner)) = field.dims.split_first() else { return false };
        if !field.is_variable() {
            return outer.extent != Extent::Fixed(0) && self.takes_nothing(field, &field.dims);
        }
        let in_one = inner.is_empty() || is_one_piece(field.ty, inner) && !self.takes_nothing(field, inner);
        !(in_one && matches!(outer.extent, Extent::Variable(_)))
    }

    /// Whether an array of `dims` has zero size by its type alone.
    fn takes_nothing(&self, field: &Field, dims: &[Dim]) -> bool {
        self.schema.min_size(field.ty) == 0 || dims.iter().any(|d| d.extent == Extent::Fixed(0))
    }

    /// Whether the rows at `level`, whose number varies, are read one by one. Rows of zero size are, since a
    /// function that reads several would count them twice.
    fn is_walked(&self, field: &Field, level: usize) -> bool {
        let inner = &field.dims[level + 1..];
        let at_once = inner.is_empty() || is_one_piece(field.ty, inner);
        let counted = self.is_checked(field) && self.takes_nothing(field, inner);
        matches!(field.dims[level].extent, Extent::Variable(_)) && (!at_once || counted)
    }

    fn read_field(&self, code: &mut Code, field: &Field, level: usize, value: &str) {
        let argument = self.argument(field, level, value, "&mut ");
        let Some((outer, inner)) = field.dims[level..].split_first() else {
            return match field.ty {
                Type::Struct(_) => code.call("from.body", &[&argument], "?;"),
                Type::Enum(_) => code.line(format!("{value}.0 = from.int32()?;")),
                Type::Primitive(Primitive::String) => code.call("from.string", &[&argument], "?;"),
                Type::Primitive(p) => code.line(format!("{value} = from.{}()?;", scalar(p))),
            };
        };
        match outer.extent {
            Extent::Variable(_) if self.is_walked(field, level) => {
                let rows = rows(level);
                code.line(format!("{value}.truncate({rows});"));
                code.block(format!("for at in 0..{rows} {{"), "}", |code| {
                    if self.is_made(field, level + 1) {
                        let new = format!("|| {}", self.default_value(field, level + 1));
                        code.call("let row = wire::element_at_with", &[&argument, "at", &new], ";");
                    } else {
                        code.call("let row = wire::element_at", &[&argument, "at"], ";");
                    }
                    self.read_field(code, field, level + 1, ROW);
                });
            }
            Extent::Variable(by) => {
                let head = format!("from.{}_vec", singular(field.ty));
                code.call(&head, &[&argument, &self.size(by)], "?;");
            }
            Extent::Fixed(_) if inner.is_empty() || is_one_piece(field.ty, inner) => {
                code.call(&format!("from.{}", plural(field.ty)), &[&argument], "?;");
            }
            Extent::Fixed(_) => code.block(format!("for row in {argument} {{"), "}", |code| {
                self.read_field(code, field, level + 1, ROW);
            }),
        }
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
        code.comment([
            "/// Sets every size field to the size of its array, also in nested structs; to its largest value if",
            "/// the size does not fit, which encoding then refuses.",
        ]);
        code.block("pub fn set_sizes(&mut self) {", "}", |code| {
            for by in self.def.size_fields() {
                // Preferably from an outermost dimension: inner ones are unknown without rows.
                let Some((at, dim)) = self.def.sized_by(by).min_by_key(|&(_, dim)| dim) else { continue };
                let field = &self.def.fields[at];
                let array = self.value(field);
                let outer = &field.dims[..dim];
                let set = format!("self.{} = ", self.ident_of(by));
                if outer.iter().any(|d| d.extent == Extent::Fixed(0)) {
                    code.line(format!("{set}0;"));
                } else {
                    code.call(&format!("{set}wire::Size::of"), &[&length(&array, outer)], ";");
                }
            }
            for field in &self.def.fields {
                let Type::Struct(inner) = field.ty else { continue };
                if self.has_sizes(inner) {
                    self.set_sizes_of(code, field, 0, &self.value(field));
                }
            }
        });
    }

    fn set_sizes_of(&self, code: &mut Code, field: &Field, level: usize, value: &str) {
        if level == field.dims.len() {
            return code.line(format!("{value}.set_sizes();"));
        }
        let argument = self.argument(field, level, value, "&mut ");
        code.block(format!("for row in {argument} {{"), "}", |code| {
            self.set_sizes_of(code, field, level + 1, ROW);
        });
    }
}

/// Length of an array nested in arrays of `outer` dimensions, none of which is fixed to 0.
fn length(array: &str, outer: &[Dim]) -> String {
    match outer.split_first().map(|(dim, inner)| (dim.extent, inner)) {
        None => format!("{array}.len()"),
        Some((Extent::Fixed(_), inner)) => length(&format!("{array}[0]"), inner),
        Some((Extent::Variable(_), inner)) => {
            format!("{array}.first().map_or(0, |row| {})", length("row", inner))
        }
    }
}

/// The name of the number of rows at a level.
fn rows(level: usize) -> String {
    if level == 0 { "rows".into() } else { format!("rows_{level}") }
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
