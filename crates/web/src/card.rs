//! A channel opened by a page: its row, the shape of its type, its fields, its newest message.

use crate::protocol::{Key, Open};
use crate::turn::Turn;
use crate::value;
use saltus_spy::{ChannelId, Expand, Model, Row};
use serde_json::json;

/// Time for which a change is shown, in ns. The fields are resent until then.
const FADE: u64 = 600_000_000;
/// Unchanged fields are resent after this time, in ns: the reason for missing fields may have changed.
const AGAIN: u64 = 500_000_000;

/// The state of a channel that was sent to a page.
#[derive(Debug, Default)]
struct Sent {
    /// The number of the rows.
    rows: u64,
    /// The message sent as a tree, the time at which it was new, and the time of the last tree.
    tree: (u64, u64, u64),
    /// The message sent as a value.
    value: Option<u64>,
    /// Whether the page has the note that the message is too large for a view.
    large: bool,
}

/// A channel opened by a page.
#[derive(Default)]
pub(crate) struct Card {
    open: Open,
    expand: Expand,
    /// The channel's ID, once it exists.
    id: Option<ChannelId>,
    /// Whether it is opened in the model for this page.
    decoded: bool,
    /// The type whose shape the page has.
    shape: Option<u64>,
    sent: Sent,
}

impl Card {
    /// Sets the displayed parts.
    pub fn show(&mut self, open: Open) {
        self.expand = Expand::new();
        open.toggled.iter().for_each(|path| self.expand.toggle(path));
        (self.open, self.sent) = (open, Sent::default());
    }
    /// Closes the channel for this page.
    pub fn close(&mut self, model: &mut Model) {
        if let Some(id) = self.id.filter(|_| std::mem::take(&mut self.decoded)) {
            model.close(id);
        }
    }

    /// Adds changes to the turn; `false` if they do not fit. `number` is that of these rows.
    pub fn push(&mut self, model: &mut Model, (number, rows): (u64, &[Row]), turn: &mut Turn) -> bool {
        self.id = self.id.or_else(|| find(rows, &self.open.key));
        let Some(id) = self.id else { return true };
        let wanted = self.open.tree || self.open.value;
        if wanted && !self.decoded {
            model.open(id);
            self.decoded = true;
        } else if !wanted {
            self.close(model);
        }
        let Key { domain, channel } = &self.open.key;
        if self.sent.rows != number
            && let Some(row) = rows.iter().find(|row| row.id == id)
        {
            self.sent.rows = number;
            let latencies = self.open.timing.then(|| model.latencies(id));
            turn.push(&json!({ "op": "row", "domain": domain, "channel": channel, "row": row, "latencies": latencies }));
        }
        let decoded = model.record(id).map(|record| (record.schema(), record.id()));
        let (schema, of) = match (decoded, model.kind(id)) {
            (Some(of), _) => of,
            (None, Some(kind)) => (kind.schema(), kind.id()),
            (None, None) => {
                self.tree(model, id, turn);
                return true;
            }
        };
        let fingerprint = schema.get(of).fingerprint;
        if self.shape.replace(fingerprint) != Some(fingerprint) {
            let shape = value::shape(schema, of);
            turn.push(&json!({ "op": "shape", "domain": domain, "channel": channel, "type": shape }));
            self.sent = Sent { rows: self.sent.rows, ..Sent::default() };
        }
        self.tree(model, id, turn);
        self.value(model, id, turn)
    }

    fn tree(&mut self, model: &Model, id: ChannelId, turn: &mut Turn) {
        if !self.open.tree {
            return;
        }
        let (now, number) = (model.now(), model.decoded(id));
        let (sent, new, last) = self.sent.tree;
        let new = if sent == number { new } else { now };
        if now.saturating_sub(new) > FADE && now.saturating_sub(last) < AGAIN {
            return;
        }
        self.sent.tree = (number, new, now);
        let Key { domain, channel } = &self.open.key;
        if let Some(tree) = model.tree_with(id, &self.expand) {
            turn.push(
                &json!({ "op": "tree", "domain": domain, "channel": channel, "now": now, "tree": tree }),
            );
        }
    }

    /// Adds the value; `false` if it does not fit into this turn.
    fn value(&mut self, model: &Model, id: ChannelId, turn: &mut Turn) -> bool {
        let Some(record) = model.record(id).filter(|_| self.open.value) else { return true };
        let number = model.decoded(id);
        if self.sent.value == Some(number) {
            return true;
        }
        let Key { domain, channel } = &self.open.key;
        let mut about = serde_json::Map::new();
        about.insert("op".into(), "value".into());
        about.insert("domain".into(), domain.as_str().into());
        about.insert("channel".into(), channel.as_str().into());
        let frame = value::frame(record, about);
        if frame.as_ref().is_some_and(|frame| !turn.has_room(frame.len())) {
            return false;
        }
        self.sent.value = Some(number);
        match frame {
            Some(frame) => turn.value(frame),
            None if std::mem::replace(&mut self.sent.large, true) => {}
            None => turn.push(
                &json!({ "op": "error", "text": format!("{channel}: the message is too large for a view") }),
            ),
        }
        true
    }
}

/// The channel with this name.
pub(crate) fn find(rows: &[Row], key: &Key) -> Option<ChannelId> {
    let is = |row: &&Row| row.channel == key.channel && (key.domain.is_empty() || row.domain == key.domain);
    rows.iter().find(is).map(|row| row.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::extract::ws::Message;
    use saltus_spy::{Options, Seen};
    use std::sync::Arc;

    /// Most bytes of values in one turn.
    const MOST: usize = 32 << 20;
    /// Bytes of a picture: two fit into a turn, three do not.
    const PICTURE: usize = 12 << 20;

    /// The number of values in a turn, and their bytes.
    fn values(turn: Turn) -> (usize, usize) {
        let sizes = turn.messages().into_iter().filter_map(|message| match message {
            Message::Binary(value) => Some(value.len()),
            _ => None,
        });
        sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size))
    }

    #[test]
    fn a_value_that_has_no_room_in_a_turn_comes_first_in_the_next() {
        let schema = saltus_types::parse("a test", "struct photo_t { int32_t n; byte data[n]; }").unwrap();
        let fingerprint = schema.get(schema.find("photo_t").unwrap()).fingerprint;
        let mut model = Model::new(Options { types: vec![Arc::new(schema)], ..Options::default() });
        let mut data = [&fingerprint.to_be_bytes()[..], &(PICTURE as u32).to_be_bytes()].concat();
        data.resize(12 + PICTURE, 7);
        let names = ["LEFT", "MIDDLE", "RIGHT"];
        let ids = names.map(|name| model.channel("mem://", name.as_bytes()).unwrap());
        let mut cards = names.map(|name| {
            let mut card = Card::default();
            let key = Key { domain: "mem://".into(), channel: name.into() };
            card.show(Open { key, value: true, ..Open::default() });
            card
        });
        let rows = model.rows();
        let mut turn = Turn::default();
        assert!(cards.iter_mut().all(|card| card.push(&mut model, (1, &rows), &mut turn)));
        assert_eq!(values(turn), (0, 0), "opened, and no message yet");
        for id in ids {
            model.message(1, id, &Seen { data: &data, size: data.len(), ..Seen::default() });
        }
        let mut turn = Turn::default();
        let said = cards.each_mut().map(|card| card.push(&mut model, (1, &rows), &mut turn));
        assert_eq!(said, [true, true, false], "the last waits");
        let (count, bytes) = values(turn);
        assert!(count == 2 && bytes > 2 * PICTURE && bytes <= MOST, "{count} values of {bytes} bytes");
        let mut turn = Turn::default();
        assert!(cards[2].push(&mut model, (1, &rows), &mut turn));
        assert_eq!(values(turn).0, 1, "sent the next time");
        let mut turn = Turn::default();
        assert!(cards.iter_mut().all(|card| card.push(&mut model, (1, &rows), &mut turn)));
        assert_eq!(values(turn), (0, 0), "and each once");
    }
}
