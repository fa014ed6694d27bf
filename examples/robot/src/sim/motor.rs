//! A motor with its driver: lags a little, saturates, and becomes safe without commands.

use super::control::TORQUE;

/// Time constant of the current loop, s.
const LAG: f64 = 0.004;
/// Lifetime of a command, s. Long enough to replace a controller, and short enough that an old command does no harm. Afterwards the driver
/// lets the motor run free, its safe state.
pub const HOLD: f64 = 0.030;

/// The torque after `dt` seconds, starting from `torque`, for a `command` that is `age` seconds old.
pub fn torque_after(torque: f64, command: f64, age: f64, dt: f64) -> f64 {
    let aim = if command.is_finite() && age <= HOLD { command.clamp(-TORQUE, TORQUE) } else { 0.0 };
    aim + (torque - aim) * (-dt.max(0.0) / LAG).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_follows_saturates_and_lets_go() {
        assert!((torque_after(0.0, 5.0, 0.0, 0.1) - 5.0).abs() < 1e-9);
        assert!((torque_after(0.0, 500.0, 0.0, 0.1) - TORQUE).abs() < 1e-9);
        assert!(torque_after(5.0, 5.0, HOLD * 2.0, 0.1).abs() < 1e-9);
        assert!(torque_after(5.0, f64::NAN, 0.0, 0.1).abs() < 1e-9);
        let half_way = torque_after(0.0, 1.0, 0.0, LAG);
        assert!((half_way - 0.632).abs() < 0.001);
        // Several small steps give the same result as one.
        let small = (0..10).fold(2.0, |t, _| torque_after(t, 7.0, 0.0, 0.001));
        assert!((small - torque_after(2.0, 7.0, 0.0, 0.010)).abs() < 1e-9);
    }
}
