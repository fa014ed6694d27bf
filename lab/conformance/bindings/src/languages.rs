//! The languages, and how their driver programs are built.

use saltus_conformance_types::files;
use saltus_conformance_types::tools::{Result, fresh, output, root, write};
use saltus_gen::{Lang, Options};
use saltus_types::{Loader, StructId};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The driver program of a language.
#[derive(Clone, Debug)]
pub struct Language {
    /// For people: `C++`.
    pub name: String,
    /// For cases: `c++`.
    pub key: &'static str,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Environment.
    pub environment: Vec<(String, String)>,
}

/// Their names in cases, whether implemented or not.
#[cfg(test)]
pub const KEYS: [&str; 6] = ["rust", "c", "c++", "python", "java", "octave"];

type Build = fn(&Path) -> Result<Language>;

/// All of them; those that take longest to build are first.
pub const ALL: [(&str, Build); 6] =
    [("c++", cpp), ("java", java), ("octave", octave), ("c", c), ("python", python), ("rust", rust)];

/// The type file of the cases.
fn types() -> PathBuf {
    here("drivers/types.lcm")
}

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Cargo's output directory of this program and its dependencies.
fn built() -> Result<PathBuf> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let dir = program.ancestors().find(|dir| dir.join("deps").is_dir());
    dir.map(Path::to_path_buf).ok_or_else(|| format!("{} is not where cargo builds", program.display()))
}

fn language(name: &str, key: &'static str, command: &[&Path]) -> Language {
    let command = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    Language { name: name.into(), key, command, environment: Vec::new() }
}

/// The first bytes of every message of `reading_t`, in digits.
pub fn fingerprint() -> Result<String> {
    let loaded = Loader::new().file(types()).load().map_err(|e| e.to_string())?;
    let id = loaded.schema.find("reading_t").ok_or("no reading_t among the types")?;
    Ok(format!("{:016x}", loaded.schema.get(id).fingerprint))
}

/// Generates the code of the types into `dir`, which is emptied first.
fn generate(lang: Lang, dir: &Path) -> Result<()> {
    fresh(dir)?;
    let loaded = Loader::new().file(types()).load().map_err(|e| e.to_string())?;
    let structs: Vec<StructId> = loaded.schema.ids().collect();
    let types = saltus_gen::Types { structs: &structs, enums: &loaded.named_enums };
    let made = saltus_gen::generate(&loaded.schema, types, lang, &Options::default());
    let made = made.map_err(|e| format!("{lang:?}: {e}"))?;
    saltus_gen::write(dir, &made, false).map(drop).map_err(|e| format!("{}: {e}", dir.display()))
}

fn rust(_: &Path) -> Result<Language> {
    let driver = built()?.join("saltus-conformance-rust");
    if !driver.is_file() {
        return Err(format!("{} is not there: cargo build -p saltus-conformance-bindings", driver.display()));
    }
    Ok(language("Rust", "rust", &[&driver]))
}

fn c(dir: &Path) -> Result<Language> {
    let code = dir.join("code");
    generate(Lang::C, &code)?;
    let flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread"];
    compile("cc", &flags, &code, &files::all(&code, "c"), "drivers/driver.c", dir)?;
    Ok(language("C", "c", &[&dir.join("driver")]))
}

fn cpp(dir: &Path) -> Result<Language> {
    let code = dir.join("code");
    generate(Lang::Cpp, &code)?;
    let flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread"];
    compile("c++", &flags, &code, &[], "drivers/driver.cpp", dir)?;
    Ok(language("C++", "c++", &[&dir.join("driver")]))
}

/// Compiles a driver with the library that cargo has just built.
fn compile(
    compiler: &str,
    flags: &[&str],
    code: &Path,
    sources: &[PathBuf],
    driver: &str,
    dir: &Path,
) -> Result<()> {
    let libraries = built()?.join("deps");
    if !libraries.join("libsaltus.so").is_file() {
        return Err(format!("no libsaltus.so in {}: cargo build -p saltus-c", libraries.display()));
    }
    // Under the soname that programs look for.
    let named =
        format!("libsaltus.so.{}.{}", env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    let _ = std::fs::remove_file(dir.join(&named)); // missing, the first time
    std::os::unix::fs::symlink(libraries.join("libsaltus.so"), dir.join(named)).map_err(|e| e.to_string())?;
    let mut command = Command::new(compiler);
    command.args(flags).arg("-I").arg(here("drivers")).arg("-I").arg(here("../types/drivers"));
    command.arg("-I").arg(code).arg("-I").arg(root().join("bindings/c/include"));
    command.args(sources).arg(here(driver)).arg("-o").arg(dir.join("driver"));
    command.arg("-L").arg(&libraries).arg(format!("-Wl,-rpath,{}", dir.display())).arg("-lsaltus");
    output(&mut command).map(drop).map_err(|why| format!("{why}\nIt needs Debian's gcc and g++."))
}

fn python(dir: &Path) -> Result<Language> {
    let code = dir.join("code");
    generate(Lang::Python, &code)?;
    let python = root().join("target/python-binding/bin/python");
    let check = ["-c", "import saltus"];
    output(Command::new(&python).args(check))
        .map_err(|why| format!("the package is not installed; `cargo xtask python` does it: {why}"))?;
    let mut language = language("Python", "python", &[&python, &here("drivers/driver.py"), &code, &types()]);
    // As in the binding's own tests: in dev mode, with warnings as errors, and without files next to the sources.
    language.command.splice(1..1, ["-X", "dev", "-W", "error", "-B"].map(String::from));
    Ok(language)
}

/// Compiles Java sources with the binding's classes; returns the output directory.
fn javac(sources: &[PathBuf], classes: &Path) -> Result<PathBuf> {
    fresh(classes)?;
    let binding = root().join("target/java/classes");
    if !binding.join("native").is_dir() {
        return Err("the binding is not built; `cargo xtask java` does it".into());
    }
    let mut javac = Command::new("javac");
    javac.args(["-nowarn", "-proc:none", "-encoding", "UTF-8", "-J-XX:TieredStopAtLevel=1", "-classpath"]);
    javac.arg(&binding).arg("-d").arg(classes).args(sources);
    output(&mut javac).map_err(|why| format!("{why}\nIt needs Debian's default-jdk-headless."))?;
    Ok(binding)
}

fn java(dir: &Path) -> Result<Language> {
    let (code, classes) = (dir.join("code"), dir.join("classes"));
    generate(Lang::Java, &code)?;
    let mut sources = files::all(&code, "java");
    sources.push(here("drivers/Driver.java"));
    let binding = javac(&sources, &classes)?;
    let path = format!("{}:{}", classes.display(), binding.display());
    let mut language = language("Java", "java", &[Path::new("java")]);
    // Saltus handles SIGBUS and forwards the JVM's own faults; the checks would report that handler.
    let checks = ["-Xcheck:jni", "-XX:+AllowUserSignalHandlers"];
    let words = ["-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8"];
    language.command.extend(checks.into_iter().chain(words).map(String::from));
    language.command.extend(["-classpath".into(), path, "Driver".into()]);
    Ok(language)
}

fn octave(dir: &Path) -> Result<Language> {
    let (code, classes) = (dir.join("code"), dir.join("classes"));
    generate(Lang::Octave, &code)?;
    let binding = javac(&files::all(&code, "java"), &classes)?;
    let missing = |name: &str| format!("no `{name}`; it is in Debian's octave and default-jdk-headless");
    on_path("octave-cli").ok_or_else(|| missing("octave-cli"))?;
    let javac = on_path("javac").ok_or_else(|| missing("javac"))?;
    let home = javac.ancestors().nth(2).unwrap_or(&javac).display().to_string();
    let package = root().join("bindings/octave");
    let calls =
        [("javaaddpath", &binding), ("javaaddpath", &classes), ("addpath", &code), ("addpath", &package)];
    let mut lines: String =
        calls.iter().map(|(function, path)| format!("{function}('{}'); ", path.display())).collect();
    lines += &format!("source('{}');", here("drivers/driver.m").display());
    let mut language = language("Octave", "octave", &[Path::new("octave-cli")]);
    language.command.extend(["--norc", "--no-history", "--eval", &lines].map(String::from));
    // How Octave finds Java, and an option that halves its start time.
    let quick = "-Xmx1g -XX:+UseSerialGC -XX:TieredStopAtLevel=1";
    language.environment = vec![("JAVA_HOME".into(), home), ("JAVA_TOOL_OPTIONS".into(), quick.into())];
    Ok(language)
}

/// The real path of a program.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut found = std::env::split_paths(&path).map(|dir| dir.join(name)).filter(|file| file.is_file());
    found.next().and_then(|file| file.canonicalize().ok())
}

/// Builds the wanted languages, or all if none is named, each in a directory below `dir`.
///
/// # Errors
/// All build errors, as text.
pub fn build(dir: &Path, wanted: &[String]) -> Result<Vec<Language>> {
    let wanted: Vec<_> =
        ALL.iter().filter(|(key, _)| wanted.is_empty() || wanted.iter().any(|w| w == key)).collect();
    let built = saltus_conformance_types::tools::in_parallel(2, &wanted, |(key, build)| {
        let dir = dir.join(key);
        write(&dir.join("README"), "Made by saltus-conformance-bindings.\n")?;
        build(&dir).map_err(|why| format!("{key}: {why}"))
    });
    let (good, bad): (Vec<_>, Vec<_>) = built.into_iter().partition(Result::is_ok);
    if !bad.is_empty() {
        return Err(bad.into_iter().filter_map(Result::err).collect::<Vec<_>>().join("\n"));
    }
    let mut good: Vec<Language> = good.into_iter().flatten().collect();
    good.sort_by_key(|language| language.key);
    Ok(good)
}
