//! Types as ROS 2 message definitions, the schema text that MCAP calls `ros2msg`.
//!
//! The message comes first; the messages in it follow, each after a line of 80 `=` and a line `MSG: package/Name`.
//! ROS is strict about names, so they change:
//!
//! | here | there |
//! |---|---|
//! | package `a.b` | `a_b`, in lower case; the root package is `lcmtypes` |
//! | struct `laser_scan_t` | `LaserScan`: a trailing `_t` falls, each word starts with a capital |
//! | field `degCelsius` | `deg_celsius`: words in lower case with `_` between them |
//! | constant `maxRange` | `MAX_RANGE` |
//!
//! If two names become the same, the later gets a number. A constant that ROS cannot express (`nan`) is in a
//! comment. So are the shape of an array of several dimensions, which ROS has only flat, and the names of an enum.

use crate::cdr::{CdrSchema, Dialect, Unsupported, order, words};
use crate::{Extent, Field, Primitive, Schema, StructId, Type};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// The message definition of struct `id`, and of all structs in it.
///
/// # Errors
/// A struct that contains itself.
pub fn schema(schema: &Schema, id: StructId) -> Result<CdrSchema, Unsupported> {
    let order = order(schema, id)?;
    let mut taken = HashSet::new();
    let mut names = HashMap::new();
    // The message itself has priority for its name.
    for &id in order.iter().rev() {
        let name = &schema.get(id).name;
        let package = package(&name.package);
        let number = |n: usize| {
            let suffix = if n == 1 { String::new() } else { n.to_string() };
            format!("{package}/{}{suffix}", camel(&name.name))
        };
        names.insert(id, unique(&mut taken, number));
    }
    let mut text = String::new();
    for (i, id) in order.iter().rev().enumerate() {
        if i > 0 {
            let _ = write!(text, "{}\nMSG: {}\n", "=".repeat(80), names[id]);
        }
        definition(schema, &names, *id, &mut text);
    }
    let name = names[&id].replacen('/', "/msg/", 1);
    Ok(CdrSchema { encoding: "ros2msg", name, text })
}

fn definition(schema: &Schema, names: &HashMap<StructId, String>, id: StructId, text: &mut String) {
    let of = schema.get(id);
    comment(&of.doc, text);
    let mut taken = HashSet::new();
    for c in &of.consts {
        comment(&c.doc, text);
        let name = snake(&c.name).to_ascii_uppercase();
        let name = unique(&mut taken, |n| if n == 1 { name.clone() } else { format!("{name}_{n}") });
        match words::literal(c) {
            Some(value) => {
                let _ = writeln!(text, "{} {name}={value}", words::primitive(c.ty, Dialect::Ros2Msg));
            }
            None => comment(&words::declaration(c), text),
        }
    }
    taken.clear();
    for field in &of.fields {
        comment(&field.doc, text);
        if let Type::Enum(id) = field.ty {
            comment(&words::enum_values(schema, id), text);
        }
        let name = snake(&field.name);
        let name = unique(&mut taken, |n| if n == 1 { name.clone() } else { format!("{name}_{n}") });
        let element = match field.ty {
            // LCM has no unsigned integers, but ROS readers know this type. The bytes are the same.
            Type::Primitive(Primitive::Int32) if is_nanosec(&names[&id], field) => "uint32",
            Type::Primitive(p) => words::primitive(p, Dialect::Ros2Msg),
            Type::Enum(_) => "int32",
            Type::Struct(id) => &names[&id],
        };
        let _ = writeln!(text, "{element}{} {name}{}", size(field), shape(field));
    }
    if of.fields.is_empty() {
        text.push_str("uint8 structure_needs_at_least_one_member\n");
    }
}

/// Whether this is `nanosec` of ROS's own `Time` or `Duration`.
fn is_nanosec(message: &str, field: &Field) -> bool {
    let own = ["builtin_interfaces/Time", "builtin_interfaces/Duration"].contains(&message);
    own && field.name == "nanosec" && !field.is_array()
}

/// `[6]`, `[]` or nothing.
fn size(field: &Field) -> String {
    match field.fixed_count() {
        _ if !field.is_array() => String::new(),
        Some(n) => format!("[{n}]"),
        None => "[]".into(),
    }
}

/// A comment with the dimensions, for an array of several.
fn shape(field: &Field) -> String {
    if field.dims.len() < 2 {
        return String::new();
    }
    let dim = |d: &crate::Dim| match d.extent {
        Extent::Fixed(n) => format!("[{n}]"),
        Extent::Variable(_) => format!("[{}]", d.text),
    };
    let dims: String = field.dims.iter().map(dim).collect();
    format!("  # {dims}, the last dimension fastest")
}

fn comment(doc: &str, text: &mut String) {
    for line in doc.lines() {
        let _ = writeln!(text, "{}", format!("# {line}").trim_end());
    }
}

/// The first unused one of `name(1)`, `name(2)`, ….
fn unique(taken: &mut HashSet<String>, name: impl Fn(usize) -> String) -> String {
    let mut n = 1;
    loop {
        let name = name(n);
        if taken.insert(name.clone()) {
            return name;
        }
        n += 1;
    }
}

/// Lower case, words separated by single `_`, a letter first.
fn snake(name: &str) -> String {
    let mut out = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        before = c;
    }
    let out = out.trim_end_matches('_');
    if out.starts_with(|c: char| c.is_ascii_alphabetic()) { out.into() } else { format!("x{out}") }
}

/// Words with a capital first, without a trailing `_t`.
fn camel(name: &str) -> String {
    let stem =
        name.strip_suffix("_t").filter(|s| s.contains(|c: char| c.is_ascii_alphanumeric())).unwrap_or(name);
    let mut out = String::new();
    for word in stem.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()) {
        out.push_str(&word[..1].to_ascii_uppercase());
        out.push_str(&word[1..]);
    }
    if out.starts_with(|c: char| c.is_ascii_uppercase()) { out } else { format!("T{out}") }
}

fn package(name: &str) -> String {
    if name.is_empty() { "lcmtypes".into() } else { snake(&name.to_ascii_lowercase()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules_of_ros() {
        for (from, to) in [("degCelsius", "deg_celsius"), ("__a__b_", "a_b"), ("x-y", "x_y"), ("1a", "x1a")] {
            assert_eq!(snake(from), to);
        }
        for (from, to) in [("laser_scan_t", "LaserScan"), ("example", "Example"), ("_t", "T"), ("1a", "T1a")]
        {
            assert_eq!(camel(from), to);
        }
        assert_eq!(package("a.B"), "a_b");
        assert_eq!(package(""), "lcmtypes");
    }

    #[test]
    fn the_time_of_ros_is_declared_as_ros_does() {
        let text = "package builtin_interfaces; struct Time { int32_t sec; int32_t nanosec; }
            struct other { int32_t nanosec; Time at; }";
        let types = crate::parse("a test", text).unwrap();
        let of = |name| schema(&types, types.find(name).unwrap()).unwrap().text;
        assert_eq!(of("Time"), "int32 sec\nuint32 nanosec\n");
        assert!(of("other").starts_with("int32 nanosec\n"), "{}", of("other"));
    }
}
