//! A canvas of Braille dots: two by four for each character.

/// The dot of a column and a row in a Braille character.
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// A canvas of a size in characters.
pub struct Canvas {
    columns: usize,
    cells: Vec<u8>,
}

impl Canvas {
    /// An empty canvas.
    pub fn new(columns: usize, rows: usize) -> Canvas {
        Canvas { columns, cells: vec![0; columns * rows] }
    }

    /// Columns and rows of dots.
    pub fn size(&self) -> (f64, f64) {
        let rows = self.cells.len().checked_div(self.columns).unwrap_or(0);
        ((2 * self.columns) as f64, (4 * rows) as f64)
    }

    /// Sets a dot. Ignores one that is outside, or NaN.
    pub fn dot(&mut self, x: f64, y: f64) {
        let ((x, y), (width, height)) = ((x.round(), y.round()), self.size());
        if !(x >= 0.0 && y >= 0.0 && x < width && y < height) {
            return;
        }
        let (x, y) = (x as usize, y as usize);
        self.cells[y / 4 * self.columns + x / 2] |= DOTS[x % 2][y % 4];
    }

    /// Draws a line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let longest = (to.0 - from.0).abs().max((to.1 - from.1).abs());
        let steps = if longest.is_finite() { longest.clamp(1.0, 1000.0).ceil() as u32 } else { 0 };
        for k in 0..=steps {
            let t = k as f64 / steps.max(1) as f64;
            self.dot(from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1));
        }
    }

    /// Draws a circle.
    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64) {
        let dots = (8.0 * radius).clamp(16.0, 400.0) as u32;
        for k in 0..dots {
            let (sin, cos) = (k as f64 / dots as f64 * std::f64::consts::TAU).sin_cos();
            self.dot(x + radius * cos, y + radius * sin);
        }
    }

    /// The picture, row by row.
    pub fn rows(&self) -> Vec<String> {
        let row =
            |cells: &[u8]| cells.iter().map(|c| char::from_u32(0x2800 + *c as u32).unwrap_or(' ')).collect();
        self.cells.chunks(self.columns.max(1)).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_where_they_belong_and_never_outside() {
        let mut canvas = Canvas::new(2, 1);
        for (x, y) in [(0.0, 0.0), (3.0, 3.0), (4.0, 0.0), (0.0, 4.0), (-1.0, 0.0), (f64::NAN, 0.0)] {
            canvas.dot(x, y);
        }
        assert_eq!(canvas.rows(), ["\u{2801}\u{2880}"]);
        canvas.line((f64::NAN, 0.0), (1e300, f64::INFINITY));
        canvas.circle((1e300, 0.0), f64::INFINITY);
        assert_eq!(canvas.rows(), ["\u{2801}\u{2880}"]);
        assert_eq!(Canvas::new(0, 0).rows(), [""; 0]);
    }
}
