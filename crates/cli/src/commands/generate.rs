//! `saltus gen`: generate code for types.

use std::io;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use saltus_decode::files;
use saltus_gen::{Change, File, Lang, Options, Style, missing, rules};
use saltus_types::Loaded;
use serde::Serialize;

use crate::exit::{Code, Failure, Outcome, note};
use crate::flags::types;
use crate::flags::{Choices, Output, TypeDirs, one_of};
use crate::print::out::Out;
use saltus_text::escape::harmless;
use saltus_text::human::plural;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("only").args(["dry_run", "list"]))]
pub(crate) struct Gen {
    /// Type files, and directories of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Language of the code
    #[arg(long, value_parser = one_of(LANGUAGES))]
    lang: Lang,

    /// Style of the code (lcm: C, C++, Python and Java only)
    #[arg(long, value_parser = one_of(STYLES), default_value = "modern")]
    style: Style,

    /// Directory to write the code into
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    out: PathBuf,

    #[command(flatten)]
    dirs: TypeDirs,

    /// Package to put before the package of every type
    #[arg(long, value_name = "PACKAGE")]
    package_prefix: Option<String>,

    /// Package of Java types that have none
    #[arg(long, value_name = "PACKAGE")]
    default_package: Option<String>,

    /// Directory in the #include lines of C and C++
    #[arg(long, value_name = "FOLDER")]
    include_folder: Option<String>,

    /// Use the plain layout (types of fixed size only)
    ///
    /// This adds Rust, C or C++ code for the plain layout to that for LCM's encoding.
    #[arg(long)]
    plain: bool,

    /// Generate code for the other types if some are incomplete
    #[arg(long)]
    keep_going: bool,

    /// Report changes without writing
    #[arg(long)]
    dry_run: bool,

    /// List the files that would be written
    #[arg(long)]
    list: bool,

    /// Write dependency rules for make, Ninja and CMake to FILE
    #[arg(long, value_name = "FILE", conflicts_with = "only")]
    depfile: Option<PathBuf>,

    #[command(flatten)]
    output: Output,
}

/// The languages.
const LANGUAGES: Choices<Lang> = &[
    ("rust", "Rust with the crate saltus-wire", Lang::Rust),
    ("c", "C99", Lang::C),
    ("cpp", "C++17", Lang::Cpp),
    ("python", "Python 3.9 and later", Lang::Python),
    ("java", "Java 8 and later", Lang::Java),
    ("octave", "Octave and MATLAB, with Java classes", Lang::Octave),
];

/// The styles.
const STYLES: Choices<Style> =
    &[("modern", "Idiomatic code", Style::Modern), ("lcm", "The same API as lcm-gen's", Style::Lcm)];

const EXAMPLES: &str = "\
Examples:
  saltus gen --lang rust -o src/types types
  saltus gen --lang cpp --style lcm -o include pose.lcm   for LCM
  saltus gen --lang python -o python -I ../common pose.lcm
  saltus gen --lang c -o gen --depfile gen/pose.d pose.lcm
  saltus gen --lang java --dry-run pose.lcm               see what would change";

/// A line of `gen --json`. Its fields are a stable interface.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a Path,
    change: &'static str,
}

pub(crate) fn run(args: Gen) -> Outcome {
    args.refuse()?;
    let (paths, left_out) = args.files()?;
    let loaded = types::load(files::loader(&paths, &args.dirs.all()?))?;
    let files = saltus_gen::generate(&loaded.schema, &loaded, args.lang, &args.options())
        .map_err(|e| Failure::new(Code::Failed, e.to_string()))?;
    if args.list {
        let mut out = Out::new()?;
        files.iter().try_for_each(|file| out.line(shown(&args.out.join(&file.path))))?;
        return out.flush();
    }
    let failed = |e: io::Error| Failure::new(Code::Failed, format!("cannot write the code: {e}"));
    let done = saltus_gen::write(&args.out, &files, args.dry_run).map_err(failed)?;
    args.write_rules(&files, &loaded.files).map_err(failed)?;
    args.warn_of_missing(&loaded, &files);
    args.report(&done)?;
    match left_out {
        0 => Ok(()),
        n => Err(Failure::new(Code::Failed, format!("left out {}: see the errors above", plural(n, "file")))),
    }
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

impl Gen {
    /// The type files, and how many were left out: with --keep-going, those that cannot be loaded.
    fn files(&self) -> Outcome<(Vec<PathBuf>, u64)> {
        let files = types::files_of(&self.paths)?;
        if !self.keep_going {
            return Ok((files, 0));
        }
        let (dirs, all) = (self.dirs.all()?, files.len());
        let whole = |file: &PathBuf| types::load_alone(files::loader(std::slice::from_ref(file), &dirs));
        let good: Vec<PathBuf> = files.into_iter().filter(whole).collect();
        let left_out = (all - good.len()) as u64;
        if good.is_empty() {
            return Err(Failure::new(
                Code::Failed,
                format!("cannot use any of {}", plural(left_out, "file")),
            ));
        }
        Ok((good, left_out))
    }

    /// Prints the change of each file.
    fn report(&self, done: &[(PathBuf, Change)]) -> Outcome {
        let mut out = Out::new()?;
        for (path, change) in done {
            if self.output.is_json() {
                out.json(&Line { file: path, change: word(*change) })?;
            } else if !self.output.is_quiet() && *change != Change::Same {
                out.line(format_args!("{} {}", word(*change), shown(path)))?;
            }
        }
        out.flush()?;
        if !self.output.is_quiet() && !self.output.is_json() {
            let same = done.iter().filter(|(_, change)| *change == Change::Same).count() as u64;
            let of = if same == 0 { String::new() } else { format!(", {} unchanged", plural(same, "file")) };
            let would = if self.dry_run { " would be" } else { "" };
            note(format_args!("{}{would} written{of}", plural(done.len() as u64 - same, "file")));
        }
        Ok(())
    }

    /// Refuses options that the language does not support.
    fn refuse(&self) -> Outcome {
        use Lang::{C, Cpp, Java, Octave, Python, Rust};
        let words = match self.lang {
            Rust if self.style == Style::Lcm => "LCM has no Rust API: omit --style lcm",
            Octave if self.style == Style::Lcm => "LCM has no Octave API: omit --style lcm",
            Python | Java | Octave if self.plain => "the plain layout is for Rust, C and C++: omit --plain",
            Rust | C | Cpp | Python | Java | Octave => return Ok(()),
        };
        Err(Failure::new(Code::Usage, words))
    }

    /// Warns about structs that others refer to and that have no generated code, from now or earlier.
    fn warn_of_missing(&self, loaded: &Loaded, made: &[File]) {
        let get = |id| loaded.schema.get(id);
        for (outer, inner) in missing(loaded, self.lang, &self.options(), &self.out, made) {
            let (outer, inner) = (&get(outer).name, get(inner));
            note(format_args!(
                "warning: `{outer}` has a `{}`, for which no code was made: name {} too",
                inner.name, inner.file
            ));
        }
    }

    /// Writes the dependency rules of --depfile, if given.
    fn write_rules(&self, files: &[File], sources: &[PathBuf]) -> io::Result<()> {
        let Some(path) = &self.depfile else { return Ok(()) };
        let text = rules(&self.out, files, sources);
        let rules = File { path: path.file_name().unwrap_or_default().into(), text };
        saltus_gen::write(path.parent().unwrap_or(Path::new("")), &[rules], false).map(drop)
    }

    fn options(&self) -> Options {
        Options {
            style: self.style,
            package_prefix: self.package_prefix.clone(),
            java_default_package: self.default_package.clone(),
            include_folder: self.include_folder.clone(),
            plain: self.plain,
        }
    }
}
