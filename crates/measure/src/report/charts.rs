//! The charts, drawn by `plotters` as SVG. Colors serve as names: the page's style inverts them for dark mode.

use std::ops::Range;

use hdrhistogram::Histogram;
use plotters::coord::Shift;
use plotters::prelude::*;

use super::heat::bin_start;
use super::{Level, Series, time};

/// The drawing area of charts.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// Errors of drawing, which do not occur in memory.
pub type Drawn = Result<(), Box<dyn std::error::Error>>;

/// The background.
pub const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);
/// The foreground.
pub const INK: RGBColor = RGBColor(0x20, 0x24, 0x2a);
/// Grid lines.
pub const GRID: RGBColor = RGBColor(0xd8, 0xdc, 0xe2);
/// A service level.
pub const LIMIT: RGBColor = RGBColor(0xb0, 0x00, 0x20);
/// The series: Okabe and Ito's colors, which most color-blind people can distinguish.
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
];

/// The shortest time on an axis, in ns. Shorter ones, including 0, are drawn there.
const SHORTEST: f64 = 100.0;

/// The color of series `n`.
pub fn colour(n: usize) -> RGBColor {
    COLOURS[n % COLOURS.len()]
}

/// A font of this many pixels.
pub fn style(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// The range of times for an axis, in whole decades.
fn span(series: &[&Series], levels: &[Level]) -> Range<f64> {
    let longest =
        series.iter().map(|s| s.times.max()).chain(levels.iter().map(|l| l.limit)).max().unwrap_or(1);
    let shortest = series.iter().map(|s| s.times.min_nz()).min().unwrap_or(1) as f64;
    let low = shortest.clamp(SHORTEST, longest.max(1_000) as f64 / 10.0).log10().floor();
    10_f64.powf(low)..10_f64.powf((longest.max(1_000) as f64 * 1.05).log10().ceil())
}

/// Seconds for an axis of this length.
fn seconds(at: f64, all: f64) -> String {
    let digits = if all < 1.0 { 2 } else { usize::from(all < 10.0) };
    format!("{at:.digits$}")
}

fn clamp(ns: u64, span: &Range<f64>) -> f64 {
    (ns as f64).max(span.start)
}

macro_rules! chart {
    ($area:expr, $title:expr, $x:expr, $y:expr) => {
        ChartBuilder::on($area)
            .caption($title, style(17))
            .margin(10)
            .margin_right(34)
            .x_label_area_size(42)
            .y_label_area_size(70)
            .build_cartesian_2d($x, $y)?
    };
}

/// Whether the area is narrow, with fewer labels and shorter titles.
pub(super) fn is_narrow(area: &Area<'_>) -> bool {
    area.dim_in_pixel().0 < 600
}

/// The title of a chart of one series.
fn title(area: &Area<'_>, what: &str, one: &Series) -> String {
    if is_narrow(area) { what.into() } else { format!("{what}: {}", one.name) }
}

/// Number of labels on the horizontal axis.
fn labels(area: &Area<'_>) -> usize {
    if is_narrow(area) { 5 } else { 11 }
}

/// The grid and the labels of a chart, and what else of them is set. For the diagrams of the laboratory too.
#[doc(hidden)]
#[macro_export]
macro_rules! mesh {
    ($chart:expr, $x:expr, $label:expr $(, $more:ident($($argument:expr)?))*) => {
        $chart
            .configure_mesh()
            .bold_line_style($crate::report::GRID)
            .light_line_style(TRANSPARENT)
            .axis_style($crate::report::INK)
            .label_style($crate::report::style(13))
            .axis_desc_style($crate::report::style(13))
            .x_desc($x)
            .x_label_formatter(&$label)
            $(.$more($($argument)?))*
            .draw()?
    };
}

macro_rules! legend {
    ($chart:expr, $place:ident) => {
        $chart
            .configure_series_labels()
            .position(SeriesLabelPosition::$place)
            .background_style(PAPER.mix(0.85))
            .label_font(style(13))
            .draw()?
    };
}

fn key(colour: RGBColor) -> impl Fn((i32, i32)) -> PathElement<(i32, i32)> {
    move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], colour.stroke_width(2))
}

/// The longest time of each interval, one line per series.
pub fn intervals(area: &Area<'_>, series: &[&Series]) -> Drawn {
    let first = |s: &Series| s.intervals.iter().map(|i| i.start).fold(f64::INFINITY, f64::min);
    let end = |s: &Series| s.intervals.iter().map(|i| i.start + i.length - first(s)).fold(1e-3, f64::max);
    let all = series.iter().map(|s| end(s)).fold(1e-3, f64::max);
    let y = span(series, &[]);
    let mut chart = chart!(area, "Maximum over time", 0.0..all, y.clone().log_scale());
    mesh!(
        chart,
        "seconds since the start",
        |s| seconds(*s, all),
        x_labels(labels(area)),
        y_desc("longest in the interval"),
        y_label_formatter(&|ns| time(*ns))
    );
    for (n, one) in series.iter().enumerate() {
        let start = first(one);
        let steps = one.intervals.iter().flat_map(|i| {
            let (from, max) = (i.start - start, clamp(i.max, &y));
            [(from, max), (from + i.length, max)]
        });
        chart
            .draw_series(LineSeries::new(steps, colour(n).stroke_width(2)))?
            .label(&one.name)
            .legend(key(colour(n)));
    }
    legend!(chart, LowerRight);
    Ok(())
}

/// The percentile of each time, against 1/(1-percentile), and the steps of the service levels.
pub fn percentiles(area: &Area<'_>, series: &[&Series], levels: &[Level]) -> Drawn {
    let most = series.iter().map(|s| s.times.len()).max().unwrap_or(1);
    let x = 1.0..10_f64.powf((most as f64).log10().ceil().max(2.0));
    let y = span(series, levels);
    let mut chart = chart!(area, "Percentiles", x.clone().log_scale(), y.clone().log_scale());
    mesh!(
        chart,
        "percentile",
        |x: &f64| percent(*x),
        x_labels(labels(area)),
        y_desc("time"),
        y_label_formatter(&|ns| time(*ns))
    );
    for (n, one) in series.iter().enumerate() {
        chart
            .draw_series(LineSeries::new(curve(&one.times, &y), colour(n).stroke_width(2)))?
            .label(&one.name)
            .legend(key(colour(n)));
    }
    if !levels.is_empty() {
        let mut from = x.start;
        let mut steps = Vec::new();
        for level in levels {
            let to = if level.percent >= 100.0 { x.end } else { 100.0 / (100.0 - level.percent) };
            steps.extend([(from, level.limit as f64), (to, level.limit as f64)]);
            from = to;
        }
        chart
            .draw_series(LineSeries::new(steps, LIMIT.stroke_width(2)))?
            .label("service level")
            .legend(key(LIMIT));
    }
    legend!(chart, LowerRight);
    Ok(())
}

/// 90 % where 1/(1-p) is 10, 99 % where it is 100 …
fn percent(x: f64) -> String {
    let digits = (x.log10() - 2.0).round().max(0.0) as usize;
    format!("{:.digits$} %", 100.0 - 100.0 / x)
}

/// Points of the curve: thirty per decade, up to the number of values, and the longest at the end.
pub(super) fn curve(times: &Histogram<u64>, y: &Range<f64>) -> Vec<(f64, f64)> {
    let count = times.len() as f64;
    let steps = (0..).map(|n| 10_f64.powf(f64::from(n) / 30.0)).take_while(|x| *x < count);
    let point = |x: f64| (x, clamp(times.value_at_quantile(1.0 - 1.0 / x), y));
    steps.map(point).chain([(count.max(1.0), clamp(times.max(), y))]).collect()
}

/// The frequency of each time in each interval, as darkness on a logarithmic scale.
pub fn heat(area: &Area<'_>, one: &Series) -> Drawn {
    let columns = one.heat.columns();
    let first = columns.iter().map(|c| c.start).fold(f64::INFINITY, f64::min);
    let end = columns.iter().map(|c| c.end - first).fold(1e-3, f64::max);
    let most = columns.iter().flat_map(|c| c.cells).max().unwrap_or(1).max(1);
    let y = span(&[one], &[]);
    let mut chart = chart!(area, &title(area, "Heat map", one), 0.0..end, y.clone().log_scale());
    mesh!(
        chart,
        "seconds since the start",
        |s| seconds(*s, end),
        x_labels(labels(area)),
        y_desc("time"),
        y_label_formatter(&|ns| time(*ns))
    );
    let filled = columns.iter().flat_map(|column| {
        let bins = column.cells.iter().enumerate().filter(|(_, n)| **n > 0);
        bins.map(|(bin, n)| (column.start - first, column.end - first, bin, *n))
    });
    let seen = filled.filter(|(_, _, bin, _)| bin_start(bin + 1) > y.start);
    chart.draw_series(seen.map(|(from, to, bin, n)| {
        let depth = 0.12 + 0.88 * (1.0 + n as f64).ln() / (1.0 + most as f64).ln();
        let corners = [(from, bin_start(bin).max(y.start)), (to, bin_start(bin + 1).min(y.end))];
        Rectangle::new(corners, COLOURS[0].mix(depth).filled())
    }))?;
    Ok(())
}

/// The frequency of each time, on logarithmic axes.
pub fn histogram(area: &Area<'_>, one: &Series) -> Drawn {
    const PER_DECADE: f64 = 30.0;
    let x = span(&[one], &[]);
    let mut bars = std::collections::BTreeMap::<i64, u64>::new();
    for step in one.times.iter_recorded() {
        let value = clamp(step.value_iterated_to(), &x);
        *bars.entry((value.log10() * PER_DECADE).floor() as i64).or_default() += step.count_at_value();
    }
    let y = 0.5..bars.values().copied().max().unwrap_or(1) as f64 * 2.0;
    let mut chart = chart!(area, &title(area, "Histogram", one), x.clone().log_scale(), y.log_scale());
    mesh!(
        chart,
        "time",
        |ns| time(*ns),
        x_labels(labels(area)),
        y_desc("frequency"),
        y_label_formatter(&|n| format!("{n:.0}"))
    );
    chart.draw_series(bars.iter().map(|(bar, n)| {
        let edge = |bar: i64| 10_f64.powf(bar as f64 / PER_DECADE).clamp(x.start, x.end);
        Rectangle::new([(edge(*bar), 0.5), (edge(bar + 1), *n as f64)], COLOURS[0].filled())
    }))?;
    Ok(())
}

/// The data, and a normal distribution with the same mean and deviation.
pub fn gaussian(area: &Area<'_>, one: &Series) -> Drawn {
    const BARS: usize = 200;
    let (mean, deviation, count) = (one.times.mean(), one.times.stdev().max(1e-3), one.times.len() as f64);
    let end = (one.times.max() as f64 * 1.05).max(mean + 5.0 * deviation);
    let width = end / BARS as f64;
    let mut bars = [0_u64; BARS];
    for step in one.times.iter_recorded() {
        bars[((step.value_iterated_to() as f64 / width) as usize).min(BARS - 1)] += step.count_at_value();
    }
    let most = bars.iter().copied().max().unwrap_or(1) as f64;
    let mut chart = chart!(
        area,
        &title(area, "Against a normal distribution", one),
        0.0..end,
        (0.5..most * 2.0).log_scale()
    );
    mesh!(
        chart,
        "time",
        |ns| time(*ns),
        x_labels(labels(area)),
        y_desc("frequency"),
        y_label_formatter(&|n| format!("{n:.0}"))
    );
    let filled = bars.iter().enumerate().filter(|(_, n)| **n > 0);
    chart
        .draw_series(filled.map(|(n, count)| {
            let x = n as f64 * width;
            Rectangle::new([(x, 0.5), (x + width, *count as f64)], COLOURS[0].filled())
        }))?
        .label("measured")
        .legend(key(COLOURS[0]));
    let expected = |x: f64| {
        let z = (x - mean) / deviation;
        count * width * (-z * z / 2.0).exp() / (deviation * std::f64::consts::TAU.sqrt())
    };
    let points =
        (0..=4 * BARS).map(|n| n as f64 * width / 4.0).map(|x| (x, expected(x))).filter(|(_, n)| *n >= 0.5);
    chart
        .draw_series(LineSeries::new(points, COLOURS[1].stroke_width(2)))?
        .label(if is_narrow(area) { "normal" } else { "normal distribution of the same mean and deviation" })
        .legend(key(COLOURS[1]));
    legend!(chart, UpperRight);
    Ok(())
}
