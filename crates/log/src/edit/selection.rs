//! Which messages of a log are meant.

use clap::Args;
use saltus_domain::Pattern;
use saltus_log::Event;

use crate::failure::{Code, Failure, Outcome};
use crate::units;

/// By channel.
#[derive(Args, Default)]
pub struct Channels {
    /// Only channels whose whole name this regular expression matches; may be given several times
    #[arg(short, long = "channel", value_name = "REGEX")]
    channels: Vec<String>,

    /// All channels but those of --channel
    #[arg(short, long, requires = "channels")]
    invert: bool,
}

/// By time.
#[derive(Args, Default)]
pub struct Times {
    /// From this time on: so long after the first event (90s, 2.5m), or @SECONDS since 1970
    #[arg(short = 's', long, value_name = "TIME", value_parser = moment)]
    from: Option<Moment>,

    /// Up to this time, and not that itself; as --from
    #[arg(short = 'e', long, value_name = "TIME", value_parser = moment)]
    to: Option<Moment>,
}

/// A time in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// ns after the first event.
    After(i64),
    /// ns since 1970.
    At(i64),
}

impl Moment {
    /// The time in a log that begins at `first`, ns since 1970.
    pub fn of(self, first: i64) -> i64 {
        match self {
            Moment::At(time) => time,
            Moment::After(ns) => first.saturating_add(ns),
        }
    }
}

/// A time as people give it.
pub fn moment(text: &str) -> Result<Moment, String> {
    if let Some(seconds) = text.strip_prefix('@') {
        let (whole, part) = seconds.split_once('.').unwrap_or((seconds, ""));
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let ns = || {
            let whole = whole.parse::<i64>().ok()?.checked_mul(1_000_000_000)?;
            let part = format!("{part:0<9}").get(..9)?.parse::<i64>().ok()?;
            whole.checked_add(part)
        };
        let ns = if digits(whole) && digits(part) { ns() } else { None };
        return ns.map(Moment::At).ok_or_else(|| "@ stands before seconds since 1970: @1700000000.5".into());
    }
    let duration = units::duration(text)?;
    i64::try_from(duration.as_nanos()).map(Moment::After).map_err(|_| format!("{text} is too long"))
}

/// Says yes or no to each event of a log.
pub struct Selection {
    patterns: Vec<Pattern>,
    invert: bool,
    times: Times,
    first: Option<i64>,
}

impl Selection {
    /// Of these channels and times.
    pub fn new(channels: &Channels, times: Times) -> Outcome<Selection> {
        let pattern = |text: &String| Ok(Pattern::regex(text)?);
        let patterns = channels.channels.iter().map(pattern).collect::<Outcome<_>>()?;
        Ok(Selection { patterns, invert: channels.invert, times, first: None })
    }
    /// Whether this event is meant. The first one that is asked for is the first of the log.
    pub fn takes(&mut self, event: &Event<'_>) -> bool {
        let first = *self.first.get_or_insert(event.log_time);
        let time = |moment: Moment| moment.of(first);
        self.times.from.is_none_or(|from| event.log_time >= time(from))
            && self.times.to.is_none_or(|to| event.log_time < time(to))
            && (self.patterns.is_empty() || self.matches(event.channel) != self.invert)
    }
    fn matches(&self, channel: &[u8]) -> bool {
        self.patterns.iter().any(|pattern| pattern.matches(channel))
    }
}

impl Times {
    /// Fails if neither end is given.
    pub fn some(self) -> Outcome<Times> {
        match (self.from, self.to) {
            (None, None) => Err(Failure::new(Code::Usage, "say where to cut: --from, --to, or both")),
            _ => Ok(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_after_the_first_event_or_since_1970() {
        assert_eq!(moment("1.5s"), Ok(Moment::After(1_500_000_000)));
        assert_eq!(moment("@1700000000.000000001"), Ok(Moment::At(1_700_000_000_000_000_001)));
        assert_eq!(moment("@5"), Ok(Moment::At(5_000_000_000)));
        for wrong in ["5", "@", "@x", "@1.x", "@-1", "@99999999999999", "-1s"] {
            assert!(moment(wrong).is_err(), "{wrong}");
        }
    }
}
