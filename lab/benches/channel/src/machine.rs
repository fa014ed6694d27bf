//! Facts about the machine on which the figures were measured; they are printed with every report.

use crate::clock;
use crate::place;
use saltus_measure::machine::{field, file};
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs::read_to_string;
use std::path::Path;

/// What is known about the machine and the run.
pub struct Machine {
    /// The cores in use.
    pub cores: Vec<usize>,
    /// Whether `SCHED_FIFO` may be had.
    pub fifo: bool,
    /// Repetitions asked for.
    pub reps: usize,
    ticks_before: Ticks,
}

/// Jiffies of all processors together, from `/proc/stat`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Ticks {
    total: u64,
    steal: u64,
}

impl Ticks {
    fn parse(text: &str) -> Option<Ticks> {
        let line = text.lines().find(|l| l.starts_with("cpu "))?;
        let words: Vec<u64> = line.split_whitespace().skip(1).filter_map(|w| w.parse().ok()).collect();
        // user nice system idle iowait irq softirq steal; the guest columns are part of user already.
        Some(Ticks { total: words.iter().take(8).sum(), steal: *words.get(7)? })
    }

    fn now() -> Ticks {
        Ticks::parse(&read_to_string("/proc/stat").unwrap_or_default()).unwrap_or_default()
    }
}

impl Machine {
    /// Reads the machine's state at the start of the run.
    pub fn read(reps: usize) -> Machine {
        Machine {
            cores: saltus_os::rt::affinity(),
            fifo: place::fifo_allowed(),
            reps,
            ticks_before: Ticks::now(),
        }
    }

    /// The facts, in the order in which they are printed.
    pub fn facts(&self) -> Value {
        let cpu = read_to_string("/proc/cpuinfo").unwrap_or_default();
        let flags = field(&cpu, "flags").unwrap_or_default();
        let virtual_machine = flags.split(' ').any(|f| f == "hypervisor");
        let ticks = Ticks::now();
        let passed = (ticks.total - self.ticks_before.total).max(1);
        let steal = (ticks.steal - self.ticks_before.steal) as f64 / passed as f64;
        json!({
            "cpu": field(&cpu, "model name").unwrap_or_else(|| std::env::consts::ARCH.into()),
            "family_model": format!(
                "{}/{}",
                field(&cpu, "cpu family").unwrap_or_default(),
                field(&cpu, "model").unwrap_or_default()
            ),
            "cores": self.cores,
            "virtual": virtual_machine,
            "kernel": format!("{} {}", file("/proc/sys/kernel/osrelease"), file("/proc/sys/kernel/version")),
            "clocksource": file("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            "sched_fifo": self.fifo,
            "sched_rt_runtime_us": file("/proc/sys/kernel/sched_rt_runtime_us"),
            "clock_read_ns": (clock_read_cost() * 10.0).round() / 10.0,
            "clock_step_ns": clock_step(),
            "steal_percent": (steal * 1e4).round() / 100.0,
            "load_average": file("/proc/loadavg"),
            "repetitions": self.reps,
            "version": env!("CARGO_PKG_VERSION"),
            "rmem_default": file("/proc/sys/net/core/rmem_default"),
            "rmem_max": file("/proc/sys/net/core/rmem_max"),
            "date": jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string(),
            "command": command(),
        })
    }

    /// The header of the report.
    pub fn header(&self, title: &str) -> String {
        let mut out = format!("# {title}\n\n");
        if let Value::Object(facts) = self.facts() {
            for (name, value) in facts {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_string);
                let _ = writeln!(out, "  {name:<20} {value}");
            }
        }
        out + CAUTION
    }
}

const CAUTION: &str = "
How to read it: contenders take turns inside every repetition. Compare ratios (the median of the ratios within
each repetition, with the smallest and the largest), not absolute times of different runs: on a virtual or a
shared machine those move by tens of per cent. There a wake-up on another core costs an interrupt through the
hypervisor, whatever the software; p99.9 and max are mostly the host. SCHED_FIFO spinners are stopped for 50 ms
in every second by the kernel. Times are merged over the repetitions, never averaged.
";

/// The command line, without the directory of the program.
fn command() -> String {
    let mut words = std::env::args();
    let program = words.next().unwrap_or_default();
    let name =
        Path::new(&program).file_name().map_or(program.clone(), |name| name.to_string_lossy().into_owned());
    std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
}

/// The cost of one clock reading: the minimum of several rounds of many readings.
fn clock_read_cost() -> f64 {
    const READS: u64 = 10_000;
    let round = || {
        let before = clock::now();
        (0..READS).for_each(|_| {
            std::hint::black_box(clock::now());
        });
        (clock::now() - before) as f64 / READS as f64
    };
    (0..10).map(|_| round()).fold(f64::INFINITY, f64::min)
}

/// The resolution of the clock: 10 ns on processors whose counter runs at 100 MHz. Times of single operations cannot
/// be finer.
fn clock_step() -> u64 {
    let reads: Vec<u64> = (0..10_000).map(|_| clock::now()).collect();
    step(reads.windows(2).map(|w| w[1] - w[0]).collect())
}

/// The smallest difference between two observed lengths; lengths that differ by one are rounding.
fn step(mut lengths: Vec<u64>) -> u64 {
    lengths.sort_unstable();
    lengths.windows(2).map(|w| w[1] - w[0]).filter(|gap| *gap > 1).min().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_is_the_eighth_column_and_guests_are_not_counted_twice() {
        let text = "cpu  10 20 30 40 50 60 70 80 900 900\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
        assert_eq!(Ticks::parse(text), Some(Ticks { total: 360, steal: 80 }));
        assert_eq!(Ticks::parse("intr 5"), None);
    }

    #[test]
    fn a_report_states_when_and_by_what_it_was_made() {
        let header = Machine::read(1).header("title");
        let of = |name: &str| {
            let line = header.lines().find(|line| line.trim_start().starts_with(name)).expect("a line");
            line.split_whitespace().nth(1).expect("a value").to_owned()
        };
        of("date").parse::<jiff::civil::Date>().expect("a date");
        assert!(of("command").starts_with("saltus_bench_channel-"), "{header}");
    }

    #[test]
    fn the_step_of_the_clock_shows_in_the_lengths_that_occur() {
        assert_eq!(step(vec![20, 31, 21, 20, 40, 30, 1_000]), 9);
        assert_eq!(step(vec![21, 22, 23, 24]), 1);
    }
}
