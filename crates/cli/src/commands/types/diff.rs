//! `saltus types diff`: compare two types, or all types of two files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use saltus_decode::files;
use saltus_types::diff::{Fate, diff, fates};
use saltus_types::{Schema, StructId};
use serde::Serialize;

use crate::exit::{Code, Failure, Outcome};
use crate::flags::types;
use crate::flags::{Json, TypeDirs};
use crate::print::out::Out;
use saltus_text::escape::harmless;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Diff {
    /// Old types: FILE, FILE:TYPE, or a TYPE found with -I
    a: String,

    /// New types, named the same way
    b: String,

    #[command(flatten)]
    dirs: TypeDirs,

    #[command(flatten)]
    json: Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus types diff old/robot.lcm new/robot.lcm
  saltus types diff old/robot.lcm:pose_t new/robot.lcm:pose_t
  saltus types diff recorded.lcm robot.pose_t -I types";

/// A line of `types diff --json`. Its fields are a stable interface.
#[derive(Serialize)]
struct Line<'a> {
    r#type: &'a str,
    path: &'a str,
    change: &'static str,
    words: String,
    breaks: bool,
}

/// The types that one argument names.
struct Side {
    schema: Arc<Schema>,
    /// All types of a file with several.
    ids: Vec<StructId>,
    is_file: bool,
}

/// Prints each difference as a sentence.
pub(crate) fn run(args: Diff) -> Outcome {
    let dirs = args.dirs.all()?;
    let sides @ (a, b) = &(find(&args.a, &dirs)?, find(&args.b, &dirs)?);
    let mut teller = Teller { out: Out::new()?, json: args.json.json, differ: false };
    match (a.ids.as_slice(), b.ids.as_slice()) {
        (&[x], &[y]) => teller.one(sides, x, y, None)?,
        _ if a.is_file && b.is_file => teller.all(sides)?,
        ([_], _) => return Err(several(&args.b, b)),
        _ => return Err(several(&args.a, a)),
    }
    teller.out.flush()?;
    if teller.differ { Err(Failure::Reported(Code::Differ)) } else { Ok(()) }
}

struct Teller {
    out: Out,
    json: bool,
    differ: bool,
}

impl Teller {
    /// Compares two types; `heading` if there are others.
    fn one(&mut self, (a, b): &(Side, Side), x: StructId, y: StructId, heading: Option<&str>) -> Outcome {
        let changes = diff(&a.schema, x, &b.schema, y);
        let (old, new) = (a.schema.get(x), b.schema.get(y));
        let name = new.name.to_string();
        let (old, new) = (old.fingerprint, new.fingerprint);
        self.differ |= old != new;
        let verdict = match (changes.is_empty(), old == new) {
            (true, true) => format!("the same: fingerprint {new:016x}"),
            (_, true) => format!("messages of one can be read as the other: fingerprint {new:016x}"),
            (_, false) => format!("fingerprint {old:016x} is now {new:016x}"),
        };
        if let (Some(heading), false) = (heading, self.json) {
            self.out.line(harmless(&format!("{heading}: {verdict}")))?;
        }
        for change in &changes {
            let (words, breaks) = (change.to_string(), change.alters_fingerprint());
            if self.json {
                let (path, change) = (change.path.as_str(), change.what.word());
                self.out.json(&Line { r#type: &name, path, change, words, breaks })?;
            } else {
                let indent = if heading.is_some() { "  " } else { "" };
                self.out.line(format!("{indent}{}", harmless(&words)))?;
            }
        }
        match heading {
            None if !self.json => self.out.line(verdict),
            _ => Ok(()),
        }
    }

    /// Compares all types of two files by their full names.
    fn all(&mut self, sides: &(Side, Side)) -> Outcome {
        let (old, new) = sides;
        for (name, fate) in fates((&old.schema, &old.ids), (&new.schema, &new.ids)) {
            match fate {
                Fate::Kept(x, y) => self.one(sides, x, y, Some(&name))?,
                Fate::Removed => self.whole(&name, "removed")?,
                Fate::Added => self.whole(&name, "added")?,
            }
        }
        Ok(())
    }

    /// Reports a type that only one side has.
    fn whole(&mut self, name: &str, change: &'static str) -> Outcome {
        self.differ = true;
        let words = format!("{name} was {change}");
        if self.json {
            self.out.json(&Line { r#type: name, path: "", change, words, breaks: true })
        } else {
            self.out.line(harmless(&words))
        }
    }
}

/// The types that an argument names.
fn find(argument: &str, include: &[PathBuf]) -> Outcome<Side> {
    if Path::new(argument).is_file() {
        let loaded = types::load(files::loader(&[argument.into()], include))?;
        if loaded.named.is_empty() {
            return Err(Failure::new(Code::Failed, format!("{argument} has no struct: name another file")));
        }
        return Ok(Side { schema: Arc::new(loaded.schema), ids: loaded.named, is_file: true });
    }
    let found = match argument.rsplit_once(':') {
        Some((file, name)) => types::find(name, &[file.into()], include)?,
        None if include.is_empty() => {
            let words = format!(
                "`{argument}` is not a file: name a FILE, FILE:TYPE, or a TYPE and its directory with -I"
            );
            return Err(Failure::new(Code::Usage, words));
        }
        None => types::find(argument, &[], include)?,
    };
    Ok(Side { schema: found.schema().clone(), ids: vec![found.id()], is_file: false })
}

/// The failure when a file has several types, but the other argument is a type.
fn several(file: &str, side: &Side) -> Failure {
    let names: Vec<String> = side.ids.iter().map(|&id| side.schema.get(id).name.to_string()).collect();
    let words =
        format!("{file} has several types, {}: name one, such as {file}:{}", names.join(", "), names[0]);
    Failure::new(Code::Usage, words)
}
