//! `saltus types show`: show fields, comments, fingerprint and sizes of a type.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use saltus_channel::Directory;
use saltus_decode::{Dictionary, Kind, files};
use saltus_printer::{EnumLine, StructLine};
use saltus_types::{EnumId, Schema, Sources};

use crate::exit::{Code, Failure, Outcome};
use crate::flags::domain::open_named;
use crate::flags::help;
use crate::flags::types;
use crate::flags::{Json, TypeDirs};
use crate::print::out::Out;

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
        Some(id) => show.print_enum(&schema, id, &sources),
        None => Err(Failure::new(Code::Failed, format!("no type `{name}`"))),
    }
}

impl Show {
    fn print(&self, all: &[Arc<Kind>], sources: Option<&Sources>) -> Outcome {
        let mut out = Out::new()?;
        for (i, found) in all.iter().enumerate() {
            let line = StructLine::of(found, sources);
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
                line.words().iter().try_for_each(|words| out.line(words))?;
            }
        }
        out.flush()
    }

    fn print_enum(&self, schema: &Schema, id: EnumId, sources: &Sources) -> Outcome {
        let mut out = Out::new()?;
        let (e, line) = (schema.get_enum(id), EnumLine::of(schema, id, sources));
        if self.lcm {
            if !e.name.package.is_empty() {
                out.bytes(format!("package {};\n\n", e.name.package).as_bytes())?;
            }
            out.bytes(schema.enum_to_lcm(id).as_bytes())?;
        } else if self.json.json {
            out.json(&line)?;
        } else {
            line.words().iter().try_for_each(|words| out.line(words))?;
        }
        out.flush()
    }
}
