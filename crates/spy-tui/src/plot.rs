//! The plot of numbers over time.

use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Chart, Dataset, GraphType, Paragraph};
use saltus_spy::Model;

use crate::app::App;
use crate::theme::Theme;

/// A line of the plot.
pub(crate) struct Plotted {
    name: String,
    unit: String,
    /// Seconds before the end, and the value.
    points: Vec<(f64, f64)>,
}

/// Most points of a line that are drawn. Longer lines are thinned evenly.
const MOST: usize = 4000;

/// The visible part of the plots.
pub(crate) fn lines(app: &App, model: &Model) -> Vec<Plotted> {
    let from = app.plot_end.saturating_sub(u64::try_from(app.span.as_nanos()).unwrap_or(u64::MAX));
    let chosen = app.plots.iter().filter_map(|(id, ..)| model.series().iter().find(|s| s.id == *id));
    let line = |series: &saltus_spy::Series| {
        let shown: Vec<_> = series.between(from, app.plot_end).collect();
        let step = shown.len().div_ceil(MOST).max(1);
        let seconds = |time: u64| -(app.plot_end.saturating_sub(time) as f64) / 1e9;
        // Always keeps the last point, whose value is shown.
        let points = shown.iter().rev().step_by(step).filter(|point| point.value.is_finite());
        let mut points: Vec<(f64, f64)> = points.map(|point| (seconds(point.time), point.value)).collect();
        points.reverse();
        Plotted { name: series.name.clone(), unit: series.unit.clone().unwrap_or_default(), points }
    };
    chosen.map(line).collect()
}

/// Draws the plot.
pub(crate) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App, lines: &[Plotted], theme: Theme) {
    let legend = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height / 3);
    let [above, below] = Layout::vertical([Constraint::Length(legend), Constraint::Min(3)]).areas(area);
    frame.render_widget(Paragraph::new(legends(lines, theme)), above);
    let all = || lines.iter().flat_map(|line| &line.points).map(|point| point.1);
    let (low, high) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
    // A constant line is drawn in the middle.
    let margin = if high > low { (high - low) * 0.05 } else { high.abs().max(1.0) * 0.1 };
    let (bottom, top) = (low - margin, high + margin);
    let span = app.span.as_secs_f64();
    let datasets = lines.iter().enumerate().map(|(i, line)| {
        let dataset = Dataset::default().data(&line.points).marker(Marker::Braille);
        dataset.graph_type(GraphType::Line).style(theme.line(i))
    });
    let x = [-span, -span / 2.0, 0.0].map(|seconds| format!("{} s", short(seconds)));
    let middle = (bottom + top) / 2.0;
    // Removes rounding errors near zero.
    let middle = if middle.abs() < (top - bottom) * 1e-3 { 0.0 } else { middle };
    let y = [bottom, middle, top].map(short);
    let axis = |bounds, labels: [String; 3]| {
        Axis::default().bounds(bounds).labels(labels.map(Line::from)).style(theme.aside())
    };
    let chart = Chart::new(datasets.collect())
        .block(Block::new())
        .legend_position(None)
        .x_axis(axis([-span, 0.0], x).labels_alignment(Alignment::Right))
        .y_axis(axis([bottom, top], y).labels_alignment(Alignment::Right));
    frame.render_widget(chart, below);
}

/// The legend: mark, name, newest value and unit of each line.
fn legends<'a>(lines: &'a [Plotted], theme: Theme) -> Vec<Line<'a>> {
    let legend = |(i, line): (usize, &'a Plotted)| {
        let value = line.points.last().map_or("no value yet".into(), |point| short(point.1));
        Line::from(vec![
            Span::styled(" ━━ ", theme.line(i)),
            Span::styled(line.name.as_str(), theme.heading()),
            Span::raw(format!("  {value} ")),
            Span::styled(line.unit.as_str(), theme.unit()),
        ])
    };
    lines.iter().enumerate().map(legend).collect()
}

/// A number in about five digits.
fn short(value: f64) -> String {
    let size = value.abs();
    match () {
        () if value == 0.0 => "0".into(),
        () if !(1e-3..1e6).contains(&size) => format!("{value:.2e}"),
        () => {
            let decimals = (4 - size.log10().floor() as i32).clamp(0, 6) as usize;
            let text = format!("{value:.decimals$}");
            let text =
                if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
            text.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn labels_are_short() {
        let of = [0.0, 1.5, -10.0, 0.012_345_67, 123_456.7, 1e9, 1e-9].map(short);
        assert_eq!(of, ["0", "1.5", "-10", "0.012346", "123457", "1.00e9", "1.00e-9"]);
    }
}
