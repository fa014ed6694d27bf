//! What is shown while the robot runs: a picture and a table, or a line a second.

use std::io::Write;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use saltus_channel::Domain;

use super::table::{Table, View};
use crate::error::Result;
use crate::sys;
use crate::wire::messages::Truth;

/// How it goes, as the supervisor tells the screen.
pub struct Glance {
    /// Time since the start.
    pub elapsed: Duration,
    /// The world.
    pub truth: Truth,
    /// The processes, each with its sign, in lines.
    pub crew: Vec<String>,
    /// Processes killed and frozen.
    pub deeds: (usize, usize),
    /// Once a second, what was measured in it.
    pub second: Option<Second>,
}

/// What was measured in a second.
pub struct Second {
    /// Times from sensor to motor, ns.
    pub reflex: Vec<u64>,
    /// Channel by channel: times from publish to receive, ns, and how many were missed since the beginning.
    pub channels: Vec<(Vec<u64>, u64)>,
}

/// A thread that makes the picture and the table, and writes them.
///
/// It runs like any other program, while its supervisor runs before all: neither the making nor a terminal or a
/// pipe that is held up keeps the supervisor from its duty.
pub struct Screen {
    glances: Option<SyncSender<Glance>>,
    thread: Option<JoinHandle<()>>,
}

impl Screen {
    /// Starts the thread. `draws`: a picture on standard output, which is a terminal. Otherwise a line a second, on
    /// standard output, or on standard error if the other is `for_report` alone.
    pub fn open(domain: &Domain, draws: bool, for_report: bool) -> Result<Screen> {
        let mut table = Table::open(domain)?;
        let (glances, next) = sync_channel(4);
        let thread = std::thread::spawn(move || {
            // Whoever listened may have gone.
            let say = |line: &str| match for_report {
                true => drop(writeln!(std::io::stderr(), "{line}")),
                false => drop(writeln!(std::io::stdout(), "{line}")),
            };
            let mut terminal = draws.then(Terminal::new);
            if terminal.is_none() {
                say(&format!("look around meanwhile: saltus --domain {} stat", table.view.domain));
            }
            for glance in next {
                let is_second = table.take(glance);
                match &mut terminal {
                    Some(terminal) => terminal.draw(&table.view),
                    None if is_second => say(&table.view.line()),
                    None => {}
                }
            }
        });
        Ok(Screen { glances: Some(glances), thread: Some(thread) })
    }

    /// Shows how it goes, unless what was shown before is still being written.
    pub fn show(&self, glance: Glance) {
        if let Some(glances) = &self.glances {
            let _ = glances.try_send(glance);
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.glances = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A terminal that is drawn on.
struct Terminal {
    lines: usize,
    /// Whether colours are wanted, see <https://no-color.org>.
    colour: bool,
}

impl Terminal {
    fn new() -> Terminal {
        let colour = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        Terminal { lines: 0, colour }
    }

    /// Draws a frame over the one before.
    fn draw(&mut self, view: &View) {
        let (columns, rows) = sys::terminal_size().unwrap_or((80, 24));
        let mut text = match self.lines {
            0 => "\x1b[?25l".to_owned(), // no cursor meanwhile
            n => format!("\x1b[{n}A"),
        };
        let frame = view.frame(self.colour);
        self.lines = frame.len().min(rows.saturating_sub(1));
        for line in &frame[..self.lines] {
            text += &clip(line, columns);
            text += "\x1b[K\n";
        }
        text += "\x1b[J";
        // A terminal that went away ends the drawing, not the robot.
        let mut out = std::io::stdout();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let mut out = std::io::stdout();
        let _ = write!(out, "\x1b[?25h").and_then(|()| out.flush());
    }
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
}
