//! What the tests have in common: a domain of their own, a C compiler, and the library that cargo has just built.
#![allow(dead_code)] // each test uses some of it

pub mod build;
pub mod examples;
pub mod programs;
pub mod tsan;

pub use build::Build;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// A domain of a test's own, removed in the end.
pub struct TestDomain(PathBuf);

impl TestDomain {
    pub fn new() -> TestDomain {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed); // only each number once
        TestDomain(format!("/dev/shm/saltus-test-c-{}-{n}", std::process::id()).into())
    }
    pub fn url(&self) -> String {
        format!("shm://{}", self.0.display())
    }
    pub fn open(&self) -> saltus_channel::Directory {
        saltus_channel::Directory::open(&self.url()).expect("a domain")
    }
    /// The channels in it, to see that nothing was left behind.
    pub fn list(&self) -> Vec<String> {
        self.open().list().expect("a list").iter().map(|name| name.to_string()).collect()
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
    package().ancestors().nth(2).expect("bindings/c lies two below the root").into()
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

/// What went wrong last in this thread, as C is told.
pub fn last() -> String {
    // SAFETY: a string with an end, which lives until this thread's next failure; it is copied at once.
    unsafe { std::ffi::CStr::from_ptr(saltus::saltus_last_error()) }.to_str().expect("UTF-8").into()
}

/// A handle that is not open.
pub fn none<T: Default>() -> T {
    T::default()
}

/// A code that must be 0.
#[track_caller]
pub fn ok(code: saltus::SaltusError) {
    assert_eq!(code, saltus::SALTUS_OK, "{}", last());
}
