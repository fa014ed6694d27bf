//! The lines that are understood.

use std::fmt;
use std::str::SplitAsciiWhitespace;

use crate::LINE;

/// A message of a log.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A laser scan.
    Scan(Scan),
    /// Where the wheels say the robot is.
    Odometry(Odometry),
}

/// Which laser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Laser {
    /// `FLASER`
    Front,
    /// `RLASER`
    Rear,
}

/// A laser scan.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// The laser that made it.
    pub laser: Laser,
    /// The ranges, m, from the right to the left over 180 degrees.
    pub ranges: Vec<f64>,
    /// Where the laser was: x and y in m, heading in rad. Corrected by whoever made the log, if anybody did.
    pub pose: [f64; 3],
    /// Where odometry had the robot: x and y in m, heading in rad.
    pub odometry: [f64; 3],
    /// When it was measured, s; what that counts from is the log's own affair.
    pub stamp: f64,
    /// When it was logged: seconds since the log began, as far as the log is to be trusted.
    pub logged: f64,
}

/// Where the wheels say the robot is.
#[derive(Clone, Debug, PartialEq)]
pub struct Odometry {
    /// x and y in m, heading in rad.
    pub pose: [f64; 3],
    /// Forward, m/s.
    pub speed: f64,
    /// Turning to the left, rad/s.
    pub turn_rate: f64,
    /// Forward, m/s².
    pub acceleration: f64,
    /// As [`Scan::stamp`].
    pub stamp: f64,
    /// As [`Scan::logged`].
    pub logged: f64,
}

/// Why a line is not what it calls itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// In words, harmless on a terminal.
    pub what: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}
impl std::error::Error for Malformed {}

impl Message {
    /// Reads a line. `None`: it is of a kind that is not understood.
    pub fn parse(line: &[u8]) -> Option<Result<Message, Malformed>> {
        match kind(line) {
            b"FLASER" => Some(Scan::parse(line).map(Message::Scan)),
            b"RLASER" => Some(Scan::parse(line).map(Message::Scan)),
            b"ODOM" => Some(Odometry::parse(line).map(Message::Odometry)),
            _ => None,
        }
    }
    /// As [`Scan::stamp`].
    pub fn stamp(&self) -> f64 {
        match self {
            Message::Scan(scan) => scan.stamp,
            Message::Odometry(odometry) => odometry.stamp,
        }
    }
    /// As [`Scan::logged`].
    pub fn logged(&self) -> f64 {
        match self {
            Message::Scan(scan) => scan.logged,
            Message::Odometry(odometry) => odometry.logged,
        }
    }
}

impl Scan {
    /// Reads a line of either laser.
    pub fn parse(line: &[u8]) -> Result<Scan, Malformed> {
        let mut words = Words::new(line)?;
        let laser = match words.next("the kind of message")? {
            "FLASER" => Laser::Front,
            "RLASER" => Laser::Rear,
            other => return Err(malformed(format!("`{}` is no laser", shown(other)))),
        };
        let count = words.next("the number of ranges")?;
        let beams = count.parse().ok().filter(|n| *n <= LINE);
        let beams: usize =
            beams.ok_or_else(|| malformed(format!("`{}` is no number of ranges", shown(count))))?;
        let ranges = (0..beams).map(|_| words.number("a range")).collect::<Result<_, _>>()?;
        let pose = words.pose("the laser's pose")?;
        let odometry = words.pose("the odometry")?;
        let (stamp, logged) = words.stamps()?;
        Ok(Scan { laser, ranges, pose, odometry, stamp, logged })
    }
}

impl Odometry {
    /// Reads a line.
    pub fn parse(line: &[u8]) -> Result<Odometry, Malformed> {
        let mut words = Words::new(line)?;
        let kind = words.next("the kind of message")?;
        if kind != "ODOM" {
            return Err(malformed(format!("`{}` is no odometry", shown(kind))));
        }
        let pose = words.pose("the pose")?;
        let (speed, turn_rate) = (words.number("the speed")?, words.number("the turn rate")?);
        let acceleration = words.number("the acceleration")?;
        let (stamp, logged) = words.stamps()?;
        Ok(Odometry { pose, speed, turn_rate, acceleration, stamp, logged })
    }
}

/// The first word of a line: what it calls itself.
pub(crate) fn kind(line: &[u8]) -> &[u8] {
    line.split(u8::is_ascii_whitespace).next().unwrap_or_default()
}

/// The words of a line, taken one after the other.
struct Words<'a>(SplitAsciiWhitespace<'a>);

impl<'a> Words<'a> {
    fn new(line: &'a [u8]) -> Result<Words<'a>, Malformed> {
        let text = str::from_utf8(line).map_err(|_| malformed("it is not text".into()))?;
        Ok(Words(text.split_ascii_whitespace()))
    }
    fn next(&mut self, what: &str) -> Result<&'a str, Malformed> {
        self.0.next().ok_or_else(|| malformed(format!("it ends before {what}")))
    }
    fn number(&mut self, what: &str) -> Result<f64, Malformed> {
        let word = self.next(what)?;
        let number = word.parse().ok().filter(|n: &f64| n.is_finite());
        number.ok_or_else(|| malformed(format!("`{}` is no number, where {what} should be", shown(word))))
    }
    fn pose(&mut self, what: &str) -> Result<[f64; 3], Malformed> {
        Ok([self.number(what)?, self.number(what)?, self.number(what)?])
    }
    /// Stamp, host and stamp of the log, and then nothing more.
    fn stamps(&mut self) -> Result<(f64, f64), Malformed> {
        let stamp = self.number("the stamp")?;
        self.next("the host")?;
        let logged = self.number("the log's stamp")?;
        match self.0.next() {
            None => Ok((stamp, logged)),
            Some(word) => Err(malformed(format!("`{}` is too many behind its end", shown(word)))),
        }
    }
}

fn malformed(what: String) -> Malformed {
    Malformed { what }
}

/// A word of a file, as it may be shown on a terminal.
pub(crate) fn shown(word: &str) -> String {
    word.as_bytes()[..word.len().min(24)].escape_ascii().to_string()
}
