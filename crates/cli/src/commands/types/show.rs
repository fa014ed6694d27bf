//! `saltus types show`: show fields, comments, fingerprint and sizes of a type.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use saltus_channel::Directory;
use saltus_decode::{Dictionary, Kind, files};
use saltus_types::plain::plain;
use saltus_types::{Const, Dim, Extent, Field, Sources, Type};
use serde::Serialize;

use super::declared::{comment, comment_lines, place};
use super::enumeration;
use crate::exit::{Code, Failure, Outcome};
use crate::flags::domain::open_named;
use crate::flags::help;
use crate::flags::types;
use crate::flags::{Json, TypeDirs};
use crate::print::out::Out;
use saltus_text::escape::harmless;
use saltus_text::human::bytes;
use saltus_text::table::columns;

#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES]))]
pub(crate) struct Show {
    /// Type to show, with or without its package
    #[arg(value_name = "TYPE", required_unless_present = "channel")]
    name: Option<String>,

    /// Type files to search
    #[arg(value_name = "FILE", conflicts_with = "channel")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    dirs: TypeDirs,

    /// Show the types that publishers stored with this channel
    #[arg(long, value_name = "NAME", conflicts_with = "include")]
    channel: Option<OsString>,

    /// Print a complete .lcm file of the type and those it needs
    #[arg(long, conflicts_with = "json")]
    lcm: bool,

    #[command(flatten)]
    json: Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus types show pose_t pose.lcm
  saltus types show robot.pose_t -I types --json
  saltus types show --channel arm/pose   types stored by publishers
  saltus types show pose_t --channel arm/pose --lcm > pose.lcm";

/// The line of `types show --json`. Its fields are a stable interface.
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

pub(crate) fn run(domain: impl FnOnce() -> Outcome<Directory>, show: Show) -> Outcome {
    if let Some(name) = &show.channel {
        let channel = open_named(&domain()?, name)?;
        let dictionary = Dictionary::of(types::texts(channel.descriptions()?));
        let found = match &show.name {
            Some(name) => {
                let lacks = || Failure::new(Code::Failed, dictionary.lacks(name));
                vec![dictionary.named(name).ok_or_else(lacks)?]
            }
            None => dictionary.types(),
        };
        if found.is_empty() {
            let words = "no type is stored with this channel: `saltus pub --type` stores one";
            return Err(Failure::new(Code::Failed, words));
        }
        return show.print(&found, None);
    }
    let name = show.name.as_deref().unwrap_or_default();
    let dirs = show.dirs.all()?;
    if show.files.is_empty() && dirs.is_empty() {
        let words = "no source of types: name a FILE, a directory with -I, or a channel with --channel";
        return Err(Failure::new(Code::Usage, words));
    }
    let loaded = types::load(files::loader(&show.files, &dirs).want(name))?;
    let (schema, sources) = (loaded.schema, loaded.warnings.sources);
    if let Some(id) = schema.find(name) {
        return show.print(&[Arc::new(Kind::lcm(&Arc::new(schema), id))], Some(&sources));
    }
    match schema.find_enum(name) {
        Some(id) => enumeration::print(&schema, id, &sources, show.lcm, show.json.json),
        None => Err(Failure::new(Code::Failed, format!("no type `{name}`"))),
    }
}

impl Show {
    fn print(&self, all: &[Arc<Kind>], sources: Option<&Sources>) -> Outcome {
        let mut out = Out::new()?;
        for (i, found) in all.iter().enumerate() {
            let line = Line::of(found, sources);
            if self.json.json {
                out.json(&line)?;
                continue;
            }
            if i > 0 {
                out.line("")?;
            }
            if self.lcm {
                out.bytes(found.schema().to_lcm(found.id()).as_bytes())?;
            } else {
                line.words(found).iter().try_for_each(|words| out.line(harmless(words)))?;
            }
        }
        out.flush()
    }
}

impl Line {
    fn of(found: &Kind, sources: Option<&Sources>) -> Line {
        let (schema, s) = (found.schema(), found.schema().get(found.id()));
        let ty = Type::Struct(found.id());
        let (file, line) = place(s.span, sources).unzip();
        let plain = plain(schema, found.id());
        Line {
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

    fn words(&self, found: &Kind) -> Vec<String> {
        let s = found.schema().get(found.id());
        let mut words: Vec<String> = vec![format!("type         {}", self.name)];
        words.extend(comment_lines(&self.doc));
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

    fn why_not_plain(&self, found: &Kind) -> String {
        let varies = |f: &&Field| f.is_variable() || !found.schema().is_fixed(f.ty);
        match found.schema().get(found.id()).fields.iter().find(varies) {
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
