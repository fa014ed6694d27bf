//! `saltus gen`: make code for types.

use std::io;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args, ValueEnum};
use saltus_gen::{Change, File, Lang, Options, Style};
use serde::Serialize;

use crate::escape::harmless;
use crate::failure::{Code, Failure, Outcome, say};
use crate::flags::{Json, TypeDirs};
use crate::human::plural;
use crate::out::Out;
use crate::schemas;

/// The options of `gen`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("only").args(["dry_run", "list"]))]
pub struct Gen {
    /// Type files; code is made for the types that they declare
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Language of the code
    #[arg(short, long, value_enum)]
    lang: Language,

    /// Whose programs the code is for
    #[arg(long, value_enum, default_value_t = For::Modern)]
    style: For,

    /// Directory for the code, made if it is missing
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    out: PathBuf,

    #[command(flatten)]
    dirs: TypeDirs,

    /// Put this before the package of every type; fingerprints do not change
    #[arg(long, value_name = "PACKAGE")]
    package_prefix: Option<String>,

    /// Java: package of the types that have none
    #[arg(long, value_name = "PACKAGE")]
    default_package: Option<String>,

    /// C and C++: folder under which the generated headers are included
    #[arg(long, value_name = "FOLDER")]
    include_folder: Option<String>,

    /// Rust, C and C++: also the plain layout of the types that can have one
    #[arg(long)]
    plain: bool,

    /// Write nothing, only say what would change
    #[arg(long)]
    dry_run: bool,

    /// Write nothing, only print the names of the files that would be written
    #[arg(long)]
    list: bool,

    /// Also write what the code was made from into this file, as rules for make, Ninja and CMake
    #[arg(long, value_name = "FILE", conflicts_with = "only")]
    depfile: Option<PathBuf>,

    #[command(flatten)]
    json: Json,

    /// Say nothing but errors and warnings
    #[arg(short, long)]
    quiet: bool,
}

/// The languages.
#[derive(Clone, Copy, ValueEnum)]
enum Language {
    /// Rust, on crate saltus-wire
    Rust,
    /// C99
    C,
    /// C++17
    Cpp,
    /// Python 3.9 and later
    Python,
    /// Java 8 and later
    Java,
    /// Octave and MATLAB, through Java classes
    Octave,
}

/// The styles.
#[derive(Clone, Copy, ValueEnum)]
enum For {
    /// Idiomatic, on nothing but what Saltus brings
    Modern,
    /// All that LCM's generator emits, so that a program written for LCM recompiles
    Lcm,
}

const EXAMPLES: &str = "\
Examples:
  saltus gen --lang rust --out src/types types/*.lcm
  saltus gen --lang cpp --style lcm --out include pose.lcm    for a program written for LCM
  saltus gen --lang python --out python -I ../common pose.lcm
  saltus gen --lang c --out gen --depfile gen/pose.d pose.lcm
  saltus gen --lang java --dry-run pose.lcm                   see what would change";

/// What `gen --json` prints; the fields are a promise.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a Path,
    change: &'static str,
}

/// Makes it.
pub fn run(args: Gen) -> Outcome {
    let loaded = schemas::load(schemas::loader(&args.files, &args.dirs.include))?;
    let files = saltus_gen::generate(&loaded.schema, &loaded.named, args.lang.of(), &args.options())
        .map_err(|e| Failure::new(Code::Failed, e.to_string()))?;
    let mut out = Out::new()?;
    if args.list {
        let paths = files.iter().map(|file| args.out.join(&file.path));
        paths.map(|path| shown(&path)).try_for_each(|path| out.line(path))?;
        return out.flush();
    }
    let failed = |e: io::Error| Failure::new(Code::Failed, format!("cannot write the code: {e}"));
    let done = saltus_gen::write(&args.out, &files, args.dry_run).map_err(failed)?;
    if let Some(path) = &args.depfile {
        let rules = rules(&args.out, &files, &loaded.files);
        let rules = File { path: path.file_name().unwrap_or_default().into(), text: rules };
        saltus_gen::write(path.parent().unwrap_or(Path::new("")), &[rules], false).map_err(failed)?;
    }
    for (path, change) in &done {
        if args.json.json {
            out.json(&Line { file: path, change: word(*change) })?;
        } else if !args.quiet && *change != Change::Same {
            out.line(format_args!("{} {}", word(*change), shown(path)))?;
        }
    }
    out.flush()?;
    if !args.quiet && !args.json.json {
        let same = done.iter().filter(|(_, change)| *change == Change::Same).count() as u64;
        let of = if same == 0 { String::new() } else { format!(", {} unchanged", plural(same, "file")) };
        let would = if args.dry_run { " would be" } else { "" };
        say(format_args!("{}{would} written{of}", plural(done.len() as u64 - same, "file")));
    }
    Ok(())
}

fn word(change: Change) -> &'static str {
    match change {
        Change::Created => "created",
        Change::Updated => "updated",
        Change::Same => "unchanged",
    }
}

fn shown(path: &Path) -> String {
    harmless(&path.display().to_string())
}

/// Rules in the syntax of make: each file that was made depends on all type files that were read.
fn rules(out: &Path, files: &[File], sources: &[PathBuf]) -> String {
    let names = |paths: &mut dyn Iterator<Item = PathBuf>| {
        paths.map(|path| quoted(&path.display().to_string())).collect::<Vec<_>>().join(" \\\n  ")
    };
    let targets = names(&mut files.iter().map(|file| out.join(&file.path)));
    let sources = names(&mut sources.iter().cloned());
    if targets.is_empty() { String::new() } else { format!("{targets}: \\\n  {sources}\n") }
}

/// A path as make reads it.
fn quoted(path: &str) -> String {
    path.replace('$', "$$").replace('#', "\\#").replace(' ', "\\ ")
}

impl Gen {
    fn options(&self) -> Options {
        Options {
            style: match self.style {
                For::Modern => Style::Modern,
                For::Lcm => Style::Lcm,
            },
            package_prefix: self.package_prefix.clone(),
            java_default_package: self.default_package.clone(),
            include_folder: self.include_folder.clone(),
            plain: self.plain,
        }
    }
}

impl Language {
    fn of(self) -> Lang {
        match self {
            Language::Rust => Lang::Rust,
            Language::C => Lang::C,
            Language::Cpp => Lang::Cpp,
            Language::Python => Lang::Python,
            Language::Java => Lang::Java,
            Language::Octave => Lang::Octave,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_quote_what_make_would_read_otherwise() {
        let file = |path: &str| File { path: path.into(), text: String::new() };
        let rules = rules(Path::new("out dir"), &[file("a.h"), file("b.h")], &["c$#.lcm".into()]);
        assert_eq!(rules, "out\\ dir/a.h \\\n  out\\ dir/b.h: \\\n  c$$\\#.lcm\n");
    }
}
