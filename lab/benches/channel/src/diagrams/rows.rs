//! Charts with a row for each item, such as programs, modules or languages.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use saltus_measure::mesh;
use saltus_measure::report::{Area, Drawn, INK, colour, style};

use super::lines::{Axis, NAMES, SIZE, decades, ends, fits, label, names};

/// Width of the rows' names.
const ROW_NAMES: i32 = 250;

/// One diagram: the same numbers of up to about twenty items.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// Its title.
    pub title: String,
    /// The label and the scale of the horizontal axis. Bars need [`Axis::Even`]: a logarithmic axis has no zero.
    pub x: (String, Axis),
    /// The name of each number of a row, at most six. With a single one, the rows are bars.
    pub marks: Vec<&'static str>,
    /// The names and numbers of the rows, from the top: as many numbers as marks, or none. Numbers that the axis cannot show are left out.
    pub rows: Vec<(String, Vec<f64>)>,
}

pub(super) fn draw(area: &Area<'_>, diagram: &Rows) -> Drawn {
    let (axis, count) = (diagram.x.1, diagram.rows.len());
    let all = || diagram.rows.iter().flat_map(|(_, values)| values).copied().filter(|v| fits(axis, *v));
    let (left, right) = area.split_horizontally(SIZE.0 - NAMES);
    if diagram.marks.len() > 1 {
        names(&right, diagram.marks.iter().copied())?;
    }
    // Row 0 is at the top; its middle is half a step below the upper end.
    let y = 0.0..count as f64;
    let middle = |row: usize| count as f64 - row as f64 - 0.5;
    // The two kinds of chart have different types.
    macro_rules! fill {
        ($x:expr, $start:expr) => {{
            let mut chart = ChartBuilder::on(&left)
                .caption(&diagram.title, style(17))
                .margin(10)
                .margin_left(10 + ROW_NAMES)
                .margin_right(60)
                .x_label_area_size(42)
                .build_cartesian_2d($x, y)?;
            mesh!(chart, &*diagram.x.0, |x: &f64| label(axis, *x), disable_y_mesh());
            let corner = left.get_base_pixel();
            for (row, (name, values)) in diagram.rows.iter().enumerate() {
                let at = middle(row);
                let place = chart.backend_coord(&($start, at));
                let before = style(13).pos(Pos::new(HPos::Right, VPos::Center));
                let place = (place.0 - corner.0 - 8, place.1 - corner.1);
                left.draw(&Text::new(name.as_str(), place, before))?;
                let shown = || values.iter().copied().enumerate().filter(|(_, v)| fits(axis, *v));
                let Some((least, most)) = ends(shown().map(|(_, v)| v)) else { continue };
                if diagram.marks.len() == 1 {
                    let bar = [($start, at - 0.35), (most, at + 0.35)];
                    chart.draw_series([Rectangle::new(bar, colour(0).filled())])?;
                } else {
                    chart.draw_series([PathElement::new(vec![(least, at), (most, at)], INK)])?;
                    chart.draw_series(shown().map(|(n, v)| Circle::new((v, at), 4, colour(n).filled())))?;
                }
                let end = chart.backend_coord(&(most, at));
                let behind = style(13).pos(Pos::new(HPos::Left, VPos::Center));
                left.draw(&Text::new(label(axis, most), (end.0 - corner.0 + 7, end.1 - corner.1), behind))?;
            }
        }};
    }
    match axis {
        Axis::Even => {
            let end = ends(all()).map_or(1.0, |(_, high)| high.max(1.0));
            fill!(0.0..end * 1.02, 0.0)
        }
        _ => {
            let span = decades(all());
            let start = span.start;
            fill!(span.log_scale(), start)
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::diagrams;
    use super::*;

    fn diagram(axis: Axis, marks: &[&'static str], values: [f64; 2]) -> Rows {
        let row = |name: &str, value: f64| (name.to_owned(), marks.iter().map(|_| value).collect());
        Rows {
            title: "by <module>".into(),
            x: ("latency".into(), axis),
            marks: marks.to_vec(),
            rows: vec![row("brakes", values[0]), row("planner", values[1])],
        }
    }

    #[test]
    fn each_row_has_its_name_and_its_marks() {
        let svg = diagrams(&[], &[diagram(Axis::Time, &["p50", "p99"], [4_000.0, f64::NAN])]).expect("drawn");
        // Two in the row with numbers, and one next to each name in the legend.
        assert_eq!(svg.matches("<circle").count(), 2 + 2, "{svg}");
        for text in ["brakes", "planner", "by &lt;module&gt;", "p99", "\n4 µs\n"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
    }

    #[test]
    fn one_number_is_a_bar_and_diagrams_lie_below_each_other() {
        let bars = diagram(Axis::Even, &["lines"], [100.0, 50.0]);
        let svg = diagrams(&[], &[bars, diagram(Axis::Log, &["lines"], [0.0, 0.0])]).expect("drawn");
        assert!(svg.contains("data-parts=\"2\"") && svg.contains("height=\"800\""), "{svg}");
        let width = |svg: &str| {
            let wide = |at: &str| at.split("width=\"").nth(1)?.split('"').next()?.parse::<f64>().ok();
            let rects = svg.split("<rect").filter_map(|rest| rest.split_once("/>"));
            let bars = rects.filter(|(rect, _)| rect.contains("#0072B2"));
            bars.filter_map(|(rect, _)| wide(rect)).collect::<Vec<f64>>()
        };
        let [long, short] = width(&svg)[..] else { panic!("two bars: {svg}") };
        assert!((long / short - 2.0).abs() < 0.05, "{long} {short}");
    }
}
