//! The items of a type: its definition, its constants, and its trait implementations.

use super::code::{Code, item};
use super::doc::doc;
use super::fields::{Fields, primitive};
use super::keywords::VALUES;
use super::memory::Memory;
use super::names::Names;
use crate::names::Scope;
use crate::text::Text;
use saltus_types::{Const, ConstValue, Enum, Field, Primitive, Schema, StructId};

/// Writes the items of one struct.
pub(super) struct Items<'a> {
    pub schema: &'a Schema,
    pub names: &'a Names,
    pub memory: &'a Memory,
    pub id: StructId,
}

impl<'a> Items<'a> {
    pub fn fields(&self) -> Fields<'a> {
        Fields::new(self.schema, self.names, self.memory, self.id)
    }

    /// The struct, its constants, and its `Default` if it cannot be derived.
    pub fn definition(&self, file: &mut Text) {
        let fields = self.fields();
        let (def, name) = (fields.def, fields.name().to_string());
        item(file, |code| {
            code.comment(doc(&def.doc, &format!("Type `{}` of `{}`.", def.name, def.file)));
            let derived = if fields.needs_default() { "" } else { ", Default" };
            code.line(format!("#[derive(Debug, Clone, PartialEq{derived})]"));
            if def.fields.is_empty() {
                return code.line(format!("pub struct {name} {{}}"));
            }
            code.block(format!("pub struct {name} {{"), "}", |code| {
                let mut at = Some(8);
                for field in &def.fields {
                    let (place, next) = fields.place(field, at);
                    at = next;
                    code.comment(doc(&field.doc, &place));
                    code.line(format!("pub {}: {},", fields.ident(&field.name), fields.ty(field)));
                }
            });
        });
        if !def.consts.is_empty() {
            item(file, |code| {
                code.block(format!("impl {name} {{"), "}", |code| {
                    for c in &def.consts {
                        code.comment(doc(
                            &c.doc,
                            &format!("`const {} {} = {}`", c.ty.name(), c.name, c.text),
                        ));
                        let (ident, ty) = (fields.ident(&c.name), primitive(c.ty));
                        code.line(format!("pub const {ident}: {ty} = {};", number(c)));
                    }
                });
            });
        }
        if fields.needs_default() {
            item(file, |code| {
                code.block(format!("impl Default for {name} {{"), "}", |code| {
                    code.block(format!("fn default() -> {name} {{"), "}", |code| {
                        let value = |f: &Field| (fields.ident(&f.name), fields.default_value(f, 0));
                        let values: Vec<_> = def.fields.iter().map(value).collect();
                        code.literal(&name, &values, None);
                    });
                });
            });
        }
    }

    /// Its implementations of the wire traits.
    pub fn implementations(&self, file: &mut Text) {
        let fields = self.fields();
        let (def, name) = (fields.def, fields.name());
        if fields.has_sizes(self.id) {
            item(file, |code| {
                code.block(format!("impl {name} {{"), "}", |code| fields.set_sizes(code));
            });
        }
        item(file, |code| {
            code.block(format!("impl wire::Message for {name} {{"), "}", |code| {
                code.text_const("const NAME: &'static str", &def.name.to_string());
                code.line(format!("const FINGERPRINT: u64 = {:#018x};", def.fingerprint));
                code.text_const("const SCHEMA: &'static str", &self.schema.to_lcm(self.id));
            });
        });
        item(file, |code| {
            code.block(format!("impl wire::Body for {name} {{"), "}", |code| {
                fields.sizes(code);
                let gap: [&str; 1] = [""];
                code.comment(gap);
                fields.write(code);
                code.comment(gap);
                fields.read(code);
            });
        });
    }
}

/// An enum of the old language: a number, with names for some.
pub(super) fn enumeration(file: &mut Text, def: &Enum, name: &str) {
    let scope = Scope::new(VALUES, def.values.iter().map(|v| v.name.as_str()));
    item(file, |code| {
        code.comment(doc(
            &def.doc,
            &format!("Enum `{}` of `{}`: an `int32_t` on the wire.", def.name, def.file),
        ));
        code.line("#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]");
        code.line(format!("pub struct {name}(pub i32);"));
    });
    if !def.values.is_empty() {
        item(file, |code| {
            code.block(format!("impl {name} {{"), "}", |code| {
                for v in &def.values {
                    code.comment(doc(&v.doc, &format!("`{} = {}`", v.name, v.value)));
                    code.line(format!("pub const {}: {name} = {name}({});", scope.of(&v.name), v.value));
                }
            });
        });
    }
    conversion(file, "i32", name, "number", &format!("{name}(number)"));
    conversion(file, name, "i32", "value", "value.0");
}

fn conversion(file: &mut Text, from: &str, to: &str, argument: &str, value: &str) {
    item(file, |code: &mut Code| {
        code.block(format!("impl From<{from}> for {to} {{"), "}", |code| {
            code.block(format!("fn from({argument}: {from}) -> {to} {{"), "}", |code| code.line(value));
        });
    });
}

/// A constant's value. Hexadecimal notation is kept, unless the number exceeds the signed range.
fn number(c: &Const) -> String {
    match (c.value, c.ty) {
        (ConstValue::Int(value), _) => {
            let hex = format!("{value:#x}");
            if value >= 0 && c.text.to_ascii_lowercase() == hex { hex } else { value.to_string() }
        }
        (ConstValue::Float(value), Primitive::Float) if (value as f32).is_finite() => {
            format!("{:?}", value as f32)
        }
        (ConstValue::Float(value), Primitive::Double) if value.is_finite() => format!("{value:?}"),
        (ConstValue::Float(value), ty) => {
            let ty = primitive(ty);
            let what = if value.is_nan() {
                "NAN"
            } else if value > 0.0 {
                "INFINITY"
            } else {
                "NEG_INFINITY"
            };
            format!("{ty}::{what}")
        }
    }
}
