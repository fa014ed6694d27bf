//! The generated C++ code: compiles under strict flags, round trips, and stands hostile bytes.

#[path = "c_support/mod.rs"]
mod support;

use saltus_gen::{Lang, Options, Style};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::message::{Expect, Messages, Random, edges, random};
use support::*;

const MESSAGES: u64 = 6;
const ROUNDS: &str = "200";

#[test]
fn every_header_compiles_alone_without_warnings() {
    let dir = scratch("cpp-strict");
    let headers = generate(&schema(), &dir, Lang::Cpp, &options(Style::Modern), ".hpp");
    assert!(headers.len() > schema().structs().len());
    let source = dir.join("one.cpp");
    for header in &headers {
        std::fs::write(&source, format!("#include \"{}\"\n", header.display())).unwrap();
        run(cxx().args(["-std=c++17", "-fsyntax-only", "-I"]).arg(&dir).args(STRICT).arg(&source));
    }
    // All together, optimised, so that the compiler sees through the templates; each class used.
    std::fs::write(&source, format!("{}TYPES(USE)\n", all(&dir, &[]))).unwrap();
    let used = "#define USE(T) template int saltus::wire::decode<T>(T &, const std::uint64_t *, const void *, int, int);";
    let text = std::fs::read_to_string(&source).unwrap();
    std::fs::write(&source, text.replace("TYPES(USE)", &format!("{used}\nTYPES(USE)"))).unwrap();
    let mut compilers = vec![cxx()];
    if is_there("clang++") {
        compilers.push(Command::new("clang++"));
    }
    for mut compiler in compilers {
        for standard in ["-std=c++17", "-std=c++20"] {
            let mut command = Command::new(compiler.get_program());
            command.args([standard, "-O2", "-c", "-o", "/dev/null", "-I"]).arg(&dir).args(STRICT);
            run(command.arg(&source));
        }
        let _ = &mut compiler;
    }
}

/// The class of a type.
fn cpp_name(full: &str) -> String {
    let parts = full
        .split('.')
        .map(|p| if ["class", "switch", "default"].contains(&p) { format!("{p}_") } else { p.into() });
    parts.collect::<Vec<String>>().join("::")
}

/// Includes of all types, and the macro TYPES.
fn all(dir: &Path, extra: &[&str]) -> String {
    let schema = schema();
    let names: Vec<String> = schema.structs().iter().map(|s| cpp_name(&s.name.to_string())).collect();
    let includes: String =
        names.iter().map(|n| format!("#include \"{}.hpp\"\n", n.replace("::", "/"))).collect();
    let types: String = names.iter().map(|n| format!(" T({n})")).collect();
    assert!(dir.is_dir() && extra.is_empty());
    format!("{includes}#define TYPES(T){types}\n")
}

#[test]
fn is_formatted() {
    let dir = scratch("cpp-format");
    check_format(&dir, &generate(&schema(), &dir, Lang::Cpp, &options(Style::Modern), ""));
}

#[test]
fn right_messages_round_trip_and_hostile_ones_do_no_harm() {
    let dir = scratch("cpp-drive");
    let schema = schema();
    generate(&schema, &dir, Lang::Cpp, &options(Style::Modern), ".hpp");
    std::fs::write(dir.join("types.hpp"), all(&dir, &[])).unwrap();
    let program = dir.join("drive");
    let mut command = cxx();
    command.args(["-std=c++17", "-I"]).arg(&dir).args(SANITIZE).arg(support().join("drive.cpp"));
    run(command.arg("-o").arg(&program));
    let (mut messages, mut rng) = (Messages::default(), Random::new(2));
    for id in schema.ids() {
        for _ in 0..MESSAGES {
            messages.add(id, Expect::Right, &random(&schema, id, &mut rng));
        }
    }
    edges(&schema, &mut messages);
    messages.write(&dir.join("messages"));
    let said = run(Command::new(program).arg(dir.join("messages")).arg(ROUNDS));
    assert!(said.ends_with("messages\n"), "{said}");
}

fn program(name: &str, flags: &[&str]) -> String {
    let dir = scratch(&format!("cpp-{name}"));
    generate(&schema(), &dir, Lang::Cpp, &Options { plain: true, ..Options::default() }, ".hpp");
    let program: PathBuf = dir.join(name);
    let mut command = cxx();
    command.args(["-std=c++17", "-I"]).arg(&dir).args(SANITIZE).args(STRICT).args(flags);
    run(command.arg(support().join(format!("{name}.cpp"))).arg("-o").arg(&program));
    run(&mut Command::new(program))
}

#[test]
fn bytes_are_those_of_the_worked_dump() {
    assert_eq!(program("dump", &[]), support::DUMP);
}

#[test]
fn sizes_that_disagree_are_refused_and_set_on_request() {
    assert_eq!(program("sizes", &[]), "done\n");
}
