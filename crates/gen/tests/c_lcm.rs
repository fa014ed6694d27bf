//! Programs written for LCM recompile against our code, in C and C++, with LCM's own headers and library; and the
//! code of LCM's generator for the same types produces the same bytes.

#[path = "c_support/mod.rs"]
mod support;

use saltus_gen::{Lang, Style};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::message::{Expect, Messages, Random, random};
use support::*;

/// LCM's include directory, and the arguments that link its library.
fn lcm() -> (PathBuf, Vec<String>) {
    let dir = oracle::lcm();
    let header = oracle::find(&dir, "lcm_coretypes.h").expect("LCM's headers");
    let include = header.ancestors().nth(2).expect("include/lcm/…").to_owned();
    let library =
        ["liblcm.so.1", "liblcm.so.1.5.3", "liblcm.so"].iter().find_map(|name| oracle::find(&dir, name));
    let library = library.expect("LCM's library");
    let place = library.parent().expect("a directory").display().to_string();
    (include, vec![library.display().to_string(), format!("-Wl,-rpath,{place}")])
}

fn build_and_run(name: &str, compiler: Command, flags: &[&str], lang: Lang, ending: &str) {
    let dir = scratch(&format!("lcm-{name}"));
    let sources = generate(&schema(), &dir, lang, &options(Style::Lcm), ending);
    let (include, link) = lcm();
    let program = dir.join("program");
    let mut command = compiler;
    command.args(flags).args(STRICT).args(SANITIZE).arg("-I").arg(&dir).arg("-isystem").arg(&include);
    command.arg(support().join(name));
    if ending == ".c" {
        command.args(&sources);
    } else {
        command.arg("-fno-sanitize=vptr");
    }
    run(command.arg("-o").arg(&program).args(&link));
    // LCM's library does not free some of its memory.
    let printed = run(Command::new(&program).env("ASAN_OPTIONS", "detect_leaks=0"));
    assert!(printed.ends_with("received scan with 180 ranges, then nothing\n"), "{printed}");
}

#[test]
fn a_c_program_of_lcm_recompiles() {
    // LCM's support functions have reserved names, which the compiler accepts.
    build_and_run("lcm_program.c", cc(), &["-std=c99"], Lang::C, ".c");
}

#[test]
fn a_cpp_program_of_lcm_recompiles() {
    // LCM's own header uses an object of a class that it does not define.
    build_and_run("lcm_program.cpp", cxx(), &["-std=c++17"], Lang::Cpp, ".hpp");
}

/// The same test program prints the same for LCM's code and ours: sizes, bytes, field tables.
#[test]
fn bytes_and_type_information_are_those_of_lcm() {
    let (include, link) = lcm();
    let schema = schema();
    let mut printed = Vec::new();
    for ours in [true, false] {
        let dir = scratch(if ours { "lcm-ours" } else { "lcm-theirs" });
        let sources =
            if ours { generate(&schema, &dir, Lang::C, &options(Style::Lcm), ".c") } else { theirs(&dir) };
        let wanted = |p: &&PathBuf| {
            let name = p.file_name().unwrap_or_default().to_string_lossy().into_owned();
            COMPARED
                .iter()
                .chain(["geo_point_t", "geo_pixel_t", "t_all_inner_t"].iter())
                .any(|c| name == format!("{c}.c"))
        };
        let includes: String = COMPARED.iter().map(|n| format!("#include \"{n}.h\"\n")).collect();
        let all: String = COMPARED.iter().map(|n| format!(" T({n})")).collect();
        std::fs::write(dir.join("types.h"), format!("{includes}#define TYPES(T){all}\n")).unwrap();
        let program = dir.join("compare");
        let mut command = cc();
        command.args(["-std=gnu99", "-O1", "-I"]).arg(&dir).arg("-isystem").arg(&include);
        command.arg(support().join("compare.c")).args(sources.iter().filter(wanted));
        run(command.arg("-o").arg(&program).args(&link));
        printed.push(run(Command::new(program).arg(compared_messages(&dir))));
    }
    assert!(printed[0].lines().count() > 100, "{}", printed[0]);
    assert_eq!(printed[0], printed[1]);
}

/// Types for which LCM's generator emits code that compiles, by their names in C.
const COMPARED: &[&str] =
    &["t_all_all_t", "t_all_scan_t", "t_all_image_t", "t_all_node_t", "t_all_list_t", "geo_pair_t"];

fn theirs(dir: &Path) -> Vec<PathBuf> {
    let lcm_gen = oracle::find(&oracle::lcm(), "lcm-gen").expect("LCM's generator");
    let mut command = Command::new(lcm_gen);
    command.args(["-c", "--c-typeinfo", "--c-cpath"]).arg(dir).arg("--c-hpath").arg(dir);
    // Our language is a superset: the text for LCM is printed from the schema.
    let schema = schema();
    for (i, name) in
        ["t.all.all_t", "t.all.scan_t", "t.all.image_t", "t.all.node_t", "t.all.list_t", "geo.pair_t"]
            .iter()
            .enumerate()
    {
        let id = schema.find(name).expect("a type");
        let file = dir.join(format!("{i}.lcm"));
        std::fs::write(&file, schema.to_lcm(id)).expect("a file");
        // One file per run: types that several files contain are declared in each.
        let mut one = Command::new(command.get_program());
        run(one.args(command.get_args()).arg(&file));
    }
    let entries = std::fs::read_dir(dir).expect("a directory").flatten().map(|e| e.path());
    entries.filter(|p| p.extension().is_some_and(|e| e == "c")).collect()
}

fn compared_messages(dir: &Path) -> PathBuf {
    let schema = schema();
    let (mut messages, mut rng) = (Messages::default(), Random::new(3));
    let ids: Vec<_> =
        COMPARED.iter().map(|n| schema.ids().find(|id| c_name(&schema, id.0) == *n).unwrap()).collect();
    for (i, &id) in ids.iter().enumerate() {
        for _ in 0..20 {
            messages.add(saltus_types::StructId(i), Expect::Right, &random(&schema, id, &mut rng));
        }
    }
    let path = dir.join("messages");
    messages.write(&path);
    path
}
