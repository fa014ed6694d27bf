//! LCM's figures: the echo test, bytes on the link, and the fraction of a car's traffic that is sustained.

use super::figure::{Figure, VALUES, latency, lines, medians, rows, words};
use crate::case::{Case, Scenario};
use crate::diagrams::{Axis, Line, Panel};
use crate::plan_papers::{ECHO_CLIENTS, ECHO_RATES};
use crate::results::{Note, Results, Row};
use crate::stats::median;
use crate::workload::{BANDWIDTH, MODULES, RATE};

/// All figures of the paper.
pub fn figures(results: &Results) -> Vec<Figure> {
    vec![echo(results), traffic(results), urban(results)]
}

/// Megabytes of answers per second, for each client, over the measured windows.
fn bandwidth(row: &Row<'_>) -> f64 {
    median(&row.cell.rates()).unwrap_or(0.0) * row.cell.case.size as f64 / 1e6
}

fn echo(results: &Results) -> Figure {
    let mut figure = Figure { name: "echo", ..Figure::default() };
    for clients in ECHO_CLIENTS {
        let rows = rows(results, Scenario::Echo, |case| case.readers == clients);
        if rows.is_empty() {
            continue;
        }
        let offered = |case: &Case| f64::from(case.rate) * case.size as f64 / 1e6;
        let title = format!("Round trip, {clients} clients, against the offered rate");
        figure.panels.extend(latency(&rows, &title, ("MB/s offered", Axis::Log), offered, &VALUES[1..3]));
        figure.panels.push(Panel {
            title: format!("Answers of each client, {clients} clients"),
            x: ("MB/s offered".into(), Axis::Log),
            y: ("MB/s".into(), Axis::Log),
            lines: lines(&rows, offered, bandwidth),
        });
        for rate in ECHO_RATES {
            let own = rows.iter().filter(|row| row.cell.case.rate == rate);
            figure.shows.extend(own.map(|row| {
                let (offered, got) = (offered(&row.cell.case), bandwidth(row));
                format!(
                    "{clients} clients, {offered} MB/s, `{}`: {got:.1} MB/s of answers from each; round trip {}",
                    row.cell.contender,
                    words(row)
                )
            }));
        }
    }
    figure
}

/// Bytes on the link per message: notes, one per repetition, of which the median is drawn.
fn traffic(results: &Results) -> Figure {
    let notes: Vec<&Note> = results.notes.iter().filter(|n| n.case.scenario == Scenario::Traffic).collect();
    let mut drawn: Vec<Line> = Vec::new();
    for (note, bytes) in medians(&notes) {
        let point = (note.case.readers as f64, bytes);
        match drawn.iter_mut().find(|line| line.name == note.contender) {
            Some(line) => line.points.push(point),
            None => drawn.push(Line { name: note.contender.into(), points: vec![point] }),
        }
    }
    let panel = Panel {
        title:
            "Bytes on the link for each message of 800 B (contenders without network traffic are not shown)"
                .into(),
        x: ("subscribers".into(), Axis::Even),
        y: ("bytes".into(), Axis::Log),
        lines: drawn,
    };
    let shows = notes.iter().map(|note| format!("`{}`: {}", note.contender, note.text)).collect();
    Figure {
        name: "traffic",
        panels: if notes.is_empty() { Vec::new() } else { vec![panel] },
        shows,
        ..Figure::default()
    }
}

fn urban(results: &Results) -> Figure {
    let rows = rows(results, Scenario::Urban, |_| true);
    let mut shows = vec![format!(
        "The paper's car: {MODULES} modules, {RATE} messages/s, {:.1} MB/s. Sizes and subscriptions are our choice",
        BANDWIDTH / 1e6
    )];
    let notes = results.notes.iter().filter(|note| note.case.scenario == Scenario::Urban);
    shows.extend(notes.map(|note| format!("`{}`: {}", note.contender, note.text)));
    shows.extend(rows.iter().map(|row| {
        let times = f64::from(row.cell.case.rate) / RATE;
        format!("`{}` at {times:.3} x the paper's load: {}", row.cell.contender, words(row))
    }));
    let x = ("messages per second, all modules", Axis::Log);
    let mut panels =
        latency(&rows, "A car's traffic, against its rate", x, |case| f64::from(case.rate), &VALUES[1..]);
    if !rows.is_empty() {
        panels.push(Panel {
            title: "Fraction of the messages that is lost (those without loss are not shown)".into(),
            x: (x.0.into(), x.1),
            y: ("per cent".into(), Axis::Log),
            lines: lines(&rows, |case| f64::from(case.rate), |row| 100.0 * row.cell.missed()),
        });
    }
    Figure { name: "urban-challenge", panels, shows, ..Figure::default() }
}
