//! Bytes on the link per message, against the number of subscribers. The kernel counts them on the loopback of the
//! run's network, from the first message of the window until shortly after its last. The count includes what the
//! network itself exchanges in that time.

use crate::Bench;
use crate::case::Case;
use crate::clock;
use crate::contender::Contender;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::outcome::Outcome;
use crate::pace::{Real, offer};
use crate::place::Seat;
use crate::results::Note;
use crate::run::{Measured, World, add_readers, conduct, dismiss};
use crate::schedule::Schedule;
use crate::shared::{AllAtomic, Buffer, Shared};
use std::fs::read_to_string;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::SystemTime;

/// How long messages in flight are waited for, in ns.
const AFTER: u64 = 50_000_000;

/// The limit in packets per message below which a contender counts as sending none.
const FEW: f64 = 0.05;

/// What the sender counted.
#[repr(C)]
struct Counted {
    bytes: AtomicU64,
    packets: AtomicU64,
}

// SAFETY: two atomics, for which zero is a value.
unsafe impl AllAtomic for Counted {}

/// Bytes and packets that this network's loopback has sent so far.
fn loopback() -> Fallible<(u64, u64)> {
    let text = read_to_string("/proc/net/dev")?;
    sent(&text).ok_or_else(|| "no loopback in /proc/net/dev".into())
}

fn sent(text: &str) -> Option<(u64, u64)> {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix("lo:"))?;
    // Eight columns of received data come first.
    let mut words = line.split_whitespace().skip(8).map(|word| word.parse().ok());
    Some((words.next()??, words.next()??))
}

/// Measures one contender once: the latencies, and bytes and packets per message.
fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<(Measured, f64, f64)> {
    let link = world.link(contender, case)?;
    let period = 1_000_000_000 / u64::from(case.rate);
    let counted = Shared::<Counted>::new()?;
    let mut crew = Crew::new()?;
    crew.add(Seat::writer(case, &world.cores, 0), |control| {
        let mut sender = link.sender(0)?;
        let mut message = Buffer::new(case.size)?;
        let mut outcome = Outcome::default();
        let window = control.start();
        let (schedule, mut before) = (Schedule::new(clock::now() + period, period), None);
        let mut messages = 0;
        let head = offer(&Real { spins: false }, &schedule, &window, &mut outcome, |head| {
            if head.due >= window.begin {
                if before.is_none() {
                    before = Some(loopback()?);
                }
                messages += 1;
            }
            head.write(&mut message);
            sender.send(&message)
        })?;
        clock::sleep_until(clock::now() + AFTER);
        let (before, after) = (before.ok_or("no message in the window")?, loopback()?);
        // In thousandths of a byte per message, because the pipe to the parent carries whole numbers.
        let each = |after: u64, before: u64| 1_000 * (after - before) / messages;
        counted.bytes.store(each(after.0, before.0), SeqCst);
        counted.packets.store(each(after.1, before.1), SeqCst);
        dismiss(&mut *sender, head, &mut message, control, case.readers)?;
        Ok(outcome)
    })?;
    add_readers(&mut crew, world, case, &*link)?;
    let window = world.window(1_000);
    let mut outcome = conduct(crew, window)?;
    outcome.taken = outcome.received;
    outcome.missed = (outcome.sent * case.readers as u64).saturating_sub(outcome.received);
    let measured = Measured { messages: outcome.sent, outcome, window };
    let each = |count: &AtomicU64| count.load(SeqCst) as f64 / 1_000.0;
    Ok((measured, each(&counted.bytes), each(&counted.packets)))
}

impl Bench {
    /// One contender in one case of this scenario.
    pub fn traffic(&mut self, case: Case, index: usize, rep: usize) {
        let (contender, began) = (&*self.contenders[index], SystemTime::now());
        let name = contender.name();
        let measured = run(&self.world, contender, &case).map(|(measured, bytes, packets)| {
            let text = match packets {
                // The kernel itself sometimes sends packets in a network.
                p if p < FEW => "no packets on a network interface".into(),
                _ => format!(
                    "{bytes:.0} B on the link in {packets:.2} packets for each message of {} B to {} subscribers",
                    case.size, case.readers
                ),
            };
            self.results.notes.push(Note { case, contender: name, rep, value: Some(bytes), text });
            measured
        });
        self.keep(case, name, rep, began, measured);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sent_bytes_and_packets_are_the_ninth_and_tenth_columns() {
        let text = "Inter-|   Receive\n face |bytes packets\n  eth0: 9 9 9 9 9 9 9 9 9 9 9\n    lo: 1 2 3 4 5 6 7 8 900 10 11\n";
        assert_eq!(sent(text), Some((900, 10)));
        assert_eq!(sent("eth0: 1 2"), None);
        assert!(loopback().is_ok());
    }
}
