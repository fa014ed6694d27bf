//! Plays logs to clients, which control the player.

use crate::hub::Hub;
use crate::protocol::{Advert, Command, Level, Playback, Stand, State, Status};
use crate::way::{self, Way};
use saltus_log::{ChannelSummary, Types};
use saltus_os::clock;
use saltus_play::{Player, Reel, Spot, Timeline, Todo};
use saltus_types::cdr::Dialect;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Time between two time messages, in ns.
const TICK: u64 = 16_000_000;
/// Time between two checks for a stop request, in ns.
const SLICE: u64 = 50_000_000;
/// The range of playback speeds.
const SPEEDS: (f64, f64) = (0.01, 100.0);
/// Most messages before a position that are searched for the newest of each channel after a seek.
const BACK: usize = 20_000;

/// The options for playing logs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playing {
    /// Playback speed; 1.0 is the recorded speed.
    pub speed: f64,
    /// Start paused. Otherwise playback starts with the first subscription.
    pub paused: bool,
    /// Start again at the end.
    pub repeat: bool,
}

impl Default for Playing {
    fn default() -> Playing {
        Playing { speed: 1.0, paused: false, repeat: false }
    }
}

/// A channel of a log.
struct Track {
    id: u32,
    /// The conversion of its messages; `None` sends them as stored in the log.
    way: Option<Way>,
}

/// Logs to play to clients.
pub struct Tape {
    reel: Reel,
    types: Types,
    dialect: Dialect,
    playing: Playing,
    span: (i64, i64),
}

impl Tape {
    /// Opens logs to play together. `types` are known in addition to the logs' types.
    ///
    /// # Errors
    /// A log cannot be read.
    pub fn new(
        mut reel: Reel,
        types: Types,
        dialect: Dialect,
        playing: Playing,
    ) -> Result<Option<Tape>, saltus_log::Error> {
        let span = reel.span()?;
        Ok(span.map(|span| Tape { reel, types, dialect, playing, span }))
    }
    /// The times of the first event and the last.
    pub(crate) fn span(&self) -> (u64, u64) {
        (self.span.0.max(0) as u64, self.span.1.max(0) as u64)
    }

    /// Announces the channels, and plays until `stop`.
    pub(crate) fn run(self, hub: Arc<Hub>, orders: Receiver<Playback>, stop: &AtomicBool) {
        let Tape { reel, mut types, dialect, playing, span } = self;
        let tracks = tracks(&reel, &hub, &mut types, dialect);
        let mut player = Player::new(reel, playing.speed.clamp(SPEEDS.0, SPEEDS.1));
        if playing.repeat {
            player.set_repeat(Some(span));
        }
        let (wanted, version) = (HashSet::new(), u64::MAX);
        let mut deck =
            Deck { hub, player, tracks, span, wanted, version, ticked: 0, stand: Stand::Paused, misfits: 0 };
        if let Err(error) = deck.run(&orders, stop, playing.paused) {
            deck.hub.status(&Status::new(Level::Error, format!("playback stopped: {error}")));
        }
    }
}

/// Announces the channels of the logs. Channels with the same name and type are one.
fn tracks(reel: &Reel, hub: &Hub, types: &mut Types, dialect: Dialect) -> HashMap<(usize, usize), Track> {
    let mut adverts: Vec<Advert> = Vec::new();
    let mut found = Vec::new();
    for (log, summary) in reel.logs().iter().map(|log| log.summary()).enumerate() {
        for (number, channel) in summary.channels.iter().enumerate() {
            let (advert, way) = track(channel, types, dialect);
            let known = adverts.iter().position(|one| *one == advert).unwrap_or(adverts.len());
            if known == adverts.len() {
                adverts.push(advert);
            }
            found.push(((log, number), known, way));
        }
    }
    let ids = hub.advertise(adverts);
    found.into_iter().map(|(spot, known, way)| (spot, Track { id: ids[known], way })).collect()
}

fn track(channel: &ChannelSummary, types: &Types, dialect: Dialect) -> (Advert, Option<Way>) {
    let topic = way::topic("", &channel.name);
    let about = channel.about.as_ref();
    let reported = about.and_then(|about| about.kind.as_ref());
    let begins = |key: &[u8; 8]| types.of(key);
    let kind = reported.or_else(|| channel.key.as_ref().and_then(begins));
    match about.filter(|about| kind.is_none() && !["lcm", "saltus-plain"].contains(&&about.encoding[..])) {
        Some(about) => (way::foreign(topic, about), None),
        None => {
            let way = Way::of(kind, dialect);
            (way.advert(topic), Some(way))
        }
    }
}

/// A player with its clients.
struct Deck {
    hub: Arc<Hub>,
    player: Player<Reel>,
    tracks: HashMap<(usize, usize), Track>,
    span: (i64, i64),
    wanted: HashSet<u32>,
    version: u64,
    /// The time of the last time message.
    ticked: u64,
    /// The mode last sent to clients.
    stand: Stand,
    misfits: u64,
}

impl Deck {
    fn run(
        &mut self,
        orders: &Receiver<Playback>,
        stop: &AtomicBool,
        paused: bool,
    ) -> saltus_log::Result<()> {
        self.player.seek(self.span.0)?;
        let mut waits = !paused;
        self.tell(Stand::Paused, false, None);
        while !stop.load(Acquire) {
            let version = self.hub.version();
            if version != self.version {
                (self.version, self.wanted) = (version, self.hub.wanted());
                if !self.wanted.is_empty() && std::mem::take(&mut waits) {
                    self.player.play();
                    self.tell(Stand::Playing, false, None);
                }
            }
            let now = clock::monotonic();
            if self.player.is_playing() && now >= self.ticked + TICK {
                self.tick(now);
            }
            let pause = match self.player.poll(now)? {
                Todo::Publish(spot, _) => {
                    self.publish(&spot)?;
                    0
                }
                Todo::Wait(until) => until.min(self.ticked + TICK).saturating_sub(now),
                Todo::Paused => SLICE,
                Todo::Ended => {
                    if self.stand == Stand::Playing {
                        self.player.pause();
                        self.tell(Stand::Ended, false, None);
                    }
                    SLICE
                }
            };
            match orders.recv_timeout(Duration::from_nanos(pause.min(SLICE))) {
                Ok(order) => {
                    waits = false;
                    // The requesting client may just have subscribed.
                    (self.version, self.wanted) = (self.hub.version(), self.hub.wanted());
                    self.apply(order)?;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
        Ok(())
    }

    fn time(&self) -> u64 {
        let time = self.player.time(clock::monotonic()).unwrap_or(self.span.0);
        time.clamp(self.span.0, self.span.1).max(0) as u64
    }
    fn tick(&mut self, now: u64) {
        self.ticked = now;
        self.hub.time(self.time());
    }
    fn tell(&mut self, stand: Stand, moved: bool, request: Option<String>) {
        self.stand = stand;
        let (time, speed) = (self.time(), self.player.speed() as f32);
        self.hub.state(State { stand, time, speed, moved, request });
        self.hub.time(time);
    }

    /// Handles a client's request, and sends the new state to all clients.
    fn apply(&mut self, order: Playback) -> saltus_log::Result<()> {
        let (now, speed) = (clock::monotonic(), f64::from(order.speed));
        if speed > 0.0 {
            self.player.set_speed(speed.clamp(SPEEDS.0, SPEEDS.1), now);
        }
        // Play at the end starts from the beginning.
        let again = self.stand == Stand::Ended && order.command == Command::Play;
        let to = order.seek.map(|time| i64::try_from(time).unwrap_or(i64::MAX));
        let to = to.or(again.then_some(self.span.0)).map(|time| time.clamp(self.span.0, self.span.1));
        if let Some(time) = to {
            self.player.seek(time)?;
        }
        let stand = match order.command {
            Command::Play => Stand::Playing,
            Command::Pause => Stand::Paused,
        };
        if order.command == Command::Play {
            self.player.play()
        } else {
            self.player.pause()
        }
        self.tell(stand, to.is_some(), Some(order.request));
        if let Some(time) = to {
            self.show_before(time)?;
        }
        Ok(())
    }

    /// Sends the last message of each channel before the new position, unless it is long before. So clients have something to show while
    /// paused.
    fn show_before(&mut self, time: i64) -> saltus_log::Result<()> {
        let mut left = self.wanted.clone();
        let mut found = Vec::new();
        for _ in 0..BACK {
            let Some(spot) = self.player.timeline().previous()?.filter(|_| !left.is_empty()) else { break };
            self.player.timeline().back()?;
            if self.tracks.get(&(spot.log, spot.channel)).is_some_and(|track| left.remove(&track.id)) {
                found.push(spot);
            }
        }
        self.player.seek(time)?;
        found.iter().rev().try_for_each(|spot| self.publish(spot))
    }

    /// Sends a message to the subscribers of its channel. Reads it only if there are any.
    fn publish(&mut self, spot: &Spot) -> saltus_log::Result<()> {
        let Some(track) = self.tracks.get(&(spot.log, spot.channel)) else { return Ok(()) };
        if !self.wanted.contains(&track.id) {
            return Ok(());
        }
        let (time, id) = (spot.time.max(0) as u64, track.id);
        let said = match self.player.timeline().event(spot) {
            Ok(Some(event)) => match &track.way {
                Some(way) if !way.fits(event.data) => {
                    Err("its type differs from that of the channel's first message".into())
                }
                Some(way) => way.message(event.data).map(|data| data.into_owned()),
                None => Ok(event.data.to_vec()),
            },
            Ok(None) => return Ok(()),
            Err(error) => Err(error.to_string()),
        };
        match said {
            Ok(data) => self.hub.message(id, time, data),
            Err(why) => {
                self.misfits += 1;
                let message = format!("{} messages of the log are not shown; the last: {why}", self.misfits);
                if self.misfits.is_power_of_two() {
                    self.hub.status(&Status { level: Level::Warning, message, id: Some("misfits".into()) });
                }
            }
        }
        Ok(())
    }
}
