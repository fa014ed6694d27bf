//! What clients say.

use serde::Deserialize;
use std::fmt;

/// Longest name of a request. Clients take random numbers.
const LONGEST_NAME: usize = 256;

/// What a client said.
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
    /// What the player is to do.
    Playback(Playback),
}

/// What a client may ask for as text.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Asked {
    /// Channels that the client wants.
    Subscribe {
        /// Which, and by what numbers.
        subscriptions: Vec<Subscription>,
    },
    /// Subscriptions that the client has enough of.
    Unsubscribe {
        /// Their numbers.
        subscription_ids: Vec<u32>,
    },
    /// Channels that the client wants to publish.
    Advertise {
        /// Which.
        channels: Vec<ClientAdvert>,
    },
    /// Channels that it does not publish any more.
    Unadvertise {
        /// Their numbers.
        channel_ids: Vec<u32>,
    },
    /// It wants to know who talks to whom.
    SubscribeConnectionGraph,
    /// No longer.
    UnsubscribeConnectionGraph,
    /// Who the client is. Of no consequence.
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
    /// Something newer than this server.
    #[serde(other)]
    Unknown,
}

/// A channel that a client wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// The client's number for it; its messages bear it.
    pub id: u32,
    /// The server's number of the channel.
    pub channel_id: u32,
}

/// A channel that a client wants to publish.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientAdvert {
    /// The client's number for it.
    pub id: u32,
    /// Its name.
    pub topic: String,
    /// How messages are encoded.
    pub encoding: String,
    /// What they are.
    #[serde(default)]
    pub schema_name: String,
}

/// Whether the player is to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// It is.
    Play,
    /// It is to stay where it is.
    Pause,
}

/// What the player is to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    /// Whether it plays.
    pub command: Command,
    /// So many times as fast as it was recorded. Any number, and none.
    pub speed: f32,
    /// Where to go first, ns since 1970.
    pub seek: Option<u64>,
    /// The name of the request; the answer bears it.
    pub request: String,
}

/// Why something that a client said makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It is no JSON of this protocol; why.
    Json(String),
    /// A binary message of no byte.
    Empty,
    /// An opcode that there is not.
    Opcode(u8),
    /// A binary message that ends too early.
    Short {
        /// Its opcode.
        opcode: u8,
        /// How many bytes it has.
        len: usize,
    },
    /// Neither play nor pause.
    Command(u8),
    /// The name of a request is too long, or no text.
    Request,
    /// Calls of services, which there are none of.
    Service,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::Json(why) => write!(f, "the text is no message of the protocol: {why}"),
            Wrong::Empty => f.write_str("a binary message has no opcode"),
            Wrong::Opcode(op) => write!(f, "binary opcode {op} is unknown: clients send 1 and 3"),
            Wrong::Short { opcode, len } => {
                write!(f, "a binary message with opcode {opcode} ends after {len} B, too early")
            }
            Wrong::Command(command) => write!(f, "playback command {command} is unknown: 0 plays, 1 pauses"),
            Wrong::Request => {
                write!(f, "the name of a playback request has over {LONGEST_NAME} B, or is no text")
            }
            Wrong::Service => f.write_str("this server has no services"),
        }
    }
}

impl<'a> ClientMessage<'a> {
    /// Reads a text.
    ///
    /// # Errors
    /// It makes no sense.
    pub fn text(text: &str) -> Result<ClientMessage<'static>, Wrong> {
        serde_json::from_str(text).map(ClientMessage::Asked).map_err(|e| {
            let mut why: String = e.to_string();
            if let Some((end, _)) = why.char_indices().nth(200) {
                why.truncate(end); // serde quotes what it found
                why.push('…');
            }
            Wrong::Json(why)
        })
    }

    /// Reads a binary message.
    ///
    /// # Errors
    /// It makes no sense.
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
    fn texts_that_make_no_sense_are_told_in_a_few_words() {
        let huge = format!(r#"{{"op":"subscribe","subscriptions":"{}"}}"#, "ü".repeat(10_000));
        let deep = "[".repeat(100_000);
        for text in ["", "{", "[]", "7", r#"{"op":1}"#, r#"{"op":"subscribe"}"#, &huge, &deep] {
            let told = ClientMessage::text(text).unwrap_err().to_string();
            assert!(told.starts_with("the text is no message") && told.len() < 700, "{told}");
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
