//! The plain layout of a type: a second struct, as it lies in memory.

use super::code::{Code, item};
use super::fields::{Fields, MAX_DEFAULT, primitive};
use super::items::Items;
use crate::text::Text;
use saltus_types::plain::{Plain, PlainField, plain};
use saltus_types::{Dim, Extent, Field, Primitive, StructId, Type};

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
    /// Name and size of all padding, each with the index of the slot before which it lies; the number of slots for
    /// what lies behind the last.
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
                "The plain layout of [`{}`]: {} bytes, behind 8 of its hash.",
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
            code.comment(["// SAFETY: numbers only, and all padding is fields, as the offsets below show."]);
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

    /// The offsets that the hash stands for, checked by the compiler.
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

    fn conversions(&self, file: &mut Text) {
        let (plain, name) = (self.name, self.fields.name());
        let to_plain: Vec<(String, String)> = self
            .layout
            .fields
            .iter()
            .map(|slot| (self.ident(slot), self.convert(self.field(slot), true)))
            .collect();
        let rest = (!self.padding().is_empty()).then_some("Default::default()");
        convert_item(file, name, plain, &to_plain, rest);

        let from_plain = self.fields.def.fields.iter().enumerate().map(|(index, field)| {
            let value = if self.layout.fields.iter().any(|slot| slot.index == index) {
                self.convert(field, false)
            } else {
                self.fields.default_value(field.ty, &field.dims)
            };
            (self.fields.ident(&field.name), value)
        });
        convert_item(file, plain, name, &from_plain.collect::<Vec<_>>(), None);
    }

    /// The value of a field in the other form.
    fn convert(&self, field: &Field, to_plain: bool) -> String {
        let value = format!("value.{}", self.fields.ident(&field.name));
        let is_array = field.is_array();
        match field.ty {
            Type::Primitive(Primitive::Boolean) if is_array && to_plain => {
                mapped(&value, &field.dims, "u8::from")
            }
            Type::Primitive(Primitive::Boolean) if is_array => mapped(&value, &field.dims, "|one| one != 0"),
            Type::Primitive(Primitive::Boolean) if to_plain => format!("{value}.into()"),
            Type::Primitive(Primitive::Boolean) => format!("{value} != 0"),
            Type::Primitive(_) => value,
            Type::Enum(_) if is_array && to_plain => mapped(&value, &field.dims, "|one| one.0"),
            Type::Enum(_) if is_array => mapped(&value, &field.dims, &self.fields.element(field.ty)),
            Type::Enum(_) if to_plain => format!("{value}.0"),
            Type::Enum(_) => format!("{value}.into()"),
            Type::Struct(_) if is_array => mapped_refs(&value, &field.dims),
            Type::Struct(_) => format!("(&{value}).into()"),
        }
    }
}

/// Zeroes the padding of structs in arrays of so many dimensions.
fn clear(code: &mut Code, place: &str, dims: usize) {
    if dims == 0 {
        return code.call("wire::Plain::clear_padding", &[place], ";");
    }
    code.block(format!("for row in {place} {{"), "}", |code| clear(code, "row", dims - 1));
}

fn convert_item(file: &mut Text, from: &str, to: &str, fields: &[(String, String)], rest: Option<&str>) {
    let value = if fields.iter().any(|(_, v)| v.contains("value.")) { "value" } else { "_" };
    item(file, |code| {
        code.block(format!("impl From<&{from}> for {to} {{"), "}", |code| {
            code.block(format!("fn from({value}: &{from}) -> {to} {{"), "}", |code| {
                code.literal(to, fields, rest);
            });
        });
    });
}

/// An array with `f` done to every element.
fn mapped(value: &str, dims: &[Dim], f: &str) -> String {
    if dims.len() == 1 {
        return format!("{value}.map({f})");
    }
    format!("{value}.map(|row| {})", mapped("row", &dims[1..], f))
}

/// An array of structs, each in its other form.
fn mapped_refs(value: &str, dims: &[Dim]) -> String {
    if dims.len() == 1 {
        return format!("{value}.each_ref().map(Into::into)");
    }
    format!("{value}.each_ref().map(|row| {})", mapped_refs("row", &dims[1..]))
}
