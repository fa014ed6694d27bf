//! Checks the cost of reading the clock.

use saltus_os::clock::Discipline;

use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "clock",
    title: "clock",
    reads: &[
        "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        "the measured cost of a reading",
        "/proc/*/comm (chronyd, ptp4l, ...)",
        "the state of time synchronization in the kernel (adjtimex)",
    ],
    good: "a clock that is read without a system call, such as tsc, in less than 200 ns",
    why: "Each message has a timestamp. A CPU's own counter is read in some 20 ns; hpet and acpi_pm are devices, need a system call, and cost a \
          microsecond or more. The kernel falls back to them if the counter is unstable. Machines whose logs will be \
          merged need a time service.",
    run,
};

/// Clocks that are read without a system call.
const FAST: [&str; 5] =
    ["tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "riscv_clocksource"];
/// Largest cost of such a clock, in ns.
const DEAR: u64 = 200;

fn run(host: &Host) -> Finding {
    let source = host.read("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    let (Some(source), Some(cost)) = (source, host.tried.clock_cost) else {
        return Finding::cannot_tell("the kernel's clock is hidden");
    };
    let service = match host.runs(&["chronyd", "ptp4l", "phc2sys", "ntpd", "systemd-timesyn"]) {
        Some(true) => ", a time service runs",
        Some(false) => ", no time service runs",
        None => "",
    };
    let error = match host.tried.discipline {
        Some(Discipline { kept: true, estimated, bound }) => {
            let estimated = estimated.map_or(String::new(), |us| format!("{us} us by estimate, "));
            format!(", the wall clock is kept to {estimated}{bound} us at most")
        }
        Some(_) => ", the wall clock is not synchronized".into(),
        None => String::new(),
    };
    let found = format!("{source}, a reading costs {cost} ns{service}{error}");
    if !FAST.contains(&source.as_str()) {
        let fix = "see `dmesg | grep -i clocksource` for why; if the counter is stable after all: clocksource=tsc tsc=reliable on the boot command line";
        return Finding::warning(found, Fix::words(fix));
    }
    match cost < DEAR {
        true => Finding::ok(found),
        false => Finding::warning(
            found,
            Fix::words("a sandbox or an old kernel makes it a system call: run it outside, or update"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn slow_clocks_are_named_and_dear_ones_noticed() {
        robot().finds(&CHECK, Ok, "no time service");
        robot().with("/proc/88/comm", "chronyd").finds(&CHECK, Ok, "a time service runs");
        for (estimated, words) in [
            (Some(12), "the wall clock is kept to 12 us by estimate, 340 us at most"),
            (None, "the wall clock is kept to 340 us at most"),
        ] {
            let kept = Discipline { kept: true, estimated, bound: 340 };
            robot().tried(|tried| tried.discipline = Some(kept)).finds(&CHECK, Ok, words);
        }
        let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        robot().with(source, "hpet").finds(&CHECK, Warning, "clocksource=tsc");
        robot().tried(|tried| tried.clock_cost = Some(900)).finds(&CHECK, Warning, "900 ns");
        robot().without(source).finds(&CHECK, CannotTell, "hidden");
    }
}
