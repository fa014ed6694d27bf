//! Line charts of measured points.

use std::ops::Range;

use plotters::prelude::*;

use saltus_measure::mesh;
use saltus_measure::report::{Area, COLOURS, Drawn, colour, style, time};

/// Width and height of a panel, and width of the names next to it.
pub(super) const SIZE: (u32, u32) = (960, 400);
pub(super) const NAMES: u32 = 150;

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Linear, from zero.
    Even,
    /// Logarithmic, for numbers.
    Log,
    /// Logarithmic, for times in ns.
    Time,
}

/// One line of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// Its points, from left to right. Points that an axis cannot show are left out.
    pub points: Vec<(f64, f64)>,
}

/// One diagram of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Its title.
    pub title: String,
    /// The label and the scale of the horizontal axis.
    pub x: (String, Axis),
    /// The label and the scale of the vertical axis, which is logarithmic: [`Axis::Even`] counts as [`Axis::Log`].
    pub y: (String, Axis),
    /// The lines.
    pub lines: Vec<Line>,
}

/// Whether an axis can show a number.
pub(super) fn fits(axis: Axis, value: f64) -> bool {
    value.is_finite() && if axis == Axis::Even { value >= 0.0 } else { value > 0.0 }
}

/// The decades that contain all values.
pub(super) fn decades(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = ends(values).unwrap_or((1.0, 10.0));
    let (low, high) = (low.log10().floor(), high.log10().ceil());
    10_f64.powf(low)..10_f64.powf(high.max(low + 1.0))
}

pub(super) fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values
        .fold(None, |ends, v| Some(ends.map_or((v, v), |(low, high): (f64, f64)| (low.min(v), high.max(v)))))
}

/// A number on an axis.
fn number(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", v / 1e6),
        v if v >= 1e3 => format!("{}k", v / 1e3),
        v => format!("{v}"),
    }
}

pub(super) fn label(axis: Axis, value: f64) -> String {
    if axis == Axis::Time { time(value) } else { number((value * 1e6).round() / 1e6) }
}

// The mark of the points of line `n`. There are more lines than colors, so each six lines have another mark.

fn circle<P>(at: P, n: usize) -> Circle<P, i32> {
    Circle::new(at, 3, colour(n).filled())
}

fn triangle<P>(at: P, n: usize) -> TriangleMarker<P, i32> {
    TriangleMarker::new(at, 5, colour(n).filled())
}

fn cross<P>(at: P, n: usize) -> Cross<P, i32> {
    Cross::new(at, 4, colour(n).stroke_width(2))
}

/// The legend: the name of each line next to its stroke and mark.
pub(super) fn names<'a>(area: &Area<'_>, names: impl Iterator<Item = &'a str>) -> Drawn {
    for (n, name) in names.enumerate() {
        let y = 44 + 19 * n as i32;
        area.draw(&PathElement::new(vec![(0, y), (24, y)], colour(n).stroke_width(2)))?;
        match n / COLOURS.len() {
            0 => area.draw(&circle((12, y), n))?,
            1 => area.draw(&triangle((12, y), n))?,
            _ => area.draw(&cross((12, y), n))?,
        }
        area.draw(&Text::new(name, (32, y - 7), style(13)))?;
    }
    Ok(())
}

pub(super) fn draw(area: &Area<'_>, panel: &Panel) -> Drawn {
    let shown = |line: &Line| -> Vec<(f64, f64)> {
        let points = line.points.iter().copied();
        points.filter(|(x, y)| fits(panel.x.1, *x) && fits(Axis::Log, *y)).collect()
    };
    let lines: Vec<(&str, Vec<(f64, f64)>)> =
        panel.lines.iter().map(|line| (&*line.name, shown(line))).collect();
    let all = || lines.iter().flat_map(|(_, points)| points);
    let y = decades(all().map(|p| p.1));
    let (left, right) = area.split_horizontally(SIZE.0 - NAMES);
    names(&right, lines.iter().map(|(name, _)| *name))?;
    // The two kinds of chart have different types.
    macro_rules! fill {
        ($x:expr) => {{
            let mut chart = ChartBuilder::on(&left)
                .caption(&panel.title, style(17))
                .margin(10)
                .margin_right(34)
                .x_label_area_size(42)
                .y_label_area_size(70)
                .build_cartesian_2d($x, y.log_scale())?;
            let above = |y: &f64| label(panel.y.1, *y);
            mesh!(
                chart,
                &*panel.x.0,
                |x: &f64| label(panel.x.1, *x),
                y_desc(&*panel.y.0),
                y_label_formatter(&above)
            );
            for (n, (_, points)) in lines.iter().enumerate() {
                let points = || points.iter().copied();
                chart.draw_series(LineSeries::new(points(), colour(n).stroke_width(2)))?;
                match n / COLOURS.len() {
                    0 => chart.draw_series(points().map(|at| circle(at, n)))?,
                    1 => chart.draw_series(points().map(|at| triangle(at, n)))?,
                    _ => chart.draw_series(points().map(|at| cross(at, n)))?,
                };
            }
        }};
    }
    match panel.x.1 {
        Axis::Even => {
            let end = ends(all().map(|p| p.0)).map_or(1.0, |(_, high)| high.max(1.0));
            fill!(0.0..end * 1.02)
        }
        _ => fill!(decades(all().map(|p| p.0)).log_scale()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::panels;
    use super::*;

    fn panel(axis: Axis, points: &[(f64, f64)]) -> Panel {
        Panel {
            title: "against <size>".into(),
            x: ("bytes".into(), axis),
            y: ("latency".into(), Axis::Time),
            lines: vec![Line { name: "shm://".into(), points: points.to_vec() }],
        }
    }

    #[test]
    fn every_point_that_an_axis_can_show_is_drawn() {
        let points = [(50.0, 4_000.0), (1_500.0, 5_000.0), (0.0, 7_000.0), (70_000.0, f64::NAN)];
        for (axis, shown) in [(Axis::Log, 2), (Axis::Even, 3)] {
            let svg = panels(&[panel(axis, &points)]).expect("drawn");
            // One more is in the legend.
            assert_eq!(svg.matches("<circle").count(), shown + 1, "{axis:?}: {svg}");
            assert!(svg.contains("shm://") && svg.contains("against &lt;size&gt;"), "{svg}");
        }
    }

    #[test]
    fn a_panel_without_points_and_panels_below_each_other_are_drawn() {
        let svg = panels(&[panel(Axis::Log, &[]), panel(Axis::Even, &[(1.0, 1e9)])]).expect("drawn");
        assert!(svg.contains("height=\"800\"") && svg.matches("<circle").count() == 1 + 2, "{svg}");
    }

    #[test]
    fn numbers_on_axes_are_short() {
        assert_eq!([1.0, 512.0, 1_000.0, 2.5e6].map(number), ["1", "512", "1k", "2.5M"]);
        assert_eq!(decades([3.0, 120.0].into_iter()), 1.0..1_000.0);
        assert_eq!(decades([].into_iter()), 1.0..10.0);
    }
}
