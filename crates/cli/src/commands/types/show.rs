//! `saltus types show`: everything about a type.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use saltus_channel::Domain;
use saltus_types::plain::plain;
use saltus_types::{Const, Dim, Extent, Field, Sources, Type};
use serde::Serialize;

use crate::dictionary::Dictionary;
use crate::escape::harmless;
use crate::failure::{Code, Failure, Outcome};
use crate::flags::{Json, TypeDirs};
use crate::human::bytes;
use crate::out::Out;
use crate::schemas::{self, Found};
use crate::table::columns;
use crate::{channels, help};

/// The options of `types show`.
#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES]))]
pub struct Show {
    /// Name of the type; its package may be left out where that is clear
    #[arg(value_name = "TYPE")]
    name: String,

    /// Type files to look into
    #[arg(value_name = "FILE", conflicts_with = "channel")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    dirs: TypeDirs,

    /// Look among the types that publishers have left with this channel
    #[arg(long, value_name = "NAME", conflicts_with = "include")]
    channel: Option<OsString>,

    /// Print the type, and all types in it, in the type language, as a file that can be used
    #[arg(long, conflicts_with = "json")]
    lcm: bool,

    #[command(flatten)]
    json: Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus types show pose_t pose.lcm
  saltus types show robot.pose_t -I types --json
  saltus types show pose_t --channel arm/pose --lcm > pose.lcm";

/// What `types show --json` prints; the fields are a promise.
#[derive(Serialize)]
struct Line {
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

/// Shows it.
pub fn run(domain: impl FnOnce() -> saltus_channel::Result<Domain>, show: Show) -> Outcome {
    let (found, sources) = show.find(domain)?;
    let mut out = Out::new()?;
    if show.lcm {
        out.bytes(found.schema.to_lcm(found.id).as_bytes())?;
        return out.flush();
    }
    let line = Line::of(&found, sources.as_ref());
    if show.json.json {
        out.json(&line)?;
    } else {
        line.words(&found).iter().try_for_each(|words| out.line(harmless(words)))?;
    }
    out.flush()
}

impl Show {
    /// The type, and the files that it comes from, if it comes from files.
    fn find(
        &self,
        domain: impl FnOnce() -> saltus_channel::Result<Domain>,
    ) -> Outcome<(Found, Option<Sources>)> {
        if let Some(name) = &self.channel {
            let channel = channels::open_named(&domain()?, name)?;
            let dictionary = Dictionary::of_channel(&channel)?;
            return match dictionary.named(&self.name) {
                Some(found) => Ok((found, None)),
                None => Err(dictionary.lacks(&self.name)),
            };
        }
        if self.files.is_empty() && self.dirs.include.is_empty() {
            let words = "where is the type? Name a FILE, a directory with -I, or a channel with --channel";
            return Err(Failure::new(Code::Usage, words));
        }
        let loaded = schemas::load(schemas::loader(&self.files, &self.dirs.include).want(&self.name))?;
        match loaded.schema.find(&self.name) {
            Some(id) => Ok((Found { schema: loaded.schema, id }, Some(loaded.warnings.sources))),
            None => Err(Failure::new(Code::Failed, format!("`{}` is no struct: name one", self.name))),
        }
    }
}

impl Line {
    fn of(found: &Found, sources: Option<&Sources>) -> Line {
        let (schema, s) = (&found.schema, found.schema.get(found.id));
        let ty = Type::Struct(found.id);
        let source = sources.and_then(|sources| sources.get(s.span.file));
        let plain = plain(schema, found.id);
        Line {
            name: s.name.to_string(),
            doc: s.doc.clone(),
            file: source.map(|source| source.path().display().to_string()),
            line: source.map(|source| source.line_of(s.span.start)),
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

    fn words(&self, found: &Found) -> Vec<String> {
        let s = found.schema.get(found.id);
        let mut words: Vec<String> = vec![format!("type         {}", self.name)];
        words.extend(self.doc.lines().map(|line| format!("             {line}").trim_end().to_owned()));
        if let (Some(file), Some(line)) = (&self.file, self.line) {
            words.push(format!("declared     {file}:{line}"));
        }
        words.push(format!("fingerprint  {}", self.fingerprint));
        let more = if self.fixed { "" } else { " and more" };
        words.push(format!("message      {}{more}", bytes(self.min_size as f64)));
        words.push(match &self.plain {
            Some(p) => {
                format!("plain        {}, aligned to {}, hash {}", bytes(p.size as f64), p.align, p.hash)
            }
            None => format!("plain        none: {}", self.why_not_plain(found)),
        });
        let comment =
            |doc: &str| if doc.is_empty() { String::new() } else { format!("// {}", doc.replace('\n', " ")) };
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
        words.push(String::new());
        words.extend(columns(&rows).into_iter().map(|row| format!("  {row}").trim_end().to_owned()));
        words
    }

    fn why_not_plain(&self, found: &Found) -> String {
        let varies = |f: &&Field| f.is_variable() || !found.schema.is_fixed(f.ty);
        match found.schema.get(found.id).fields.iter().find(varies) {
            Some(field) => format!("`{}` has no fixed size", field.name),
            None => "it is too large".into(),
        }
    }
}

impl FieldLine {
    fn of(found: &Found, field: &Field) -> FieldLine {
        let fields = &found.schema.get(found.id).fields;
        let dim = |dim: &Dim| DimLine {
            size: if let Extent::Fixed(n) = dim.extent { Some(n) } else { None },
            constant: dim.constant.clone(),
            field: if let Extent::Variable(i) = dim.extent { Some(fields[i].name.clone()) } else { None },
        };
        FieldLine {
            name: field.name.clone(),
            r#type: found.schema.type_name(field.ty),
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
