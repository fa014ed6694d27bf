//! A kernel of arm64 in an emulator, with programs in its memory. It executes programs of 64 bits and of 32.

use super::build::{Program, place};
use crate::run::{self, Outcome, failed};
use crate::tools;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kernel of the distribution, by the package that depends on its newest version.
pub(super) struct Kernel {
    pub name: &'static str,
    package: &'static str,
    /// Text in the output of `uname -v` that only this kernel has.
    says: &'static str,
}

pub(super) const KERNELS: [Kernel; 2] = [
    Kernel { name: "PREEMPT_RT", package: "linux-image-rt-arm64", says: "PREEMPT_RT" },
    Kernel { name: "generic", package: "linux-image-arm64", says: "SMP Debian" },
];

/// What a guest runs.
#[derive(Default)]
pub(super) struct Load {
    /// Test programs.
    pub tests: Vec<Program>,
    /// Programs that scripts or tests start: `/p/NAME`.
    pub programs: Vec<(String, Program)>,
    /// Names and shell commands that count as tests.
    pub scripts: Vec<(&'static str, &'static str)>,
}

/// Installs emulator and kernels.
pub(super) fn install() -> Outcome {
    tools::add_architecture("arm64")?;
    tools::install(&["qemu-system-arm", "cpio", "dpkg-dev"])?;
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

/// What the guest runs first. Each program has its time; its result is a line that [`judge`] reads. A test of a 32-bit program that needs
/// one of 64 bits finds it in /p.
const INIT: &str = "#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts; mount -t tmpfs shm /dev/shm; mount -t tmpfs tmp /tmp; mount -t devpts pts /dev/pts
ip link set lo up
echo \"KERNEL $(uname -v)\"
[ -x /p/widths ] && export SALTUS_OTHER_WIDTH=/p/widths
cd /tmp
for t in /t/*; do
  timeout -s KILL 900 $t --test-threads=2 > /tmp/out 2>&1; code=$?
  [ $code = 0 ] || cat /tmp/out
  echo \"RESULT $(basename $t) $code $(grep '^test result' /tmp/out || tail -n 1 /tmp/out)\"
done
echo DONE
poweroff -f
";

/// Boots a kernel and runs the load in it.
pub(super) fn boot(kernel: &Kernel, load: &Load) -> Outcome {
    let guest = place().join("guest");
    let _ = fs::remove_dir_all(&guest);
    for dir in ["bin", "etc", "proc", "sys", "dev", "tmp", "t", "p"] {
        fs::create_dir_all(guest.join(dir)).map_err(failed(&guest))?;
    }
    let write = |name: &str, text: &str| fs::write(guest.join(name), text).map_err(failed(&guest));
    let busybox = place().join("busybox-static/bin/busybox");
    fs::copy(&busybox, guest.join("bin/busybox")).map_err(failed(&busybox))?;
    for program in &load.tests {
        program.strip_to(&guest.join("t").join(&program.name))?;
    }
    for (name, program) in &load.programs {
        program.strip_to(&guest.join("p").join(name))?;
    }
    for (name, line) in &load.scripts {
        write(&format!("t/{name}"), &format!("#!/bin/sh\n{line}\n"))?;
    }
    write("etc/passwd", "root:x:0:0:root:/:/bin/sh\n")?;
    write("etc/group", "root:x:0:\n")?;
    write("init", INIT)?;
    let archive = place().join("initramfs");
    let pack = "chmod +x init t/* && find . | cpio -o -H newc --quiet | gzip -1 > ../initramfs";
    run::output(Command::new("sh").args(["-c", &format!("cd \"$1\" && {pack}"), "sh"]).arg(&guest))?;
    let machine = "-M virt -cpu max,pauth-impdef=on -smp 2 -m 3G -nographic -no-reboot -nic none";
    let said = run::output(
        Command::new("qemu-system-aarch64")
            .args(machine.split(' '))
            .args(["-append", "console=ttyAMA0 quiet panic=-1", "-kernel"])
            .arg(vmlinuz(kernel)?)
            .arg("-initrd")
            .arg(&archive),
    )?;
    let tests = load.tests.iter().map(|program| program.name.as_str());
    judge(&said, kernel, &tests.chain(load.scripts.iter().map(|(name, _)| *name)).collect::<Vec<_>>())
}

/// The kernel's file.
fn vmlinuz(kernel: &Kernel) -> Result<PathBuf, String> {
    let dir = place().join(kernel.package).join("boot");
    let files = fs::read_dir(&dir).map_err(failed(&dir))?.flatten().map(|entry| entry.path());
    let is_kernel = |path: &PathBuf| path.file_name().is_some_and(|name| starts(name.as_ref(), "vmlinuz"));
    files.into_iter().find(is_kernel).ok_or_else(|| format!("{}: no kernel in it", dir.display()))
}

fn starts(name: &Path, with: &str) -> bool {
    name.to_string_lossy().starts_with(with)
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
