//! Random types: their generated Rust is formatted, passes clippy, and reads and writes the same bytes as the codec
//! without generated code.

mod rust_package;

use rust_package::Package;
use saltus_gen::{File, Lang, Options, generate};
use saltus_types::arbitrary::{self, Rng};
use saltus_types::wire;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

const SEEDS: u64 = 12;
const MESSAGES: usize = 4;

#[test]
fn random_types_and_messages() {
    let kinds = arbitrary::Options {
        enums: true,
        odd_names: true,
        odd_strings: false,
        ..arbitrary::Options::default()
    };
    let mut files = Vec::new();
    let mut library = String::from("//! Random types.\n");
    let mut program = String::from(include_str!("rust/random.rs"));
    let mut messages = 0;
    for seed in 0..SEEDS {
        let mut rng = Rng::new(seed);
        let text = arbitrary::schema_text(&mut rng, &kinds);
        let schema = Arc::new(saltus_types::parse("random.lcm", &text).unwrap_or_else(|e| panic!("{e}")));
        let types: Vec<_> = schema.ids().collect();
        let options = Options { plain: true, ..Options::default() };
        let generated = generate(&schema, &types, Lang::Rust, &options).unwrap();
        let _ = writeln!(library, "pub mod s{seed};\n");
        let _ = writeln!(program, "#[test]\nfn seed_{seed}() {{\n    use generated::s{seed}::*;");
        for (path, name) in generated.iter().flat_map(types_in) {
            let id = schema.find(&name).unwrap();
            for _ in 0..MESSAGES {
                let bytes = wire::encode(&arbitrary::message(&mut rng, &kinds, &schema, id)).unwrap();
                let _ = writeln!(program, "    check::<{path}>(b\"{}\");", bytes.escape_ascii());
                messages += 1;
            }
        }
        program.push_str("}\n");
        let below = |f: File| File { path: Path::new(&format!("s{seed}")).join(f.path), text: f.text };
        files.extend(generated.into_iter().map(below));
    }
    assert!(messages > 100, "only {messages} messages");

    let package = Package::new("random", &files);
    package.manifest("2024");
    package.file("rustfmt.toml", "");
    let roots: Vec<String> = (0..SEEDS).map(|seed| format!("src/types/s{seed}/mod.rs")).collect();
    let mut check = vec!["--check", "--edition", "2021"];
    check.extend(roots.iter().map(String::as_str));
    package.run("rustfmt", &check);
    package.file("src/types/mod.rs", &library);
    package.file("src/lib.rs", "//! Random types.\nmod types;\npub use types::*;\n");
    package.file("tests/messages.rs", &program);
    package.cargo(&["clippy", "--", "-D", "warnings"]);
    package.cargo(&["test", "--tests"]);
}

/// The Rust path and the full name of every struct in a generated file.
fn types_in(file: &File) -> Vec<(String, String)> {
    let path = file.path.with_extension("");
    let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
    let module: Vec<String> = parts.filter(|part| part != "root").collect();
    let lines: Vec<&str> = file.text.lines().collect();
    let name_of = |pair: &[&str]| {
        let ident = pair[0].strip_prefix("impl wire::Message for ")?.strip_suffix(" {")?;
        let name = pair[1].trim().strip_prefix("const NAME: &'static str = \"")?.strip_suffix("\";")?;
        let path = module.iter().map(String::as_str).chain([ident]).collect::<Vec<_>>().join("::");
        Some((path, name.to_string()))
    };
    lines.windows(2).filter_map(name_of).collect()
}
