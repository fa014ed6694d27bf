//! For a `build.rs`: generates the Rust code of type files when they change.
//!
//! ```no_run
//! // build.rs, with saltus-gen in [build-dependencies] and saltus-wire in [dependencies]
//! fn main() -> Result<(), saltus_gen::build::Error> {
//!     saltus_gen::build::Builder::new().file("types/pose_t.lcm").include("types").compile()
//! }
//! ```
//!
//! ```text
//! // main.rs
//! mod types {
//!     include!(concat!(env!("OUT_DIR"), "/types/mod.rs"));
//! }
//! use types::robot::Pose;
//! ```

use crate::{Lang, Options, Types, Unsupported, generate, write};
use saltus_types::{Diagnostics, Loader};
use std::path::{Path, PathBuf};
use std::{env, fmt, fs, io};

/// The code to generate.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    files: Vec<PathBuf>,
    dirs: Vec<PathBuf>,
    include: Vec<PathBuf>,
    out_dir: Option<PathBuf>,
    options: Options,
}

impl Builder {
    /// A builder without files.
    pub fn new() -> Builder {
        Builder::default()
    }
    /// Adds a type file. Paths are relative to the package, as in all build scripts.
    #[must_use]
    pub fn file(mut self, path: impl Into<PathBuf>) -> Builder {
        self.files.push(path.into());
        self
    }
    /// Adds all type files (`*.lcm`) in a directory and below it.
    #[must_use]
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Builder {
        self.dirs.push(dir.into());
        self
    }
    /// Adds a directory to search for types that the files refer to. Those are generated as well.
    #[must_use]
    pub fn include(mut self, dir: impl Into<PathBuf>) -> Builder {
        self.include.push(dir.into());
        self
    }
    /// Whether types of fixed size also get their plain layout.
    #[must_use]
    pub fn plain(mut self, plain: bool) -> Builder {
        self.options.plain = plain;
        self
    }
    /// Modules before those of every package: `P` makes `P::a::Pose` of `a.pose_t`.
    #[must_use]
    pub fn package_prefix(mut self, prefix: impl Into<String>) -> Builder {
        self.options.package_prefix = Some(prefix.into());
        self
    }
    /// The output directory, instead of `types` in `$OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, dir: impl Into<PathBuf>) -> Builder {
        self.out_dir = Some(dir.into());
        self
    }

    /// Generates the code, writes files that changed, and instructs Cargo when to rerun the script. Warnings about the
    /// type files become Cargo warnings.
    ///
    /// # Errors
    /// Errors in the type files, in the style of the compiler; or a file that cannot be read or written.
    pub fn compile(self) -> Result<(), Error> {
        let out = match self.out_dir {
            Some(dir) => dir,
            None => PathBuf::from(env::var_os("OUT_DIR").ok_or(Error::NoOutDir)?).join("types"),
        };
        let mut files = self.files;
        for dir in &self.dirs {
            type_files(dir, &mut files)?;
        }
        if files.is_empty() {
            return Err(Error::NoFiles);
        }
        // Printed first: after an error, the script must rerun when the file was fixed.
        for path in files.iter().chain(&self.dirs).chain(&self.include) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
        let loader = files.into_iter().fold(Loader::new(), Loader::file);
        let loaded = self.include.into_iter().fold(loader, Loader::include).load().map_err(Error::Types)?;
        for path in &loaded.files {
            println!("cargo::rerun-if-changed={}", path.display());
        }
        for warning in &loaded.warnings.list {
            let place = warning.span.map(|span| format!("{}: ", loaded.warnings.sources.place(span)));
            println!("cargo::warning={}{}", place.unwrap_or_default(), warning.message);
        }
        let structs: Vec<_> = loaded.schema.ids().collect();
        let types = Types { structs: &structs, enums: &loaded.named_enums };
        let texts = generate(&loaded.schema, types, Lang::Rust, &self.options).map_err(Error::Unsupported)?;
        write(&out, &texts, false).map_err(Error::Io)?;
        Ok(())
    }
}

/// Adds the type files in `dir` and below it, in the order of their names.
fn type_files(dir: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let io = |e: io::Error| Error::Io(io::Error::new(e.kind(), format!("{}: {e}", dir.display())));
    let entries: Result<Vec<_>, _> = fs::read_dir(dir).map_err(io)?.map(|e| e.map(|e| e.path())).collect();
    let mut entries = entries.map_err(io)?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            type_files(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "lcm") {
            files.push(path);
        }
    }
    Ok(())
}

/// Why no code was generated. Its `Debug` form, which a build script shows, is also readable for people.
#[non_exhaustive]
pub enum Error {
    /// `$OUT_DIR` is not set: this is not a build script.
    NoOutDir,
    /// No type files were named, and the directories contain none.
    NoFiles,
    /// The type files have errors.
    Types(Diagnostics),
    /// A type that Rust cannot represent.
    Unsupported(Unsupported),
    /// A file cannot be read or written.
    Io(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoOutDir => {
                f.write_str("OUT_DIR is not set: call this from a build script, or set `out_dir`")
            }
            Error::NoFiles => f.write_str("no type files: name some with `file` or `dir`"),
            Error::Types(said) => write!(f, "the type files have errors\n\n{said}"),
            Error::Unsupported(why) => why.fmt(f),
            Error::Io(e) => e.fmt(f),
        }
    }
}
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
impl std::error::Error for Error {}
