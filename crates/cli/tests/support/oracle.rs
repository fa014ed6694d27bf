//! LCM itself, in the virtual environment that all tests of the workspace share.

use std::path::PathBuf;
use std::process::Command;

/// The Python that has LCM.
pub fn lcm_python() -> PathBuf {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/types/environment.py");
    let output = Command::new("python3").arg(script).output().expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let python = String::from_utf8(output.stdout).expect("a path of a test is text");
    PathBuf::from(python.lines().next().expect("the path of the interpreter"))
}
