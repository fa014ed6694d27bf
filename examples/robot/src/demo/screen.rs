//! The process that shows the demo: a picture and a table, or one line per second.
//!
//! It only reads the channels. Neither its work, nor a blocked terminal or pipe, can delay the supervisor: they share only the channels, so
//! there is no lock to wait for.

use std::io::Write;
use std::time::Duration;

use saltus_channel::{Directory, clock, rt};

use super::svg;
use super::table::{PERIOD, Table, View};
use crate::channels::{REQUEST, place};
use crate::error::Result;
use crate::life::Writer;
use crate::sys;
use crate::wire::types::Request;

/// Time between two updates of the table, or between two lines without a terminal.
const SECOND: Duration = Duration::from_secs(1);
/// Time of the first table: early, because an empty one shows nothing.
const FIRST: Duration = Duration::from_millis(300);

/// Runs until the supervisor reports the end.
pub fn run(draws: bool) -> Result<()> {
    // The parent has real-time priority, which this process does not need. This call is never refused.
    let _ = rt::set_other();
    sys::set_name("demo-screen");
    sys::catch_stop_signals(); // and continues: Ctrl-C is for the supervisor
    if draws {
        sys::end_with_supervisor();
    } else {
        sys::die_with_supervisor();
    }
    let domain = Directory::from_env()?;
    let mut table = Table::open(&domain)?;
    if let Ok(url) = std::env::var(sys::PAGE) {
        table.view.look_at = format!("in a browser: {url}");
    }
    let mut requests = Writer::open(place(REQUEST)?, &domain)?;
    let mut terminal = draws.then(Terminal::new);
    // The reader may be gone.
    let say = |line: &str| drop(writeln!(std::io::stdout(), "{line}"));
    if !draws {
        say(&table.view.look_at);
    }
    let mut table_due = FIRST.as_secs_f64();
    loop {
        let over = table.look()?;
        let counts = table.view.elapsed >= table_due;
        if counts {
            table_due = table.view.elapsed + SECOND.as_secs_f64();
            table.count();
        }
        match &mut terminal {
            Some(terminal) => {
                let keys = sys::read_keys();
                table.view.keys = keys.is_some();
                for request in keys.iter().flatten().filter_map(|key| request(*key)) {
                    requests.publish(&request)?;
                }
                terminal.draw(&table.view)
            }
            None if counts => say(&table.view.line()),
            None => {}
        }
        if over {
            sys::cook_terminal();
            return Ok(());
        }
        saltus_os::process::sleep_until(clock::monotonic() + PERIOD.as_nanos() as u64);
    }
}

/// Watches until the chart of the tilt is full, and draws one frame as a picture.
pub fn picture() -> Result<String> {
    let mut table = Table::open(&Directory::from_env()?)?;
    let size = (96, 40);
    for k in 0..2 * size.0 {
        if k % 20 == 0 {
            table.count();
        }
        table.look()?;
        saltus_os::process::sleep_until(clock::monotonic() + PERIOD.as_nanos() as u64);
    }
    table.view.keys = true;
    Ok(svg::picture(&table.view.frame(size, true), size.0))
}

/// The command of a key.
fn request(key: u8) -> Option<Request> {
    let what = match key.to_ascii_lowercase() {
        b'k' => Request::KILL,
        b'f' => Request::FREEZE,
        b'p' => Request::PUSH,
        b'c' => Request::CHAOS,
        b'q' => Request::END,
        _ => return None,
    };
    Some(Request { what, check: 0 })
}

/// The terminal.
struct Terminal {
    lines: usize,
    /// Whether to use colors, see <https://no-color.org>.
    colour: bool,
}

impl Terminal {
    fn new() -> Terminal {
        let colour = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        Terminal { lines: 0, colour }
    }

    /// Draws a frame over the previous one.
    fn draw(&mut self, view: &View) {
        let (columns, rows) = sys::terminal_size().unwrap_or((80, 24));
        // The cursor stays visible, so that nothing must be restored after a kill.
        let mut text = if self.lines > 0 { format!("\x1b[{}A", self.lines) } else { String::new() };
        let frame = view.frame((columns, rows), self.colour);
        self.lines = frame.len().min(rows.saturating_sub(1));
        for line in &frame[..self.lines] {
            text += &clip(line, columns);
            text += "\x1b[K\n";
        }
        text += "\x1b[J";
        // A closed terminal ends the drawing, not the robot.
        let mut out = std::io::stdout();
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}

/// The part of a line that fits. Color codes take no space.
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
