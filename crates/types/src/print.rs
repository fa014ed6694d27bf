//! Prints a schema in the type language.

use crate::schema::{Const, Dim, EnumId, Field, Schema, StructId, Type};
use std::collections::BTreeSet;
use std::fmt::Write;

impl Schema {
    /// `root` and all types in it in the type language, with their comments: the description that a publisher
    /// stores with its channel. Parsing it gives the same types with the same fingerprints.
    pub fn to_lcm(&self, root: StructId) -> String {
        let ids = self.closure(root);
        let mut enums = BTreeSet::new();
        for field in ids.iter().flat_map(|&id| &self.get(id).fields) {
            if let Type::Enum(e) = field.ty {
                enums.insert(e);
            }
        }
        let mut texts: Vec<(&str, String)> = Vec::new();
        for e in enums {
            texts.push((&self.get_enum(e).name.package, self.enum_to_lcm(e)));
        }
        texts.extend(ids.iter().map(|&id| (self.get(id).name.package.as_str(), self.struct_to_lcm(id))));
        // The root package cannot be returned to: it is first. The sort keeps the order within a package.
        texts.sort_by_key(|(package, _)| *package);
        let mut out = String::new();
        let mut current = "";
        for (package, text) in texts {
            if package != current {
                let _ = writeln!(out, "{}package {package};", if out.is_empty() { "" } else { "\n" });
                current = package;
            }
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&text);
        }
        out
    }

    /// One enum in the type language, without its package.
    pub fn enum_to_lcm(&self, id: EnumId) -> String {
        let e = self.get_enum(id);
        let mut text = comment("", &e.doc);
        let _ = writeln!(text, "enum {} {{", e.name.name);
        for v in &e.values {
            let _ = writeln!(text, "{}    {} = {},", comment("    ", &v.doc), v.name, v.value);
        }
        text + "}\n"
    }

    /// One struct in the type language, without its package and the types that it refers to.
    pub fn struct_to_lcm(&self, id: StructId) -> String {
        let s = self.get(id);
        let mut text = comment("", &s.doc);
        let _ = writeln!(text, "struct {} {{", s.name.name);
        for Const { name, ty, text: number, doc, .. } in &s.consts {
            let _ = writeln!(text, "{}    const {} {name} = {number};", comment("    ", doc), ty.name());
        }
        for field in &s.fields {
            let _ = writeln!(
                text,
                "{}    {};",
                comment("    ", &field.doc),
                self.field_to_lcm(field, &s.name.package)
            );
        }
        text + "}\n"
    }

    /// One field in the type language: `double position[3]`. Types of `package` are written without it.
    pub fn field_to_lcm(&self, field: &Field, package: &str) -> String {
        let full = self.type_name(field.ty);
        let short =
            full.strip_prefix(package).and_then(|rest| rest.strip_prefix('.')).filter(|r| !r.contains('.'));
        let dims = field
            .dims
            .iter()
            .map(|Dim { text, constant, .. }| format!("[{}]", constant.as_ref().unwrap_or(text)));
        format!("{} {}{}", short.unwrap_or(&full), field.name, dims.collect::<String>())
    }
}

/// A doc comment as lines of `//`.
fn comment(indent: &str, doc: &str) -> String {
    doc.lines().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{}", format!("{indent}// {line}").trim_end());
        text
    })
}
