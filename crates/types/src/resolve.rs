//! From declarations to a schema: names become references, sizes become numbers, and what cannot be is refused.

use crate::diagnostic::Diagnostic;
use crate::fingerprint;
use crate::literal;
use crate::schema::{
    Const, ConstValue, Dim, Enum, EnumId, EnumValue, Extent, Field, Primitive, Schema, Struct, StructId,
    Type, TypeName,
};
use crate::source::Span;
use crate::syntax::{self, File, Word};
use std::collections::HashMap;

/// Names that people write for a primitive type, and what they mean.
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

/// The largest size in bytes that all fixed parts of a type may have together.
const LARGEST: u64 = i32::MAX as u64;
/// How many dimensions an array may have: whoever walks through them by recursion needs a bound.
const MOST_DIMS: usize = 64;
/// How deep structs may lie in each other by value.
const DEEPEST: usize = saltus_wire::MAX_DEPTH as usize;

#[derive(Clone, Copy)]
enum Named {
    Struct(usize),
    Enum(usize),
}

/// Resolves `files`, which together hold all that they refer to.
pub(crate) fn resolve(files: &[File], said: &mut Vec<Diagnostic>) -> Schema {
    let structs: Vec<(&str, &syntax::Struct)> =
        files.iter().flat_map(|f| f.structs.iter().map(|s| (f.name.as_str(), s))).collect();
    let enums: Vec<(&str, &syntax::Enum)> =
        files.iter().flat_map(|f| f.enums.iter().map(|e| (f.name.as_str(), e))).collect();
    let mut names = Names { by_name: HashMap::new(), said };
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
        enums: enums.iter().map(|(file, e)| enumeration(file, e, names.said)).collect(),
        structs: structs.iter().map(|(file, s)| names.structure(file, s)).collect(),
        sizes: Vec::new(),
    };
    let spans: Vec<Vec<Span>> =
        structs.iter().map(|(_, s)| s.fields.iter().map(|f| f.ty.span.to(f.name.span)).collect()).collect();
    finish(schema, &spans, said)
}

/// Refuses what contains itself and what is too large, and computes the fingerprints.
fn finish(mut schema: Schema, spans: &[Vec<Span>], said: &mut Vec<Diagnostic>) -> Schema {
    let state = vec![State::New; schema.structs.len()];
    let mut sizes = Sizes { schema: &schema, spans, said, state, path: Vec::new() };
    let Some(all) = sizes.all() else { return schema };
    schema.sizes = all;
    for i in 0..schema.structs.len() {
        schema.structs[i].base_hash = fingerprint::base_hash(&schema.structs[i]);
    }
    match fingerprint::all(&schema) {
        Ok(all) => schema.structs.iter_mut().zip(all).for_each(|(s, f)| s.fingerprint = f),
        Err(id) => {
            let s = schema.get(id);
            let what =
                format!("the structs in `{}` refer to each other in too many ways for a fingerprint", s.name);
            said.push(Diagnostic::error(what, s.span));
        }
    }
    schema
}

struct Names<'a> {
    by_name: HashMap<TypeName, (Named, Span)>,
    said: &'a mut Vec<Diagnostic>,
}

impl Names<'_> {
    fn declare(&mut self, name: TypeName, span: Span, named: Named) {
        if let Some((_, first)) = self.by_name.get(&name) {
            let error = Diagnostic::error(format!("`{name}` is declared twice"), span);
            self.said.push(error.label("again here").and(*first, "first here"));
        } else {
            self.by_name.insert(name, (named, span));
        }
    }

    fn structure(&mut self, file: &str, s: &syntax::Struct) -> Struct {
        let mut members: HashMap<&str, Span> = HashMap::new();
        let all = s.fields.iter().map(|f| &f.name).chain(s.consts.iter().map(|c| &c.name));
        let mut all: Vec<&Word> = all.collect();
        all.sort_by_key(|w| w.span.start);
        for word in all {
            member_name(word, self.said);
            if let Some(first) = members.insert(&word.text, word.span) {
                let error = format!("`{}` is declared twice in `{}`", word.text, s.name.text);
                self.said
                    .push(Diagnostic::error(error, word.span).label("again here").and(first, "first here"));
            }
        }
        let consts: Vec<Const> = s.consts.iter().map(|c| constant(c, self.said)).collect();
        let mut fields: Vec<Field> = Vec::with_capacity(s.fields.len());
        for field in &s.fields {
            if field.dims.len() > MOST_DIMS {
                let what = format!("`{}` has more than {MOST_DIMS} dimensions", field.name.text);
                self.said.push(Diagnostic::error(what, field.name.span));
            }
            let ty = self.type_of(&field.ty, &s.package);
            let dims = field.dims.iter().map(|d| self.dim(d, field, &fields, s, &consts)).collect();
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
                self.said.push(error.label("not found").help(help));
                Type::Primitive(Primitive::Byte) // any; the schema is not given out
            }
        }
    }

    /// What may have been meant by a type that is not there.
    fn meant(&self, word: &str, full: &TypeName) -> String {
        if let Some((_, meant)) = MEANT.iter().find(|(wrong, _)| *wrong == word) {
            let unsigned = if word.starts_with('u') { "; there are no other unsigned types" } else { "" };
            return format!("did you mean `{meant}`{unsigned}?");
        }
        let full_text = full.to_string();
        let near = |name: &str| {
            strsim::damerau_levenshtein(name, &full_text).min(strsim::damerau_levenshtein(name, word))
        };
        let known = self.by_name.keys().map(|n| (near(&n.to_string()).min(near(&n.name)), n.to_string()));
        let primitives = Primitive::ALL.iter().map(|p| (near(p.name()), p.name().into()));
        match known.chain(primitives).min() {
            Some((distance, name)) if distance <= word.len().div_ceil(3) => format!("did you mean `{name}`?"),
            _ => String::from("name the file that declares it too, or its directory with `-I`"),
        }
    }

    fn dim(
        &mut self,
        dim: &Word,
        field: &syntax::Field,
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
                    self.said.push(Diagnostic::error("the size of an array must be at least 1", dim.span));
                    broken(text)
                }
                Some(_) => {
                    self.said.push(Diagnostic::error("this array is too large", dim.span));
                    broken(text)
                }
                None => {
                    self.said.push(Diagnostic::error(format!("`{text}` is not a whole number"), dim.span));
                    broken(text)
                }
            };
        }
        if let Some(i) = s.consts[..field.consts_before].iter().position(|c| c.name.text == text) {
            return match consts[i].value {
                ConstValue::Int(n) if (0..=i64::from(i32::MAX)).contains(&n) => {
                    let extent = Extent::Fixed(n as u32);
                    Dim { extent, text: consts[i].text.clone(), constant: Some(text.into()) }
                }
                ConstValue::Int(_) => {
                    let error =
                        Diagnostic::error(format!("`{text}` cannot be the size of an array"), dim.span);
                    self.said.push(error.and(s.consts[i].value.span, "its value"));
                    broken(text)
                }
                ConstValue::Float(_) => {
                    let error = Diagnostic::error(format!("`{text}` is not an integer"), dim.span);
                    self.said.push(error.and(s.consts[i].name.span, "declared here"));
                    broken(text)
                }
            };
        }
        if let Some(i) = before.iter().position(|f| f.name == text) {
            let is_size =
                matches!(before[i].ty, Type::Primitive(p) if p.is_integer()) && before[i].dims.is_empty();
            if !is_size {
                let what = format!("`{text}` cannot be the size of an array");
                let error = Diagnostic::error(what, dim.span).and(s.fields[i].ty.span, "declared here");
                self.said.push(error.help("the size is a field of type int8_t, int16_t, int32_t or int64_t"));
                return broken(text);
            }
            return Dim { extent: Extent::Variable(i), text: text.into(), constant: None };
        }
        self.unknown_size(dim, s);
        broken(text)
    }

    fn unknown_size(&mut self, dim: &Word, s: &syntax::Struct) {
        let fields = s.fields.iter().map(|f| &f.name);
        let all: Vec<&Word> = fields.chain(s.consts.iter().map(|c| &c.name)).collect();
        let error = Diagnostic::error(format!("there is no `{}` before this array", dim.text), dim.span);
        self.said.push(match all.iter().find(|w| w.text == dim.text) {
            Some(later) => error
                .and(later.span, "declared here")
                .help("the size must stand before the array, since it is read first"),
            None => match all
                .iter()
                .map(|w| (strsim::damerau_levenshtein(&w.text, &dim.text), *w))
                .min_by_key(|m| m.0)
            {
                Some((d, near)) if d <= dim.text.len().div_ceil(3) => {
                    error.help(format!("did you mean `{}`?", near.text))
                }
                _ => error.help("a size is a number, a constant or a field of this struct"),
            },
        });
    }
}

/// Resolves into the current package, as LCM does: no search elsewhere.
pub(crate) fn full_name(word: &str, package: &str) -> TypeName {
    if word.contains('.') {
        TypeName::of(word)
    } else {
        TypeName { package: package.into(), name: word.into() }
    }
}

/// A name must start like one; other odd signs are LCM's to allow and are only warned of.
fn member_name(word: &Word, said: &mut Vec<Diagnostic>) {
    let text = word.text.as_str();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        said.push(Diagnostic::error(
            format!("`{text}` is not a name: it must start with a letter or `_`"),
            word.span,
        ));
    } else if !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        let what =
            format!("`{text}` is no identifier in any language; generated code has another name for it");
        said.push(Diagnostic::warning(what, word.span));
    }
}

fn constant(c: &syntax::Const, said: &mut Vec<Diagnostic>) -> Const {
    let text = c.value.text.clone();
    let (least, most): (i128, i128) = match c.ty {
        Primitive::Int8 => (i8::MIN.into(), i8::MAX.into()),
        Primitive::Int16 => (i16::MIN.into(), i16::MAX.into()),
        Primitive::Int32 => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    };
    let value = if c.ty.is_integer() {
        let n = literal::integer(&text).unwrap_or_else(|| {
            said.push(Diagnostic::error(format!("`{text}` is not a whole number"), c.value.span));
            0
        });
        if n < least || n > most {
            let range = format!("{} goes from {least} to {most}", c.ty.name());
            let error = format!("`{text}` does not fit into {}", c.ty.name());
            said.push(Diagnostic::error(error, c.value.span).help(range));
        }
        ConstValue::Int(n.clamp(least, most) as i64)
    } else {
        let x = literal::float(&text).unwrap_or_else(|| {
            said.push(Diagnostic::error(format!("`{text}` is not a number"), c.value.span));
            0.0
        });
        if c.ty == Primitive::Float && x.is_finite() && x.abs() > f64::from(f32::MAX) {
            said.push(Diagnostic::error(format!("`{text}` does not fit into float"), c.value.span));
        }
        ConstValue::Float(x)
    };
    Const { name: c.name.text.clone(), ty: c.ty, value, text, doc: c.doc.clone() }
}

/// Numbers without a value go on from the largest so far, the first from 1, as LCM's.
fn enumeration(file: &str, e: &syntax::Enum, said: &mut Vec<Diagnostic>) -> Enum {
    let mut values: Vec<EnumValue> = Vec::with_capacity(e.values.len());
    let mut largest = 0i32;
    for v in &e.values {
        member_name(&v.name, said);
        let number = match &v.number {
            None => largest.checked_add(1),
            Some(word) => literal::integer(&word.text).and_then(|n| i32::try_from(n).ok()),
        };
        let Some(value) = number else {
            let place = v.number.as_ref().unwrap_or(&v.name).span;
            said.push(Diagnostic::error("the value of an enum must be a 32-bit number", place));
            continue;
        };
        if let Some(same) = values.iter().find(|o| o.name == v.name.text || o.value == value) {
            let error =
                format!("`{}` = {value} is there already: `{}` = {}", v.name.text, same.name, same.value);
            said.push(Diagnostic::error(error, v.name.span));
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

/// What is known of a struct by its fields alone.
#[derive(Clone, Copy)]
struct Size {
    /// Least size on the wire.
    least: u64,
    /// The same, but a struct counts at least 1: nobody shall walk through endless empty ones.
    weight: u64,
    /// Whether it is the only one.
    fixed: bool,
    /// How many structs lie in it by value, each in the one before.
    depth: usize,
}

#[derive(Clone, Copy)]
enum State {
    New,
    Open,
    Refused,
    Done(Size),
}

/// Walks structs by value: no struct may lie in itself without an array of variable size between.
struct Sizes<'a> {
    schema: &'a Schema,
    spans: &'a [Vec<Span>],
    said: &'a mut Vec<Diagnostic>,
    state: Vec<State>,
    /// The structs being looked at, each with the field that leads on.
    path: Vec<(StructId, usize)>,
}

impl Sizes<'_> {
    /// The sizes of all; nothing if something was said.
    fn all(&mut self) -> Option<Vec<(u64, bool)>> {
        let sizes: Vec<_> = self.schema.ids().map(|id| self.of(id)).collect();
        sizes.into_iter().map(|s| s.map(|s| (s.least, s.fixed))).collect()
    }

    /// The size of a struct; nothing if something was said about it.
    fn of(&mut self, id: StructId) -> Option<Size> {
        match self.state[id.0] {
            State::Done(size) => return Some(size),
            State::Refused => return None,
            State::Open => {
                self.cycle(id);
                return None;
            }
            State::New => {}
        }
        self.state[id.0] = State::Open;
        // The walk itself goes no deeper than what is allowed, however deep a hostile file would have it.
        let size = if self.path.len() > DEEPEST { None } else { self.sum(id) };
        let size = match size {
            Some(s) if s.depth <= DEEPEST => Some(s),
            None if self.path.len() <= DEEPEST => None,
            _ => {
                let s = self.schema.get(id);
                let what =
                    format!("`{}` is part of a chain of more than {DEEPEST} structs in each other", s.name);
                self.said.push(Diagnostic::error(what, s.span));
                None
            }
        };
        self.state[id.0] = size.map_or(State::Refused, State::Done);
        size
    }

    fn sum(&mut self, id: StructId) -> Option<Size> {
        let (mut sum, mut well) = (Size { least: 0, weight: 1, fixed: true, depth: 0 }, true);
        for (i, field) in self.schema.get(id).fields.iter().enumerate() {
            let scalar = |least: usize, fixed| {
                Some(Size { least: least as u64, weight: least as u64, fixed, depth: 0 })
            };
            let one = match field.ty {
                Type::Primitive(p) => scalar(p.wire_size(), p != Primitive::String),
                Type::Enum(_) => scalar(4, true),
                Type::Struct(_) if field.is_variable() => scalar(0, false), // may lead back to this one
                Type::Struct(inner) => {
                    self.path.push((id, i));
                    let found = self.of(inner);
                    self.path.pop();
                    found.map(|f| Size { depth: f.depth + 1, ..f })
                }
            };
            let Some(one) = one else {
                well = false;
                continue;
            };
            let count = if field.is_variable() { Some(0) } else { field.fixed_count() };
            sum.fixed &= one.fixed && !field.is_variable();
            sum.depth = sum.depth.max(one.depth);
            let times =
                |size: u64| count.filter(|&n| n <= LARGEST).map_or(u64::MAX, |n| n.saturating_mul(size));
            sum.least = sum.least.saturating_add(times(one.least));
            sum.weight = sum.weight.saturating_add(times(one.weight));
            if sum.weight > LARGEST {
                self.too_large(id, i);
                return None;
            }
        }
        well.then_some(sum)
    }

    fn too_large(&mut self, id: StructId, field: usize) {
        let s = self.schema.get(id);
        let what = format!(
            "`{}` is too large: with `{}` it has more than {LARGEST} bytes",
            s.name, s.fields[field].name
        );
        self.said.push(Diagnostic::error(what, self.spans[id.0][field]));
    }

    /// The path from `id` back to itself.
    fn cycle(&mut self, id: StructId) {
        let from = self.path.iter().position(|(s, _)| *s == id).unwrap_or(0);
        let name = |id: StructId| self.schema.get(id).name.to_string();
        let way: Vec<String> = self.path[from..]
            .iter()
            .map(|&(s, f)| format!("{}.{}", name(s), self.schema.get(s).fields[f].name))
            .chain([name(id)])
            .collect();
        let mut error =
            Diagnostic::error(format!("`{}` contains itself", name(id)), self.schema.get(id).span).help(
                format!("the path is {}; only an array of variable size may lead back", way.join(" -> ")),
            );
        for &(s, f) in &self.path[from..] {
            error = error.and(self.spans[s.0][f], format!("`{}` contains this", name(s)));
        }
        self.said.push(error);
    }
}
