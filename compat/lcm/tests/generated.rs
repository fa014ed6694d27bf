//! Code made by either generator compiles against either library's headers and does the same.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use support::*;

/// Code for `types.lcm`, by LCM's generator and by ours.
fn generate(dir: &Path) -> [PathBuf; 2] {
    let types = package().join("tests/c/types.lcm");
    let (by_theirs, by_ours) = (dir.join("by-theirs"), dir.join("by-ours"));
    for out in [&by_theirs, &by_ours] {
        std::fs::create_dir_all(out).expect("a directory");
    }
    let mut theirs = saltus_peers::program("lcm-gen");
    run(theirs.args(["-c", "--c-typeinfo", "-x"]).arg(&types).current_dir(&by_theirs));
    for lang in ["c", "cpp"] {
        let mut ours = Command::new(saltus_peers::saltus());
        run(ours.args(["gen", "--style", "lcm", "--lang", lang, "--out"]).arg(&by_ours).arg(&types));
    }
    [by_theirs, by_ours]
}

/// Builds `source` with the code in `code`, against `library`.
fn build(library: &Library, source: &str, code: &Path, program: &Path, more: &[&str]) -> PathBuf {
    let include = format!("-isystem{}", code.display());
    let mut words = vec![include.as_str()];
    let files = ["p_all_t.c", "p_inner_t.c"].map(|file| code.join(file).display().to_string());
    if source.ends_with(".c") {
        words.extend(files.iter().map(String::as_str));
        words.push("-w"); // LCM's generator makes code with warnings
    }
    words.extend(more);
    library.build(source, program, &words)
}

/// Runs all four pairs of a generator and a library, which must print the same.
fn all_pairs(name: &str, source: &str, more: &[&str]) {
    let dir = scratch(name);
    let libraries = [theirs(), ours(&dir)];
    let mut first: Option<String> = None;
    for (g, code) in generate(&dir).iter().enumerate() {
        for (l, library) in libraries.iter().enumerate() {
            let program = build(library, source, code, &dir.join(format!("program-{g}-{l}")), more);
            // What is freed is overwritten: its use shows.
            let mut command = library.command(&program);
            let printed = run(command.arg(dir.join("log")).env("MALLOC_PERTURB_", "165"));
            let first = first.get_or_insert_with(|| printed.clone());
            let difference = difference(first, &printed);
            assert!(difference.is_none(), "generator {g}, library {l}: {}", difference.unwrap_or_default());
        }
    }
    assert!(first.is_some_and(|text| text.lines().count() > 10));
}

#[test]
fn c_code_of_either_generator_does_the_same_with_either_library() {
    all_pairs("codec", "codec.c", &[]);
}

#[test]
fn cpp_code_of_either_generator_does_the_same_with_either_library() {
    all_pairs("typed", "typed.cpp", &["-std=c++17"]);
}

#[test]
fn our_headers_compile_without_a_warning_in_every_standard() {
    let dir = scratch("standards");
    let source = dir.join("all.c");
    let text = "#include <lcm/lcm_version.h>\n#include <lcm/lcm_coretypes.h>\n#include <lcm/eventlog.h>\n#include <lcm/lcm.h>\n";
    std::fs::write(&source, format!("{text}int main(void) {{ return LCM_VERSION_STRING[0] != '1'; }}\n"))
        .unwrap();
    let cpp = dir.join("all.cpp");
    std::fs::write(&cpp, format!("{text}#include <lcm/lcm-cpp.hpp>\nint main() {{ return 0; }}\n")).unwrap();
    let strict = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only"];
    let mut all =
        vec![("cc", &source, "-std=c99"), ("cc", &source, "-std=c11"), ("cc", &source, "-std=gnu17")];
    all.extend(
        ["-std=c++98", "-std=c++11", "-std=c++17", "-std=c++20"].map(|standard| ("c++", &cpp, standard)),
    );
    for (compiler, source, standard) in all {
        let mut compiler = Command::new(compiler);
        let long_long: &[&str] = if standard == "-std=c++98" { &["-Wno-long-long"] } else { &[] };
        let command = compiler.args(strict).args(long_long).arg(standard);
        run(command.arg("-I").arg(package().join("include")).arg(source));
    }
}

#[test]
fn a_damaged_message_is_refused_without_a_bad_access() {
    let dir = scratch("damaged");
    let [code, _] = generate(&dir);
    let ours = ours(&dir);
    // LCM's code asks for as much memory as a message says, and leaks what it has decoded before an error.
    const OPTIONS: &str = "detect_leaks=0:allocator_may_return_null=1";
    let sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let program = build(&ours, "damaged.c", &code, &dir.join("program"), &sanitize);
    let printed = run(ours.command(&program).env("ASAN_OPTIONS", OPTIONS));
    let refused: u32 = printed.trim().strip_prefix("refused ").expect("a count").parse().expect("a number");
    assert!(refused > 1000, "{printed}");
}
