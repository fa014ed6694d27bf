//! The recorder's account: messages received, written, missed and dropped.

use saltus_domain::{Message, Missed, Name, Unread};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// The counts of one channel. `received` is `written` plus the messages that the recorder dropped after it received them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Messages that arrived at the recorder.
    pub received: u64,
    /// Messages in the file. Remains of a failed write do not count.
    pub written: u64,
    /// Messages that did not arrive; exact if the transport reports them for each channel.
    pub missed: u64,
    /// Messages before which an unknown number was missed.
    pub untold: u64,
    /// Messages that the recorder dropped, exact: it was too slow to receive them, or had no memory left for them.
    pub dropped: u64,
}

/// The account of a recorded channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The URL of its domain.
    pub domain: String,
    /// Its name.
    pub channel: Name,
    /// Its counts.
    pub counts: Counts,
}

/// The account. Channels are numbered in the order in which they were added.
#[derive(Debug, Default)]
pub struct Account {
    lines: Vec<Line>,
    numbers: HashMap<usize, HashMap<Name, u32>>,
    /// Unreadable channels, by source and channel: the domain's URL, and the reason.
    unread: BTreeMap<(usize, Option<Name>), (String, String)>,
    /// Losses of senders, over all their channels. A source is one subscriber, to which each loss is reported once.
    of_senders: u64,
    /// The channel of the last message, which is often that of the next.
    last: Option<(usize, u32)>,
}

/// The sums over all channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Total {
    /// As in [`Counts`].
    pub received: u64,
    /// As in [`Counts`].
    pub written: u64,
    /// Messages missed, of channels and of senders.
    pub missed: u64,
    /// As in [`Counts`].
    pub untold: u64,
    /// As in [`Counts`].
    pub dropped: u64,
    /// Number of channels that could not be read, and of domains that could not be listed. The number of their messages is unknown.
    pub unread: u64,
}

/// A channel that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadLine {
    /// The URL of its domain.
    pub domain: String,
    /// Its name; `None` if the domain's channels could not be listed.
    pub channel: Option<Name>,
    /// The reason.
    pub why: String,
}

impl Total {
    /// Whether anything is known to be lost.
    pub fn has_losses(&self) -> bool {
        self.missed > 0 || self.dropped > 0 || self.unread > 0
    }
}

impl Account {
    /// The number of a channel of `source`, if it has one.
    pub fn find(&mut self, source: usize, name: &Name) -> Option<u32> {
        let is_last = |&(last, n): &(usize, u32)| last == source && self.lines[n as usize].channel == *name;
        if let Some((_, number)) = self.last.filter(is_last) {
            return Some(number);
        }
        let number = *self.numbers.get(&source)?.get(name)?;
        self.last = Some((source, number));
        Some(number)
    }
    /// Gives the next number to a channel that has none.
    pub fn add(&mut self, source: usize, domain: &str, name: Name) -> u32 {
        // If it was unreadable before, its missed messages count from now on.
        self.unread.remove(&(source, Some(name.clone())));
        let number = self.lines.len() as u32; // no domain has that many channels
        self.numbers.entry(source).or_default().insert(name.clone(), number);
        self.lines.push(Line { domain: domain.into(), channel: name, counts: Counts::default() });
        number
    }

    /// Counts a message that arrived.
    pub fn received(&mut self, number: u32, message: &Message<'_>) {
        let counts = &mut self.lines[number as usize].counts;
        counts.received += 1;
        counts.dropped += message.dropped;
        // A network can report any number.
        match message.missed {
            Missed::Exact(n) => counts.missed = counts.missed.saturating_add(n),
            Missed::OfSender(n) => self.of_senders = self.of_senders.saturating_add(n),
            Missed::Unknown => counts.untold += 1,
        }
    }

    /// Records that a channel of `source`, or its list, could not be read.
    pub fn unread(&mut self, source: usize, domain: &str, unread: Unread) {
        // The number of names is unlimited: beyond a limit they count as one.
        const MOST: usize = 4096;
        let full = self.unread.len() >= MOST;
        let Unread { channel, why } = unread;
        let channel = channel.filter(|_| !full);
        self.unread.insert((source, channel), (domain.into(), why));
    }
    /// The unreadable channels.
    pub fn unread_lines(&self) -> impl Iterator<Item = UnreadLine> + '_ {
        self.unread.iter().map(|((_, channel), (domain, why))| UnreadLine {
            domain: domain.clone(),
            channel: channel.clone(),
            why: why.clone(),
        })
    }

    /// Counts a message that arrived and could not be kept.
    pub fn dropped(&mut self, number: u32) {
        self.lines[number as usize].counts.dropped += 1;
    }
    /// Counts the messages of a batch by channel: its total, and those written. The others are lost. Fast, because the reader waits for it.
    pub fn settle(&mut self, had: &[u64], written: &[u64]) {
        let written = written.iter().chain(std::iter::repeat(&0));
        for ((line, had), written) in self.lines.iter_mut().zip(had).zip(written) {
            line.counts.written += written;
            line.counts.dropped += had.saturating_sub(*written);
        }
    }

    /// All channels, in the order in which they were added.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }
    /// The sums over all channels.
    pub fn total(&self) -> Total {
        let unread = self.unread.len() as u64;
        let mut total = Total { missed: self.of_senders, unread, ..Total::default() };
        for Line { counts, .. } in &self.lines {
            total.received += counts.received;
            total.written += counts.written;
            total.missed = total.missed.saturating_add(counts.missed);
            total.untold += counts.untold;
            total.dropped += counts.dropped;
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(channel: &Name, missed: Missed, dropped: u64) -> Message<'_> {
        Message {
            data: b"",
            channel,
            published: None,
            arrived: 0,
            logged: None,
            sender: Some(1),
            sequence: None,
            missed,
            dropped,
        }
    }

    #[test]
    fn gaps_of_senders_count_for_no_channel_but_for_all() {
        let (mut account, names) = (Account::default(), ["A", "B"].map(|n| Name::new(n).unwrap()));
        assert_eq!(names.each_ref().map(|name| account.add(0, "udpm://", name.clone())), [0, 1]);
        let mut tell = |name: usize, lost| {
            let number = account.find(0, &names[name]).unwrap();
            account.received(number, &message(&names[name], Missed::OfSender(lost), 0));
            (account.lines()[name].counts.missed, account.total().missed)
        };
        assert_eq!((tell(0, 0), tell(1, 3), tell(0, 2), tell(1, 0)), ((0, 0), (0, 3), (0, 5), (0, 5)));
        assert_eq!(
            (tell(0, u64::MAX), tell(1, 1)),
            ((0, u64::MAX), (0, u64::MAX)),
            "any number that a network reports"
        );
    }

    #[test]
    fn exact_and_unknown_losses_are_distinguished() {
        let (mut account, name) = (Account::default(), Name::new("A").unwrap());
        let (number, other) =
            (account.add(0, "shm://", name.clone()), account.add(1, "tcpq://", name.clone()));
        assert_eq!((account.find(0, &name), account.find(1, &name)), (Some(number), Some(other)));
        account.received(number, &message(&name, Missed::Exact(4), 2));
        account.received(other, &message(&name, Missed::Unknown, 0));
        account.dropped(number);
        account.settle(&[0, 1], &[0, 1]);
        let total = account.total();
        assert_eq!(total, Total { received: 2, written: 1, missed: 4, untold: 1, dropped: 3, unread: 0 });
        assert!(total.has_losses());
    }
}
