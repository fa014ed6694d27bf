//! The page, and the figure: everything in one file, no script, light and dark, on screen and on paper.

use std::fmt::Write;

use plotters::prelude::*;

use super::charts::{self, Area, COLOURS, Drawn, GRID, INK, LIMIT, PAPER};
use super::{Level, Series, time};
use crate::Summary;

/// Width and height of a chart, in pixels of its own.
const SIZE: (u32, u32) = (960, 340);

/// A page of these series: percentiles of all together, and, unless they are only to be compared, each by itself.
pub fn page(
    series: &[Series],
    levels: &[Level],
    compare: bool,
) -> Result<String, Box<dyn std::error::Error>> {
    let all: Vec<&Series> = series.iter().collect();
    let timed: Vec<&Series> = all.iter().copied().filter(|s| !s.intervals.is_empty()).collect();
    let mut body = format!("<h1>Latency</h1>\n{}", table(&all));
    if !levels.is_empty() {
        body += &promises(&all, levels);
    }
    body += &chart(|area| charts::percentiles(area, &all, levels))?;
    if !timed.is_empty() {
        body += &chart(|area| charts::intervals(area, &timed))?;
    }
    for one in all.iter().filter(|_| !compare) {
        let _ = writeln!(body, "<section><h2>{}</h2>", escaped(&one.name));
        if one.cut {
            body += "<p>The file was cut short; this is what is whole of it.</p>\n";
        }
        if !one.intervals.is_empty() {
            body += &chart(|area| charts::heat(area, one))?;
        }
        body += &chart(|area| charts::histogram(area, one))?;
        body += &chart(|area| charts::gaussian(area, one))?;
        let _ = writeln!(body, "<p>{}</p>\n</section>", escaped(&normal(one)));
    }
    if !compare {
        body += &spikes(&all);
    }
    body += &machines(&all);
    body += "<p>Times of one series are counted in one histogram; percentiles are read from it and never averaged.</p>\n";
    Ok(document("Latency", &body))
}

/// A page of its own with this body, in HTML: its style, light and dark, on screen and on paper.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{}</title>\n<style>{}{PAGE}</style></head>\n<body>\n{body}</body></html>\n",
        escaped(title),
        colours()
    )
}

/// One figure of all charts, for a document.
pub fn figure(
    series: &[Series],
    levels: &[Level],
    compare: bool,
) -> Result<String, Box<dyn std::error::Error>> {
    type Chart<'a> = Box<dyn Fn(&Area<'_>) -> Drawn + 'a>;
    let all: Vec<&Series> = series.iter().collect();
    let timed: Vec<&Series> = all.iter().copied().filter(|s| !s.intervals.is_empty()).collect();
    let mut parts: Vec<Chart<'_>> = vec![Box::new(|area| charts::percentiles(area, &all, levels))];
    if !timed.is_empty() {
        parts.push(Box::new(|area| charts::intervals(area, &timed)));
    }
    for one in all.iter().copied().filter(|_| !compare) {
        if !one.intervals.is_empty() {
            parts.push(Box::new(move |area| charts::heat(area, one)));
        }
        parts.push(Box::new(move |area| charts::histogram(area, one)));
        parts.push(Box::new(move |area| charts::gaussian(area, one)));
    }
    stack(SIZE, &parts.iter().map(|part| &**part).collect::<Vec<_>>())
}

/// Charts of one size below each other, as one drawing with its style.
pub(super) fn stack(
    size: (u32, u32),
    parts: &[&dyn Fn(&Area<'_>) -> Drawn],
) -> Result<String, Box<dyn std::error::Error>> {
    let drawn = draw((size.0, size.1 * parts.len() as u32), |area| {
        area.split_evenly((parts.len(), 1)).iter().zip(parts).try_for_each(|(area, part)| part(area))
    })?;
    // How many there are goes into the opening tag, the style behind it.
    let at = drawn.find("<svg").and_then(|from| Some(from + drawn[from..].find('>')?)).unwrap_or(0);
    let (opening, rest) = drawn.split_at(at);
    let rest = rest.strip_prefix('>').unwrap_or(rest);
    Ok(format!("{opening} data-parts=\"{}\">\n<style>{}</style>{rest}", parts.len(), colours()))
}

fn chart(part: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, Box<dyn std::error::Error>> {
    Ok(format!("<figure>{}</figure>\n", draw(SIZE, part)?))
}

fn draw(
    size: (u32, u32),
    part: impl FnOnce(&Area<'_>) -> Drawn,
) -> Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        area.fill(&PAPER)?;
        part(&area)?;
        area.present()?;
    }
    Ok(text)
}

fn table(series: &[&Series]) -> String {
    let heads = ["", "count", "p50", "p90", "p99", "p99.9", "p99.99", "max", "mean", "σ", "(max − mean)/σ"];
    let heads = heads.map(|head| format!("<th>{head}</th>")).concat();
    let mut text = format!("<table><thead><tr>{heads}</tr></thead><tbody>\n");
    for (n, one) in series.iter().enumerate() {
        let Some(s) = Summary::of(&one.times) else { continue };
        let (mean, deviation) = (one.times.mean(), one.times.stdev());
        let times = [s.p50, s.p90, s.p99, s.p999, s.p9999, s.max].map(|ns| time(ns as f64));
        let rest = [time(mean), time(deviation), format!("{:.1}", far(one))];
        let cells: String = times.iter().chain(&rest).map(|cell| format!("<td>{cell}</td>")).collect();
        let RGBColor(r, g, b) = COLOURS[n % COLOURS.len()];
        let _ = writeln!(
            text,
            "<tr><th style=\"border-left:6px solid #{r:02x}{g:02x}{b:02x}\">{}</th><td>{}</td>{cells}</tr>",
            escaped(&one.name),
            s.count
        );
    }
    text + "</tbody></table>\n"
}

/// How many deviations the longest time lies from the mean.
fn far(one: &Series) -> f64 {
    let deviation = one.times.stdev();
    if deviation > 0.0 { (one.times.max() as f64 - one.times.mean()) / deviation } else { 0.0 }
}

fn normal(one: &Series) -> String {
    format!(
        "The longest of {} times, {}, lies {:.1} standard deviations from the mean. Of so many normally distributed \
         times none would be expected beyond {:.1}.",
        one.times.len(),
        time(one.times.max() as f64),
        far(one),
        beyond(one.times.len())
    )
}

/// How many deviations from the mean the longest of so many normally distributed values is expected, about.
pub(super) fn beyond(count: u64) -> f64 {
    // The tail's usual approximation, turned round in a few steps.
    let target = (count.max(2) as f64).ln();
    let tail = |z: f64| z * z / 2.0 + (z * std::f64::consts::TAU.sqrt()).ln();
    let (mut low, mut high) = (0.4, 40.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if tail(middle) < target { low = middle } else { high = middle }
    }
    low
}

fn promises(series: &[&Series], levels: &[Level]) -> String {
    let mut text = String::from("<table><thead><tr><th>service level</th>");
    series.iter().for_each(|one| {
        let _ = write!(text, "<th>{}</th>", escaped(&one.name));
    });
    text += "</tr></thead><tbody>\n";
    for level in levels {
        let _ = write!(text, "<tr><th>{} % within {}</th>", level.percent, time(level.limit as f64));
        for one in series {
            let (value, kept) = level.of(&one.times);
            let _ =
                write!(text, "<td>{} {}</td>", if kept { "kept:" } else { "missed:" }, time(value as f64));
        }
        text += "</tr>\n";
    }
    text + "</tbody></table>\n"
}

/// The spikes of each file, once: all series of a file have them.
fn spikes(series: &[&Series]) -> String {
    let mut text = String::new();
    for (n, one) in series.iter().enumerate() {
        if one.spikes.is_empty() || series[..n].iter().any(|other| other.spikes == one.spikes) {
            continue;
        }
        let _ = writeln!(text, "<section><h2>Spikes of {}</h2><ol>", escaped(&one.name));
        one.spikes.iter().for_each(|spike| {
            let _ = writeln!(text, "<li>{}</li>", escaped(spike));
        });
        text += "</ol>\n";
        if one.spike_count > one.spikes.len() {
            let _ = writeln!(text, "<p>The first {} of {}.</p>", one.spikes.len(), one.spike_count);
        }
        text += "</section>\n";
    }
    text
}

fn machines(series: &[&Series]) -> String {
    let mut text = String::new();
    for (n, one) in series.iter().enumerate() {
        if one.machine.is_empty() || series[..n].iter().any(|other| other.machine == one.machine) {
            continue;
        }
        let _ = writeln!(
            text,
            "<section><h2>Machine of {}</h2><table class=\"facts\"><tbody>",
            escaped(&one.name)
        );
        for (name, value) in &one.machine {
            let _ = writeln!(text, "<tr><th>{}</th><td>{}</td></tr>", escaped(name), escaped(value));
        }
        text += "</tbody></table></section>\n";
    }
    text
}

/// Text for a page.
pub fn escaped(text: &str) -> String {
    let entity = |c: char| match c {
        '&' => "&amp;".into(),
        '<' => "&lt;".into(),
        '>' => "&gt;".into(),
        '"' => "&quot;".into(),
        c if c.is_control() => "\u{fffd}".into(),
        c => String::from(c),
    };
    text.chars().map(entity).collect()
}

/// The style that turns a drawing's colours round on a dark screen, but not on paper.
fn colours() -> String {
    let rule = |RGBColor(r, g, b): RGBColor, dark: &str| {
        let hex = format!("#{r:02X}{g:02X}{b:02X}");
        format!("svg [fill=\"{hex}\"]{{fill:{dark}}}svg [stroke=\"{hex}\"]{{stroke:{dark}}}")
    };
    let rules = [
        rule(PAPER, "#15181d"),
        rule(INK, "#e4e7ec"),
        rule(GRID, "#343a44"),
        rule(LIMIT, "#ff6b81"),
        rule(COLOURS[0], "#4aa8e0"),
    ];
    format!("@media screen and (prefers-color-scheme:dark){{{}}}", rules.concat())
}

const PAGE: &str = "
:root{color-scheme:light dark}
body{font:15px/1.5 sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;background:#fff;color:#20242a}
h1,h2{line-height:1.2;overflow-wrap:anywhere}
figure{margin:1em 0;break-inside:avoid}
figure svg{max-width:100%;height:auto}
pre{overflow-x:auto;font-size:.87em}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:1em 0;display:block;overflow-x:auto}
th,td{padding:.25em .6em;text-align:right;border-bottom:1px solid #d8dce2;white-space:nowrap}
tbody th,.facts td,.words{text-align:left}
.words{white-space:normal}
.drawn{position:absolute}
@media screen and (prefers-color-scheme:dark){body{background:#15181d;color:#e4e7ec}th,td{border-color:#343a44}}
@media print{body{margin:0;max-width:none;font-size:10pt}section{break-before:page}section.short{break-before:auto}th,td{padding:.15em .4em;font-size:8pt}
table{display:table;overflow:visible}tr{break-inside:avoid}h1,h2,h3,h4,h5{break-after:avoid}pre{white-space:pre-wrap}}
";
