//! DALi's figures: latency against subscribers and size, throughput without loss, processor use, connections, and the module
//! graph of the cWalker.

use super::figure::{Figure, VALUES, ends, latency, lines, medians, ranking, rows, words};
use crate::case::{Case, Scenario};
use crate::diagrams::{Axis, Panel, Rows};
use crate::plan_papers::{DALI_READERS, DALI_SIZES};
use crate::results::{Note, Results, Row};
use crate::stats::median;
use crate::table::{count, ns};

/// All figures of the paper.
pub fn figures(results: &Results) -> Vec<Figure> {
    vec![
        super::features::figure(),
        against_subscribers(results),
        against_size(results),
        processor_use(results),
        without_loss(results),
        connections(results),
        cwalker(results),
    ]
}

fn readers(case: &Case) -> f64 {
    case.readers as f64
}

fn against_subscribers(results: &Results) -> Figure {
    let mut figure = Figure { name: "against-subscribers", ..Figure::default() };
    for size in DALI_SIZES {
        let rows = rows(results, Scenario::Paced, |case| case.size == size);
        let title = format!("{size} B at 1 kHz, against subscribers");
        figure.panels.extend(latency(&rows, &title, ("subscribers", Axis::Even), readers, &VALUES));
        figure
            .shows
            .extend(ends(&rows, readers, "subscribers").into_iter().map(|s| format!("{size} B: {s}")));
        let most = rows.iter().map(|row| row.cell.case.readers).max().unwrap_or(0);
        let own = rows.iter().filter(|row| row.cell.case.readers == most);
        figure.shows.extend(ranking(own, &format!("{size} B to {most} subscribers")));
    }
    figure
}

fn against_size(results: &Results) -> Figure {
    let mut figure = Figure { name: "against-size", ..Figure::default() };
    let bytes = |case: &Case| case.size as f64;
    for readers in DALI_READERS {
        let rows = rows(results, Scenario::Paced, |case| case.readers == readers);
        let title = format!("{readers} subscribers at 1 kHz, against size");
        figure.panels.extend(latency(&rows, &title, ("bytes", Axis::Log), bytes, &VALUES));
        let reported = ends(&rows, bytes, "B").into_iter();
        figure.shows.extend(reported.map(|line| format!("{readers} subscribers: {line}")));
    }
    figure
}

fn processor_use(results: &Results) -> Figure {
    let rows = rows(results, Scenario::Paced, |case| case.size == DALI_SIZES[0]);
    let shows =
        ["shm://", "udpm://", "tcpq://", "zmq://", "dds://", "zenoh://"].into_iter().filter_map(|name| {
            let mut own: Vec<_> = rows.iter().filter(|row| row.cell.contender == name).collect();
            own.sort_by_key(|row| row.cell.case.readers);
            let reported: Vec<String> = [own.first()?, own.last()?]
                .iter()
                .filter_map(|row| Some((row.cell.case.readers, row.cell.cpu_per_message()?)))
                .map(|(readers, cpu)| format!("{} to {readers} subscribers", ns(cpu)))
                .collect();
            Some(format!(
                "`{name}`: processor time of all processes for each message of {} B: {}",
                DALI_SIZES[0],
                reported.join(", ")
            ))
        });
    let shows = shows.collect();
    let drawn = lines(&rows, readers, |row| row.cell.cpu_per_message().unwrap_or(f64::NAN));
    let panel = Panel {
        title: format!("Processor time for each message of {} B, all processes together", DALI_SIZES[0]),
        x: ("subscribers".into(), Axis::Even),
        y: ("processor time".into(), Axis::Time),
        lines: drawn,
    };
    Figure {
        name: "processor-use",
        panels: if rows.is_empty() { Vec::new() } else { vec![panel] },
        shows,
        ..Figure::default()
    }
}

fn without_loss(results: &Results) -> Figure {
    let rows = rows(results, Scenario::Lossless, |_| true);
    let rate = |row: &Row<'_>| median(&row.cell.rates()).unwrap_or(0.0);
    let drawn = lines(&rows, |case| case.size as f64, rate);
    let shows = rows.iter().map(|row| {
        let (who, size, rate) = (row.cell.contender, row.cell.case.size, rate(row));
        match rate {
            0.0 => format!("`{who}`, {size} B: messages were lost even at the lowest rate"),
            rate => {
                let (bytes, rate, readers) = (rate * size as f64 / 1e6, count(rate), row.cell.case.readers);
                format!("`{who}`, {size} B: {rate} messages/s ({bytes:.1} MB/s) to each of {readers} subscribers, nothing lost")
            }
        }
    });
    let shows = shows.collect();
    let panel = Panel {
        title: format!("Highest rate without loss, {} subscribers", DALI_READERS[0]),
        x: ("bytes".into(), Axis::Log),
        y: ("messages a second".into(), Axis::Log),
        lines: drawn,
    };
    Figure {
        name: "without-loss",
        panels: if rows.is_empty() { Vec::new() } else { vec![panel] },
        shows,
        ..Figure::default()
    }
}

fn connections(results: &Results) -> Figure {
    let notes: Vec<&Note> =
        results.notes.iter().filter(|note| note.case.scenario == Scenario::Connections).collect();
    let shows = notes.iter().map(|note| format!("`{}`: {}", note.contender, note.text)).collect();
    let opened = |(note, opened): (&Note, f64)| (note.contender.to_owned(), vec![opened]);
    let diagram = Rows {
        title: "Subscribers of one channel, each with a separate domain, until one failed or the limit was reached".into(),
        x: ("subscribers".into(), Axis::Even),
        marks: vec!["subscribers"],
        rows: medians(&notes).into_iter().map(opened).collect(),
    };
    let rows = if notes.is_empty() { Vec::new() } else { vec![diagram] };
    Figure { name: "connections", rows, shows, ..Figure::default() }
}

/// A diagram for each module with inputs.
fn cwalker(results: &Results) -> Figure {
    let rows = rows(results, Scenario::Cwalker, |_| true);
    let shows = rows.iter().map(|row| {
        let case = &row.cell.case;
        format!("{}, {} inputs, over `{}`: {}", case.part, case.writers, row.cell.contender, words(row))
    });
    let mut diagrams: Vec<Rows> = Vec::new();
    for row in &rows {
        let case = &row.cell.case;
        let title = format!("The cWalker's {}, {} inputs", case.part, case.writers);
        let values = VALUES[1..].iter().map(|(_, value)| value(row)).collect();
        let line = (row.cell.contender.to_owned(), values);
        match diagrams.iter_mut().find(|one| one.title == title) {
            Some(one) => one.rows.push(line),
            None => diagrams.push(Rows {
                title,
                x: ("latency since due".into(), Axis::Time),
                marks: VALUES[1..].iter().map(|(name, _)| *name).collect(),
                rows: vec![line],
            }),
        }
    }
    Figure { name: "cwalker", shows: shows.collect(), rows: diagrams, ..Figure::default() }
}
