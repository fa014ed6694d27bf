//! What is shown: the table of the channels, and all of it as a frame or a line.

use std::collections::HashMap;

use saltus_channel::{Channel, Domain, Subscriber, SubscriberOptions, Until, Which};

use super::crew::{LOGGER, ROLES};
use super::ledger::Ledger;
use super::picture::{self, EXAGGERATED};
use super::screen::PERIOD;
use super::text::time;
use crate::channels::{CHANNELS, CREW, HEALTH};
use crate::error::Result;
use crate::wire::types::{Crew, Member, Obstacle, Truth};
use crate::wire::{self, Message};

/// A channel in the table.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Messages in the last second.
    pub rate: f64,
    /// p50 and longest latency of the last second, over all readers that wait or work at 1 kHz, ns.
    pub latency: Option<(u64, u64)>,
    /// Missed since the beginning, by all readers.
    pub missed: i64,
}

/// Everything that can be shown.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Where to look with `saltus`.
    pub domain: String,
    /// Seconds since the start.
    pub elapsed: f64,
    /// The world.
    pub truth: Truth,
    /// What the watch sees.
    pub obstacle: Option<Obstacle>,
    /// The table.
    pub rows: Vec<Row>,
    /// p50 and longest time from sensor to motor in the last second, ns.
    pub reflex: Option<(u64, u64)>,
    /// The processes, each with its sign, in lines.
    pub crew: Vec<String>,
    /// Processes killed and frozen.
    pub deeds: (i64, i64),
}

impl View {
    /// One line.
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

    /// The picture and the table, for a terminal.
    pub fn frame(&self, colour: bool) -> Vec<String> {
        let t = &self.truth;
        let paint = |code: &str, text: String| {
            if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text }
        };
        let mut lines = vec![
            format!("saltus demo  {:5.1} s  SALTUS_DOMAIN={}", self.elapsed, self.domain),
            format!(
                "tilt {:+6.2}° (drawn {EXAGGERATED}×)  way {:+.2} m  heading {:+.0}°  {}",
                t.tilt.to_degrees(),
                t.x,
                t.heading.to_degrees(),
                self.obstacle.as_ref().map_or(String::new(), |o| format!("nearest {:.2} m ahead", o.range)),
            ),
        ];
        let head = format!("{:<18}{:>6} {:>8} {:>8} {:>7}", "channel", "Hz", "p50", "max 1s", "missed");
        let mut table = vec![paint("1", head)];
        for row in &self.rows {
            let (p50, max) = row.latency.map_or(("-".into(), "-".into()), |(a, b)| (time(a), time(b)));
            table.push(format!("{:<18}{:>6.0} {p50:>8} {max:>8} {:>7}", row.name, row.rate, row.missed));
        }
        let health = match t.tilt.abs() {
            _ if t.fell > 0 => "31",
            tilt if tilt > 0.1 => "33",
            _ => "32",
        };
        let picture = picture::draw(t);
        for k in 0..table.len().max(picture.len()) {
            let left = picture.get(k).cloned().unwrap_or_else(|| " ".repeat(picture::WIDTH));
            lines.push(format!("{} {}", paint(health, left), table.get(k).map_or("", String::as_str)));
        }
        lines.push(format!(
            "sensor to motor {}   kills {}  freezes {}",
            span(self.reflex),
            self.deeds.0,
            self.deeds.1
        ));
        lines.extend_from_slice(&self.crew);
        lines
    }
}

fn span(times: Option<(u64, u64)>) -> String {
    times.map_or("-".into(), |(p50, max)| format!("{} (max {})", time(p50), time(max)))
}

/// Makes the view, of the channels alone: any process that may read them could.
pub struct Table {
    /// What is shown.
    pub view: View,
    channels: Vec<Channel>,
    published: Vec<u64>,
    ledger: Ledger,
    /// Which role a process has or had.
    roles: HashMap<u32, usize>,
    crew: Subscriber,
    truth: Subscriber,
    obstacle: Subscriber,
    buf: Vec<u8>,
    counted: f64,
}

impl Table {
    /// Opens the channels.
    pub fn open(domain: &Domain) -> Result<Table> {
        let channels = CHANNELS.iter().map(|p| domain.open_channel(p.name)).collect::<Result<Vec<_>, _>>()?;
        let quiet = SubscriberOptions::new().quiet(PERIOD);
        let watch = |name: &str| domain.open_channel(name)?.subscriber_with(quiet);
        Ok(Table {
            view: View { domain: domain.url(), ..View::default() },
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

    /// Looks at the channels. Whether it is over.
    pub fn look(&mut self) -> Result<bool> {
        let mut over = false;
        if let Some(state) = newest::<Crew>(&mut self.crew, &mut self.buf)? {
            over = state.over;
            self.take(&state);
        }
        if let Some(truth) = newest(&mut self.truth, &mut self.buf)? {
            self.view.truth = truth;
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

    /// Makes the table anew, of what was measured since it was made last.
    pub fn count(&mut self) {
        let seconds = (self.view.elapsed - self.counted).max(1e-3);
        self.counted = self.view.elapsed;
        self.view.reflex = middle_and_longest(self.ledger.take_recent_reflex());
        self.view.rows.clear();
        for (k, place) in CHANNELS.iter().enumerate() {
            // A channel that cannot be looked at shows no rate.
            let lanes = self.channels[k].info().map(|info| info.lanes).unwrap_or_default();
            let published: u64 = lanes.iter().map(|lane| lane.published).sum();
            let rate = published.saturating_sub(self.published[k]) as f64 / seconds;
            self.published[k] = published;
            // The logger looks when it likes to: that says nothing of the channel.
            let (times, missed) = self.ledger.take_recent(k, LOGGER);
            let latency = middle_and_longest(times);
            self.view.rows.push(Row { name: place.name, rate, latency, missed });
        }
    }
}

/// The newest message, if it has not been seen.
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
        let view = View { rows, ..View::default() };
        let frame = view.frame(false);
        assert!(frame.len() <= 23, "{} lines", frame.len());
        assert!(
            frame[2..].iter().all(|line| line.chars().count() <= 80 && !line.contains('\x1b')),
            "{frame:#?}"
        );
        assert!(view.frame(true).iter().any(|line| line.contains("\x1b[32m")));
        assert!(view.line().contains("tilt"));
    }
}
