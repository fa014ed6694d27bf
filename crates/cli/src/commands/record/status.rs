//! The status of `record` while it runs, and its totals.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use saltus_record::{Recorder, Status as Now, Total};

use crate::exit::{Outcome, note, note_unread};
use crate::print::live::Live;
use crate::print::out::Out;
use saltus_text::escape::escaped;
use saltus_text::human;
use saltus_text::table::{Align, Table};

/// Prints the status.
pub(crate) struct Status {
    json: bool,
    quiet: bool,
    live: Live,
    start: Instant,
    /// The time of the last reported error.
    trouble: Option<Instant>,
    saved: u32,
    files: usize,
}

impl Status {
    pub(crate) fn new(json: bool, quiet: bool) -> Status {
        Status {
            json,
            quiet,
            live: Live::new(!quiet && !json),
            start: Instant::now(),
            trouble: None,
            saved: 0,
            files: 0,
        }
    }

    /// Prints the name of the file, or how to make it write the kept messages.
    pub(crate) fn started(&mut self, last: Option<Duration>, recorder: &Recorder) {
        let files = recorder.status().files;
        match (self.quiet, files.paths.last()) {
            (true, _) => {}
            (false, Some(path)) => note(format_args!("recording to {}", path.display())),
            (false, None) => {
                let key = if std::io::stdin().is_terminal() { "Enter or " } else { "" };
                let time = last.unwrap_or_default();
                note(format_args!(
                    "keeping the last {time:?}: {key}kill -USR1 {} writes them",
                    std::process::id()
                ));
            }
        }
        self.files = files.paths.len();
    }

    /// Updates the status; called once per second.
    pub(crate) fn show(&mut self, now: &Now) {
        if self.quiet {
            return;
        }
        if now.saved > self.saved {
            self.saved = now.saved;
            self.live.clear();
            note("wrote the kept messages");
        }
        if now.files.paths.len() > self.files {
            self.files = now.files.paths.len();
            self.live.clear();
            now.files.paths.last().inspect(|path| note(format_args!("recording to {}", path.display())));
        }
        let time = human::nanos(self.start.elapsed().as_nanos() as f64);
        self.live.draw(format_args!("{time}: {}", words(now)));
    }

    /// Reports a domain's error that may be temporary, at most once per second.
    pub(crate) fn trouble(&mut self, error: &saltus_domain::Error) {
        if self.trouble.is_none_or(|at| at.elapsed() >= Duration::from_secs(1)) {
            self.trouble = Some(Instant::now());
            self.live.clear();
            note(format_args!("{error}; continuing"));
        }
    }

    pub(crate) fn end(&mut self, recorder: &Recorder) -> Outcome {
        self.live.clear();
        let now = recorder.status();
        if self.json {
            let mut out = Out::new()?;
            recorder.report(|report| out.json(report))?;
            return out.flush();
        }
        if !self.quiet {
            table(recorder).iter().for_each(note);
        }
        for line in recorder.unread() {
            note_unread(&line.domain, line.channel.as_ref(), &line.why);
        }
        if !self.quiet || now.total.has_losses() {
            note(words(&now));
        }
        Ok(())
    }
}

fn words(now: &Now) -> String {
    let Total { received, written, dropped, unread, .. } = now.total;
    let unread = match unread {
        0 => String::new(),
        n => format!(", {n} not read"),
    };
    let files = match now.files.paths.len() {
        1 => String::new(),
        n => format!(" in {}", human::plural(n as u64, "file")),
    };
    format!(
        "received {received}, written {written} ({}{files}), missed {}, dropped {dropped}{unread}",
        human::bytes(now.files.bytes as f64),
        human::missed(now.total.missed, now.total.untold, received),
    )
}

/// The account, one line per channel.
fn table(recorder: &Recorder) -> Vec<String> {
    let number = |title| (title, Align::Right);
    let numbers = ["RECEIVED", "WRITTEN", "MISSED", "DROPPED"].map(number);
    let mut table = Table::new(&[&numbers[..], &[("CHANNEL", Align::Left)]].concat());
    for line in recorder.lines() {
        let counts = &line.counts;
        table.row(vec![
            counts.received.to_string(),
            counts.written.to_string(),
            human::missed(counts.missed, counts.untold, counts.received),
            counts.dropped.to_string(),
            escaped(line.channel.as_bytes()),
        ]);
    }
    table.lines()
}
