//! What is sent to a page at once: one text with all that there is to say, and behind it values as bytes.

use crate::value::LONGEST;
use axum::extract::ws::Message;
use serde::Serialize;

/// What is sent in one turn. Bounded: once [`Turn::is_full`], or where [`Turn::has_room`] says no, what is left waits for the next.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    said: String,
    values: Vec<Vec<u8>>,
    bytes: usize,
}

impl Turn {
    /// Says something.
    pub fn say(&mut self, what: &impl Serialize) {
        // Nothing that frames are made of can fail to be written.
        self.say_json(&serde_json::to_string(what).unwrap_or_default());
    }
    /// The same, written as JSON.
    pub fn say_json(&mut self, what: &str) {
        if !self.said.is_empty() {
            self.said.push(',');
        }
        self.said.push_str(what);
    }
    /// Whether so many bytes of values more may be sent at once. The first value of a turn always may.
    pub fn has_room(&self, bytes: usize) -> bool {
        self.values.is_empty() || self.bytes.saturating_add(bytes) <= LONGEST
    }
    /// Adds the bytes of a value.
    pub fn value(&mut self, frame: Vec<u8>) {
        self.bytes += frame.len();
        self.values.push(frame);
    }
    /// Whether there is enough to send.
    pub fn is_full(&self) -> bool {
        self.bytes + self.said.len() >= LONGEST
    }
    /// What goes over the wire; nothing if there is nothing to say.
    pub fn messages(self) -> Vec<Message> {
        let Turn { said, values, .. } = self;
        if said.is_empty() && values.is_empty() {
            return Vec::new();
        }
        let text = format!(r#"{{"op":"turn","values":{},"said":[{said}]}}"#, values.len());
        let values = values.into_iter().map(|value| Message::Binary(value.into()));
        std::iter::once(Message::Text(text.into())).chain(values).collect()
    }
}
