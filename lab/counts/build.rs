//! Generates the Rust and the C code of the benchmark's types, and compiles the latter as its users do.

use saltus_gen::{Lang, Options, generate, write};
use std::error::Error;
use std::path::PathBuf;

const TYPES: &str = "../benches/marshal/schemas/bench.lcm";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={TYPES}");
    println!("cargo::rerun-if-changed=codec.c");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let schema = saltus_types::load([TYPES]).map_err(|why| why.to_string())?;
    let types: Vec<_> = schema.ids().collect();
    let rust = generate(&schema, &types, Lang::Rust, &Options::default())?;
    write(&out.join("types"), &rust, false)?;
    let c = generate(&schema, &types, Lang::C, &Options::default())?;
    write(&out.join("c"), &c, false)?;
    let sources = c.iter().map(|file| &file.path).filter(|path| path.extension().is_some_and(|e| e == "c"));
    let mut build = cc::Build::new();
    build.files(sources.map(|path| out.join("c").join(path))).file("codec.c").include(out.join("c"));
    // The same in every profile.
    build.std("c99").opt_level(2).debug(false).try_compile("codec")?;
    Ok(())
}
