//! The lag of the readers of a channel, for its only publisher. Readers' counters are untrusted, so every wait for a reader is limited.

use std::collections::HashMap;

use saltus_channel::SubscriberInfo;

/// Time after subscribing in which a reader may not have read yet, in ns.
pub(crate) const JOINING: u64 = 50_000_000;
/// Time without progress after which the player no longer waits for a reader, in ns.
const PATIENCE: u64 = 3_000_000_000;
/// Most readers of a channel, over all time, that are waited for. The limit guards against counters that change identity at each reading.
const MOST: usize = 1024;

/// The readers of a channel.
pub(crate) struct Lags {
    /// Largest lag, in messages, at which a reader cannot miss any.
    room: u64,
    /// Start of playback, boot time in ns.
    began: u64,
    /// Number of published messages at the last reading, or at the start of playback.
    looked: u64,
    /// Readers by process and time of subscription.
    known: HashMap<(u32, u64), Known>,
}

/// A reader.
struct Known {
    /// Number of messages published before it subscribed. Until it reads one, it lags behind by all later ones.
    base: u64,
    /// Number of messages published when it was first seen. It can read later ones.
    seen: u64,
    /// Its smallest lag in this wait, and the time of that.
    nearest: (u64, u64),
    given_up: bool,
}

impl Lags {
    /// `before` is the number of messages published at the start of playback.
    pub(crate) fn new(room: u64, began: u64, before: u64) -> Lags {
        Lags { room, began, looked: before, known: HashMap::new() }
    }

    /// Starts a wait at this monotonic time.
    pub(crate) fn begin(&mut self, now: u64) {
        self.known.values_mut().for_each(|known| known.nearest = (u64::MAX, now));
    }

    /// Returns the largest lag among readers for which the player waits, and the readers that it abandons now. `now` is boot time and monotonic
    /// time.
    pub(crate) fn check<'a>(
        &mut self,
        readers: &'a [SubscriberInfo],
        published: u64,
        now: (u64, u64),
    ) -> (Option<u64>, Vec<&'a SubscriberInfo>) {
        let (mut most, mut left) = (None, Vec::new());
        for reader in readers.iter().filter(|reader| reader.alive) {
            let id = (reader.pid, reader.since);
            if !self.known.contains_key(&id) && self.known.len() >= MOST {
                continue;
            }
            let seen = if reader.since < self.began { self.looked } else { published };
            let new = || Known { base: self.looked, seen, nearest: (u64::MAX, now.1), given_up: false };
            let known = self.known.entry(id).or_insert_with(new);
            if known.given_up {
                continue;
            }
            // No ring buffer keeps more.
            let lag = known.lag(reader, self.room, published, now.0).min(self.room.saturating_mul(2));
            if lag < known.nearest.0 {
                known.nearest = (lag, now.1);
            }
            if lag >= self.room && now.1.saturating_sub(known.nearest.1) > PATIENCE {
                known.given_up = true;
                left.push(reader);
            } else {
                most = most.max(Some(lag));
            }
        }
        self.looked = published;
        (most, left)
    }
}

impl Known {
    fn lag(&self, reader: &SubscriberInfo, room: u64, published: u64, now: u64) -> u64 {
        // A larger number belongs to the lane of another publisher, which has died.
        let reads = reader.received.saturating_add(reader.missed) > 0 && reader.last_seq <= published;
        match published.saturating_sub(self.base) {
            _ if reads => published - reader.last_seq,
            _ if now.saturating_sub(reader.since) < JOINING => room,
            // All messages may precede the reader: it is not waited for until one more is published.
            lag if published <= self.seen => lag.min(room - 1),
            lag => lag,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_channel::LatencyCounts;

    const BEGAN: u64 = 100 * PATIENCE;
    const LATER: u64 = BEGAN + PATIENCE;

    fn reader(since: u64, received: u64, last_seq: u64) -> SubscriberInfo {
        SubscriberInfo {
            alive: true,
            pid: 1,
            uid: 0,
            process: String::new(),
            since,
            received,
            missed: 0,
            last_seq,
            last_timestamp: 0,
            sleeps: 0,
            overruns: 0,
            latency: LatencyCounts::default(),
        }
    }
    /// For a channel with depth 16, after 100 messages.
    fn lags() -> Lags {
        Lags::new(8, BEGAN, 100)
    }
    fn lag(lags: &mut Lags, reader: SubscriberInfo, published: u64) -> Option<u64> {
        lags.check(&[reader], published, (LATER, LATER)).0
    }

    #[test]
    fn an_idle_subscriber_lags_by_everything_played() {
        assert_eq!(lag(&mut lags(), reader(BEGAN - 1, 0, 0), 107), Some(7));
        assert_eq!(lag(&mut lags(), reader(BEGAN - 1, 0, 0), 108), Some(8));
        assert_eq!(lag(&mut lags(), reader(BEGAN - 1, 50, 99), 108), Some(9));
        // Its last message was another publisher's, whose lane was longer.
        assert_eq!(lag(&mut lags(), reader(BEGAN - 1, 50, 5000), 108), Some(8));
    }

    #[test]
    fn a_subscriber_that_joins_is_waited_for_from_its_first_message() {
        let mut lags = lags();
        assert_eq!(lags.check(&[], 108, (LATER, LATER)).0, None);
        assert_eq!(lag(&mut lags, reader(LATER - JOINING + 1, 0, 0), 108), Some(8), "just subscribed");
        let mut come = |published| lag(&mut lags, reader(BEGAN + 1, 0, 0), published);
        assert_eq!([come(112), come(113)], [Some(4), Some(5)]);
        assert_eq!([come(116), come(120)], [Some(8), Some(12)]);
        let mut lags = Lags::new(8, BEGAN, 0);
        assert_eq!(lag(&mut lags, reader(BEGAN + 1, 0, 0), 8), Some(7), "may have subscribed after them");
        assert_eq!(lag(&mut lags, reader(BEGAN + 1, 0, 0), 9), Some(9));
    }

    /// Waits until no reader is waited for. Returns the duration in units of the patience.
    fn wait(lags: &mut Lags, mut reader: impl FnMut(u64) -> SubscriberInfo) -> u64 {
        lags.begin(0);
        for n in 0..100_000 {
            let now = n * PATIENCE / 8;
            if lags.check(&[reader(n)], 200, (LATER, now)).0.is_none_or(|lag| lag < 8) {
                return n.div_ceil(8);
            }
        }
        panic!("waits forever");
    }

    #[test]
    fn no_wait_is_endless_whatever_a_reader_reports() {
        let never = |_| reader(1, 0, 0);
        assert_eq!(wait(&mut lags(), never), 2);
        assert_eq!(wait(&mut lags(), |n| reader(1, n, 100 + n % 2)), 2, "up and down");
        assert_eq!(wait(&mut lags(), |n| reader(1, u64::MAX, 201 + n)), 2, "beyond the published number");
        let huge = |_| SubscriberInfo { missed: u64::MAX, ..reader(u64::MAX, u64::MAX, u64::MAX) };
        assert_eq!(wait(&mut lags(), huge), 2);
        assert!(wait(&mut lags(), |n| reader(n, 1, 0)) <= MOST as u64, "another name each time");
        assert!(wait(&mut lags(), |n| reader(1, 1, 184 + n / 8)) < 10, "as slow as can be");
    }

    #[test]
    fn a_slow_reader_has_no_share_in_the_patience_with_others() {
        let mut lags = lags();
        lags.begin(0);
        let at = |now, slow| {
            let readers = [reader(1, 0, 0), reader(2, 9, slow)];
            (readers, now)
        };
        let mut left = |(readers, now): ([SubscriberInfo; 2], u64)| {
            let (most, left) = lags.check(&readers, 120, (LATER, now));
            (most, left.iter().map(|reader| reader.since).collect::<Vec<_>>())
        };
        assert_eq!(left(at(0, 105)), (Some(16), vec![]));
        assert_eq!(left(at(PATIENCE, 106)), (Some(16), vec![]));
        assert_eq!(
            left(at(PATIENCE + 1, 107)),
            (Some(13), vec![1]),
            "no progress although the other one progressed"
        );
        assert_eq!(left(at(2 * PATIENCE, 119)), (Some(1), vec![]));
    }
}
