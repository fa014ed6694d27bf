//! Types as OMG IDL 4.2, the schema text that MCAP calls `omgidl` and DDS tools compile.
//!
//! Packages become modules, structs stay structs, in one text in which everything is defined before it is used. What
//! differs from the type file, besides the table in [`cdr`](crate::cdr):
//!
//! - A name that is a keyword of IDL, in whatever case, is escaped as IDL does it: `string` is written `_string`.
//! - IDL takes `Pose` and `pose` for the same name, and does not let a field have the name of a type that its struct uses:
//!   of two that collide the later gets a `_` at its end. So do names that started with `_`, which IDL takes for an escape.
//! - Signs that no identifier may have become `_`.
//! - Constants stand in a module `NAME_Constants` beside their struct; those that IDL cannot say (`nan`) in a comment.
//! - Every struct is `@final`: fields can be neither added nor reordered, as here.

use crate::cdr::{CdrSchema, Unsupported, order};
use crate::{Const, ConstValue, Dim, Extent, Field, Primitive, Schema, Struct, StructId, Type};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;

/// The IDL of struct `id` and of all structs in it.
///
/// # Errors
/// A struct that contains itself.
pub fn schema(schema: &Schema, id: StructId) -> Result<CdrSchema, Unsupported> {
    let order = order(schema, id)?;
    let names = Names::new(schema, &order);
    let mut text = String::new();
    for &id in &order {
        Definition::new(schema, &names, id).write(&mut text);
    }
    Ok(CdrSchema { encoding: "omgidl", name: names.types[&id].clone(), text })
}

/// Names that are taken in one scope, in lower case, since IDL does not tell cases apart.
#[derive(Default)]
struct Scope(HashSet<String>);

impl Scope {
    fn reserve(&mut self, name: &str) {
        self.0.insert(name.trim_start_matches('_').to_ascii_lowercase());
    }
    /// An identifier for `name` that is not taken yet.
    fn add(&mut self, name: &str) -> String {
        let mut id: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if id.starts_with('_') {
            id = format!("{}_", id.trim_start_matches('_'));
        }
        if !id.starts_with(|c: char| c.is_ascii_alphabetic()) {
            id.insert(0, 'x');
        }
        while !self.0.insert(id.to_ascii_lowercase()) {
            id.push('_');
        }
        if KEYWORDS.binary_search(&id.to_ascii_lowercase().as_str()).is_ok() {
            id.insert(0, '_');
        }
        id
    }
}

/// What modules and structs are called.
struct Names {
    /// Modules of a package, outermost first.
    modules: HashMap<String, Vec<String>>,
    /// `a::b::pose_t`
    types: HashMap<StructId, String>,
    /// What is taken in each package.
    scopes: HashMap<String, Scope>,
}

impl Names {
    fn new(schema: &Schema, order: &[StructId]) -> Names {
        let mut names = Names { modules: HashMap::new(), types: HashMap::new(), scopes: HashMap::new() };
        names.modules.insert(String::new(), Vec::new());
        // Packages and those they lie in; a set in order has the outer ones first.
        let mut packages = BTreeSet::new();
        for &id in order {
            let mut package = String::new();
            for part in schema.get(id).name.packages() {
                let outer = package.clone();
                package = if outer.is_empty() { part.into() } else { format!("{outer}.{part}") };
                packages.insert((package.clone(), outer, part));
            }
        }
        for (package, outer, part) in packages {
            let name = names.scope(&outer).add(part);
            let mut path = names.modules[&outer].clone();
            path.push(name.clone());
            names.scope(&package).reserve(&name);
            names.modules.insert(package, path);
        }
        for &id in order {
            let name = &schema.get(id).name;
            let package = name.packages().collect::<Vec<_>>().join(".");
            let own = names.scope(&package).add(&name.name);
            let mut path = names.modules[&package].clone();
            path.push(own);
            names.types.insert(id, path.join("::"));
        }
        names
    }
    fn scope(&mut self, package: &str) -> &mut Scope {
        self.scopes.entry(package.into()).or_default()
    }
}

/// One struct, and what has to stand around it.
struct Definition<'a> {
    schema: &'a Schema,
    names: &'a Names,
    of: &'a Struct,
    /// Its modules and its name.
    path: Vec<&'a str>,
    /// Names of the structs for rows, as they come up.
    rows: Vec<String>,
    out: String,
}

impl<'a> Definition<'a> {
    fn new(schema: &'a Schema, names: &'a Names, id: StructId) -> Definition<'a> {
        let path = names.types[&id].split("::").collect();
        Definition { schema, names, of: schema.get(id), path, rows: Vec::new(), out: String::new() }
    }

    fn write(mut self, text: &mut String) {
        let Some((name, modules)) = self.path.split_last() else { return };
        let (name, modules) = (*name, modules.to_vec());
        for module in &modules {
            let _ = writeln!(text, "module {module} {{");
        }
        self.constants(name);
        let body = self.body(name);
        let _ = write!(self.out, "{}@final struct {name} {{\n{body}}};\n", comment(&self.of.doc, ""));
        text.push_str(&self.out);
        for _ in &modules {
            text.push_str("};\n");
        }
        text.push('\n');
    }

    /// The members. Structs for rows come out before.
    fn body(&mut self, name: &str) -> String {
        let mut scope = Scope::default();
        // The first part of a name that is used in a scope cannot be defined there again. Rows are named by our own path.
        scope.reserve(self.path[0]);
        for field in &self.of.fields {
            if let Type::Struct(id) = field.ty {
                scope.reserve(self.names.types[&id].split("::").next().unwrap_or(""));
            }
        }
        let mut body = String::new();
        for field in &self.of.fields {
            let own = scope.add(&field.name);
            let _ = write!(body, "{}", comment(&field.doc, "  "));
            if let Type::Enum(id) = field.ty {
                let values = &self.schema.get_enum(id).values;
                let values: Vec<String> = values.iter().map(|v| format!("{}={}", v.name, v.value)).collect();
                body += &comment(&values.join(", "), "  ");
            }
            let member = self.member(&format!("{name}_{own}"), field, &field.dims, &own);
            let _ = writeln!(body, "  {member};");
        }
        if body.is_empty() {
            body.push_str("  octet structure_needs_at_least_one_member;\n");
        }
        body
    }

    /// A member with these dimensions: `sequence<float> x`. `prefix` is for the names of structs for rows.
    fn member(&mut self, prefix: &str, field: &Field, dims: &[Dim], name: &str) -> String {
        let fixed = dims.iter().take_while(|d| matches!(d.extent, Extent::Fixed(_))).count();
        let sizes: String = dims[..fixed]
            .iter()
            .map(|d| if let Extent::Fixed(n) = d.extent { format!("[{n}]") } else { String::new() })
            .collect();
        match (fixed, dims.len()) {
            (_, len) if fixed == len => format!("{} {name}{sizes}", self.element(field.ty)),
            (0, 1) => format!("sequence<{}> {name}", self.element(field.ty)),
            (0, _) => {
                let row = self.row(prefix, field, &dims[1..]);
                format!("sequence<{row}> {name}")
            }
            _ => {
                let row = self.row(prefix, field, &dims[fixed..]);
                format!("{row} {name}{sizes}")
            }
        }
    }

    /// A struct with one array of these dimensions; returns how it is called.
    fn row(&mut self, prefix: &str, field: &Field, dims: &[Dim]) -> String {
        let mut name = format!("{}_row", prefix.trim_start_matches('_'));
        while self.taken(&name) {
            name.push('_');
        }
        self.rows.push(name.to_ascii_lowercase());
        let member = self.member(&name, field, dims, "row");
        let shape: String = dims.iter().map(|d| format!("[{}]", d.text)).collect();
        let _ = write!(
            self.out,
            "// A row of {}: {shape}\n@final struct {name} {{\n  {member};\n}};\n",
            field.name
        );
        let mut path: Vec<&str> = self.path.clone();
        path.pop();
        path.push(&name);
        path.join("::")
    }

    fn taken(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let package = self.of.name.packages().collect::<Vec<_>>().join(".");
        self.rows.contains(&name) || self.names.scopes.get(&package).is_some_and(|s| s.0.contains(&name))
    }

    fn element(&self, ty: Type) -> &str {
        match ty {
            Type::Primitive(p) => primitive(p),
            Type::Enum(_) => "int32",
            Type::Struct(id) => &self.names.types[&id],
        }
    }

    fn constants(&mut self, name: &str) {
        let mut scope = Scope::default();
        let (mut lines, mut unsaid) = (String::new(), String::new());
        for c in &self.of.consts {
            match value(c) {
                Some(value) => {
                    let own = scope.add(&c.name);
                    let _ = writeln!(
                        lines,
                        "{}  const {} {own} = {value};",
                        comment(&c.doc, "  "),
                        primitive(c.ty)
                    );
                }
                None => unsaid += &comment(&format!("const {} {} = {}", c.ty.name(), c.name, c.text), ""),
            }
        }
        if !lines.is_empty() {
            let mut module = format!("{}_Constants", name.trim_start_matches('_'));
            while self.taken(&module) {
                module.push('_');
            }
            self.rows.push(module.to_ascii_lowercase());
            let _ = write!(self.out, "module {module} {{\n{lines}}};\n");
        }
        self.out += &unsaid;
    }
}

fn primitive(p: Primitive) -> &'static str {
    match p {
        Primitive::Int8 => "int8",
        Primitive::Int16 => "int16",
        Primitive::Int32 => "int32",
        Primitive::Int64 => "int64",
        Primitive::Byte => "octet",
        Primitive::Float => "float",
        Primitive::Double => "double",
        Primitive::String => "string",
        Primitive::Boolean => "boolean",
    }
}

/// A constant's value as a literal; nothing if there is none for it.
fn value(c: &Const) -> Option<String> {
    match c.value {
        ConstValue::Int(n) => Some(n.to_string()),
        ConstValue::Float(x) => x.is_finite().then(|| format!("{x:?}")),
    }
}

/// Lines of comment. A backslash at the end of a line would swallow the next one.
fn comment(doc: &str, indent: &str) -> String {
    let line = |l: &str| format!("{indent}// {}", l.trim_end_matches('\\')).trim_end().to_owned() + "\n";
    doc.lines().map(line).collect()
}

/// Keywords of IDL 4.2, in lower case.
const KEYWORDS: &[&str] = &[
    "abstract",
    "alias",
    "any",
    "attribute",
    "bitfield",
    "bitmask",
    "bitset",
    "boolean",
    "byte",
    "case",
    "char",
    "component",
    "connector",
    "const",
    "consumes",
    "context",
    "custom",
    "default",
    "double",
    "emits",
    "enum",
    "eventtype",
    "exception",
    "factory",
    "false",
    "finder",
    "fixed",
    "float",
    "getraises",
    "home",
    "import",
    "in",
    "inout",
    "int16",
    "int32",
    "int64",
    "int8",
    "interface",
    "local",
    "long",
    "manages",
    "map",
    "mirrorport",
    "module",
    "multiple",
    "native",
    "object",
    "octet",
    "oneway",
    "out",
    "port",
    "porttype",
    "primarykey",
    "private",
    "provides",
    "public",
    "publishes",
    "raises",
    "readonly",
    "sequence",
    "setraises",
    "short",
    "string",
    "struct",
    "supports",
    "switch",
    "true",
    "truncatable",
    "typedef",
    "typeid",
    "typename",
    "typeprefix",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "union",
    "unsigned",
    "uses",
    "valuebase",
    "valuetype",
    "void",
    "wchar",
    "wstring",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted_for_the_search() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn names_are_legal_and_never_collide() {
        let mut scope = Scope::default();
        let names = ["string", "String", "_x", "x_", "1a", "x-y", "X_Y", "ok"];
        let ids: Vec<String> = names.iter().map(|n| scope.add(n)).collect();
        assert_eq!(ids, ["_string", "String_", "x_", "x__", "x1a", "x_y", "X_Y_", "ok"]);
    }
}
