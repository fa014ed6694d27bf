//! Code for the types of a [`Schema`]: Rust, C, C++, Python, Java, Octave.
//!
//! [`generate`] makes the texts; [`write()`] puts those that changed into a directory. [`build`] is for a `build.rs`.
//! Each language is a module that turns a schema into files, and nothing else knows that language.

pub mod build;
mod c;
mod cpp;
mod java;
mod missing;
mod names;
mod octave;
mod python;
mod rules;
mod rust;
mod text;
mod types;
mod write;

use saltus_types::Schema;
use std::path::PathBuf;

pub use missing::missing;
pub use rules::rules;
pub use types::Types;
pub use write::{Change, write};

/// A language to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lang {
    /// Rust, on crate `saltus-wire`.
    Rust,
    /// C99, on `saltus/wire.h`, which is generated beside it.
    C,
    /// C++17, on `saltus/wire.hpp`, which is generated beside it.
    Cpp,
    /// Python 3.9 and later.
    Python,
    /// Java 8 and later.
    Java,
    /// Octave and MATLAB, through the Java classes, which are generated too.
    Octave,
}

/// Whose programs the code is for. Concerns C, C++, Python and Java.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Idiomatic, and on nothing but what Saltus brings.
    #[default]
    Modern,
    /// All that LCM's generator emits, so that a program written for LCM recompiles: publish and subscribe stubs in C,
    /// `LCMEncodable` in Java, tuples in Python. Needs LCM's headers, jar or package, or drop-ins for them.
    Lcm,
}

/// How to generate.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whose programs it is for.
    pub style: Style,
    /// Put before the package of every type: `P` makes `P.a.pose_t` of `a.pose_t`. Fingerprints do not change.
    pub package_prefix: Option<String>,
    /// Java: package of the types that have none. LCM's is `lcmtypes`.
    pub java_default_package: Option<String>,
    /// C, C++: folder under which the generated headers are included (`#include "folder/a_pose_t.h"`).
    pub include_folder: Option<String>,
    /// Rust, C, C++: also the plain layout of the types that can have one.
    pub plain: bool,
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Where, below the output directory.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// Why no code can be made for a schema that is otherwise right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// Full name of the type.
    pub name: String,
    /// Why.
    pub why: String,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no code for `{}`: {}", self.name, self.why)
    }
}
impl std::error::Error for Unsupported {}

/// The files for these types of `schema` in one language: what [`Types`] is made from, such as `&loaded` for all that the
/// named files declare. Structs that they contain are only referred to: name them too (or all: [`Schema::ids`]).
pub fn generate<'a>(
    schema: &Schema,
    types: impl Into<Types<'a>>,
    lang: Lang,
    options: &Options,
) -> Result<Vec<File>, Unsupported> {
    let types = types.into();
    match lang {
        Lang::Rust => rust::files(schema, types, options),
        Lang::C => c::files(schema, types, options),
        Lang::Cpp => cpp::files(schema, types, options),
        Lang::Python => python::files(schema, types, options),
        Lang::Java => java::files(schema, types, options),
        Lang::Octave => octave::files(schema, types, options),
    }
}
