//! What is shown while the robot runs: a picture and a table, or a line a second.

use std::io::Write;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::picture::{self, EXAGGERATED};
use super::text::time;
use crate::sys;
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

/// Standard output or error, written by a thread of its own: a terminal or a pipe that is held up holds up nobody
/// else.
pub struct Screen {
    frames: Option<SyncSender<Vec<String>>>,
    thread: Option<JoinHandle<()>>,
    /// Whether a picture is drawn, rather than lines written.
    pub draws: bool,
    /// Whether colours are wanted, see <https://no-color.org>.
    pub colour: bool,
}

impl Screen {
    /// Draws on standard output, which is a terminal.
    pub fn drawing() -> Screen {
        Screen::open(true, draw)
    }

    /// Writes lines to standard output or, if that is for the report alone, to standard error.
    pub fn writing(to_error: bool) -> Screen {
        Screen::open(false, move |frames| {
            for line in frames.into_iter().flatten() {
                // Whoever listened may have gone.
                let _ = match to_error {
                    true => writeln!(std::io::stderr(), "{line}"),
                    false => writeln!(std::io::stdout(), "{line}"),
                };
            }
        })
    }

    fn open(draws: bool, write: impl FnOnce(Receiver<Vec<String>>) + Send + 'static) -> Screen {
        let (frames, next) = sync_channel(2);
        let thread = std::thread::spawn(move || write(next));
        let colour = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        Screen { frames: Some(frames), thread: Some(thread), draws, colour }
    }

    /// Shows a frame, or lines, unless those before are still being written.
    pub fn show(&self, frame: Vec<String>) {
        if let Some(frames) = &self.frames {
            let _ = frames.try_send(frame);
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.frames = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Draws each frame over the one before.
fn draw(frames: Receiver<Vec<String>>) {
    let mut out = std::io::stdout();
    let mut drawn = 0;
    let _ = write!(out, "\x1b[?25l"); // no cursor meanwhile
    for frame in frames {
        let (columns, rows) = sys::terminal_size().unwrap_or((80, 24));
        let mut text = if drawn > 0 { format!("\x1b[{drawn}A") } else { String::new() };
        drawn = frame.len().min(rows.saturating_sub(1));
        for line in &frame[..drawn] {
            text += &clip(line, columns);
            text += "\x1b[K\n";
        }
        text += "\x1b[J";
        // A terminal that went away ends the drawing, not the robot.
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
            return;
        }
    }
    let _ = write!(out, "\x1b[?25h").and_then(|()| out.flush());
}

/// The part of a line that fits. Colour codes take no room.
fn clip(line: &str, columns: usize) -> String {
    let (mut out, mut room, mut in_code) = (String::new(), columns, false);
    for c in line.chars() {
        if c == '\x1b' {
            in_code = true;
        } else if in_code {
            in_code = c != 'm';
        } else if room == 0 {
            continue;
        } else {
            room -= 1;
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_clipped_but_colours_are_kept() {
        assert_eq!(clip("abcdef", 3), "abc");
        assert_eq!(clip("\x1b[32mabcdef\x1b[0mgh", 7), "\x1b[32mabcdef\x1b[0mg");
        assert_eq!(clip("\x1b[32mabcdef\x1b[0mgh", 2), "\x1b[32mab\x1b[0m");
    }

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
