//! Checks for interrupts of the firmware.

use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "cpu.smi",
    title: "interrupts of the firmware",
    reads: &["/dev/cpu/0/msr, register 0x34 (Intel, root, `modprobe msr`)", "/proc/uptime"],
    good: "less than one per minute",
    why: "A system management interrupt stops all CPUs for tens to hundreds of microseconds while the firmware runs; no kernel can \
          prevent or detect it. Causes are emulation of USB keyboards, power management and error correction, which you can switch \
          off in the firmware's settings. `saltus hiccup --meter spin` shows the gaps.",
    run,
};

fn run(host: &Host) -> Finding {
    let uptime =
        host.read("/proc/uptime").and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    let (Some(count), Some(seconds)) = (host.tried.smis, uptime.filter(|s| *s > 0.0)) else {
        return Finding::cannot_tell(
            "the register that counts them cannot be read: it needs Intel, root and `modprobe msr`",
        );
    };
    if host.is_virtual() == Some(true) {
        return Finding::cannot_tell("a virtual machine cannot read those of its host");
    }
    let rate = f64::from(count) * 60.0 / seconds;
    let found = format!("{count} since boot, {rate:.1} per minute");
    match rate < 1.0 {
        true => Finding::ok(found),
        false => Finding::warning(
            found,
            Fix::words("in the firmware's settings switch off legacy USB and power management"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn the_rate_decides() {
        robot().tried(|tried| tried.smis = Some(10)).finds(&CHECK, Ok, "10 since boot, 0.1 per minute");
        let often = robot().tried(|tried| tried.smis = Some(1200));
        often.finds(&CHECK, Warning, "10.0 per minute");
        often.with("/proc/cpuinfo", "flags : hypervisor").finds(&CHECK, CannotTell, "of its host");
    }
}
