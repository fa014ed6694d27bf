//! For tests: programs of others, such as LCM's, CycloneDDS's and Zenoh's, from PyPI.
//!
//! They are in one virtual environment, `target/python-types`, which all tests of the workspace share. It is made the first
//! time, by `conformance/types/environment.py`, which needs `python3` and a network; so ask for it before a test goes into a
//! network of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The environment's Python.
///
/// # Panics
/// If the environment cannot be made, with what was said about it.
pub fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/types/environment.py");
        let output = Command::new("python3").arg(script).output().expect("Python runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        PathBuf::from(String::from_utf8(output.stdout).expect("a path of a test is text").trim())
    })
}

/// A command of the environment: `python`, `lcm-gen`. It leaves no files of compiled code beside its own.
///
/// # Panics
/// As [`python`].
pub fn program(name: &str) -> Command {
    let mut command = Command::new(python().with_file_name(name));
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
