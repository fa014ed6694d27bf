//! Types as OMG IDL 4.2, the schema text that MCAP calls `omgidl` and DDS tools compile.
//!
//! Packages become modules, structs stay structs, in one text in which everything is defined before it is used.
//! Differences from the type file, besides the table in [`cdr`](crate::cdr):
//!
//! - A name that is a keyword of IDL, in any case, is escaped as in IDL: `string` is written `_string`.
//! - IDL treats `Pose` and `pose` as the same name, and does not let a field have the name of a type that its
//!   struct uses: of two that collide, the later gets a trailing `_`. So do names that started with `_`, which IDL
//!   treats as an escape.
//! - Characters that are not allowed in identifiers become `_`.
//! - Constants are in a module `NAME_Constants` next to their struct; those that IDL cannot express (`nan`) in a
//!   comment.
//! - Every struct is `@final`: fields can be neither added nor reordered, as here.

mod names;

use crate::cdr::{CdrSchema, Dialect, Unsupported, order, words};
use crate::{Dim, Extent, Field, Schema, Struct, StructId, Type};
use names::{Names, Scope};
use std::fmt::Write;

/// The IDL of struct `id` and of all structs in it.
///
/// # Errors
/// A struct that contains itself.
pub fn schema(schema: &Schema, id: StructId) -> Result<CdrSchema, Unsupported> {
    let order = order(schema, id)?;
    let mut names = Names::new(schema, &order);
    let mut text = String::new();
    for &id in &order {
        let of = schema.get(id);
        let definition = Definition { schema, names: &mut names, of, out: String::new() }.text(id);
        let modules = names.modules(&of.name);
        modules.iter().for_each(|m| text += &format!("module {m} {{\n"));
        text += &definition;
        modules.iter().for_each(|_| text += "};\n");
        text.push('\n');
    }
    let name = names.path(&schema.get(id).name, names.own(id));
    Ok(CdrSchema { encoding: "omgidl", name, text })
}

/// One struct, and the definitions around it.
struct Definition<'a> {
    schema: &'a Schema,
    names: &'a mut Names,
    of: &'a Struct,
    out: String,
}

impl Definition<'_> {
    fn text(mut self, id: StructId) -> String {
        let name = self.names.own(id).to_owned();
        // Names of related definitions are derived from it, without the escape of a keyword.
        let stem = name.trim_start_matches('_');
        self.constants(stem);
        let body = self.body(stem);
        let _ = write!(self.out, "{}@final struct {name} {{\n{body}}};\n", comment(&self.of.doc, ""));
        self.out
    }

    /// The members. Structs for rows are written before.
    fn body(&mut self, stem: &str) -> String {
        let mut scope = Scope::default();
        // The first part of a name that is used in a scope cannot be defined there again. Rows are named by our own
        // path.
        self.names.modules(&self.of.name).iter().take(1).for_each(|m| scope.reserve(m));
        for field in &self.of.fields {
            if let Type::Struct(_) = field.ty {
                scope.reserve(self.element(field.ty).split("::").next().unwrap_or(""));
            }
        }
        let mut body = String::new();
        for field in &self.of.fields {
            let own = scope.add(&field.name);
            body += &comment(&field.doc, "  ");
            if let Type::Enum(id) = field.ty {
                body += &comment(&words::enum_values(self.schema, id), "  ");
            }
            let member =
                self.member(&format!("{stem}_{}", own.trim_start_matches('_')), field, &field.dims, &own);
            let _ = writeln!(body, "  {member};");
        }
        if body.is_empty() {
            body.push_str("  octet structure_needs_at_least_one_member;\n");
        }
        body
    }

    /// A member with these dimensions: `sequence<float> x`. `stem` is for the names of structs for rows.
    fn member(&mut self, stem: &str, field: &Field, dims: &[Dim], name: &str) -> String {
        let sizes: Vec<String> = dims
            .iter()
            .map_while(|d| if let Extent::Fixed(n) = d.extent { Some(format!("[{n}]")) } else { None })
            .collect();
        match (sizes.len(), dims.len()) {
            (fixed, all) if fixed == all => format!("{} {name}{}", self.element(field.ty), sizes.concat()),
            (0, 1) => format!("sequence<{}> {name}", self.element(field.ty)),
            (0, _) => format!("sequence<{}> {name}", self.row(stem, field, &dims[1..])),
            (fixed, _) => format!("{} {name}{}", self.row(stem, field, &dims[fixed..]), sizes.concat()),
        }
    }

    /// A struct with one array of these dimensions; returns its name.
    fn row(&mut self, stem: &str, field: &Field, dims: &[Dim]) -> String {
        let name = self.names.add(&self.of.name, &format!("{stem}_row"));
        let member = self.member(&name, field, dims, "row");
        let shape: String = dims.iter().map(|d| format!("[{}]", d.text)).collect();
        self.out += &comment(&format!("A row of {}: {shape}", field.name), "");
        let _ = writeln!(self.out, "@final struct {name} {{\n  {member};\n}};");
        self.names.path(&self.of.name, &name)
    }

    fn element(&self, ty: Type) -> String {
        match ty {
            Type::Primitive(p) => words::primitive(p, Dialect::OmgIdl).into(),
            Type::Enum(_) => "int32".into(),
            Type::Struct(id) => self.names.path(&self.schema.get(id).name, self.names.own(id)),
        }
    }

    fn constants(&mut self, stem: &str) {
        let mut scope = Scope::default();
        let (mut lines, mut unsaid) = (String::new(), String::new());
        for c in &self.of.consts {
            let Some(value) = words::literal(c) else {
                unsaid += &comment(&words::declaration(c), "");
                continue;
            };
            let own = scope.add(&c.name);
            lines += &comment(&c.doc, "  ");
            let _ = writeln!(lines, "  const {} {own} = {value};", words::primitive(c.ty, Dialect::OmgIdl));
        }
        if !lines.is_empty() {
            let module = self.names.add(&self.of.name, &format!("{stem}_Constants"));
            let _ = writeln!(self.out, "module {module} {{\n{lines}}};");
        }
        self.out += &unsaid;
    }
}

/// Comment lines. A backslash at the end of a line would continue the comment on the next one.
fn comment(doc: &str, indent: &str) -> String {
    let ends = |c: char| c == '\\' || c.is_whitespace();
    doc.lines().map(|line| format!("{indent}// {line}").trim_end_matches(ends).to_owned() + "\n").collect()
}
