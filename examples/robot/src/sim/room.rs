//! A simulated room with four walls and a pillar, for the robot's laser if there is no recorded log.

/// The walls: half the room's length and width, m. The robot starts in the middle.
const WALLS: (f64, f64) = (4.0, 2.5);
/// The pillar: its position and radius, m.
const PILLAR: (f64, f64, f64) = (2.0, 0.8, 0.3);
/// Beams of a scan. They cover 180 degrees, from the right to the left.
pub const BEAMS: usize = 180;

/// The distances measured by a laser at this pose, beam by beam.
pub fn scan(x: f64, y: f64, heading: f64) -> Vec<f64> {
    (0..BEAMS)
        .map(|k| {
            let angle = heading + ((k as f64 + 0.5) / BEAMS as f64 - 0.5) * std::f64::consts::PI;
            let (dy, dx) = angle.sin_cos();
            wall(x, dx, WALLS.0).min(wall(y, dy, WALLS.1)).min(pillar(x, y, dx, dy))
        })
        .collect()
}

/// The distance along one axis to the wall in the beam's direction.
fn wall(at: f64, along: f64, half: f64) -> f64 {
    if along == 0.0 {
        return f64::INFINITY;
    }
    ((half * along.signum() - at) / along).max(0.0)
}

/// The distance to the pillar; infinite if the beam misses it.
fn pillar(x: f64, y: f64, dx: f64, dy: f64) -> f64 {
    let (px, py) = (PILLAR.0 - x, PILLAR.1 - y);
    let ahead = px * dx + py * dy;
    let aside = px * dy - py * dx;
    let depth = PILLAR.2 * PILLAR.2 - aside * aside;
    if ahead < 0.0 || depth < 0.0 { f64::INFINITY } else { (ahead - depth.sqrt()).max(0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walls_are_where_they_are() {
        let ranges = scan(0.0, 0.0, 0.0);
        assert_eq!(ranges.len(), BEAMS);
        // The outermost beams point half a degree off the side walls, the middle ones straight ahead.
        assert!((ranges[0] - WALLS.1).abs() < 0.01 && (ranges[BEAMS - 1] - WALLS.1).abs() < 0.01);
        assert!((ranges[BEAMS / 2] - WALLS.0).abs() < 0.01);
        let turned = scan(1.0, 0.0, std::f64::consts::PI);
        assert!((turned[BEAMS / 2] - (WALLS.0 + 1.0)).abs() < 0.01);
    }

    #[test]
    fn the_pillar_stands_before_the_wall() {
        let angle = PILLAR.1.atan2(PILLAR.0);
        let beam = scan(0.0, 0.0, angle)[BEAMS / 2];
        assert!((beam - (PILLAR.0.hypot(PILLAR.1) - PILLAR.2)).abs() < 0.01, "{beam}");
        let away = scan(0.0, 0.0, angle + std::f64::consts::PI)[BEAMS / 2];
        assert!(away > 2.5, "{away}");
    }
}
