//! Building and starting the contenders.

use crate::program::{Program, Result};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const CALLS: &[&str] = &["publish", "next", "publish+newest", "poll", "domain"];
const PYTHON_CALLS: &[&str] = &["domain", "receive", "view", "array"];
const HOP: &[&str] = &["hop"];
const JAVA_CALLS: &[&str] = &["domain", "receive", "view"];
const JAVA_HOP: &[&str] = &["Java hop"];
/// The contenders of `Hop.java`. The others are compared with the first.
const JAVA_HOPS: [&str; 3] = ["udp", "saltus", "lcm"];
/// The contenders of `hop.py`. The others are compared with the first.
const HOPS: [&str; 6] = ["unix-dgram", "saltus", "iceoryx2", "lcm", "pyzmq", "zenoh"];

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The environment that `environment.py` created.
fn environment() -> PathBuf {
    here("../../../target/bench-bindings")
}

/// Compiles a program against the shared library, as it is installed.
fn compile(compiler: &str, source: &str) -> Result<PathBuf> {
    let installed = environment().join("saltus");
    let program = installed.join(source.replace('.', "-"));
    let mut line = Command::new(compiler);
    line.args(["-O2", "-Wall", "-Wextra", "-Werror", "-I"]).arg(installed.join("include"));
    line.arg(here("programs").join(source)).arg("-o").arg(&program).arg("-L").arg(installed.join("lib"));
    let status = line.arg("-lsaltus").arg(format!("-Wl,-rpath,{}/lib", installed.display())).status();
    match status.map_err(|e| format!("{compiler}: {e}"))? {
        status if status.success() => Ok(program),
        status => Err(format!("{line:?} ended with {status}")),
    }
}

/// All contenders whose name contains `only`, and why others are missing.
pub fn all(only: Option<&str>) -> Result<(Vec<Program>, Vec<String>)> {
    let (mut programs, mut missing) = (Vec::new(), Vec::new());
    let wanted = |name: &str| only.is_none_or(|only| name.contains(only));
    if wanted("Rust") {
        let me = std::env::current_exe().map_err(|e| e.to_string())?;
        programs.push(Program::start("Rust", CALLS, Command::new(me).arg("native"))?);
    }
    for (name, compiler, source) in [("C", "cc", "calls.c"), ("C++", "c++", "calls.cpp")] {
        if wanted(name) {
            programs.push(Program::start(name, CALLS, &mut Command::new(compile(compiler, source)?))?);
        }
    }
    let python = environment().join("bin/python");
    if wanted("Python") {
        let mut calls = Command::new(&python);
        programs.push(Program::start("Python", PYTHON_CALLS, calls.arg(here("programs/calls.py")))?);
    }
    if wanted("Java") {
        programs.push(Program::start("Java", JAVA_CALLS, java(Command::new("java"))?.arg("Calls"))?);
    }
    let mut hops = Vec::new();
    for hop in HOPS {
        let mut command = apart(&python);
        command.arg(here("programs/hop.py")).arg(hop);
        hops.push((hop, format!("{hop} (Python)"), HOP, command));
    }
    for hop in JAVA_HOPS {
        let mut command = apart(Path::new("taskset"));
        command.args(["-c", &last_processor()?, "java"]);
        let mut command = java(command)?;
        command.args(["Hop", hop]);
        hops.push((hop, format!("{hop} (Java)"), JAVA_HOP, command));
    }
    for (hop, name, does, mut command) in hops.into_iter().filter(|(_, name, ..)| wanted(name)) {
        match Program::start(&name, does, &mut command) {
            Ok(program) => programs.push(program),
            // Missing third-party contenders are named; our own must be present.
            Err(why) if hop != "saltus" => missing.push(why),
            Err(why) => return Err(why),
        }
    }
    Ok((programs, missing))
}

/// A program with a separate network and `/dev/shm`: no other program receives its traffic, and its leftovers
/// disappear with it.
fn apart(program: &Path) -> Command {
    const OWN: &str = "ip link set lo up multicast on && ip route add 224.0.0.0/4 dev lo && mount -t tmpfs tmpfs /dev/shm \
        && mkdir -p /tmp/iceoryx2 && mount -t tmpfs tmpfs /tmp/iceoryx2 && exec \"$@\"";
    let mut command = Command::new("unshare");
    if std::fs::metadata("/proc/self").map_or(true, |me| me.uid() != 0) {
        command.args(["--user", "--map-root-user"]);
    }
    command.args(["--mount", "--net", "sh", "-c", OWN, "apart"]).arg(program);
    command
}

/// The command with Java's options for the package, its native library and the programs.
fn java(mut command: Command) -> Result<Command> {
    let library = environment().join("../dist/libsaltus_java.so");
    let lcm = std::fs::read_dir(environment().join("lib")).map_err(|e| e.to_string())?;
    let lcm = lcm.flatten().map(|python| python.path().join("site-packages/share/java/lcm.jar"));
    let places = std::iter::once(environment().join("java")).chain(lcm);
    let places = std::env::join_paths(places).map_err(|e| e.to_string())?;
    command.arg(format!("-Dorg.saltus.library={}", library.display())).arg("-classpath").arg(places);
    Ok(command)
}

/// The last processor that this program may use, as in `hop.py`.
fn last_processor() -> Result<String> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(|e| e.to_string())?;
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let last = allowed.and_then(|list| list.trim().rsplit(['-', ',']).next());
    last.map(String::from).ok_or_else(|| "the kernel does not say which processors may be used".into())
}
