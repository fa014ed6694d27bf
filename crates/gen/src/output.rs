//! Options shared by all languages, and the output.

use std::path::PathBuf;

/// The style of the code. Applies to C, C++, Python and Java.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Idiomatic, using only Saltus' runtime.
    #[default]
    Modern,
    /// Everything that LCM's generator emits, so that a program written for LCM recompiles: publish and subscribe
    /// stubs in C, `LCMEncodable` in Java, tuples in Python. Needs LCM's headers, jar or package, or replacements
    /// for them.
    Lcm,
}

/// Options of the generators.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The style of the code.
    pub style: Style,
    /// Put before the package of every type: `P` makes `P.a.pose_t` of `a.pose_t`. Fingerprints do not change.
    pub package_prefix: Option<String>,
    /// Java: package of types without one. LCM's is `lcmtypes`.
    pub java_default_package: Option<String>,
    /// C, C++: folder in the include paths of generated headers (`#include "folder/a_pose_t.h"`).
    pub include_folder: Option<String>,
    /// Rust, C, C++: also generate the plain layout of types that can have one.
    pub plain: bool,
}

/// A file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path below the output directory.
    pub path: PathBuf,
    /// Its contents.
    pub text: String,
}

/// Why no code can be generated for a valid schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// Full name of the type.
    pub name: String,
    /// The reason.
    pub why: String,
}

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no code for `{}`: {}", self.name, self.why)
    }
}
impl std::error::Error for Unsupported {}
