//! The messages that are encoded and decoded.

use crate::contender::Result;
use saltus_wire::Message;
use std::path::{Path, PathBuf};
use types::bench::{Cloud, Image, Joints, Laser, Path as Way, Waypoint};

/// The code generated from `schemas/bench.lcm`.
pub mod types {
    #![allow(missing_docs, unused)]
    include!(concat!(env!("OUT_DIR"), "/types/mod.rs"));
}

/// One message.
#[derive(Clone, Debug)]
pub struct Case {
    /// `scan`
    pub name: &'static str,
    /// What it is, for people.
    pub what: &'static str,
    /// Its bytes in LCM's encoding.
    pub bytes: Vec<u8>,
}

/// All messages, and the directory with their files for the contenders.
#[derive(Clone, Debug)]
pub struct Messages {
    /// The directory.
    pub dir: PathBuf,
    /// The messages.
    pub cases: Vec<Case>,
}

/// Makes the messages and writes them.
pub fn write(dir: &Path) -> Result<Messages> {
    std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let cases = vec![
        case("scan", "laser scan of the LCM paper: 180 ranges, no intensities", &scan())?,
        case("joints", "state of 40 joints: position, velocity, effort", &joints())?,
        case("image", "picture of 640 x 480 bytes", &image())?,
        case("cloud", "10,000 points of 3 floats", &cloud())?,
        case("path", "200 waypoints with names", &path())?,
    ];
    for case in &cases {
        let path = dir.join(case.name);
        std::fs::write(&path, &case.bytes).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(Messages { dir: dir.into(), cases })
}

fn case(name: &'static str, what: &'static str, message: &impl Message) -> Result<Case> {
    Ok(Case { name, what, bytes: message.encode().map_err(|e| format!("{name}: {e}"))? })
}

const UTIME: i64 = 1_700_000_000_000_000;

fn scan() -> Laser {
    let ranges: Vec<f32> = (0..180).map(|i| 1.0 + (i as f32 * 0.1).sin()).collect();
    let mut scan = Laser { utime: UTIME, ranges, rad0: -1.57, radstep: 0.0175, ..Laser::default() };
    scan.set_sizes();
    scan
}

fn joints() -> Joints {
    let row = |phase: f64| (0..40).map(|i| (f64::from(i) + phase).sin()).collect();
    let mut joints = Joints {
        utime: UTIME,
        position: row(0.0),
        velocity: row(1.0),
        effort: row(2.0),
        ..Joints::default()
    };
    joints.set_sizes();
    joints
}

fn image() -> Image {
    let data = (0..640 * 480u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut image = Image { utime: UTIME, width: 640, height: 480, data, ..Image::default() };
    image.set_sizes();
    image
}

fn cloud() -> Cloud {
    let point = |i: i32| [i as f32 * 0.01, (i as f32 * 0.1).sin(), (i as f32 * 0.1).cos()];
    let mut cloud = Cloud { utime: UTIME, xyz: (0..10_000).map(point).collect(), ..Cloud::default() };
    cloud.set_sizes();
    cloud
}

fn path() -> Way {
    let waypoint = |i: i32| Waypoint {
        name: format!("waypoint {i}"),
        position: [f64::from(i), 0.5, 0.25],
        orientation: [1.0, 0.0, 0.0, 0.0],
    };
    let mut path = Way { utime: UTIME, points: (0..200).map(waypoint).collect(), ..Way::default() };
    path.set_sizes();
    path
}
