//! A turn: one message to a page, with JSON text followed by values as bytes.

use crate::value::LONGEST;
use axum::extract::ws::Message;
use serde::Serialize;

/// The contents of one turn. Limited: after [`Turn::is_full`], or if [`Turn::has_room`] returns `false`, the rest waits for the next.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    said: String,
    values: Vec<Vec<u8>>,
    bytes: usize,
}

impl Turn {
    /// Adds a frame.
    pub fn push(&mut self, what: &impl Serialize) {
        // Serializing frames cannot fail.
        self.push_json(&serde_json::to_string(what).unwrap_or_default());
    }
    /// Adds a frame that is already JSON.
    pub fn push_json(&mut self, what: &str) {
        if !self.said.is_empty() {
            self.said.push(',');
        }
        self.said.push_str(what);
    }
    /// Whether a value of this size fits. The first value of a turn always does.
    pub fn has_room(&self, bytes: usize) -> bool {
        self.values.is_empty() || self.bytes.saturating_add(bytes) <= LONGEST
    }
    /// Adds the bytes of a value.
    pub fn value(&mut self, frame: Vec<u8>) {
        self.bytes += frame.len();
        self.values.push(frame);
    }
    /// Whether the turn is full.
    pub fn is_full(&self) -> bool {
        self.bytes + self.said.len() >= LONGEST
    }
    /// The encoded turn; `None` if it is empty.
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
