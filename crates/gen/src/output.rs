//! What is asked of all languages alike, and what comes out.

use std::path::PathBuf;

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
