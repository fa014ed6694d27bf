//! The share delivered compared with the binomial distribution, for each number of fragments, on a simulated link.

use saltus_links::{Badness, End, Pair};
use saltus_tunnel::{Config, Event, Key, Mtu, Order, Redundancy, parity};
use serde::Serialize;

use super::ends::failed;
use crate::out::Out;
use crate::outcome::Outcome;
use saltus_bench_channel::stop;
use saltus_text::table::{Align, Table};

const MS: u64 = 1_000_000;
/// Approximate bytes of a fragment in a datagram of 1,200.
const FRAGMENT: usize = 1156;
/// Bytes of a message's record header.
const RECORD: usize = 64;
const LOSS: f64 = 0.1;
const DEADLINE: u64 = 100 * MS;

#[derive(Serialize)]
struct Line {
    fragments: usize,
    parity: f64,
    messages: u64,
    delivered: u64,
    share: f64,
    bound: f64,
    bytes_per_byte: f64,
}

/// Fragments of a message; 0 means short messages at 1 kHz, which are coded together.
const CASES: [(usize, u64); 8] = [
    (0, 100_000),
    (1, 50_000),
    (2, 30_000),
    (8, 20_000),
    (32, 10_000),
    (128, 10_000),
    (256, 5000),
    (870, 1000),
];

/// Prints them.
pub fn print(json: bool, out: &mut Out) -> Outcome {
    let columns = ["FRAGMENTS", "PARITY", "MESSAGES", "DELIVERED", "SHARE", "BINOMIAL", "BYTES"];
    let mut table = Table::new(&columns.map(|column| (column, Align::Right)));
    for (fragments, messages) in CASES {
        if stop::asked() {
            break;
        }
        let line = measure(fragments, messages)?;
        if json {
            out.json(&line)?;
            continue;
        }
        table.row(vec![
            if fragments == 0 { "together".into() } else { fragments.to_string() },
            format!("{:.2}", line.parity),
            line.messages.to_string(),
            line.delivered.to_string(),
            format!("{:.3} %", line.share * 100.0),
            format!("{:.3} %", line.bound * 100.0),
            format!("{:.2}", line.bytes_per_byte),
        ]);
    }
    if !json {
        out.line(
            "10 % loss at random, 25 % redundancy, 10 ms each way, deadline 100 ms, on a simulated link.",
        )?;
        table.lines().iter().try_for_each(|line| out.line(line))?;
    }
    Ok(())
}

fn measure(fragments: usize, messages: u64) -> Outcome<Line> {
    let redundancy = Redundancy::Fixed(0.25);
    let mtu = Mtu::Fixed(1228);
    let config = Config { redundancy, mtu, order: Order::All, ..Config::new(Key::from_bytes([1; 32])) };
    let badness = Badness { loss: LOSS, delay: 10 * MS, ..Badness::default() };
    let mut pair = Pair::new(&config, badness, 1).map_err(failed)?;
    pair.run(3000 * MS, |_, _, _| {});
    // Short messages at 1 kHz fill groups of 25 in a quarter of the deadline; single ones are too far apart.
    let (size, period) = match fragments {
        0 => (64, MS),
        1 => (FRAGMENT - RECORD, 30 * MS),
        n => (n * FRAGMENT - RECORD, 2 * MS),
    };
    let (before, mut delivered) = (pair.connecter.stats(), 0);
    let mut take = |_, end, event: Event<'_>| {
        delivered += u64::from(end == End::Listener && matches!(event, Event::Message(_)));
    };
    let payload = vec![1; size];
    for _ in 0..messages {
        pair.connecter.send(b"bound", &payload, DEADLINE, pair.now).map_err(failed)?;
        pair.run(pair.now + period, &mut take);
    }
    pair.run(pair.now + 2 * DEADLINE, &mut take);
    let stats = pair.connecter.stats();
    let extra = (stats.sent_parity - before.sent_parity) as f64;
    let bound = match fragments {
        // One that waits 25 ms gathers 25 others; the first and the last too.
        0 => 1.0 - parity::failure_of_one(26, (extra / messages as f64 * 26.0).round() as usize, LOSS),
        n => {
            let more = (extra / messages as f64).round() as usize;
            1.0 - parity::failure(n + more, more, LOSS)
        }
    };
    Ok(Line {
        fragments,
        parity: extra / messages as f64,
        messages,
        delivered,
        share: delivered as f64 / messages as f64,
        bound,
        bytes_per_byte: (stats.sent_bytes - before.sent_bytes) as f64 / (messages * size as u64) as f64,
    })
}
