//! A shown channel: converts its messages, and sends them to subscribed clients.

use crate::hub::Hub;
use crate::protocol::{Level, Status};
use crate::way::Way;
use saltus_domain::{Message, Missed, Subscriber};
use saltus_log::Types;
use std::time::{Duration, Instant};

/// Time without a message of its type after which a channel adopts the type of its current messages.
const SETTLED: Duration = Duration::from_secs(2);

/// A channel announced to clients.
pub(crate) struct Shown {
    pub id: u32,
    pub topic: String,
    pub way: Way,
    pub wanted: bool,
    pub subscriber: Option<Subscriber>,
    /// The time of the last query for its type.
    pub asked: Option<Instant>,
    /// The time of the last message of its type.
    pub fitted: Option<Instant>,
    pub misfits: u64,
    /// Whether missed messages of a sender belong to this channel.
    pub told_by_channel: bool,
    /// On a network: the newest message with its time, for later subscriptions.
    pub newest: Option<(u64, Vec<u8>)>,
    /// Messages lost while clients subscribed, and how many of them were reported.
    pub lost: u64,
    pub reported: u64,
}

impl Shown {
    /// A channel without subscriptions.
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
            reported: 0,
        }
    }

    /// Sends a message to subscribed clients. Returns whether the channel must be announced again, because the type of its messages
    /// changed.
    pub fn pass(&mut self, hub: &Hub, message: &Message<'_>, types: &Types, to_wall: i64) -> bool {
        if self.way.kind().is_none() && types.of(message.data).is_some() {
            return true;
        }
        if !self.way.fits(message.data) {
            if self.fitted.is_none_or(|at| at.elapsed() >= SETTLED) && types.of(message.data).is_some() {
                return true;
            }
            self.misfit(hub, "its type differs from the channel's type");
            return false;
        }
        self.fitted = Some(Instant::now());
        if !self.wanted {
            return false;
        }
        let missed = match message.missed {
            Missed::Exact(missed) => missed,
            Missed::OfSender(missed) if self.told_by_channel => missed,
            // Messages missed of a sender may be of any of its channels: [`Live`](crate::live::Live) counts them.
            Missed::OfSender(_) | Missed::Unknown => 0,
        };
        self.lost = self.lost.saturating_add(missed).saturating_add(message.dropped);
        self.forward(hub, time(message, to_wall), message.data);
        false
    }

    /// Sends the newest message to the first subscribed clients.
    pub fn pass_newest(&mut self, hub: &Hub) {
        if let Some((time, data)) = self.newest.take() {
            if self.way.fits(&data) {
                self.forward(hub, time, &data);
            }
            self.newest = Some((time, data));
        }
    }

    fn forward(&mut self, hub: &Hub, time: u64, data: &[u8]) {
        match self.way.message(data) {
            Ok(data) => hub.message(self.id, time, data.into_owned()),
            Err(why) => self.misfit(hub, &why),
        }
    }

    /// Reports a message that cannot be shown; only the first of the channel.
    fn misfit(&mut self, hub: &Hub, why: &str) {
        self.misfits += 1;
        if self.misfits == 1 {
            let message = format!(
                "a message of `{}` is not shown: {why}; later ones are skipped without notice",
                self.topic
            );
            hub.status(&Status { level: Level::Warning, message, id: Some(format!("misfit-{}", self.id)) });
        }
    }
}

/// The time of publication of a message, in ns since 1970.
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
    fn losses_are_counted_per_channel_where_the_domain_supports_it() {
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
