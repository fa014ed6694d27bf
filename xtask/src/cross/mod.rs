//! Tests on other processors and systems: built here, run under an arm64 kernel in an emulator, which also executes 32-bit ARM programs.
//!
//! An emulator on x86 runs another instruction set, but not another memory order: what may be reordered on ARM is not seen here.

mod build;
mod desk;
mod guest;
mod package;

use crate::run::{self, Outcome, Step};
use crate::tools;
use build::{AARCH64, ARMV7, Linked, Processor, RISCV64, Tests};
use guest::{KERNELS, Load};
use std::process::Command;

pub use desk::desks;

/// The engine. `loom` and `docs` are left out: their results do not depend on the processor.
const SHORT: &[Tests] = &[
    Tests("saltus-os", &[]),
    Tests("saltus-ring", &["saltus_ring", "holes", "skip", "invariant_1"]),
    Tests("saltus-channel", &["saltus_channel", "holes", "hardening", "waiting", "types", "widths"]),
];

/// What `cargo xtask cross` runs: domains, networks, logs and types as well. Programs that need
/// Python, sources of the repository or network namespaces are left out, because the guest has none, and so are those that limit times.
const FULL: &[Tests] = &[
    Tests("saltus-os", &[]),
    Tests("saltus-ring", &["saltus_ring", "holes", "skip", "invariant_1", "oracle"]),
    Tests(
        "saltus-channel",
        &[
            "saltus_channel",
            "holes",
            "hardening",
            "waiting",
            "invariants",
            "types",
            "lifecycle",
            "memory",
            "widths",
        ],
    ),
    Tests("saltus-domain", &["saltus_domain", "shm", "view", "losses", "growth"]),
    Tests("saltus-net", &["reassembly", "steady"]),
    Tests("saltus-log", &["saltus_log", "log", "types"]),
    Tests("saltus-types", &["saltus_types", "cdr", "fingerprints", "json", "plain", "wire"]),
];

/// The test program that exchanges messages with itself, built for another width.
const WIDTHS: &[Tests] = &[Tests("saltus-channel", &["widths"])];

/// What runs where the emulator translates system calls. It neither wipes memory on fork, nor loads filters of system calls, nor starts a
/// program of its processor: tests that need those are left out.
const USER: &[Tests] = &[
    Tests("saltus-ring", &["saltus_ring", "holes", "skip", "invariant_1", "oracle"]),
    Tests("saltus-channel", &["saltus_channel", "types"]),
    Tests("saltus-net", &["reassembly", "steady"]),
    Tests("saltus-log", &["saltus_log", "log", "types"]),
    Tests("saltus-types", &["saltus_types", "cdr", "fingerprints", "json", "plain", "wire"]),
];

fn tests_of(short: bool) -> &'static [Tests] {
    if short { SHORT } else { FULL }
}

/// The steps of `cargo xtask cross PROCESSOR`.
pub fn steps(processor: &str, short: bool) -> Result<Vec<Step>, String> {
    match processor {
        "aarch64" => Ok(aarch64(short)),
        "armv7" => Ok(armv7(short)),
        "riscv64" => Ok(riscv64(short)),
        "windows" => Ok(desk::windows(short)),
        "macos" => Ok(desk::macos()),
        _ => Err(format!("cross {processor}: it must be aarch64, armv7, riscv64, windows or macos")),
    }
}

/// The steps of `cargo xtask package ARCHITECTURE`, with Debian's name of the processor.
pub fn package(architecture: &str) -> Result<Vec<Step>, String> {
    let found = [&AARCH64, &ARMV7].into_iter().find(|processor| processor.debian == architecture);
    let processor = found.ok_or_else(|| {
        format!("package {architecture}: the architecture must be arm64 or armhf, or none for this machine's")
    })?;
    Ok(package::steps(processor))
}

/// 64-bit programs under their own kernels.
fn aarch64(short: bool) -> Vec<Step> {
    let kernels = if short { &KERNELS[..1] } else { &KERNELS[..] };
    let mut steps = vec![
        Step::new("tools and kernels for aarch64", || guest::install().and_then(|()| AARCH64.install())),
        Step::new("tests for aarch64", move || load_of_aarch64(short).map(drop)),
    ];
    for kernel in kernels {
        let name = format!("tests under a {} kernel of arm64, emulated", kernel.name);
        steps.push(Step::new(&name, move || guest::boot(kernel, &load_of_aarch64(short)?)));
    }
    steps
}

fn load_of_aarch64(short: bool) -> Result<Load, String> {
    let mut load = Load { tests: AARCH64.tests(tests_of(short))?, ..Load::default() };
    if !short {
        for (package, name) in [("saltus-campaigns", "saltus-campaigns"), ("saltus-cli", "saltus")] {
            let program = AARCH64.program(package, name, "release", Linked::Statically)?;
            load.programs.push((name.into(), program));
        }
        load.scripts = vec![
            (
                "stepkill",
                "/p/saltus-campaigns stepkill --short > s; code=$?; cat s; ! grep -q skip s && exit $code",
            ),
            ("demo", "/p/saltus demo --duration 20s --chaos --seed 7"),
            ("demo-without-controller", "! /p/saltus demo --duration 5s --no-control"),
        ];
    }
    Ok(load)
}

/// 32-bit programs under a 64-bit kernel, next to 64-bit ones.
fn armv7(short: bool) -> Vec<Step> {
    let install = || guest::install().and_then(|()| AARCH64.install()).and_then(|()| ARMV7.install());
    let kernels = if short { &KERNELS[1..] } else { &KERNELS[..] };
    let mut steps = vec![
        Step::new("tools and kernels for armv7", install),
        Step::new("tests for armv7", move || load_of_armv7(short).map(drop)),
    ];
    for kernel in kernels {
        let name = format!("32-bit tests under a {} kernel of arm64, emulated", kernel.name);
        steps.push(Step::new(&name, move || guest::boot(kernel, &load_of_armv7(short)?)));
    }
    if !short {
        steps.push(Step::new("the command for armv7", || command(&ARMV7)));
    }
    steps
}

fn load_of_armv7(short: bool) -> Result<Load, String> {
    let others = AARCH64.tests(WIDTHS)?.into_iter().map(|other| ("widths".to_string(), other));
    Ok(Load { tests: ARMV7.tests(tests_of(short))?, programs: others.collect(), ..Load::default() })
}

/// Debian 12 has no kernel for it, so that the emulator translates system calls.
fn riscv64(short: bool) -> Vec<Step> {
    let install = || tools::install(&["qemu-user"]).and_then(|()| RISCV64.install());
    let tests = if short { &USER[..2] } else { USER };
    let mut steps = vec![
        Step::new("tools for riscv64", install),
        Step::new("tests for riscv64, system calls emulated", move || {
            for program in RISCV64.tests(tests)? {
                let said =
                    run::output(Command::new("qemu-riscv64").arg(&program.path).arg("--test-threads=2"))?;
                let result = said.lines().find(|line| line.starts_with("test result"));
                let result = result.ok_or_else(|| format!("{}: it printed no result", program.name))?;
                println!("{}: {result}", program.name);
            }
            Ok(())
        }),
    ];
    if !short {
        steps.push(Step::new("the command for riscv64", || command(&RISCV64)));
    }
    steps
}

/// Builds the command, linked statically.
fn command(processor: &'static Processor) -> Outcome {
    processor.program("saltus-cli", "saltus", "release", Linked::Statically).map(drop)
}

/// The short form for aarch64 in one step.
pub fn short() -> Step {
    Step::new("", || aarch64(true).into_iter().try_for_each(Step::run))
}

/// The short form for armv7 in one step.
pub fn widths() -> Step {
    Step::new("", || armv7(true).into_iter().try_for_each(Step::run))
}
