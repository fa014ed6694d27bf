//! Selects messages of a log by time and channel.

use crate::Event;
use saltus_text::units;
use std::fmt;
use std::str::FromStr;

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

impl FromStr for Moment {
    type Err = String;

    /// Parses `90s` after the first event, or `@1700000000.5`, seconds since 1970.
    fn from_str(text: &str) -> Result<Moment, String> {
        if let Some(seconds) = text.strip_prefix('@') {
            let (whole, part) = seconds.split_once('.').unwrap_or((seconds, ""));
            let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
            let ns = || {
                let whole = whole.parse::<i64>().ok()?.checked_mul(1_000_000_000)?;
                let part = format!("{part:0<9}").get(..9)?.parse::<i64>().ok()?;
                whole.checked_add(part)
            };
            let ns = if digits(whole) && digits(part) { ns() } else { None };
            return ns
                .map(Moment::At)
                .ok_or_else(|| "expected seconds since 1970 after @, such as @1700000000.5".into());
        }
        let duration = units::duration(text)?;
        i64::try_from(duration.as_nanos()).map(Moment::After).map_err(|_| format!("{text} is too long"))
    }
}

/// A part of a log. Without an end it extends to that of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// The first time included.
    pub from: Option<Moment>,
    /// The end of the part; events at this time are not included.
    pub to: Option<Moment>,
}

/// Returns whether a channel of this name is selected.
type Choice<'a> = Box<dyn Fn(&[u8]) -> bool + 'a>;

/// Selects events of a log.
pub struct Selection<'a> {
    channels: Choice<'a>,
    times: Times,
    first: Option<i64>,
}

impl<'a> Selection<'a> {
    /// Selects all events.
    pub fn all() -> Selection<'a> {
        Selection::new(Times::default(), |_| true)
    }
    /// Selects the events in this part of the channels for which `channels` returns true.
    pub fn new(times: Times, channels: impl Fn(&[u8]) -> bool + 'a) -> Selection<'a> {
        Selection { channels: Box::new(channels), times, first: None }
    }
    /// Whether this event is selected. The first one asked for is the first of the log.
    pub fn takes(&mut self, event: &Event<'_>) -> bool {
        let first = *self.first.get_or_insert(event.log_time);
        self.times.from.is_none_or(|from| event.log_time >= from.of(first))
            && self.times.to.is_none_or(|to| event.log_time < to.of(first))
            && (self.channels)(event.channel)
    }
}

impl fmt::Debug for Selection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selection")
            .field("times", &self.times)
            .field("first", &self.first)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_after_the_first_event_or_since_1970() {
        let moment = |text: &str| text.parse::<Moment>();
        assert_eq!(moment("1.5s"), Ok(Moment::After(1_500_000_000)));
        assert_eq!(moment("@1700000000.000000001"), Ok(Moment::At(1_700_000_000_000_000_001)));
        assert_eq!(moment("@5"), Ok(Moment::At(5_000_000_000)));
        assert_eq!(moment("90"), Ok(Moment::After(90_000_000_000)));
        for wrong in ["@", "@x", "@1.x", "@-1", "@99999999999999", "-1s"] {
            assert!(moment(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_part_begins_at_its_first_time_and_ends_before_its_last() {
        let times = Times { from: Some(Moment::After(10)), to: Some(Moment::At(120)) };
        let mut selection = Selection::new(times, |name| name != b"B");
        let mut takes =
            |channel: &[u8], log_time| selection.takes(&Event { channel, log_time, ..Event::default() });
        let taken = [(b"A", 100), (b"A", 109), (b"A", 110), (b"B", 115), (b"A", 119), (b"A", 120)]
            .map(|(channel, time)| takes(channel, time));
        assert_eq!(taken, [false, false, true, false, true, false]);
    }
}
