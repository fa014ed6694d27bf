//! The difference between two readings of the counters, as numbers and as text.

use std::collections::HashMap;

use serde::Serialize;

use super::counters;
use super::sample::{COMMAND, GROUPS, INTERRUPTS, METER, PRESSURE, SOFTIRQS, STAT, Sample};

/// Most interrupts or softirqs that are listed.
const NAMED: usize = 4;
/// A tick of `/proc/stat` in ns.
const TICK: u64 = 10_000_000;

/// The kernel's counts between the reading before a spike and the one after it. `None` means unknown.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Around {
    /// The time between the two readings, in ns.
    pub window: u64,
    /// Interrupts on the CPU on which the meter woke, in order of their excess over the usual number.
    pub interrupts: Vec<Named>,
    /// Softirqs there, in the same order.
    pub softirqs: Vec<Named>,
    /// The measuring thread.
    pub meter: Option<Thread>,
    /// The command: page faults of the whole process, the rest of its main thread.
    pub command: Option<Thread>,
    /// Context switches on the whole machine.
    pub switches: Option<u64>,
    /// Their expected number in this time, at the rate of the run so far.
    pub usual_switches: Option<f64>,
    /// Time stolen by the host, in ns, in steps of 10 ms.
    pub steal: Option<u64>,
    /// Time for which this process's control group was throttled, in ns.
    pub throttled: Option<u64>,
    /// Time for which some task waited for a CPU, for memory, for disks, in ns.
    pub pressure: [Option<u64>; 3],
}

/// The count of an event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Named {
    /// The kernel's name for it.
    pub name: String,
    /// Its number in the window.
    pub count: u64,
    /// Its expected number in this time, at the rate of the run so far.
    pub usual: f64,
}

impl Named {
    /// Whether it is clearly more frequent than usual.
    pub fn is_unusual(&self) -> bool {
        is_unusual(self.count, self.usual)
    }
}

fn is_unusual(count: u64, usual: f64) -> bool {
    count as f64 > 1.5 * usual + 2.0
}

/// The counts of a thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Thread {
    /// Voluntary switches: it waited for something.
    pub voluntary: Option<u64>,
    /// Involuntary switches: it was preempted.
    pub involuntary: Option<u64>,
    /// Minor page faults, without disk access.
    pub minor_faults: Option<u64>,
    /// Major page faults, with disk access.
    pub major_faults: Option<u64>,
    /// Time for which it was ready but waited for a CPU, in ns.
    pub waited: Option<u64>,
}

impl Around {
    pub(super) fn between(first: &Sample, before: &Sample, after: &Sample, cpu: usize) -> Around {
        let window = after.at.saturating_sub(before.at);
        let share = window as f64 / after.at.saturating_sub(first.at).max(1) as f64;
        let named = |n: usize| {
            named([first, before, after].map(|sample| counters::by_name(&sample.texts[n], cpu)), share)
        };
        let grown = |n: usize, read: &dyn Fn(&str) -> Option<u64>| {
            Some(read(&after.texts[n])?.saturating_sub(read(&before.texts[n])?))
        };
        let us = |n| grown(n, &counters::pressure).map(|us| us.saturating_mul(1_000));
        let groups = GROUPS..after.texts.len().min(before.texts.len());
        Around {
            window,
            interrupts: named(INTERRUPTS),
            softirqs: named(SOFTIRQS),
            meter: thread(before, after, METER),
            command: thread(before, after, COMMAND),
            switches: grown(STAT, &counters::switches),
            usual_switches: counters::switches(&after.texts[STAT])
                .zip(counters::switches(&first.texts[STAT]))
                .map(|(now, then)| now.saturating_sub(then) as f64 * share),
            steal: grown(STAT, &|text| counters::steal(text, cpu)).map(|ticks| ticks.saturating_mul(TICK)),
            // A group is throttled together with its parents, so the longest throttled time applies.
            throttled: groups.filter_map(|n| grown(n, &counters::throttled)).max(),
            pressure: [us(PRESSURE), us(PRESSURE + 1), us(PRESSURE + 2)],
        }
    }

    /// Unusual counts, the most significant first, as short texts. `time` formats nanoseconds.
    pub fn words(&self, time: impl Fn(u64) -> String) -> Vec<String> {
        let mut words = Vec::new();
        let mut times = |what: &str, ns: Option<u64>| {
            if let Some(ns) = ns.filter(|ns| *ns > 0) {
                words.push(format!("{what} {}", time(ns)));
            }
        };
        times("stolen by the host", self.steal);
        times("group throttled for", self.throttled);
        times("the meter waited for a CPU for", self.meter.as_ref().and_then(|m| m.waited));
        for (who, thread) in [("meter", &self.meter), ("command", &self.command)] {
            let Some(thread) = thread else { continue };
            for (what, count) in [
                ("major faults", thread.major_faults),
                ("minor faults", thread.minor_faults),
                ("involuntary switches", thread.involuntary),
            ] {
                if let Some(count) = count.filter(|count| *count > 0) {
                    let what =
                        if count == 1 { what.trim_end_matches("es").trim_end_matches('s') } else { what };
                    words.push(format!("{who}: {count} {what}"));
                }
            }
        }
        for (kind, list) in [("irq", &self.interrupts), ("softirq", &self.softirqs)] {
            let unusual = list.iter().filter(|named| named.is_unusual());
            words
                .extend(unusual.map(|n| format!("{kind} {} × {} (usually {:.0})", n.name, n.count, n.usual)));
        }
        let switches = self.switches.zip(self.usual_switches);
        words.extend(
            switches
                .filter(|(count, usual)| is_unusual(*count, *usual))
                .map(|(count, usual)| format!("context switches × {count} (usually {usual:.0})")),
        );
        for (what, ns) in ["CPUs", "memory", "disks"].iter().zip(self.pressure) {
            if let Some(ns) = ns.filter(|ns| *ns > 0) {
                words.push(format!("tasks waited for {what} for {}", time(ns)));
            }
        }
        words
    }
}

fn named([first, before, after]: [Vec<(String, u64)>; 3], share: f64) -> Vec<Named> {
    let counts = |list: Vec<(String, u64)>| list.into_iter().collect::<HashMap<_, _>>();
    let (first, before) = (counts(first), counts(before));
    let was = |then: &HashMap<String, u64>, name: &str| then.get(name).copied().unwrap_or(0);
    let mut all: Vec<Named> = after
        .into_iter()
        .map(|(name, now)| Named {
            count: now.saturating_sub(was(&before, &name)),
            usual: now.saturating_sub(was(&first, &name)) as f64 * share,
            name,
        })
        .filter(|n| n.count > 0)
        .collect();
    all.sort_by(|a, b| (b.count as f64 - b.usual).total_cmp(&(a.count as f64 - a.usual)));
    all.truncate(NAMED);
    all
}

fn thread(before: &Sample, after: &Sample, at: usize) -> Option<Thread> {
    let [status, stat, schedstat] = [at, at + 1, at + 2].map(|n| [&before.texts[n], &after.texts[n]]);
    if stat.iter().any(|text| text.is_empty()) {
        return None;
    }
    let grown = |texts: [&String; 2], read: &dyn Fn(&str) -> Option<u64>| {
        let [before, after] = texts.map(|text| read(text));
        Some(after?.saturating_sub(before?))
    };
    Some(Thread {
        voluntary: grown(status, &|t| counters::own_switches(t).map(|s| s.0)),
        involuntary: grown(status, &|t| counters::own_switches(t).map(|s| s.1)),
        minor_faults: grown(stat, &|t| counters::faults(t).map(|f| f.0)),
        major_faults: grown(stat, &|t| counters::faults(t).map(|f| f.1)),
        waited: grown(schedstat, &counters::waited),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample<const N: usize>(at: u64, texts: [(usize, &str); N]) -> Sample {
        let mut sample = Sample { at, texts: vec![String::new(); GROUPS + 2] };
        texts.iter().for_each(|(n, text)| sample.texts[*n] = text.to_string());
        sample
    }

    fn at(ms: u64, timer: u64, disk: u64, steal: u64, throttled: u64, waited: u64) -> Sample {
        let interrupts = format!(" CPU0 CPU1\n7: 0 {disk} edge disk\nLOC: 0 {timer} timer\n");
        sample(
            ms * 1_000_000,
            [
                (INTERRUPTS, &interrupts),
                (STAT, &format!("cpu1 0 0 0 0 0 0 0 {steal} 0 0\n")),
                (METER + 1, "1 (saltus) S 1 2 3 4 5 6 0 8 0 10"),
                (METER + 2, &format!("0 {waited} 1")),
                (GROUPS + 1, &format!("throttled_usec {throttled}\n")),
            ],
        )
    }

    #[test]
    fn unusually_many_context_switches_are_reported() {
        let at = |ms: u64, switches: u64| sample(ms * 1_000_000, [(STAT, &*format!("ctxt {switches}\n"))]);
        let reported = |last| {
            let around = Around::between(&at(0, 100), &at(900, 1_000), &at(1_000, last), 0);
            around.words(|ns| ns.to_string())
        };
        assert_eq!(reported(1_100), [""; 0], "100 in a tenth of the time");
        assert_eq!(reported(2_100), ["context switches × 1100 (usually 200)"]);
    }

    #[test]
    fn unusual_events_come_first() {
        let [first, before, after] =
            [at(0, 0, 0, 5, 0, 0), at(900, 900, 10, 5, 7, 100), at(1_000, 1_000, 110, 7, 9, 3_000_100)];
        let around = Around::between(&first, &before, &after, 1);
        assert_eq!(around.window, 100_000_000);
        let disk = Named { name: "disk (7)".into(), count: 100, usual: 11.0 };
        assert_eq!(around.interrupts, [disk, Named { name: "timer".into(), count: 100, usual: 100.0 }]);
        assert_eq!(
            (around.steal, around.throttled, around.pressure),
            (Some(20_000_000), Some(2_000), [None; 3])
        );
        assert_eq!(around.meter.as_ref().and_then(|m| m.waited), Some(3_000_000));
        assert_eq!(around.command, None, "a missing command differs from an idle one");
        let words = around.words(|ns| format!("{ns} ns"));
        assert_eq!(words[0], "stolen by the host 20000000 ns");
        assert_eq!(words[2], "the meter waited for a CPU for 3000000 ns");
        assert_eq!(words[3], "irq disk (7) × 100 (usually 11)");
        assert_eq!(words.len(), 4, "usual counts are not listed: {words:?}");
    }
}
