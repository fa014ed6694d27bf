//! `saltus types diff`: how two types differ.

use std::path::{Path, PathBuf};

use clap::Args;
use saltus_types::diff::{What, diff};
use serde::Serialize;

use crate::escape::harmless;
use crate::failure::{Code, Failure, Outcome};
use crate::flags::{Json, TypeDirs};
use crate::out::Out;
use crate::schemas::{self, Found};

/// The options of `types diff`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Diff {
    /// The one: FILE:TYPE, a FILE that has one type, or a TYPE that is found with -I
    a: String,

    /// The other, likewise
    b: String,

    #[command(flatten)]
    dirs: TypeDirs,

    #[command(flatten)]
    json: Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus types diff old/pose.lcm new/pose.lcm
  saltus types diff old/robot.lcm:pose_t new/robot.lcm:pose_t
  saltus types diff recorded.lcm robot.pose_t -I types";

/// What `types diff --json` prints; the fields are a promise.
#[derive(Serialize)]
struct Line<'a> {
    path: &'a str,
    change: &'static str,
    words: String,
    breaks: bool,
}

/// Tells each difference in a sentence.
pub fn run(args: Diff) -> Outcome {
    let (a, b) = (find(&args.a, &args.dirs.include)?, find(&args.b, &args.dirs.include)?);
    let changes = diff(&a.schema, a.id, &b.schema, b.id);
    let [old, new] = [&a, &b].map(|found| found.schema.get(found.id).fingerprint);
    let mut out = Out::new()?;
    for change in &changes {
        let (words, breaks) = (change.to_string(), change.alters_fingerprint());
        if args.json.json {
            out.json(&Line { path: &change.path, change: word(&change.what), words, breaks })?;
        } else {
            out.line(harmless(&words))?;
        }
    }
    if !args.json.json {
        out.line(match (changes.is_empty(), old == new) {
            (true, true) => format!("the same: fingerprint {new:016x}"),
            (_, true) => format!("messages of the one can be read as the other: fingerprint {new:016x}"),
            (_, false) => format!("fingerprint {old:016x} is now {new:016x}"),
        })?;
    }
    out.flush()?;
    if old == new { Ok(()) } else { Err(Failure::Known(Code::Differ)) }
}

fn word(what: &What) -> &'static str {
    match what {
        What::Added { .. } => "added",
        What::Removed { .. } => "removed",
        What::Renamed { .. } => "renamed",
        What::Retyped { .. } => "retyped",
        What::Resized { .. } => "resized",
        What::Respelled { .. } => "respelled",
        What::Moved { .. } => "moved",
        What::ConstAdded { .. } => "constant added",
        What::ConstRemoved { .. } => "constant removed",
        What::ConstChanged { .. } => "constant changed",
        _ => "changed",
    }
}

/// The type that an argument names.
fn find(argument: &str, include: &[PathBuf]) -> Outcome<Found> {
    if Path::new(argument).is_file() {
        return only(argument, include);
    }
    match argument.rsplit_once(':') {
        Some((file, name)) => schemas::find(name, &[file.into()], include),
        None if include.is_empty() => {
            let words = format!(
                "`{argument}` is no file: name FILE:TYPE, a FILE, or a TYPE and its directory with -I"
            );
            Err(Failure::new(Code::Usage, words))
        }
        None => schemas::find(argument, &[], include),
    }
}

/// The only type of a file.
fn only(file: &str, include: &[PathBuf]) -> Outcome<Found> {
    let loaded = schemas::load(schemas::loader(&[file.into()], include))?;
    match loaded.named.as_slice() {
        [id] => Ok(Found { id: *id, schema: loaded.schema }),
        [] => Err(Failure::new(Code::Failed, format!("{file} has no struct: name another file"))),
        [first, ..] => {
            let names: Vec<String> =
                loaded.named.iter().map(|id| loaded.schema.get(*id).name.to_string()).collect();
            let first = loaded.schema.get(*first).name.to_string();
            let words =
                format!("{file} has several types, {}: say which, such as {file}:{first}", names.join(", "));
            Err(Failure::new(Code::Usage, words))
        }
    }
}
