//! Parsers for the kernel's tables. Missing or unparsable values are `None` or left out, never 0.

/// Counts of one CPU by name, from `/proc/interrupts` or `/proc/softirqs`.
pub fn by_name(table: &str, cpu: usize) -> Vec<(String, u64)> {
    let mut lines = table.lines();
    let heading = lines.next().unwrap_or_default();
    let cpus: Vec<&str> = heading.split_whitespace().collect();
    let Some(column) = cpus.iter().position(|name| name.strip_prefix("CPU") == Some(&cpu.to_string())) else {
        return Vec::new();
    };
    let row = |line: &str| {
        let (label, rest) = line.split_once(':')?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let count = words.get(..cpus.len())?[column].parse().ok()?;
        Some((name(label.trim(), &words[cpus.len()..]), count))
    };
    lines.filter_map(row).collect()
}

/// `24` of `IO-APIC 5-edge ACPI:Ged` is `ACPI:Ged`; `LOC` is `Local timer interrupts`.
fn name(label: &str, description: &[&str]) -> String {
    match description {
        [] => label.to_string(),
        [.., device] if label.bytes().all(|b| b.is_ascii_digit()) => format!("{device} ({label})"),
        words => words.join(" "),
    }
}

/// Ticks of one CPU stolen by the host, from `/proc/stat`; a tick is 10 ms.
pub fn steal(stat: &str, cpu: usize) -> Option<u64> {
    let label = format!("cpu{cpu}");
    let line = stat.lines().find(|line| line.split(' ').next() == Some(&label))?;
    line.split_whitespace().nth(8)?.parse().ok()
}

/// Context switches on the whole machine, from `/proc/stat`.
pub fn switches(stat: &str) -> Option<u64> {
    after(stat, "ctxt ")
}

/// Microseconds for which some task waited, from `/proc/pressure/…`.
pub fn pressure(text: &str) -> Option<u64> {
    let some = text.lines().find(|line| line.starts_with("some "))?;
    some.rsplit_once("total=")?.1.trim().parse().ok()
}

/// Nanoseconds for which a control group was throttled, from either version's `cpu.stat`.
pub fn throttled(stat: &str) -> Option<u64> {
    after(stat, "throttled_usec ")
        .map(|us: u64| us.saturating_mul(1_000))
        .or_else(|| after(stat, "throttled_time "))
}

/// Voluntary and involuntary switches of a thread, from its `status`.
pub fn own_switches(status: &str) -> Option<(u64, u64)> {
    Some((after(status, "voluntary_ctxt_switches:")?, after(status, "nonvoluntary_ctxt_switches:")?))
}

/// Minor and major page faults, from `stat`.
pub fn faults(stat: &str) -> Option<(u64, u64)> {
    // The name, in parentheses, can contain any characters.
    let words: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some((words.get(7)?.parse().ok()?, words.get(9)?.parse().ok()?))
}

/// Nanoseconds for which a thread was ready and waited for a CPU, from `schedstat`.
pub fn waited(schedstat: &str) -> Option<u64> {
    schedstat.split_whitespace().nth(1)?.parse().ok()
}

fn after(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupts_are_named_by_device_or_kind() {
        let table = "           CPU0       CPU2       \n 36:          0    1227204 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\n\
                     LOC:    7642358    8209133   Local timer interrupts\nERR:          0\n";
        let named = |list: &[(&str, u64)]| list.iter().map(|(n, c)| (n.to_string(), *c)).collect::<Vec<_>>();
        assert_eq!(
            by_name(table, 2),
            named(&[("virtio1-req.0 (36)", 1_227_204), ("Local timer interrupts", 8_209_133)])
        );
        assert_eq!(by_name(table, 1), [], "an offline CPU is not confused with another");
        let soft = "                    CPU0       CPU1       \n          HI:          0          7\n";
        assert_eq!(by_name(soft, 1), named(&[("HI", 7)]));
        assert_eq!(by_name("", 0), []);
    }

    #[test]
    fn numbers_are_found_or_unknown() {
        let stat =
            "cpu  1 2 3 4 5 6 7 80 0 0\ncpu1 1 2 3 4 5 6 7 8 9 10\ncpu10 0 0 0 0 0 0 0 99 0 0\nctxt 77\n";
        assert_eq!((steal(stat, 1), steal(stat, 2), switches(stat)), (Some(8), None, Some(77)));
        assert_eq!(pressure("some avg10=0.01 avg60=0.96 total=163\nfull avg10=0 total=5\n"), Some(163));
        assert_eq!(pressure(""), None);
        assert_eq!(throttled("nr_throttled 3\nthrottled_usec 5\n"), Some(5_000));
        assert_eq!(throttled("nr_throttled 3\nthrottled_time 5\n"), Some(5));
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t4\nnonvoluntary_ctxt_switches:\t2\n";
        assert_eq!(own_switches(status), Some((4, 2)));
        assert_eq!(faults("12 (a ) b) S 1 2 3 4 5 6 700 8 900 10"), Some((700, 900)));
        assert_eq!(waited("0 91932 1\n"), Some(91_932));
    }
}
