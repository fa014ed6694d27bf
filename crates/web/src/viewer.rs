//! What one page shows, and frames of that and nothing else.

use crate::State;
use crate::protocol::{Key, Open, Plotted, ROWS, Show};
use crate::value;
use axum::extract::ws::Message;
use saltus_os::clock;
use saltus_spy::{ChannelId, Expand, Filter, Model, Row, SeriesId, sort};
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::sync::Arc;

/// Most points of a series in one frame; those that are older come with the next.
const POINTS: usize = 5000;
/// Most channels of the graph.
const GRAPH: usize = 1000;
/// The graph changes slowly, and is sent once in so many ns.
const GRAPH_EVERY: u64 = 1_000_000_000;

/// A channel that a page has open.
struct Card {
    open: Open,
    expand: Expand,
    /// The channel, once there is one of that name.
    id: Option<ChannelId>,
    /// The type that the page knows the shape of.
    shape: Option<String>,
    /// The number of the message that was sent last.
    sent: Option<u64>,
}

/// A number that a page plots.
struct Line {
    what: Plotted,
    series: Option<SeriesId>,
    /// Up to here it was sent.
    sent: Option<u64>,
}

/// One page.
pub(crate) struct Viewer {
    state: Arc<State>,
    show: Show,
    cards: HashMap<Key, Card>,
    lines: Vec<Line>,
    graph: u64,
    deck: u64,
}

impl Viewer {
    /// A page that shows nothing yet.
    pub fn new(state: Arc<State>) -> Viewer {
        let (cards, lines) = (HashMap::new(), Vec::new());
        Viewer { state, show: Show::default(), cards, lines, graph: 0, deck: 0 }
    }

    /// What it is told first.
    pub fn hello(&self) -> Message {
        let now = clock::boottime();
        let unix = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        text(&json!({
            "op": "hello",
            "version": env!("CARGO_PKG_VERSION"),
            "domains": self.state.domains,
            // The time of boot, in seconds since 1970, for axes.
            "boot": unix.as_secs_f64() - now as f64 / 1e9,
            "views": self.state.views.names(),
            "player": self.state.deck.as_ref().map(|deck| deck.about()),
        }))
    }

    /// What it shows from now on. What it shows no more is decoded no more.
    pub fn show(&mut self, mut show: Show) {
        let mut model = self.state.watch.model();
        let mut before = std::mem::take(&mut self.cards);
        for open in show.open.drain(..) {
            let mut card = before.remove(&open.key).unwrap_or_else(|| Card {
                open: Open::default(),
                expand: Expand::new(),
                id: None,
                shape: None,
                sent: None,
            });
            if open.toggled != card.open.toggled
                || open.tree != card.open.tree
                || open.value != card.open.value
            {
                card.sent = None;
                card.expand = Expand::new();
                open.toggled.iter().for_each(|path| card.expand.toggle(path));
            }
            let key = open.key.clone();
            card.open = open;
            if let Some(twice) = self.cards.insert(key, card) {
                twice.id.into_iter().for_each(|id| model.close(id));
            }
        }
        before.into_values().filter_map(|card| card.id).for_each(|id| model.close(id));
        let mut gone = std::mem::take(&mut self.lines);
        for what in show.plots.drain(..) {
            let found = gone.iter().position(|line| line.what == what).map(|at| gone.swap_remove(at));
            self.lines.push(found.unwrap_or(Line { what, series: None, sent: None }));
        }
        gone.into_iter().filter_map(|line| line.series).for_each(|series| model.unplot(series));
        drop(model);
        self.show = show;
        self.graph = 0;
    }

    /// What is to be drawn now.
    pub fn frames(&mut self) -> Vec<Message> {
        let rows = self.state.rows();
        let mut frames = Vec::new();
        frames.extend(self.table(&rows));
        let now = clock::boottime();
        if self.show.graph && now.saturating_sub(self.graph) >= GRAPH_EVERY {
            self.graph = now;
            let words = self.show.rows.as_ref().map_or("", |part| &part.filter);
            frames.push(graph(&rows, &Filter::new(words)));
        }
        let watch = self.state.clone();
        let mut model = watch.watch.model();
        for card in self.cards.values_mut() {
            card.frames(&mut model, &rows, now, &mut frames);
        }
        frames.extend(self.points(&mut model, &rows));
        drop(model);
        if let Some(deck) = &self.state.deck
            && let Some((turn, state)) = deck.state(self.deck)
        {
            self.deck = turn;
            frames.push(Message::Text(state.into()));
        }
        for trouble in self.state.watch.troubles() {
            frames.push(text(
                &json!({ "op": "error", "text": format!("{}: {}", trouble.domain, trouble.words) }),
            ));
        }
        frames
    }

    fn table(&self, rows: &[Row]) -> Option<Message> {
        #[derive(Serialize)]
        struct Table<'a> {
            op: &'static str,
            total: usize,
            rate_hz: f64,
            bytes_per_s: f64,
            shown: usize,
            from: usize,
            rows: &'a [Row],
        }
        let part = self.show.rows.as_ref()?;
        let filter = Filter::new(&part.filter);
        let mut shown: Vec<Row> = rows.iter().filter(|row| filter.matches(row)).cloned().collect();
        sort(&mut shown, part.sort, part.down);
        let to = part.to.min(shown.len());
        let from = part.from.min(to).max(to.saturating_sub(ROWS));
        Some(text(&Table {
            op: "rows",
            total: rows.len(),
            rate_hz: rows.iter().map(|row| row.rate_hz).sum(),
            bytes_per_s: rows.iter().map(|row| row.bytes_per_s).sum(),
            shown: shown.len(),
            from,
            rows: &shown[from..to],
        }))
    }

    fn points(&mut self, model: &mut Model, rows: &[Row]) -> Option<Message> {
        let mut all = Vec::new();
        for line in &mut self.lines {
            if line.series.is_none() {
                let id = find(rows, &line.what.key);
                line.series = id.and_then(|id| model.plot(id, &line.what.path));
            }
            let Some(series) = model.series().iter().find(|series| Some(series.id) == line.series) else {
                continue;
            };
            let points = series.between(line.sent.map_or(0, |sent| sent.saturating_add(1)), u64::MAX);
            let points: Vec<_> = points.take(POINTS).collect();
            let Some(last) = points.last() else { continue };
            all.push(json!({
                "domain": line.what.key.domain,
                "channel": line.what.key.channel,
                "path": line.what.path,
                "unit": series.unit,
                "reset": line.sent.is_none(),
                "t": points.iter().map(|point| point.time as f64 / 1e9).collect::<Vec<_>>(),
                "v": points.iter().map(|point| point.value).collect::<Vec<_>>(),
            }));
            line.sent = Some(last.time);
        }
        (!all.is_empty()).then(|| text(&json!({ "op": "points", "series": all })))
    }
}

impl Card {
    fn frames(&mut self, model: &mut Model, rows: &[Row], now: u64, frames: &mut Vec<Message>) {
        if self.id.is_none() {
            self.id = find(rows, &self.open.key);
            self.id.into_iter().for_each(|id| model.open(id));
        }
        let Some(id) = self.id else { return };
        let Key { domain, channel } = &self.open.key;
        let row = rows.iter().find(|row| row.id == id);
        frames.push(text(&json!({ "op": "row", "domain": domain, "channel": channel, "row": row })));
        if let Some(record) = model.record(id) {
            let fingerprint = format!("{:016x}", record.definition().fingerprint);
            if self.shape.as_ref() != Some(&fingerprint) {
                let shape = value::shape(record.schema(), record.id());
                frames.push(text(
                    &json!({ "op": "shape", "domain": domain, "channel": channel, "type": shape }),
                ));
                self.shape = Some(fingerprint);
                self.sent = None;
            }
        }
        let Some(tree) = model.tree_with(id, &self.expand).filter(|_| self.open.tree) else {
            return self.value(model, id, frames);
        };
        frames.push(text(
            &json!({ "op": "tree", "domain": domain, "channel": channel, "now": now, "tree": tree }),
        ));
        self.value(model, id, frames);
    }

    fn value(&mut self, model: &Model, id: ChannelId, frames: &mut Vec<Message>) {
        let Some(record) = model.record(id).filter(|_| self.open.value) else { return };
        let number = model.decoded(id);
        if self.sent.replace(number) == Some(number) {
            return;
        }
        let Key { domain, channel } = &self.open.key;
        let mut about = serde_json::Map::new();
        about.insert("op".into(), "value".into());
        about.insert("domain".into(), domain.as_str().into());
        about.insert("channel".into(), channel.as_str().into());
        frames.push(match value::frame(record, about) {
            Some(frame) => Message::Binary(frame.into()),
            None => text(
                &json!({ "op": "error", "text": format!("{channel}: the message is too large for a view") }),
            ),
        });
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let mut model = self.state.watch.model();
        self.cards.values().filter_map(|card| card.id).for_each(|id| model.close(id));
        self.lines.iter().filter_map(|line| line.series).for_each(|series| model.unplot(series));
    }
}

/// The channel of that name.
fn find(rows: &[Row], key: &Key) -> Option<ChannelId> {
    let is = |row: &&Row| row.channel == key.channel && (key.domain.is_empty() || row.domain == key.domain);
    rows.iter().find(is).map(|row| row.id)
}

/// Who talks to whom, on channels that pass the filter.
fn graph(rows: &[Row], filter: &Filter) -> Message {
    let row = |row: &Row| {
        json!({
            "domain": row.domain, "channel": row.channel, "type_name": row.type_name, "rate_hz": row.rate_hz,
            "stale": row.stale, "publishers": row.publishers, "subscribers": row.subscribers,
        })
    };
    text(
        &json!({ "op": "graph", "channels": rows.iter().filter(|row| filter.matches(row)).take(GRAPH).map(row).collect::<Vec<Json>>() }),
    )
}

fn text(frame: &impl Serialize) -> Message {
    // Nothing that frames are made of can fail to be written.
    Message::Text(serde_json::to_string(frame).unwrap_or_default().into())
}
