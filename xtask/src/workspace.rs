//! The packages of a workspace, according to their manifests.

use crate::run::read;
use std::fs;
use std::path::{Path, PathBuf};

/// A package.
#[derive(Debug, Default)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub dir: PathBuf,
    /// The files from which its library and programs are compiled.
    pub roots: Vec<PathBuf>,
    /// The packages of this workspace that it is built from.
    pub ours: Vec<String>,
    /// The number of other packages that it is built from.
    pub foreign: usize,
}

impl Package {
    /// An empty one.
    pub fn new(dir: &Path) -> Package {
        Package { dir: dir.to_path_buf(), ..Package::default() }
    }
}

/// The members of the workspace in `root`.
pub fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let text = read(&root.join("Cargo.toml"))?;
    let members = text.split_once("members = [").and_then(|(_, rest)| rest.split_once(']'));
    let members = members.ok_or("Cargo.toml names no members")?.0;
    members.split('"').skip(1).step_by(2).map(|dir| package(&root.join(dir))).collect()
}

/// Parses one package's manifest. Supports only the TOML that our manifests use.
fn package(dir: &Path) -> Result<Package, String> {
    let mut package = Package::new(dir);
    let (mut section, mut roots) = ("", Vec::new());
    let text = read(&dir.join("Cargo.toml"))?;
    for line in text.lines().map(str::trim) {
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let (key, value) = (key.trim(), value.trim().trim_matches('"'));
        if line.starts_with('[') {
            section = line;
            // `[dependencies.name]`
            let name = section.trim_matches(['[', ']']).strip_prefix("dependencies.");
            name.into_iter().for_each(|name| package.depend(name));
        } else if section == "[package]" && key == "name" {
            package.name = value.into();
        } else if ["[lib]", "[[bin]]"].contains(&section) && key == "path" {
            roots.push(dir.join(value));
        } else if section.ends_with("dependencies]")
            && !section.contains("dev-")
            && line.starts_with(|c: char| c.is_alphabetic())
        {
            package.depend(key);
        }
    }
    roots.extend(["lib.rs", "main.rs"].iter().map(|name| dir.join("src").join(name)));
    for entry in fs::read_dir(dir.join("src/bin")).into_iter().flatten().flatten() {
        roots.push(if entry.path().is_dir() { entry.path().join("main.rs") } else { entry.path() });
    }
    roots.retain(|file| file.is_file());
    roots.sort();
    roots.dedup();
    package.roots = roots;
    Ok(package)
}

impl Package {
    fn depend(&mut self, name: &str) {
        let name = name.split('.').next().unwrap_or(name);
        match name.starts_with("saltus") {
            true => self.ours.push(name.into()),
            false => self.foreign += 1,
        }
    }
}
