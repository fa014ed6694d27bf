//! Units of the values of a percentile distribution, which the file does not contain.

use std::str::FromStr;

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

impl Unit {
    /// Its length in ns.
    pub fn ns(self) -> f64 {
        match self {
            Unit::Ns => 1.0,
            Unit::Us => 1e3,
            Unit::Ms => 1e6,
            Unit::S => 1e9,
        }
    }
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Ns => "nanoseconds",
            Unit::Us => "microseconds",
            Unit::Ms => "milliseconds",
            Unit::S => "seconds",
        }
    }
}

impl FromStr for Unit {
    type Err = String;

    fn from_str(text: &str) -> Result<Unit, String> {
        match text {
            "ns" => Ok(Unit::Ns),
            "us" | "µs" => Ok(Unit::Us),
            "ms" => Ok(Unit::Ms),
            "s" => Ok(Unit::S),
            _ => Err("expected a unit: ns, us, ms or s".into()),
        }
    }
}
