//! Windows, by Wine, and macOS, as far as the compiler goes.

use super::build::{Linked, MACOS, Tests, WINDOWS, place};
use crate::run::{self, Outcome, Step, failed, root};
use crate::tools;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages of the command and of libraries, all of which must compile.
const CHECKED: &[&str] = &["saltus-cli", "saltus-gen"];

/// Tests that need neither shared memory nor network namespaces.
const SHORT: &[Tests] = &[
    Tests("saltus-os", &["waits"]),
    Tests("saltus-wire", &["saltus_wire", "messages"]),
    Tests("saltus-log", &["saltus_log", "log"]),
];
const FULL: &[Tests] = &[
    Tests("saltus-os", &["waits"]),
    Tests("saltus-wire", &["saltus_wire", "messages", "plain"]),
    Tests(
        "saltus-types",
        &["saltus_types", "cdr", "diff", "fingerprints", "hostile", "json", "language", "plain", "wire"],
    ),
    Tests("saltus-text", &["saltus_text"]),
    Tests("saltus-decode", &["saltus_decode"]),
    Tests("saltus-log", &["saltus_log", "formats", "log", "types"]),
    Tests("saltus-net", &["saltus_net", "reassembly"]),
];

/// Debian's Wine.
const WINE: &str = "/usr/lib/wine/wine64";

/// The steps of `cargo xtask cross windows`.
pub(super) fn windows(short: bool) -> Vec<Step> {
    vec![
        Step::new("tools for Windows", || {
            tools::install(&["wine64", "iproute2", "curl"])?;
            WINDOWS.install()
        }),
        Step::new("tests for Windows, by Wine", move || tests(if short { SHORT } else { FULL })),
        Step::new("Windows and Linux exchange messages, by Wine", exchange),
    ]
}

/// The steps of `cargo xtask cross macos`.
pub(super) fn macos() -> Vec<Step> {
    vec![
        Step::new("tools for macOS", || MACOS.install()),
        Step::new("macOS compiles, without being linked", || MACOS.check(CHECKED)),
    ]
}

/// Runs test programs, each in its own process.
fn tests(tests: &'static [Tests]) -> Outcome {
    for program in WINDOWS.tests(tests)? {
        library_beside(&program.path)?;
        let mut wine = Command::new(WINE);
        wine.arg(&program.path).arg("--test-threads=2").envs(environment()?);
        let said = run::output(&mut wine)?;
        let result = said.lines().find(|line| line.starts_with("test result"));
        let result = result.ok_or_else(|| format!("{}: it printed no result", program.name))?;
        println!("{}: {result}", program.name);
    }
    Ok(())
}

/// Runs `lab/desk/smoke.sh` with both commands.
fn exchange() -> Outcome {
    let exe = WINDOWS.program("saltus-cli", "saltus", "dev", Linked::Statically)?.path;
    library_beside(&exe)?;
    let mut build = Command::new("cargo");
    run::output(run::plain(&mut build).args(["build", "--quiet", "--locked", "-p", "saltus-cli"]))?;
    let here = place().join("desk");
    let _ = fs::remove_dir_all(&here); // of a run before
    let mut smoke = Command::new("timeout");
    smoke.args(["300", "unshare", "--net", "sh"]).arg(root().join("lab/desk/smoke.sh")).arg(exe);
    smoke.arg(root().join("target/debug/saltus")).arg(&here).env("WINE", WINE);
    print!("{}", run::output(&mut smoke)?);
    Ok(())
}

/// Variables that keep Wine's files in the target directory and its reports off.
fn environment() -> Result<Vec<(&'static str, PathBuf)>, String> {
    let prefix = place().join("wine");
    fs::create_dir_all(&prefix).map_err(failed(&prefix))?;
    Ok(vec![("WINEPREFIX", prefix), ("WINEDEBUG", "-all".into())])
}

/// Puts the library that Wine 8 lacks next to a program.
fn library_beside(program: &Path) -> Outcome {
    let library = program.with_file_name("bcryptprimitives.dll");
    let mut compile = Command::new(format!("{}-gcc", WINDOWS.prefix));
    compile.args(["-shared", "-o"]).arg(&library).arg(root().join("lab/desk/prng.c")).arg("-ladvapi32");
    run::output(&mut compile).map(drop)
}

/// The short form for Windows, and macOS, in one step.
pub fn desks() -> Step {
    let steps = || windows(true).into_iter().chain(macos());
    Step::new("", move || steps().try_for_each(Step::run))
}
