//! Messages from clients.

use serde::Deserialize;
use std::fmt;

/// Longest name of a request. Clients use random numbers.
const LONGEST_NAME: usize = 256;

/// A message from a client.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientMessage<'a> {
    /// A text.
    Asked(Asked),
    /// A message for a channel that the client has advertised.
    Message {
        /// The client's number of the channel.
        channel: u32,
        /// The message.
        data: &'a [u8],
    },
    /// A command to the player.
    Playback(Playback),
}

/// A request of a client as text.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Asked {
    /// Subscribes to channels.
    Subscribe {
        /// The channels and their subscription numbers.
        subscriptions: Vec<Subscription>,
    },
    /// Ends subscriptions.
    Unsubscribe {
        /// Their numbers.
        subscription_ids: Vec<u32>,
    },
    /// Announces channels that the client publishes.
    Advertise {
        /// The channels.
        channels: Vec<ClientAdvert>,
    },
    /// Withdraws channels that the client published.
    Unadvertise {
        /// Their numbers.
        channel_ids: Vec<u32>,
    },
    /// Subscribes to the connection graph.
    SubscribeConnectionGraph,
    /// Unsubscribes from the connection graph.
    UnsubscribeConnectionGraph,
    /// The client's name; ignored.
    ClientInfo,
    /// Not offered.
    GetParameters,
    /// Not offered.
    SetParameters,
    /// Not offered.
    SubscribeParameterUpdates,
    /// Not offered.
    UnsubscribeParameterUpdates,
    /// Not offered.
    FetchAsset,
    /// A request that this server does not support.
    #[serde(other)]
    Unknown,
}

/// A subscription of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// The client's number for it, which is in its messages.
    pub id: u32,
    /// The server's number of the channel.
    pub channel_id: u32,
}

/// A channel that a client publishes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientAdvert {
    /// The client's number for it.
    pub id: u32,
    /// Its name.
    pub topic: String,
    /// The encoding of its messages.
    pub encoding: String,
    /// The type of its messages.
    #[serde(default)]
    pub schema_name: String,
}

/// Whether to play or to pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Play.
    Play,
    /// Pause.
    Pause,
}

/// A command to the player.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    /// Whether it plays.
    pub command: Command,
    /// Playback speed; 1.0 is the recorded speed. Unchecked: any number, or NaN.
    pub speed: f32,
    /// Time to go to first, ns since 1970.
    pub seek: Option<u64>,
    /// The name of the request, repeated in the reply.
    pub request: String,
}

/// The reason why a message from a client is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Not JSON of this protocol, with the reason.
    Json(String),
    /// An empty binary message.
    Empty,
    /// An unknown opcode.
    Opcode(u8),
    /// A binary message that is too short.
    Short {
        /// Its opcode.
        opcode: u8,
        /// Its length in bytes.
        len: usize,
    },
    /// A playback command other than play and pause.
    Command(u8),
    /// The name of a request is too long, or not UTF-8.
    Request,
    /// A service call. The server has no services.
    Service,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::Json(why) => write!(f, "not a message of the protocol: {why}"),
            Wrong::Empty => f.write_str("a binary message has no opcode"),
            Wrong::Opcode(op) => write!(f, "binary opcode {op} is unknown: clients send 1 and 3"),
            Wrong::Short { opcode, len } => {
                write!(f, "a binary message with opcode {opcode} ends after {len} B, too early")
            }
            Wrong::Command(command) => write!(f, "playback command {command} is unknown: 0 plays, 1 pauses"),
            Wrong::Request => {
                write!(f, "the name of a playback request has over {LONGEST_NAME} B, or is not UTF-8")
            }
            Wrong::Service => f.write_str("this server has no services"),
        }
    }
}

impl<'a> ClientMessage<'a> {
    /// Parses a text message.
    ///
    /// # Errors
    /// The message is invalid.
    pub fn text(text: &str) -> Result<ClientMessage<'static>, Wrong> {
        serde_json::from_str(text).map(ClientMessage::Asked).map_err(|e| {
            let mut why: String = e.to_string();
            if let Some((end, _)) = why.char_indices().nth(200) {
                why.truncate(end); // serde quotes the input
                why.push('…');
            }
            Wrong::Json(why)
        })
    }

    /// Parses a binary message.
    ///
    /// # Errors
    /// The message is invalid.
    pub fn binary(bytes: &'a [u8]) -> Result<ClientMessage<'a>, Wrong> {
        let (&opcode, rest) = bytes.split_first().ok_or(Wrong::Empty)?;
        let short = Wrong::Short { opcode, len: bytes.len() };
        match opcode {
            1 => {
                let (channel, data) = rest.split_first_chunk().ok_or(short)?;
                Ok(ClientMessage::Message { channel: u32::from_le_bytes(*channel), data })
            }
            2 => Err(Wrong::Service),
            3 => read_playback(rest, short).map(ClientMessage::Playback),
            other => Err(Wrong::Opcode(other)),
        }
    }
}

fn read_playback(bytes: &[u8], short: Wrong) -> Result<Playback, Wrong> {
    let read = || {
        let (&[command], rest) = bytes.split_first_chunk()?;
        let (speed, rest) = rest.split_first_chunk()?;
        let (&[seeks], rest) = rest.split_first_chunk()?;
        let (time, rest) = rest.split_first_chunk()?;
        let (len, rest) = rest.split_first_chunk()?;
        let request = rest.get(..u32::from_le_bytes(*len) as usize)?;
        let seek = (seeks != 0).then(|| u64::from_le_bytes(*time));
        Some((command, f32::from_le_bytes(*speed), seek, request))
    };
    let (command, speed, seek, request) = read().ok_or(short)?;
    let command = match command {
        0 => Command::Play,
        1 => Command::Pause,
        other => return Err(Wrong::Command(other)),
    };
    let request =
        str::from_utf8(request).ok().filter(|text| text.len() <= LONGEST_NAME).ok_or(Wrong::Request)?;
    Ok(Playback { command, speed, seek, request: request.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_unknown_ones_are_no_error() {
        let asked = |text: &str| match ClientMessage::text(text) {
            Ok(ClientMessage::Asked(asked)) => asked,
            other => panic!("{other:?}"),
        };
        let subscriptions = vec![Subscription { id: 0, channel_id: 3 }];
        assert_eq!(
            asked(r#"{"op":"subscribe","subscriptions":[{"id":0,"channelId":3,"new":[1]}]}"#),
            Asked::Subscribe { subscriptions }
        );
        assert_eq!(
            asked(r#"{"op":"unsubscribe","subscriptionIds":[7]}"#),
            Asked::Unsubscribe { subscription_ids: vec![7] }
        );
        assert_eq!(asked(r#"{"op":"clientInfo","name":"x"}"#), Asked::ClientInfo);
        assert_eq!(asked(r#"{"op":"getParameters","parameterNames":[]}"#), Asked::GetParameters);
        assert_eq!(asked(r#"{"op":"dance","steps":{"a":[]}}"#), Asked::Unknown);
    }

    #[test]
    fn invalid_texts_get_a_short_error() {
        let huge = format!(r#"{{"op":"subscribe","subscriptions":"{}"}}"#, "ü".repeat(10_000));
        let deep = "[".repeat(100_000);
        for text in ["", "{", "[]", "7", r#"{"op":1}"#, r#"{"op":"subscribe"}"#, &huge, &deep] {
            let reported = ClientMessage::text(text).unwrap_err().to_string();
            assert!(reported.starts_with("not a message") && reported.len() < 700, "{reported}");
        }
        let large = r#"{"op":"subscribe","subscriptions":[{"id":4294967296,"channelId":1}]}"#;
        assert!(ClientMessage::text(large).is_err());
    }

    #[test]
    fn binary_messages_are_read() {
        assert_eq!(
            ClientMessage::binary(b"\x01\x02\0\0\0hi"),
            Ok(ClientMessage::Message { channel: 2, data: b"hi" })
        );
        let bytes = b"\x03\0\0\0\xc0\x3f\x01\x39\x30\0\0\0\0\0\0\x02\0\0\0r1";
        let playback =
            Playback { command: Command::Play, speed: 1.5, seek: Some(12345), request: "r1".into() };
        assert_eq!(ClientMessage::binary(bytes), Ok(ClientMessage::Playback(playback)));
        for len in 0..bytes.len() {
            assert!(ClientMessage::binary(&bytes[..len]).is_err(), "{len}");
        }
        let of = |change: fn(&mut Vec<u8>)| {
            let mut bytes = bytes.to_vec();
            change(&mut bytes);
            ClientMessage::binary(&bytes).map(|_| ()).unwrap_err()
        };
        assert_eq!(of(|b| b[1] = 2), Wrong::Command(2));
        assert_eq!(of(|b| b[19] = 0xff), Wrong::Request);
        assert_eq!(of(|b| b[15..19].fill(0xff)), Wrong::Short { opcode: 3, len: 21 });
        assert_eq!(of(|b| b[0] = 9), Wrong::Opcode(9));
        assert_eq!(of(|b| b[0] = 2), Wrong::Service);
    }
}
