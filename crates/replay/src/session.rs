//! What a person asks for while a log is played.

use std::collections::BTreeSet;
use std::time::Duration;

use saltus_log::ChannelSummary;
use saltus_os::clock as time;
use saltus_play::{Direction, Spot};

use super::keys::{HELP, Key};
use super::line::Line;
use super::{SKIP, Session, failed, moment};
use crate::escape::escaped;
use crate::failure::Outcome;

/// What a line is typed for.
pub enum Asked {
    /// The name of this channel of the log.
    Name(Vec<u8>),
    /// A time.
    Time,
}

impl Session {
    /// Steps one message further or back: of any channel, or of one.
    fn step(&mut self, direction: Direction, channel: Option<Vec<u8>>) -> Outcome {
        let rows = self.player.timeline().logs().iter().map(|log| &log.summary().channels);
        let is = |row: &ChannelSummary| {
            channel.as_ref().is_none_or(|name| *name == row.name) && self.outlets.plays(&row.name)
        };
        let wanted: Vec<Vec<bool>> = rows.map(|rows| rows.iter().map(is).collect()).collect();
        let of = |spot: &Spot| {
            let row = wanted.get(spot.log).and_then(|rows| rows.get(spot.channel));
            row.copied().unwrap_or(channel.is_none())
        };
        if let Some(spot) = self.player.step(direction, of).map_err(failed)? {
            self.outlets.publish(self.player.timeline(), &spot, None)?;
        }
        Ok(())
    }

    /// The channel to step along, if any was played yet.
    fn along(&self) -> Option<Vec<u8>> {
        self.along.as_deref().or(self.outlets.last()).map(<[u8]>::to_vec)
    }

    /// Steps go along the channel that comes next by name from now on.
    fn choose_next_channel(&mut self) {
        let now = self.along();
        let logs = self.player.timeline().logs();
        let rows = logs.iter().flat_map(|log| &log.summary().channels);
        let names: BTreeSet<&[u8]> =
            rows.map(|row| &row.name[..]).filter(|name| self.outlets.has(name)).collect();
        let behind = names.iter().find(|name| now.as_deref().is_some_and(|now| **name > now));
        self.along = behind.or(names.first()).map(|name| name.to_vec());
        if let Some(name) = &self.along {
            self.status.note(format!("< and > step along {}", escaped(name)));
        }
    }

    /// The channel that was chosen, or else that of the last message; where nothing was played yet, that is said.
    fn chosen(&mut self) -> Option<Vec<u8>> {
        let chosen = self.along();
        if chosen.is_none() {
            self.status.note("no channel is chosen: c chooses one".into());
        }
        chosen
    }

    /// Asks for a line.
    fn ask(&mut self, asked: Asked) {
        let line = match &asked {
            Asked::Name(channel) => {
                Line::new(format!("publish {} as ", escaped(channel)), &self.outlets.name(channel))
            }
            Asked::Time => Line::new("go to ".into(), b""),
        };
        if let Some(keys) = &mut self.keys {
            keys.ask(line);
        }
        self.asked = Some(asked);
    }

    /// Does what a line was asked for.
    fn answer(&mut self, text: &[u8]) -> Outcome {
        match self.asked.take() {
            Some(Asked::Name(channel)) => match self.outlets.rename(&channel, text) {
                Ok(()) => {
                    let name = self.outlets.name(&channel);
                    self.status.note(format!("{} goes to {}", escaped(&channel), escaped(&name)));
                }
                Err(error) => self.status.note(error.to_string()),
            },
            Some(Asked::Time) => match moment(&String::from_utf8_lossy(text)) {
                Ok(to) => self.player.seek(to.of(self.first)).map_err(failed)?,
                Err(error) => self.status.note(error),
            },
            None => {}
        }
        Ok(())
    }

    /// Does what a key asks for. `false`: the end.
    pub fn obey(&mut self, key: Key) -> Outcome<bool> {
        let now = time::monotonic();
        let at = self.player.time(now).unwrap_or(self.first);
        match key {
            Key::Pause if self.player.is_playing() => self.player.pause(),
            Key::Pause => self.player.play(),
            Key::Forward => self.step(Direction::Forward, None)?,
            Key::Backward => self.step(Direction::Backward, None)?,
            Key::ForwardAlong => self.step(Direction::Forward, self.along())?,
            Key::BackwardAlong => self.step(Direction::Backward, self.along())?,
            Key::NextChannel => self.choose_next_channel(),
            Key::OnOff => {
                if let Some(channel) = self.chosen() {
                    let on = if self.outlets.turn(&channel) { "on" } else { "off" };
                    self.status.note(format!("{} is {on}", escaped(&channel)));
                }
            }
            Key::Rename => {
                if let Some(channel) = self.chosen() {
                    self.ask(Asked::Name(channel));
                }
            }
            Key::GoTo => self.ask(Asked::Time),
            Key::Typed(text) => self.answer(&text)?,
            Key::Canceled => self.asked = None,
            Key::Ahead => self.player.seek(at.saturating_add(SKIP)).map_err(failed)?,
            Key::Back => self.player.seek(at.saturating_sub(SKIP).max(self.first)).map_err(failed)?,
            Key::Faster => self.player.set_speed((self.player.speed() * 2.0).min(100.0), now),
            Key::Slower => self.player.set_speed((self.player.speed() / 2.0).max(0.01), now),
            Key::MarkStart => self.mark = Some(at),
            Key::MarkEnd => self.player.set_repeat(Some((self.mark.unwrap_or(self.first), at))),
            Key::NoRepeat => {
                self.mark = None;
                self.player.set_repeat(None);
            }
            Key::Bookmark => {
                let added = self.bookmarks.as_mut().map_or(Ok(()), |all| all.add(at, "marked while playing"));
                self.status.note(match added {
                    Ok(()) => "bookmark set".into(),
                    Err(e) => format!("no bookmark: {e}"),
                });
            }
            Key::NextBookmark | Key::PreviousBookmark => {
                let found = self.bookmarks.as_ref().and_then(|all| match key {
                    Key::NextBookmark => all.after(at),
                    // Just behind one, the one before it is meant.
                    _ => all.before(at.saturating_sub(Duration::from_secs(1).as_nanos() as i64)),
                });
                let time = found.map(|found| found.time);
                time.map_or(Ok(()), |time| self.player.seek(time)).map_err(failed)?;
            }
            Key::Help => self.status.tell(HELP),
            Key::Quit => return Ok(false),
        }
        Ok(true)
    }
}
