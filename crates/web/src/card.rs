//! A channel that a page has open: its row, the shape of its type, its fields, its newest message.

use crate::protocol::{Key, Open};
use crate::turn::Turn;
use crate::value;
use saltus_spy::{ChannelId, Expand, Model, Row};
use serde_json::json;

/// A change is shown for so long, in ns; until then the fields are sent again.
const FADE: u64 = 600_000_000;
/// Fields that nothing happens to are sent again after so long, in ns: why there are none may be another now.
const AGAIN: u64 = 500_000_000;

/// What a page was sent of a channel.
#[derive(Debug, Default)]
struct Sent {
    /// Which rows.
    rows: u64,
    /// Which message, and when it was new, as a tree; and when the tree was sent last.
    tree: (u64, u64, u64),
    /// Which message as a value.
    value: Option<u64>,
    /// That it is too large for a view.
    large: bool,
}

/// A channel that a page has open.
#[derive(Default)]
pub(crate) struct Card {
    open: Open,
    expand: Expand,
    /// The channel, once there is one of that name.
    id: Option<ChannelId>,
    /// Whether its messages are decoded for this page.
    decoded: bool,
    /// The type that the page knows the shape of.
    shape: Option<u64>,
    sent: Sent,
}

impl Card {
    /// What is shown of it from now on.
    pub fn show(&mut self, open: Open) {
        self.expand = Expand::new();
        open.toggled.iter().for_each(|path| self.expand.toggle(path));
        (self.open, self.sent) = (open, Sent::default());
    }
    /// It is shown no more, and for this page decoded no more.
    pub fn close(&mut self, model: &mut Model) {
        if let Some(id) = self.id.filter(|_| std::mem::take(&mut self.decoded)) {
            model.close(id);
        }
    }

    /// Says what is new of it. `turn` is the number of these rows.
    pub fn say(&mut self, model: &mut Model, (number, rows): (u64, &[Row]), turn: &mut Turn) {
        self.id = self.id.or_else(|| find(rows, &self.open.key));
        let Some(id) = self.id else { return };
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
            turn.say(&json!({ "op": "row", "domain": domain, "channel": channel, "row": row, "latencies": latencies }));
        }
        let decoded = model.record(id).map(|record| (record.schema(), record.id()));
        let (schema, of) = match (decoded, model.kind(id)) {
            (Some(of), _) => of,
            (None, Some(kind)) => (kind.schema(), kind.id()),
            (None, None) => return self.tree(model, id, turn),
        };
        let fingerprint = schema.get(of).fingerprint;
        if self.shape.replace(fingerprint) != Some(fingerprint) {
            let shape = value::shape(schema, of);
            turn.say(&json!({ "op": "shape", "domain": domain, "channel": channel, "type": shape }));
            self.sent = Sent { rows: self.sent.rows, ..Sent::default() };
        }
        self.tree(model, id, turn);
        self.value(model, id, turn);
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
            turn.say(
                &json!({ "op": "tree", "domain": domain, "channel": channel, "now": now, "tree": tree }),
            );
        }
    }

    fn value(&mut self, model: &Model, id: ChannelId, turn: &mut Turn) {
        let Some(record) = model.record(id).filter(|_| self.open.value) else { return };
        let number = model.decoded(id);
        if self.sent.value.replace(number) == Some(number) {
            return;
        }
        let Key { domain, channel } = &self.open.key;
        let mut about = serde_json::Map::new();
        about.insert("op".into(), "value".into());
        about.insert("domain".into(), domain.as_str().into());
        about.insert("channel".into(), channel.as_str().into());
        match value::frame(record, about) {
            Some(frame) => turn.value(frame),
            None if std::mem::replace(&mut self.sent.large, true) => {}
            None => turn.say(
                &json!({ "op": "error", "text": format!("{channel}: the message is too large for a view") }),
            ),
        }
    }
}

/// The channel of that name.
pub(crate) fn find(rows: &[Row], key: &Key) -> Option<ChannelId> {
    let is = |row: &&Row| row.channel == key.channel && (key.domain.is_empty() || row.domain == key.domain);
    rows.iter().find(is).map(|row| row.id)
}
