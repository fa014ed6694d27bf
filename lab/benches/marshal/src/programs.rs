//! Generates, compiles and starts the contenders that are programs.

use crate::contender::{Contender, Program, Result, Work};
use crate::messages::Messages;
use crate::native::Native;
use saltus_conformance_types::{files, oracle, tools};
use saltus_gen::{Lang, Options, Style};
use saltus_types::Schema;
use std::path::{Path, PathBuf};
use std::process::Command;

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The output directory, below `target`, which is kept for inspection.
pub fn directory() -> Result<PathBuf> {
    let dir = tools::root().join("target/bench-marshal");
    std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    Ok(dir)
}

/// Builds a program in a directory, and returns its start command.
type Make = Box<dyn Fn(&Path) -> Result<Command> + Send + Sync>;

/// A program to be built: the contender that it will be, and how it is built and started.
struct Build {
    name: String,
    rival: &'static str,
    make: Make,
}

/// Builds all contenders whose name contains `only`, and starts them. Those in C are the reference and are always
/// included.
pub fn build(dir: &Path, messages: &Messages, only: Option<&str>) -> Result<Vec<Contender>> {
    generate(dir)?;
    let wanted = |name: &str, rival: &str| {
        only.is_none_or(|only| name.contains(only) || rival.contains(only) || name == "C -O2")
    };
    let builds: Vec<Build> = builds(dir)?.into_iter().filter(|b| wanted(&b.name, b.rival)).collect();
    eprintln!("building {} programs", builds.len());
    let commands = tools::in_parallel(2, &builds, |build| (build.make)(dir));
    let mut contenders = Vec::new();
    if wanted("Rust", LCM_C) {
        let work = Box::new(Native::new(messages)?);
        contenders.push(Contender { name: "Rust".into(), rival: LCM_C, warms: false, work });
    }
    for (build, command) in builds.into_iter().zip(commands) {
        let mut command = command.map_err(|why| format!("{}: {why}", build.name))?;
        let work: Box<dyn Work> = Box::new(Program::start(&build.name, command.arg(&messages.dir))?);
        let warms = build.name.contains("Java");
        contenders.push(Contender { name: build.name, rival: build.rival, warms, work });
    }
    Ok(contenders)
}

/// Writes the generated code of both generators.
fn generate(dir: &Path) -> Result<()> {
    let file = here("schemas/bench.lcm");
    let schema = saltus_types::load([&file]).map_err(|e| e.to_string())?;
    let ours = |lang, style, name: &str| {
        let options = Options { style, ..Options::default() };
        write(&schema, lang, &options, &dir.join(name))
    };
    ours(Lang::C, Style::Modern, "c")?;
    ours(Lang::Cpp, Style::Modern, "cpp")?;
    ours(Lang::Java, Style::Modern, "java")?;
    ours(Lang::Java, Style::Lcm, "java-lcm")?;
    ours(Lang::Python, Style::Modern, "python")?;
    ours(Lang::Python, Style::Lcm, "python-lcm")?;
    for name in ["oracle-c", "oracle-cpp", "oracle-java", "oracle-python", "xdr"] {
        tools::fresh(&dir.join(name))?;
    }
    let to = |name: &str| dir.join(name).to_string_lossy().into_owned();
    let c = to("oracle-c");
    let files = [file];
    oracle::generate(&["--c", "--c-no-pubsub", "--c-cpath", &c, "--c-hpath", &c], &files)?;
    oracle::generate(&["--cpp", "--cpp-std", "c++11", "--cpp-hpath", &to("oracle-cpp")], &files)?;
    oracle::generate(&["--java", "--jpath", &to("oracle-java")], &files)?;
    oracle::generate(&["--python", "--ppath", &to("oracle-python")], &files)?;
    rpcgen(&dir.join("xdr"))
}

fn write(schema: &Schema, lang: Lang, options: &Options, dir: &Path) -> Result<()> {
    tools::fresh(dir)?;
    let types: Vec<_> = schema.ids().collect();
    let files = saltus_gen::generate(schema, &types, lang, options).map_err(|e| e.to_string())?;
    saltus_gen::write(dir, &files, false).map(|_| ()).map_err(|e| e.to_string())
}

fn rpcgen(dir: &Path) -> Result<()> {
    std::fs::copy(here("programs/bench.x"), dir.join("bench.x")).map_err(|e| e.to_string())?;
    let rpcgen = |flag: &str, to: &str| {
        tools::output(Command::new("rpcgen").args([flag, "-o", to, "bench.x"]).current_dir(dir)).map(|_| ())
    };
    rpcgen("-h", "bench.h")?;
    rpcgen("-c", "bench_xdr.c")
}

const LCM_C: &str = "LCM's C -O2";

/// LCM's contender for an optimization level.
fn rival(cpp: bool, level: &str) -> &'static str {
    match (cpp, level) {
        (false, "-O2") => LCM_C,
        (false, _) => "LCM's C -O3",
        (true, "-O2") => "LCM's C++ -O2",
        (true, _) => "LCM's C++ -O3",
    }
}

fn builds(dir: &Path) -> Result<Vec<Build>> {
    let lcm = tools::lcm()?;
    let coretypes = files::find(&lcm, "lcm_coretypes.h")?;
    let lcm_include = coretypes.ancestors().nth(2).unwrap_or(&coretypes).to_path_buf();
    let mut all = Vec::new();
    for level in ["-O2", "-O3"] {
        // Compiler, program, name, generated code, other directories, other words.
        let mut native = |cpp: bool, program: &str, name: &str, include: Vec<PathBuf>, words: &[&str]| {
            let words: Vec<String> = words.iter().map(|w| w.to_string()).collect();
            let program = program.to_string();
            let binary = format!("{name}{level}").replace([' ', '\'', '+'], "_");
            all.push(Build {
                name: format!("{name} {level}"),
                rival: rival(cpp, level),
                make: Box::new(move |dir| compile(dir, cpp, level, &program, &binary, &include, &words)),
            });
        };
        native(false, "lcm.c", "C", vec![dir.join("c")], &[]);
        native(false, "lcm.c", "LCM's C", vec![dir.join("oracle-c"), lcm_include.clone()], &["-w"]);
        native(true, "lcm.cpp", "C++", vec![dir.join("cpp")], &[]);
        native(true, "lcm.cpp", "LCM's C++", vec![dir.join("oracle-cpp"), lcm_include.clone()], &["-w"]);
        let xdr = dir.join("xdr");
        let stubs = xdr.join("bench_xdr.c").to_string_lossy().into_owned();
        let xdr_include = vec![dir.join("c"), xdr, PathBuf::from("/usr/include/tirpc")];
        native(false, "xdr.c", "XDR", xdr_include, &["-w", &stubs, "-ltirpc"]);
        if Path::new("/usr/include/fastcdr").exists() {
            native(true, "cdr.cpp", "CDR", vec![dir.join("cpp")], &["-lfastcdr"]);
        } else if level == "-O2" {
            eprintln!("no CDR: install libfastcdr-dev");
        }
    }
    for (name, code, cases) in [
        ("Java", "java", "java-modern"),
        ("Java, LCM style", "java-lcm", "java-lcm"),
        ("LCM's Java", "oracle-java", "java-lcm"),
    ] {
        let jar = files::find(&lcm, "lcm.jar")?;
        let make = Box::new(move |dir: &Path| java(dir, code, cases, &jar));
        all.push(Build { name: name.into(), rival: "LCM's Java", make });
    }
    for (name, code) in
        [("Python", "python"), ("Python, LCM style", "python-lcm"), ("LCM's Python", "oracle-python")]
    {
        let make = Box::new(move |dir: &Path| python(&dir.join(code)));
        all.push(Build { name: name.into(), rival: "LCM's Python", make });
    }
    Ok(all)
}

fn compile(
    dir: &Path,
    cpp: bool,
    level: &str,
    program: &str,
    binary: &str,
    include: &[PathBuf],
    words: &[String],
) -> Result<Command> {
    let mut gcc = Command::new(if cpp { "g++" } else { "gcc" });
    gcc.args([if cpp { "-std=c++17" } else { "-std=gnu11" }, level, "-I"]).arg(here("programs"));
    for dir in include {
        gcc.arg("-I").arg(dir);
    }
    // The generated code is in the first of the directories.
    gcc.args(include.first().map(|dir| files::all(dir, "c")).unwrap_or_default());
    let binary = dir.join(binary);
    gcc.arg(here("programs").join(program)).arg("-o").arg(&binary).args(words);
    tools::output(&mut gcc)?;
    Ok(Command::new(binary))
}

fn java(dir: &Path, code: &str, cases: &str, jar: &Path) -> Result<Command> {
    let classes = dir.join(code).join("classes");
    tools::fresh(&classes)?;
    let mut sources = files::all(&dir.join(code), "java");
    sources.extend([here("programs/Measure.java"), here("programs").join(cases).join("Cases.java")]);
    let mut javac = Command::new("javac");
    javac.args(["-nowarn", "-proc:none", "-encoding", "UTF-8"]).arg("-classpath").arg(jar);
    tools::output(javac.arg("-d").arg(&classes).args(sources))?;
    let mut java = Command::new("java");
    java.arg("-XX:+UseSerialGC").arg("-classpath");
    java.arg(format!("{}:{}", classes.display(), jar.display())).arg("Measure");
    Ok(java)
}

fn python(code: &Path) -> Result<Command> {
    let mut python = Command::new(tools::venv("python")?);
    python.arg(here("programs/measure.py")).env("PYTHONPATH", code).env("OPENBLAS_NUM_THREADS", "1");
    Ok(python)
}
