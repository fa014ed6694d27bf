//! The licences of crates linked into the command: most require that their text accompanies every copy.

use crate::run::{failed, output};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const FOREWORD: &str = "\
The command contains the Rust standard library (MIT OR Apache-2.0) and these crates, each under its own licence. Their files
of licences and notices follow, each once, below the names of those that have it.
";

/// The licences of the command's crates, as one text.
pub fn text() -> Result<String, String> {
    let places = places()?;
    let mut names = String::new();
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, licence) in linked()? {
        let place = places.get(&name).ok_or(format!("cargo metadata does not say where {name} is"))?;
        let files = files(place)?;
        let none = if files.is_empty() { " (it has no file of it)" } else { "" };
        names += &format!("  {name}: {licence}{none}\n");
        for file in files {
            let words = fs::read_to_string(&file).map_err(failed(&file))?;
            texts.entry(words.trim().to_owned()).or_default().insert(name.clone());
        }
    }
    let line = "-".repeat(80);
    let section = |(text, names): (&String, &BTreeSet<String>)| {
        let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        format!("\n{line}\n{names}\n{line}\n\n{text}\n")
    };
    Ok(format!("{FOREWORD}\n{names}{}", texts.iter().map(section).collect::<String>()))
}

/// The third-party crates linked into the command, as NAME-VERSION, with their declared licence.
pub fn linked() -> Result<BTreeMap<String, String>, String> {
    let mut tree = Command::new("cargo");
    tree.args(["tree", "--locked", "-p", "saltus-cli", "-e", "normal,no-proc-macro", "--prefix", "none"]);
    let lines = output(tree.args(["--no-dedupe", "--format", "{p}\t{l}"]))?;
    let mut crates = BTreeMap::new();
    for line in lines.lines() {
        let (package, licence) = line.split_once('\t').ok_or(format!("cargo tree says: {line}"))?;
        // NAME vVERSION; for a crate of this workspace, its path follows.
        if let [name, version] = package.split(' ').collect::<Vec<_>>()[..] {
            crates.insert(format!("{name}-{}", version.trim_start_matches('v')), licence.to_owned());
        }
    }
    Ok(crates)
}

/// The source directory of each crate, by NAME-VERSION.
fn places() -> Result<BTreeMap<String, PathBuf>, String> {
    let metadata = output(Command::new("cargo").args(["metadata", "--locked", "--format-version", "1"]))?;
    let manifests = metadata.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let directories = manifests.filter_map(|manifest| Path::new(manifest).parent());
    Ok(directories.filter_map(|dir| Some((dir.file_name()?.to_str()?.to_owned(), dir.into()))).collect())
}

/// The licence files and notices below a directory: a crate may contain other projects' code.
fn files(place: &Path) -> Result<Vec<PathBuf>, String> {
    let kinds = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
    let mut files = Vec::new();
    for path in fs::read_dir(place).map_err(failed(place))?.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else if kinds.iter().any(|kind| name.starts_with(kind)) && !name.ends_with(".RS") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
