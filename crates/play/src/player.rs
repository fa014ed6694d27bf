//! The player: a state machine that determines which event is due, and when.

use crate::timeline::{Spot, Timeline};
use saltus_log::Result;

/// The next action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Todo {
    /// Publish this event, which was due at this clock time.
    Publish(Spot, u64),
    /// Wait until this clock time.
    Wait(u64),
    /// Paused: wait for a command.
    Paused,
    /// All events were played.
    Ended,
}

/// The direction of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the next event.
    Forward,
    /// To the previous event.
    Backward,
}

/// Longest delay that the player catches up with, in ns. After a longer one, such as a stopped process, all later events are delayed by it.
const LATE: u64 = 500_000_000;

/// Plays a timeline. It has no clock: callers pass in times in nanoseconds of any monotonic clock.
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
    /// A time of the log, and the clock time at which it is due; `None` until an event is due.
    anchor: Option<(i64, u64)>,
    /// The position in the log: the time of the last published event, or of the last seek.
    at: Option<i64>,
    repeat: Option<(i64, i64)>,
    /// The filter for channels.
    wants: Box<dyn FnMut(usize, usize) -> bool + Send>,
}

impl<T: Timeline> Player<T> {
    /// A paused player at the beginning. Speed 2 is twice the recorded speed; 0, and NaN, is without limit.
    pub fn new(timeline: T, speed: f64) -> Player<T> {
        let wants = Box::new(|_, _| true);
        let mut player =
            Player { timeline, speed: 1.0, playing: false, anchor: None, at: None, repeat: None, wants };
        player.set_speed(speed, 0);
        player
    }
    /// The timeline.
    pub fn timeline(&mut self) -> &mut T {
        &mut self.timeline
    }
    /// Plays only channels for which `wants` returns `true`, given the numbers of the log and of the channel in it.
    pub fn set_wants(&mut self, wants: impl FnMut(usize, usize) -> bool + Send + 'static) {
        self.wants = Box::new(wants);
    }

    /// Starts or resumes playback.
    pub fn play(&mut self) {
        if !self.playing {
            (self.playing, self.anchor) = (true, None);
        }
    }
    /// Pauses playback.
    pub fn pause(&mut self) {
        self.playing = false;
    }
    /// Whether it is playing.
    pub fn is_playing(&self) -> bool {
        self.playing
    }
    /// The speed.
    pub fn speed(&self) -> f64 {
        self.speed
    }
    /// Changes the speed from the position at `now`.
    pub fn set_speed(&mut self, speed: f64, now: u64) {
        self.anchor = self.anchor.map(|_| (self.time(now).unwrap_or(0), now));
        self.speed = if speed > 0.0 { speed } else { 0.0 };
    }
    /// Repeats the part between two times of the log, inclusive, or stops repeating.
    pub fn set_repeat(&mut self, repeat: Option<(i64, i64)>) {
        self.repeat = repeat.map(|(a, b)| (a.min(b), a.max(b)));
    }
    /// The repeated part.
    pub fn repeat(&self) -> Option<(i64, i64)> {
        self.repeat
    }

    /// The time of the log at clock time `now`, ns since 1970. It advances between two events. `None` before the first event.
    pub fn time(&self, now: u64) -> Option<i64> {
        let (Some((time, clock)), true) = (self.anchor, self.playing && self.speed > 0.0) else {
            return self.at;
        };
        let passed = now.saturating_sub(clock) as f64 * self.speed;
        Some(time.saturating_add(passed as i64)) // saturates
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

    /// The next action at clock time `now`. Call it again after the action, at the returned time, or after a command.
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
                // A loop without events to play must not run forever.
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

    /// The clock time at which an event with this time of the log is due.
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

    /// Pauses, and steps one event forward or back, among played channels that `of` accepts. Returns the event to publish; `None` at an
    /// end.
    ///
    /// # Errors
    /// A log cannot be read.
    pub fn step(&mut self, direction: Direction, mut of: impl FnMut(&Spot) -> bool) -> Result<Option<Spot>> {
        self.pause();
        // The previous event is the one that was published last: stepping back means the one before it.
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
