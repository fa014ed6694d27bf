//! Messages from the server.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::Serialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// The announcement of a channel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Advert {
    /// Its number, which is never reused.
    pub id: u32,
    /// Its name.
    pub topic: String,
    /// The encoding of its messages.
    pub encoding: String,
    /// The name of their type; empty if unknown.
    pub schema_name: String,
    /// The language of the schema.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub schema_encoding: String,
    /// The schema: text, or base64 of a binary schema.
    pub schema: String,
}

impl Advert {
    /// The schema in the protocol's form: base64 for binary languages.
    pub fn set_schema(&mut self, name: &str, encoding: &str, schema: &[u8]) {
        (self.schema_name, self.schema_encoding) = (name.into(), encoding.into());
        self.schema = match str::from_utf8(schema) {
            Ok(text) if !["protobuf", "flatbuffer"].contains(&encoding) => text.into(),
            _ => STANDARD.encode(schema),
        };
    }
}

/// The level of a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Information.
    Info = 0,
    /// A warning.
    Warning = 1,
    /// A request failed.
    Error = 2,
}

/// A notice to clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Its level.
    pub level: Level,
    /// Its text.
    pub message: String,
    /// A later status with this name replaces it.
    pub id: Option<String>,
}

impl Status {
    /// A status without a name.
    pub fn new(level: Level, message: impl Into<String>) -> Status {
        Status { level, message: message.into(), id: None }
    }
}

/// The first message. `span` is the time of the first and the last message of a played log.
pub fn info(
    name: &str,
    capabilities: &[&str],
    encodings: &[&str],
    session: &str,
    span: Option<(u64, u64)>,
) -> String {
    let mut info =
        json!({ "op": "serverInfo", "name": name, "capabilities": capabilities, "sessionId": session });
    if !encodings.is_empty() {
        info["supportedEncodings"] = json!(encodings);
    }
    let time = |ns: u64| json!({ "sec": u32::try_from(ns / 1_000_000_000).unwrap_or(u32::MAX), "nsec": ns % 1_000_000_000 });
    if let Some((start, end)) = span {
        info["dataStartTime"] = time(start);
        info["dataEndTime"] = time(end);
    }
    info.to_string()
}

/// Announces channels.
pub fn advertise<'a>(channels: impl IntoIterator<Item = &'a Advert>) -> String {
    json!({ "op": "advertise", "channels": channels.into_iter().collect::<Vec<_>>() }).to_string()
}

/// Withdraws channels.
pub fn unadvertise(channels: &[u32]) -> String {
    json!({ "op": "unadvertise", "channelIds": channels }).to_string()
}

/// A notice to clients.
pub fn status(status: &Status) -> String {
    let mut text = json!({ "op": "status", "level": status.level as u8, "message": status.message });
    if let Some(id) = &status.id {
        text["id"] = json!(id);
    }
    text.to_string()
}

/// A message of a subscription, with its time in ns since 1970.
pub fn message(subscription: u32, time: u64, data: &[u8]) -> Bytes {
    let mut bytes = Vec::with_capacity(13 + data.len());
    bytes.push(1);
    bytes.extend(subscription.to_le_bytes());
    bytes.extend(time.to_le_bytes());
    bytes.extend(data);
    bytes.into()
}

/// The time, in ns since 1970.
pub fn time(time: u64) -> Bytes {
    let mut bytes = vec![2];
    bytes.extend(time.to_le_bytes());
    bytes.into()
}

/// The mode of the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// Playing.
    Playing = 0,
    /// Paused.
    Paused = 1,
    /// At the end.
    Ended = 3,
}

/// The player's state.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Its mode.
    pub stand: Stand,
    /// Its position, ns since 1970.
    pub time: u64,
    /// Playback speed; 1.0 is the recorded speed.
    pub speed: f32,
    /// Whether it jumped, so that later messages do not follow earlier ones.
    pub moved: bool,
    /// The name of the request that this replies to.
    pub request: Option<String>,
}

/// The player's state.
pub fn playback(state: &State) -> Bytes {
    let request = state.request.as_deref().unwrap_or_default();
    let mut bytes = vec![5, state.stand as u8];
    bytes.extend(state.time.to_le_bytes());
    bytes.extend(state.speed.to_le_bytes());
    bytes.push(state.moved.into());
    bytes.extend((request.len() as u32).to_le_bytes()); // at most 256 B
    bytes.extend(request.as_bytes());
    bytes.into()
}

/// The connection graph: names of publishers and subscribers of each channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Publishers by channel.
    pub published: BTreeMap<String, BTreeSet<String>>,
    /// Subscribers by channel.
    pub subscribed: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// The update for a client that has `before`; `None` if there are no changes.
    pub fn since(&self, before: &Graph) -> Option<String> {
        type Side = BTreeMap<String, BTreeSet<String>>;
        let news = |now: &Side, before: &Side, ids: &str| -> Vec<_> {
            let changed = now.iter().filter(|(topic, all)| before.get(*topic) != Some(*all));
            // A channel without publishers that still has subscribers.
            let gone = before.keys().filter(|topic| !now.contains_key(*topic) && self.has(topic));
            let changed = changed.map(|(topic, all)| json!({ "name": topic, ids: all }));
            changed.chain(gone.map(|topic| json!({ "name": topic, ids: [] }))).collect()
        };
        let published = news(&self.published, &before.published, "publisherIds");
        let subscribed = news(&self.subscribed, &before.subscribed, "subscriberIds");
        let old: BTreeSet<&String> = before.published.keys().chain(before.subscribed.keys()).collect();
        let removed: Vec<&&String> = old.iter().filter(|topic| !self.has(topic)).collect();
        if published.is_empty() && subscribed.is_empty() && removed.is_empty() {
            return None;
        }
        let update = json!({
            "op": "connectionGraphUpdate", "publishedTopics": published, "subscribedTopics": subscribed,
            "advertisedServices": [], "removedTopics": removed, "removedServices": [],
        });
        Some(update.to_string())
    }
    fn has(&self, topic: &str) -> bool {
        self.published.contains_key(topic) || self.subscribed.contains_key(topic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn parsed(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_servers_messages_follow_the_protocol() {
        let info = parsed(&info("me", &["time"], &[], "7", Some((1_000_000_005, 2_000_000_000))));
        let expected = r#"{"op":"serverInfo","name":"me","capabilities":["time"],"sessionId":"7",
            "dataStartTime":{"sec":1,"nsec":5},"dataEndTime":{"sec":2,"nsec":0}}"#;
        assert_eq!(info, parsed(expected));
        let mut advert = Advert { id: 4, topic: "A".into(), encoding: "cdr".into(), ..Advert::default() };
        advert.set_schema("p/msg/T", "ros2msg", b"int8 x");
        let said = parsed(&advertise([&advert]));
        let expected = r#"{"op":"advertise","channels":[{"id":4,"topic":"A","encoding":"cdr","schemaName":"p/msg/T",
            "schemaEncoding":"ros2msg","schema":"int8 x"}]}"#;
        assert_eq!(said, parsed(expected));
        advert.set_schema("T", "protobuf", b"\x01\x02\x03");
        assert_eq!(advert.schema, "AQID");
        assert_eq!(message(258, 1, b"x"), &b"\x01\x02\x01\0\0\x01\0\0\0\0\0\0\0x"[..]);
        assert_eq!(time(3), &b"\x02\x03\0\0\0\0\0\0\0"[..]);
        let state =
            State { stand: Stand::Ended, time: 5, speed: 1.0, moved: true, request: Some("r".into()) };
        assert_eq!(playback(&state), &b"\x05\x03\x05\0\0\0\0\0\0\0\0\0\x80\x3f\x01\x01\0\0\0r"[..]);
    }

    #[test]
    fn a_graph_update_contains_the_changes() {
        let side = |pairs: &[(&str, &[&str])]| {
            let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
            pairs.iter().map(|(topic, all)| (topic.to_string(), names(all))).collect()
        };
        let before =
            Graph { published: side(&[("A", &["1"]), ("B", &["1"])]), subscribed: side(&[("A", &["2"])]) };
        assert_eq!(before.since(&before), None);
        let after = Graph { published: side(&[("C", &["1", "3"])]), subscribed: side(&[("A", &["2"])]) };
        let said = parsed(&after.since(&before).unwrap());
        assert_eq!(
            said["publishedTopics"],
            parsed(r#"[{"name":"C","publisherIds":["1","3"]},{"name":"A","publisherIds":[]}]"#)
        );
        assert_eq!((&said["subscribedTopics"], &said["removedTopics"]), (&parsed("[]"), &parsed(r#"["B"]"#)));
    }
}
