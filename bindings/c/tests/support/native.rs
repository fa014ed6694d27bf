//! What the tests of C libraries have in common: directories, the library that cargo has just built, and commands. Also read by the tests of
//! `compat/ach` and `compat/lcm`, for their package each.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// A domain of a test's own, removed in the end.
pub struct TestDomain(pub PathBuf);

impl TestDomain {
    pub fn new() -> TestDomain {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed); // only each number once
        let name = env!("CARGO_PKG_NAME");
        TestDomain(format!("/dev/shm/saltus-test-{name}-{}-{n}", std::process::id()).into())
    }
    pub fn url(&self) -> String {
        format!("shm://{}", self.0.display())
    }
}

impl Drop for TestDomain {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // not there, if the test made no channel
    }
}

/// The directory of this package.
pub fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    package().ancestors().nth(2).expect("a package lies two below the root").into()
}

/// A directory for what this test builds, empty.
pub fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir); // not there, the first time
    std::fs::create_dir_all(&dir).expect("a directory");
    dir
}

/// The library of that file name, which cargo builds into the directory where it puts the tests.
pub fn library(file: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test's file");
    let found = test.parent().expect("a directory").join(file);
    assert!(found.is_file(), "{} is not there", found.display());
    found
}

/// Runs a command that must not fail; returns what it printed.
pub fn run(command: &mut Command) -> String {
    let output = output(command);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{err}", output.status);
    out
}

/// Runs a command.
pub fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// All files and directories below one, sorted.
pub fn below(dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a directory").flatten() {
        if entry.file_type().expect("its kind").is_dir() {
            all.extend(below(&entry.path()));
        }
        all.push(entry.path());
    }
    all.sort();
    all
}
