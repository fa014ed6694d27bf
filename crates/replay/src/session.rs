//! A log that is played: until its end, and as a person asks.

use std::collections::BTreeSet;
use std::time::Duration;

use saltus_log::ChannelSummary;
use saltus_os::{clock as time, process, stop};
use saltus_play::{Bookmarks, Direction, Player, Reel, Spot, Timeline, Todo};
use saltus_text::escape::escaped;

use crate::clock::Clock;
use crate::keys::Key;
use crate::line::Line;
use crate::outlets::Outlets;
use crate::{Error, Result};

/// The last moments before a message are spun through, if it is to be precise, in ns.
const SPIN: u64 = 300_000;
/// Longer waits are interrupted to look for keys and for the end, in ns.
const SLICE: u64 = 50_000_000;
/// The up and down keys go so far, in ns.
const SKIP: i64 = 10_000_000_000;

/// Which part of a log is played, and how; times are of the log, in ns since 1970.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The first event of the log.
    pub first: i64,
    /// Where playing begins.
    pub start: i64,
    /// Where it ends.
    pub end: i64,
    /// Begins again at the end.
    pub repeat: bool,
    /// Ends after so many messages.
    pub most: Option<u64>,
    /// Spins before each message: more exact, and takes a processor.
    pub precise: bool,
}

/// What a person wants, who is asked every now and then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Nothing.
    Nothing,
    /// Something was asked for, and done.
    Something,
    /// The end.
    End,
}

/// What comes of a key.
pub enum Answer {
    /// It is done.
    Done,
    /// Something to show.
    Note(String),
    /// A line is to be typed; [`Key::Typed`] brings it.
    Ask(Line),
    /// This was typed for a time to go to: see [`Session::seek`].
    GoTo(Vec<u8>),
    /// The keys are to be shown.
    Help,
    /// The end.
    End,
}

/// What a line is typed for.
enum Asked {
    /// The name of this channel of the log.
    Name(Vec<u8>),
    /// A time.
    Time,
}

/// A log that is played.
pub struct Session {
    player: Player<Reel>,
    outlets: Outlets,
    clock: Option<Clock>,
    bookmarks: Option<Bookmarks>,
    part: Part,
    /// Where `[` was pressed.
    mark: Option<i64>,
    /// The channel that `<` and `>` step along: that of the message published last, unless one was chosen.
    along: Option<Vec<u8>>,
    /// What a line is typed for.
    asked: Option<Asked>,
}

impl Session {
    /// Goes to the start of the part, paused.
    ///
    /// # Errors
    /// A log cannot be read.
    pub fn new(
        mut player: Player<Reel>,
        outlets: Outlets,
        clock: Option<Clock>,
        bookmarks: Option<Bookmarks>,
        part: Part,
    ) -> Result<Session> {
        player.seek(part.start)?;
        if part.repeat {
            player.set_repeat(Some((part.start, part.end)));
        }
        let (mark, along, asked) = (None, None, None);
        Ok(Session { player, outlets, clock, bookmarks, part, mark, along, asked })
    }

    /// The player.
    #[must_use]
    pub fn player(&self) -> &Player<Reel> {
        &self.player
    }
    /// Where it plays to.
    #[must_use]
    pub fn outlets(&self) -> &Outlets {
        &self.outlets
    }
    /// Plays from where it is.
    pub fn start(&mut self) {
        self.player.play();
    }
    /// Goes before the first event at or after this time of the log.
    ///
    /// # Errors
    /// A log cannot be read.
    pub fn seek(&mut self, time: i64) -> Result {
        Ok(self.player.seek(time)?)
    }
    /// Puts bookmarks that were set beside the log into it, if that can be done.
    ///
    /// # Errors
    /// They stay beside the log.
    pub fn settle(&mut self) -> saltus_log::Result<()> {
        self.bookmarks.as_mut().map_or(Ok(()), |all| all.settle().map(drop))
    }

    /// Plays until the end, or until that is asked for: by `person`, who is asked every 50 ms, or by a signal.
    ///
    /// # Errors
    /// A log cannot be read, or the domain has no place for a channel; and those of `person`.
    pub fn play<E: From<Error>>(
        &mut self,
        mut person: impl FnMut(&mut Session, u64) -> std::result::Result<Wish, E>,
    ) -> std::result::Result<(), E> {
        let most = self.part.most.unwrap_or(u64::MAX);
        let mut chores = 0;
        while !stop::requested() && self.outlets.played() < most {
            let now = time::monotonic();
            // What is due goes out before anything else is done, but keys are looked for while much is due.
            let todo = self.player.poll(now).map_err(Error::from)?;
            match todo {
                Todo::Publish(spot, _) if self.is_over(spot.time) => return Ok(()),
                Todo::Publish(spot, due) => {
                    self.publish(spot, due)?;
                    if now < chores {
                        continue;
                    }
                }
                Todo::Wait(_) | Todo::Paused => {}
                Todo::Ended => return Ok(()),
            }
            chores = now + SLICE;
            let wish = person(self, now)?;
            if let Some(clock) = &mut self.clock {
                clock.tick(now, &self.player, &mut self.outlets)?;
            }
            match todo {
                _ if wish == Wish::End => return Ok(()),
                _ if wish == Wish::Something => {} // it may have changed what is to be done
                Todo::Wait(until) => {
                    self.prepare()?;
                    self.wait(now, until);
                }
                Todo::Paused => self.wait(now, u64::MAX),
                Todo::Publish(..) | Todo::Ended => {}
            }
        }
        Ok(())
    }

    fn publish(&mut self, spot: Spot, due: u64) -> Result {
        let unpaced = self.player.speed() == 0.0;
        if let Some(clock) = self.clock.as_mut().filter(|_| unpaced) {
            clock.advance(spot.time, &mut self.outlets)?;
        }
        let lateness = (!unpaced).then(|| time::monotonic().saturating_sub(due));
        self.outlets.publish(self.player.timeline(), &spot, lateness)?;
        if unpaced {
            self.outlets.wait_for_readers();
        }
        Ok(())
    }

    /// Whether the part ends here.
    fn is_over(&self, time: i64) -> bool {
        time > self.part.end && !self.part.repeat && self.mark.is_none()
    }

    /// Gets ready for the next event, if it is to be played.
    fn prepare(&mut self) -> Result {
        let end = self.player.repeat().map(|(_, end)| end);
        let Some(next) = self.player.timeline().next()? else { return Ok(()) };
        if self.is_over(next.time) || end.is_some_and(|end| next.time > end) {
            return Ok(());
        }
        self.outlets.prepare(self.player.timeline(), &next)
    }

    /// Sleeps until then, or less.
    fn wait(&mut self, now: u64, until: u64) {
        let tick = self.clock.as_ref().map_or(u64::MAX, |clock| clock.due());
        let end = until.min(tick).min(now + SLICE);
        if !(self.part.precise && end == until) {
            return process::sleep_until(end);
        }
        process::sleep_until(end.saturating_sub(SPIN));
        while time::monotonic() < end && !stop::requested() {
            std::hint::spin_loop();
        }
    }

    /// Steps one message further or back: of any channel, or of one.
    fn step(&mut self, direction: Direction, channel: Option<Vec<u8>>) -> Result {
        let rows = self.player.timeline().logs().iter().map(|log| &log.summary().channels);
        let is = |row: &ChannelSummary| {
            channel.as_ref().is_none_or(|name| *name == row.name) && self.outlets.plays(&row.name)
        };
        let wanted: Vec<Vec<bool>> = rows.map(|rows| rows.iter().map(is).collect()).collect();
        let of = |spot: &Spot| {
            let row = wanted.get(spot.log).and_then(|rows| rows.get(spot.channel));
            row.copied().unwrap_or(channel.is_none())
        };
        if let Some(spot) = self.player.step(direction, of)? {
            self.outlets.publish(self.player.timeline(), &spot, None)?;
        }
        Ok(())
    }

    /// The channel to step along, if any was played yet.
    fn along(&self) -> Option<Vec<u8>> {
        self.along.as_deref().or(self.outlets.last()).map(<[u8]>::to_vec)
    }

    /// Steps go along the channel that comes next by name from now on.
    fn choose_next_channel(&mut self) -> Answer {
        let now = self.along();
        let logs = self.player.timeline().logs();
        let rows = logs.iter().flat_map(|log| &log.summary().channels);
        let names: BTreeSet<&[u8]> =
            rows.map(|row| &row.name[..]).filter(|name| self.outlets.has(name)).collect();
        let behind = names.iter().find(|name| now.as_deref().is_some_and(|now| **name > now));
        self.along = behind.or(names.first()).map(|name| name.to_vec());
        match &self.along {
            Some(name) => Answer::Note(format!("< and > step along {}", escaped(name))),
            None => Answer::Done,
        }
    }

    /// Does something with the channel that was chosen, or else that of the last message; where nothing was played yet, that is
    /// said.
    fn with_chosen(&mut self, what: impl FnOnce(&mut Session, Vec<u8>) -> Answer) -> Answer {
        match self.along() {
            Some(channel) => what(self, channel),
            None => Answer::Note("no channel is chosen: c chooses one".into()),
        }
    }

    /// Does what a line was asked for.
    fn answer(&mut self, text: Vec<u8>) -> Answer {
        match self.asked.take() {
            Some(Asked::Name(channel)) => Answer::Note(match self.outlets.rename(&channel, &text) {
                Ok(()) => {
                    format!("{} goes to {}", escaped(&channel), escaped(&self.outlets.name(&channel)))
                }
                Err(error) => error.to_string(),
            }),
            Some(Asked::Time) => Answer::GoTo(text),
            None => Answer::Done,
        }
    }

    /// Does what a key asks for.
    ///
    /// # Errors
    /// A log cannot be read, or the domain has no place for a channel.
    pub fn obey(&mut self, key: Key) -> Result<Answer> {
        let now = time::monotonic();
        let first = self.part.first;
        let at = self.player.time(now).unwrap_or(first);
        match key {
            Key::Pause if self.player.is_playing() => self.player.pause(),
            Key::Pause => self.player.play(),
            Key::Forward => self.step(Direction::Forward, None)?,
            Key::Backward => self.step(Direction::Backward, None)?,
            Key::ForwardAlong => self.step(Direction::Forward, self.along())?,
            Key::BackwardAlong => self.step(Direction::Backward, self.along())?,
            Key::NextChannel => return Ok(self.choose_next_channel()),
            Key::OnOff => {
                return Ok(self.with_chosen(|session, channel| {
                    let on = if session.outlets.turn(&channel) { "on" } else { "off" };
                    Answer::Note(format!("{} is {on}", escaped(&channel)))
                }));
            }
            Key::Rename => {
                return Ok(self.with_chosen(|session, channel| {
                    let question = format!("publish {} as ", escaped(&channel));
                    let line = Line::new(question, &session.outlets.name(&channel));
                    session.asked = Some(Asked::Name(channel));
                    Answer::Ask(line)
                }));
            }
            Key::GoTo => {
                self.asked = Some(Asked::Time);
                return Ok(Answer::Ask(Line::new("go to ".into(), b"")));
            }
            Key::Typed(text) => return Ok(self.answer(text)),
            Key::Canceled => self.asked = None,
            Key::Ahead => self.seek(at.saturating_add(SKIP))?,
            Key::Back => self.seek(at.saturating_sub(SKIP).max(first))?,
            Key::Faster => self.player.set_speed((self.player.speed() * 2.0).min(100.0), now),
            Key::Slower => self.player.set_speed((self.player.speed() / 2.0).max(0.01), now),
            Key::MarkStart => self.mark = Some(at),
            Key::MarkEnd => self.player.set_repeat(Some((self.mark.unwrap_or(first), at))),
            Key::NoRepeat => {
                self.mark = None;
                self.player.set_repeat(None);
            }
            Key::Bookmark => {
                let added = self.bookmarks.as_mut().map_or(Ok(()), |all| all.add(at, "marked while playing"));
                return Ok(Answer::Note(match added {
                    Ok(()) => "bookmark set".into(),
                    Err(e) => format!("no bookmark: {e}"),
                }));
            }
            Key::NextBookmark | Key::PreviousBookmark => {
                let found = self.bookmarks.as_ref().and_then(|all| match key {
                    Key::NextBookmark => all.after(at),
                    // Just behind one, the one before it is meant.
                    _ => all.before(at.saturating_sub(Duration::from_secs(1).as_nanos() as i64)),
                });
                let time = found.map(|found| found.time);
                time.map_or(Ok(()), |time| self.seek(time))?;
            }
            Key::Help => return Ok(Answer::Help),
            Key::Quit => return Ok(Answer::End),
        }
        Ok(Answer::Done)
    }
}
