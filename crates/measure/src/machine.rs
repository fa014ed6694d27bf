//! The description of the machine on which something was measured.

use std::fs::read_to_string;

/// Properties of this machine by name, in the order in which they are printed. Reads a few small files.
pub fn facts() -> Vec<(&'static str, String)> {
    let cpu = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = field(&cpu, "flags").unwrap_or_default();
    let family = [field(&cpu, "cpu family"), field(&cpu, "model")].map(Option::unwrap_or_default).join("/");
    vec![
        ("cpu", field(&cpu, "model name").unwrap_or_else(|| std::env::consts::ARCH.into())),
        ("family_model", family),
        ("processors", std::thread::available_parallelism().map_or(0, usize::from).to_string()),
        ("virtual", flags.split(' ').any(|flag| flag == "hypervisor").to_string()),
        ("kernel", format!("{} {}", file("/proc/sys/kernel/osrelease"), file("/proc/sys/kernel/version"))),
        (
            "isolated",
            Some(file("/sys/devices/system/cpu/isolated")).filter(|t| !t.is_empty()).unwrap_or("none".into()),
        ),
        ("governor", file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
        ("clocksource", file("/sys/devices/system/clocksource/clocksource0/current_clocksource")),
        ("sched_rt_runtime_us", file("/proc/sys/kernel/sched_rt_runtime_us")),
        ("load_average", file("/proc/loadavg")),
    ]
}

/// The same as comment lines of a log.
pub fn comments() -> Vec<String> {
    facts().into_iter().map(|(name, value)| format!("machine: {name}: {value}")).collect()
}

/// The value after `name :` in a table such as `/proc/cpuinfo`.
pub fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|l| l.split(':').next().is_some_and(|key| key.trim() == name))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

/// The contents of a small file, or `unknown`.
pub fn file(path: &str) -> String {
    read_to_string(path).map_or_else(|_| "unknown".into(), |text| text.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "model\t\t: 2\nmodel name\t: A: B\n";
        assert_eq!(field(text, "model name").as_deref(), Some("A: B"));
        assert_eq!(field(text, "model").as_deref(), Some("2"));
        assert_eq!(field(text, "mod"), None);
    }

    #[test]
    fn every_fact_has_a_value() {
        assert!(facts().iter().all(|(name, value)| !name.is_empty() && !value.is_empty()));
    }
}
