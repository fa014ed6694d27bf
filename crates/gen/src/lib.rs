//! Code generators for the types of a [`Schema`]: Rust, C, C++, Python, Java, Octave.
//!
//! [`generate`] returns the files; [`write()`] writes those that changed to a directory. [`build`] is for a
//! `build.rs`. Each language is a module that turns a schema into files; nothing else depends on the language.

pub mod build;
mod c;
mod cpp;
mod java;
mod levels;
mod missing;
mod names;
mod octave;
mod output;
mod python;
mod rules;
mod rust;
mod text;
mod types;
mod write;

use saltus_types::Schema;

pub use missing::missing;
pub use output::{File, Options, Style, Unsupported};
pub use rules::rules;
pub use types::Types;
pub use write::{Change, write};

/// A language to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lang {
    /// Rust, on crate `saltus-wire`.
    Rust,
    /// C99, on `saltus/wire.h`, which is generated next to it.
    C,
    /// C++17, on `saltus/wire.hpp`, which is generated next to it.
    Cpp,
    /// Python 3.9 and later.
    Python,
    /// Java 8 and later.
    Java,
    /// Octave and MATLAB, through the Java classes, which are generated too.
    Octave,
}

/// The files for these types of `schema` in one language. [`Types`] can be made from several types, such as
/// `&loaded` for everything that the named files declare. Structs that they contain are only referred to: include
/// them too (or all: [`Schema::ids`]).
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
