//! A table that is redrawn in place on a terminal, and printed repeatedly elsewhere.

use std::io::{self, IsTerminal};

use saltus_os::terminal::{self, Stream};
use serde::Serialize;

use crate::exit::Outcome;
use crate::print::out::Out;
use saltus_text::table::{Align, Table, clipped};
use saltus_text::terminal::moves;

/// The output for tables.
pub(crate) struct Screen {
    out: Out,
    live: bool,
    /// Lines of the previous table, which the next one replaces.
    drawn: usize,
}

impl Screen {
    /// Standard output. Redraws in place if `live` and if it is a terminal that can move its cursor.
    pub(crate) fn new(wanted_live: bool) -> Outcome<Screen> {
        let live = wanted_live && io::stdout().is_terminal() && moves();
        Ok(Screen { out: Out::new()?, live, drawn: 0 })
    }

    /// The output for other text.
    pub(crate) fn out(&mut self) -> &mut Out {
        &mut self.out
    }

    /// Prints rows as a table, with `below` after it, or as JSON. A table that is redrawn leaves out columns for which the terminal is too
    /// narrow, first those that come first in `dispensable`.
    pub(super) fn rows<R: Serialize>(
        &mut self,
        json: bool,
        rows: &[R],
        columns: &[(&'static str, Align)],
        dispensable: &[&str],
        cells: impl Fn(&R) -> Vec<String>,
        below: Vec<String>,
    ) -> Outcome {
        if json {
            rows.iter().try_for_each(|row| self.out.json(row))?;
            return self.out.flush();
        }
        let mut table = Table::new(columns);
        rows.iter().for_each(|row| table.row(cells(row)));
        if let Some((width, _)) = terminal::size(Stream::Output).filter(|_| self.live) {
            table = table.fitting(width, dispensable);
        }
        self.show(&[table.lines(), below].concat())
    }

    /// Prints the table in place of the previous one, or below it.
    pub(crate) fn show(&mut self, lines: &[String]) -> Outcome {
        if !self.live {
            if std::mem::replace(&mut self.drawn, lines.len()) > 0 {
                self.out.line("")?;
            }
            lines.iter().try_for_each(|line| self.out.line(line))?;
            return self.out.flush();
        }
        let (columns, rows) = terminal::size(Stream::Output).unwrap_or((80, 24));
        // The cursor stays below the table, so one row less than the terminal has. Lines that do not fit are counted.
        let room = rows.saturating_sub(1).max(1);
        let shown = if lines.len() > room { room - 1 } else { lines.len() };
        if self.drawn > 0 {
            self.out.bytes(format!("\x1b[{}A", self.drawn).as_bytes())?;
        }
        for line in &lines[..shown] {
            self.out.line(format_args!("{}\x1b[K", clipped(line, columns)))?;
        }
        if shown < lines.len() {
            let note = format!("... and {} more", lines.len() - shown);
            self.out.line(format_args!("{}\x1b[K", clipped(&note, columns)))?;
        }
        self.drawn = lines.len().min(room);
        // Erases the rest of a longer table or a larger window.
        self.out.bytes(b"\x1b[J")?;
        self.out.flush()
    }
}
