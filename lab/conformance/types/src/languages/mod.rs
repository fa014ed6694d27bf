//! One module per language: it turns generated code into a driver.

pub mod c;
pub mod cpp;
pub mod dump;
pub mod java;
pub mod python;
pub mod rust;

use crate::corpus::Corpus;
use crate::tools::{self, Result};
use saltus_gen::{File, Lang, Options};
use saltus_types::StructId;
use std::collections::HashMap;
use std::path::Path;

/// Generates the code of all types, and writes it to `dir`. Returns the file of each type.
pub fn generate(
    corpus: &Corpus,
    lang: Lang,
    options: &Options,
    extension: &str,
    dir: &Path,
) -> Result<HashMap<StructId, File>> {
    tools::fresh(dir)?;
    let make = |types: &[StructId]| {
        saltus_gen::generate(&corpus.schema, types, lang, options).map_err(|e| format!("{lang:?}: {e}"))
    };
    let all: Vec<StructId> = corpus.schema.ids().collect();
    saltus_gen::write(dir, &make(&all)?, false).map_err(|e| e.to_string())?;
    let mut of = HashMap::new();
    for id in all {
        let name = &corpus.schema.get(id).name.name;
        let is_it = |file: &&File| {
            let stem = file.path.file_stem().unwrap_or_default().to_string_lossy();
            file.path.extension().is_some_and(|e| e == extension)
                && stem.trim_end_matches('_').ends_with(name.trim_end_matches('_'))
        };
        let file = make(&[id])?.iter().find(is_it).cloned();
        of.insert(id, file.ok_or_else(|| format!("{lang:?}: no file for {}", corpus.schema.get(id).name))?);
    }
    Ok(of)
}

/// The parts of a file's path without its extension: packages and name, in the language's spelling.
pub fn parts(file: &File) -> Vec<String> {
    file.path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect()
}
