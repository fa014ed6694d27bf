//! Typed messages in LCM's encoding, made from a log's lines.
//!
//! | line | channel | type |
//! |---|---|---|
//! | `FLASER` | `LASER_FRONT` | `carmen.laser_t` |
//! | `FLASER`, its first pose | `LASER_FRONT_POSE` | `carmen.pose_t` |
//! | `RLASER` | `LASER_REAR`, `LASER_REAR_POSE` | likewise |
//! | `ODOM` | `ODOMETRY` | `carmen.odometry_t` |
//!
//! The odometry that a scan's line repeats is not used: it is that of the `ODOM` lines.

use std::f64::consts::PI;

use saltus_wire::{EncodeError, Writer};

use crate::{Laser, Message, Odometry, Scan};

/// The types, as .lcm source.
pub const SCHEMA: &str = include_str!("../types/carmen.lcm");

const LASER: u64 = 0xe3d1_7423_180b_5e8d;
const POSE: u64 = 0xdf92_a0ff_b23e_42cf;
const ODOMETRY: u64 = 0x9f00_0e4a_a710_6057;

/// A message, ready to be logged or published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// Its channel.
    pub channel: &'static str,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// Seconds as µs; `None` if they do not fit into an int64.
pub fn micros(seconds: f64) -> Option<i64> {
    let us = (seconds * 1e6).round();
    (us.abs() < 9e18).then_some(us as i64)
}

impl Message {
    /// The typed messages of this message, with this time of measurement in µs.
    ///
    /// # Errors
    /// None for a message that [`Log`](crate::Log) returned.
    pub fn typed(&self, utime: i64) -> Result<Vec<Typed>, EncodeError> {
        let (laser, pose) = match self {
            Message::Odometry(odometry) => {
                return Ok(vec![Typed { channel: "ODOMETRY", data: odometry.encode(utime)? }]);
            }
            Message::Scan(Scan { laser: Laser::Front, .. }) => ("LASER_FRONT", "LASER_FRONT_POSE"),
            Message::Scan(Scan { laser: Laser::Rear, .. }) => ("LASER_REAR", "LASER_REAR_POSE"),
        };
        let Message::Scan(scan) = self else { return Ok(Vec::new()) };
        Ok(vec![
            Typed { channel: laser, data: scan.encode(utime)? },
            Typed { channel: pose, data: scan.encode_pose(utime)? },
        ])
    }
}

impl Scan {
    /// Radians between two beams, which the logs do not contain. Lasers with an odd number of beams (181, 361)
    /// measure at both ends of the half circle; those with an even number (180, 360) omit the last.
    pub fn step(&self) -> f64 {
        match self.ranges.len() {
            0 | 1 => 0.0,
            n => PI / (n - n % 2) as f64,
        }
    }

    fn encode(&self, utime: i64) -> Result<Vec<u8>, EncodeError> {
        let ranges: Vec<f32> = self.ranges.iter().map(|r| *r as f32).collect();
        message(LASER, 8 + 4 + 4 * ranges.len() + 4 + 4 + 4, |out| {
            out.int64(utime)?;
            out.int32(ranges.len() as i32)?;
            out.floats(&ranges)?;
            out.int32(0)?;
            out.float((-PI / 2.0) as f32)?;
            out.float(self.step() as f32)
        })
    }

    fn encode_pose(&self, utime: i64) -> Result<Vec<u8>, EncodeError> {
        message(POSE, 8 + 3 * 8, |out| {
            out.int64(utime)?;
            out.doubles(&self.pose)
        })
    }
}

impl Odometry {
    fn encode(&self, utime: i64) -> Result<Vec<u8>, EncodeError> {
        message(ODOMETRY, 8 + 6 * 8, |out| {
            out.int64(utime)?;
            out.doubles(&self.pose)?;
            out.doubles(&[self.speed, self.turn_rate, self.acceleration])
        })
    }
}

/// A message of a type whose fields take this many bytes.
fn message(
    fingerprint: u64,
    size: usize,
    fields: impl FnOnce(&mut Writer<'_>) -> Result<(), EncodeError>,
) -> Result<Vec<u8>, EncodeError> {
    let mut data = vec![0; 8 + size];
    let mut out = Writer::new(&mut data);
    out.fingerprint(fingerprint)?;
    fields(&mut out)?;
    let used = out.position();
    data.truncate(used);
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(beams: usize) -> Scan {
        let ranges = (0..beams).map(|i| i as f64 / 4.0).collect();
        let (pose, odometry) = ([1.0, 2.0, 0.5], [0.0; 3]);
        Scan { laser: Laser::Rear, ranges, pose, odometry, stamp: 1.5, logged: 1.25 }
    }

    #[test]
    fn the_bytes_are_those_of_the_schema() {
        let schema = saltus_types::parse("carmen.lcm", SCHEMA).expect("the schema is sound");
        let of = |name: &str| schema.get(schema.find(name).expect(name)).fingerprint;
        let all = [of("carmen.laser_t"), of("carmen.pose_t"), of("carmen.odometry_t")];
        assert_eq!(all, [LASER, POSE, ODOMETRY]);

        let typed = Message::Scan(scan(3)).typed(-5).unwrap();
        assert_eq!([typed[0].channel, typed[1].channel], ["LASER_REAR", "LASER_REAR_POSE"]);
        let expected = [
            &LASER.to_be_bytes()[..],
            &(-5i64).to_be_bytes(),
            &3i32.to_be_bytes(),
            &0f32.to_be_bytes(),
            &0.25f32.to_be_bytes(),
            &0.5f32.to_be_bytes(),
            &0i32.to_be_bytes(),
            &(-std::f32::consts::FRAC_PI_2).to_be_bytes(),
            &std::f32::consts::FRAC_PI_2.to_be_bytes(),
        ];
        assert_eq!(typed[0].data, expected.concat());
        let doubles = [1f64, 2.0, 0.5].map(f64::to_be_bytes).concat();
        let expected = [&POSE.to_be_bytes()[..], &(-5i64).to_be_bytes(), &doubles].concat();
        assert_eq!(typed[1].data, expected);
    }

    #[test]
    fn beams_span_half_a_circle() {
        for (beams, degrees) in [(180, 1.0), (181, 1.0), (360, 0.5), (361, 0.5), (1, 0.0), (0, 0.0)] {
            assert_eq!(scan(beams).step().to_degrees(), degrees, "{beams}");
        }
    }

    #[test]
    fn micros_are_exact_or_absent() {
        assert_eq!(micros(32.9068), Some(32_906_800));
        assert_eq!(micros(1_071_078_718.462_31), Some(1_071_078_718_462_310));
        assert_eq!(micros(-0.25), Some(-250_000));
        assert_eq!((micros(1e300), micros(-1e13)), (None, None));
    }
}
