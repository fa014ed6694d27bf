//! The player's thread: publishes due messages, and handles requests.

use crate::Stop;
use crate::protocol::Steer;
use saltus_domain::{Domain, Name, Publisher};
use saltus_log::{Event, Log, Result, Types};
use saltus_os::clock;
use saltus_play::{Bookmarks, Direction, Player, Reel, Spot, Timeline, Todo};
use saltus_types::Schema;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Most channels in the picture of densities.
pub(crate) const TRACKS: usize = 500;
/// The state shared by the thread and the pages: the last status and its number.
#[derive(Debug, Default)]
pub(crate) struct Told(Mutex<(u64, String)>);

impl Told {
    pub fn set(&self, words: String) {
        let mut reported = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.1 != words {
            *reported = (reported.0 + 1, words);
        }
    }
    /// The last status, if its number differs from `number`.
    pub fn since(&self, known: u64) -> Option<(u64, String)> {
        let reported = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (reported.0 != known).then(|| reported.clone())
    }
}

/// Time between two updates of the status and checks for the end, in ns.
const SLICE: u64 = 50_000_000;
/// Most messages before a position that are searched for the newest of each channel after a seek.
const BEFORE: usize = 5000;
/// Speeds other than 0.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=100.0;
/// The channel in which a recorder stores its account. It is not a channel of the robot.
const ACCOUNT: &[u8] = b"SALTUS_ACCOUNT";

/// A channel of the logs.
pub(crate) struct Track {
    /// Its name in the logs.
    channel: Vec<u8>,
    pub messages: u64,
    on: Arc<AtomicBool>,
    /// The name to publish under, if different.
    rename: String,
    /// Created with its first message; `None` if the domain refuses the name.
    publisher: Option<Option<Publisher>>,
}

impl Track {
    pub fn name(&self) -> String {
        String::from_utf8_lossy(&self.channel).into_owned()
    }
}

/// The publishers.
pub(crate) struct Outlets {
    domain: Domain,
    pub tracks: Vec<Track>,
    /// For each log, the track of each of its channels.
    numbers: Vec<Vec<usize>>,
    types: Types,
    /// The last error.
    trouble: Option<String>,
}

impl Outlets {
    pub fn new(domain: Domain, logs: &[Log], schemas: &[Arc<Schema>]) -> Outlets {
        let mut types = Types::new();
        schemas.iter().for_each(|schema| types.add_all(schema));
        let (mut tracks, mut known): (Vec<Track>, HashMap<Vec<u8>, usize>) = Default::default();
        let mut numbers = Vec::new();
        for log in logs {
            let mut of_log = Vec::new();
            for channel in &log.summary().channels {
                let number = *known.entry(channel.name.clone()).or_insert_with(|| {
                    let on = Arc::new(AtomicBool::new(channel.name != ACCOUNT));
                    let (channel, rename) = (channel.name.clone(), String::new());
                    tracks.push(Track { channel, messages: 0, on, rename, publisher: None });
                    tracks.len() - 1
                });
                tracks[number].messages += channel.messages;
                of_log.push(number);
            }
            numbers.push(of_log);
        }
        Outlets { domain, tracks, numbers, types, trouble: None }
    }

    /// The track of a channel of a log.
    pub fn track(&self, log: usize, channel: usize) -> Option<usize> {
        self.numbers.get(log)?.get(channel).copied()
    }

    /// The filter for played channels of a log, updated on changes.
    fn wants(&self) -> impl FnMut(usize, usize) -> bool + Send + 'static {
        let on: Vec<Arc<AtomicBool>> = self.tracks.iter().map(|track| track.on.clone()).collect();
        let numbers = self.numbers.clone();
        move |log, channel| {
            let track = numbers.get(log).and_then(|of_log| of_log.get(channel));
            // Relaxed: set by the same thread.
            track.is_some_and(|&track| on[track].load(Relaxed))
        }
    }

    fn set(&mut self, channel: &str, on: bool, name: &str) {
        let Some(track) = self.tracks.iter_mut().find(|track| track.name() == channel) else { return };
        track.on.store(on, Relaxed);
        if track.rename != name {
            (track.rename, track.publisher) = (name.into(), None);
        }
    }

    fn publish(&mut self, reel: &mut Reel, spot: &Spot) {
        let Some(number) = self.track(spot.log, spot.channel) else { return };
        let event = match reel.event(spot) {
            Ok(Some(event)) => event,
            Ok(None) => return,
            Err(error) => return self.trouble = Some(format!("skipped: {error}")),
        };
        let track = &mut self.tracks[number];
        if track.publisher.is_none() {
            track.publisher = Some(None);
            match outlet(&self.domain, track, &event, &self.types) {
                Ok(made) => track.publisher = Some(Some(made)),
                Err(error) => self.trouble = Some(format!("{}: {error}", track.name())),
            }
        }
        if let Some(Some(publisher)) = &mut track.publisher
            && let Err(error) = publisher.publish(event.data)
        {
            self.trouble = Some(format!("{}: {error}", track.name()));
        }
    }
}

fn outlet(
    domain: &Domain,
    track: &Track,
    event: &Event<'_>,
    types: &Types,
) -> saltus_domain::Result<Publisher> {
    let renamed = Some(track.rename.as_bytes()).filter(|name| !name.is_empty());
    let name = Name::new(renamed.unwrap_or(&track.channel))?;
    let reported = event.about.and_then(|about| about.kind.clone());
    let Some(kind) = reported.or_else(|| types.of(event.data).cloned()) else {
        return domain.publisher(name.as_bytes());
    };
    domain.publisher_described(name.as_bytes(), &saltus_domain::description(&kind))
}

/// The logs.
pub(crate) struct Session {
    player: Player<Reel>,
    outlets: Outlets,
    bookmarks: Option<Bookmarks>,
    first: i64,
    last: i64,
    reported: Arc<Told>,
    played: u64,
}

impl Session {
    /// Paused at the beginning.
    pub fn new(
        reel: Reel,
        outlets: Outlets,
        bookmarks: Option<Bookmarks>,
        (first, last): (i64, i64),
        reported: Arc<Told>,
    ) -> Result<Session> {
        let mut player = Player::new(reel, 1.0);
        player.set_wants(outlets.wants());
        player.seek(first)?;
        let session = Session { player, outlets, bookmarks, first, last, reported, played: 0 };
        session.tell();
        Ok(session)
    }

    fn publish(&mut self, spot: &Spot) {
        self.played += 1;
        self.outlets.publish(self.player.timeline(), spot);
    }

    /// A time of the log, from seconds after its beginning.
    fn time(&self, seconds: f64) -> i64 {
        // The cast saturates.
        self.first.saturating_add((seconds * 1e9) as i64).clamp(self.first, self.last)
    }
    fn seconds(&self, time: i64) -> f64 {
        time.saturating_sub(self.first) as f64 / 1e9
    }

    fn apply(&mut self, ask: Steer) -> Result<()> {
        let now = clock::monotonic();
        let at = self.player.time(now).unwrap_or(self.first).clamp(self.first, self.last);
        match ask {
            Steer::Play => {
                if self.player.timeline().next()?.is_none() {
                    self.player.seek(self.player.repeat().map_or(self.first, |(from, _)| from))?;
                }
                self.player.play();
            }
            Steer::Pause => {
                self.player.seek(at.saturating_add(1))?; // keeps the position of the clock, and repeats no message
                self.player.pause();
            }
            Steer::Seek { to } => {
                let to = self.time(to);
                self.player.seek(to)?;
                if !self.player.is_playing() {
                    self.show_place(to)?;
                }
            }
            Steer::Speed { to: 0.0 } => self.player.set_speed(0.0, now),
            Steer::Speed { to } if to > 0.0 => {
                self.player.set_speed(to.clamp(*SPEEDS.start(), *SPEEDS.end()), now);
            }
            Steer::Speed { .. } => {}
            Steer::Step { back, channel } => {
                let direction = if back { Direction::Backward } else { Direction::Forward };
                let track =
                    channel.map(|name| self.outlets.tracks.iter().position(|track| track.name() == name));
                let numbers = self.outlets.numbers.clone();
                let of =
                    |spot: &Spot| track.is_none_or(|track| track == Some(numbers[spot.log][spot.channel]));
                if let Some(spot) = self.player.step(direction, of)? {
                    self.publish(&spot);
                }
            }
            Steer::Repeat { from: Some(from), to: Some(to) } => {
                self.player.set_repeat(Some((self.time(from), self.time(to))));
            }
            Steer::Repeat { .. } => self.player.set_repeat(None),
            Steer::Bookmark { name } => {
                let name: String = name.chars().take(200).collect();
                let added = self.bookmarks.as_mut().map(|all| all.add(at, &name));
                if let Some(Err(error)) = added {
                    self.outlets.trouble = Some(format!("cannot set a bookmark: {error}"));
                }
            }
            Steer::Track { channel, on, name } => self.outlets.set(&channel, on, &name),
        }
        Ok(())
    }

    /// Goes to a position, and publishes the newest message there of each played channel.
    fn show_place(&mut self, time: i64) -> Result<()> {
        let mut wants = self.outlets.wants();
        let (mut seen, mut newest) = (HashSet::new(), Vec::new());
        let reel = self.player.timeline();
        reel.seek(time.saturating_add(1))?;
        for _ in 0..BEFORE {
            let Some(spot) = reel.previous()? else { break };
            if wants(spot.log, spot.channel) && seen.insert((spot.log, spot.channel)) {
                newest.push(spot);
            }
            if seen.len() == self.outlets.tracks.len() {
                break;
            }
            reel.back()?;
        }
        newest.iter().rev().for_each(|spot| self.publish(spot));
        self.player.seek(time.saturating_add(1))
    }

    /// Updates the status.
    fn tell(&self) {
        let at = self.player.time(clock::monotonic()).unwrap_or(self.first).clamp(self.first, self.last);
        let bookmarks = self.bookmarks.iter().flat_map(Bookmarks::all);
        let tracks = self.outlets.tracks.iter().take(TRACKS).map(
            |track| json!({ "channel": track.name(), "on": track.on.load(Relaxed), "name": track.rename }),
        );
        let state = json!({
            "op": "player",
            "at": self.seconds(at),
            "playing": self.player.is_playing(),
            "speed": self.player.speed(),
            "repeat": self.player.repeat().map(|(from, to)| [self.seconds(from), self.seconds(to)]),
            "bookmarks": bookmarks.map(|b| json!({ "at": self.seconds(b.time), "name": b.name })).collect::<Vec<_>>(),
            "tracks": tracks.collect::<Vec<_>>(),
            "played": self.played,
            "trouble": self.outlets.trouble,
        });
        self.reported.set(state.to_string());
    }
}

/// Plays and handles requests until a stop is requested, or until all senders are gone.
pub(crate) fn run(session: &mut Session, asked: &Receiver<Steer>, stop: &Stop) {
    let mut reported = 0;
    while !stop.is_asked() {
        let now = clock::monotonic();
        let todo = session.player.poll(now);
        let wait = match todo {
            Ok(Todo::Publish(spot, _)) => {
                session.publish(&spot);
                0
            }
            Ok(Todo::Wait(until)) => until.saturating_sub(now).min(SLICE),
            Ok(Todo::Paused) => SLICE,
            Ok(Todo::Ended) => {
                session.player.pause();
                SLICE
            }
            Err(error) => {
                session.outlets.trouble = Some(error.to_string());
                session.player.pause();
                SLICE
            }
        };
        if now.saturating_sub(reported) >= SLICE {
            reported = now;
            session.tell();
        }
        let ask = match asked.recv_timeout(Duration::from_nanos(wait)) {
            Ok(ask) => ask,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if let Err(error) = session.apply(ask) {
            session.outlets.trouble = Some(error.to_string());
        }
        session.tell();
    }
    // If the log cannot store bookmarks, they stay in a file next to it.
    let _ = session.bookmarks.as_mut().map(Bookmarks::settle);
}
