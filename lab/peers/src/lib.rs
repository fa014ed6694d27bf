//! For tests: programs that they run: other projects', such as LCM's, CycloneDDS's and Zenoh's, from PyPI; and our
//! own command.
//!
//! Other projects' programs are in one virtual environment, `target/python-types`, shared by all tests of the
//! workspace. It is created on first use by `lab/conformance/types/environment.py`, which needs `python3` and a
//! network; so request it before a test enters a separate network. Packages that only one test needs are installed
//! separately, once: [`installed`], [`node`].

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The environment's Python.
///
/// # Panics
/// If the environment cannot be created, with the program's output.
pub fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/types/environment.py");
        let output = Command::new("python3").arg(script).output().expect("Python runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        PathBuf::from(String::from_utf8(output.stdout).expect("a path of a test is text").trim())
    })
}

/// A command of the environment: `python`, `lcm-gen`. It leaves no compiled files next to its sources.
///
/// # Panics
/// As [`python`].
pub fn program(name: &str) -> Command {
    let mut command = Command::new(python().with_file_name(name));
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// A directory of `target`, a test's `CARGO_TARGET_TMPDIR`, in which these packages are installed: by `install`, if
/// they are not yet.
///
/// # Panics
/// If it cannot be created.
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

/// Installs packages of Node.js in such a directory; returns their modules directory, for `NODE_PATH`.
///
/// # Panics
/// If they cannot be installed, with the program's output.
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
/// If it cannot be run or fails, with its output.
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

/// A program of the workspace, built by the cargo that runs this test, in the test's own profile and with the
/// features of the whole workspace's tests. `-p PACKAGE` would rebuild shared crates for different features.
///
/// # Panics
/// If it cannot be built, with the compiler's output.
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
