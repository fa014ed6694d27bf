//! The command as a Debian package and by `cargo install`: each is installed into a clean root, run there, and
//! removed without a trace.

use crate::run::{Outcome, Step, failed, output, root};
use crate::{dependencies, licences};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of cargo-deb that makes the package.
const CARGO_DEB: &str = "3.8.0";

/// dpkg's own state, below a root.
const STATE: &str = "var/lib/dpkg";

/// Builds the package; with `check`, tests it and `cargo install` too.
pub fn steps(check: bool) -> Vec<Step> {
    let mut steps = vec![
        Step::line("the command", "cargo build --profile dist --locked --package=saltus-cli"),
        Step::new("man pages, completions and licences", || beside(&target().join("dist/saltus"))),
        Step::new("cargo-deb", cargo_deb),
        Step::new("the package", package),
        Step::new("the list of its crates (SBOM)", || {
            dependencies::write_sbom(&made()?.with_extension("cdx.json"))
        }),
    ];
    if check {
        steps.push(Step::new("the package in a clean root, and gone again", install_package));
        steps.push(install(&[]));
    }
    steps
}

/// `cargo install` into a clean root, and removal, with `env` set.
pub fn install(env: &'static [(&str, &str)]) -> Step {
    Step::new("cargo install into a clean root, and gone again", move || install_by_cargo(env))
}

/// The output directory; `crates/cli/Cargo.toml` names it too.
fn directory() -> PathBuf {
    root().join("target/package")
}

/// The directory of cargo-deb: nothing of the machine is changed.
pub fn tools() -> PathBuf {
    root().join("target/tools")
}

/// An empty directory.
fn fresh(path: &Path) -> Outcome {
    if path.exists() {
        fs::remove_dir_all(path).map_err(failed(path))?;
    }
    fs::create_dir_all(path).map_err(failed(path))
}

fn write(path: &Path, text: impl AsRef<[u8]>) -> Outcome {
    fs::write(path, text).map_err(failed(path))
}

/// Cargo's output directory.
pub fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from))
}

/// Files that the command `saltus` writes itself, from the definitions of its options; and the licences of its crates.
pub fn beside(saltus: &Path) -> Outcome {
    let dir = directory();
    fresh(&dir)?;
    output(Command::new(saltus).args(["man", "--out"]).arg(dir.join("man")))?;
    for (shell, file) in [("bash", "saltus.bash"), ("zsh", "_saltus"), ("fish", "saltus.fish")] {
        write(&dir.join(file), output(Command::new(saltus).args(["completions", shell]))?)?;
    }
    write(&dir.join("LICENSES-OF-CRATES"), licences::text()?)
}

/// Without optimization it builds in half of the time, and packs as fast. Cargo does nothing if this version is
/// installed.
pub fn cargo_deb() -> Outcome {
    let line = ["cargo", "install", "cargo-deb", "--version", CARGO_DEB, "--locked", "--debug", "--root"];
    let tools = tools();
    let line: Vec<&str> = line.into_iter().chain(tools.to_str()).collect();
    Step::command("", &[], &line).run()
}

fn package() -> Outcome {
    let mut deb = Command::new(tools().join("bin/cargo-deb"));
    deb.args([
        "deb",
        "--no-build",
        "--locked",
        "--profile",
        "dist",
        "--strip",
        "-p",
        "saltus-cli",
        "--output",
    ]);
    println!("{}", output(deb.arg(directory()))?.trim());
    Ok(())
}

/// The package file.
fn made() -> Result<PathBuf, String> {
    let dir = directory();
    let entries = fs::read_dir(&dir).map_err(failed(&dir))?.flatten().map(|entry| entry.path());
    let mut debs: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "deb")).collect();
    match (debs.pop(), debs.is_empty()) {
        (Some(deb), true) => Ok(deb),
        _ => Err(format!("{} has not one package", dir.display())),
    }
}

/// dpkg for a separate root, as root or with a mapped root user.
fn dpkg(clean: &Path) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|out| out.stdout == b"0\n");
    let mut dpkg = Command::new(if is_root { "dpkg" } else { "unshare" });
    if !is_root {
        dpkg.args(["--map-root-user", "dpkg"]);
    }
    let path = std::env::var("PATH").unwrap_or_default();
    dpkg.env("PATH", format!("{path}:/usr/sbin:/sbin"));
    // The machine's log is left alone, and so is its setting to omit documentation, which containers have.
    dpkg.arg(format!("--root={}", clean.display()));
    dpkg.args(["--log=/dev/null", "--path-include=/*"]);
    dpkg
}

fn install_package() -> Outcome {
    let (clean, deb) = (directory().join("root"), made()?);
    let state = clean.join(STATE);
    fresh(&clean)?;
    fresh(&state.join("updates"))?;
    fresh(&state.join("info"))?;
    write(&state.join("available"), "")?;
    // The root has only the package's dependencies, in the versions of this machine.
    let depends = output(Command::new("dpkg-deb").arg("--field").arg(&deb).arg("Depends"))?;
    let names = depends.split(',').filter_map(|one| one.split_whitespace().next());
    write(&state.join("status"), output(Command::new("dpkg-query").arg("--status").args(names))?)?;
    let before = tree(&clean)?;
    output(dpkg(&clean).arg("--install").arg(&deb))?;
    for file in [
        "usr/share/bash-completion/completions/saltus",
        "usr/share/zsh/vendor-completions/_saltus",
        "usr/share/fish/vendor_completions.d/saltus.fish",
        "usr/lib/tmpfiles.d/saltus.conf",
        "usr/share/doc/saltus/copyright",
        "usr/share/doc/saltus/LICENSES-OF-CRATES",
        "usr/share/doc/saltus/README.md",
    ] {
        if !clean.join(file).is_file() {
            return Err(format!("{} has no {file}", deb.display()));
        }
    }
    let saltus = clean.join("usr/bin/saltus");
    runs(&saltus)?;
    let page = clean.join("usr/share/man/man1/saltus-echo.1.gz");
    let page = output(Command::new("gzip").arg("-dc").arg(page))?;
    if page != output(Command::new(&saltus).args(["man", "echo"]))? {
        return Err("the man page of echo differs from the command's output".into());
    }
    output(dpkg(&clean).args(["--purge", "saltus"]))?;
    nothing_left(&before, &tree(&clean)?)
}

fn install_by_cargo(env: &[(&str, &str)]) -> Outcome {
    let clean = directory().join("cargo");
    fresh(&clean)?;
    fresh(&clean.join("bin"))?;
    // Cargo's own lists of installed packages stay, and must be empty.
    let lists = [clean.join(".crates.toml"), clean.join(".crates2.json")];
    for list in &lists {
        write(list, "")?;
    }
    let before = tree(&clean)?;
    let mut cargo = Command::new("cargo");
    cargo.envs(env.iter().copied());
    output(cargo.args(["install", "--path", "crates/cli", "--locked", "--quiet", "--root"]).arg(&clean))?;
    runs(&clean.join("bin/saltus"))?;
    output(Command::new("cargo").args(["uninstall", "--quiet", "--root"]).arg(&clean).arg("saltus-cli"))?;
    for list in &lists {
        if fs::read_to_string(list).map_err(failed(list))?.contains("saltus") {
            return Err(format!("{} still names the command", list.display()));
        }
    }
    nothing_left(&before, &tree(&clean)?)
}

/// The installed command runs without the user's environment, has this version, and carries a message.
fn runs(saltus: &Path) -> Outcome {
    let place = format!("/dev/shm/saltus-package-{}", std::process::id());
    let domain = format!("shm://{place}");
    let run =
        |args: &[&str]| output(Command::new(saltus).args(args).env_clear().env("SALTUS_DOMAIN", &domain));
    let version = run(&["--version"])?;
    if version.trim() != concat!("saltus ", env!("CARGO_PKG_VERSION")) {
        return Err(format!("{} says that it is {version}", saltus.display()));
    }
    run(&["help"])?;
    let heard = run(&["pub", "tilt", "0.02 rad"])
        .and_then(|_| run(&["echo", "tilt", "--newest", "-n", "1", "--timeout", "10s"]))
        .and_then(|heard| run(&["rm", "tilt"]).map(|_| heard));
    let removed = fs::remove_dir_all(&place).map_err(failed(Path::new(&place)));
    let heard = heard?;
    removed?;
    if heard.contains("0.02 rad") { Ok(()) } else { Err(format!("echo says: {heard}")) }
}

/// All files below `clean`, except dpkg's own state, of which only entries about the command count.
fn tree(clean: &Path) -> Result<Vec<String>, String> {
    let found = output(Command::new("find").arg(clean).args(["-mindepth", "1", "-printf", "%P\n"]))?;
    let counts = |path: &&str| !path.starts_with(STATE) || path.contains("saltus");
    let mut paths: Vec<String> = found.lines().filter(counts).map(String::from).collect();
    paths.sort();
    Ok(paths)
}

fn nothing_left(before: &[String], after: &[String]) -> Outcome {
    let left: Vec<&str> = after.iter().filter(|path| !before.contains(path)).map(String::as_str).collect();
    if left.is_empty() { Ok(()) } else { Err(format!("left behind: {}", left.join(" "))) }
}
