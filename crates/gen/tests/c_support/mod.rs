//! Shared by the tests of C and C++: types, compilers, and random messages.
#![allow(dead_code)] // each test uses some of it

pub mod message;
pub mod oracle;

use saltus_gen::{Lang, Options, Style};
use saltus_types::{Loader, Schema};
use std::path::{Path, PathBuf};
use std::process::Command;

/// All types that are tested.
pub fn schema() -> Schema {
    let texts = [
        ("geo.lcm", include_str!("geo.lcm")),
        ("all.lcm", include_str!("all.lcm")),
        ("odd.lcm", include_str!("odd.lcm")),
        ("root.lcm", "struct root_t { int32_t x; t.all.inner_t inner; } struct default { int8_t x; }"),
    ];
    let loader = texts.iter().rev().fold(Loader::new(), |l, (path, text)| l.text(path, *text));
    loader.load().unwrap_or_else(|e| panic!("{}", e.render(false))).schema
}

/// This package's directory of test files.
pub fn support() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c_support")
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates/gen lies two below the root")
        .into()
}

/// An empty directory for the output of this test.
pub fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir); // not there, the first time
    std::fs::create_dir_all(&dir).expect("a directory");
    dir
}

/// Generates all types into `dir`; returns the paths of the files that end with `ending`.
pub fn generate(schema: &Schema, dir: &Path, lang: Lang, options: &Options, ending: &str) -> Vec<PathBuf> {
    let types: Vec<_> = schema.ids().collect();
    let files = saltus_gen::generate(schema, &types, lang, options).expect("code");
    saltus_gen::write(dir, &files, false).expect("files");
    let paths = files.iter().map(|f| dir.join(&f.path));
    paths.filter(|p| p.to_string_lossy().ends_with(ending)).collect()
}

/// Options with the plain layout, or for programs of LCM.
pub fn options(style: Style) -> Options {
    Options { style, plain: style == Style::Modern, ..Options::default() }
}

/// Warnings that generated code must pass.
pub const STRICT: &[&str] = &["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"];
/// Flags that find invalid memory accesses and undefined behavior. One program of each language is optimized too, with a later `-O1`.
pub const SANITIZE: &[&str] = &["-g", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// The C compiler; `CC` chooses another.
pub fn cc() -> Command {
    Command::new(std::env::var("CC").unwrap_or("cc".into()))
}

/// The C++ compiler; `CXX` chooses another.
pub fn cxx() -> Command {
    Command::new(std::env::var("CXX").unwrap_or("c++".into()))
}

/// Whether a program can be run.
pub fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success())
}

/// Runs a command that must not fail; returns what it printed.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// The name of a type in C.
pub fn c_name(schema: &Schema, index: usize) -> String {
    let name = schema.structs()[index].name.to_string().replace('.', "_");
    if name == "default" { "default_".into() } else { name }
}

/// Checks the formatting of these files in a directory.
pub fn check_format(dir: &Path, files: &[PathBuf]) {
    let style = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/.clang-format");
    let mut command = Command::new("clang-format");
    command.arg(format!("--style=file:{}", style.display())).args(["--dry-run", "-Werror"]).args(files);
    run(command.current_dir(dir));
}

/// The message of the guide, 105 bytes, as the test programs print it.
pub const DUMP: &str = "\
a674f90e5b68fdfafefed4fffeee900102030405060708fe3fc00000c0020000000000000000000468c3a900010000000300\
0100020003000700000002780000080000000100020000000a0000000b00000014000000150102ff00000002610000000003\
6263000100\n";
