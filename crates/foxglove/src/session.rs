//! The protocol as a state machine: what one client has asked for.

use crate::protocol::{Asked, ClientAdvert, ClientMessage, Level, Playback, Status, Wrong};
use std::collections::{BTreeMap, BTreeSet};

/// Channels that one client may publish.
const PUBLISHED: usize = 256;
/// Numbers of subscriptions whose channel has gone that are remembered.
const ENDED: usize = 1024;
/// Mistakes in one message that are told of in words.
const TOLD: usize = 3;

/// What the server offers beyond its channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Powers {
    /// Clients may publish.
    pub publish: bool,
    /// Clients may steer the player.
    pub playback: bool,
}

/// A channel that a client publishes.
pub type ClientChannel = ClientAdvert;

/// What is to be done because of what a client said.
#[derive(Clone, Debug, PartialEq)]
pub enum Act<'a> {
    /// Messages of a channel go to it as this subscription.
    Subscribe {
        /// The client's number.
        subscription: u32,
        /// The server's number of the channel.
        channel: u32,
    },
    /// No longer.
    Unsubscribe {
        /// The client's number.
        subscription: u32,
        /// The server's number of the channel.
        channel: u32,
    },
    /// It wants to know who talks to whom, or no longer.
    Graph(bool),
    /// It will publish this channel.
    Advertise(ClientChannel),
    /// No longer; the client's number.
    Unadvertise(u32),
    /// It publishes.
    Publish {
        /// The client's number of the channel.
        channel: u32,
        /// The message.
        data: &'a [u8],
    },
    /// The player is to do this.
    Playback(Playback),
    /// The client is to be told of this.
    Tell(Status),
}

/// What one client has asked for. What it takes in memory is bounded by the channels that there are.
#[derive(Debug, Default)]
pub struct Session {
    powers: Powers,
    /// Channels by subscription.
    subscriptions: BTreeMap<u32, u32>,
    /// Channels that it is subscribed to.
    channels: BTreeSet<u32>,
    /// Subscriptions whose channel has gone. That a client unsubscribes them later is no mistake.
    ended: BTreeSet<u32>,
    published: BTreeSet<u32>,
    /// Whether it was told that something is unknown here.
    told_unknown: bool,
}

/// What is wrong with one message of a client: the first mistakes in words, the others counted.
#[derive(Default)]
struct Mistakes {
    words: Vec<String>,
    more: usize,
}

impl Mistakes {
    fn add(&mut self, words: impl FnOnce() -> String) {
        if self.words.len() < TOLD { self.words.push(words()) } else { self.more += 1 }
    }
    fn tell(self) -> Option<Act<'static>> {
        let more = if self.more == 0 { String::new() } else { format!("; and {} more", self.more) };
        let status = || Status::new(Level::Error, self.words.join("; ") + &more);
        (!self.words.is_empty()).then(|| Act::Tell(status()))
    }
}

impl Session {
    /// A client that has just come.
    pub fn new(powers: Powers) -> Session {
        Session { powers, ..Session::default() }
    }
    /// Its subscriptions, with their channels.
    pub fn subscriptions(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.subscriptions.iter().map(|(subscription, channel)| (*subscription, *channel))
    }

    /// It sent a text. `exists` says whether there is a channel of a number.
    pub fn text(&mut self, text: &str, exists: impl Fn(u32) -> bool) -> Vec<Act<'static>> {
        match ClientMessage::text(text) {
            Ok(ClientMessage::Asked(asked)) => self.asked(asked, exists),
            Ok(_) => Vec::new(),
            Err(wrong) => vec![tell(&wrong)],
        }
    }

    /// It sent a binary message.
    pub fn binary<'a>(&mut self, bytes: &'a [u8]) -> Vec<Act<'a>> {
        let refused = |words: &str| vec![Act::Tell(Status::new(Level::Error, words))];
        match ClientMessage::binary(bytes) {
            Ok(ClientMessage::Playback(playback)) if self.powers.playback => vec![Act::Playback(playback)],
            Ok(ClientMessage::Playback(_)) => refused("there is nothing to play: what is shown is live"),
            Ok(ClientMessage::Message { channel, data }) if self.published.contains(&channel) => {
                vec![Act::Publish { channel, data }]
            }
            Ok(ClientMessage::Message { channel, .. }) => {
                refused(&format!("channel {channel} is none that this client has advertised"))
            }
            Ok(ClientMessage::Asked(_)) => Vec::new(),
            Err(wrong) => vec![tell(&wrong)],
        }
    }

    /// Channels are there no more: their subscriptions have ended.
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
                        wrong.add(|| format!("there is no channel {channel}"));
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
                        None => wrong.add(|| format!("there is no subscription {subscription}")),
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
                        wrong.add(|| format!("a client may publish {PUBLISHED} channels, no more"));
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
                        wrong.add(|| format!("channel {id} is none that this client has advertised"));
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
                let words =
                    "an `op` that this server does not know was passed over, and so will be all others";
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
            other => panic!("nothing was told: {other:?}"),
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
            "subscription 1 is in use: unsubscribe it first; channel 2 is subscribed already; there is no channel 99; and 1 more"
        );
        let acts = session.text(r#"{"op":"unsubscribe","subscriptionIds":[1,7]}"#, exists);
        assert_eq!(acts[0], Act::Unsubscribe { subscription: 1, channel: 2 });
        assert_eq!(words(&acts), "there is no subscription 7");
        assert_eq!(
            session.text(r#"{"op":"subscribe","subscriptions":[{"id":1,"channelId":2}]}"#, exists),
            [subscribe(1, 2)]
        );
        assert_eq!(session.subscriptions().collect::<Vec<_>>(), [(1, 2), (5, 5)]);
    }

    #[test]
    fn what_ended_with_its_channel_may_be_unsubscribed_once_more() {
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
    fn what_is_not_offered_is_refused() {
        let mut session = session(Powers::default());
        let advertise = r#"{"op":"advertise","channels":[{"id":1,"topic":"A","encoding":"json"}]}"#;
        assert!(words(&session.text(advertise, |_| true)).contains("may not publish"));
        assert!(words(&session.binary(b"\x01\x01\0\0\0x")).contains("none that this client"));
        let play = b"\x03\0\0\0\x80\x3f\0\0\0\0\0\0\0\0\0\0\0\0\0";
        assert!(words(&session.binary(play)).contains("live"));
        assert!(words(&session.text(r#"{"op":"getParameters"}"#, |_| true)).contains("no parameters"));
        assert!(words(&session.text(r#"{"op":"x"}"#, |_| true)).contains("passed over"));
        assert_eq!(session.text(r#"{"op":"y"}"#, |_| true), []);
        let mut session = Session::new(EVERYTHING);
        assert!(matches!(session.binary(play)[..], [Act::Playback(_)]));
        assert!(matches!(session.text(advertise, |_| true)[..], [Act::Advertise(_)]));
        assert_eq!(session.binary(b"\x01\x01\0\0\0x"), [Act::Publish { channel: 1, data: b"x" }]);
        assert_eq!(session.text(r#"{"op":"unadvertise","channelIds":[1]}"#, |_| true), [Act::Unadvertise(1)]);
        assert!(words(&session.binary(b"\x01\x01\0\0\0x")).contains("none that this client"));
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
