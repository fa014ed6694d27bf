//! Python.

use super::{generate, parts};
use crate::corpus::{Corpus, OracleLang};
use crate::driver::Driver;
use crate::oracle;
use crate::tools::{self, Result};
use saltus_gen::{Lang, Options, Style};
use saltus_types::StructId;
use std::path::Path;

/// The driver of our Python.
pub fn ours(corpus: &Corpus, style: Style, dir: &Path) -> Result<Driver> {
    let options = Options { style, ..Options::default() };
    let generated = generate(corpus, Lang::Python, &options, "py", &dir.join("code"))?;
    let types: Vec<StructId> = corpus.schema.ids().collect();
    let name = if style == Style::Lcm { "Python, LCM style" } else { "Python" };
    driver(corpus, name, dir, &types, &|id| parts(&generated[&id]))
        .map(|driver| Driver { any_bytes: style == Style::Modern, ..driver })
}

/// The driver of LCM's Python.
pub fn oracle(corpus: &Corpus, dir: &Path) -> Result<Driver> {
    let code = dir.join("code");
    tools::fresh(&code)?;
    let files = corpus.oracle_files(OracleLang::Python);
    oracle::generate(&["--python", "--ppath", &code.to_string_lossy()], &files)?;
    let types = corpus.types_of(&files);
    let parts = |id| corpus.schema.get(id).name.to_string().split('.').map(String::from).collect();
    driver(corpus, "LCM's Python", dir, &types, &parts).map(|driver| Driver { is_oracle: true, ..driver })
}

fn driver(
    corpus: &Corpus,
    name: &str,
    dir: &Path,
    types: &[StructId],
    parts: &dyn Fn(StructId) -> Vec<String>,
) -> Result<Driver> {
    let row = |&id: &StructId| {
        let parts = parts(id);
        let class = parts.last().cloned().unwrap_or_default();
        format!("{} {} {class}\n", corpus.schema.get(id).name, parts.join("."))
    };
    let table = dir.join("table");
    tools::write(&table, &types.iter().map(row).collect::<String>())?;
    let words = [tools::venv("python")?, tools::file("drivers/driver.py"), table];
    Ok(Driver {
        name: name.into(),
        is_oracle: false,
        types: types.iter().copied().collect(),
        any_bytes: false,
        command: words.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        environment: vec![
            ("PYTHONPATH".into(), dir.join("code").to_string_lossy().into_owned()),
            // NumPy would reserve memory for a thread on every core.
            ("OPENBLAS_NUM_THREADS".into(), "1".into()),
        ],
        address_space: Some(1 << 20),
        dir: dir.into(),
    })
}
