//! The protocol as a state machine: the subscriptions and channels of one client.

use crate::protocol::{Asked, ClientAdvert, ClientMessage, Level, Playback, Status, Wrong};
use std::collections::{BTreeMap, BTreeSet};

/// Most channels that one client publishes.
const PUBLISHED: usize = 256;
/// Most remembered subscription numbers whose channels are gone.
const ENDED: usize = 1024;
/// Most errors in one message that are described.
const MAX_REPORTED: usize = 3;

/// The optional capabilities of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Powers {
    /// Clients may publish.
    pub publish: bool,
    /// Clients may control the player.
    pub playback: bool,
}

/// A channel that a client publishes.
pub type ClientChannel = ClientAdvert;

/// An action in response to a client's message.
#[derive(Clone, Debug, PartialEq)]
pub enum Act<'a> {
    /// Start to send messages of a channel for this subscription.
    Subscribe {
        /// The client's number.
        subscription: u32,
        /// The server's number of the channel.
        channel: u32,
    },
    /// Stop sending messages for this subscription.
    Unsubscribe {
        /// The client's number.
        subscription: u32,
        /// The server's number of the channel.
        channel: u32,
    },
    /// Start or stop sending the connection graph.
    Graph(bool),
    /// The client will publish this channel.
    Advertise(ClientChannel),
    /// The client stops publishing the channel with the client's number.
    Unadvertise(u32),
    /// The client publishes a message.
    Publish {
        /// The client's number of the channel.
        channel: u32,
        /// The message.
        data: &'a [u8],
    },
    /// A command to the player.
    Playback(Playback),
    /// Send this status to the client.
    Tell(Status),
}

/// The state of one client. Its memory is bounded by the number of channels.
#[derive(Debug, Default)]
pub struct Session {
    powers: Powers,
    /// Channels by subscription.
    subscriptions: BTreeMap<u32, u32>,
    /// Channels that it is subscribed to.
    channels: BTreeSet<u32>,
    /// Subscriptions whose channels are gone. A later unsubscribe is not an error.
    ended: BTreeSet<u32>,
    published: BTreeSet<u32>,
    /// Whether an unsupported `op` was reported.
    told_unknown: bool,
}

/// The errors in one message of a client: the first are described, the others counted.
#[derive(Default)]
struct Mistakes {
    words: Vec<String>,
    more: usize,
}

impl Mistakes {
    fn add(&mut self, words: impl FnOnce() -> String) {
        if self.words.len() < MAX_REPORTED { self.words.push(words()) } else { self.more += 1 }
    }
    fn tell(self) -> Option<Act<'static>> {
        let more = if self.more == 0 { String::new() } else { format!("; and {} more", self.more) };
        let status = || Status::new(Level::Error, self.words.join("; ") + &more);
        (!self.words.is_empty()).then(|| Act::Tell(status()))
    }
}

impl Session {
    /// A new client.
    pub fn new(powers: Powers) -> Session {
        Session { powers, ..Session::default() }
    }
    /// Its subscriptions, with their channels.
    pub fn subscriptions(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.subscriptions.iter().map(|(subscription, channel)| (*subscription, *channel))
    }

    /// Handles a text message. `exists` returns whether a channel number exists.
    pub fn text(&mut self, text: &str, exists: impl Fn(u32) -> bool) -> Vec<Act<'static>> {
        match ClientMessage::text(text) {
            Ok(ClientMessage::Asked(asked)) => self.asked(asked, exists),
            Ok(_) => Vec::new(),
            Err(wrong) => vec![tell(&wrong)],
        }
    }

    /// Handles a binary message.
    pub fn binary<'a>(&mut self, bytes: &'a [u8]) -> Vec<Act<'a>> {
        let refused = |words: &str| vec![Act::Tell(Status::new(Level::Error, words))];
        match ClientMessage::binary(bytes) {
            Ok(ClientMessage::Playback(playback)) if self.powers.playback => vec![Act::Playback(playback)],
            Ok(ClientMessage::Playback(_)) => refused("no player: the server shows live channels"),
            Ok(ClientMessage::Message { channel, data }) if self.published.contains(&channel) => {
                vec![Act::Publish { channel, data }]
            }
            Ok(ClientMessage::Message { channel, .. }) => {
                refused(&format!("channel {channel} was not advertised by this client"))
            }
            Ok(ClientMessage::Asked(_)) => Vec::new(),
            Err(wrong) => vec![tell(&wrong)],
        }
    }

    /// Ends the subscriptions of removed channels.
    pub fn gone(&mut self, channels: &[u32]) {
        self.subscriptions.retain(|subscription, channel| {
            let stays = !channels.contains(channel);
            if !stays {
                self.channels.remove(channel);
                self.ended.insert(*subscription);
            }
            stays
        });
        while self.ended.len() > ENDED {
            self.ended.pop_first();
        }
    }

    fn asked(&mut self, asked: Asked, exists: impl Fn(u32) -> bool) -> Vec<Act<'static>> {
        let (mut acts, mut wrong) = (Vec::new(), Mistakes::default());
        match asked {
            Asked::Subscribe { subscriptions } => {
                for wanted in subscriptions {
                    let (subscription, channel) = (wanted.id, wanted.channel_id);
                    if self.subscriptions.contains_key(&subscription) {
                        wrong.add(|| format!("subscription {subscription} is in use: unsubscribe it first"));
                    } else if self.channels.contains(&channel) {
                        wrong.add(|| format!("channel {channel} is subscribed already"));
                    } else if !exists(channel) {
                        wrong.add(|| format!("no channel {channel}"));
                    } else {
                        self.subscriptions.insert(subscription, channel);
                        self.channels.insert(channel);
                        self.ended.remove(&subscription);
                        acts.push(Act::Subscribe { subscription, channel });
                    }
                }
            }
            Asked::Unsubscribe { subscription_ids } => {
                for subscription in subscription_ids {
                    match self.subscriptions.remove(&subscription) {
                        Some(channel) => {
                            self.channels.remove(&channel);
                            acts.push(Act::Unsubscribe { subscription, channel });
                        }
                        None if self.ended.remove(&subscription) => {}
                        None => wrong.add(|| format!("no subscription {subscription}")),
                    }
                }
            }
            Asked::SubscribeConnectionGraph => acts.push(Act::Graph(true)),
            Asked::UnsubscribeConnectionGraph => acts.push(Act::Graph(false)),
            Asked::Advertise { .. } if !self.powers.publish => {
                wrong.add(|| "clients may not publish here".into());
            }
            Asked::Advertise { channels } => {
                for channel in channels {
                    if self.published.contains(&channel.id) {
                        wrong.add(|| format!("channel {} is advertised already", channel.id));
                    } else if self.published.len() >= PUBLISHED {
                        wrong.add(|| format!("a client may publish at most {PUBLISHED} channels"));
                    } else {
                        self.published.insert(channel.id);
                        acts.push(Act::Advertise(channel));
                    }
                }
            }
            Asked::Unadvertise { channel_ids } => {
                for id in channel_ids {
                    if self.published.remove(&id) {
                        acts.push(Act::Unadvertise(id));
                    } else {
                        wrong.add(|| format!("channel {id} was not advertised by this client"));
                    }
                }
            }
            Asked::GetParameters
            | Asked::SetParameters
            | Asked::SubscribeParameterUpdates
            | Asked::UnsubscribeParameterUpdates => wrong.add(|| "this server has no parameters".into()),
            Asked::FetchAsset => wrong.add(|| "this server has no assets".into()),
            Asked::ClientInfo => {}
            Asked::Unknown if !std::mem::replace(&mut self.told_unknown, true) => {
                let words = "the server ignored an unsupported `op`, and will ignore further ones";
                acts.push(Act::Tell(Status::new(Level::Info, words)));
            }
            Asked::Unknown => {}
        }
        acts.extend(wrong.tell());
        acts
    }
}

fn tell(wrong: &Wrong) -> Act<'static> {
    Act::Tell(Status::new(Level::Error, wrong.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(powers: Powers) -> Session {
        Session::new(powers)
    }
    const EVERYTHING: Powers = Powers { publish: true, playback: true };

    fn words(acts: &[Act<'_>]) -> String {
        match acts {
            [.., Act::Tell(status)] => status.message.clone(),
            other => panic!("no status: {other:?}"),
        }
    }

    #[test]
    fn a_channel_is_subscribed_once_and_a_number_used_once() {
        let mut session = session(Powers::default());
        let exists = |channel| channel < 10;
        let ask = r#"{"op":"subscribe","subscriptions":[{"id":1,"channelId":2},{"id":1,"channelId":3},
            {"id":2,"channelId":2},{"id":3,"channelId":99},{"id":4,"channelId":98},{"id":5,"channelId":5}]}"#;
        let acts = session.text(ask, exists);
        let subscribe = |subscription, channel| Act::Subscribe { subscription, channel };
        assert_eq!(acts[..2], [subscribe(1, 2), subscribe(5, 5)]);
        assert_eq!(
            words(&acts),
            "subscription 1 is in use: unsubscribe it first; channel 2 is subscribed already; no channel 99; and 1 more"
        );
        let acts = session.text(r#"{"op":"unsubscribe","subscriptionIds":[1,7]}"#, exists);
        assert_eq!(acts[0], Act::Unsubscribe { subscription: 1, channel: 2 });
        assert_eq!(words(&acts), "no subscription 7");
        assert_eq!(
            session.text(r#"{"op":"subscribe","subscriptions":[{"id":1,"channelId":2}]}"#, exists),
            [subscribe(1, 2)]
        );
        assert_eq!(session.subscriptions().collect::<Vec<_>>(), [(1, 2), (5, 5)]);
    }

    #[test]
    fn a_subscription_of_a_vanished_channel_may_still_be_unsubscribed() {
        let mut session = session(Powers::default());
        session.text(r#"{"op":"subscribe","subscriptions":[{"id":1,"channelId":2}]}"#, |_| true);
        session.gone(&[2, 3]);
        assert_eq!(session.subscriptions().count(), 0);
        assert_eq!(session.text(r#"{"op":"unsubscribe","subscriptionIds":[1]}"#, |_| true), []);
        assert!(!session.text(r#"{"op":"unsubscribe","subscriptionIds":[1]}"#, |_| true).is_empty());
        assert_eq!(
            session.text(r#"{"op":"subscribe","subscriptions":[{"id":1,"channelId":2}]}"#, |_| true).len(),
            1
        );
    }

    #[test]
    fn unknown_channels_are_refused() {
        let mut session = session(Powers::default());
        let advertise = r#"{"op":"advertise","channels":[{"id":1,"topic":"A","encoding":"json"}]}"#;
        assert!(words(&session.text(advertise, |_| true)).contains("may not publish"));
        assert!(words(&session.binary(b"\x01\x01\0\0\0x")).contains("not advertised by this client"));
        let play = b"\x03\0\0\0\x80\x3f\0\0\0\0\0\0\0\0\0\0\0\0\0";
        assert!(words(&session.binary(play)).contains("live"));
        assert!(words(&session.text(r#"{"op":"getParameters"}"#, |_| true)).contains("no parameters"));
        assert!(words(&session.text(r#"{"op":"x"}"#, |_| true)).contains("ignored an unsupported"));
        assert_eq!(session.text(r#"{"op":"y"}"#, |_| true), []);
        let mut session = Session::new(EVERYTHING);
        assert!(matches!(session.binary(play)[..], [Act::Playback(_)]));
        assert!(matches!(session.text(advertise, |_| true)[..], [Act::Advertise(_)]));
        assert_eq!(session.binary(b"\x01\x01\0\0\0x"), [Act::Publish { channel: 1, data: b"x" }]);
        assert_eq!(session.text(r#"{"op":"unadvertise","channelIds":[1]}"#, |_| true), [Act::Unadvertise(1)]);
        assert!(words(&session.binary(b"\x01\x01\0\0\0x")).contains("not advertised by this client"));
    }

    #[test]
    fn a_flood_takes_little_memory_and_one_answer() {
        let mut session = session(EVERYTHING);
        let many: Vec<String> =
            (0..50_000).map(|id| format!(r#"{{"id":{id},"channelId":{}}}"#, id + 10)).collect();
        let flood = format!(r#"{{"op":"subscribe","subscriptions":[{}]}}"#, many.join(","));
        let acts = session.text(&flood, |channel| channel < 10);
        assert!(acts.len() == 1 && words(&acts).ends_with("and 49997 more"), "{acts:?}");
        assert_eq!(session.subscriptions().count(), 0);
        let many: Vec<String> =
            (0..5000).map(|id| format!(r#"{{"id":{id},"topic":"A","encoding":"json"}}"#)).collect();
        let flood = format!(r#"{{"op":"advertise","channels":[{}]}}"#, many.join(","));
        assert_eq!(session.text(&flood, |_| true).len(), PUBLISHED + 1);
    }
}
