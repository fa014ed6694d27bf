//! LCM's generator, the reference.

use crate::tools::{self, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The generator's verdict on a type file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It accepts the file: the base hash of every struct in it, in order.
    Accepted(Vec<(String, u64)>),
    /// It does not.
    Refused,
}

/// Whether the generator accepts a file, and the hashes that it computes.
///
/// # Errors
/// A generator that cannot be run or whose output is invalid.
pub fn verdict(path: &Path) -> Result<Verdict> {
    let mut command = Command::new(tools::venv("lcm-gen")?);
    let out = command.arg("--debug").arg(path).output().map_err(|e| format!("lcm-gen: {e}"))?;
    if !out.status.success() {
        return Ok(Verdict::Refused);
    }
    let text = String::from_utf8_lossy(&out.stdout);
    let mut structs = Vec::new();
    for line in text.lines().filter(|l| l.starts_with("struct ")) {
        // `struct a.b_t [hash=0x        12345678]`, the digits padded with blanks.
        let words = line.strip_prefix("struct ").and_then(|l| l.strip_suffix(']')?.split_once(" [hash=0x"));
        let name = words.map(|(name, _)| name);
        let hash = words.and_then(|(_, hash)| u64::from_str_radix(hash.trim(), 16).ok());
        let (Some(name), Some(hash)) = (name, hash) else { return Err(format!("lcm-gen says `{line}`")) };
        structs.push((name.to_string(), hash));
    }
    Ok(Verdict::Accepted(structs))
}

/// Generates code from type files.
///
/// # Errors
/// Files that the generator refuses.
pub fn generate(options: &[&str], files: &[PathBuf]) -> Result<()> {
    tools::output(Command::new(tools::venv("lcm-gen")?).args(options).args(files)).map(|_| ())
}

/// The recursive fingerprints of all types of these files, by their full names, from the Python code that the
/// generator emits. One process for all.
///
/// # Errors
/// Files that the generator refuses, or for which it emits Python that does not run.
pub fn fingerprints(dir: &Path, files: &[PathBuf]) -> Result<HashMap<String, u64>> {
    tools::fresh(dir)?;
    generate(&["--python", "--ppath", &dir.to_string_lossy()], files)?;
    let python = tools::venv("python")?;
    let out = tools::output(Command::new(python).arg(tools::file("fingerprints.py")).arg(dir))?;
    let line = |line: &str| {
        let (name, hash) = line.split_once(' ')?;
        Some((name.to_string(), u64::from_str_radix(hash, 16).ok()?))
    };
    out.lines().map(|l| line(l).ok_or_else(|| format!("fingerprints.py says `{l}`"))).collect()
}
