//! The robot from the side, and its tilt over time, in Braille dots.

use super::canvas::Canvas;
use crate::wire::types::Truth;

/// Fewest columns of the robot's picture.
pub const WIDTH: usize = 28;
/// Fewest rows of the robot's picture.
pub const HEIGHT: usize = 13;
/// The tilt is drawn this many times larger, because a normal one would be invisible.
pub const EXAGGERATED: f64 = 4.0;
/// Dots per meter, in the smallest picture.
const METRE: f64 = 25.0;
/// Columns for the scale, left of the chart.
const SCALE: usize = 7;

/// Draws the robot, row by row, as large as fits.
pub fn draw(truth: &Truth, columns: usize, rows: usize) -> Vec<String> {
    let mut canvas = Canvas::new(columns, rows);
    let (width, height) = canvas.size();
    let scale = (width / (2 * WIDTH) as f64).min(height / (4 * HEIGHT) as f64);
    let ground = height - 1.0;
    canvas.line((0.0, ground), (width, ground));
    let home = width / 2.0;
    canvas.line((home, ground - 2.0 * scale), (home, ground));

    let wheel = 5.0 * scale;
    let (least, most) = (wheel + 1.0, (width - wheel - 2.0).max(wheel + 1.0));
    let axle = ((home + scale * METRE * truth.x).clamp(least, most), ground - wheel - 1.0);
    canvas.circle(axle, wheel);
    let turned = truth.x / 0.15;
    canvas.line(axle, (axle.0 + 0.8 * wheel * turned.sin(), axle.1 - 0.8 * wheel * turned.cos()));

    let tilt = (truth.tilt * EXAGGERATED).clamp(-1.4, 1.4);
    let up = |length: f64, aside: f64| {
        let (sin, cos) = tilt.sin_cos();
        let (length, aside) = (scale * length, scale * aside);
        (axle.0 + length * sin + aside * cos, axle.1 - length * cos + aside * sin)
    };
    // Two legs; their width in lines grows with the size.
    for k in 0..=scale.ceil() as i32 {
        let aside = 1.0 + (k as f64 / scale).min(1.0);
        canvas.line(up(5.0, aside), up(28.0, aside));
        canvas.line(up(5.0, -aside), up(28.0, -aside));
    }
    canvas.circle(up(34.0, 0.0), 4.0 * scale);
    canvas.line(up(24.0, 2.0), up(16.0, 9.0));
    canvas.rows()
}

/// Draws the newest tilts (degrees), one for each column of dots, with the scale at the left.
pub fn chart(tilts: &[f64], columns: usize, rows: usize) -> Vec<String> {
    let mut canvas = Canvas::new(columns.saturating_sub(SCALE), rows);
    let (width, height) = canvas.size();
    let shown = &tilts[tilts.len().saturating_sub(width as usize)..];
    let most = shown.iter().fold(0.5_f64, |most, tilt| most.max(tilt.abs()));
    let middle = (height - 1.0) / 2.0;
    let mut before = None;
    for (k, tilt) in shown.iter().enumerate() {
        let at = (width - (shown.len() - k) as f64, middle - middle * tilt / most);
        canvas.line(before.unwrap_or(at), at);
        before = Some(at);
    }
    let label = |k: usize| match k {
        0 => format!("{most:>+5.1}° "),
        _ if k + 1 == rows => format!("{:>+5.1}° ", -most),
        _ => " ".repeat(SCALE),
    };
    canvas.rows().iter().enumerate().map(|(k, row)| label(k) + row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dots(rows: &[String], columns: std::ops::Range<usize>) -> u32 {
        let cells = rows[..HEIGHT - 1].iter().flat_map(|r| r.chars().skip(columns.start).take(columns.len()));
        cells.map(|c| (c as u32 - 0x2800).count_ones()).sum()
    }

    #[test]
    fn it_leans_to_where_it_tilts_and_is_never_off_the_picture() {
        let (left, right) = (0..WIDTH / 2, WIDTH / 2..WIDTH);
        for (x, tilt) in [(0.0, 0.1), (0.0, -0.1), (100.0, 2.0), (-100.0, -2.0), (0.0, f64::NAN)] {
            let rows = draw(&Truth { x, tilt, ..Truth::default() }, WIDTH, HEIGHT);
            assert!(rows.len() == HEIGHT && rows.iter().all(|row| row.chars().count() == WIDTH));
            if x == 0.0 && tilt.is_finite() {
                let lean = dots(&rows, right.clone()) as i64 - dots(&rows, left.clone()) as i64;
                assert!(lean * (tilt * 1e3) as i64 > 0, "tilt {tilt}: {lean}");
            }
        }
    }

    #[test]
    fn it_is_as_large_as_it_is_asked_to_be() {
        for (columns, rows) in [(28, 13), (60, 20), (28, 40), (3, 1), (0, 0)] {
            let picture = draw(&Truth { tilt: 0.2, ..Truth::default() }, columns, rows);
            assert_eq!(picture.len(), if columns == 0 { 0 } else { rows });
            assert!(picture.iter().all(|row| row.chars().count() == columns), "{columns} by {rows}");
        }
    }

    #[test]
    fn the_newest_tilts_are_at_the_right_and_the_scale_holds_the_largest() {
        let tilts: Vec<f64> = (0..1000).map(|k| if k < 900 { 9.0 } else { 2.0 }).collect();
        let rows = chart(&tilts, SCALE + 20, 4);
        assert!(rows[0].contains("+2.0") && rows[3].contains("-2.0"), "{rows:?}");
        assert!(rows.iter().all(|row| row.chars().count() == SCALE + 20));
        assert!(rows[0].chars().skip(SCALE).all(|c| c != '\u{2800}'), "all are the largest: {rows:?}");
        for odd in [&[][..], &[f64::NAN; 5], &[f64::INFINITY]] {
            assert_eq!(chart(odd, 30, 2).len(), 2);
        }
        assert!(chart(&tilts, 3, 1).len() <= 1);
    }
}
