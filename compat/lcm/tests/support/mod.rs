//! What the tests have in common: LCM's own library and ours, and programs built for either.
#![allow(dead_code)] // each test uses some of it

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// What every C file is compiled with.
pub const STRICT: &[&str] = &["-std=gnu99", "-Wall", "-Wextra", "-Werror", "-O1", "-g"];

/// A library of LCM: its headers, and a directory with `liblcm.so.1`.
#[derive(Clone, Debug)]
pub struct Library {
    pub include: PathBuf,
    pub lib: PathBuf,
}

/// The directory of this package.
pub fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The root of the repository.
pub fn repository() -> PathBuf {
    package().ancestors().nth(2).expect("compat/lcm lies two below the root").into()
}

/// A directory for what this test builds, empty.
pub fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir); // not there, the first time
    std::fs::create_dir_all(&dir).expect("a directory");
    dir
}

/// The library of that file name, which cargo builds into the directory where it puts the tests.
pub fn built(file: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test's file");
    let found = test.parent().expect("a directory").join(file);
    assert!(found.is_file(), "{} is not there", found.display());
    found
}

/// Our library. `dir`: where its names are made, a directory of the test.
pub fn ours(dir: &Path) -> Library {
    let lib = dir.join("ours");
    std::fs::create_dir_all(&lib).expect("a directory");
    for name in ["liblcm.so", "liblcm.so.1"] {
        let _ = std::fs::remove_file(lib.join(name)); // not there, the first time
        std::os::unix::fs::symlink(built("liblcm.so"), lib.join(name)).expect("a link");
    }
    Library { include: package().join("include"), lib }
}

/// LCM's own, from PyPI. Ask for it before a test enters a separate network.
pub fn theirs() -> Library {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    let dir = DIR.get_or_init(|| {
        let mut python = saltus_peers::program("python");
        let code = "import lcm, pathlib; print(pathlib.Path(lcm.__file__).parent.parent)";
        PathBuf::from(run(python.args(["-c", code])).trim())
    });
    Library { include: dir.join("include"), lib: dir.join("lib") }
}

impl Library {
    /// Compiles a C or C++ file of `tests/c` with its headers, for its library.
    pub fn build(&self, source: &str, program: &Path, more: &[&str]) -> PathBuf {
        let source = package().join("tests/c").join(source);
        let cpp = source.extension().is_some_and(|extension| extension == "cpp");
        let mut compiler = Command::new(if cpp { "c++" } else { "cc" });
        let flags = STRICT.iter().filter(|flag| !cpp || !flag.starts_with("-std"));
        compiler.args(flags).arg("-isystem").arg(&self.include).arg(&source).args(more);
        run(compiler.arg("-L").arg(&self.lib).args(["-llcm", "-o"]).arg(program));
        program.into()
    }
    /// A program, run with this library.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("LD_LIBRARY_PATH", &self.lib).env_remove("LCM_DEFAULT_URL").stdin(Stdio::null());
        command
    }
}

/// Runs a command that must not fail; returns what it printed.
pub fn run(command: &mut Command) -> String {
    let output = output(command);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let end = out.lines().count().saturating_sub(10);
    let end = out.lines().skip(end).collect::<Vec<_>>().join("\n");
    assert!(output.status.success(), "{command:?}: {}\n{end}\n{err}", output.status);
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

/// The first line in which two texts differ, with those before it.
pub fn difference(theirs: &str, ours: &str) -> Option<String> {
    if theirs == ours {
        return None;
    }
    let at = theirs.lines().zip(ours.lines()).take_while(|(a, b)| a == b).count();
    let from = at.saturating_sub(8);
    let lines = |text: &str| text.lines().skip(from).take(at - from + 4).collect::<Vec<_>>().join("\n");
    Some(format!("line {}:\n{}\n--- but ours:\n{}", at + 1, lines(theirs), lines(ours)))
}

/// A directory for channels in shared memory, removed in the end.
pub struct TestDomain(PathBuf);

impl TestDomain {
    pub fn new() -> TestDomain {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed); // only each number once
        TestDomain(format!("/dev/shm/saltus-test-lcm-{}-{n}", std::process::id()).into())
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
