//! The report of a demo.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use super::crew::{Incident, What};
use super::ledger::{Account, Times};
use super::lidar::Scans;
use crate::tally::Tally;
use crate::wire::types::Truth;

/// The reason for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The time was up.
    Time,
    /// Ctrl-C or another signal: its number, and the sending process.
    Asked(i32, i32),
    /// A key.
    Key,
    /// The robot fell.
    Fell,
    /// The log of scans ended.
    LogOver,
    /// A program could not be kept running.
    GivenUp,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Time => f.write_str("the time is up"),
            Ending::Asked(libc::SIGINT, 0) => f.write_str("stopped by Ctrl-C"),
            Ending::Asked(signal, sender) => write!(f, "stopped by signal {signal} from process {sender}"),
            Ending::Key => f.write_str("stopped by a key"),
            Ending::Fell => f.write_str("it lies on the ground"),
            Ending::LogOver => f.write_str("the log of scans is over"),
            Ending::GivenUp => f.write_str("a program cannot be kept running"),
        }
    }
}

/// Percentiles, ns.
#[derive(Clone, Copy, Debug)]
pub struct Percentiles {
    /// Number of measured times.
    pub count: u64,
    /// p50, p99, p99.9 and the maximum.
    pub ns: [u64; 4],
    /// Number of missed deadlines, if there is a deadline.
    pub late: u64,
}

impl Percentiles {
    /// From these times.
    pub fn of(times: &Times) -> Percentiles {
        let at = |q| times.all.value_at_quantile(q);
        let ns = [at(0.5), at(0.99), at(0.999), times.all.max()];
        Percentiles { count: times.all.len(), ns, late: times.late }
    }

    fn json(&self) -> Value {
        let us = |k: usize| self.ns[k] as f64 / 1e3;
        json!({"count": self.count, "p50_us": us(0), "p99_us": us(1), "p99_9_us": us(2), "max_us": us(3)})
    }
}

/// A hop: a channel, and a role as its reader.
#[derive(Clone, Debug)]
pub struct Hop {
    /// The channel.
    pub channel: &'static str,
    /// The reader.
    pub role: &'static str,
    /// Publish-to-receive times.
    pub times: Percentiles,
    /// Sums over all processes that had the role.
    pub tally: Tally,
    /// Messages published while no process had the role.
    pub away: i64,
    /// Number of processes that had the role.
    pub processes: u64,
}

impl Hop {
    /// Converts an account.
    pub fn of(channel: &'static str, role: &'static str, account: &Account) -> Hop {
        let times = Percentiles::of(&account.times);
        Hop { channel, role, times, tally: account.total(), away: account.away, processes: account.processes }
    }
}

/// The report.
pub struct Report {
    /// The domain.
    pub domain: String,
    /// The duration.
    pub elapsed: Duration,
    /// The reason for the end.
    pub ending: Ending,
    /// The simulation's state at the end.
    pub truth: Truth,
    /// The seed of the chaos, if any.
    pub chaos: Option<u64>,
    /// Whether the balance controller was left out.
    pub no_control: bool,
    /// The scheduling of the reflex's processes.
    pub scheduling: String,
    /// Times from sample to torque.
    pub reflex: Percentiles,
    /// Lateness of the simulation's steps.
    pub tick: Percentiles,
    /// Lateness of the supervisor.
    pub look: Percentiles,
    /// All hops.
    pub hops: Vec<Hop>,
    /// Reports of the processes: received, missed by the supervisor.
    pub health: Tally,
    /// Incidents.
    pub incidents: Vec<Incident>,
    /// The account of the log's scans.
    pub scans: Option<Scans>,
    /// The programs' lines on standard error.
    pub said: Vec<String>,
    /// Counts that did not match at the end.
    pub audit: Vec<String>,
    /// Leftovers.
    pub residue: Vec<String>,
    /// A program that could not be kept running.
    pub given_up: Option<String>,
}

impl Report {
    /// All failures; empty if there are none.
    pub fn failures(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.truth.fell > 0 {
            all.push(format!("the robot fell after {:.2} s", self.truth.fell as f64 * 1e-3));
        } else if self.truth.step == 0 {
            all.push("the world never began".into());
        }
        all.extend(self.given_up.clone());
        for incident in &self.incidents {
            if let What::Ended(how) = &incident.what {
                all.push(format!("{} (process {}) ended by itself: {how}", incident.role, incident.pid));
            }
        }
        for hop in &self.hops {
            let name = format!("{} → {}", hop.channel, hop.role);
            if hop.tally.torn > 0 {
                all.push(format!("{name}: {} torn messages", hop.tally.torn));
            }
            if hop.tally.wrong > 0 {
                all.push(format!("{name}: received + missed ≠ published, {} times", hop.tally.wrong));
            }
            if hop.tally.behind > 1 {
                all.push(format!("{name}: the newest message was {} behind", hop.tally.behind));
            }
        }
        if self.health.torn > 0 {
            all.push(format!("what the supervisor reads: {} torn messages", self.health.torn));
        }
        all.extend(self.scans.as_ref().and_then(Scans::failure));
        all.extend(self.audit.iter().cloned());
        all.extend(self.residue.iter().map(|what| format!("left behind: {what}")));
        all
    }

    /// Number of incidents of this kind.
    pub fn count(&self, what: &What) -> usize {
        self.incidents.iter().filter(|i| i.what == *what).count()
    }

    /// The report for programs.
    pub fn json(&self) -> String {
        let t = &self.truth;
        let hops: Vec<Value> = self.hops.iter().map(hop_json).collect();
        let incidents: Vec<Value> = self.incidents.iter().map(incident_json).collect();
        let failures = self.failures();
        let value = json!({
            "verdict": {"ok": failures.is_empty(), "failures": failures},
            "domain": self.domain,
            "elapsed_s": self.elapsed.as_secs_f64(),
            "ending": self.ending.to_string(),
            "scheduling": self.scheduling,
            "robot": {
                "steps": t.step, "steps_left_out": t.slipped,
                "fell_after_s": (t.fell > 0).then_some(t.fell as f64 * 1e-3),
                "worst_tilt_deg": t.worst.to_degrees(), "way_m": t.x, "tilt_deg": t.tilt.to_degrees(),
            },
            "sensor_to_motor": with_late(&self.reflex),
            "step_lateness": with_late(&self.tick),
            "supervisor_lateness": with_late(&self.look),
            "hops": hops,
            "health": {"received": self.health.received, "missed": self.health.missed},
            "chaos": self.chaos.map(|seed| json!({
                "seed": seed, "kills": self.count(&What::Killed), "freezes": self.count(&What::Frozen),
            })),
            "incidents": incidents,
            "lidar": self.scans.as_ref().map(|s| json!({
                "file": s.file, "scans_in_file": s.in_file, "published": s.published, "logged": s.logged,
                "breaks": s.breaks, "same_as_file": s.same, "read": s.counts,
            })),
            "said": self.said,
        });
        format!("{value:#}")
    }
}

fn with_late(p: &Percentiles) -> Value {
    let mut value = p.json();
    value["deadline_misses"] = json!(p.late);
    value
}

fn hop_json(hop: &Hop) -> Value {
    let t = &hop.tally;
    json!({
        "channel": hop.channel, "reader": hop.role, "latency": hop.times.json(),
        "received": t.received, "missed": t.missed, "while_away": hop.away, "processes": hop.processes,
        "torn": t.torn, "sum_wrong": t.wrong, "newest_behind": t.behind,
    })
}

fn incident_json(i: &Incident) -> Value {
    let what = match &i.what {
        What::Killed => "killed",
        What::Frozen => "frozen",
        What::Silent => "silent",
        What::Hit => "killed from outside",
        What::Ended(how) => how,
    };
    let away = i.away.map(|away| away.as_secs_f64() * 1e3);
    json!({"at_s": i.at.as_secs_f64(), "what": what, "role": i.role, "pid": i.pid, "away_ms": away})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fine() -> Report {
        let times = Percentiles { count: 3, ns: [1, 2, 3, 4], late: 1 };
        let mut tally = Tally::of(0);
        tally.count(0, 1, 0);
        let hop = Hop { channel: "imu", role: "estimator", times, tally, away: 0, processes: 1 };
        let truth = Truth { step: 1000, ..Truth::default() };
        Report {
            domain: "shm://x".into(),
            elapsed: Duration::from_secs(1),
            ending: Ending::Time,
            truth,
            chaos: Some(1),
            no_control: false,
            scheduling: "as it is".into(),
            reflex: times,
            tick: times,
            look: times,
            hops: vec![hop],
            health: Tally::of(1),
            incidents: Vec::new(),
            scans: None,
            said: Vec::new(),
            audit: Vec::new(),
            residue: Vec::new(),
            given_up: None,
        }
    }

    fn incident(what: What) -> Incident {
        Incident { at: Duration::ZERO, what, role: "balance", pid: 77, away: None }
    }

    #[test]
    fn intended_kills_are_not_failures() {
        let mut report = fine();
        report.incidents = [What::Killed, What::Frozen, What::Silent, What::Hit].map(incident).into();
        assert_eq!(report.failures(), Vec::<String>::new());
        for full in [true, false] {
            let text = report.text(full);
            assert!(text.starts_with("verdict: the robot stood"), "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            assert!(full || text.lines().count() < 20, "{text}");
        }
        assert!(report.text(true).contains("77* "), "{}", report.text(true));
        assert!(report.text(true).contains("chaos: 1 kill, 1 freeze (*), 2.0 per second"));
        assert!(report.text(false).contains("chaos: 1 kill, 1 freeze, 2.0 per second"));
        let json: Value = serde_json::from_str(&report.json()).expect("it is JSON");
        assert_eq!((&json["verdict"]["ok"], &json["chaos"]["kills"]), (&json!(true), &json!(1)));
    }

    #[test]
    fn everything_that_must_not_happen_is_a_failure() {
        type Harm = fn(&mut Report);
        let harms: [(&str, Harm); 11] = [
            ("fell after 0.50 s", |r| r.truth.fell = 500),
            ("never began", |r| r.truth.step = 0),
            ("given up", |r| r.given_up = Some("given up".into())),
            ("(process 77) ended by itself: exit 1", |r| {
                r.incidents = vec![incident(What::Ended("exit 1".into()))]
            }),
            ("imu → estimator: 2 torn", |r| r.hops[0].tally.torn = 2),
            ("received + missed ≠ published, 3 times", |r| r.hops[0].tally.wrong = 3),
            ("4 behind", |r| r.hops[0].tally.behind = 4),
            ("supervisor reads: 5 torn", |r| r.health.torn = 5),
            ("no scan was published", |r| r.scans = Some(Scans { same: true, ..Scans::default() })),
            ("sum", |r| r.audit = vec!["sum".into()]),
            ("left behind: dust", |r| r.residue = vec!["dust".into()]),
        ];
        for (words, harm) in harms {
            let mut report = fine();
            harm(&mut report);
            let failures = report.failures();
            assert!(failures.len() == 1 && failures[0].contains(words), "{words}: {failures:?}");
            assert!(report.text(true).contains("FAILED") && report.json().contains("\"ok\": false"));
        }
    }
}
