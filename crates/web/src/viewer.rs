//! The displayed parts of one page, and the turns for them.

use crate::card::{Card, find};
use crate::protocol::{Key, Plotted, ROWS, Show};
use crate::turn::Turn;
use crate::{Rows, State};
use axum::extract::ws::Message;
use saltus_os::clock;
use saltus_spy::{Filter, Model, Row, SeriesId, sort};
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::sync::Arc;

/// Most points of a series in one turn. The rest follows in the next.
const POINTS: usize = 5000;
/// Most channels of the graph.
const GRAPH: usize = 1000;
/// Time between two updates of the graph, in ns.
const GRAPH_EVERY: u64 = 1_000_000_000;

/// A number that a page plots.
struct Line {
    what: Plotted,
    series: Option<SeriesId>,
    /// The end of the part already sent.
    sent: Option<u64>,
}

/// One page.
pub(crate) struct Viewer {
    state: Arc<State>,
    show: Show,
    cards: HashMap<Key, Card>,
    /// The cards in the order in which they are served.
    order: Vec<Key>,
    lines: Vec<Line>,
    /// The number of the rows in the sent table; 0 for none.
    table: u64,
    graph: u64,
    deck: u64,
    troubles: u64,
}

impl Viewer {
    /// A page without displayed parts.
    pub fn new(state: Arc<State>) -> Viewer {
        let (cards, order, lines) = (HashMap::new(), Vec::new(), Vec::new());
        Viewer { state, show: Show::default(), cards, order, lines, table: 0, graph: 0, deck: 0, troubles: 0 }
    }

    /// The first frame.
    pub fn hello(&self) -> Message {
        let now = clock::boottime();
        let unix = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let hello = json!({
            "op": "hello",
            "version": env!("CARGO_PKG_VERSION"),
            "domains": self.state.domains,
            // The time of boot, in seconds since 1970, for axes.
            "boot": unix.as_secs_f64() - now as f64 / 1e9,
            "views": self.state.views.names(),
            "player": self.state.deck.as_ref().map(|deck| deck.about()),
        });
        Message::Text(hello.to_string().into())
    }

    /// Sets the displayed parts, and closes channels that are no longer displayed.
    pub fn show(&mut self, mut show: Show) {
        let mut model = self.state.watch.model();
        let mut before = std::mem::take(&mut self.cards);
        self.order.clear();
        for open in show.open.drain(..) {
            let key = open.key.clone();
            // Ignores duplicates.
            let card = before.remove(&key).or_else(|| self.cards.remove(&key));
            let mut card = card.unwrap_or_default();
            card.show(open);
            if self.cards.insert(key.clone(), card).is_none() && !self.order.contains(&key) {
                self.order.push(key);
            }
        }
        before.values_mut().for_each(|card| card.close(&mut model));
        let mut gone = std::mem::take(&mut self.lines);
        for what in show.plots.drain(..) {
            let found = gone.iter().position(|line| line.what == what).map(|at| gone.swap_remove(at));
            self.lines.push(found.unwrap_or(Line { what, series: None, sent: None }));
        }
        gone.into_iter().filter_map(|line| line.series).for_each(|series| model.unplot(series));
        drop(model);
        self.show = show;
        (self.table, self.graph) = (0, 0);
    }

    /// Builds the next turn.
    pub fn turn(&mut self) -> Vec<Message> {
        let Rows { number, rows, .. } = self.state.rows();
        let mut turn = Turn::default();
        if std::mem::replace(&mut self.table, number) != number {
            self.table(&rows, &mut turn);
        }
        let now = clock::boottime();
        if self.show.graph && now.saturating_sub(self.graph) >= GRAPH_EVERY {
            self.graph = now;
            let words = self.show.rows.as_ref().map_or("", |part| &part.filter);
            graph(&rows, &Filter::new(words), &mut turn);
        }
        let state = self.state.clone();
        let mut model = state.watch.model();
        self.points(&mut model, &rows, &mut turn);
        let mut done = 0;
        for key in &self.order {
            if turn.is_full() {
                break;
            }
            if let Some(card) = self.cards.get_mut(key)
                && !card.push(&mut model, (number, &rows), &mut turn)
            {
                break;
            }
            done += 1;
        }
        drop(model);
        // Cards that did not fit come first in the next turn.
        self.order.rotate_left(done);
        if let Some(deck) = &self.state.deck
            && let Some((number, words)) = deck.state(self.deck)
        {
            self.deck = number;
            turn.push_json(&words);
        }
        for trouble in self.state.watch.troubles(&mut self.troubles) {
            turn.push(&json!({ "op": "error", "text": format!("{}: {}", trouble.domain, trouble.words) }));
        }
        turn.messages()
    }

    fn table(&self, rows: &[Row], turn: &mut Turn) {
        #[derive(Serialize)]
        struct Table<'a> {
            op: &'static str,
            total: usize,
            rate_hz: f64,
            bytes_per_s: f64,
            shown: usize,
            from: usize,
            rows: &'a [&'a Row],
        }
        let Some(part) = &self.show.rows else { return };
        let filter = Filter::new(&part.filter);
        let mut shown: Vec<&Row> = rows.iter().filter(|row| filter.matches(row)).collect();
        sort(&mut shown, part.sort, part.down);
        let to = part.to.min(shown.len());
        let from = part.from.min(to).max(to.saturating_sub(ROWS));
        turn.push(&Table {
            op: "rows",
            total: rows.len(),
            rate_hz: rows.iter().map(|row| row.rate_hz).sum(),
            bytes_per_s: rows.iter().map(|row| row.bytes_per_s).sum(),
            shown: shown.len(),
            from,
            rows: &shown[from..to],
        });
    }

    fn points(&mut self, model: &mut Model, rows: &[Row], turn: &mut Turn) {
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
        if !all.is_empty() {
            turn.push(&json!({ "op": "points", "series": all }));
        }
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let mut model = self.state.watch.model();
        self.cards.values_mut().for_each(|card| card.close(&mut model));
        self.lines.iter().filter_map(|line| line.series).for_each(|series| model.unplot(series));
    }
}

/// The graph of publishers and subscribers, on channels that pass the filter.
fn graph(rows: &[Row], filter: &Filter, turn: &mut Turn) {
    let row = |row: &Row| {
        json!({
            "domain": row.domain, "channel": row.channel, "type_name": row.type_name, "rate_hz": row.rate_hz,
            "stale": row.stale, "publishers": row.publishers, "subscribers": row.subscribers,
        })
    };
    let channels: Vec<Json> = rows.iter().filter(|row| filter.matches(row)).take(GRAPH).map(row).collect();
    turn.push(&json!({ "op": "graph", "channels": channels }));
}
