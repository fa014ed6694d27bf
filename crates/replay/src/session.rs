//! Playback of a log, with control by keys.

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

/// Time before a message that is spent spinning for exact timing, in ns.
const SPIN: u64 = 300_000;
/// Longest wait between two checks for keys and stop requests, in ns.
const SLICE: u64 = 50_000_000;
/// Distance of the up and down keys, in ns.
const SKIP: i64 = 10_000_000_000;

/// The part of a log to play, and how. Times are of the log, in ns since 1970.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The time of the first event of the log.
    pub first: i64,
    /// Start of playback.
    pub start: i64,
    /// End of playback.
    pub end: i64,
    /// Start again at the end.
    pub repeat: bool,
    /// Stop after this many messages.
    pub most: Option<u64>,
    /// Spin before each message: more exact, but uses a CPU.
    pub precise: bool,
}

/// The user's wish, polled regularly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    Nothing,
    /// A command was handled.
    Something,
    /// The end.
    End,
}

/// The result of a key.
pub enum Answer {
    /// Done.
    Done,
    /// A note to show.
    Note(String),
    /// A question to the user; [`Key::Typed`] has the answer.
    Ask(Line),
    /// The typed time to go to: see [`Session::seek`].
    GoTo(Vec<u8>),
    /// Show the keys.
    Help,
    /// The end.
    End,
}

/// The purpose of a typed line.
enum Asked {
    /// A new name for this channel of the log.
    Name(Vec<u8>),
    /// A time to go to.
    Time,
}

/// Playback of a log.
pub struct Session {
    player: Player<Reel>,
    outlets: Outlets,
    clock: Option<Clock>,
    bookmarks: Option<Bookmarks>,
    part: Part,
    /// The position at which `[` was pressed.
    mark: Option<i64>,
    /// The channel of `<` and `>`, if one was chosen; else that of the last published message.
    along: Option<Vec<u8>>,
    /// The purpose of a typed line.
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
    /// The publishers.
    #[must_use]
    pub fn outlets(&self) -> &Outlets {
        &self.outlets
    }
    /// Starts playback from the current position.
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
    /// Moves bookmarks from the bookmark file into the log, if possible.
    ///
    /// # Errors
    /// The log cannot be rewritten. The bookmark file stays.
    pub fn settle(&mut self) -> saltus_log::Result<()> {
        self.bookmarks.as_mut().map_or(Ok(()), |all| all.settle().map(drop))
    }

    /// Plays until the end, or until a stop request: by `person`, which is polled every 50 ms, or by a signal.
    ///
    /// # Errors
    /// A log cannot be read, the domain cannot create a channel, or `person` fails.
    pub fn play<E: From<Error>>(
        &mut self,
        mut person: impl FnMut(&mut Session, u64) -> std::result::Result<Action, E>,
    ) -> std::result::Result<(), E> {
        let most = self.part.most.unwrap_or(u64::MAX);
        let mut chores = 0;
        while !stop::requested() && self.outlets.played() < most {
            let now = time::monotonic();
            // Due events are published before anything else, but keys are still checked while many are due.
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
            let action = person(self, now)?;
            if let Some(clock) = &mut self.clock {
                clock.tick(now, &self.player, &mut self.outlets)?;
            }
            match todo {
                _ if action == Action::End => return Ok(()),
                _ if action == Action::Something => {} // the next action may have changed
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

    /// Prepares the next event, if it is played.
    fn prepare(&mut self) -> Result {
        let end = self.player.repeat().map(|(_, end)| end);
        let Some(next) = self.player.timeline().next()? else { return Ok(()) };
        if self.is_over(next.time) || end.is_some_and(|end| next.time > end) {
            return Ok(());
        }
        self.outlets.prepare(self.player.timeline(), &next)
    }

    /// Sleeps until then, or shorter.
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

    /// Steps one message forward or back, of any channel or of one.
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

    /// The channel of `<` and `>`, if any was played yet.
    fn along(&self) -> Option<Vec<u8>> {
        self.along.as_deref().or(self.outlets.last()).map(<[u8]>::to_vec)
    }

    /// Chooses the next channel by name for `<` and `>`.
    fn choose_next_channel(&mut self) -> Answer {
        let now = self.along();
        let logs = self.player.timeline().logs();
        let rows = logs.iter().flat_map(|log| &log.summary().channels);
        let names: BTreeSet<&[u8]> =
            rows.map(|row| &row.name[..]).filter(|name| self.outlets.has(name)).collect();
        let behind = names.iter().find(|name| now.as_deref().is_some_and(|now| **name > now));
        self.along = behind.or(names.first()).map(|name| name.to_vec());
        match &self.along {
            Some(name) => Answer::Note(format!("< and > step on {}", escaped(name))),
            None => Answer::Done,
        }
    }

    /// Runs `action` with the chosen channel, else that of the last message. If none was played yet, returns a note.
    fn with_chosen(&mut self, what: impl FnOnce(&mut Session, Vec<u8>) -> Answer) -> Answer {
        match self.along() {
            Some(channel) => what(self, channel),
            None => Answer::Note("no channel chosen: press c".into()),
        }
    }

    /// Handles a typed line.
    fn answer(&mut self, text: Vec<u8>) -> Answer {
        match self.asked.take() {
            Some(Asked::Name(channel)) => Answer::Note(match self.outlets.rename(&channel, &text) {
                Ok(()) => {
                    format!("{} is published as {}", escaped(&channel), escaped(&self.outlets.name(&channel)))
                }
                Err(error) => error.to_string(),
            }),
            Some(Asked::Time) => Answer::GoTo(text),
            None => Answer::Done,
        }
    }

    /// Handles a key.
    ///
    /// # Errors
    /// A log cannot be read, or the domain cannot create a channel.
    pub fn handle_key(&mut self, key: Key) -> Result<Answer> {
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
                    Err(e) => format!("cannot set a bookmark: {e}"),
                }));
            }
            Key::NextBookmark | Key::PreviousBookmark => {
                let found = self.bookmarks.as_ref().and_then(|all| match key {
                    Key::NextBookmark => all.after(at),
                    // Shortly after a bookmark, go to the one before it.
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
