//! A channel of a domain that is shown: its messages become those of the clients that want it.

use crate::hub::Hub;
use crate::protocol::{Level, Status};
use crate::way::Way;
use saltus_domain::{Message, Missed, Subscriber};
use saltus_log::Types;
use std::time::{Duration, Instant};

/// After so long without a message of its type a channel takes that of the messages that come.
const SETTLED: Duration = Duration::from_secs(2);

/// A channel that clients know of.
pub(crate) struct Shown {
    pub id: u32,
    pub topic: String,
    pub way: Way,
    pub wanted: bool,
    pub subscriber: Option<Subscriber>,
    /// When its publishers were asked for its type.
    pub asked: Option<Instant>,
    /// When a message of its type came.
    pub fitted: Option<Instant>,
    pub misfits: u64,
    /// Whether what is missed of a sender is of this channel.
    pub told_by_channel: bool,
    /// The newest message with its time, on a network: it is there for who subscribes later.
    pub newest: Option<(u64, Vec<u8>)>,
    /// Messages that somebody wanted and that did not come here, and how many of them were told of.
    pub lost: u64,
    pub told: u64,
}

impl Shown {
    /// One that nobody wants yet.
    pub fn new(id: u32, topic: String, way: Way) -> Shown {
        Shown {
            id,
            topic,
            way,
            wanted: false,
            subscriber: None,
            asked: None,
            fitted: None,
            misfits: 0,
            told_by_channel: false,
            newest: None,
            lost: 0,
            told: 0,
        }
    }

    /// Hands a message on, if somebody wants it. Whether the channel is to be told of anew, because its messages are of another
    /// type than was said.
    pub fn pass(&mut self, hub: &Hub, message: &Message<'_>, types: &Types, to_wall: i64) -> bool {
        if self.way.kind().is_none() && types.of(message.data).is_some() {
            return true;
        }
        if !self.way.fits(message.data) {
            if self.fitted.is_none_or(|at| at.elapsed() >= SETTLED) && types.of(message.data).is_some() {
                return true;
            }
            self.misfit(hub, "is of another type than the channel's others");
            return false;
        }
        self.fitted = Some(Instant::now());
        if !self.wanted {
            return false;
        }
        let missed = match message.missed {
            Missed::Exact(missed) => missed,
            Missed::OfSender(missed) if self.told_by_channel => missed,
            // Those of a sender may be of any of its channels: [`Live`](crate::live::Live) counts them.
            Missed::OfSender(_) | Missed::Unknown => 0,
        };
        self.lost = self.lost.saturating_add(missed).saturating_add(message.dropped);
        self.hand_on(hub, time(message, to_wall), message.data);
        false
    }

    /// Hands the newest message on to clients, of which none has got any yet.
    pub fn pass_newest(&mut self, hub: &Hub) {
        if let Some((time, data)) = self.newest.take() {
            if self.way.fits(&data) {
                self.hand_on(hub, time, &data);
            }
            self.newest = Some((time, data));
        }
    }

    fn hand_on(&mut self, hub: &Hub, time: u64, data: &[u8]) {
        match self.way.message(data) {
            Ok(data) => hub.message(self.id, time, data.into_owned()),
            Err(why) => self.misfit(hub, &why),
        }
    }

    /// A message cannot be shown. It is told of the first of the channel.
    fn misfit(&mut self, hub: &Hub, why: &str) {
        self.misfits += 1;
        if self.misfits == 1 {
            let message = format!(
                "a message of `{}` is not shown: it {why}; later ones are passed over silently",
                self.topic
            );
            hub.status(&Status { level: Level::Warning, message, id: Some(format!("misfit-{}", self.id)) });
        }
    }
}

/// When a message was published, in ns since 1970.
pub(crate) fn time(message: &Message<'_>, to_wall: i64) -> u64 {
    let boot = message.published.unwrap_or(message.arrived);
    let wall = (boot as i64).saturating_add(to_wall);
    message.logged.map_or(wall, |us| us.saturating_mul(1000)).max(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_domain::Name;
    use saltus_types::cdr::Dialect;

    #[test]
    fn what_senders_lost_is_the_channels_where_the_domain_says_so() {
        let (hub, types, name) = (Hub::new(1 << 10, None, Vec::new()), Types::new(), Name::new("A").unwrap());
        for (told_by_channel, lost) in [(true, 3 + 4 + 5), (false, 4 + 5)] {
            let way = Way::of(None, Dialect::Ros2Msg);
            let mut shown = Shown { wanted: true, told_by_channel, ..Shown::new(1, "A".into(), way) };
            let mut pass = |missed, dropped| {
                let message = Message {
                    data: b"x",
                    channel: &name,
                    published: None,
                    arrived: 1,
                    logged: None,
                    sender: Some(1),
                    sequence: None,
                    missed,
                    dropped,
                };
                assert!(!shown.pass(&hub, &message, &types, 0));
            };
            pass(Missed::Unknown, 0);
            pass(Missed::OfSender(3), 0);
            pass(Missed::Exact(4), 5);
            assert_eq!(shown.lost, lost);
        }
    }
}
