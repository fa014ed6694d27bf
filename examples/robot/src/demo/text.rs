//! The report for people.

use std::fmt::Write;

use super::crew::What;
use super::ledger::{REFLEX_LIMIT, TICK_LIMIT};
use super::report::{Percentiles, Report};
use crate::channels::LIDAR;
use crate::tally::Tally;

/// A time with a useful number of digits.
pub fn time(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns}ns"),
        1_000..100_000 => format!("{:.1}µs", ns as f64 / 1e3),
        100_000..1_000_000 => format!("{}µs", ns / 1_000),
        1_000_000..100_000_000 => format!("{:.1}ms", ns as f64 / 1e6),
        _ => format!("{}ms", ns / 1_000_000),
    }
}

impl Report {
    /// The report as text, the verdict first; in full, or as much as fits on a screen.
    pub fn text(&self, full: bool) -> String {
        let mut out = String::new();
        // Writing into a string cannot fail.
        let _ = self.write(&mut out, full);
        out
    }

    fn write(&self, out: &mut String, full: bool) -> std::fmt::Result {
        self.write_verdict(out)?;
        self.write_robot(out)?;
        self.write_latency(out, full)?;
        if full {
            self.write_accounts(out)?;
        } else {
            let sum = |of: fn(&Tally) -> i64| self.hops.iter().map(|hop| of(&hop.tally)).sum::<i64>();
            let (received, missed) = (sum(|t| t.received), sum(|t| t.missed));
            let readers = self.hops.len();
            writeln!(
                out,
                "{readers} readers received {received} messages, knew of {missed} missed; --report shows each"
            )?;
        }
        self.write_incidents(out, full)?;
        if let Some(s) = &self.scans {
            writeln!(out, "\nlidar: {} of {} scans published, {} logged", s.published, s.in_file, s.logged)?;
            let same =
                if s.same { "the same bytes in the same order as in the file" } else { "NOT as in the file" };
            writeln!(out, "  {same}; the file: {}", s.counts)?;
            if let Some(watch) = self.hops.iter().find(|hop| hop.channel == LIDAR && hop.role == "watch") {
                writeln!(out, "  the newest reader was at most {} behind when it asked", watch.tally.behind)?;
            }
        }
        for line in &self.said {
            writeln!(out, "said: {line}")?;
        }
        Ok(())
    }

    fn write_verdict(&self, out: &mut String) -> std::fmt::Result {
        let failures = self.failures();
        if failures.is_empty() {
            writeln!(out, "verdict: the robot stood; received + missed = published; nothing torn")
        } else {
            writeln!(out, "verdict: FAILED: {}", failures.join("\n         FAILED: "))
        }
    }

    fn write_robot(&self, out: &mut String) -> std::fmt::Result {
        let t = &self.truth;
        writeln!(out, "\n{:.1} s of robot; {}", self.elapsed.as_secs_f64(), self.ending)?;
        if self.no_control {
            writeln!(out, "  without its balance controller (--no-control)")?;
        }
        let slipped = match t.slipped {
            0 => String::new(),
            n => format!(", {n} left out: its process was away for more than 0.2 s"),
        };
        writeln!(out, "  {} steps of the world{slipped}", t.step)?;
        writeln!(out, "  scheduling: {}", self.scheduling)?;
        if t.fell > 0 {
            return writeln!(out, "  fell after {:.2} s", t.fell as f64 * 1e-3);
        }
        let worst = t.worst.to_degrees();
        writeln!(out, "  worst tilt {worst:.2}° after the first two seconds, {:+.2} m from home", t.x)
    }

    fn write_latency(&self, out: &mut String, full: bool) -> std::fmt::Result {
        let head = ["count", "p50", "p99", "p99.9", "max"];
        writeln!(out, "\n{:<30}{}", "latency, publish to receive", cells(&head.map(String::from)))?;
        let mut row = |name: &str, p: &Percentiles| {
            let times = p.ns.map(|ns| if p.count > 0 { time(ns) } else { "-".into() });
            writeln!(out, "{name:<30}{:>10}{}", p.count, cells(&times))
        };
        for hop in self.hops.iter().filter(|_| full) {
            row(&format!("{} → {}", hop.channel, hop.role), &hop.times)?;
        }
        row("sensor → motor, all hops", &self.reflex)?;
        row("lateness of the 1 kHz step", &self.tick)?;
        row("lateness of the supervisor", &self.look)?;
        writeln!(
            out,
            "deadlines missed: {} of {} reflexes over {}, {} of {} steps over {}",
            self.reflex.late,
            self.reflex.count,
            time(REFLEX_LIMIT),
            self.tick.late,
            self.tick.count,
            time(TICK_LIMIT)
        )
    }

    fn write_accounts(&self, out: &mut String) -> std::fmt::Result {
        let head = ["received", "missed", "away", "processes"];
        writeln!(out, "\n{:<30}{}", "accounts of the readers", cells(&head.map(String::from)))?;
        for hop in &self.hops {
            let t = &hop.tally;
            let row = [t.received, t.missed, hop.away, hop.processes as i64].map(|n| n.to_string());
            writeln!(out, "{:<30}{}", format!("{} → {}", hop.channel, hop.role), cells(&row))?;
        }
        let row = [self.health.received, self.health.missed, 0, 1].map(|n| n.to_string());
        writeln!(out, "{:<30}{}", "health → supervisor", cells(&row))?;
        writeln!(out, "away: published while the reader was dead, or after its last report (every 5 ms)")
    }

    fn write_incidents(&self, out: &mut String, full: bool) -> std::fmt::Result {
        if let Some(seed) = self.chaos {
            let (kills, freezes) = (self.count(&What::Killed), self.count(&What::Frozen));
            // The list of processes marks those that were frozen.
            let sign = if full { " (*)" } else { "" };
            let number = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
            let counts = (number(kills, "kill"), number(freezes, "freeze"));
            let rate = (kills + freezes) as f64 / self.elapsed.as_secs_f64();
            writeln!(out, "\nchaos: {}, {}{sign}, {rate:.1} per second (--seed {seed})", counts.0, counts.1)?;
        } else if !self.incidents.is_empty() {
            writeln!(out, "\nprocesses lost: {}", self.incidents.len())?;
        }
        let mut away: Vec<_> = self.incidents.iter().filter_map(|i| i.away).collect();
        away.sort();
        if let (Some(longest), middle) = (away.last(), away.len() / 2) {
            let time = |d: std::time::Duration| time(d.as_nanos() as u64);
            writeln!(
                out,
                "  successors beat after {}, at the latest after {}",
                time(away[middle]),
                time(*longest)
            )?;
        }
        let mut roles: Vec<&str> = self.incidents.iter().filter(|_| full).map(|i| i.role).collect();
        roles.sort();
        roles.dedup();
        for role in roles {
            let of_role = self.incidents.iter().filter(|i| i.role == role);
            let pids: Vec<String> = of_role.map(|i| format!("{}{}", i.pid, mark(&i.what))).collect();
            writeln!(out, "{}", wrap(&format!("  {role:<13} "), &pids))?;
        }
        Ok(())
    }
}

fn mark(what: &What) -> &'static str {
    match what {
        What::Killed => "",
        What::Frozen => "*",
        What::Silent => " (silent)",
        What::Hit => " (killed from outside)",
        What::Ended(_) => " (ended by itself)",
    }
}

fn cells(row: &[String]) -> String {
    row.iter().map(|cell| format!("{cell:>10}")).collect()
}

/// Words after a heading, in lines that fit.
fn wrap(head: &str, words: &[String]) -> String {
    let mut out = head.to_owned();
    let mut used = head.chars().count();
    for word in words {
        if used + word.len() > 79 {
            out += "\n";
            out += &" ".repeat(head.chars().count());
            used = head.chars().count();
        }
        out += word;
        out += " ";
        used += word.len() + 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let shown: Vec<String> =
            [7, 1_500, 99_949, 250_000, 1_250_000, 250_000_000].into_iter().map(time).collect();
        assert_eq!(shown, ["7ns", "1.5µs", "99.9µs", "250µs", "1.2ms", "250ms"]);
    }

    #[test]
    fn long_lists_are_wrapped() {
        let text = wrap("  x ", &vec!["123456".to_owned(); 40]);
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.len() < 90));
        assert_eq!(text.matches("123456").count(), 40);
    }
}
