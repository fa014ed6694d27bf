//! The programs of the robot. Each is a separate process; they share only channels.
//!
//! | program | publishes | reads |
//! |---|---|---|
//! | [`physics`] | `truth`, `imu` | `wheel/*/state`, `arm/*` |
//! | [`wheel`] (left, right) | `wheel/*/state` | `wheel/*/cmd`, `truth` |
//! | [`estimator`] | `estimate` | `imu`, `wheel/*/state` |
//! | [`balance`] | `wheel/*/cmd` | `estimate` |
//! | [`arm`] (shoulder, elbow) | `arm/*` | |
//! | [`lidar`] | `lidar/front` | `truth` |
//! | [`watch`] | `obstacle` | `lidar/front` |
//! | [`logger`] | `log/lidar` | all |
//!
//! All publish into `health`. Another process, [`crate::demo::screen`], draws the demo.

pub mod arm;
pub mod balance;
pub mod estimator;
pub mod lidar;
pub mod logger;
pub mod physics;
pub mod watch;
pub mod wheel;

use crate::demo::screen;
use crate::error::{Error, Result};

/// The arguments of a program, for its usage message.
const USAGE: &[(&str, &str)] = &[
    ("physics", ""),
    ("wheel", "left|right"),
    ("estimator", ""),
    ("balance", ""),
    ("arm", "shoulder|elbow"),
    ("lidar", "[FILE [SPEED]]"),
    ("watch", ""),
    ("logger", ""),
    ("screen", "draw|write"),
];

/// Runs a program until it is asked to stop (Ctrl-C, SIGTERM). Returns the process's exit code.
///
/// The domain is that of `SALTUS_DOMAIN`.
pub fn role_main(role: &str, args: &[String]) -> i32 {
    match run(role, args) {
        Ok(()) => 0,
        Err(e) => {
            eprintln!("robot-{role}: {e}");
            if matches!(e, Error::Usage(_)) { 2 } else { 1 }
        }
    }
}

fn run(role: &str, args: &[String]) -> Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match (role, args.as_slice()) {
        ("physics", []) => physics::run(),
        ("wheel", [side @ ("left" | "right")]) => wheel::run(side),
        ("estimator", []) => estimator::run(),
        ("balance", []) => balance::run(),
        ("arm", [joint @ ("shoulder" | "elbow")]) => arm::run(joint),
        ("lidar", []) => lidar::simulate(),
        ("lidar", [file]) => lidar::play(file, 1.0),
        ("lidar", [file, speed]) => lidar::play(file, lidar::speed(speed)?),
        ("watch", []) => watch::run(),
        ("logger", []) => logger::run(),
        ("screen", [how @ ("draw" | "write")]) => screen::run(*how == "draw"),
        _ => Err(usage(role)),
    }
}

fn usage(role: &str) -> Error {
    match USAGE.iter().find(|(name, _)| *name == role) {
        Some((name, args)) => Error::Usage(format!("usage: robot-{name} {args}")),
        None => {
            let names: Vec<&str> = USAGE.iter().map(|(name, _)| *name).collect();
            Error::Usage(format!("the robot has no program `{role}`, only {}", names.join(", ")))
        }
    }
}
