//! The generated C++ code compiles under strict flags, round-trips messages, and survives hostile bytes.

#[path = "c_support/mod.rs"]
mod support;

use saltus_gen::{Lang, Options, Style};
use std::path::PathBuf;
use std::process::Command;
use support::*;

const ROUNDS: &str = "200";

#[test]
fn every_header_compiles_alone_without_warnings() {
    let dir = scratch("cpp-strict");
    let headers = generate(&schema(), &dir, Lang::Cpp, &options(Style::Modern), ".hpp");
    assert!(headers.len() > schema().structs().len());
    let one = |(i, header): (usize, &PathBuf)| {
        let path = dir.join(format!("one{i}.cpp"));
        std::fs::write(&path, format!("#include \"{}\"\n", header.display())).unwrap();
        path
    };
    let sources: Vec<PathBuf> = headers.iter().enumerate().map(one).collect();
    run(cxx().args(["-std=c++17", "-fsyntax-only", "-I"]).arg(&dir).args(STRICT).args(&sources));
    // All together and each class used, so that the compiler sees every template; optimized, since it then finds
    // more.
    let used = "template int saltus::wire::decode<T>(T &, const std::uint64_t *, const void *, int, int);
        template int saltus::wire::encode<T>(const T &, const std::uint64_t *, void *, int, int);";
    let all_of_them = types().replace(
        "#define TYPES(T)",
        &format!("#define USE(T) {}\n#define TYPES(T)", used.replace('\n', " ")),
    );
    let source = dir.join("all.cpp");
    std::fs::write(&source, format!("{all_of_them}TYPES(USE)\n")).unwrap();
    let mut compilers = vec![(cxx(), "-std=c++17", "-O2"), (cxx(), "-std=c++20", "-O0")];
    if is_there("clang++") {
        compilers.push((Command::new("clang++"), "-std=c++17", "-O2"));
    }
    for (mut compiler, standard, level) in compilers {
        compiler.args([standard, level, "-c", "-o", "/dev/null", "-I"]).arg(&dir).args(STRICT).arg(&source);
        run(&mut compiler);
    }
}

/// The class of a type.
fn class(full: &str) -> String {
    let changed = |part: &str| match part {
        "class" | "switch" | "default" => format!("{part}_"),
        _ => part.to_owned(),
    };
    full.split('.').map(changed).collect::<Vec<String>>().join("::")
}

/// Includes of all types, and the macro TYPES.
fn types() -> String {
    let classes: Vec<String> = schema().structs().iter().map(|s| class(&s.name.to_string())).collect();
    let includes: String =
        classes.iter().map(|n| format!("#include \"{}.hpp\"\n", n.replace("::", "/"))).collect();
    let all: String = classes.iter().map(|n| format!(" T({n})")).collect();
    format!("{includes}#define TYPES(T){all}\n")
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
    std::fs::write(dir.join("types.hpp"), types()).unwrap();
    let program = dir.join("drive");
    let mut command = cxx();
    command.args(["-std=c++17", "-I"]).arg(&dir).args(SANITIZE).arg("-O1").arg(support().join("drive.cpp"));
    run(command.arg("-o").arg(&program));
    message::all(schema, 2).write(&dir.join("messages"));
    let printed = run(Command::new(program).arg(dir.join("messages")).arg(ROUNDS));
    assert!(printed.ends_with("messages\n"), "{printed}");
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
fn an_old_compiler_gets_one_error_that_names_the_standard() {
    let dir = scratch("cpp-old");
    generate(&schema(), &dir, Lang::Cpp, &options(Style::Modern), ".hpp");
    for header in ["t/all/scan_t.hpp", "t/all/fixed_t_plain.hpp"] {
        let mut compiler = cxx();
        compiler.args(["-std=c++11", "-fsyntax-only", "-x", "c++", "-I"]).arg(&dir).arg(dir.join(header));
        let output = compiler.output().expect("a compiler");
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && printed.contains("needs C++17: compile with -std=c++17"),
            "{printed}"
        );
        assert!(printed.matches("error: ").count() <= 2, "{printed}");
    }
}

#[test]
fn bytes_are_those_of_the_worked_dump() {
    assert_eq!(program("dump", &[]), support::DUMP);
}

#[test]
fn sizes_that_disagree_are_refused_and_set_on_request() {
    assert_eq!(program("sizes", &[]), "done\n");
}
