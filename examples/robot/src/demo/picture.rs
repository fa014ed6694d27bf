//! The robot from the side, in Braille dots.

use crate::wire::types::Truth;

/// Size of the picture in characters. Each holds 2 by 4 dots.
pub const WIDTH: usize = 28;
/// Rows of the picture.
pub const HEIGHT: usize = 13;
/// The tilt is shown this many times larger: a healthy one could not be seen.
pub const EXAGGERATED: f64 = 4.0;

/// The dot of a column and a row in a Braille character.
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
/// Dots for a metre of way.
const METRE: f64 = 25.0;

struct Canvas {
    cells: [[u8; WIDTH]; HEIGHT],
}

impl Canvas {
    fn dot(&mut self, x: f64, y: f64) {
        let (x, y) = (x.round(), y.round());
        if x < 0.0 || y < 0.0 || x >= (2 * WIDTH) as f64 || y >= (4 * HEIGHT) as f64 {
            return;
        }
        let (x, y) = (x as usize, y as usize);
        self.cells[y / 4][x / 2] |= DOTS[x % 2][y % 4];
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64)) {
        for k in 0..=100 {
            let t = k as f64 / 100.0;
            self.dot(from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1));
        }
    }

    fn circle(&mut self, (x, y): (f64, f64), radius: f64) {
        for k in 0..48 {
            let (sin, cos) = (k as f64 / 48.0 * std::f64::consts::TAU).sin_cos();
            self.dot(x + radius * cos, y + radius * sin);
        }
    }
}

/// Draws the robot, row by row.
pub fn draw(truth: &Truth) -> Vec<String> {
    let mut canvas = Canvas { cells: [[0; WIDTH]; HEIGHT] };
    let (width, ground) = ((2 * WIDTH) as f64, (4 * HEIGHT - 1) as f64);
    canvas.line((0.0, ground), (width, ground));
    let home = width / 2.0;
    canvas.line((home, ground - 2.0), (home, ground));

    let axle = ((home + METRE * truth.x).clamp(6.0, width - 7.0), ground - 6.0);
    canvas.circle(axle, 5.0);
    let turned = truth.x / 0.15;
    canvas.line(axle, (axle.0 + 4.0 * turned.sin(), axle.1 - 4.0 * turned.cos()));

    let tilt = (truth.tilt * EXAGGERATED).clamp(-1.4, 1.4);
    let up = |length: f64, aside: f64| {
        let (sin, cos) = tilt.sin_cos();
        (axle.0 + length * sin + aside * cos, axle.1 - length * cos + aside * sin)
    };
    for aside in [-2.0, -1.0, 1.0, 2.0] {
        canvas.line(up(5.0, aside), up(28.0, aside));
    }
    canvas.circle(up(34.0, 0.0), 4.0);
    canvas.line(up(24.0, 2.0), up(16.0, 9.0));

    let row = |cells: &[u8; WIDTH]| {
        cells.iter().map(|c| char::from_u32(0x2800 + *c as u32).unwrap_or(' ')).collect()
    };
    canvas.cells.iter().map(row).collect()
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
            let rows = draw(&Truth { x, tilt, ..Truth::default() });
            assert!(rows.len() == HEIGHT && rows.iter().all(|row| row.chars().count() == WIDTH));
            if x == 0.0 && tilt.is_finite() {
                let lean = dots(&rows, right.clone()) as i64 - dots(&rows, left.clone()) as i64;
                assert!(lean * (tilt * 1e3) as i64 > 0, "tilt {tilt}: {lean}");
            }
        }
    }
}
