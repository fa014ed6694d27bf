//! For tests: programs that they run: of others, such as LCM's, CycloneDDS's and Zenoh's, from PyPI; and our own command.
//!
//! Those of others are in one virtual environment, `target/python-types`, which all tests of the workspace share. It is made the first
//! time, by `lab/conformance/types/environment.py`, which needs `python3` and a network; so ask for it before a test goes into a
//! network of its own. What a single test wants of others it installs beside itself, once: [`installed`], [`node`].

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The environment's Python.
///
/// # Panics
/// If the environment cannot be made, with what was said about it.
pub fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/types/environment.py");
        let output = Command::new("python3").arg(script).output().expect("Python runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        PathBuf::from(String::from_utf8(output.stdout).expect("a path of a test is text").trim())
    })
}

/// A command of the environment: `python`, `lcm-gen`. It leaves no files of compiled code beside its own.
///
/// # Panics
/// As [`python`].
pub fn program(name: &str) -> Command {
    let mut command = Command::new(python().with_file_name(name));
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// A directory of `target`, a test's `CARGO_TARGET_TMPDIR`, in which these packages are installed: by `install`, if they are not yet.
///
/// # Panics
/// If it cannot be made.
pub fn installed(target: &str, name: &str, packages: &[&str], install: impl FnOnce(&Path)) -> PathBuf {
    let dir = Path::new(target).join(name);
    let list = dir.join("installed");
    if std::fs::read_to_string(&list).ok().as_deref() != Some(&packages.join(" ")) {
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).expect("a directory");
        install(&dir);
        std::fs::write(&list, packages.join(" ")).expect("a list");
    }
    dir
}

/// Packages of Node.js in such a directory; gives that of their modules, for `NODE_PATH`.
///
/// # Panics
/// If they cannot be installed, with what was said about it.
pub fn node(target: &str, name: &str, packages: &[&str]) -> PathBuf {
    let dir = installed(target, name, packages, |dir| {
        std::fs::write(dir.join("package.json"), "{ \"private\": true }").expect("a file");
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund"]).args(packages).current_dir(dir);
        run(&mut npm);
    });
    dir.join("node_modules")
}

/// Runs a program to its end.
///
/// # Panics
/// If it cannot be run or fails, with what it said.
pub fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}

/// The command `saltus`: see [`built`].
///
/// # Panics
/// As [`built`].
pub fn saltus() -> PathBuf {
    built("saltus")
}

/// A program of the workspace, built by the cargo that runs this test, in the test's own profile, and with the features that the tests of
/// the whole workspace have: `-p PACKAGE` would build what they share anew, for features that differ.
///
/// # Panics
/// If it cannot be built, with what was said about it.
pub fn built(program: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test's file");
    let profile = test.ancestors().nth(2).expect("target/…/deps");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--locked", "--workspace", "--bin", program]).current_dir(root);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    let output =
        cargo.arg("--target-dir").arg(profile.parent().expect("target")).output().expect("Cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    profile.join(program)
}
