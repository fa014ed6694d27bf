//! Generates C and C++ functions that print a message, from its schema. C has no reflection; the rest of the driver
//! is written by hand.

use saltus_types::{Extent, Field, Schema, Struct, StructId, Type};
use std::fmt::Write;

/// The names of a schema's types in generated code.
pub struct Spelling<'a> {
    /// Types: `every_point_t`, `every::point_t`.
    pub ty: &'a dyn Fn(StructId) -> String,
    /// Fields.
    pub field: &'a dyn Fn(StructId, &str) -> String,
    /// Function that prints a struct: `dump_every_point_t` in C, `dump` in C++.
    pub dump: &'a dyn Fn(StructId) -> String,
}

/// The functions for these types, and the list `TYPES` of them. The types must include all nested ones.
pub fn functions(schema: &Schema, ids: &[StructId], spell: &Spelling<'_>) -> String {
    let mut out = String::new();
    let head = |id| format!("static void {}(out_t *o, const {} *m)", (spell.dump)(id), (spell.ty)(id));
    for &id in ids {
        let _ = writeln!(out, "{};", head(id));
    }
    for &id in ids {
        let _ = writeln!(out, "{}\n{{\n    (void)m;\n    put_text(o, \"{{\");", head(id));
        let of = schema.get(id);
        for field in &of.fields {
            let _ = writeln!(out, "    put_key(o, \"{}\");", field.name);
            array(&mut out, spell, id, of, field, 0);
        }
        out.push_str("    put_text(o, \"}\");\n}\n");
    }
    out.push_str("#define TYPES(X)");
    for &id in ids {
        let _ = write!(out, " \\\n    X(\"{}\", {})", schema.get(id).name, (spell.ty)(id));
    }
    out.push('\n');
    out
}

fn array(out: &mut String, spell: &Spelling<'_>, id: StructId, of: &Struct, field: &Field, at: usize) {
    let indent = "    ".repeat(at + 1);
    let Some(dim) = field.dims.get(at) else {
        let _ = writeln!(out, "{indent}{}", element(spell, id, field));
        return;
    };
    let count = match dim.extent {
        Extent::Fixed(n) => n.to_string(),
        Extent::Variable(i) => format!("(int64_t)m->{}", (spell.field)(id, &of.fields[i].name)),
    };
    let _ = writeln!(out, "{indent}put_text(o, \"[\");");
    let _ = writeln!(out, "{indent}for (int64_t i{at} = 0; i{at} < {count}; i{at}++) {{");
    let _ = writeln!(out, "{indent}    put_next(o);");
    array(out, spell, id, of, field, at + 1);
    let _ = writeln!(out, "{indent}}}\n{indent}put_text(o, \"]\");");
}

fn element(spell: &Spelling<'_>, id: StructId, field: &Field) -> String {
    let indices: String = (0..field.dims.len()).map(|d| format!("[i{d}]")).collect();
    let place = format!("m->{}{indices}", (spell.field)(id, &field.name));
    match field.ty {
        Type::Struct(inner) => format!("{}(o, &{place});", (spell.dump)(inner)),
        Type::Enum(_) => format!("put_int32_t(o, (int32_t){place});"),
        Type::Primitive(p) => format!("put_{}(o, {place});", p.name()),
    }
}

/// `name` in generated code, which may add `_` to keywords.
pub fn spelled(code: &str, name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let changed = format!("{plain}_");
    // A declaration: a type, perhaps a star, the name, and its end.
    let declares = |line: &str| {
        let line = line.trim();
        line.ends_with(';')
            && !line.starts_with("return")
            && line.match_indices(&changed).any(|(at, _)| {
                let (before, behind) = (&line[..at], &line[at + changed.len()..]);
                before.ends_with([' ', '*'])
                    && [";", "[", "{", " ="].iter().any(|end| behind.starts_with(end))
            })
    };
    if code.lines().any(declares) { changed } else { plain }
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn names_are_spelled_as_they_are_declared() {
        let code = "    int32_t class_;\n    float in[3];\n    double def_[n];\n    return in_;\n    f(out_);\n    char *for_;\n    int8_t int_{};\n";
        let found = ["class", "in", "def", "out", "x-y", "for", "int"].map(|name| spelled(code, name));
        assert_eq!(found, ["class_", "in", "def_", "out", "x_y", "for_", "int_"]);
    }
}
