//! Any frames of a client of Foxglove's protocol: its requests stay bounded, and errors are reported briefly.

use saltus_foxglove::{Act, Powers, Session};
use std::collections::BTreeMap;

/// Channels 1 to 8 exist.
fn exists(channel: u32) -> bool {
    (1..=8).contains(&channel)
}

/// The session's subscriptions match its instructions to the server.
fn follow(subscriptions: &mut BTreeMap<u32, u32>, acts: Vec<Act<'_>>) {
    for act in acts {
        match act {
            Act::Subscribe { subscription, channel } => {
                assert!(exists(channel) && subscriptions.insert(subscription, channel).is_none());
            }
            Act::Unsubscribe { subscription, channel } => {
                assert_eq!(subscriptions.remove(&subscription), Some(channel));
            }
            Act::Tell(status) => {
                assert!(!status.message.is_empty() && status.message.len() < 1000, "{status:?}")
            }
            Act::Playback(playback) => assert!(playback.request.len() <= 256),
            Act::Graph(_) | Act::Advertise(_) | Act::Unadvertise(_) | Act::Publish { .. } => {}
        }
    }
}

/// See the module.
pub fn attack(data: &[u8]) {
    let mut session = Session::new(Powers { publish: true, playback: true });
    let mut subscriptions = BTreeMap::new();
    // Frames are separated by lines; one that begins with `b` is binary, and one with `g` names a removed channel.
    for frame in data.split(|byte| *byte == b'\n') {
        match frame.split_first() {
            Some((b'b', bytes)) => follow(&mut subscriptions, session.binary(bytes)),
            Some((b'g', [channel, ..])) => {
                session.gone(&[u32::from(*channel)]);
                subscriptions.retain(|_, of| *of != u32::from(*channel));
            }
            _ => {
                let text = String::from_utf8_lossy(frame);
                follow(&mut subscriptions, session.text(&text, exists));
            }
        }
        assert!(
            session.subscriptions().eq(subscriptions.iter().map(|(a, b)| (*a, *b)))
                && subscriptions.len() <= 8
        );
    }
}
