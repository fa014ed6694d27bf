//! `saltus tunnel bench`: what a tunnel delivers over a lossy relay, how old, and at what price.

mod bound;
mod ends;
mod place;
mod relay;
mod wire;

use std::time::Duration;

use clap::Args;
use saltus_links::Badness;
use saltus_tunnel::Redundancy;
use serde::Serialize;

use crate::out::Out;
use crate::outcome::{Outcome, say};
use ends::{By, Measured, Run, Stream};
use place::Place;
use saltus_bench_channel::stop;
use saltus_text::human::{bytes, nanos};
use saltus_text::table::{Align, Table};
use saltus_text::units;

/// The options of `tunnel bench`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Bench {
    /// Percentages of lost packets, measured one by one
    #[arg(long, value_name = "%,...", value_delimiter = ',', default_values_t = [0.0, 1.0, 10.0, 20.0, 40.0])]
    #[arg(value_parser = percent)]
    loss: Vec<f64>,

    /// Packets lost in a row, on average (1: single losses)
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [1.0], value_parser = burst)]
    burst: Vec<f64>,

    /// One-way delay of the link
    #[arg(long, value_name = "TIME,...", value_delimiter = ',', default_value = "10ms", value_parser = units::duration)]
    delay: Vec<Duration>,

    /// MB per second that the link carries (0: no limit)
    #[arg(long, value_name = "MB/S,...", value_delimiter = ',', default_values_t = [0.0], value_parser = megabytes)]
    rate: Vec<f64>,

    /// Sizes of messages, and messages per second
    #[arg(long, value_name = "SIZE@HZ,...", value_delimiter = ',', default_value = "64@200,150000@20", value_parser = stream)]
    messages: Vec<Stream>,

    /// Deadline of each message
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = units::duration)]
    deadline: Duration,

    /// Measure each line of the table for TIME
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = measured)]
    time: Duration,

    /// Only compare with the binomial distribution, simulated
    #[arg(long)]
    bound: bool,

    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  saltus tunnel bench
  saltus tunnel bench --loss 10 --burst 1,5 --delay 10ms,50ms --rate 0,1
  saltus tunnel bench --bound                   beside the binomial distribution, without a relay";

fn percent(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part| (0.0..=100.0).contains(part));
    part.ok_or_else(|| "a loss is from 0 to 100, in percent of the packets".into())
}

fn burst(text: &str) -> Result<f64, String> {
    let burst = text.parse().ok().filter(|burst| (1.0..=1e6).contains(burst));
    burst.ok_or_else(|| "a burst is a number of packets in a row, from 1".into())
}

fn measured(text: &str) -> Result<Duration, String> {
    let time = units::duration(text)?;
    let least = "nothing comes through in less than 100ms";
    if time >= Duration::from_millis(100) { Ok(time) } else { Err(least.into()) }
}

fn megabytes(text: &str) -> Result<f64, String> {
    // Less than one byte per second would mean no limit.
    let rate = text.parse().ok().filter(|rate| *rate == 0.0 || (1e-6..=1e9).contains(rate));
    rate.ok_or_else(|| "a rate is in MB a second, such as 0.5; 0 is no limit".into())
}

fn stream(text: &str) -> Result<Stream, String> {
    let expected = || format!("`{text}`: write SIZE@HZ, such as 64@200; the size from 16 to 4000000");
    let (size, hz) = text.split_once('@').ok_or_else(expected)?;
    let size = size.parse().ok().filter(|size| (16..=4_000_000).contains(size)).ok_or_else(expected)?;
    let hz = hz.parse().ok().filter(|hz| (1.0..=100_000.0).contains(hz)).ok_or_else(expected)?;
    Ok(Stream { size, hz })
}

/// One line of the table; with --json the fields are stable. Times are in ns.
#[derive(Serialize)]
struct Line {
    by: String,
    size: usize,
    hz: f64,
    loss: f64,
    burst: f64,
    delay: u64,
    rate: u64,
    relay: &'static str,
    sent: u64,
    delivered: u64,
    share: f64,
    wire_bytes_per_byte: f64,
    age: Ages,
    information: Ages,
}

/// Ages: the share of cases, and their number.
#[derive(Serialize, Default)]
pub struct Ages {
    p50: u64,
    p99: u64,
    p999: u64,
    max: u64,
    count: usize,
}

impl Ages {
    /// Of all these.
    fn of(mut all: Vec<u64>) -> Ages {
        all.sort_unstable();
        let at = |part: f64| all.get(((all.len() as f64 * part).ceil() as usize).saturating_sub(1)).copied();
        let (p50, p99, p999) = (at(0.5), at(0.99), at(0.999));
        let or_none = |age: Option<u64>| age.unwrap_or(0);
        Ages {
            p50: or_none(p50),
            p99: or_none(p99),
            p999: or_none(p999),
            max: or_none(all.last().copied()),
            count: all.len(),
        }
    }

    fn cells(&self) -> [String; 4] {
        match self.count {
            0 => ["-"; 4].map(String::from),
            _ => [self.p50, self.p99, self.p999, self.max].map(|ns| nanos(ns as f64)),
        }
    }
}

const COLUMNS: [(&str, Align); 14] = [
    ("MESSAGES", Align::Right),
    ("LOSS", Align::Right),
    ("BURST", Align::Right),
    ("DELAY", Align::Right),
    ("RATE", Align::Right),
    ("BY", Align::Left),
    ("IN TIME", Align::Right),
    ("BYTES", Align::Right),
    ("AGE p50", Align::Right),
    ("p99", Align::Right),
    ("p99.9", Align::Right),
    ("max", Align::Right),
    ("INFORMATION p99.9", Align::Right),
    ("max", Align::Right),
];

/// Measures every combination.
pub fn run(bench: Bench) -> Outcome {
    stop::catch_interrupts();
    let mut out = Out::new();
    if bench.bound {
        bound::print(bench.json, &mut out)?;
        return out.flush();
    }
    let place = Place::new();
    if !bench.json {
        say(place.words());
        out.line(
            "IN TIME: delivered before the deadline. BYTES: on the wire for each byte of the messages sent.",
        )?;
    }
    let mut table = Table::new(&COLUMNS);
    for (stream, badness) in bench.cases() {
        for by in [By::Tunnel(Redundancy::Fixed(0.25)), By::Tunnel(Redundancy::Auto), By::Udp, By::Tcp] {
            if stop::asked() || (by == By::Tcp && !place.carries_tcp()) {
                continue;
            }
            let run = Run { by, stream, badness, deadline: bench.deadline, time: bench.time };
            let line = run.line(&run.measure(&place)?, place.name());
            match bench.json {
                true => out.json(&line)?,
                false => table.row(line.cells()),
            }
            out.flush()?;
        }
    }
    if !bench.json {
        table.lines().iter().try_for_each(|line| out.line(line))?;
    }
    out.flush()
}

impl Bench {
    fn cases(&self) -> Vec<(Stream, Badness)> {
        let mut cases = Vec::new();
        for stream in &self.messages {
            for rate in self.rate.iter().map(|mb| (mb * 1e6) as u64) {
                for delay in self.delay.iter().map(|delay| delay.as_nanos() as u64) {
                    for burst in self.burst.iter().copied() {
                        for loss in self.loss.iter().map(|percent| percent / 100.0) {
                            // The queue of a radio's driver: 50 ms.
                            let queue = rate / 20;
                            cases.push((
                                *stream,
                                Badness { loss, burst, delay, rate, queue, ..Badness::default() },
                            ));
                        }
                    }
                }
            }
        }
        cases
    }
}

impl Run {
    fn line(&self, measured: &Measured, relay: &'static str) -> Line {
        let Measured { sent, in_time, wire, .. } = *measured;
        Line {
            by: self.by.name(),
            size: self.stream.size,
            hz: self.stream.hz,
            loss: self.badness.loss,
            burst: self.badness.burst,
            delay: self.badness.delay,
            rate: self.badness.rate,
            relay,
            sent,
            delivered: in_time,
            share: in_time as f64 / sent.max(1) as f64,
            wire_bytes_per_byte: wire as f64 / (sent.max(1) * self.stream.size as u64) as f64,
            age: Ages::of(measured.ages.clone()),
            information: Ages::of(measured.information.clone()),
        }
    }
}

impl Line {
    fn cells(&self) -> Vec<String> {
        let rate = if self.rate == 0 { "-".into() } else { format!("{}/s", bytes(self.rate as f64)) };
        let [_, _, information, longest] = self.information.cells();
        let mut cells = vec![
            format!("{} B @ {}", self.size, self.hz),
            format!("{:.0} %", self.loss * 100.0),
            format!("{}", self.burst),
            nanos(self.delay as f64),
            rate,
            self.by.clone(),
            format!("{:.2} %", self.share * 100.0),
            format!("{:.2}", self.wire_bytes_per_byte),
        ];
        cells.extend(self.age.cells());
        cells.extend([information, longest]);
        cells
    }
}
