//! The types of the suite.

use crate::random_types::{self, Taste};
use crate::rng::Rng;
use crate::tools::{self, Result};
use saltus_types::{Loader, Schema, StructId};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Languages for which LCM's generator emits code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OracleLang {
    /// C
    C,
    /// C++
    Cpp,
    /// Python
    Python,
    /// Java
    Java,
}

use OracleLang::{C, Cpp, Java, Python};

/// Type files for which LCM's generator emits code that compiles only in some languages, and in which. (Ours does
/// in all.)
const ODD: [(&str, &[OracleLang]); 5] = [
    // Keywords are emitted unchanged.
    ("keywords.lcm", &[]),
    // `010` is not a number in Python.
    ("hexadecimal.lcm", &[C, Cpp, Java]),
    // Headers cannot include each other.
    ("mutual.lcm", &[Python, Java]),
    // The generator overruns its own buffer.
    ("long_names.lcm", &[Cpp, Python, Java]),
    // There is no code for enums in C++; in Python it does not run, and in C the size is wrong.
    ("enums.lcm", &[Java]),
];

/// Type files, and their types.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// All files.
    pub files: Vec<PathBuf>,
    /// All types in them.
    pub schema: Arc<Schema>,
    /// The file of each type.
    pub origin: HashMap<StructId, PathBuf>,
}

impl Corpus {
    /// The types written by hand, and files of random ones, which are written to `dir`.
    ///
    /// # Errors
    /// Files that cannot be read or written, or that our parser refuses.
    pub fn load(dir: &Path, random_files: usize, seed: u64) -> Result<Corpus> {
        let mut files = hand_written()?;
        let mut rng = Rng::new(seed);
        for i in 0..random_files {
            let taste = Taste {
                package: format!("chance.p{i}"),
                types: 20,
                longest_name: 40,
                any_base: false,
                forward: false,
                largest: 3,
            };
            let path = dir.join(format!("random{i}.lcm"));
            tools::write(&path, &random_types::text(&mut rng, &taste))?;
            files.push(path);
        }
        Corpus::of(files)
    }

    /// The types of these files.
    ///
    /// # Errors
    /// Files that our parser refuses.
    pub fn of(files: Vec<PathBuf>) -> Result<Corpus> {
        let loader = files.iter().fold(Loader::new(), |loader, file| loader.file(file));
        let schema = loader.load().map_err(|e| e.to_string())?.schema;
        let mut origin = HashMap::new();
        for id in schema.ids() {
            let file = files.get(schema.get(id).span.file as usize).ok_or("a type of an unknown file")?;
            origin.insert(id, file.clone());
        }
        Ok(Corpus { files, schema: Arc::new(schema), origin })
    }

    /// The files for which LCM's generator emits code that compiles in that language.
    pub fn oracle_files(&self, lang: OracleLang) -> Vec<PathBuf> {
        let speaks = |path: &&PathBuf| {
            let odd = ODD.iter().find(|(name, _)| path.file_name().is_some_and(|n| n == *name));
            odd.is_none_or(|(_, langs)| langs.contains(&lang))
        };
        self.files.iter().filter(speaks).cloned().collect()
    }

    /// The types of some of the files.
    pub fn types_of(&self, files: &[PathBuf]) -> Vec<StructId> {
        self.schema.ids().filter(|id| files.contains(&self.origin[id])).collect()
    }
}

/// The type files of this package. The one without a package is first: otherwise LCM's generator would give it the
/// previous file's.
///
/// # Errors
/// A directory that cannot be read.
pub fn hand_written() -> Result<Vec<PathBuf>> {
    let dir = tools::file("schemas");
    let entries = std::fs::read_dir(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    files.sort_by_key(|f| (!f.ends_with("root.lcm"), f.clone()));
    Ok(files)
}
