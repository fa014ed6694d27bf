//! The generated C code compiles under strict flags, round-trips messages, and survives hostile bytes.

#[path = "c_support/mod.rs"]
mod support;

use saltus_gen::{Lang, Options, Style};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::*;

/// Random changes of each message.
const ROUNDS: &str = "200";

#[test]
fn compiles_without_warnings() {
    let dir = scratch("c-strict");
    let sources = generate(&schema(), &dir, Lang::C, &options(Style::Modern), ".c");
    assert_eq!(sources.len(), schema().structs().len());
    // With the optimiser, which finds more, in one standard; all of them in one call.
    let mut compilers = vec![(cc(), "-std=c99", "-O2"), (cc(), "-std=c11", "-O0"), (cc(), "-std=c17", "-O0")];
    if is_there("clang") {
        compilers.push((Command::new("clang"), "-std=c99", "-O2"));
    }
    let objects = scratch("c-strict-objects");
    for (mut compiler, standard, level) in compilers {
        compiler.args([standard, level, "-c", "-I"]).arg(&dir).args(STRICT).args(&sources);
        run(compiler.current_dir(&objects));
    }
}

#[test]
fn headers_stand_alone_in_c_and_in_cpp() {
    let dir = scratch("c-headers");
    let (mut in_c, mut in_cpp) = (Vec::new(), Vec::new());
    for (i, header) in generate(&schema(), &dir, Lang::C, &options(Style::Modern), ".h").iter().enumerate() {
        // As the main file, a header may have unused functions, so it is included instead.
        let text = format!("#include \"{}\"\n", header.display());
        let path = dir.join(format!("includes{i}"));
        std::fs::write(path.with_extension("c"), &text).unwrap();
        in_c.push(path.with_extension("c"));
        // Names that are keywords only of C++ are kept in C, as in LCM.
        if !header.to_string_lossy().contains("odd_class_") {
            std::fs::write(path.with_extension("cpp"), &text).unwrap();
            in_cpp.push(path.with_extension("cpp"));
        }
    }
    run(cc().args(["-std=c99", "-fsyntax-only", "-I"]).arg(&dir).args(STRICT).args(in_c));
    run(cxx().args(["-std=c++17", "-fsyntax-only", "-I"]).arg(&dir).args(STRICT).args(in_cpp));
}

#[test]
fn constants_are_constants_in_c_and_in_cpp() {
    let dir = scratch("c-constants");
    generate(&schema(), &dir, Lang::C, &options(Style::Modern), ".h");
    let names = |tail: &str| {
        let named = ["NONE", "MOST", "LEAST"].map(|name| format!("T_ALL_CONSTS_T_{name}{tail}"));
        named.join(", ")
    };
    for (mut compiler, standard, file, constant) in
        [(cc(), "-std=c99", "use.c", "const"), (cxx(), "-std=c++17", "use.cpp", "constexpr")]
    {
        let doubles = format!("{constant} double doubles[] = {{{}}};", names(""));
        let floats = format!("{constant} float floats[] = {{{}}};", names("_F"));
        let text = format!("#include \"t_all_consts_t.h\"\n{doubles}\n{floats}\n");
        std::fs::write(dir.join(file), text).unwrap();
        run(compiler.args([standard, "-fsyntax-only", "-I"]).arg(&dir).args(STRICT).arg(dir.join(file)));
    }
}

#[test]
fn is_formatted() {
    let dir = scratch("c-format");
    let mut files = generate(&schema(), &dir, Lang::C, &options(Style::Modern), "");
    check_format(&dir, &files);
    files = generate(&schema(), &dir, Lang::C, &options(Style::Lcm), "");
    check_format(&dir, &files);
}

/// Compiles the test program for all types.
fn driver(dir: &Path, extra: &[&str]) -> PathBuf {
    let schema = schema();
    let sources = generate(&schema, dir, Lang::C, &options(Style::Modern), ".c");
    let names: Vec<String> = (0..schema.structs().len()).map(|i| c_name(&schema, i)).collect();
    let includes: String = names.iter().map(|n| format!("#include \"{n}.h\"\n")).collect();
    let all: String = names.iter().map(|n| format!(" T({n})")).collect();
    std::fs::write(dir.join("types.h"), format!("{includes}#define TYPES(T){all}\n")).unwrap();
    let program = dir.join("drive");
    let mut command = cc();
    command.args(["-std=c99", "-Wl,--wrap=malloc,--wrap=calloc", "-I"]).arg(dir).args(extra);
    command.arg(support().join("drive.c")).args(&sources).arg("-o").arg(&program);
    run(&mut command);
    program
}

fn messages(dir: &Path) -> PathBuf {
    let path = dir.join("messages");
    message::all(schema(), 1).write(&path);
    path
}

#[test]
fn right_messages_round_trip_and_hostile_ones_do_no_harm() {
    let dir = scratch("c-drive");
    let program = driver(&dir, SANITIZE);
    let printed = run(Command::new(program).arg(messages(&dir)).arg(ROUNDS));
    assert!(printed.ends_with("messages\n"), "{printed}");
}

#[test]
fn the_plain_copies_work_too() {
    // Another architecture: without the vectorized copies, and with bytes swapped one by one.
    let dir = scratch("c-drive-plain");
    let program = driver(&dir, &["-O2", "-DSALTUS_ONE_BY_ONE"]);
    run(Command::new(program).arg(messages(&dir)).arg("10"));
}

#[test]
fn bytes_are_those_of_the_worked_dump() {
    let dir = scratch("c-dump");
    let sources = generate(&schema(), &dir, Lang::C, &Options::default(), ".c");
    let wanted = |p: &&PathBuf| p.ends_with("t_all_all_t.c") || p.ends_with("t_all_inner_t.c");
    let program = dir.join("dump");
    let mut command = cc();
    command.args(SANITIZE).args(STRICT).args(["-std=c99", "-I"]).arg(&dir).arg(support().join("dump.c"));
    run(command.args(sources.iter().filter(wanted)).arg("-o").arg(&program));
    assert_eq!(run(&mut Command::new(program)), support::DUMP);
}

#[test]
fn a_plain_layout_is_built_in_place_and_another_one_refused() {
    let dir = scratch("c-plain");
    generate(&schema(), &dir, Lang::C, &options(Style::Modern), ".c");
    let program = dir.join("plain");
    let mut command = cc();
    command.args(SANITIZE).args(STRICT).args(["-std=c11", "-I"]).arg(&dir).arg(support().join("plain.c"));
    run(command.arg("-o").arg(&program));
    assert_eq!(run(&mut Command::new(program)), "done\n");
}

#[test]
fn fixed_types_need_no_library() {
    let dir = scratch("c-arm");
    let schema = schema();
    let sources = generate(&schema, &dir, Lang::C, &options(Style::Modern), ".c");
    let mut compiled = 0;
    for (i, source) in sources.iter().enumerate() {
        if !schema.is_fixed(saltus_types::Type::Struct(saltus_types::StructId(i))) {
            continue;
        }
        let object = dir.join(format!("{i}.o"));
        let mut arm = Command::new("arm-none-eabi-gcc");
        arm.args([
            "-mcpu=cortex-m4",
            "-mthumb",
            "-ffreestanding",
            "-nostdlib",
            "-Os",
            "-std=c99",
            "-c",
            "-I",
        ]);
        run(arm.arg(&dir).args(STRICT).arg(source).arg("-o").arg(&object));
        // Our other types, and names that every compiler needs.
        let undefined = run(Command::new("arm-none-eabi-nm").arg("--undefined-only").arg(&object));
        for symbol in undefined.lines().filter_map(|line| line.split_whitespace().nth(1)) {
            let ours = symbol.ends_with("_read") || symbol.ends_with("_write");
            assert!(ours || ["memcpy", "memset"].contains(&symbol), "{}: {symbol}", source.display());
        }
        compiled += 1;
    }
    assert!(compiled >= 8, "{compiled}");
}
