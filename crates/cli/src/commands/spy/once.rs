//! `saltus spy --once`: print the table once, for scripts.

use std::time::{Duration, Instant};

use saltus_domain::{Name, Pattern, UnreadFinder};
use saltus_spy::{Column, Source, Watch, sort};
use saltus_spy_tui::{cell, is_number, title};

use crate::exit::{Code, Failure, Outcome, note, note_unread};
use crate::print::out::Out;
use crate::stop;
use saltus_text::escape::escaped;
use saltus_text::table::{Align, Table};

/// Finds unreadable channels of each domain, and prints the table.
pub(crate) struct Finders(Vec<(Source, UnreadFinder)>, Out);

impl Finders {
    /// They reserve descriptors, so they are created before the watch, which may use all others.
    pub(crate) fn new(sources: &[Source]) -> Outcome<Finders> {
        let finders =
            sources.iter().map(|source| (source.clone(), UnreadFinder::new(&source.domain))).collect();
        Ok(Finders(finders, Out::new()?))
    }
}

/// Watches for an interval, prints, and returns.
pub(crate) fn run(
    watch: &Watch,
    Finders(mut finders, mut out): Finders,
    interval: Duration,
    json: bool,
) -> Outcome {
    stop::when_output_closes();
    if !stop::sleep_until(Instant::now() + interval) {
        return Ok(());
    }
    let mut rows = watch.model().rows();
    sort(&mut rows, Column::Channel, false);
    for trouble in watch.troubles(&mut 0) {
        note(format_args!("{}: {}", trouble.domain, trouble.words));
    }
    // Existing channels without a row could not be read.
    let mut complete = true;
    for (source, finder) in &mut finders {
        let url = source.domain.url();
        let known = |name: &Name| {
            source.wants.as_ref().is_some_and(|wants| !wants(name))
                || rows.iter().any(|row| row.domain == url && row.channel == escaped(name.as_bytes()))
        };
        for one in finder.look(&Pattern::all(), known) {
            complete = false;
            note_unread(url, one.channel.as_ref(), &one.why);
        }
    }
    let done = if complete { Ok(()) } else { Err(Failure::Reported(Code::Lost)) };
    if json {
        rows.iter().try_for_each(|row| out.json(row))?;
        out.flush()?;
        return done;
    }
    let align = |column| if is_number(column) { Align::Right } else { Align::Left };
    let mut table = Table::new(&Column::ALL.map(|column| (title(column), align(column))));
    rows.iter().for_each(|row| table.row(Column::ALL.iter().map(|column| cell(*column, row)).collect()));
    table.lines().iter().try_for_each(|line| out.line(line))?;
    rows.iter()
        .filter_map(|row| Some((&row.channel, row.mismatch.as_ref()?)))
        .try_for_each(|(channel, words)| out.line(format_args!("{channel}: {words}")))?;
    out.flush()?;
    done
}
