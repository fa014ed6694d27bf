//! Generates the C and C++ code of the types for the fuzzed decoders, and compiles it with GCC's address and undefined-behavior
//! sanitizers, which stable Rust does not have.

use saltus_gen::{File, Lang, Options, generate};
use saltus_types::Schema;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Compiles the code of both languages for the types of this file.
pub fn build(types: &str) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=native");
    let schema = saltus_types::parse("constructs.lcm", &fs::read_to_string(types)?)?;
    native(&schema, Lang::C, "c", "drive.c")?;
    native(&schema, Lang::Cpp, "cpp", "drive.cpp")
}

/// Compiles the code of one language and links it only to the fuzz target with that name.
fn native(schema: &Schema, lang: Lang, target: &str, driver: &str) -> Result<(), Box<dyn Error>> {
    let dir = PathBuf::from(env::var("OUT_DIR")?).join(target);
    let types: Vec<_> = schema.ids().collect();
    let files = generate(schema, &types, lang, &Options::default())?;
    saltus_gen::write(&dir, &files, false)?;
    let (mut headers, mut types) = (String::new(), String::new());
    for s in schema.structs() {
        let header = header_of(&files, &s.name.to_string()).ok_or("a type without a header")?;
        writeln!(headers, "#include \"{}\"", header.display())?;
        let name = header.with_extension("").display().to_string();
        let name = if lang == Lang::Cpp { format!("::{}", name.replace('/', "::")) } else { name };
        writeln!(types, "TYPE({name})")?;
    }
    fs::write(dir.join(format!("{target}_headers.inc")), headers)?;
    fs::write(dir.join(format!("{target}_types.inc")), types)?;

    let sources = files.iter().map(|f| &f.path).filter(|path| path.extension().is_some_and(|e| e == "c"));
    let mut build = cc::Build::new();
    build.cpp(lang == Lang::Cpp).std(if lang == Lang::Cpp { "c++17" } else { "c99" });
    build.files(sources.map(|path| dir.join(path))).file(Path::new("native").join(driver)).include(&dir);
    build.flag("-fsanitize=address,undefined").flag("-fno-sanitize-recover=all");
    build.flag("-fsanitize-coverage=trace-cmp").flag("-fno-omit-frame-pointer").opt_level(1).debug(true);
    let library = format!("types_in_{target}");
    build.cargo_metadata(false).try_compile(&library)?;
    let library = PathBuf::from(env::var("OUT_DIR")?).join(format!("lib{library}.a"));
    // All of the sanitizer, not only the referenced parts: it replaces `malloc` for Rust too.
    let (all, end) = ("-Wl,--whole-archive", "-Wl,--no-whole-archive");
    let library = library.to_str().ok_or("a directory with an odd name")?;
    for argument in [library, all, "-l:libasan.a", end, "-l:libubsan.a"] {
        println!("cargo::rustc-link-arg-bin={target}={argument}");
    }
    Ok(())
}

/// The header that contains a type's full name.
fn header_of<'a>(files: &'a [File], name: &str) -> Option<&'a Path> {
    let says = [format!("_TYPE_NAME \"{name}\"\n"), format!("FULL_NAME = \"{name}\";\n")];
    let of = files.iter().find(|f| says.iter().any(|says| f.text.contains(says.as_str())))?;
    Some(&of.path)
}
