//! Installs the tools that the tests need beyond the Rust toolchain and a C compiler.

use crate::run::Outcome;
use std::env;
use std::process::{Command, Stdio};

/// The commands that tests run, and their Debian packages.
const COMMANDS: &[(&str, &str)] = &[
    ("spin", "spin"),
    ("strace", "strace"),
    ("pkg-config", "pkg-config"),
    ("valgrind", "valgrind"),
    ("g++", "g++"),
    ("cmake", "cmake"),
    ("clang-format", "clang-format"),
    ("arm-none-eabi-gcc", "gcc-arm-none-eabi"),
    ("python3", "python3"),
    ("javac", "default-jdk-headless"),
    ("mvn", "maven"),
    ("octave-cli", "octave"),
    ("node", "nodejs"),
    ("npm", "npm"),
    ("rpcgen", "rpcsvc-proto"),
    ("ip", "iproute2"),
    ("unshare", "util-linux"),
    ("openssl", "openssl"),
    ("chromium", "chromium"),
    ("tmux", "tmux"),
];

/// Packages without a command to look for.
const LIBRARIES: &[&str] = &[
    "python3-venv",
    "libtirpc-dev",
    "libfastcdr-dev",
    "libzmq3-dev",
    "fonts-dejavu-core",
    "libhdrhistogram-java",
];

/// Packages of peers that are measured if a distribution has them. Their names change with their versions.
pub const PEERS: &[&str] = &["libddsc0debian", "libnng1"];

/// Those with large dependencies: headers of C++ and others.
pub const LARGE_PEERS: &[&str] =
    &["libzmq5", "g++", "libfastrtps-dev", "libfastcdr-dev", "libroscpp-dev", "python3-rosmaster"];

/// Installs available peers. Missing ones are named here, and again in the report of the benchmark.
pub fn install_peers(packages: &[&str]) {
    if install(packages).is_ok() {
        return;
    }
    for package in packages {
        if let Err(why) = install(&[package]) {
            eprintln!("xtask: NOT INSTALLED: {package}: {why}");
        }
    }
}

/// Installs everything that is missing. Needs root, or `sudo` without a password.
pub fn install_all() -> Outcome {
    let commands = COMMANDS.iter().filter(|(command, _)| !is_command(command)).map(|(_, package)| *package);
    install(&commands.chain(LIBRARIES.iter().copied()).collect::<Vec<_>>())
}

/// Installs missing Debian packages.
pub fn install(packages: &[&str]) -> Outcome {
    let missing: Vec<&str> = packages.iter().copied().filter(|package| !is_installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    eprintln!("=== installing {}", missing.join(" "));
    apt(&["update", "-qq"])?;
    let mut line = vec!["install", "-y", "-qq", "--no-install-recommends"];
    line.extend(&missing);
    apt(&line).map_err(|why| format!("{why}; install {} by hand", missing.join(" ")))
}

/// Lets packages of another architecture be installed and downloaded.
pub fn add_architecture(name: &str) -> Outcome {
    let known = Command::new("dpkg").arg("--print-foreign-architectures").output();
    if known.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).lines().any(|line| line == name)) {
        return Ok(());
    }
    let status = as_root("dpkg").args(["--add-architecture", name]).status();
    match status {
        Ok(status) if status.success() => apt(&["update", "-qq"]),
        _ => Err(format!("`dpkg --add-architecture {name}` failed; run it by hand, as root")),
    }
}

fn is_command(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|dir| dir.join(name).is_file())
}

fn is_installed(package: &str) -> bool {
    let query =
        Command::new("dpkg-query").args(["-W", "-f=${Status}", package]).stderr(Stdio::null()).output();
    query.is_ok_and(|out| out.stdout.ends_with(b"ok installed"))
}

/// A command that runs as root: by `sudo` if need be, without a password.
fn as_root(program: &str) -> Command {
    if Command::new("id").arg("-u").output().is_ok_and(|out| out.stdout == b"0\n") {
        return Command::new(program);
    }
    let mut command = Command::new("sudo");
    command.args(["-n", program]);
    command
}

fn apt(args: &[&str]) -> Outcome {
    let mut command = as_root("apt-get");
    // Other processes may be installing, and a server may be briefly unavailable.
    command.args(["-o", "DPkg::Lock::Timeout=600", "-o", "Acquire::Retries=3"]);
    let status = command.args(args).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("apt-get {} ended with {status}", args.join(" "))),
        Err(e) => Err(format!("cannot run apt-get: {e}")),
    }
}
