//! Gives the shared library the name that programs remember, so that an incompatible one is not loaded in its place.

use std::env;

fn main() {
    let part = |name| env::var(name).unwrap_or_default();
    let (major, minor) = (part("CARGO_PKG_VERSION_MAJOR"), part("CARGO_PKG_VERSION_MINOR"));
    // Before 1.0 every minor version may break what was compiled against the one before.
    let abi = if major == "0" { format!("0.{minor}") } else { major };
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libsaltus.so.{abi}");
    println!("cargo::rerun-if-changed=build.rs");
}
