//! The page and the figure: one file each, without scripts, for light and dark mode, screen and paper.

use std::fmt::Write;

use plotters::prelude::*;

use super::charts::{self, Area, COLOURS, Drawn, GRID, INK, LIMIT, PAPER};
use super::{Level, Series, Spike, time};
use crate::Summary;

/// Width and height of a chart, in its own pixels, and of one for a narrow screen.
const SIZE: (u32, u32) = (960, 340);
const NARROW: (u32, u32) = (340, 280);
/// Number of spikes that are visible, and of those folded below them.
const WORST: usize = 20;
const FURTHER: usize = 200;

/// A page of these series: first the result; then, folded, charts of all series and, unless `compare` is set, of each one.
pub fn page(
    series: &[Series],
    levels: &[Level],
    compare: bool,
) -> Result<String, Box<dyn std::error::Error>> {
    let all: Vec<&Series> = series.iter().collect();
    let timed: Vec<&Series> = all.iter().copied().filter(|s| !s.intervals.is_empty()).collect();
    let mut body = format!("<h1>Latency</h1>\n{}{}", result(&all, levels), summary(&all, levels));
    body += &chart(|area| charts::percentiles(area, &all, levels))?;
    body += &folded("All percentiles", &table(&all));
    if !levels.is_empty() {
        body += &folded("Service levels", &promises(&all, levels));
    }
    if !timed.is_empty() {
        body += &folded("Maximum over time", &chart(|area| charts::intervals(area, &timed))?);
    }
    for one in all.iter().filter(|_| !compare) {
        let mut part = String::new();
        if !one.intervals.is_empty() {
            part += &chart(|area| charts::heat(area, one))?;
        }
        part += &chart(|area| charts::histogram(area, one))?;
        part += &chart(|area| charts::gaussian(area, one))?;
        let _ = writeln!(part, "<p>{}</p>", escaped(&normal(one)));
        body += &folded(&format!("{}: heat map, histogram, normal distribution", one.name), &part);
    }
    if !compare {
        body += &spikes(&all);
    }
    body += &machines(&all);
    body += "<p class=\"aside\">The times of a series form one histogram, from which percentiles are read; they are never averaged.</p>\n";
    Ok(document("Latency", &body))
}

/// A section that opens with a click.
fn folded(title: &str, part: &str) -> String {
    format!("<details><summary>{}</summary>\n{part}</details>\n", escaped(title))
}

/// The result in a sentence or two: the longest time, and the service levels that are met.
fn result(series: &[&Series], levels: &[Level]) -> String {
    let Some(worst) = series.iter().max_by_key(|one| one.times.max()) else { return String::new() };
    let mut text = format!(
        "<p class=\"result\">Longest: <b>{}</b> in {}.",
        time(worst.times.max() as f64),
        escaped(&worst.name)
    );
    let kept = |one: &&&Series| levels.iter().all(|level| level.of(&one.times).1);
    match (levels, series.iter().filter(kept).count(), series.len()) {
        ([], ..) => {}
        (_, kept, all) if kept == all => text += " <b class=\"kept\">All service levels are kept.</b>",
        (_, kept, 1) => {
            text += if kept == 1 { "" } else { " <b class=\"missed\">A service level is missed.</b>" }
        }
        (_, kept, all) => {
            let _ =
                write!(text, " <b class=\"missed\">{} of {all} series miss a service level.</b>", all - kept);
        }
    }
    if let Some(cut) = series.iter().find(|one| one.cut) {
        let _ = write!(text, " {} was cut short; this report covers its complete part.", escaped(&cut.name));
    }
    text + "</p>\n"
}

/// The summary table, with a verdict for each series.
fn summary(series: &[&Series], levels: &[Level]) -> String {
    let last = if levels.is_empty() { "max / p99" } else { "service levels" };
    let names = ["count", "p50", "p99", "p99.9", "max", last];
    let heads = names.map(|name| format!("<th>{name}</th>")).concat();
    let mut text =
        format!("<table class=\"summary\"><thead><tr><th>series</th>{heads}</tr></thead><tbody>\n");
    for (n, one) in series.iter().enumerate() {
        let Some(s) = Summary::of(&one.times) else { continue };
        let missed = levels.iter().find(|level| !level.of(&one.times).1);
        let verdict = match (levels, missed) {
            ([], _) => format!("{:.1}", s.max as f64 / s.p99.max(1) as f64),
            (_, None) => "<b class=\"kept\">kept</b>".into(),
            (_, Some(level)) => format!(
                "<b class=\"missed\">missed</b>: {} % within {}",
                level.percent,
                time(level.limit as f64)
            ),
        };
        let times = [s.p50, s.p99, s.p999, s.max].map(|ns| time(ns as f64));
        let cells = [s.count.to_string()].into_iter().chain(times).chain([verdict]);
        let cells: String = names
            .iter()
            .zip(cells)
            .map(|(name, cell)| format!("<td data-name=\"{name}\">{cell}</td>"))
            .collect();
        let _ = writeln!(text, "<tr>{}{cells}</tr>", name(n, one));
    }
    text + "</tbody></table>\n"
}

/// The name of a series, with its color.
fn name(n: usize, one: &Series) -> String {
    let RGBColor(r, g, b) = COLOURS[n % COLOURS.len()];
    format!("<th style=\"border-left:6px solid #{r:02x}{g:02x}{b:02x}\">{}</th>", escaped(&one.name))
}

/// A complete HTML page with this body, and with styles for light and dark mode, screen and paper.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><title>{}</title>\n<style>{}{PAGE}</style></head>\n<body>\n{body}</body></html>\n",
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

/// Charts of the same size below each other, as one drawing with its style.
pub fn stack(
    size: (u32, u32),
    parts: &[&dyn Fn(&Area<'_>) -> Drawn],
) -> Result<String, Box<dyn std::error::Error>> {
    let drawn = draw((size.0, size.1 * parts.len() as u32), |area| {
        area.split_evenly((parts.len(), 1)).iter().zip(parts).try_for_each(|(area, part)| part(area))
    })?;
    // The opening tag contains their number; the style follows it.
    let at = drawn.find("<svg").and_then(|from| Some(from + drawn[from..].find('>')?)).unwrap_or(0);
    let (opening, rest) = drawn.split_at(at);
    let rest = rest.strip_prefix('>').unwrap_or(rest);
    Ok(format!("{opening} data-parts=\"{}\">\n<style>{}</style>{rest}", parts.len(), colours()))
}

/// A chart, drawn for wide and for narrow screens; the page shows one of them.
fn chart(part: impl Fn(&Area<'_>) -> Drawn) -> Result<String, Box<dyn std::error::Error>> {
    let [wide, narrow] = [draw(SIZE, &part)?, draw(NARROW, &part)?];
    Ok(format!("<figure class=\"wide\">{wide}</figure>\n<figure class=\"narrow\">{narrow}</figure>\n"))
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
        let _ = writeln!(text, "<tr>{}<td>{}</td>{cells}</tr>", name(n, one), s.count);
    }
    text + "</tbody></table>\n"
}

/// The distance of the longest time from the mean, in standard deviations.
fn far(one: &Series) -> f64 {
    let deviation = one.times.stdev();
    if deviation > 0.0 { (one.times.max() as f64 - one.times.mean()) / deviation } else { 0.0 }
}

fn normal(one: &Series) -> String {
    format!(
        "The longest of {} times, {}, is {:.1} standard deviations from the mean. Of the same number of normally distributed \
         times, none would be expected beyond {:.1}.",
        one.times.len(),
        time(one.times.max() as f64),
        far(one),
        beyond(one.times.len())
    )
}

/// The approximate expected distance of the longest of `count` normally distributed values from the mean, in standard deviations.
pub(super) fn beyond(count: u64) -> f64 {
    // Inverts the usual approximation of the tail iteratively.
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

/// The longest spikes of each file, once, because all series of a file share them.
fn spikes(series: &[&Series]) -> String {
    let mut text = String::new();
    for (n, one) in series.iter().enumerate() {
        let all = &one.spikes;
        if all.count == 0 || series[..n].iter().any(|other| other.spikes == *all) {
            continue;
        }
        let (worst, more) = all.longest.split_at(all.longest.len().min(WORST));
        let mut part = spike_table(worst);
        let further = &more[..more.len().min(FURTHER)];
        if !further.is_empty() {
            part += &folded(&format!("The next {}", further.len()), &spike_table(further));
        }
        let shown = worst.len() + further.len();
        if all.count > shown {
            let _ = writeln!(part, "<p>The log has {} shorter ones.</p>", all.count - shown);
        }
        let longest = all.longest.first().map_or(0, |spike| spike.length);
        let longest =
            if longest > 0 { format!(", the longest {}", time(longest as f64)) } else { String::new() };
        let count = if all.count == 1 { "1 spike".to_string() } else { format!("{} spikes", all.count) };
        text += &folded(&format!("{count} of {}{longest}", one.name), &part);
    }
    text
}

fn spike_table(spikes: &[Spike]) -> String {
    let mut text = String::from(
        "<table class=\"spikes\"><thead><tr><th>length</th><th>at</th><th>cpu</th><th class=\"words\">also counted</th></tr></thead><tbody>\n",
    );
    for spike in spikes {
        let length = if spike.length > 0 { time(spike.length as f64) } else { "–".into() };
        let at = if spike.at.is_empty() { "–".into() } else { format!("{} s", escaped(&spike.at)) };
        let cpu = if spike.cpu.is_empty() { "–".into() } else { escaped(&spike.cpu) };
        let words = escaped(&spike.words);
        let _ = writeln!(
            text,
            "<tr><td>{length}</td><td>{at}</td><td>{cpu}</td><td class=\"words\"><span title=\"{words}\">{words}</span></td></tr>"
        );
    }
    text + "</tbody></table>\n"
}

fn machines(series: &[&Series]) -> String {
    let mut text = String::new();
    for (n, one) in series.iter().enumerate() {
        if one.machine.is_empty() || series[..n].iter().any(|other| other.machine == one.machine) {
            continue;
        }
        let mut facts = String::from("<table class=\"facts\"><tbody>\n");
        for (name, value) in &one.machine {
            let _ = writeln!(facts, "<tr><th>{}</th><td>{}</td></tr>", escaped(name), escaped(value));
        }
        text += &folded(&format!("Machine of {}", one.name), &(facts + "</tbody></table>\n"));
    }
    text
}

/// Escapes text for HTML.
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

/// The style that inverts a drawing's colors in dark mode, but not on paper.
fn colours() -> String {
    let rule = |RGBColor(r, g, b): RGBColor, dark: &str| {
        let hex = format!("#{r:02X}{g:02X}{b:02X}");
        // Selects by the attribute alone: elements shown by `use` are in a separate tree, where no rule finds the outer `svg`.
        format!("[fill=\"{hex}\"]{{fill:{dark}}}[stroke=\"{hex}\"]{{stroke:{dark}}}")
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
figure{margin:1em 0;break-inside:avoid;overflow-x:auto}
figure svg{display:block;max-width:100%;height:auto}
.narrow{display:none}
pre{overflow-x:auto;font-size:.87em}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:1em 0;display:block;overflow-x:auto}
th,td{padding:.25em .6em;text-align:right;border-bottom:1px solid #d8dce2;white-space:nowrap;vertical-align:top}
tbody th,.facts td,.words{text-align:left}
.summary thead th:first-child{text-align:left}
.summary th{max-width:24em;white-space:normal;overflow-wrap:anywhere}
.words,.facts td{white-space:normal;overflow-wrap:break-word}
.spikes .words span{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
.result{font-size:1.15em;overflow-wrap:anywhere}
.aside{opacity:.75;font-size:.9em}
.kept{color:#00704f}.missed{color:#b00020}
details{border-top:1px solid #d8dce2;padding:.1em 0}
details details{border:0}
summary{cursor:pointer;padding:.45em 0;font-weight:600;overflow-wrap:anywhere}
summary>h1,summary>h2,summary>h3{display:inline;font-size:1em}
.drawn{position:absolute}
@media(max-width:700px){
body{margin:1em auto;padding:0 .8em}
h1{font-size:1.5em}
.wide{display:none}.narrow{display:block}.narrow svg{width:100%}
figure:not(.narrow) svg{min-width:640px}
.summary thead{display:none}
.summary,.summary tbody{display:block}
.summary tr{display:grid;grid-template-columns:repeat(3,1fr);border-bottom:1px solid #d8dce2;padding:.4em 0}
.summary tr>*{border-bottom:0;text-align:left;padding:.2em .5em}
.summary tbody th{grid-column:1/-1;max-width:none}
.summary td{white-space:normal}
.summary td::before{content:attr(data-name);display:block;font-size:.8em;opacity:.7}
.spikes,.spikes tbody{display:block}
.spikes thead{display:none}
.spikes tr{display:grid;grid-template-columns:max-content max-content minmax(0,1fr);border-bottom:1px solid #d8dce2;padding:.3em 0}
.spikes td{border-bottom:0;padding:.1em .6em .1em 0;text-align:left}
.spikes td:nth-child(3)::before{content:'cpu '}
.spikes td:first-child{font-weight:600}
.spikes .words{grid-column:1/-1;font-size:.87em}
.facts th{white-space:normal}
table:not(.summary):not(.spikes){font-size:.87em}
.words{padding:.25em .3em}
}
@media screen and (prefers-color-scheme:dark){body{background:#15181d;color:#e4e7ec}th,td,details,.summary tr,.spikes tr{border-color:#343a44}
.kept{color:#3ccf9c}.missed{color:#ff6b81}}
@media print{body{margin:0;max-width:none;font-size:10pt}section{break-before:page}section.short{break-before:auto}th,td{padding:.15em .4em;font-size:8pt}
table{display:table;overflow:visible}tr{break-inside:avoid}h1,h2,h3,h4,h5{break-after:avoid}pre{white-space:pre-wrap}
details::details-content{display:block;content-visibility:visible}}
";
