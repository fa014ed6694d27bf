//! A reader of the chaos campaign: receives in one of many ways, and checks everything that it can.

use super::board::Board;
use super::writer::key;
use crate::message;
use crate::report::Failure;
use saltus_channel::{
    Channel, Error, MessageInfo, Start, Subscriber, SubscriberOptions, Until, Which, wait_any,
};
use std::collections::HashMap;
use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering::Relaxed; // signals the end, which the readers poll
use std::time::Duration;

/// How it receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    NextWaiting,
    NewestWaiting,
    NextPolling,
    NewestPolling,
    Vec,
    View,
    Again,
    Any,
    Event,
    Quiet,
}

impl Way {
    /// Ways that the readers of the chaos receive in.
    pub const ALL: [Way; 10] = [
        Way::NextWaiting,
        Way::NewestWaiting,
        Way::NextPolling,
        Way::NewestPolling,
        Way::Vec,
        Way::View,
        Way::Again,
        Way::Any,
        Way::Event,
        Way::Quiet,
    ];

    fn which(self) -> Which {
        match self {
            Way::NewestWaiting | Way::NewestPolling | Way::View => Which::Newest,
            Way::Again => Which::Current,
            _ => Which::Next,
        }
    }
}

/// How often a wait checks for the end.
const MOMENT: Duration = Duration::from_millis(50);

/// State of a reader.
struct Seen {
    /// The last number, by lane.
    last: HashMap<u32, u64>,
    /// The timestamp of the newest message.
    timestamp: u64,
    received: u64,
    missed: u64,
}

/// Receives until the end is signaled and nothing is left. `from_start`: it joins before anything is published, so
/// its sums must be exact.
pub fn run(i: usize, board: &Board, channel: &Channel, way: Way, from_start: bool) -> Result<(), Failure> {
    let mut options = SubscriberOptions::new().start(Start::Oldest);
    if way == Way::Quiet {
        options = options.poll_every(Duration::from_millis(2));
    }
    let before = published(channel)?;
    let mut subscriber = channel.subscriber_with(options)?;
    let after = published(channel)?;
    let mut seen = Seen { last: HashMap::new(), timestamp: 0, received: 0, missed: 0 };
    let mut bytes = vec![0; channel.attributes().get_max_message_size() as usize];
    board.set_ready(i, true);
    loop {
        let ending = board.ending().load(Relaxed) == 1;
        match receive(&mut subscriber, way, &mut bytes) {
            Ok(Some(info)) => {
                seen.check(way, &info, &bytes[..info.len])?;
                board.count(i);
                board.count_missed(i, info.missed);
            }
            Ok(None) if ending => break,
            Ok(None) => {}
            Err(Error::Overrun { .. }) => board.count_overrun(i),
            Err(e) => return Err(e.into()),
        }
        if ending && way == Way::Again && !subscriber.has_unseen() {
            break; // current always returns a message
        }
    }
    seen.settle(&subscriber, [before, after], published(channel)?, channel, from_start)
        .map_err(|e| format!("reader {way:?}: {e}").into())
}

/// Messages published in all lanes.
fn published(channel: &Channel) -> Result<u64, Failure> {
    Ok(channel.info()?.lanes.iter().map(|lane| lane.published).sum())
}

fn receive(subscriber: &mut Subscriber, way: Way, bytes: &mut [u8]) -> Result<Option<MessageInfo>, Error> {
    match way {
        Way::NextWaiting | Way::NewestWaiting | Way::Quiet => {
            subscriber.receive(way.which(), Until::For(MOMENT), bytes)
        }
        Way::NextPolling | Way::NewestPolling | Way::Again => {
            let got = subscriber.receive(way.which(), Until::Poll, bytes)?;
            if got.is_none() {
                std::thread::yield_now();
            }
            Ok(got)
        }
        Way::Vec => {
            let mut grown = Vec::new();
            let got = subscriber.receive_vec(way.which(), MOMENT, &mut grown)?;
            bytes[..grown.len()].copy_from_slice(&grown);
            Ok(got)
        }
        Way::View => {
            let looked = subscriber
                .with_view(way.which(), MOMENT, |view| view.copy_to(0, &mut bytes[..view.len()]))?;
            Ok(looked.map(|(_, info)| info))
        }
        Way::Any => match wait_any(&mut [&mut *subscriber], MOMENT)? {
            Some(_) => subscriber.receive(way.which(), Until::Poll, bytes),
            None => Ok(None),
        },
        Way::Event => {
            if let Some(info) = subscriber.receive(way.which(), Until::Poll, bytes)? {
                return Ok(Some(info));
            }
            let fd = subscriber.event_fd()?.as_raw_fd();
            let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
            // SAFETY: one valid record, as given.
            unsafe { libc::poll(&mut poll, 1, MOMENT.as_millis() as i32) };
            subscriber.receive(way.which(), Until::Poll, bytes)
        }
    }
}

impl Seen {
    /// Whether `info` is consistent with all earlier messages.
    fn check(&mut self, way: Way, info: &MessageInfo, bytes: &[u8]) -> Result<(), Failure> {
        let wrong =
            |what: &str| format!("reader {way:?}: {what}: {info:?}, before: timestamp {}", self.timestamp);
        let key = key(info.publisher);
        if info.len != message::len_of(key, info.seq, MOST) {
            return Err(wrong("wrong length").into());
        }
        message::check(key, info.seq, bytes).map_err(|e| wrong(&e))?;
        let last = self.last.entry(info.publisher.lane).or_insert(0);
        let again = way == Way::Again && info.seq == *last;
        if info.seq <= *last && !again {
            return Err(wrong(&format!("message {} of that lane arrived before", *last)).into());
        }
        *last = info.seq;
        if way.which() != Which::Next {
            if info.timestamp < self.timestamp {
                return Err(wrong("newest went back").into());
            }
            self.timestamp = info.timestamp;
        }
        self.received += u64::from(!again);
        self.missed += info.missed;
        Ok(())
    }

    /// At the end, received and missed must sum to the messages published since it joined.
    fn settle(
        &self,
        subscriber: &Subscriber,
        [before, after]: [u64; 2],
        end: u64,
        channel: &Channel,
        from_start: bool,
    ) -> Result<(), String> {
        let sum = subscriber.received() + subscriber.missed();
        if self.received != subscriber.received() || self.missed > subscriber.missed() {
            return Err(format!("reported {} and {}, counted {sum}", self.received, self.missed));
        }
        if from_start && sum != end {
            let (received, missed) = (subscriber.received(), subscriber.missed());
            return Err(format!("received {received} + missed {missed}, but {end} were published"));
        }
        // A later reader begins with the messages kept in each lane.
        let lanes = channel.info().map_err(|e| e.to_string())?.lanes.len() as u64;
        let kept = lanes * channel.attributes().get_depth();
        if sum + after < end || sum + before > end + kept {
            return Err(format!(
                "received + missed {sum}, joined between {before} and {after}, {end} at the end"
            ));
        }
        Ok(())
    }
}

/// The longest message of the campaign.
pub const MOST: usize = 2000;
