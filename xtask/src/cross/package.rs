//! The Debian package of the command for another processor, and an archive with a static command.

use super::build::{Linked, Processor, Program, place};
use crate::package;
use crate::run::{self, Outcome, Step, failed, root};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The steps of `cargo xtask package PROCESSOR`.
pub(super) fn steps(processor: &'static Processor) -> Vec<Step> {
    vec![
        Step::new("tools", move || processor.install()),
        Step::new("man pages, completions and licences", || {
            let here = Command::new("cargo")
                .args(["build", "--quiet", "--locked", "-p", "saltus-cli"])
                .current_dir(root())
                .status();
            match here {
                Ok(status) if status.success() => package::beside(&package::target().join("debug/saltus")),
                other => Err(format!(
                    "the command of this machine, which writes its pages, does not build: {other:?}"
                )),
            }
        }),
        Step::new("cargo-deb", package::cargo_deb),
        Step::new("the package", move || deb(processor)),
        Step::new("the archive", move || archive(processor)),
    ]
}

fn program(processor: &'static Processor, linked: Linked) -> Result<Program, String> {
    processor.program("saltus-cli", "saltus", "dist", linked)
}

/// Where packages are put.
fn directory(processor: &Processor) -> Result<PathBuf, String> {
    let dir = place().join("package").join(processor.debian);
    fs::create_dir_all(&dir).map_err(failed(&dir))?;
    Ok(dir)
}

fn deb(processor: &'static Processor) -> Outcome {
    let (dir, saltus) = (directory(processor)?, program(processor, Linked::Dynamically)?);
    let mut deb = Command::new(package::tools().join("bin/cargo-deb"));
    deb.args(["deb", "--no-build", "--no-strip", "--locked", "--profile", "dist", "-p", "saltus-cli"]);
    deb.args(["--variant", "cross", "--target", processor.target, "--output"]).arg(&dir);
    let made = run::output(deb.env("CARGO_TARGET_DIR", place().join("target")))?;
    let made = PathBuf::from(made.trim());
    let field = |name: &str| run::output(Command::new("dpkg-deb").arg("--field").arg(&made).arg(name));
    let architecture = field("Architecture")?;
    if architecture.trim() != processor.debian {
        return Err(format!("{} is for {architecture}", made.display()));
    }
    let needed = saltus.libraries()?;
    let known = ["libc.so.6", "libm.so.6", "libgcc_s.so.1", processor.loader];
    if let Some(other) = needed.iter().find(|name| !known.contains(&&***name)) {
        return Err(format!("the command needs {other}, of which the package says nothing"));
    }
    println!("{}", made.display());
    Ok(())
}

fn archive(processor: &'static Processor) -> Outcome {
    let (dir, saltus) = (directory(processor)?, program(processor, Linked::Statically)?);
    let name = format!("saltus-{}-{}", env!("CARGO_PKG_VERSION"), processor.debian);
    let inside = dir.join(&name);
    fs::create_dir_all(&inside).map_err(failed(&inside))?;
    saltus.strip_to(&inside.join("saltus"))?;
    for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"] {
        fs::copy(root().join(file), inside.join(file)).map_err(failed(&inside))?;
    }
    let made = dir.join(format!("{name}.tar.gz"));
    run::output(
        Command::new("tar")
            .args(["--owner=0", "--group=0", "-czf"])
            .arg(&made)
            .arg("-C")
            .arg(&dir)
            .arg(&name),
    )?;
    fs::remove_dir_all(&inside).map_err(failed(&inside))?;
    println!("{}", made.display());
    Ok(())
}
