//! Compilers for other processors, and what they build.

use crate::run::{self, Outcome, root};
use crate::tools;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A processor that is not this one.
pub(super) struct Processor {
    /// Its name in the command and in results.
    pub name: &'static str,
    /// The target of the Rust compiler.
    pub target: &'static str,
    /// What the names of its C compiler and of its tools begin with.
    pub prefix: &'static str,
    /// The program that loads dynamically linked ones.
    pub loader: &'static str,
    /// Debian's name of it.
    pub debian: &'static str,
    /// Debian's packages with those and with its C library.
    packages: &'static [&'static str],
    /// The compiler's flags to link everything inside.
    pub statically: &'static str,
    /// Debian's package with Rust's standard library for it, next to `rustc-web`. Without one, cargo builds it from its source.
    library: Option<&'static str>,
}

/// Flags to link the C library inside.
const WITH_C: &str = "-C target-feature=+crt-static";

pub(super) const AARCH64: Processor = Processor {
    name: "aarch64",
    target: "aarch64-unknown-linux-gnu",
    prefix: "aarch64-linux-gnu",
    loader: "ld-linux-aarch64.so.1",
    debian: "arm64",
    packages: &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
    statically: WITH_C,
    library: Some("libstd-rust-web-dev:arm64"),
};

pub(super) const ARMV7: Processor = Processor {
    name: "armv7",
    target: "armv7-unknown-linux-gnueabihf",
    prefix: "arm-linux-gnueabihf",
    loader: "ld-linux-armhf.so.3",
    debian: "armhf",
    packages: &["gcc-arm-linux-gnueabihf", "libc6-dev-armhf-cross"],
    statically: WITH_C,
    library: None,
};

pub(super) const RISCV64: Processor = Processor {
    name: "riscv64",
    target: "riscv64gc-unknown-linux-gnu",
    prefix: "riscv64-linux-gnu",
    loader: "ld-linux-riscv64-lp64d.so.1",
    debian: "riscv64",
    packages: &["gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross"],
    statically: WITH_C,
    library: None,
};

/// Windows on x86-64.
pub(super) const WINDOWS: Processor = Processor {
    name: "windows",
    target: "x86_64-pc-windows-gnu",
    prefix: "x86_64-w64-mingw32",
    loader: "",
    debian: "",
    packages: &["gcc-mingw-w64-x86-64-posix"],
    statically: "-C target-feature=+crt-static -C link-arg=-static",
    library: None,
};

/// macOS on Apple silicon. Only checked: a linker and a C compiler are missing.
pub(super) const MACOS: Processor = Processor {
    name: "macos",
    target: "aarch64-apple-darwin",
    prefix: "",
    loader: "",
    debian: "",
    packages: &[],
    statically: "",
    library: None,
};

/// How programs are linked.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Linked {
    /// With everything inside: guests have no libraries.
    Statically,
    /// With the system's C library, as what is shipped: a static one could not look up the names of hosts.
    Dynamically,
}

/// A package, and those of its test programs that run; all if none is named.
pub(super) struct Tests(pub &'static str, pub &'static [&'static str]);

/// A program that was built.
pub(super) struct Program {
    /// Its processor, package and name: `aarch64.saltus-ring.holes`.
    pub name: String,
    pub path: PathBuf,
    pub processor: &'static Processor,
}

/// Where everything is made.
pub fn place() -> PathBuf {
    root().join("target/cross")
}

impl Program {
    /// Copies it without what only debuggers need.
    pub fn strip_to(&self, to: &Path) -> Outcome {
        let mut strip = Command::new(format!("{}-strip", self.processor.prefix));
        run::output(strip.arg("-g").arg("-o").arg(to).arg(&self.path)).map(drop)
    }
}

impl Program {
    /// The libraries that it needs.
    pub fn libraries(&self) -> Result<Vec<String>, String> {
        let mut read = Command::new(format!("{}-readelf", self.processor.prefix));
        let said = run::output(read.arg("--dynamic").arg("--wide").arg(&self.path))?;
        let needed = said.lines().filter(|line| line.contains("(NEEDED)"));
        Ok(needed
            .filter_map(|line| Some(line.split_once('[')?.1.trim_end_matches(']').to_string()))
            .collect())
    }
}

/// Debian's own compiler: a newer one than its `rustc`.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

impl Processor {
    /// Installs its compilers.
    pub fn install(&self) -> Outcome {
        tools::install(self.packages)?;
        if self.compiler().is_err() {
            let library = self.library.unwrap_or("rust-web-src");
            tools::install(&["rustc-web", library])?;
            self.compiler()?;
        }
        Ok(())
    }

    /// A Rust compiler that has the target's library, the one in use or Debian's; or one with the source of the library, and `true`.
    fn compiler(&self) -> Result<(&'static str, bool), String> {
        let library = |rustc: &str, what: &[&str], inside: &str| {
            let found = Command::new(rustc).args(what).output();
            let path = found.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_string());
            path.is_ok_and(|path| !path.is_empty() && Path::new(&path).join(inside).is_dir())
        };
        let has = |rustc: &&str| library(rustc, &["--print", "target-libdir", "--target", self.target], "");
        let has_source =
            |rustc: &&str| library(rustc, &["--print", "sysroot"], "lib/rustlib/src/rust/library");
        let find = |has: &dyn Fn(&&str) -> bool| ["rustc", DEBIAN_RUSTC].into_iter().find(has);
        match (find(&has), self.library) {
            (Some(rustc), _) => Ok((rustc, false)),
            (None, None) if has_source(&DEBIAN_RUSTC) => Ok((DEBIAN_RUSTC, true)),
            _ => Err(format!(
                "no Rust compiler has the target {0}: `rustup target add {0}`, or `apt-get install rustc-web {1}`",
                self.target,
                self.library.unwrap_or("rust-web-src")
            )),
        }
    }

    /// `cargo WHAT` for this processor.
    fn cargo(&self, what: &str, linked: Linked) -> Result<Command, String> {
        let (rustc, from_source) = self.compiler()?;
        let mut command = Command::new("cargo");
        run::plain(&mut command).args([what, "--locked", "--target", self.target]);
        if from_source {
            // The option is not stable; Debian's compiler and this library are of one version.
            command.env("RUSTC_BOOTSTRAP", "1").arg("-Zbuild-std=std,panic_abort,panic_unwind");
        }
        let linker = format!("CARGO_TARGET_{}_LINKER", self.target.to_uppercase().replace('-', "_"));
        command
            .env("RUSTC", rustc)
            .env("CARGO_TARGET_DIR", place().join("target"))
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env(linker, format!("{}-gcc", self.prefix))
            .env(format!("CC_{}", self.target.replace('-', "_")), format!("{}-gcc", self.prefix))
            .env("RUSTFLAGS", if linked == Linked::Statically { self.statically } else { "" })
            .current_dir(root());
        Ok(command)
    }

    /// Compiles packages without their default features as far as `cargo check` does. Build scripts "compile" C with `true`.
    pub fn check(&self, packages: &[&str]) -> Outcome {
        let mut command = self.cargo("check", Linked::Dynamically)?;
        for tool in ["CC", "AR"] {
            command.env(format!("{tool}_{}", self.target.replace('-', "_")), "true");
        }
        command.args(["--quiet", "--no-default-features"]);
        run::output(command.args(packages.iter().flat_map(|package| ["-p", package]))).map(drop)
    }

    /// Builds a program of a package.
    pub fn program(
        &'static self,
        package: &str,
        name: &str,
        profile: &str,
        linked: Linked,
    ) -> Result<Program, String> {
        let mut command = self.cargo("build", linked)?;
        command.args(["--quiet", "-p", package, "--bin", name, "--profile", profile]);
        let is_windows = self.name == WINDOWS.name;
        if is_windows {
            command.arg("--no-default-features"); // the demo needs shared memory
        }
        run::output(&mut command)?;
        let folder = if profile == "dev" { "debug" } else { profile };
        let file = if is_windows { format!("{name}.exe") } else { name.into() };
        Ok(Program {
            name: format!("{}.{name}", self.name),
            path: place().join("target").join(self.target).join(folder).join(file),
            processor: self,
        })
    }

    /// Builds test programs.
    pub fn tests(&'static self, tests: &[Tests]) -> Result<Vec<Program>, String> {
        let mut built = Vec::new();
        for Tests(package, wanted) in tests {
            let mut command = self.cargo("test", Linked::Statically)?;
            if self.name == RISCV64.name {
                // A jump of RISC-V reaches 1 MiB, and Debian's static C library has some that must reach further in large programs.
                command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "s");
            }
            command.args(["--no-run", "-p", package, "--message-format", "short"]);
            match wanted.is_empty() {
                true => drop(command.args(["--lib", "--tests"])),
                false => wanted.iter().for_each(|name| match *name == package.replace('-', "_") {
                    true => drop(command.arg("--lib")),
                    false => drop(command.args(["--test", name])),
                }),
            }
            let output = command.output().map_err(|e| format!("cargo: {e}"))?;
            let said = String::from_utf8_lossy(&output.stderr);
            if !output.status.success() {
                return Err(format!("{package} does not build for {}:\n{said}", self.target));
            }
            // "  Executable tests/holes.rs (target/…/deps/holes-0123456789abcdef)"
            let paths = said
                .lines()
                .filter(|line| line.contains("Executable"))
                .filter_map(|line| Some(PathBuf::from(line.rsplit_once('(')?.1.trim_end_matches(')'))));
            let mut missing: Vec<&str> = wanted.to_vec();
            for path in paths {
                let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let stem = file.rsplit_once('-').map_or(&*file, |(stem, _)| stem).to_string();
                if wanted.is_empty() || wanted.contains(&&*stem) {
                    missing.retain(|name| *name != stem);
                    built.push(Program {
                        name: format!("{}.{package}.{stem}", self.name),
                        path,
                        processor: self,
                    });
                }
            }
            if !missing.is_empty() {
                return Err(format!("{package} has no test program {}", missing.join(", ")));
            }
        }
        Ok(built)
    }
}
