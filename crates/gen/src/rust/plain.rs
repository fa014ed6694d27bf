//! The plain layout of a type: a second struct with a fixed memory layout.

use super::code::{Code, item};
use super::fields::{Fields, MAX_DEFAULT, primitive};
use super::items::Items;
use crate::text::Text;
use saltus_types::plain::{Plain, PlainField, plain};
use saltus_types::{Extent, Field, Primitive, StructId, Type};

impl Items<'_> {
    /// The plain layout, if the type has one.
    pub fn plain(&self, file: &mut Text) {
        let Some(layout) = plain(self.schema, self.id) else { return };
        let fields = self.fields();
        let plain = PlainItems { name: self.names.plain(self.id), fields: &fields, layout: &layout };
        plain.definition(file);
        plain.traits(file);
        plain.asserts(file);
        plain.conversions(file);
    }
}

struct PlainItems<'a> {
    name: &'a str,
    fields: &'a Fields<'a>,
    layout: &'a Plain,
}

impl PlainItems<'_> {
    fn field(&self, slot: &PlainField) -> &Field {
        &self.fields.def.fields[slot.index]
    }
    fn ident(&self, slot: &PlainField) -> String {
        self.fields.ident_of(slot.index)
    }
    /// Type of an element in memory.
    fn element(&self, ty: Type) -> String {
        match ty {
            Type::Primitive(Primitive::Boolean) => "u8".into(),
            Type::Primitive(p) => primitive(p).into(),
            Type::Enum(_) => "i32".into(),
            Type::Struct(id) => self.fields.path(id, self.fields.names.plain(id)),
        }
    }
    fn ty(&self, field: &Field) -> String {
        field.dims.iter().rev().fold(self.element(field.ty), |inner, dim| match dim.extent {
            Extent::Fixed(n) => format!("[{inner}; {n}]"),
            Extent::Variable(_) => inner,
        })
    }
    /// All padding: the index of the field after it, or the number of fields at the end; its name; and its size.
    fn padding(&self) -> Vec<(usize, String, usize)> {
        let gaps = self.layout.fields.iter().map(|slot| slot.padding).chain([self.layout.tail]);
        let gaps = gaps.enumerate().filter(|&(_, size)| size > 0);
        let taken: Vec<String> = self.layout.fields.iter().map(|slot| self.ident(slot)).collect();
        let named = gaps.enumerate().map(|(i, (before, size))| {
            let mut name = format!("_pad{i}");
            while taken.contains(&name) {
                name.push('_');
            }
            (before, name, size)
        });
        named.collect()
    }
    fn is_large(&self) -> bool {
        let dims = self.layout.fields.iter().flat_map(|slot| &self.field(slot).dims);
        dims.into_iter().any(|d| matches!(d.extent, Extent::Fixed(n) if n > MAX_DEFAULT))
    }

    fn definition(&self, file: &mut Text) {
        let def = self.fields.def;
        let padding = self.padding();
        item(file, |code| {
            let more = format!(
                "The plain layout of [`{}`]: {} bytes, after 8 of its hash.",
                self.fields.name(),
                self.layout.size
            );
            code.comment([format!("/// {more}")]);
            code.line(format!("#[repr(C, align({}))]", self.layout.align));
            let default = if self.is_large() { "" } else { ", Default" };
            code.line(format!("#[derive(Debug, Clone, Copy, PartialEq{default})]"));
            if self.layout.fields.is_empty() {
                return code.line(format!("pub struct {} {{}}", self.name));
            }
            code.block(format!("pub struct {} {{", self.name), "}", |code| {
                let pad = |code: &mut Code, index: usize| {
                    for (_, name, size) in padding.iter().filter(|(before, ..)| *before == index) {
                        code.comment(["/// Zero."]);
                        code.line(format!("pub {name}: [u8; {size}],"));
                    }
                };
                for (i, slot) in self.layout.fields.iter().enumerate() {
                    pad(code, i);
                    let text = self.fields.schema.field_to_lcm(&def.fields[slot.index], &def.name.package);
                    code.comment([format!("/// `{text}`, at byte {} of the struct.", slot.offset)]);
                    code.line(format!("pub {}: {},", self.ident(slot), self.ty(self.field(slot))));
                }
                pad(code, self.layout.fields.len());
            });
        });
        if self.is_large() {
            item(file, |code| {
                code.block(format!("impl Default for {} {{", self.name), "}", |code| {
                    code.block(format!("fn default() -> {} {{", self.name), "}", |code| {
                        code.line("wire::plain::zeroed()");
                    });
                });
            });
        }
    }

    fn traits(&self, file: &mut Text) {
        let (name, schema_of) = (self.name, self.fields.name());
        item(file, |code| {
            code.comment([
                "// SAFETY: numbers only, and all padding is explicit fields, as the offsets below show.",
            ]);
            code.line(format!("unsafe impl wire::Bits for {name} {{}}"));
        });
        item(file, |code| {
            code.comment([format!(
                "// SAFETY: as above; laid out as in C, aligned to {}.",
                self.layout.align
            )]);
            code.block(format!("unsafe impl wire::Plain for {name} {{"), "}", |code| {
                code.text_const("const NAME: &'static str", &self.fields.def.name.to_string());
                code.line(format!("const LAYOUT_HASH: u64 = {:#018x};", self.layout.hash));
                code.line(format!("const SCHEMA: &'static str = <{schema_of} as wire::Message>::SCHEMA;"));
                let nested: Vec<&PlainField> =
                    self.layout.fields.iter().filter(|slot| self.is_padded(self.field(slot).ty)).collect();
                if self.padding().is_empty() && nested.is_empty() {
                    return;
                }
                code.comment([""]);
                code.block("fn clear_padding(&mut self) {", "}", |code| {
                    for (_, name, size) in self.padding() {
                        code.line(format!("self.{name} = [0; {size}];"));
                    }
                    for slot in nested {
                        let place = format!("&mut self.{}", self.ident(slot));
                        clear(code, &place, self.field(slot).dims.len());
                    }
                });
            });
        });
    }

    /// Whether a struct in this one has padding.
    fn is_padded(&self, ty: Type) -> bool {
        let Type::Struct(id) = ty else { return false };
        let padded = |id: StructId| {
            plain(self.fields.schema, id)
                .is_some_and(|l| l.tail > 0 || l.fields.iter().any(|f| f.padding > 0))
        };
        self.fields.schema.closure(id).into_iter().any(padded)
    }

    /// The offsets that the hash covers, checked by the compiler.
    fn asserts(&self, file: &mut Text) {
        let (name, layout) = (self.name, self.layout);
        item(file, |code| {
            code.block("const _: () = {", "};", |code| {
                let offset_of = if layout.fields.is_empty() { "" } else { "offset_of, " };
                code.line(format!("use std::mem::{{align_of, {offset_of}size_of}};"));
                let order = if cfg!(target_endian = "little") { "little" } else { "big" };
                code.line(format!("assert!(cfg!(target_endian = \"{order}\"));"));
                code.call("assert!", &[&format!("size_of::<{name}>() == {}", layout.size)], ";");
                code.call("assert!", &[&format!("align_of::<{name}>() == {}", layout.align)], ";");
                for slot in &layout.fields {
                    let offset = format!("offset_of!({name}, {}) == {}", self.ident(slot), slot.offset);
                    code.call("assert!", &[&offset], ";");
                }
            });
        });
    }

    /// Conversions between the two forms: in place, and as new values.
    fn conversions(&self, file: &mut Text) {
        let (plain, name) = (self.name, self.fields.name());
        item(file, |code| {
            code.block(format!("impl {plain} {{"), "}", |code| {
                code.comment([format!("/// Sets all fields to those of a [`{name}`], in place.")]);
                self.assign_all(code, Form::Plain, "set_from(&mut self, ", &format!("&{name}"));
                code.comment([format!("/// Sets all fields of a [`{name}`] to these, in place.")]);
                self.assign_all(code, Form::Message, "copy_to(&self, ", &format!("&mut {name}"));
            });
        });
        convert_item(file, name, plain, "made.set_from(value);");
        convert_item(file, plain, name, "value.copy_to(&mut made);");
    }

    fn assign_all(&self, code: &mut Code, to_form: Form, head: &str, ty: &str) {
        if self.layout.fields.is_empty() {
            return code.line(format!("pub fn {head}_: {ty}) {{}}"));
        }
        code.block(format!("pub fn {head}value: {ty}) {{"), "}", |code| {
            for slot in &self.layout.fields {
                let ident = self.ident(slot);
                let (plain, message) = (format!("self.{ident}"), format!("value.{ident}"));
                let places = match to_form {
                    Form::Plain => [plain.as_str(), &message],
                    Form::Message => [message.as_str(), &plain],
                };
                self.assign(code, to_form, self.field(slot), 0, places);
            }
        });
    }

    /// Sets a field, or a row of it at this level, from the other form.
    fn assign(&self, code: &mut Code, to_form: Form, field: &Field, level: usize, [to, from]: [&str; 2]) {
        // The rows of a loop are references.
        let in_loop = level > 0;
        let target = if in_loop { format!("*{to}") } else { to.into() };
        let value = if in_loop { format!("*{from}") } else { from.into() };
        let boxed = self.fields.memory.is_boxed(field, level);
        let is_number =
            !matches!(field.ty, Type::Struct(_) | Type::Enum(_) | Type::Primitive(Primitive::Boolean));
        if is_number && boxed {
            return code.line(format!("{to}.copy_from_slice(&{from}[..]);"));
        }
        if is_number {
            return code.line(format!("{target} = {value};"));
        }
        if level < field.dims.len() {
            let from = match (boxed, in_loop) {
                (true, _) => format!("&{from}[..]"),
                (false, true) => from.into(),
                (false, false) => format!("&{from}"),
            };
            let rows = format!("{to}.iter_mut().zip({from})");
            code.note_chain(&rows);
            return code.block(format!("for (to, from) in {rows} {{"), "}", |code| {
                self.assign(code, to_form, field, level + 1, ["to", "from"]);
            });
        }
        match (field.ty, to_form) {
            (Type::Struct(_), Form::Plain) => {
                let from = if in_loop { from.into() } else { format!("&{from}") };
                code.line(format!("{to}.set_from({from});"));
            }
            (Type::Struct(_), Form::Message) => {
                let to = if in_loop { to.into() } else { format!("&mut {to}") };
                code.line(format!("{from}.copy_to({to});"));
            }
            (Type::Enum(_), Form::Plain) => code.line(format!("{target} = {from}.0;")),
            (Type::Enum(_), Form::Message) => code.line(format!("{to}.0 = {value};")),
            (Type::Primitive(_), Form::Plain) => code.line(format!("{target} = u8::from({value});")),
            (Type::Primitive(_), Form::Message) => code.line(format!("{target} = {value} != 0;")),
        }
    }
}

/// The form that is set.
#[derive(Clone, Copy)]
enum Form {
    Plain,
    Message,
}

/// Zeroes the padding of structs in arrays of this many dimensions.
fn clear(code: &mut Code, place: &str, dims: usize) {
    if dims == 0 {
        return code.call("wire::Plain::clear_padding", &[place], ";");
    }
    code.block(format!("for row in {place} {{"), "}", |code| clear(code, "row", dims - 1));
}

fn convert_item(file: &mut Text, from: &str, to: &str, set: &str) {
    item(file, |code| {
        code.block(format!("impl From<&{from}> for {to} {{"), "}", |code| {
            code.block(format!("fn from(value: &{from}) -> {to} {{"), "}", |code| {
                code.line(format!("let mut made = {to}::default();"));
                code.line(set);
                code.line("made");
            });
        });
    });
}
