//! Compiles an adapter, once for each version of its source, with this machine's compiler and headers.

use crate::error::Fallible;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const FLAGS: [&str; 6] = ["-std=c++17", "-O2", "-DNDEBUG", "-shared", "-fPIC", "-Wl,--no-undefined"];
/// Where the sources are.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/adapters");

/// Builds the shared library of the source `file`, linked with `libraries`, next to this program.
pub fn library(file: &str, libraries: &[&str]) -> Fallible<PathBuf> {
    let source = Path::new(SOURCES).join(file);
    let directory = std::env::current_exe()?.with_file_name("adapters");
    let library = directory.join(file).with_extension("so");
    let changed = |path: &Path| fs::metadata(path).and_then(|about| about.modified());
    let newest = changed(&source)?.max(changed(&Path::new(SOURCES).join("adapter.hpp"))?);
    if changed(&library).is_ok_and(|made| made > newest) {
        return Ok(library);
    }
    fs::create_dir_all(&directory)?;
    // Another run may compile it at the same time. Both produce the same file, so either may rename it last.
    let unfinished = directory.join(format!("{file}-{}", std::process::id()));
    let mut compiler = Command::new("g++");
    compiler.args(FLAGS).arg("-o").arg(&unfinished).arg(&source).args(libraries);
    let output = compiler.output().map_err(|e| format!("cannot run g++ (package g++): {e}"))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} does not compile:\n{words}", source.display()).into());
    }
    fs::rename(&unfinished, &library)?;
    Ok(library)
}
