//! Tests on another processor: built here, run under that processor's own Linux kernel in an emulator.
//!
//! An emulator on x86 runs another instruction set, but not another memory order: what may be reordered on ARM is not seen here.

use crate::run::{self, Outcome, Step, failed, root};
use crate::tools;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The target of the compiler.
const TARGET: &str = "aarch64-unknown-linux-gnu";

/// A kernel of the distribution, by the package that depends on its newest version.
struct Kernel {
    name: &'static str,
    package: &'static str,
    /// Text in the output of `uname -v` that only this kernel has.
    says: &'static str,
}

const KERNELS: [Kernel; 2] = [
    Kernel { name: "PREEMPT_RT", package: "linux-image-rt-arm64", says: "PREEMPT_RT" },
    Kernel { name: "generic", package: "linux-image-arm64", says: "SMP Debian" },
];

/// A package, and the test programs of it that run in the guest; all if the list is empty.
struct Tests(&'static str, &'static [&'static str]);

/// The engine. `loom` and `docs` are left out: their results do not depend on the processor.
const SHORT: &[Tests] = &[
    Tests("saltus-os", &[]),
    Tests("saltus-ring", &["saltus_ring", "holes", "skip", "invariant_1"]),
    Tests("saltus-channel", &["saltus_channel", "holes", "hardening", "waiting", "types"]),
];

/// What `cargo xtask cross aarch64` runs: domains, networks, logs and types as well, under both kernels. Programs that need Python,
/// sources of the repository or network namespaces are left out, because the guest has none, and so are those that limit times.
const FULL: &[Tests] = &[
    Tests("saltus-os", &[]),
    Tests("saltus-ring", &["saltus_ring", "holes", "skip", "invariant_1", "oracle"]),
    Tests(
        "saltus-channel",
        &["saltus_channel", "holes", "hardening", "waiting", "invariants", "types", "lifecycle", "memory"],
    ),
    Tests("saltus-domain", &["saltus_domain", "shm", "view", "losses", "growth"]),
    Tests("saltus-net", &["reassembly", "steady"]),
    Tests("saltus-log", &["saltus_log", "log", "types"]),
    Tests("saltus-types", &["saltus_types", "cdr", "fingerprints", "json", "plain", "wire"]),
];

/// The steps of `cargo xtask cross aarch64`.
pub fn aarch64(short: bool) -> Vec<Step> {
    let (tests, kernels) = if short { (SHORT, &KERNELS[..1]) } else { (FULL, &KERNELS[..]) };
    let mut steps = vec![
        Step::new("tools and kernels for aarch64", || install().map(drop)),
        Step::new("tests for aarch64", move || build(tests).map(drop)),
    ];
    for kernel in kernels {
        let name = format!("tests under a {} kernel of arm64, emulated", kernel.name);
        steps.push(Step::new(&name, move || boot(kernel, tests)));
    }
    steps
}

/// The short form in one step.
pub fn short() -> Step {
    Step::new("", || aarch64(true).into_iter().try_for_each(Step::run))
}

/// Where everything is made.
fn place() -> PathBuf {
    root().join("target/cross")
}

/// Installs compiler, emulator and kernels.
fn install() -> Outcome {
    tools::add_architecture("arm64")?;
    tools::install(&[
        "gcc-aarch64-linux-gnu",
        "libc6-dev-arm64-cross",
        "qemu-system-arm",
        "cpio",
        "dpkg-dev",
    ])?;
    if compiler().is_err() {
        tools::install(&["rustc-web", "libstd-rust-web-dev:arm64"])?;
        compiler()?;
    }
    fs::create_dir_all(place()).map_err(failed(&place()))?;
    unpack("busybox-static")?;
    for kernel in &KERNELS {
        let depends =
            run::output(Command::new("apt-cache").args(["depends", &format!("{}:arm64", kernel.package)]))?;
        let newest = depends.split_whitespace().find_map(|word| {
            let name = word.trim_end_matches(":arm64");
            name.strip_prefix("linux-image-")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
                .then_some(name)
        });
        let newest =
            newest.ok_or_else(|| format!("{}:arm64 depends on no kernel: {depends}", kernel.package))?;
        unpack(newest)?;
        let link = place().join(kernel.package);
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(newest, &link).map_err(failed(&link))?;
    }
    Ok(())
}

/// A compiler that has the target's library: the one in use, or Debian's.
fn compiler() -> Result<&'static str, String> {
    let has = |rustc: &str| {
        let found = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output();
        found.is_ok_and(|out| Path::new(String::from_utf8_lossy(&out.stdout).trim()).is_dir())
    };
    ["rustc", "/usr/bin/rustc"]
        .into_iter()
        .find(|rustc| has(rustc))
        .ok_or_else(|| format!("no Rust compiler has the target {TARGET}: `rustup target add {TARGET}`"))
}

/// Unpacks an arm64 package of the distribution, which is not installed, into a directory of its name.
fn unpack(package: &str) -> Outcome {
    let dir = place().join(package);
    if dir.is_dir() {
        return Ok(());
    }
    let fetched = place().join("fetched");
    let _ = fs::remove_dir_all(&fetched);
    fs::create_dir_all(&fetched).map_err(failed(&fetched))?;
    // The working directory is where apt puts it.
    let mut fetch = Command::new("sh");
    fetch
        .args(["-c", "cd \"$1\" && apt-get download -qq \"$2\"", "sh"])
        .arg(&fetched)
        .arg(format!("{package}:arm64"));
    run::output(&mut fetch)?;
    let deb = fs::read_dir(&fetched).map_err(failed(&fetched))?.flatten().next();
    let deb = deb.ok_or_else(|| format!("apt-get downloaded nothing for {package}:arm64"))?.path();
    run::output(Command::new("dpkg").arg("-x").arg(&deb).arg(&dir))?;
    fs::remove_dir_all(&fetched).map_err(failed(&fetched))
}

/// A command of cargo for the target, linked statically: the guest has no libraries.
fn cargo() -> Result<Command, String> {
    let mut command = Command::new("cargo");
    command
        .env("RUSTC", compiler()?)
        .env("CARGO_TARGET_DIR", place().join("target"))
        .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc")
        .env("RUSTFLAGS", "-C target-feature=+crt-static");
    Ok(command)
}

/// Builds the test programs; their names and paths.
fn build(tests: &[Tests]) -> Result<Vec<(String, PathBuf)>, String> {
    let mut built = Vec::new();
    for Tests(package, wanted) in tests {
        let mut command = cargo()?;
        command.args(["test", "--locked", "--no-run", "--lib", "--tests", "--target", TARGET, "-p", package]);
        command.args(["--message-format", "short"]).current_dir(root());
        let output = command.output().map_err(|e| format!("cargo: {e}"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(format!("{package} does not build for {TARGET}:\n{said}"));
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
                built.push((format!("{package}.{stem}"), path));
            }
        }
        if !missing.is_empty() {
            return Err(format!("{package} has no test program {}", missing.join(", ")));
        }
    }
    Ok(built)
}

/// What the guest runs first. Each program has 240 s; its result is a line that [`boot`] reads.
const INIT: &str = "#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts; mount -t tmpfs shm /dev/shm; mount -t tmpfs tmp /tmp; mount -t devpts pts /dev/pts
ip link set lo up
echo \"KERNEL $(uname -v)\"
cd /tmp
for t in /t/*; do
  timeout -s KILL 240 $t --test-threads=2 > /tmp/out 2>&1; code=$?
  [ $code = 0 ] || cat /tmp/out
  echo \"RESULT $(basename $t) $code $(grep '^test result' /tmp/out)\"
done
echo DONE
poweroff -f
";

/// Boots a kernel and runs the tests in it.
fn boot(kernel: &Kernel, tests: &[Tests]) -> Outcome {
    let (programs, guest) = (build(tests)?, place().join("guest"));
    let _ = fs::remove_dir_all(&guest);
    for dir in ["bin", "etc", "proc", "sys", "dev", "tmp", "t"] {
        fs::create_dir_all(guest.join(dir)).map_err(failed(&guest))?;
    }
    let copy = |from: &Path, to: &str| fs::copy(from, guest.join(to)).map(drop).map_err(failed(from));
    copy(&place().join("busybox-static/bin/busybox"), "bin/busybox")?;
    for (name, path) in &programs {
        let to = guest.join("t").join(name);
        run::output(Command::new("aarch64-linux-gnu-strip").arg("-g").arg("-o").arg(&to).arg(path))?;
    }
    fs::write(guest.join("etc/passwd"), "root:x:0:0:root:/:/bin/sh\n").map_err(failed(&guest))?;
    fs::write(guest.join("etc/group"), "root:x:0:\n").map_err(failed(&guest))?;
    fs::write(guest.join("init"), INIT).map_err(failed(&guest))?;
    let archive = place().join("initramfs");
    let pack = "chmod +x init && find . | cpio -o -H newc --quiet | gzip -1 > ../initramfs";
    run::output(Command::new("sh").args(["-c", &format!("cd \"$1\" && {pack}"), "sh"]).arg(&guest))?;
    let said = run::output(
        Command::new("qemu-system-aarch64")
            .args([
                "-M",
                "virt",
                "-cpu",
                "max,pauth-impdef=on",
                "-smp",
                "2",
                "-m",
                "3G",
                "-nographic",
                "-no-reboot",
            ])
            .args(["-nic", "none", "-append", "console=ttyAMA0 quiet panic=-1", "-kernel"])
            .arg(vmlinuz(kernel)?)
            .arg("-initrd")
            .arg(&archive),
    )?;
    judge(&said, kernel, &programs.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())
}

/// The kernel's file.
fn vmlinuz(kernel: &Kernel) -> Result<PathBuf, String> {
    let dir = place().join(kernel.package).join("boot");
    let files = fs::read_dir(&dir).map_err(failed(&dir))?.flatten().map(|entry| entry.path());
    let mut found = files
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("vmlinuz")));
    found.next().ok_or_else(|| format!("{}: no kernel in it", dir.display()))
}

/// Whether the guest ran everything, and all of it succeeded.
fn judge(said: &str, kernel: &Kernel, programs: &[&str]) -> Outcome {
    if !said.lines().any(|line| line.starts_with("KERNEL") && line.contains(kernel.says)) {
        return Err(format!("the guest did not start a {} kernel:\n{said}", kernel.name));
    }
    let mut wrong = Vec::new();
    for program in programs {
        let line = said.lines().find_map(|line| line.strip_prefix(&format!("RESULT {program} ")));
        match line.map(|line| line.split_once(' ').unwrap_or((line, ""))) {
            Some(("0", result)) => println!("{program}: {}", result.trim()),
            Some((code, result)) => wrong.push(format!("{program} ended with {code} {}", result.trim())),
            None => wrong.push(format!("{program} did not run")),
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{said}\n{}", wrong.join("\n"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_that_stops_early_or_fails_is_no_success() {
        let whole = "KERNEL #1 SMP PREEMPT_RT Debian\nRESULT a 0 test result: ok.\nRESULT b 0 test result: ok.\nDONE\n";
        assert_eq!(judge(whole, &KERNELS[0], &["a", "b"]), Ok(()));
        for (from, to, says) in [
            ("RESULT b 0", "RESULT b 101", "b ended with 101"),
            ("RESULT b 0", "panic", "b did not run"),
            ("PREEMPT_RT", "SMP", "did not start a PREEMPT_RT kernel"),
        ] {
            let why = judge(&whole.replace(from, to), &KERNELS[0], &["a", "b"]).unwrap_err();
            assert!(why.contains(says), "{why}");
        }
    }
}
