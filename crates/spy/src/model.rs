//! The model: computes the displayed state from messages and the time.

use crate::channel::{Channel, Counted, Seen};
use crate::mismatch;
use crate::opened::{Decoded, Opened};
use crate::row::{ChannelId, Row};
use crate::series::{Point, Series, SeriesId, csv};
use crate::text::{escaped, harmless_lines};
use crate::tree::{Expand, Tree};
use crate::unit::unit;
use saltus_domain::Description;
use saltus_log::{Kind, Types};
use saltus_types::{Record, Schema};
use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

/// Limits of a model.
#[derive(Clone, Debug)]
pub struct Options {
    /// Window for rates and periods.
    pub window: Duration,
    /// Most messages per second of an opened channel that are decoded: always the newest.
    pub decode_hz: f64,
    /// The same for a channel with a plotted number.
    pub plot_hz: f64,
    /// Most values of a plot that are kept.
    pub points: usize,
    /// Most plots at a time.
    pub plots: usize,
    /// Most channels. Further ones are only counted.
    pub channels: usize,
    /// Types known from the start, with which channels are compared.
    pub types: Vec<Arc<Schema>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            window: Duration::from_secs(2),
            decode_hz: 30.0,
            plot_hz: 1000.0,
            points: 20_000,
            plots: 64,
            channels: 10_000,
            types: Vec::new(),
        }
    }
}

/// The state of every channel. Does no I/O and reads no clock.
#[derive(Debug)]
pub struct Model {
    options: Options,
    now: u64,
    channels: Vec<Channel>,
    /// By domain and name.
    numbers: HashMap<(Arc<str>, Vec<u8>), ChannelId>,
    types: Types,
    /// Types of the type directories, by name.
    local: HashMap<String, Kind>,
    /// Descriptions read so far.
    learned: HashSet<(ChannelId, u64)>,
    series: Vec<Series>,
    next_series: u32,
    overflow: u64,
}

impl Options {
    /// Least time between two decoded messages of an opened channel, in ns.
    fn apart(&self, opened: &Opened) -> u64 {
        let hz = if opened.plots > 0 { self.plot_hz } else { self.decode_hz };
        if hz > 0.0 { (1e9 / hz) as u64 } else { 0 }
    }
}

impl Model {
    /// A model without channels.
    pub fn new(options: Options) -> Model {
        let (mut types, mut local) = (Types::new(), HashMap::new());
        for schema in &options.types {
            types.add_all(schema);
            for id in schema.ids() {
                let kind = Kind::lcm(schema, id);
                local.insert(kind.name(), kind);
            }
        }
        Model {
            options,
            now: 0,
            channels: Vec::new(),
            numbers: HashMap::new(),
            types,
            local,
            learned: HashSet::new(),
            series: Vec::new(),
            next_series: 0,
            overflow: 0,
        }
    }

    /// The ID of a channel, which is added if it is new. `None` if there are too many.
    pub fn channel(&mut self, domain: &str, name: &[u8]) -> Option<ChannelId> {
        let key = (Arc::from(domain), name.to_vec());
        if let Some(id) = self.numbers.get(&key).copied() {
            self.channels[id.0 as usize].gone = false;
            return Some(id);
        }
        if self.channels.len() >= self.options.channels {
            self.overflow += 1;
            return None;
        }
        let id = ChannelId(self.channels.len() as u32);
        let window = u64::try_from(self.options.window.as_nanos()).unwrap_or(u64::MAX);
        self.channels.push(Channel::new(id, key.0.clone(), name, self.now, window));
        self.numbers.insert(key, id);
        Some(id)
    }
    /// The ID of the channel with this escaped name; the first if several domains have one.
    pub fn find(&self, name: &str) -> Option<ChannelId> {
        self.channels.iter().find(|channel| channel.name == name && !channel.gone).map(|channel| channel.id)
    }
    /// Marks the channel as removed. Its row is hidden until the next call of [`Model::channel`] for it.
    pub fn gone(&mut self, id: ChannelId) {
        if let Some(channel) = self.get_mut(id) {
            channel.gone = true;
        }
    }
    /// Number of times that a channel was refused because there are too many.
    pub fn overflow(&self) -> u64 {
        self.overflow
    }
    /// The last time passed in.
    pub fn now(&self) -> u64 {
        self.now
    }

    fn get(&self, id: ChannelId) -> Option<&Channel> {
        self.channels.get(id.0 as usize)
    }
    fn get_mut(&mut self, id: ChannelId) -> Option<&mut Channel> {
        self.channels.get_mut(id.0 as usize)
    }

    /// Adds a message.
    pub fn message(&mut self, now: u64, id: ChannelId, seen: &Seen<'_>) {
        self.now = self.now.max(now);
        let Some(channel) = self.channels.get_mut(id.0 as usize) else { return };
        let is_new = channel.message(self.now, seen);
        self.note_contents(id, seen);
        if is_new {
            self.compare(id);
        }
    }

    /// Decodes a message of an opened channel, if it is complete. Does not count it: it may be old.
    pub fn note_contents(&mut self, id: ChannelId, seen: &Seen<'_>) {
        let Some(channel) = self.channels.get_mut(id.0 as usize) else { return };
        if seen.data.len() == seen.size
            && let Some(opened) = &mut channel.opened
        {
            let time = seen.published.unwrap_or(seen.arrived);
            let apart = self.options.apart(opened);
            let decoded = opened.take(self.now, time, seen.data, &self.types, apart);
            self.was_decoded(id, decoded);
        }
    }
    /// Opened channels without a complete message so far. Pass the newest kept message to [`Model::note_contents`].
    pub fn opened_in_vain(&self) -> Vec<ChannelId> {
        let vain =
            |channel: &&Channel| channel.opened.as_ref().is_some_and(|opened| opened.bytes().is_empty());
        self.channels.iter().filter(vain).map(|channel| channel.id).collect()
    }

    /// Adds the counts of publishers and subscribers.
    pub fn counted(&mut self, now: u64, id: ChannelId, counted: Counted) {
        self.now = self.now.max(now);
        let now = self.now;
        if let Some(channel) = self.get_mut(id) {
            channel.counted(now, counted);
        }
    }

    fn was_decoded(&mut self, id: ChannelId, decoded: Decoded) {
        let Some(channel) = self.channels.get_mut(id.0 as usize) else { return };
        match decoded {
            Decoded::Broken => channel.undecodable += 1,
            Decoded::Now(time) => {
                let Some(record) = channel.opened.as_ref().and_then(|opened| opened.record()) else { return };
                for series in self.series.iter_mut().filter(|series| series.channel == id) {
                    if !std::mem::replace(&mut series.looked, true) {
                        series.unit = unit_of(record, &series.path);
                    }
                    if let Some(value) = record.get(&series.path).and_then(|value| value.as_f64()) {
                        series.push(Point { time, value }, self.options.points);
                    }
                }
            }
            Decoded::Later | Decoded::Unknown => {}
        }
    }

    /// Advances the time: moves windows, and decodes waiting messages. Call it about as often as a front end draws.
    pub fn tick(&mut self, now: u64) {
        self.now = self.now.max(now);
        for i in 0..self.channels.len() {
            let channel = &mut self.channels[i];
            channel.tick(self.now);
            let id = channel.id;
            if let Some(opened) = &mut channel.opened {
                let apart = self.options.apart(opened);
                let decoded = opened.turn(self.now, &self.types, apart);
                self.was_decoded(id, decoded);
            }
        }
    }

    /// Whether the newest message of a channel has an unknown type.
    pub fn wants_type(&self, id: ChannelId) -> bool {
        self.get(id).and_then(Channel::newest_key).is_some() && self.kind(id).is_none()
    }
    /// The type of the newest message of a channel, open or not.
    pub fn kind(&self, id: ChannelId) -> Option<&Arc<Kind>> {
        self.types.of(&self.get(id)?.newest_key()?)
    }
    /// Whether the channel is opened, so that complete messages are needed.
    pub fn wants_whole(&self, id: ChannelId) -> bool {
        self.get(id).is_some_and(|channel| channel.opened.is_some())
    }

    /// Reads publishers' descriptions of a channel's messages. Skips invalid ones, and those beyond the limits.
    pub fn learn(&mut self, id: ChannelId, descriptions: &[Description]) {
        for description in descriptions {
            if self.learned.len() < 65_536 && self.learned.insert((id, description.fingerprint)) {
                self.types.learn(&description.name, &description.schema);
            }
        }
        if let Some(opened) = self.get_mut(id).and_then(|channel| channel.opened.as_mut()) {
            opened.again();
        }
        self.compare(id);
    }
    /// Adds types.
    pub fn add_types(&mut self, schema: &Arc<Schema>) {
        self.types.add_all(schema);
    }

    /// Compares the channel's type with the one of the same name in the type directories.
    fn compare(&mut self, id: ChannelId) {
        let Some(key) = self.get(id).and_then(Channel::newest_key) else { return };
        let published = self.types.of(&key);
        let words = published.and_then(|published| {
            let local = self.local.get(&published.name())?;
            (local.fingerprint() != published.fingerprint()).then(|| mismatch::local(local, published))
        });
        if let Some(channel) = self.get_mut(id) {
            channel.local = words;
        }
    }

    /// The rows of all channels, in the order in which they were added.
    pub fn rows(&self) -> Vec<Row> {
        let there = self.channels.iter().filter(|channel| !channel.gone);
        there.map(|channel| channel.row(self.now, &self.types)).collect()
    }
    /// The row of one channel.
    pub fn row(&self, id: ChannelId) -> Option<Row> {
        self.get(id).map(|channel| channel.row(self.now, &self.types))
    }

    /// Histogram of a channel's publication-to-reception times: upper bound in ns, and count. If subscribers count them, a subscriber that
    /// exits takes its counts along.
    pub fn latencies(&self, id: ChannelId) -> Vec<(u64, u64)> {
        self.get(id).map(Channel::latencies).unwrap_or_default()
    }

    fn opened(&mut self, id: ChannelId) -> Option<&mut Opened> {
        self.get_mut(id).map(|channel| &mut **channel.opened.get_or_insert_default())
    }
    fn drop_unused(&mut self, id: ChannelId) {
        if let Some(channel) = self.get_mut(id) {
            channel.opened.take_if(|opened| opened.users == 0 && opened.plots == 0);
        }
    }

    /// Opens a channel: its messages are decoded until it is closed as often as it was opened.
    pub fn open(&mut self, id: ChannelId) {
        if let Some(opened) = self.opened(id) {
            opened.users += 1;
        }
    }
    /// Closes a channel once.
    pub fn close(&mut self, id: ChannelId) {
        if let Some(opened) = self.get_mut(id).and_then(|channel| channel.opened.as_mut()) {
            opened.users = opened.users.saturating_sub(1);
        }
        self.drop_unused(id);
    }
    /// The newest message of an opened channel, with short arrays expanded. `None` if it is not open.
    pub fn tree(&self, id: ChannelId) -> Option<Tree> {
        self.tree_with(id, &Expand::new())
    }
    /// The same with other nodes expanded.
    pub fn tree_with(&self, id: ChannelId, expand: &Expand) -> Option<Tree> {
        let channel = self.get(id)?;
        let tree = channel.opened.as_ref()?.tree(expand);
        Some(Tree { domain: channel.domain.to_string(), channel: channel.name.clone(), ..tree })
    }
    /// The newest decoded message of an opened channel.
    pub fn record(&self, id: ChannelId) -> Option<&Record> {
        self.get(id)?.opened.as_ref()?.record()
    }
    /// Number of decoded messages of an opened channel. If it is unchanged, so is the record.
    pub fn decoded(&self, id: ChannelId) -> u64 {
        self.get(id).and_then(|channel| channel.opened.as_ref()).map_or(0, |opened| opened.decoded)
    }
    /// The bytes of the newest message of an opened channel.
    pub fn bytes(&self, id: ChannelId) -> Option<&[u8]> {
        self.get(id)?.opened.as_ref().map(|opened| opened.bytes())
    }

    /// Starts to keep the values of a number, such as `position[0]`. Returns `None` for an unknown channel, or if there are too many plots.
    /// Plotting the same number twice returns the same series, which must then be removed twice.
    pub fn plot(&mut self, id: ChannelId, path: &str) -> Option<SeriesId> {
        if let Some(known) = self.series.iter_mut().find(|s| s.channel == id && s.path == path) {
            known.users += 1;
            return Some(known.id);
        }
        let channel = self.get(id).filter(|_| self.series.len() < self.options.plots)?;
        let record = channel.opened.as_ref().and_then(|opened| opened.record());
        let (unit, looked) = (record.and_then(|record| unit_of(record, path)), record.is_some());
        let name = format!("{}:{}", channel.name, escaped(path.as_bytes()));
        self.opened(id)?.plots += 1;
        let series = SeriesId(self.next_series);
        self.next_series = self.next_series.wrapping_add(1);
        let (path, points) = (path.to_string(), VecDeque::new());
        self.series.push(Series { id: series, channel: id, name, path, unit, points, looked, users: 1 });
        Some(series)
    }
    /// Removes a plot.
    pub fn unplot(&mut self, id: SeriesId) {
        let Some(at) = self.series.iter().position(|series| series.id == id) else { return };
        self.series[at].users -= 1;
        if self.series[at].users > 0 {
            return;
        }
        let channel = self.series.remove(at).channel;
        if let Some(opened) = self.opened(channel) {
            opened.plots = opened.plots.saturating_sub(1);
        }
        self.drop_unused(channel);
    }
    /// All series, in the order of their creation.
    pub fn series(&self) -> &[Series] {
        &self.series
    }
    /// Writes series as CSV: a line for each time, with seconds of boot time and a column for each series.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn csv(&self, which: &[SeriesId], out: &mut dyn Write) -> io::Result<()> {
        let chosen: Vec<&Series> = self.series.iter().filter(|series| which.contains(&series.id)).collect();
        csv(&chosen, out)
    }
}

/// The unit of the field at a path.
fn unit_of(record: &Record, path: &str) -> Option<String> {
    let (parent, last) = path.rsplit_once('.').map_or((None, path), |(parent, last)| (Some(parent), last));
    let name = last.split('[').next()?;
    let doc = match parent {
        None => record.definition().field(name)?.1.doc.clone(),
        Some(parent) => record.get(parent)?.as_record()?.definition().field(name)?.1.doc.clone(),
    };
    unit(&harmless_lines(&doc))
}
