//! Rust.

use crate::corpus::Corpus;
use crate::driver::Driver;
use crate::tools::{self, Result};
use saltus_gen::{File, Lang, Options};
use saltus_types::{Struct, StructId};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The driver of our Rust: a separate package, built by Cargo.
pub fn ours(corpus: &Corpus, dir: &Path) -> Result<Driver> {
    let all: Vec<StructId> = corpus.schema.ids().collect();
    let generate = |types: &[StructId]| {
        saltus_gen::generate(&corpus.schema, types, Lang::Rust, &Options::default())
            .map_err(|e| e.to_string())
    };
    let src = dir.join("src");
    tools::fresh(&src)?;
    saltus_gen::write(&src.join("types"), &generate(&all)?, false).map_err(|e| e.to_string())?;
    let mut rows =
        String::from("//! Made by the suite.\n\nuse crate::{Answer, Dump, object, row, types};\n\n");
    let mut list = String::new();
    let mut enums = BTreeSet::new();
    for &id in &all {
        let files = generate(&[id])?;
        let of = corpus.schema.get(id);
        let (path, fields) = found(&files, of).ok_or_else(|| format!("no Rust for {}", of.name))?;
        let pairs: String = of
            .fields
            .iter()
            .zip(fields)
            .map(|(field, ident)| format!("(\"{}\", &self.{ident} as &dyn Dump), ", field.name))
            .collect();
        implementation(&mut rows, &path, &format!("object(out, &[{pairs}]);"));
        let _ = writeln!(list, "        (\"{}\", row::<{path}>()),", of.name);
        enums.extend(files.iter().flat_map(enums_of));
    }
    for path in enums {
        implementation(&mut rows, &path, "self.0.dump(out);");
    }
    let _ = writeln!(rows, "pub fn rows() -> Vec<(&'static str, Answer)> {{\n    vec![\n{list}    ]\n}}");
    tools::write(&src.join("rows.rs"), &rows)?;
    let main = std::fs::read_to_string(tools::file("drivers/driver.rs")).map_err(|e| e.to_string())?;
    tools::write(&src.join("main.rs"), &main)?;
    build(dir)?;
    Ok(Driver {
        name: "Rust".into(),
        is_oracle: false,
        types: all.into_iter().collect(),
        any_bytes: false,
        command: vec![dir.join("target/debug/driver").to_string_lossy().into_owned()],
        environment: Vec::new(),
        address_space: Some(64 << 10),
        dir: dir.into(),
    })
}

fn implementation(out: &mut String, path: &str, body: &str) {
    let _ = writeln!(
        out,
        "impl Dump for {path} {{\n    fn dump(&self, out: &mut String) {{\n        {body}\n    }}\n}}\n"
    );
}

/// `types::a::b`, the module of a generated file; the contents of `root.rs` are exported one level up.
fn module(file: &File) -> String {
    let path = file.path.with_extension("");
    let parts = path.iter().map(|part| part.to_string_lossy().into_owned()).filter(|part| part != "root");
    std::iter::once(String::from("types")).chain(parts).collect::<Vec<_>>().join("::")
}

/// Path of the type that these files define, and the names of its fields.
fn found(files: &[File], of: &Struct) -> Option<(String, Vec<String>)> {
    let (file, at) = files.iter().find_map(|file| {
        let mut lines = file.text.lines();
        let at = lines.position(|l| l.starts_with("pub struct ") && l.contains('{'))?;
        Some((file, at))
    })?;
    let mut lines = file.text.lines().skip(at);
    let name = lines.next()?.strip_prefix("pub struct ")?.split([' ', '{']).next()?;
    let field = |line: &str| Some(line.strip_prefix("    pub ")?.split_once(':')?.0.to_string());
    let fields: Vec<String> =
        lines.take_while(|l| *l != "}").filter_map(field).take(of.fields.len()).collect();
    (fields.len() == of.fields.len()).then(|| (format!("{}::{name}", module(file)), fields))
}

/// Paths of the enums in a file.
fn enums_of(file: &File) -> Vec<String> {
    let name = |line: &str| Some(line.strip_prefix("pub struct ")?.strip_suffix("(pub i32);")?.to_string());
    file.text.lines().filter_map(name).map(|name| format!("{}::{name}", module(file))).collect()
}

fn build(dir: &Path) -> Result<()> {
    let wire = tools::root().join("crates/wire");
    let manifest = format!(
        "[package]\nname = \"driver\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nsaltus-wire = {{ path = {:?} }}\n\n[profile.dev]\ndebug = false\nincremental = false\n",
        wire.to_string_lossy()
    );
    tools::write(&dir.join("Cargo.toml"), &manifest)?;
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--quiet", "--offline"]).current_dir(dir);
    cargo.env("CARGO_TARGET_DIR", dir.join("target"));
    // The tests' build settings do not apply to the driver.
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    tools::output(&mut cargo).map(|_| ())
}
