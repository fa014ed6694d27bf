//! Shared by the tests of Python, Java and Octave: generating, a virtual environment with LCM as the oracle,
//! running.

#![allow(dead_code)] // Each test uses a part of it.

use saltus_gen::{Lang, Options, Style, generate, write};
pub use saltus_peers::program as tool;
use saltus_types::Loader;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory of the tests of one language.
pub fn here(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(language)
}

/// Type files that cover every construct, and that LCM's generator accepts too.
pub fn covers() -> Vec<PathBuf> {
    ["root", "all", "exlcm", "cover", "scan"].map(|f| here("python").join(format!("types/{f}.lcm"))).into()
}

/// Type files for which LCM's generator emits broken code: keywords as names, odd characters, cycles.
pub fn odd() -> Vec<PathBuf> {
    ["root", "odd", "more", "rest"].map(|f| here("python").join(format!("odd/{f}.lcm"))).into()
}

/// A directory that is removed on drop.
pub struct Temp(PathBuf);

impl Temp {
    /// An empty directory.
    pub fn new(name: &str) -> Temp {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        Temp(dir)
    }
    /// A directory in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// Generates code for all types of these files into `dir`.
pub fn generated(files: &[PathBuf], lang: Lang, style: Style, dir: &Path) {
    let loader = files.iter().fold(Loader::new(), |l, f| l.file(f));
    let loaded = loader.load().unwrap_or_else(|e| panic!("{e}"));
    let options = Options { style, ..Options::default() };
    let files = generate(&loaded.schema, &loaded.named, lang, &options).unwrap();
    write(dir, &files, false).unwrap();
}

/// Runs a command; panics with its output if it fails.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} ended with {}\n{text}\n{errors}", output.status);
    text
}

/// The path of LCM's Java archive in the virtual environment.
pub fn lcm_jar() -> PathBuf {
    let find = "import lcm, pathlib; print(pathlib.Path(lcm.__file__).parent)";
    let package = PathBuf::from(run(tool("python").args(["-c", find])).trim());
    let site = package.parent().unwrap();
    let places = ["lcm/share/java/lcm.jar", "share/java/lcm.jar", "../../../share/java/lcm.jar"];
    let found = places.iter().map(|p| site.join(p)).find(|p| p.exists());
    found.unwrap_or_else(|| panic!("no lcm.jar near {}", site.display()))
}

/// LCM's own generated code for `files`; `flags` choose the language.
pub fn oracle(files: &[PathBuf], flags: &[&str], dir: &Path) {
    std::fs::create_dir_all(dir).unwrap();
    run(tool("lcm-gen").args(flags).arg(dir).args(files));
}
