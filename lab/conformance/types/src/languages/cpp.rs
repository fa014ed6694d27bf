//! C++.

use super::c::{SANITIZE, sanitizer_options};
use super::dump::{Spelling, functions, spelled};
use super::{generate, parts};
use crate::corpus::{Corpus, OracleLang};
use crate::driver::Driver;
use crate::files;
use crate::oracle;
use crate::tools::{self, Result};
use saltus_gen::{Lang, Options};
use saltus_types::StructId;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The driver of our C++.
pub fn ours(corpus: &Corpus, dir: &Path) -> Result<Driver> {
    let code = dir.join("code");
    let generated = generate(corpus, Lang::Cpp, &Options::default(), "hpp", &code)?;
    let types: Vec<StructId> = corpus.schema.ids().collect();
    let headers: Vec<PathBuf> = types.iter().map(|id| code.join(&generated[id].path)).collect();
    let spell = Spelling {
        ty: &|id| parts(&generated[&id]).join("::"),
        field: &|id, name| spelled(&generated[&id].text, name),
        dump: &|_| "dump".into(),
    };
    let mut flags = vec!["-std=c++17", "-O0"];
    flags.extend(SANITIZE);
    build(corpus, dir, &types, &headers, &spell, &flags, std::slice::from_ref(&code))?;
    Ok(driver("C++", false, dir, &types))
}

/// The driver of LCM's C++.
pub fn oracle(corpus: &Corpus, dir: &Path) -> Result<Driver> {
    let code = dir.join("code");
    tools::fresh(&code)?;
    let files = corpus.oracle_files(OracleLang::Cpp);
    oracle::generate(&["--cpp", "--cpp-hpath", &code.to_string_lossy(), "--cpp-std", "c++11"], &files)?;
    let types = corpus.types_of(&files);
    let name = |id: StructId| corpus.schema.get(id).name.to_string();
    let headers: Vec<PathBuf> =
        types.iter().map(|&id| code.join(format!("{}.hpp", name(id).replace('.', "/")))).collect();
    let spell = Spelling {
        ty: &|id| name(id).replace('.', "::"),
        field: &|_, name| name.into(),
        dump: &|_| "dump".into(),
    };
    let coretypes = files::find(&tools::lcm()?, "lcm_coretypes.h")?;
    let include = [code.clone(), coretypes.ancestors().nth(2).unwrap_or(&coretypes).into()];
    build(corpus, dir, &types, &headers, &spell, &["-std=c++17", "-O0", "-w"], &include)?;
    Ok(driver("LCM's C++", true, dir, &types))
}

fn build(
    corpus: &Corpus,
    dir: &Path,
    types: &[StructId],
    headers: &[PathBuf],
    spell: &Spelling<'_>,
    flags: &[&str],
    include: &[PathBuf],
) -> Result<()> {
    let mut text: String = headers.iter().map(|path| format!("#include \"{}\"\n", path.display())).collect();
    text.push_str(&functions(&corpus.schema, types, spell));
    tools::write(&dir.join("types.hpp"), &text)?;
    let mut gcc = Command::new("g++");
    gcc.args(flags).arg("-I").arg(dir).arg("-I").arg(tools::file("drivers"));
    for dir in include {
        gcc.arg("-I").arg(dir);
    }
    gcc.arg(tools::file("drivers/driver.cpp")).arg("-o").arg(dir.join("driver"));
    tools::output(&mut gcc).map(|_| ())
}

fn driver(name: &str, is_oracle: bool, dir: &Path, types: &[StructId]) -> Driver {
    Driver {
        name: name.into(),
        is_oracle,
        types: types.iter().copied().collect(),
        any_bytes: true,
        command: vec![dir.join("driver").to_string_lossy().into_owned()],
        environment: sanitizer_options(),
        address_space: None,
        dir: dir.into(),
    }
}
