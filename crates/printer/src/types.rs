//! Types as JSON and as text for people: what `saltus types show` prints.

use saltus_decode::Kind;
use saltus_text::escape::harmless;
use saltus_text::human::bytes;
use saltus_text::table::columns;
use saltus_types::plain::plain;
use saltus_types::{Const, Dim, EnumId, Extent, Field, Schema, Sources, Span, Type};
use serde::Serialize;

/// A struct, as `types show --json` prints it. Its fields are a stable interface.
#[derive(Serialize)]
pub struct StructLine<'a> {
    #[serde(skip)]
    kind: &'a Kind,
    name: String,
    doc: String,
    file: Option<String>,
    line: Option<usize>,
    fingerprint: String,
    base_hash: String,
    fixed: bool,
    min_size: u64,
    plain: Option<PlainLine>,
    fields: Vec<FieldLine>,
    consts: Vec<ConstLine>,
}

#[derive(Serialize)]
struct PlainLine {
    size: usize,
    align: usize,
    hash: String,
}

#[derive(Serialize)]
struct FieldLine {
    name: String,
    r#type: String,
    dims: Vec<DimLine>,
    doc: String,
}

#[derive(Serialize)]
struct DimLine {
    size: Option<u32>,
    constant: Option<String>,
    field: Option<String>,
}

#[derive(Serialize)]
struct ConstLine {
    name: String,
    r#type: &'static str,
    value: String,
    doc: String,
}

/// An enum, as `types show --json` prints it. Its fields are a stable interface.
#[derive(Serialize)]
pub struct EnumLine<'a> {
    name: String,
    doc: &'a str,
    file: Option<String>,
    line: Option<usize>,
    fingerprint: String,
    values: Vec<ValueLine<'a>>,
}

#[derive(Serialize)]
struct ValueLine<'a> {
    name: &'a str,
    value: i32,
    doc: &'a str,
}

impl<'a> StructLine<'a> {
    /// A struct, and its place if the `sources` have it.
    pub fn of(found: &'a Kind, sources: Option<&Sources>) -> StructLine<'a> {
        let (schema, s) = (found.schema(), found.schema().get(found.id()));
        let ty = Type::Struct(found.id());
        let (file, line) = place(s.span, sources).unzip();
        let plain = plain(schema, found.id());
        StructLine {
            kind: found,
            name: s.name.to_string(),
            doc: s.doc.clone(),
            file,
            line,
            fingerprint: format!("{:016x}", s.fingerprint),
            base_hash: format!("{:016x}", s.base_hash),
            fixed: schema.is_fixed(ty),
            min_size: 8 + schema.min_size(ty),
            plain: plain.map(|p| PlainLine {
                size: p.size,
                align: p.align,
                hash: format!("{:016x}", p.hash),
            }),
            fields: s.fields.iter().map(|field| FieldLine::of(found, field)).collect(),
            consts: s.consts.iter().map(ConstLine::of).collect(),
        }
    }

    /// Lines for people.
    pub fn words(&self) -> Vec<String> {
        let s = self.kind.schema().get(self.kind.id());
        let mut words = started("type", &self.name, &self.doc, self.file.as_deref().zip(self.line));
        words.push(format!("fingerprint  {}", self.fingerprint));
        let more = if self.fixed { "" } else { " and more" };
        words.push(format!("message      {}{more}", bytes(self.min_size as f64)));
        words.push(match &self.plain {
            Some(p) => {
                format!("plain        {}, aligned to {}, hash {}", bytes(p.size as f64), p.align, p.hash)
            }
            None => format!("plain        none: {}", self.why_not_plain()),
        });
        let mut rows: Vec<[String; 3]> = Vec::new();
        for (c, line) in s.consts.iter().zip(&self.consts) {
            rows.push([
                format!("const {}", line.r#type),
                format!("{} = {}", c.name, c.text),
                comment(&c.doc),
            ]);
        }
        for (field, line) in s.fields.iter().zip(&self.fields) {
            let dims = field.dims.iter().map(|d| format!("[{}]", d.constant.as_ref().unwrap_or(&d.text)));
            rows.push([
                line.r#type.clone(),
                field.name.clone() + &dims.collect::<String>(),
                comment(&field.doc),
            ]);
        }
        finished(words, &rows)
    }

    fn why_not_plain(&self) -> String {
        let varies = |f: &&Field| f.is_variable() || !self.kind.schema().is_fixed(f.ty);
        match self.kind.schema().get(self.kind.id()).fields.iter().find(varies) {
            Some(field) => format!("`{}` has no fixed size", field.name),
            None => "it is too large".into(),
        }
    }
}

impl FieldLine {
    fn of(found: &Kind, field: &Field) -> FieldLine {
        let fields = &found.schema().get(found.id()).fields;
        let dim = |dim: &Dim| DimLine {
            size: if let Extent::Fixed(n) = dim.extent { Some(n) } else { None },
            constant: dim.constant.clone(),
            field: if let Extent::Variable(i) = dim.extent { Some(fields[i].name.clone()) } else { None },
        };
        FieldLine {
            name: field.name.clone(),
            r#type: found.schema().type_name(field.ty),
            dims: field.dims.iter().map(dim).collect(),
            doc: field.doc.clone(),
        }
    }
}

impl ConstLine {
    fn of(c: &Const) -> ConstLine {
        ConstLine { name: c.name.clone(), r#type: c.ty.name(), value: c.text.clone(), doc: c.doc.clone() }
    }
}

impl<'a> EnumLine<'a> {
    /// An enum, and its place if the `sources` have it.
    pub fn of(schema: &'a Schema, id: EnumId, sources: &Sources) -> EnumLine<'a> {
        let e = schema.get_enum(id);
        let (file, line) = place(e.span, Some(sources)).unzip();
        let values = e.values.iter().map(|v| ValueLine { name: &v.name, value: v.value, doc: &v.doc });
        EnumLine {
            name: e.name.to_string(),
            doc: &e.doc,
            file,
            line,
            fingerprint: format!("{:016x}", e.fingerprint),
            values: values.collect(),
        }
    }

    /// Lines for people.
    pub fn words(&self) -> Vec<String> {
        let mut words = started("enum", &self.name, self.doc, self.file.as_deref().zip(self.line));
        words.push("on the wire  int32_t".into());
        let row = |v: &ValueLine<'_>| [v.name.to_owned(), format!("= {}", v.value), comment(v.doc)];
        let rows: Vec<[String; 3]> = self.values.iter().map(row).collect();
        finished(words, &rows)
    }
}

/// The first lines: name, comment and place of a declaration.
fn started(what: &str, name: &str, doc: &str, place: Option<(&str, usize)>) -> Vec<String> {
    let mut words = vec![format!("{what}         {name}")];
    words.extend(doc.lines().map(|line| format!("             {line}").trim_end().to_owned()));
    words.extend(place.map(|(file, line)| format!("declared     {file}:{line}")));
    words
}

/// The lines with the rows below them, without control characters.
fn finished(mut words: Vec<String>, rows: &[[String; 3]]) -> Vec<String> {
    words.push(String::new());
    words.extend(columns(rows).into_iter().map(|row| format!("  {row}").trim_end().to_owned()));
    words.iter().map(|line| harmless(line)).collect()
}

/// A comment in one line.
fn comment(doc: &str) -> String {
    if doc.is_empty() { String::new() } else { format!("// {}", doc.replace('\n', " ")) }
}

/// File and line of a declaration.
fn place(span: Span, sources: Option<&Sources>) -> Option<(String, usize)> {
    let source = sources?.get(span.file)?;
    Some((source.path().display().to_string(), source.line_of(span.start)))
}
