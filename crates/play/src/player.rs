//! The state machine: what is due, and when.

use crate::timeline::{Spot, Timeline};
use saltus_log::Result;

/// What to do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Todo {
    /// Publish this event, which was due at this time of the clock.
    Publish(Spot, u64),
    /// Nothing until this time of the clock.
    Wait(u64),
    /// Nothing until somebody says something: it is paused.
    Paused,
    /// Nothing: all was played.
    Ended,
}

/// Which way to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To what was logged later.
    Forward,
    /// To what was logged before.
    Backward,
}

/// Who comes later than this is not to catch up: the time that was lost, as when the process was stopped, is made up for by
/// playing later. In ns.
const LATE: u64 = 500_000_000;

/// Plays a timeline. It has no clock itself: the times that it is told are nanoseconds of any clock that goes on evenly.
///
/// ```
/// # use saltus_play::{Player, Reel, Todo};
/// let mut player = Player::new(Reel::new(Vec::new()), 1.0);
/// player.play();
/// assert_eq!(player.poll(0)?, Todo::Ended);
/// # Ok::<(), saltus_log::Error>(())
/// ```
pub struct Player<T> {
    timeline: T,
    speed: f64,
    playing: bool,
    /// A time of the log, and the time of the clock at which it is due; none until something is due.
    anchor: Option<(i64, u64)>,
    /// Where the log is: the time of what was published last, or of where one has gone to.
    at: Option<i64>,
    repeat: Option<(i64, i64)>,
    /// Says whether a channel of a log is played.
    wants: Box<dyn FnMut(usize, usize) -> bool + Send>,
}

impl<T: Timeline> Player<T> {
    /// A player that is paused at the beginning. `speed` 2 is twice as fast as it was recorded; 0, and what is no number, is
    /// as fast as anybody asks.
    pub fn new(timeline: T, speed: f64) -> Player<T> {
        let wants = Box::new(|_, _| true);
        let mut player =
            Player { timeline, speed: 1.0, playing: false, anchor: None, at: None, repeat: None, wants };
        player.set_speed(speed, 0);
        player
    }
    /// What is played.
    pub fn timeline(&mut self) -> &mut T {
        &mut self.timeline
    }
    /// Plays only channels of which this says so: by the number of the log and that of the channel in it.
    pub fn set_wants(&mut self, wants: impl FnMut(usize, usize) -> bool + Send + 'static) {
        self.wants = Box::new(wants);
    }

    /// Goes on.
    pub fn play(&mut self) {
        if !self.playing {
            (self.playing, self.anchor) = (true, None);
        }
    }
    /// Stays where it is.
    pub fn pause(&mut self) {
        self.playing = false;
    }
    /// Whether it goes on.
    pub fn is_playing(&self) -> bool {
        self.playing
    }
    /// The speed.
    pub fn speed(&self) -> f64 {
        self.speed
    }
    /// Goes on with another speed from where it is `now`.
    pub fn set_speed(&mut self, speed: f64, now: u64) {
        self.anchor = self.anchor.map(|_| (self.time(now).unwrap_or(0), now));
        self.speed = if speed > 0.0 { speed } else { 0.0 };
    }
    /// Repeats what lies between two times of the log, both included, or no longer.
    pub fn set_repeat(&mut self, repeat: Option<(i64, i64)>) {
        self.repeat = repeat.map(|(a, b)| (a.min(b), a.max(b)));
    }
    /// What is repeated.
    pub fn repeat(&self) -> Option<(i64, i64)> {
        self.repeat
    }

    /// The time of the log that it is `now`, ns since 1970: between two events it goes on as the clock does. None before the
    /// first event.
    pub fn time(&self, now: u64) -> Option<i64> {
        let (Some((time, clock)), true) = (self.anchor, self.playing && self.speed > 0.0) else {
            return self.at;
        };
        let passed = now.saturating_sub(clock) as f64 * self.speed;
        Some(time.saturating_add(passed as i64)) // a number that is too large becomes the largest
    }
    /// The times of the first event and the last.
    ///
    /// # Errors
    /// A log cannot be read.
    pub fn span(&mut self) -> Result<Option<(i64, i64)>> {
        self.timeline.span()
    }

    /// Goes before the first event at or after this time. Whether it is playing does not change.
    ///
    /// # Errors
    /// A log cannot be read.
    pub fn seek(&mut self, time: i64) -> Result<()> {
        self.timeline.seek(time)?;
        (self.anchor, self.at) = (None, Some(time));
        Ok(())
    }

    /// What is to be done `now`. Call it again when that is done, when the time has come, or when something else was said.
    ///
    /// # Errors
    /// A log cannot be read.
    pub fn poll(&mut self, now: u64) -> Result<Todo> {
        if !self.playing {
            return Ok(Todo::Paused);
        }
        let mut again = self.repeat.is_some();
        loop {
            let next = self.timeline.next()?;
            let end = self.repeat.map(|(_, end)| end);
            let Some(spot) = next.filter(|spot| end.is_none_or(|end| spot.time <= end)) else {
                // A loop in which nothing is to be played is not run through for ever.
                let Some((start, _)) = self.repeat.filter(|_| again) else { return Ok(Todo::Ended) };
                again = false;
                self.seek(start)?;
                continue;
            };
            if !(self.wants)(spot.log, spot.channel) {
                self.timeline.forward()?;
                continue;
            }
            let due = self.due(spot.time, now);
            if due > now {
                return Ok(Todo::Wait(due));
            }
            self.timeline.forward()?;
            self.at = Some(spot.time);
            return Ok(Todo::Publish(spot, due));
        }
    }

    /// When an event of this time of the log is due.
    fn due(&mut self, time: i64, now: u64) -> u64 {
        if self.speed == 0.0 {
            return now;
        }
        let start = self.at.unwrap_or(time);
        let (anchor, clock) = *self.anchor.get_or_insert((start, now));
        let later = time.saturating_sub(anchor).max(0) as f64 / self.speed;
        let due = clock.saturating_add(later as u64);
        if now.saturating_sub(due) <= LATE {
            return due;
        }
        self.anchor = Some((time, now));
        now
    }

    /// Pauses, and goes one event further or back: of any channel that is played, or only of those that `of` wants. Gives what
    /// is to be published; none at an end.
    ///
    /// # Errors
    /// A log cannot be read.
    pub fn step(&mut self, direction: Direction, mut of: impl FnMut(&Spot) -> bool) -> Result<Option<Spot>> {
        self.pause();
        // The event before the place is the one that was published last: back means before that.
        if direction == Direction::Backward {
            self.timeline.back()?;
        }
        loop {
            let spot = match direction {
                Direction::Forward => self.timeline.next()?,
                Direction::Backward => self.timeline.previous()?,
            };
            let Some(spot) = spot else { return Ok(None) };
            let wanted = (self.wants)(spot.log, spot.channel) && of(&spot);
            if direction == Direction::Forward {
                self.timeline.forward()?;
            } else if !wanted {
                self.timeline.back()?;
            }
            if wanted {
                (self.at, self.anchor) = (Some(spot.time), None);
                return Ok(Some(spot));
            }
        }
    }
}

#[cfg(test)]
mod tests;
