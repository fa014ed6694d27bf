//! The publisher that is watched.

use crate::clock;
use crate::error::Fallible;
use hdrhistogram::Histogram;
use saltus_domain::{Domain, Publisher};

/// Channels at a steady rate.
const CHANNELS: usize = 20;
/// Their period, in ns.
const PERIOD: u64 = 1_000_000;
/// The channel at full rate; of all names it sorts last.
pub const LAST: &str = "WATCHED_AT_FULL_RATE";
/// Bytes of a message.
const SIZE: usize = 64;

/// The durations of publish calls, in ns, and the number of calls per second.
pub struct Times {
    pub calls: Histogram<u64>,
    pub rate: f64,
}

/// The channels it publishes on.
pub struct Load {
    steady: Vec<Publisher>,
    full: Publisher,
}

impl Load {
    /// Creates the channels and publishes a first message on each.
    pub fn new(url: &str) -> Fallible<Load> {
        let domain = Domain::open(url)?;
        let publisher = |name: &str| {
            let mut publisher = domain.publisher(name)?;
            publisher.publish(&[0; SIZE])?;
            Ok::<_, saltus_domain::Error>(publisher)
        };
        let steady =
            (0..CHANNELS).map(|n| publisher(&format!("WATCHED_{n:02}"))).collect::<Result<_, _>>()?;
        Ok(Load { steady, full: publisher(LAST)? })
    }

    /// Publishes at 1 kHz on each channel for `scale` times 2 s, then at full rate for `scale` times 1 s. Each is
    /// preceded by a warm-up of a quarter of that time, which is not recorded.
    pub fn run(&mut self, scale: f64) -> Fallible<[Times; 2]> {
        let steady = |seconds: f64| (seconds * scale * 1e9) as u64;
        self.steadily(steady(0.5))?;
        let times = self.steadily(steady(2.0))?;
        self.fully(steady(0.25))?;
        Ok([times, self.fully(steady(1.0))?])
    }

    fn steadily(&mut self, nanos: u64) -> Fallible<Times> {
        let (mut times, start) = (Book::new()?, clock::now());
        for round in 1..=nanos / PERIOD {
            clock::sleep_until(start + round * PERIOD);
            self.steady.iter_mut().try_for_each(|publisher| times.publish(publisher))?;
        }
        Ok(times.end())
    }

    fn fully(&mut self, nanos: u64) -> Fallible<Times> {
        let mut times = Book::new()?;
        while clock::now() < times.start + nanos {
            // The clock is read between batches, so that the calls do not pay for it.
            (0..64).try_for_each(|_| times.publish(&mut self.full))?;
        }
        Ok(times.end())
    }
}

struct Book {
    calls: Histogram<u64>,
    start: u64,
    message: [u8; SIZE],
}

impl Book {
    /// Memory is reserved at the start, so that nothing is allocated between calls.
    fn new() -> Fallible<Book> {
        let calls = Histogram::new_with_bounds(1, 60_000_000_000, 3)?;
        Ok(Book { calls, start: clock::now(), message: [0x5A; SIZE] })
    }
    fn publish(&mut self, publisher: &mut Publisher) -> Fallible<()> {
        self.message[..8].copy_from_slice(&self.calls.len().to_le_bytes());
        let before = clock::now();
        publisher.publish(&self.message)?;
        self.calls.saturating_record(clock::now() - before);
        Ok(())
    }
    fn end(self) -> Times {
        let seconds = (clock::now() - self.start).max(1) as f64 / 1e9;
        Times { rate: self.calls.len() as f64 / seconds, calls: self.calls }
    }
}
