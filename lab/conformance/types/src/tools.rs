//! Runs installed programs.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock};

/// A result, or an error in words.
pub type Result<T> = std::result::Result<T, String>;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(3).unwrap_or(here).into()
}

/// A file of this package.
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// A program of the virtual environment, which is created if necessary: `python`, `lcm-gen`.
pub fn venv(program: &str) -> Result<PathBuf> {
    static PYTHON: OnceLock<Result<PathBuf>> = OnceLock::new();
    let made = PYTHON.get_or_init(|| {
        let out = output(Command::new("python3").arg(file("environment.py")))?;
        Ok(PathBuf::from(out.trim()))
    });
    Ok(made.clone()?.with_file_name(program))
}

/// The directory of LCM as installed by pip, with its headers, library and Java archive.
pub fn lcm() -> Result<PathBuf> {
    static LCM: OnceLock<Result<PathBuf>> = OnceLock::new();
    LCM.get_or_init(|| {
        let program = "import lcm, pathlib; print(pathlib.Path(lcm.__file__).parents[1])";
        let out = output(Command::new(venv("python")?).args(["-c", program]))?;
        Ok(PathBuf::from(out.trim()))
    })
    .clone()
}

/// The standard output of a command, if it succeeds.
///
/// # Errors
/// A command that cannot be run or fails; with all its output.
pub fn output(command: &mut Command) -> Result<String> {
    let out = command.stdin(Stdio::null()).output().map_err(|e| format!("{}: {e}", printed(command)))?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    if out.status.success() {
        return Ok(text);
    }
    Err(format!(
        "{} ended with {}\n{text}{}",
        printed(command),
        out.status,
        String::from_utf8_lossy(&out.stderr)
    ))
}

/// The command as typed in a shell.
fn printed(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// Creates a directory, or empties it.
pub fn fresh(dir: &Path) -> Result<()> {
    match std::fs::remove_dir_all(dir) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(format!("{}: {e}", dir.display())),
        _ => std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display())),
    }
}

/// Writes a file, and creates its directories.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|e| format!("{}: {e}", path.display()))
}

/// Processes every item, some concurrently; the results are in the order of the items.
pub fn in_parallel<T: Sync, R: Send>(threads: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = Mutex::new(0..items.len());
    let done = Mutex::new(Vec::new());
    let take = || next.lock().ok()?.next();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(i) = take() {
                    let result = work(&items[i]);
                    if let Ok(mut done) = done.lock() {
                        done.push((i, result));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}
