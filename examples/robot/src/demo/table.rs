//! The view: the table of the channels, and its output as a frame or a line.

use std::collections::HashMap;
use std::time::Duration;

use saltus_channel::{Channel, Directory, Subscriber, SubscriberOptions, Until, Which};

use super::crew::{LOGGER, ROLES};
use super::ledger::Ledger;
use super::picture::{self, EXAGGERATED, HEIGHT, WIDTH};
use super::text::time;
use crate::channels::{CHANNELS, CREW, HEALTH};
use crate::error::Result;
use crate::wire::types::{Crew, Event, Member, Obstacle, Truth};
use crate::wire::{self, Message};

/// Time between two readings, and between two frames.
pub const PERIOD: Duration = Duration::from_millis(50);

/// A channel in the table.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Messages in the last second.
    pub rate: f64,
    /// p50 and maximum latency of the last second, ns, over all readers that wait or run at 1 kHz.
    pub latency: Option<(u64, u64)>,
    /// Messages missed by all readers since the start.
    pub missed: i64,
}

/// The displayed data.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// A hint at another way to watch the robot.
    pub look_at: String,
    /// Seconds since the start.
    pub elapsed: f64,
    /// The simulation's state.
    pub truth: Truth,
    /// The newest message of `robot-watch`.
    pub obstacle: Option<Obstacle>,
    /// The table.
    pub rows: Vec<Row>,
    /// p50 and maximum time from sensor to motor in the last second, ns.
    pub reflex: Option<(u64, u64)>,
    /// The processes, each with its mark, in lines.
    pub crew: Vec<String>,
    /// Number of kills and freezes.
    pub deeds: (i64, i64),
    /// Number of pushes.
    pub pushes: i64,
    /// Whether chaos is on.
    pub chaos: bool,
    /// Incidents, the newest last.
    pub events: Vec<String>,
    /// The newest tilts, one per reading, degrees.
    pub tilts: Vec<f64>,
    /// Whether keys are read.
    pub keys: bool,
}

/// Columns of the table.
const TABLE: usize = 51;
/// Most tilts that are kept: more than the widest terminal shows.
const TILTS: usize = 2000;

impl View {
    /// The view as one line.
    pub fn line(&self) -> String {
        let t = &self.truth;
        let missed: i64 = self.rows.iter().map(|row| row.missed).sum();
        format!(
            "{:6.1} s  tilt {:+6.2}°  way {:+.2} m  imu {:.0} Hz  sensor to motor {}  missed {missed}  \
             kills {} freezes {}",
            self.elapsed,
            t.tilt.to_degrees(),
            t.x,
            self.rows.iter().find(|row| row.name == "imu").map_or(0.0, |row| row.rate),
            span(self.reflex),
            self.deeds.0,
            self.deeds.1,
        )
    }

    /// The view as a frame for a terminal of this size. The last row stays free for the cursor.
    pub fn frame(&self, (columns, rows): (usize, usize), colour: bool) -> Vec<String> {
        let paint = |code: &str, text: String| {
            if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text }
        };
        let t = &self.truth;
        let (health, verdict) = match t.tilt.abs() {
            _ if t.fell > 0 => ("31", "it lies on the ground"),
            _ if t.step == 0 => ("33", "starting"),
            tilt if tilt > 0.1 => ("33", "it staggers"),
            _ => ("32", "it stands"),
        };
        // A narrower terminal has no room for the robot beside the table.
        let narrow = columns < TABLE + 1 + WIDTH;
        let (name, gap, wider) = if narrow { ("", " ", " ") } else { ("saltus demo ", "  ", "   ") };
        let mut lines = vec![
            format!(
                "{name}{:5.1} s{wider}{}{wider}tilt {:+.2}°{wider}kills {}{gap}freezes {}{gap}pushes {}{}",
                self.elapsed,
                paint(health, verdict.into()),
                t.tilt.to_degrees(),
                self.deeds.0,
                self.deeds.1,
                self.pushes,
                if self.chaos { "  chaos" } else { "" },
            ),
            match self.look_at.split_once(": ") {
                Some((_, what)) if narrow => what.to_owned(), // so that all of it is seen
                _ => self.look_at.clone(),
            },
        ];
        let head = format!("{:<18}{:>6} {:>8} {:>8} {:>7}", "channel", "Hz", "p50", "max 1s", "missed");
        let mut table = vec![paint("1", head)];
        for row in &self.rows {
            let (p50, max) = row.latency.map_or(("-".into(), "-".into()), |(a, b)| (time(a), time(b)));
            table.push(format!("{:<18}{:>6.0} {p50:>8} {max:>8} {:>7}", row.name, row.rate, row.missed));
        }
        table.push(format!("sensor to motor {}", span(self.reflex)));

        let crew = if narrow { wrapped(&self.crew, columns) } else { self.crew.clone() };

        // The remaining space is for the chart, the events and a larger robot, in this order.
        let picture = if narrow { 0 } else { HEIGHT };
        let least = lines.len() + table.len().max(picture) + crew.len() + 1;
        let spare = rows.saturating_sub(1 + least);
        let chart = spare.div_ceil(3).min(6);
        let events = (spare - chart).div_ceil(2).min(8);
        let body = table.len().max(HEIGHT) + (spare - chart - events).min(16);

        if narrow {
            lines.extend(table);
        } else {
            let wide = columns.saturating_sub(TABLE + 1).clamp(WIDTH, 2 * body + WIDTH);
            for (k, left) in picture::draw(t, wide, body).into_iter().enumerate() {
                lines.push(format!("{} {}", paint(health, left), table.get(k).map_or("", String::as_str)));
            }
        }
        lines.extend(picture::chart(&self.tilts, columns, chart).into_iter().map(|row| paint(health, row)));
        lines.extend(crew);
        let newest = &self.events[self.events.len().saturating_sub(events)..];
        lines.extend_from_slice(newest);
        lines.resize(lines.len() + events - newest.len(), String::new());
        lines.push(match self.keys {
            true => paint("1", "k kill  f freeze  p push  c chaos on/off  q end".into()),
            false => format!("tilt drawn {EXAGGERATED}×; Ctrl-C stops"),
        });
        lines
    }
}

/// The parts of these lines, in lines of at most `columns`.
fn wrapped(lines: &[String], columns: usize) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for part in lines.iter().flat_map(|line| line.split("  ")) {
        match all.last_mut() {
            Some(line) if line.chars().count() + 2 + part.chars().count() <= columns => {
                line.extend(["  ", part]);
            }
            _ => all.push(part.to_owned()),
        }
    }
    all
}

fn span(times: Option<(u64, u64)>) -> String {
    times.map_or("-".into(), |(p50, max)| format!("{} (max {})", time(p50), time(max)))
}

fn event_line(event: &Event) -> String {
    let back = match event.away {
        0 => String::new(),
        away => format!(", back after {}", time(away.unsigned_abs())),
    };
    format!("{:7.2} s  {} (process {}) {}{back}", event.at as f64 * 1e-9, event.role, event.pid, event.what)
}

/// Builds the view from the channels only, as any process that may read them could.
pub struct Table {
    /// The view.
    pub view: View,
    channels: Vec<Channel>,
    published: Vec<u64>,
    ledger: Ledger,
    /// The role of each process ID, past and present.
    roles: HashMap<u32, usize>,
    crew: Subscriber,
    truth: Subscriber,
    obstacle: Subscriber,
    buf: Vec<u8>,
    counted: f64,
}

impl Table {
    /// Opens the channels.
    pub fn open(domain: &Directory) -> Result<Table> {
        let channels = CHANNELS.iter().map(|p| domain.open_channel(p.name)).collect::<Result<Vec<_>, _>>()?;
        let quiet = SubscriberOptions::new().poll_every(PERIOD);
        let watch = |name: &str| domain.open_channel(name)?.subscriber_with(quiet);
        Ok(Table {
            view: View {
                look_at: format!("in another terminal: saltus --domain {} spy", domain.url()),
                ..View::default()
            },
            published: vec![0; channels.len()],
            channels,
            ledger: Ledger::open(&domain.open_channel(HEALTH)?, true)?,
            roles: HashMap::new(),
            crew: watch(CREW)?,
            truth: watch("truth")?,
            obstacle: watch("obstacle")?,
            buf: Vec::new(),
            counted: 0.0,
        })
    }

    /// Reads the channels. Returns whether the demo has ended.
    pub fn look(&mut self) -> Result<bool> {
        let mut over = false;
        if let Some(state) = newest::<Crew>(&mut self.crew, &mut self.buf)? {
            over = state.over;
            self.take(&state);
        }
        if let Some(truth) = newest(&mut self.truth, &mut self.buf)? {
            self.view.truth = truth;
            if self.view.tilts.len() == TILTS {
                self.view.tilts.drain(..TILTS / 2);
            }
            self.view.tilts.push(self.view.truth.tilt.to_degrees());
        }
        if let Some(obstacle) = newest(&mut self.obstacle, &mut self.buf)? {
            self.view.obstacle = Some(obstacle);
        }
        while self.ledger.next(|pid| self.roles.get(&pid).copied())?.is_some() {}
        Ok(over)
    }

    fn take(&mut self, state: &Crew) {
        self.view.elapsed = state.elapsed as f64 * 1e-9;
        self.view.deeds = (state.kills, state.freezes);
        (self.view.pushes, self.view.chaos) = (state.pushes, state.chaos);
        self.view.events = state.events.iter().map(event_line).collect();
        let mut signs = Vec::new();
        for m in &state.members {
            let Some(role) = ROLES.iter().position(|role| *role == m.role) else { continue };
            self.roles.insert(m.pid as u32, role);
            let sign = match m.state {
                Member::RUNNING => '●',
                Member::FROZEN => '∗',
                _ => '○',
            };
            signs.push(format!("{sign} {}", m.role));
        }
        self.view.crew = signs.chunks(5).map(|some| some.join("  ")).collect();
    }

    /// Rebuilds the table from the measurements since the last time.
    pub fn count(&mut self) {
        let seconds = (self.view.elapsed - self.counted).max(1e-3);
        self.counted = self.view.elapsed;
        self.view.reflex = middle_and_longest(self.ledger.take_recent_reflex());
        self.view.rows.clear();
        for (k, place) in CHANNELS.iter().enumerate() {
            // A channel that cannot be read shows no rate.
            let lanes = self.channels[k].info().map(|info| info.lanes).unwrap_or_default();
            let published: u64 = lanes.iter().map(|lane| lane.published).sum();
            let rate = published.saturating_sub(self.published[k]) as f64 / seconds;
            self.published[k] = published;
            // The logger polls at its own times, so its latency says nothing about the channel.
            let (times, missed) = self.ledger.take_recent(k, LOGGER);
            let latency = middle_and_longest(times);
            if self.published[k] > 0 {
                self.view.rows.push(Row { name: place.name, rate, latency, missed });
            }
        }
    }
}

/// The newest message, if it is new.
fn newest<M: Message>(subscriber: &mut Subscriber, buf: &mut Vec<u8>) -> Result<Option<M>> {
    match subscriber.receive_vec(Which::Newest, Until::Poll, buf) {
        Ok(sample) => Ok(sample.and_then(|_| wire::read(buf).ok())),
        Err(saltus_channel::Error::Overrun { .. }) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

fn middle_and_longest(mut times: Vec<u64>) -> Option<(u64, u64)> {
    times.sort_unstable();
    Some((*times.get(times.len() / 2)?, *times.last()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_fits_a_small_terminal_and_has_no_colour_without_it() {
        let rows = vec![
            Row {
                name: "wheel/right/state",
                rate: 1000.0,
                latency: Some((99_900, 99_999_999)),
                missed: 9_999_999
            };
            CHANNELS.len()
        ];
        let events = vec!["x".to_owned(); 8];
        let crew = vec!["y".to_owned(); 2];
        let view = View { rows, events, crew, tilts: vec![1.0; 500], ..View::default() };
        for (columns, rows) in [(80, 24), (200, 60), (100, 24), (80, 60), (20, 5)] {
            let frame = view.frame((columns, rows), false);
            assert!(frame.len() < rows.max(24), "{} lines of {rows}", frame.len());
            let wide = |line: &String| line.chars().count() > columns.max(80) || line.contains('\x1b');
            assert!(!frame.iter().any(wide), "{columns} by {rows}: {frame:#?}");
            if rows == 60 {
                assert!(
                    frame.len() > 45 && frame.iter().filter(|line| *line == "x").count() == 8,
                    "{frame:#?}"
                );
            }
        }
        let narrow = View {
            look_at: "in another terminal: saltus --domain shm:///dev/shm/saltus-demo-12345 spy".into(),
            crew: vec!["● logger  ● estimator  ● balance  ● wheel left  ● wheel right".into()],
            ..view.clone()
        };
        let frame = narrow.frame((60, 24), false);
        assert!(frame.iter().all(|line| line.chars().count() <= 60), "{frame:#?}");
        assert_eq!(frame[1], "saltus --domain shm:///dev/shm/saltus-demo-12345 spy");
        assert!(frame.iter().any(|line| line == "● wheel right"), "{frame:#?}");
        assert!(view.frame((80, 24), true).iter().any(|line| line.contains("\x1b[3")));
        assert!(view.line().contains("tilt"));
    }
}
