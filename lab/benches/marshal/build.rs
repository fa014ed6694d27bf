//! Generates the Rust of the benchmark's types.

use saltus_gen::{Lang, Options};
use std::path::Path;

fn main() {
    let file = "schemas/bench.lcm";
    println!("cargo:rerun-if-changed={file}");
    let schema = saltus_types::load([file]).unwrap_or_else(|why| panic!("{why}"));
    let types: Vec<_> = schema.ids().collect();
    let files = saltus_gen::generate(&schema, &types, Lang::Rust, &Options::default());
    let files = files.unwrap_or_else(|why| panic!("{why}"));
    let out = std::env::var("OUT_DIR").expect("Cargo says where");
    saltus_gen::write(&Path::new(&out).join("types"), &files, false).unwrap_or_else(|why| panic!("{why}"));
}
