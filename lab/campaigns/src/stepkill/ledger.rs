//! The published messages, and whether a reader finds exactly these.

use crate::message;
use crate::report::Failure;
use saltus_channel::{Channel, Error, Publisher, Start, Subscriber, SubscriberOptions, Until, Which};

/// The key of all contents here: message `seq` of `len` bytes is the same for every publisher.
const KEY: u64 = 7;

/// The lengths of all messages published, by lane.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    pub lanes: Vec<Vec<usize>>,
    pub frames: usize,
}

/// The contents of message `seq` of `len` bytes.
pub fn contents(seq: u64, len: usize) -> Vec<u8> {
    message::make(KEY, seq, len)
}

/// Whether `bytes` are the contents of message `seq`.
pub fn is_whole(seq: u64, bytes: &[u8]) -> Result<(), String> {
    message::check(KEY, seq, bytes)
}

/// Publishes messages of `lens` bytes, after the first `done`.
pub fn publish_all(publisher: &mut Publisher, done: usize, lens: &[usize]) -> Result<(), Failure> {
    for (i, &len) in lens.iter().enumerate() {
        let seq = (done + i + 1) as u64;
        let published = publisher.publish(&contents(seq, len))?;
        if published.seq != seq {
            return Err(format!("message {seq} was published as {}", published.seq).into());
        }
    }
    Ok(())
}

impl Ledger {
    pub fn new(frames: u64, lanes: usize) -> Ledger {
        Ledger { lanes: vec![Vec::new(); lanes], frames: frames as usize }
    }

    /// Messages published in `lane`.
    pub fn head(&self, lane: usize) -> usize {
        self.lanes.get(lane).map_or(0, Vec::len)
    }

    /// The messages of `lane` that must still be kept, as (number, length).
    fn kept(&self, lane: usize) -> Vec<(u64, usize)> {
        let lens = &self.lanes[lane];
        let from = lens.len().saturating_sub(self.frames);
        lens.iter().enumerate().skip(from).map(|(i, len)| (i as u64 + 1, *len)).collect()
    }

    /// The killed process may have published its messages, `lens[0]` and so on, or not. Decides by the newest
    /// message of `lane`.
    pub fn settle(&mut self, channel: &Channel, lane: usize, lens: &[usize]) -> Result<usize, Failure> {
        let head = channel.info()?.lanes.get(lane).map_or(0, |l| l.published) as usize;
        let before = self.head(lane);
        if head < before || head > before + lens.len() {
            return Err(
                format!("{before} messages were published in lane {lane}, now its head is {head}").into()
            );
        }
        if self.lanes.len() <= lane {
            self.lanes.resize(lane + 1, Vec::new());
        }
        self.lanes[lane].extend(&lens[..head - before]);
        Ok(head - before)
    }

    /// A new reader finds every message that must be kept, in order and whole, and no other.
    pub fn verify(&self, channel: &Channel) -> Result<(), Failure> {
        let mut reader = quiet(channel, Start::Oldest)?;
        let mut found = vec![Vec::new(); self.lanes.len()];
        let mut bytes = Vec::new();
        while let Some(info) = reader.receive_vec(Which::Next, Until::Poll, &mut bytes)? {
            is_whole(info.seq, &bytes)?;
            match found.get_mut(info.publisher.lane as usize) {
                Some(lane) => lane.push((info.seq, info.len)),
                None => return Err(format!("a message arrived from lane {}", info.publisher.lane).into()),
            }
        }
        for (lane, found) in found.iter().enumerate() {
            let kept = self.kept(lane);
            if *found != kept {
                return Err(format!("lane {lane} must hold {kept:?}, a reader found {found:?}").into());
            }
        }
        if reader.missed() != 0 {
            return Err(format!("a reader from the oldest missed {}", reader.missed()).into());
        }
        Ok(())
    }

    /// Newest, current and a view in place all return the newest message of `lane`.
    pub fn verify_newest(&self, channel: &Channel, lane: usize) -> Result<(), Failure> {
        let mut reader = quiet(channel, Start::Newest)?;
        let Some((seq, len)) = self.kept(lane).pop() else { return Ok(()) };
        let mut bytes = vec![0; len];
        for which in [Which::Newest, Which::Current] {
            let info = reader.receive(which, Until::Poll, &mut bytes)?.ok_or("no newest message")?;
            if (info.seq, info.len) != (seq, len) {
                return Err(format!("the newest is {seq} of {len} B, {which:?} gave {info:?}").into());
            }
            is_whole(seq, &bytes)?;
        }
        let view = reader.view(Which::Current, Until::Poll)?.ok_or("no message to view")?;
        view.copy_to(0, &mut bytes[..view.len()]);
        let info = view.validate()?;
        is_whole(info.seq, &bytes[..info.len])?;
        Ok(())
    }

    /// A new publisher gets `lane` and publishes messages of `lens` bytes. Each is received, and none that must be
    /// kept is lost.
    pub fn resume(&mut self, channel: &Channel, lane: usize, lens: &[usize]) -> Result<(), Failure> {
        let mut reader = quiet(channel, Start::Now)?;
        let mut publisher = channel.publisher()?;
        if publisher.id().lane as usize != lane {
            return Err(format!("lane {lane} is lost: the next publisher got {:?}", publisher.id()).into());
        }
        if self.lanes.len() <= lane {
            self.lanes.resize(lane + 1, Vec::new());
        }
        for &len in lens {
            let done = self.head(lane);
            publish_all(&mut publisher, done, &[len])?;
            self.lanes[lane].push(len);
            let mut bytes = vec![0; len];
            match reader.next(&mut bytes)? {
                Some(s) if s.seq == done as u64 + 1 && s.len == len && s.missed == 0 => {
                    is_whole(s.seq, &bytes)?
                }
                other => {
                    return Err(format!("{} of {len} B was published, received: {other:?}", done + 1).into());
                }
            }
            self.verify(channel)?;
        }
        Ok(())
    }
}

/// A subscriber without a file of counters.
pub fn quiet(channel: &Channel, start: Start) -> Result<Subscriber, Error> {
    channel.subscriber_with(SubscriberOptions::new().start(start).counters(false))
}
