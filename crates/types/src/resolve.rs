//! Resolves declarations to a schema: names become references, sizes become numbers, and invalid ones are refused.

use crate::diagnostic::Diagnostic;
use crate::fingerprint;
use crate::literal;
use crate::schema::{
    Const, ConstValue, Dim, Enum, EnumId, EnumValue, Extent, Field, Primitive, Schema, Struct, StructId,
    Type, TypeName,
};
use crate::sizes;
use crate::source::Span;
use crate::suggest::{nearest, nearest_type};
use crate::syntax::{self, File, Word};
use std::collections::{BTreeMap, HashMap};

/// Common wrong names of primitive types, and the right ones.
const MEANT: [(&str, &str); 22] = [
    ("int", "int32_t"),
    ("long", "int64_t"),
    ("short", "int16_t"),
    ("char", "int8_t` or `byte"),
    ("int8", "int8_t"),
    ("int16", "int16_t"),
    ("int32", "int32_t"),
    ("int64", "int64_t"),
    ("uint8", "byte"),
    ("uint8_t", "byte"),
    ("uint16_t", "int32_t"),
    ("uint32_t", "int64_t"),
    ("uint64_t", "int64_t"),
    ("uint16", "int32_t"),
    ("uint32", "int64_t"),
    ("uint64", "int64_t"),
    ("bool", "boolean"),
    ("float32", "float"),
    ("float64", "double"),
    ("float_t", "float"),
    ("double_t", "double"),
    ("string_t", "string"),
];

/// After this many errors no suggestions are made: they take time, and nobody reads them.
const SUGGESTIONS: usize = 50;
/// Most dimensions of an array: a bound for recursive traversals.
const MOST_DIMS: usize = 64;
#[derive(Clone, Copy)]
enum Named {
    Struct(usize),
    Enum(usize),
}

/// Resolves `files`, which together contain everything that they refer to.
pub(crate) fn resolve(files: &[File], diagnostics: &mut Vec<Diagnostic>) -> Schema {
    let structs: Vec<(&str, &syntax::Struct)> =
        files.iter().flat_map(|f| f.structs.iter().map(|s| (f.name.as_str(), s))).collect();
    let enums: Vec<(&str, &syntax::Enum)> =
        files.iter().flat_map(|f| f.enums.iter().map(|e| (f.name.as_str(), e))).collect();
    let mut names = Names { by_name: HashMap::new(), diagnostics };
    for (i, (_, s)) in structs.iter().enumerate() {
        names.declare(
            TypeName { package: s.package.clone(), name: s.name.text.clone() },
            s.name.span,
            Named::Struct(i),
        );
    }
    for (i, (_, e)) in enums.iter().enumerate() {
        names.declare(
            TypeName { package: e.package.clone(), name: e.name.text.clone() },
            e.name.span,
            Named::Enum(i),
        );
    }
    let schema = Schema {
        enums: enums.iter().map(|(file, e)| enumeration(file, e, names.diagnostics)).collect(),
        structs: structs.iter().map(|(file, s)| names.structure(file, s)).collect(),
        known: Vec::new(),
    };
    let spans: Vec<Vec<Span>> =
        structs.iter().map(|(_, s)| s.fields.iter().map(|f| f.ty.span.to(f.name.span)).collect()).collect();
    finish(schema, &spans, diagnostics)
}

/// Refuses structs that contain themselves or are too large, and computes the fingerprints.
fn finish(mut schema: Schema, spans: &[Vec<Span>], diagnostics: &mut Vec<Diagnostic>) -> Schema {
    let Some(all) = sizes::sizes(&schema, spans, diagnostics) else { return schema };
    schema.known = all;
    for i in 0..schema.structs.len() {
        schema.structs[i].base_hash = fingerprint::base_hash(&schema.structs[i]);
    }
    match fingerprint::all(&schema) {
        Ok(all) => schema.structs.iter_mut().zip(all).for_each(|(s, f)| s.fingerprint = f),
        Err(id) => {
            let s = schema.get(id);
            let what =
                format!("the structs in `{}` refer to each other in too many ways for a fingerprint", s.name);
            diagnostics.push(Diagnostic::error(what, s.span));
        }
    }
    schema
}

/// Fields and constants of a struct by name, with the locations of the names.
type Members<'a> = HashMap<&'a str, (Member, Span)>;

#[derive(Clone, Copy)]
enum Member {
    Field(usize),
    Const(usize),
}

struct Names<'a> {
    by_name: HashMap<TypeName, (Named, Span)>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Names<'_> {
    fn declare(&mut self, name: TypeName, span: Span, named: Named) {
        if let Some((_, first)) = self.by_name.get(&name) {
            let error = Diagnostic::error(format!("`{name}` is declared twice"), span);
            self.diagnostics.push(error.label("again here").and(*first, "first here"));
        } else {
            self.by_name.insert(name, (named, span));
        }
    }

    fn structure(&mut self, file: &str, s: &syntax::Struct) -> Struct {
        let fields = s.fields.iter().enumerate().map(|(i, f)| (Member::Field(i), &f.name));
        let consts = s.consts.iter().enumerate().map(|(i, c)| (Member::Const(i), &c.name));
        let mut all: Vec<(Member, &Word)> = fields.chain(consts).collect();
        all.sort_by_key(|(_, word)| word.span.start);
        let mut members = Members::new();
        for (member, word) in all {
            member_name(word, self.diagnostics);
            match members.get(word.text.as_str()) {
                Some((_, first)) => {
                    let error = format!("`{}` is declared twice in `{}`", word.text, s.name.text);
                    let error = Diagnostic::error(error, word.span).label("again here");
                    self.diagnostics.push(error.and(*first, "first here"));
                }
                None => {
                    members.insert(&word.text, (member, word.span));
                }
            }
        }
        let consts: Vec<Const> = s.consts.iter().map(|c| constant(c, self.diagnostics)).collect();
        let mut fields: Vec<Field> = Vec::with_capacity(s.fields.len());
        let mut sizes: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (at, field) in s.fields.iter().enumerate() {
            if field.dims.len() > MOST_DIMS {
                let what = format!("`{}` has more than {MOST_DIMS} dimensions", field.name.text);
                self.diagnostics.push(Diagnostic::error(what, field.name.span));
            }
            let ty = self.type_of(&field.ty, &s.package);
            let dims: Vec<Dim> =
                field.dims.iter().map(|d| self.dim(d, field, &members, &fields, s, &consts)).collect();
            for (number, dim) in dims.iter().enumerate() {
                if let Extent::Variable(i) = dim.extent {
                    sizes.entry(i).or_default().push((at, number));
                }
            }
            fields.push(Field { name: field.name.text.clone(), ty, dims, doc: field.doc.clone() });
        }
        Struct {
            name: TypeName { package: s.package.clone(), name: s.name.text.clone() },
            doc: s.doc.clone(),
            file_doc: s.file_doc.clone(),
            fields,
            consts,
            base_hash: 0,
            fingerprint: 0,
            file: file.into(),
            span: s.name.span,
            sizes,
        }
    }

    fn type_of(&mut self, word: &Word, package: &str) -> Type {
        if let Some(p) = Primitive::of(&word.text) {
            return Type::Primitive(p);
        }
        let full = full_name(&word.text, package);
        match self.by_name.get(&full) {
            Some((Named::Struct(i), _)) => Type::Struct(StructId(*i)),
            Some((Named::Enum(i), _)) => Type::Enum(EnumId(*i)),
            None => {
                let error = Diagnostic::error(format!("there is no type `{full}`"), word.span);
                let help = self.meant(&word.text, &full);
                self.diagnostics.push(error.label("not found").help(help));
                Type::Primitive(Primitive::Byte) // any type; the schema is not returned
            }
        }
    }

    /// A suggestion for a type that is not found.
    fn meant(&self, word: &str, full: &TypeName) -> String {
        if let Some((_, meant)) = MEANT.iter().find(|(wrong, _)| *wrong == word) {
            let unsigned = if word.starts_with('u') { "; there are no other unsigned types" } else { "" };
            return format!("did you mean `{meant}`{unsigned}?");
        }
        let unknown = String::from("name the file that declares it too, or its directory with `-I`");
        if self.diagnostics.len() > SUGGESTIONS {
            return unknown;
        }
        nearest_type(&full.to_string(), self.by_name.keys())
            .or_else(|| nearest(word, Primitive::ALL.iter().map(|p| p.name())).map(String::from))
            .map_or(unknown, |name| format!("did you mean `{name}`?"))
    }

    fn dim(
        &mut self,
        dim: &Word,
        field: &syntax::Field,
        members: &Members<'_>,
        before: &[Field],
        s: &syntax::Struct,
        consts: &[Const],
    ) -> Dim {
        let broken = |text: &str| Dim { extent: Extent::Fixed(1), text: text.into(), constant: None };
        let text = dim.text.as_str();
        if text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') {
            return match literal::integer(text) {
                Some(n) if n > 0 && n <= i128::from(i32::MAX) => {
                    Dim { extent: Extent::Fixed(n as u32), text: text.into(), constant: None }
                }
                Some(n) if n <= 0 => {
                    self.diagnostics
                        .push(Diagnostic::error("the size of an array must be at least 1", dim.span));
                    broken(text)
                }
                Some(_) => {
                    self.diagnostics.push(Diagnostic::error("this array is too large", dim.span));
                    broken(text)
                }
                None => {
                    self.diagnostics
                        .push(Diagnostic::error(format!("`{text}` is not a whole number"), dim.span));
                    broken(text)
                }
            };
        }
        let member = members.get(text).map(|(member, _)| *member);
        if let Some(Member::Const(i)) = member
            && i < field.consts_before
        {
            return match consts[i].value {
                ConstValue::Int(n) if (0..=i64::from(i32::MAX)).contains(&n) => {
                    let extent = Extent::Fixed(n as u32);
                    Dim { extent, text: consts[i].text.clone(), constant: Some(text.into()) }
                }
                ConstValue::Int(_) => {
                    let error =
                        Diagnostic::error(format!("`{text}` cannot be the size of an array"), dim.span);
                    self.diagnostics.push(error.and(s.consts[i].value.span, "its value"));
                    broken(text)
                }
                ConstValue::Float(_) => {
                    let error = Diagnostic::error(format!("`{text}` is not an integer"), dim.span);
                    self.diagnostics.push(error.and(s.consts[i].name.span, "declared here"));
                    broken(text)
                }
            };
        }
        if let Some(Member::Field(i)) = member
            && i < before.len()
        {
            let is_size =
                matches!(before[i].ty, Type::Primitive(p) if p.is_integer()) && before[i].dims.is_empty();
            if !is_size {
                let what = format!("`{text}` cannot be the size of an array");
                let error = Diagnostic::error(what, dim.span).and(s.fields[i].ty.span, "declared here");
                self.diagnostics
                    .push(error.help("the size is a field of type int8_t, int16_t, int32_t or int64_t"));
                return broken(text);
            }
            return Dim { extent: Extent::Variable(i), text: text.into(), constant: None };
        }
        self.unknown_size(dim, members);
        broken(text)
    }

    fn unknown_size(&mut self, dim: &Word, members: &Members<'_>) {
        let error = Diagnostic::error(format!("there is no `{}` before this array", dim.text), dim.span);
        let near = || match self.diagnostics.len() > SUGGESTIONS {
            true => None,
            false => nearest(&dim.text, members.keys().copied()),
        };
        let error = match members.get(dim.text.as_str()) {
            Some((_, later)) => error
                .and(*later, "declared here")
                .help("the size must be before the array, since it is read first"),
            None => match near() {
                Some(name) => error.help(format!("did you mean `{name}`?")),
                None => error.help("a size must be a number, a constant or a field of this struct"),
            },
        };
        self.diagnostics.push(error);
    }
}

/// Resolves into the current package, as LCM does: no other packages are searched.
pub(crate) fn full_name(word: &str, package: &str) -> TypeName {
    if word.contains('.') {
        TypeName::of(word)
    } else {
        TypeName { package: package.into(), name: word.into() }
    }
}

/// A name must start like one; LCM allows other odd characters, so they only cause a warning.
fn member_name(word: &Word, diagnostics: &mut Vec<Diagnostic>) {
    let text = word.text.as_str();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        diagnostics.push(Diagnostic::error(
            format!("`{text}` is not a name: it must start with a letter or `_`"),
            word.span,
        ));
    } else if !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        let what = format!("`{text}` is not a valid identifier; generated code uses another name for it");
        diagnostics.push(Diagnostic::warning(what, word.span));
    }
}

fn constant(c: &syntax::Const, diagnostics: &mut Vec<Diagnostic>) -> Const {
    let text = c.value.text.clone();
    let (least, most): (i128, i128) = match c.ty {
        Primitive::Int8 => (i8::MIN.into(), i8::MAX.into()),
        Primitive::Int16 => (i16::MIN.into(), i16::MAX.into()),
        Primitive::Int32 => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    };
    let value = if c.ty.is_integer() {
        let n = literal::integer(&text).unwrap_or_else(|| {
            diagnostics.push(Diagnostic::error(format!("`{text}` is not a whole number"), c.value.span));
            0
        });
        if n < least || n > most {
            let range = format!("{} goes from {least} to {most}", c.ty.name());
            let error = format!("`{text}` does not fit into {}", c.ty.name());
            diagnostics.push(Diagnostic::error(error, c.value.span).help(range));
        }
        ConstValue::Int(n.clamp(least, most) as i64)
    } else {
        let x = literal::float(&text).unwrap_or_else(|| {
            diagnostics.push(Diagnostic::error(format!("`{text}` is not a number"), c.value.span));
            0.0
        });
        if c.ty == Primitive::Float && x.is_finite() && x.abs() > f64::from(f32::MAX) {
            diagnostics.push(Diagnostic::error(format!("`{text}` does not fit into float"), c.value.span));
        }
        ConstValue::Float(x)
    };
    Const { name: c.name.text.clone(), ty: c.ty, value, text, doc: c.doc.clone() }
}

/// Numbers the values without one: each is one above the largest so far, the first is 1, as in LCM.
fn enumeration(file: &str, e: &syntax::Enum, diagnostics: &mut Vec<Diagnostic>) -> Enum {
    let mut values: Vec<EnumValue> = Vec::with_capacity(e.values.len());
    let (mut names, mut numbers) = (HashMap::new(), HashMap::new());
    let mut largest = 0i32;
    for v in &e.values {
        let i = values.len();
        member_name(&v.name, diagnostics);
        let number = match &v.number {
            None => largest.checked_add(1),
            Some(word) => literal::integer(&word.text).and_then(|n| i32::try_from(n).ok()),
        };
        let Some(value) = number else {
            let place = v.number.as_ref().unwrap_or(&v.name).span;
            diagnostics.push(Diagnostic::error("the value of an enum must be a 32-bit number", place));
            continue;
        };
        let (name, number) = (names.insert(&v.name.text, i), numbers.insert(value, i));
        if let Some(same) = name.or(number).and_then(|i| values.get(i)) {
            let error =
                format!("`{}` = {value} is there already: `{}` = {}", v.name.text, same.name, same.value);
            diagnostics.push(Diagnostic::error(error, v.name.span));
        }
        largest = largest.max(value);
        values.push(EnumValue { name: v.name.text.clone(), value, doc: v.doc.clone() });
    }
    let name = TypeName { package: e.package.clone(), name: e.name.text.clone() };
    let mut out =
        Enum { name, doc: e.doc.clone(), values, fingerprint: 0, file: file.into(), span: e.name.span };
    out.fingerprint = fingerprint::enum_hash(&out);
    out
}
