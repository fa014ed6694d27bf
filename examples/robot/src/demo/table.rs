//! What is shown: the table of the channels, and all of it as a frame or a line.

use std::time::Duration;

use saltus_channel::{Channel, Domain};

use super::lidar::newest;
use super::picture::{self, EXAGGERATED};
use super::screen::{Glance, Second};
use super::text::time;
use crate::channels::CHANNELS;
use crate::error::Result;
use crate::wire::Message;
use crate::wire::messages::{Obstacle, Truth};

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
    pub missed: u64,
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
    pub deeds: (usize, usize),
}

impl View {
    /// One line.
    pub fn line(&self) -> String {
        let t = &self.truth;
        let missed: u64 = self.rows.iter().map(|row| row.missed).sum();
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
                self.obstacle.map_or(String::new(), |o| format!("nearest {:.2} m ahead", o.range)),
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

/// The table, and what it is made of: the channels' own counters, and what the supervisor tells.
pub struct Table {
    /// What is shown.
    pub view: View,
    domain: Domain,
    channels: Vec<Channel>,
    published: Vec<u64>,
    second: Duration,
}

impl Table {
    /// Opens the channels.
    pub fn open(domain: &Domain) -> Result<Table> {
        let channels = CHANNELS.iter().map(|p| domain.open_channel(p.name)).collect::<Result<Vec<_>, _>>()?;
        Ok(Table {
            view: View { domain: domain.url(), ..View::default() },
            domain: domain.clone(),
            published: vec![0; channels.len()],
            channels,
            second: Duration::ZERO,
        })
    }

    /// Takes what the supervisor tells. Whether it was a second's.
    pub fn take(&mut self, glance: Glance) -> bool {
        self.view.elapsed = glance.elapsed.as_secs_f64();
        self.view.truth = glance.truth;
        self.view.crew = glance.crew;
        self.view.deeds = glance.deeds;
        let Some(second) = glance.second else { return false };
        let seconds = (glance.elapsed - self.second).as_secs_f64();
        self.second = glance.elapsed;
        self.count(second, seconds);
        true
    }

    fn count(&mut self, second: Second, seconds: f64) {
        self.view.reflex = middle_and_longest(second.reflex);
        self.view.obstacle = newest(&self.domain, "obstacle", |b| Obstacle::parse(b).ok()).ok().flatten();
        self.view.rows.clear();
        for (k, (times, missed)) in second.channels.into_iter().enumerate() {
            // A channel that cannot be looked at shows no rate.
            let lanes = self.channels[k].info().map(|info| info.lanes).unwrap_or_default();
            let published: u64 = lanes.iter().map(|lane| lane.published).sum();
            let rate = published.saturating_sub(self.published[k]) as f64 / seconds;
            self.published[k] = published;
            let latency = middle_and_longest(times);
            self.view.rows.push(Row { name: CHANNELS[k].name, rate, latency, missed });
        }
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
            13
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
