//! What the tests have in common: LCM's own library and ours, and programs built for either.
#![allow(dead_code)] // each test uses some of it

#[path = "../../../../bindings/c/tests/support/native.rs"]
pub mod native;

pub use native::*;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// What every C file is compiled with.
pub const STRICT: &[&str] = &["-std=gnu99", "-Wall", "-Wextra", "-Werror", "-O1", "-g"];

/// A library of LCM: its headers, and a directory with `liblcm.so.1`.
#[derive(Clone, Debug)]
pub struct Library {
    pub include: PathBuf,
    pub lib: PathBuf,
}

/// Our library. `dir`: where its names are made, a directory of the test.
pub fn ours(dir: &Path) -> Library {
    let lib = dir.join("ours");
    std::fs::create_dir_all(&lib).expect("a directory");
    for name in ["liblcm.so", "liblcm.so.1"] {
        let _ = std::fs::remove_file(lib.join(name)); // not there, the first time
        std::os::unix::fs::symlink(library("liblcm.so"), lib.join(name)).expect("a link");
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
