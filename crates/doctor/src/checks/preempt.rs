//! Checks the preemption model of the kernel.

use std::io::Read;

use flate2::read::GzDecoder;

use super::kernel::is_realtime;
use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "rt.preempt",
    title: "preemption of the kernel",
    reads: &["/sys/kernel/debug/sched/preempt", "/proc/cmdline", "/proc/config.gz", "/boot/config-RELEASE"],
    good: "PREEMPT_RT, full or lazy",
    why: "With `none` and `voluntary` a system call of any program runs to its end, or to a preemption point, before another \
          thread gets the CPU; that can be milliseconds. With `full` it can be interrupted nearly everywhere; `lazy` \
          does so for real-time threads only. A kernel with PREEMPT_DYNAMIC can be configured on its command line.",
    run,
};

/// Longest configuration of a kernel.
const LONGEST: u64 = 4 << 20;

fn run(host: &Host) -> Finding {
    let version = host.read("/proc/sys/kernel/version").unwrap_or_default();
    if is_realtime(host) {
        return Finding::ok("PREEMPT_RT");
    }
    let dynamic = version.contains("PREEMPT_DYNAMIC");
    let Some((model, source)) = chosen(host, dynamic).or_else(|| built(host)) else {
        return Finding::cannot_tell(
            "neither the scheduler's debug file nor the kernel's configuration can be read",
        );
    };
    let found = format!("{model}, by {source}");
    if ["full", "lazy"].contains(&model.as_str()) {
        return Finding::ok(found);
    }
    let fix = match dynamic {
        true => Fix::typed([
            "mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug",
            "echo full > /sys/kernel/debug/sched/preempt",
        ])
        .and("permanently: add preempt=full to the boot command line"),
        false => Fix::words(
            "this kernel cannot change it: use one with PREEMPT_DYNAMIC and preempt=full, or PREEMPT_RT",
        ),
    };
    Finding::warning(found, fix)
}

/// The model chosen at run time or at boot, if the kernel supports that.
fn chosen(host: &Host, dynamic: bool) -> Option<(String, &'static str)> {
    let debug = "/sys/kernel/debug/sched/preempt";
    let now = host.read(debug).and_then(|text| Some(text.split_once('(')?.1.split_once(')')?.0.to_owned()));
    let boot = || host.boot("preempt").filter(|model| dynamic && !model.is_empty());
    now.map(|model| (model, debug)).or_else(|| boot().map(|model| (model, "the boot command line")))
}

/// The model the kernel was built with.
fn built(host: &Host) -> Option<(String, &'static str)> {
    let text = unpacked(host)
        .or_else(|| host.read(&format!("/boot/config-{}", host.read("/proc/sys/kernel/osrelease")?)))?;
    let models = [
        ("CONFIG_PREEMPT_NONE=y", "none"),
        ("CONFIG_PREEMPT_VOLUNTARY=y", "voluntary"),
        ("CONFIG_PREEMPT_LAZY=y", "lazy"),
        ("CONFIG_PREEMPT=y", "full"),
    ];
    let model = models.iter().find(|(line, _)| text.lines().any(|l| l == *line))?.1;
    Some((model.to_owned(), "the kernel's configuration"))
}

fn unpacked(host: &Host) -> Option<String> {
    let packed = host.bytes("/proc/config.gz")?;
    let mut text = String::new();
    GzDecoder::new(&packed[..]).take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn the_choice_counts_more_than_the_build() {
        let config = "/boot/config-6.12.9-rt-amd64";
        let laptop = robot()
            .without("/sys/kernel/realtime")
            .with("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC")
            .with("/proc/cmdline", "quiet");
        laptop.finds(&CHECK, CannotTell, "configuration");
        let laptop = laptop.with(config, "# CONFIG_PREEMPT is not set\nCONFIG_PREEMPT_VOLUNTARY=y\n");
        laptop.finds(&CHECK, Warning, "echo full");
        let laptop = laptop.with("/proc/cmdline", "preempt=none preempt=full");
        laptop.finds(&CHECK, Ok, "full, by the boot command line");
        let laptop = laptop.with("/sys/kernel/debug/sched/preempt", "none (voluntary) full lazy\n");
        laptop.finds(&CHECK, Warning, "voluntary, by /sys/kernel/debug");
    }

    #[test]
    fn a_kernel_without_a_choice_needs_another_one() {
        let config = "/boot/config-6.12.9-rt-amd64";
        let old = robot().without("/sys/kernel/realtime").with("/proc/sys/kernel/version", "#1 SMP");
        let old = old.with(config, "CONFIG_PREEMPT_NONE=y").with("/proc/cmdline", "preempt=full");
        old.finds(&CHECK, Warning, "cannot change it");
        // A file that is not an archive is skipped.
        old.with("/proc/config.gz", "x").with(config, "CONFIG_PREEMPT=y").finds(&CHECK, Ok, "full");
    }
}
