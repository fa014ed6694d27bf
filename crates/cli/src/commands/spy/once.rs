//! The table once, for scripts.

use std::time::{Duration, Instant};

use saltus_spy::{Column, Watch, sort};
use saltus_spy_tui::{cell, is_number, title};

use crate::exit::{Outcome, say};
use crate::print::out::Out;
use crate::stop;
use saltus_text::table::{Align, Table};

/// Watches for a while, prints, and ends.
pub(crate) fn run(watch: &Watch, interval: Duration, json: bool) -> Outcome {
    stop::when_output_closes();
    if !stop::sleep_until(Instant::now() + interval) {
        return Ok(());
    }
    let mut rows = watch.model().rows();
    sort(&mut rows, Column::Channel, false);
    for trouble in watch.troubles(&mut 0) {
        say(format_args!("{}: {}", trouble.domain, trouble.words));
    }
    let mut out = Out::new()?;
    if json {
        rows.iter().try_for_each(|row| out.json(row))?;
        return out.flush();
    }
    let align = |column| if is_number(column) { Align::Right } else { Align::Left };
    let mut table = Table::new(&Column::ALL.map(|column| (title(column), align(column))));
    rows.iter().for_each(|row| table.row(Column::ALL.iter().map(|column| cell(*column, row)).collect()));
    table.lines().iter().try_for_each(|line| out.line(line))?;
    rows.iter()
        .filter_map(|row| Some((&row.channel, row.mismatch.as_ref()?)))
        .try_for_each(|(channel, words)| out.line(format_args!("{channel}: {words}")))?;
    out.flush()
}
