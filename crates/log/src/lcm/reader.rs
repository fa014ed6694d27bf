//! Reads events from bytes.

use super::{CHANNEL, DATA, Event, HEAD, SYNC};
use std::ops::Range;

/// Reads events from bytes that arrive in pieces of any size.
///
/// Bytes that are not an event (garbage between events, a truncated event) are skipped up to the next event, and
/// counted. An event is also skipped if its length does not lead to a sync word while other events are within it:
/// the length is damaged, and they are not.
///
/// ```
/// # use saltus_log::lcm::{Reader, Writer};
/// # let mut bytes = Vec::new();
/// # Writer::new().event(&mut bytes, 1_000_000, b"POSE", b"...").unwrap();
/// let mut reader = Reader::new();
/// for piece in bytes.chunks(7) {
///     reader.feed(piece);
///     while let Some(event) = reader.event() {
///         assert_eq!((event.time, event.channel), (1_000_000, &b"POSE"[..]));
///     }
/// }
/// reader.end();
/// assert!(reader.event().is_none());
/// assert_eq!((reader.events(), reader.skipped()), (1, 0));
/// ```
#[derive(Clone, Debug)]
pub struct Reader {
    bytes: Vec<u8>,
    /// How many of them were read or skipped.
    at: usize,
    /// Offset of the first of them in the log.
    base: u64,
    /// Offset of the last event in the log.
    place: u64,
    longest: usize,
    ended: bool,
    events: u64,
    skipped: u64,
    /// Offset of an event that is certain, although an earlier one claims its bytes.
    inner: u64,
    /// No other event begins before this offset of the log.
    searched: u64,
    /// Searching again is useless before this much of the log is present.
    enough: u64,
}

/// The result of parsing at an offset.
enum Found {
    /// An event: its number, its time, and where channel and data are.
    Event(i64, i64, Range<usize>, Range<usize>),
    /// An event that may continue in later bytes.
    Part,
    /// Not an event.
    Nothing,
}

impl Default for Reader {
    fn default() -> Reader {
        Reader::new()
    }
}

impl Reader {
    /// A reader that accepts messages of up to [`DATA`] bytes.
    pub fn new() -> Reader {
        Reader::with_longest(DATA)
    }
    /// A reader that accepts messages of up to `longest` bytes. It keeps at most two of those, and the bytes fed at
    /// once.
    pub fn with_longest(longest: usize) -> Reader {
        Reader {
            bytes: Vec::new(),
            at: 0,
            base: 0,
            place: 0,
            longest,
            ended: false,
            events: 0,
            skipped: 0,
            inner: 0,
            searched: 0,
            enough: 0,
        }
    }
    /// Adds the next bytes of the log. Before feeding more, call [`event`](Reader::event) until it returns `None`.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.at);
        self.base += self.at as u64;
        self.at = 0;
        self.bytes.extend_from_slice(bytes);
    }
    /// Marks the end of the log: an incomplete event will not be completed.
    pub fn end(&mut self) {
        self.ended = true;
    }
    /// The number of events read.
    pub fn events(&self) -> u64 {
        self.events
    }
    /// The number of bytes skipped because they are not an event.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Offset of the last event in the log, in bytes.
    pub fn place(&self) -> u64 {
        self.place
    }
    /// The number of bytes not yet classified. At the end of a log they are the rest of an event whose writer was
    /// killed.
    pub fn pending(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next event; `None` until more is fed.
    pub fn event(&mut self) -> Option<Event<'_>> {
        loop {
            self.skip_to_sync();
            match self.scan() {
                Found::Event(number, time, channel, data) => {
                    self.place = self.base + self.at as u64;
                    self.at = data.end;
                    self.events += 1;
                    return Some(Event {
                        number,
                        time,
                        channel: &self.bytes[channel],
                        data: &self.bytes[data],
                    });
                }
                Found::Part if !self.ended => return None,
                Found::Part | Found::Nothing if self.at == self.bytes.len() => return None,
                Found::Part | Found::Nothing => {
                    self.at += 1;
                    self.skipped += 1;
                }
            }
        }
    }

    /// Skips bytes that cannot be the start of an event.
    fn skip_to_sync(&mut self) {
        let rest = &self.bytes[self.at..];
        let whole = rest.windows(SYNC.len()).position(|window| window == SYNC);
        // The last bytes may be the start of a sync word.
        let skip = whole.unwrap_or_else(|| {
            let most = rest.len().min(SYNC.len() - 1);
            let part = (1..=most).rev().find(|&n| !self.ended && rest[rest.len() - n..] == SYNC[..n]);
            rest.len() - part.unwrap_or(0)
        });
        self.at += skip;
        self.skipped += skip as u64;
    }

    fn scan(&mut self) -> Found {
        if !self.ended && self.base + (self.bytes.len() as u64) < self.enough {
            return Found::Part;
        }
        let Some(head) = self.head(self.at) else { return self.no_head() };
        let from = self.at + HEAD;
        let middle = from + head.channel;
        let to = middle + head.data;
        if self.bytes.len() < to {
            return Found::Part;
        }
        let event = Found::Event(head.number, head.time, from..middle, middle..to);
        let rest = &self.bytes[to..];
        // At the end of the log, fewer bytes than a sync word are no evidence of damage; before, more may follow.
        let is_part = rest.len() < SYNC.len() && SYNC.starts_with(rest);
        if rest.starts_with(&SYNC) || (self.ended && is_part) {
            return event;
        }
        match self.others_within(from..to) {
            None => event,
            Some(true) if !is_part => Found::Nothing,
            Some(_) => Found::Part,
        }
    }

    /// The header of an event at an offset, if there can be one.
    fn head(&self, at: usize) -> Option<Head> {
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        Head::of(bytes).filter(|head| head.data <= self.longest)
    }
    fn no_head(&self) -> Found {
        if self.bytes.len() - self.at < HEAD { Found::Part } else { Found::Nothing }
    }

    /// Whether another event begins within these bytes: one that leads to a sync word, or to the end. `None`: no.
    /// `Some(false)`: more bytes are needed to decide. Each byte is searched once, regardless of how many events claim it.
    fn others_within(&mut self, range: Range<usize>) -> Option<bool> {
        let place = |at: usize| self.base + at as u64;
        if (place(range.start)..place(range.end)).contains(&self.inner) {
            return Some(true);
        }
        let mut at = range.start.max(self.searched.saturating_sub(self.base) as usize).min(range.end);
        // A sync word may begin within them and end after them.
        let end = self.bytes.len().min(range.end + SYNC.len() - 1);
        while let Some(found) =
            (at..range.end).find(|&at| SYNC.starts_with(&self.bytes[at..end.min(at + SYNC.len())]))
        {
            at = found;
            self.searched = place(at);
            let head = self.head(at);
            let enough = head.map_or(at + HEAD, |head| at + HEAD + head.channel + head.data + SYNC.len());
            if self.bytes.len() < enough && !self.ended {
                self.enough = place(enough);
                return Some(false);
            }
            if head.is_some() && self.bytes.get(enough - SYNC.len()..enough) == Some(&SYNC[..]) {
                self.inner = place(at);
                return Some(true);
            }
            at += 1;
        }
        self.searched = self.searched.max(place(range.end));
        None
    }
}

/// The header of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    number: i64,
    pub time: i64,
    /// Bytes of the channel's name.
    pub channel: usize,
    /// Bytes of the message.
    pub data: usize,
}

impl Head {
    pub const SIZE: usize = HEAD;

    /// `None` if these bytes cannot be the header of an event.
    pub fn of(bytes: &[u8; HEAD]) -> Option<Head> {
        let word = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let long = |at: usize| (u64::from(word(at)) << 32 | u64::from(word(at + 4))) as i64;
        let (channel, data) = (word(20) as usize, word(24) as usize);
        let sound = bytes.starts_with(&SYNC) && (1..=CHANNEL).contains(&channel) && data <= i32::MAX as usize;
        sound.then_some(Head { number: long(4), time: long(12), channel, data })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Writer;
    use super::*;
    use proptest::prelude::*;

    type Owned = (i64, i64, Vec<u8>, Vec<u8>);

    fn read(pieces: &[&[u8]], longest: usize) -> (Vec<Owned>, u64) {
        let (mut reader, mut events) = (Reader::with_longest(longest), Vec::new());
        let mut drain = |reader: &mut Reader| {
            while let Some(e) = reader.event() {
                events.push((e.number, e.time, e.channel.to_vec(), e.data.to_vec()));
            }
        };
        for piece in pieces {
            reader.feed(piece);
            drain(&mut reader);
        }
        reader.end();
        drain(&mut reader);
        assert_eq!(reader.events(), events.len() as u64);
        (events, reader.skipped())
    }

    fn log(events: &[(i64, &[u8], &[u8])]) -> Vec<u8> {
        let (mut writer, mut out) = (Writer::new(), Vec::new());
        for (time, channel, data) in events {
            writer.event(&mut out, *time, channel, data).unwrap();
        }
        out
    }

    #[test]
    fn rubbish_is_passed_over_and_counted_and_costs_no_event() {
        let (one, two) = (log(&[(1, b"A", b"first")]), log(&[(2, b"B", b"second")]));
        let rubbish = b"rubbish\xED\xA1\xDA";
        let all = [&rubbish[..], &one, rubbish, &two, rubbish].concat();
        let (events, skipped) = read(&[&all], DATA);
        assert_eq!(events.iter().map(|e| &e.3[..]).collect::<Vec<_>>(), [&b"first"[..], b"second"]);
        assert_eq!(skipped, 3 * rubbish.len() as u64);
    }

    #[test]
    fn a_log_cut_anywhere_gives_its_whole_events() {
        let (first, both) = (log(&[(1, b"A", b"first")]), log(&[(1, b"A", b"first"), (2, b"B", b"second")]));
        for cut in 0..both.len() {
            let (events, skipped) = read(&[&both[..cut]], DATA);
            let mut reader = Reader::new();
            reader.feed(&both[..cut]);
            while reader.event().is_some() {}
            assert_eq!((reader.pending() as u64, reader.skipped()), (skipped, 0));
            assert_eq!(events.len(), usize::from(cut >= first.len()), "cut at {cut}");
            assert_eq!(skipped as usize, if cut < first.len() { cut } else { cut - first.len() });
        }
    }

    #[test]
    fn an_implausible_length_does_not_hide_later_events() {
        let mut liar = log(&[(1, b"A", b"x")]);
        liar[24..28].copy_from_slice(&[0x7F, 0xFF, 0xFF, 0xFF]);
        let all = [liar, log(&[(2, b"B", b"real")])].concat();
        assert_eq!(read(&[&all], DATA).0.len(), 1);
        // If it is accepted, it extends to the end of the log.
        assert_eq!(read(&[&all], usize::MAX).0[0].3, b"real");
        for channel in [0u32, 1000, u32::MAX] {
            let mut liar = log(&[(1, b"A", b"x")]);
            liar[20..24].copy_from_slice(&channel.to_be_bytes());
            assert_eq!(read(&[&liar], DATA), (vec![], liar.len() as u64));
        }
    }

    #[test]
    fn a_length_that_could_be_and_leads_nowhere_swallows_no_event() {
        let names: [&[u8]; 5] = [b"A", b"B", b"C", b"D", b"E"];
        let one = log(&[(1, b"A", b"first")]);
        let rest = log(&names[1..].iter().map(|name| (2, *name, &b"good"[..])).collect::<Vec<_>>());
        for damaged in [6u32, 9, 20, 50, 77, 100] {
            let mut liar = one.clone();
            liar[24..28].copy_from_slice(&damaged.to_be_bytes());
            let all = [liar, rest.clone()].concat();
            for size in [1, 3, 40, all.len()] {
                let (events, skipped) = read(&all.chunks(size).collect::<Vec<_>>(), DATA);
                let found: Vec<&[u8]> = events.iter().map(|e| &e.2[..]).collect();
                assert_eq!(found, names[1..], "{damaged} in pieces of {size}");
                assert_eq!(skipped as usize, one.len());
            }
        }
    }

    #[test]
    fn a_log_in_a_message_is_a_message() {
        let inner = log(&[(1, b"X", b"x"), (2, b"Y", b"y"), (3, b"Z", b"z")]);
        let all = log(&[(7, b"LOG", &inner), (8, b"LOG", &inner)]);
        for size in [1, 3, 40, all.len()] {
            let (events, skipped) = read(&all.chunks(size).collect::<Vec<_>>(), DATA);
            assert_eq!((events.len(), skipped), (2, 0), "in pieces of {size}");
            assert!(events.iter().all(|e| e.3 == inner));
        }
    }

    proptest! {
        #[test]
        fn a_written_log_is_readable_in_pieces_of_any_size(
            events in proptest::collection::vec(
                (any::<i64>(), proptest::collection::vec(any::<u8>(), 1..20), proptest::collection::vec(any::<u8>(), 0..50)),
                0..10,
            ),
            size in 1usize..40,
        ) {
            let all: Vec<(i64, &[u8], &[u8])> = events.iter().map(|(t, c, d)| (*t, &c[..], &d[..])).collect();
            let bytes = log(&all);
            let (read, skipped) = read(&bytes.chunks(size).collect::<Vec<_>>(), DATA);
            let expected: Vec<Owned> =
                events.into_iter().enumerate().map(|(n, (t, c, d))| (n as i64, t, c, d)).collect();
            prop_assert_eq!(read, expected);
            prop_assert_eq!(skipped, 0);
        }

        #[test]
        fn any_bytes_are_read_without_harm(
            mut bytes in proptest::collection::vec(any::<u8>(), 0..300),
            syncs in proptest::collection::vec(0usize..300, 0..6),
            size in 1usize..100,
        ) {
            for at in syncs {
                let at = at.min(bytes.len());
                bytes.splice(at..at, [&SYNC[..], &[0; 16], &[0, 0, 0, 1, 0, 0, 0, at as u8]].concat());
            }
            let (events, skipped) = read(&bytes.chunks(size).collect::<Vec<_>>(), DATA);
            let used: usize = events.iter().map(|e| HEAD + e.2.len() + e.3.len()).sum();
            prop_assert_eq!(used as u64 + skipped, bytes.len() as u64);
        }
    }
}
