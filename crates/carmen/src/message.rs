//! The kinds of lines that are parsed.

use std::fmt;
use std::str::SplitAsciiWhitespace;

use crate::LINE;

/// A message of a log.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A laser scan.
    Scan(Scan),
    /// The robot's pose according to its wheels.
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
    /// The laser's pose: x and y in m, heading in rad. Corrected by the log's author, if at all.
    pub pose: [f64; 3],
    /// The odometry pose: x and y in m, heading in rad.
    pub odometry: [f64; 3],
    /// When it was measured, in s since the log's own epoch.
    pub stamp: f64,
    /// When it was logged: seconds since the log began, as far as the log can be trusted.
    pub logged: f64,
}

/// The robot's pose and motion according to its wheels.
#[derive(Clone, Debug, PartialEq)]
pub struct Odometry {
    /// x and y in m, heading in rad.
    pub pose: [f64; 3],
    /// Forward speed, m/s.
    pub speed: f64,
    /// Turn rate to the left, rad/s.
    pub turn_rate: f64,
    /// Forward acceleration, m/s².
    pub acceleration: f64,
    /// See [`Scan::stamp`].
    pub stamp: f64,
    /// See [`Scan::logged`].
    pub logged: f64,
}

/// Why a line is malformed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The reason, escaped for a terminal.
    pub what: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}
impl std::error::Error for Malformed {}

impl Message {
    /// Parses a line. `None`: it is of another kind.
    pub fn parse(line: &[u8]) -> Option<Result<Message, Malformed>> {
        match kind(line) {
            b"FLASER" => Some(Scan::parse(line).map(Message::Scan)),
            b"RLASER" => Some(Scan::parse(line).map(Message::Scan)),
            b"ODOM" => Some(Odometry::parse(line).map(Message::Odometry)),
            _ => None,
        }
    }
    /// See [`Scan::stamp`].
    pub fn stamp(&self) -> f64 {
        match self {
            Message::Scan(scan) => scan.stamp,
            Message::Odometry(odometry) => odometry.stamp,
        }
    }
    /// See [`Scan::logged`].
    pub fn logged(&self) -> f64 {
        match self {
            Message::Scan(scan) => scan.logged,
            Message::Odometry(odometry) => odometry.logged,
        }
    }
}

impl Scan {
    /// Parses a line of either laser.
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
            beams.ok_or_else(|| malformed(format!("`{}` is not a number of ranges", shown(count))))?;
        let ranges = (0..beams).map(|_| words.number("a range")).collect::<Result<_, _>>()?;
        let pose = words.pose("the laser's pose")?;
        let odometry = words.pose("the odometry")?;
        let (stamp, logged) = words.stamps()?;
        Ok(Scan { laser, ranges, pose, odometry, stamp, logged })
    }
}

impl Odometry {
    /// Parses a line.
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

/// The first word of a line: its kind.
pub(crate) fn kind(line: &[u8]) -> &[u8] {
    line.split(u8::is_ascii_whitespace).next().unwrap_or_default()
}

/// The words of a line.
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
        number.ok_or_else(|| malformed(format!("`{}` is not a number, expected {what}", shown(word))))
    }
    fn pose(&mut self, what: &str) -> Result<[f64; 3], Malformed> {
        Ok([self.number(what)?, self.number(what)?, self.number(what)?])
    }
    /// Timestamp, host and the log's timestamp, and then the end of the line.
    fn stamps(&mut self) -> Result<(f64, f64), Malformed> {
        let stamp = self.number("the stamp")?;
        self.next("the host")?;
        let logged = self.number("the log's stamp")?;
        match self.0.next() {
            None => Ok((stamp, logged)),
            Some(word) => Err(malformed(format!("`{}` is unexpected after its end", shown(word)))),
        }
    }
}

fn malformed(what: String) -> Malformed {
    Malformed { what }
}

/// A word of a file, escaped for a terminal.
pub(crate) fn shown(word: &str) -> String {
    word.as_bytes()[..word.len().min(24)].escape_ascii().to_string()
}
